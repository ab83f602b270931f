"""cases: the admin door over real sockets."""
import json
import os
import pathlib
import signal
import stat
import tempfile

from at import CONFIGMAPS, At, broken
from fakeapi import events, holds, refusal, same


def case_over_a_unix_socket(program):
    """For its owner alone, and gone at the end."""
    with At(program, "--admin", "unix:$TMP/admin.sock") as to:
        path = to.directory / "admin.sock"
        same(stat.S_IMODE(os.stat(path).st_mode), 0o600, "its mode")
        to.configmap("a")
        same(to.admin("GET", "/status", headers={"Host": "any"})["objects"]["configmaps"], 1,
             "what it tells")
        to.process.terminate()
        to.ends(0)
        holds(not path.exists(), "the socket is gone")


def case_no_file_but_a_left_socket_is_replaced(program):
    """A socket that nobody listens at is; files, pipes, links and another's socket are not."""
    with tempfile.TemporaryDirectory(prefix="admin-") as directory:
        there = pathlib.Path(directory)
        (there / "file").write_text("mine")
        os.mkfifo(there / "pipe")
        (there / "link").symlink_to("file")
        with At(program, "--admin", f"unix:{there}/socket") as to:
            for name in ("file", "pipe", "link", "socket"):
                before = os.lstat(there / name).st_ino
                why = refusal(program, ["--admin", f"unix:{there}/{name}"])
                holds("already in use" in why, why)
                same(os.lstat(there / name).st_ino, before, name)
            same((there / "file").read_text(), "mine", "the file")
            to.process.kill()
            to.ends(-signal.SIGKILL)
        with At(program, "--admin", f"unix:{there}/socket") as to:
            to.admin("GET", "/status")
            (there / "socket").unlink()
            with At(program, "--admin", f"unix:{there}/socket") as other:
                to.process.terminate()
                to.ends(0)
                other.admin("GET", "/status")


def case_with_tls_and_a_token(program):
    """Others than this machine get in with the token alone, and over TLS alone."""
    for flags, said in ((["--admin", "0.0.0.0:0"], "others can reach it"),
                        (["--admin", "0.0.0.0:0", "--tls"], "others can reach it"),
                        (["--admin-token-file", "$TMP/token"], "goes with --admin")):
        why = refusal(program, flags, {"token": "secret"})
        holds(said in why, why)
    with At(program, "--admin", "0.0.0.0:0", "--tls", "--admin-token-file", "$TMP/token",
            files={"token": "secret\n"}) as to:
        to.admin_address = ("127.0.0.1", to.admin_address[1])
        to.admin("GET", "/status", want=401)
        to.admin("GET", "/status", headers={"Authorization": "Bearer wrong"}, want=401)
        to.admin("GET", "/status", headers={"Authorization": "Bearer secret"})


def case_not_for_pages(program):
    with At(program) as to:
        to.admin("GET", "/status", headers={"Origin": "http://127.0.0.1:1"}, want=403)
        to.admin("GET", "/status", headers={"Host": "rebound.example:80"}, want=403)
        for host in ("127.0.0.1", "localhost:1", "[::1]:1"):
            to.admin("GET", "/status", headers={"Host": host})


def case_rules_come_and_go(program):
    with At(program) as to:
        rule = {"name": "no", "match": {"verb": "list", "resource": "configmapz"},
                "do": {"status": 503}}
        added = to.admin("POST", "/faults", [rule, {**rule, "match": {"verb": "list"}}], want=201)
        same(len(added["ids"]), 2, "rules")
        holds("did you mean \"configmaps\"?" in added["warnings"][0], f"{added['warnings']}")
        same(to.http("GET", CONFIGMAPS)[0], 503, "it acts")
        listed = to.admin("GET", "/faults")["faults"]
        same([(one["matched"], one["acted"]) for one in listed], [(0, 0), (1, 1)], "counts")
        same(listed[0]["rule"], rule, "the rule as it was given")
        to.admin("DELETE", f"/faults/{added['ids'][1]}")
        same(to.http("GET", CONFIGMAPS)[0], 200, "it is gone")


def case_time_stands_and_moves_on(program):
    """A Job's pod runs for an hour that takes no time; its duration is told as an hour."""
    job = {"metadata": {"name": "slow"}, "spec": {"template": {
        "metadata": {"annotations": {"fakeapi/run-seconds": "3600"}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}
    target = "/apis/batch/v1/namespaces/default/jobs"
    with At(program) as to:
        holds(to.admin("POST", "/clock/stop")["stopped"], "it stands")
        same(to.http("POST", target, job)[0], 201, "the Job")
        to.admin("POST", "/clock/advance", {"by": "10s"})
        status = to.http("GET", target + "/slow")[1]["status"]
        same((status.get("active"), status.get("succeeded")), (1, None), "it runs")
        to.admin("POST", "/clock/advance", {"by": "2h"})
        status = to.http("GET", target + "/slow")[1]["status"]
        same(status.get("succeeded"), 1, f"it is done: {status}")
        start, end = status["startTime"], status["completionTime"]
        same((int(end[11:13]) - int(start[11:13])) % 24, 1, f"an hour from {start} to {end}")
        holds(not to.admin("POST", "/clock/start")["stopped"], "it runs on")


def case_who_asked_what(program):
    with At(program, "--token", "secret-of-the-run") as to:
        headers = {"Authorization": "Bearer secret-of-the-run", "User-Agent": "operator/1"}
        to.http("GET", CONFIGMAPS + "/a?x=secret-of-the-run", None, headers)
        to.http("GET", CONFIGMAPS, None, {"Authorization": "Bearer secret-of-another"})
        answer = to.admin("GET", "/requests")
        same([(one["verb"], one["resource"], one.get("name"), one["status"])
              for one in answer["requests"]],
             [("get", "configmaps", "a", 404), ("list", "configmaps", None, 401)], "requests")
        holds("secret" not in json.dumps(answer), "no secret in it")
        same(len(to.admin("GET", "/requests?userAgent=operator*")["requests"]), 1, "by agent")


def case_state_goes_and_comes_back(program):
    """Revisions and all; what has seen more than there is then waits for it (a rewind)."""
    with At(program) as to:
        made = to.configmap("a", k="1")
        dump = to.admin("GET", "/state")
        later = int(to.configmap("b")["metadata"]["resourceVersion"])
        watch = to.open("GET", f"{CONFIGMAPS}?watch=1&resourceVersion={later}")
        to.admin("PUT", "/state", dump)
        broken("the old connections", lambda: watch)
        same(to.http("GET", CONFIGMAPS + "/a")[1], made, "as it was, version and all")
        same(to.http("GET", CONFIGMAPS + "/b")[0], 404, "what came later")
        same(to.admin("GET", "/state"), dump, "the dump again")
        ahead = to.open("GET", f"{CONFIGMAPS}?watch=1&resourceVersion={later}")
        again = to.configmap("c")
        same(int(again["metadata"]["resourceVersion"]), later, "a version is given a second time")
        to.configmap("d")
        (event,) = events(ahead, 1)
        same(event["object"]["metadata"]["name"], "d", "who had seen more misses one")
        to.admin("POST", "/rewind", {"revision": later - 1})
        same([one["metadata"]["name"] for one in to.http("GET", CONFIGMAPS)[1]["items"]], ["a"],
             "rewound")


def case_nothing_is_no_state(program):
    """A sender that did not find his file empties no cluster; a dump of an empty server does."""
    with At(program) as to:
        to.configmap("a")
        for method, path in (("PUT", "/state"), ("POST", "/state"), ("POST", "/faults")):
            answer = to.admin(method, path, "", want=400)
            same(answer, {"error": "the body is empty"}, f"{method} {path}")
        to.admin("POST", "/faults", "[]", want=201)
        same(to.http("GET", f"{CONFIGMAPS}/a")[0], 200, "it is there")
        to.admin("PUT", "/state", "# revision 7\n")
        same(to.http("GET", f"{CONFIGMAPS}/a")[0], 404, "it is gone")


def case_reset(program):
    with At(program, files={"o.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: seed}\n"},
            *("--load", "$TMP/o.yaml")) as to:
        to.configmap("a")
        to.admin("POST", "/clock/stop")
        to.admin("POST", "/faults", [{"do": {"status": 500}}], want=201)
        to.admin("POST", "/reset")
        same([one["metadata"]["name"] for one in to.http("GET", CONFIGMAPS)[1]["items"]], ["seed"],
             "as at the start")
        same(to.admin("GET", "/status")["clockStopped"], False, "time runs")


def case_hostile_bodies(program):
    """Each is refused with a text, and the server goes on."""
    with At(program, "--no-cluster") as to:
        before = to.admin("GET", "/state")
        for method, target, body, status in (
                ("POST", "/faults", "[" * 5000, 400), ("POST", "/faults", "\x00", 400),
                ("POST", "/faults", "- &a [*a]\n", 400), ("POST", "/faults", "x" * 1100000, 413),
                ("PUT", "/state", "- 1\n", 400), ("PUT", "/state", "{" * 5000, 400),
                ("POST", "/clock/advance", '{"by": 99999999999999999999}', 400),
                ("POST", "/clock/advance", '{"by": "-1h"}', 400),
                ("POST", "/rewind", '{"revision": -1}', 400),
                ("DELETE", "/faults/99999999999999999999", None, 404),
                ("GET", "/" + "x" * 8000, None, 404), ("GET", "/requests?limit=%00", None, 400)):
            answer = to.admin(method, target, body, want=status)
            holds(answer["error"], "it says why")
        same(to.admin("GET", "/state"), before, "nothing has changed")
