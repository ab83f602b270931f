"""ends: limits, and how a server stops."""
import json
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

import http1
from at import CONFIGMAPS, At
from fakeapi import PATIENCE_S, Wrong, events, holds, refusal, same, until


def open_requests(to):
    return to.admin("GET", "/status")["openRequests"]


def case_too_many_at_once(program):
    """O1: text, with Retry-After; watches hold no place, and health is always told."""
    with At(program, "--max-inflight", "2",
            rules=[{"match": {"verb": "get", "resource": "configmaps"}, "do": {"silent": True}}]) as to:
        watch = to.open("GET", CONFIGMAPS + "?watch=1")
        held = [to.send("GET", CONFIGMAPS + "/a") for _ in range(2)]
        until("two requests under way", lambda: open_requests(to) == 3)
        answer = to.open("GET", CONFIGMAPS)
        same((answer.status, answer.read()), (429, b"Too many requests, please try again later.\n"),
             "the third")
        same([answer.header(name) for name in
              ("Retry-After", "Content-Type", "X-Content-Type-Options")],
             ["1", "text/plain; charset=utf-8", "nosniff"], "its headers")
        same(to.http("GET", "/readyz"), (200, "ok"), "health")
        same(to.open("GET", CONFIGMAPS + "?watch=1").status, 200, "another watch")
        held[0].socket.close()
        until("a place that is free", lambda: open_requests(to) == 3)
        same(to.http("GET", CONFIGMAPS)[0], 200, "then it is served")
        holds(not watch.ended, "the first watch")


def case_connections_are_kept(program):
    """O9: one connection serves many requests, unless its peer says otherwise."""
    with At(program) as to:
        connection = to.connect()
        for _ in range(3):
            answer = to.open("GET", CONFIGMAPS, connection=connection)
            same((answer.status, answer.header("Connection")), (200, None), "kept")
            answer.read()
        answer = to.open("GET", CONFIGMAPS, headers={"Connection": "close"}, connection=connection)
        answer.read()
        same((answer.header("Connection"), connection.some()), ("close", b""), "closed when asked")


def case_graceful_stop(program):
    """W15: watches end with their last chunk, answers under way come, new ones do not."""
    with At(program, rules=[{"match": {"verb": "list"}, "do": {"delay": "700ms"}}]) as to:
        watch = to.open("GET", CONFIGMAPS + "?watch=1")
        slow = to.send("GET", CONFIGMAPS)
        until("both under way", lambda: open_requests(to) == 2)
        to.process.terminate()
        same((watch.read(), watch.ended), (b"", True), "the watch has an end")
        try:
            to.connect()
            raise Wrong("it still listens")
        except ConnectionError:
            pass
        answer = http1.Answer(slow, "GET")
        same((answer.status, answer.header("Connection")), (200, "close"), "the answer under way")
        answer.read()
        to.ends(0)


def case_what_came_before_a_stop_is_done(program):
    """W15: also what was half sent; the connection is closed behind it, whatever comes there."""
    with At(program) as to:
        body = {"metadata": {"name": "half"}}
        data = http1.encode("fakeapi", "POST", CONFIGMAPS, {}, body)
        half = to.connect()
        half.socket.sendall(data[:-5])
        until("the half one", lambda: open_requests(to) == 1)
        to.process.terminate()
        until("the stop", lambda: not listens(to))
        half.socket.sendall(data[-5:] + http1.encode("fakeapi", "GET", CONFIGMAPS, {}, None))
        answer = http1.Answer(half, "POST")
        answer.read()
        same((answer.status, answer.header("Connection")), (201, "close"), "the half one")
        try:
            same(half.some(), b"", "nothing behind it")
        except ConnectionError:
            pass
        to.ends(0)


def listens(to):
    try:
        to.connect()
        return True
    except ConnectionError:
        return False


def case_a_stop_has_a_bound(program):
    """Neither a request without an answer nor a watch that stalls holds it up for long."""
    with At(program, rules=[{"match": {"verb": "list"}, "do": {"silent": True}},
                            {"match": {"verb": "watch"}, "do": {"stall_watch": True}}]) as to:
        to.send("GET", CONFIGMAPS)
        to.open("GET", CONFIGMAPS + "?watch=1")
        to.admin("POST", "/clock/stop")
        until("both under way", lambda: open_requests(to) == 2)
        began = time.monotonic()
        to.process.terminate()
        to.ends(0)
        holds(time.monotonic() - began < 30, "within a bound")


def case_second_signal(program):
    with At(program, rules=[{"match": {"verb": "list"}, "do": {"silent": True}}]) as to:
        to.send("GET", CONFIGMAPS)
        until("it is under way", lambda: open_requests(to) == 1)
        to.process.terminate()
        until("the stop", lambda: not listens(to))
        to.process.terminate()
        to.ends(128 + signal.SIGTERM)  # at once


PARENT = """
import subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
print(child.pid, child.stdout.readline().decode(), flush=True)
sys.stdin.readline()
"""


def case_ends_with_its_parent(program):
    """C22: however the parent ends, and in order: with a dump."""
    for kill in (False, True):
        with tempfile.TemporaryDirectory(prefix="admin-") as directory:
            dump = pathlib.Path(directory) / "dump.yaml"
            parent = subprocess.Popen(
                [sys.executable, "-c", PARENT, program, "--listen", "127.0.0.1:0",
                 "--exit-with-parent", "--dump", dump],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            pid = int(parent.stdout.readline().split()[0])
            holds(pathlib.Path(f"/proc/{pid}").exists(), "it runs")
            if kill:
                parent.kill()
            parent.stdin.close()
            parent.wait(PATIENCE_S)
            parent.stdout.close()
            until("its end", lambda: is_over(pid))
            holds(dump.read_text().startswith("# revision "), "in order")


def case_goes_on_after_a_restart(program):
    """--state: objects with their versions and uids, tokens and the authority; no history."""
    account = "system:serviceaccount:default:default"
    with tempfile.TemporaryDirectory(prefix="admin-") as directory:
        flags = ("--tls", "--access", "--state", f"{directory}/state",
                 "--kubeconfig-out", "$TMP/admin", f"--user={account}=$TMP/account",
                 "--load", "$TMP/o.yaml")
        files = {"o.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: default}\n"}
        kept = []
        for run in range(2):
            with At(program, *flags, files=files) as to:
                until("the kubeconfigs", (to.directory / "account").exists)
                config, token = ((to.directory / name).read_text() for name in ("admin", "account"))
                secret = re.search('token: "(.*)"', config)[1]
                authority = re.search("certificate-authority-data: (.*)", config)[1]
                headers = {"Authorization": f"Bearer {secret}"}
                if run == 0:
                    status, made = to.http("POST", CONFIGMAPS, {"metadata": {"name": "a"}},
                                           headers=headers)
                    same(status, 201, "it is made")
                    kept = [secret, authority, made, token]
                    continue
                same([secret, authority], kept[:2], "credentials")
                same(to.http("GET", f"{CONFIGMAPS}/a", headers=headers), (200, kept[2]), "as it was")
                version = int(kept[2]["metadata"]["resourceVersion"])
                made = to.http("POST", CONFIGMAPS, {"metadata": {"name": "b"}}, headers=headers)[1]
                holds(int(made["metadata"]["resourceVersion"]) > version, "versions go on")
                (event,) = events(to.open("GET", f"{CONFIGMAPS}?watch=1&resourceVersion={version}",
                                          headers=headers), 1)
                same(event["object"]["code"], 410, "what a watch resumes from is forgotten")
                bearer = {"Authorization": "Bearer " + re.search('token: "(.*)"', kept[3])[1]}
                same(to.http("GET", CONFIGMAPS, headers=bearer)[0], 403, "a token is known still")
        for name in ("state", "state.keys"):
            same((pathlib.Path(directory) / name).stat().st_mode & 0o777, 0o600, name)


def case_logs_outlive_a_restart(program):
    """They are the node's; of pods that are over and of those that run on."""
    pods = CONFIGMAPS.replace("configmaps", "pods")
    with tempfile.TemporaryDirectory(prefix="admin-") as directory:
        for run in range(2):
            with At(program, "--state", f"{directory}/state") as to:
                if run == 0:
                    for name, seconds in (("over", "0"), ("runs", "3600")):
                        notes = {"fakeapi/log": "a\nb\n", "fakeapi/run-seconds": seconds}
                        to.http("POST", pods, {
                            "metadata": {"name": name, "annotations": notes},
                            "spec": {"restartPolicy": "Never",
                                     "containers": [{"name": "c", "image": "i"}]}})
                for name, phase, log in (("over", "Succeeded", "a\nb\n"), ("runs", "Running", "a\n")):
                    until(phase, lambda: to.http("GET", f"{pods}/{name}")[1]["status"]["phase"] == phase)
                    same(to.http("GET", f"{pods}/{name}/log"), (200, log), f"{name}, run {run}")


def case_a_state_that_is_none(program):
    """Told at the start, and nothing is written over it."""
    with tempfile.TemporaryDirectory(prefix="admin-") as directory:
        for name in ("state", "state.keys"):
            path = pathlib.Path(directory) / name
            path.write_text("{")
            said = refusal(program, ["--state", f"{directory}/state"])
            holds(str(path) in said, said)
            same(path.read_text(), "{", "untouched")
            path.unlink()
        said = refusal(program, ["--state", f"{directory}/none/state"])
        holds("--state" in said, said)


def is_over(pid):
    """Gone, or waiting for whoever adopted it."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def case_full_disk(program):
    """A dump that finds no room leaves the old one, nothing beside it, and exit status 1."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

    with tempfile.TemporaryDirectory(prefix="admin-") as directory:
        for path in (f"{directory}/dump.yaml", "/dev/full"):
            if path != "/dev/full":
                pathlib.Path(path).write_text("before")
            process = subprocess.Popen([program, "--listen", "127.0.0.1:0", "--dump", path],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       preexec_fn=limit, text=True)
            process.stdout.readline()
            process.terminate()
            _, said = process.communicate(timeout=PATIENCE_S)
            same(process.returncode, 1, f"its end: {said}")
            holds("dump failed" in said and path in said, said)
        same([(one.name, one.read_text()) for one in pathlib.Path(directory).iterdir()],
             [("dump.yaml", "before")], "the directory")


def case_kill_leaves_no_half_file(program):
    """Killed at any time after a TERM, the dump is the old one or a whole new one."""
    for wait_s in (0, 0.001, 0.003, 0.01, 0.03):
        with At(program, "--dump", "$TMP/dump.yaml", files={"dump.yaml": "before"}) as to:
            for n in range(20):
                to.configmap(f"c{n}", k="x" * 100_000)
            to.process.terminate()
            time.sleep(wait_s)
            to.process.kill()
            to.ends(0, -signal.SIGKILL)
            text = (to.directory / "dump.yaml").read_text()
            holds(text == "before" or (text.startswith("# revision ") and text.count("x" * 100_000)
                                       == 20), f"{text[:60]!r} of {len(text)} bytes")


def case_many_at_once(program):
    """Slow heads, half bodies and idle connections delay nobody."""
    with At(program) as to:
        idle = [to.connect() for _ in range(100)]
        for n, connection in enumerate(idle[:60]):
            connection.socket.sendall(b"GET /version HT" if n % 2 else
                                      http1.encode("fakeapi", "POST", CONFIGMAPS, {}, {"a": 1})[:-3])
        to.configmap("a")
        same(to.http("GET", CONFIGMAPS + "/a")[0], 200, "others are served")
        answer = to.open("GET", "/version?" + "x" * 20000)
        holds(answer.status in (400, 414, 431), f"a head that is too large: {answer.status}")
        broken_or_refused(to)


def broken_or_refused(to):
    try:
        status = to.http("GET", "/version", None, {"X-Large": "x" * 100_000})[0]
        holds(status in (400, 431), f"{status}")
    except (http1.Broken, ConnectionError):
        pass


def case_a_watcher_that_sleeps_falls_off(program):
    """W9: its stream ends, without a gap before; nobody waits for it, and resuming is 410."""
    with At(program, "--history", "20") as to:
        version = int(to.configmap("a")["metadata"]["resourceVersion"])
        sleeper = to.open("GET", f"{CONFIGMAPS}?watch=1&resourceVersion={version}")
        awake = to.open("GET", f"{CONFIGMAPS}?watch=1&resourceVersion={version}")
        for n in range(300):
            same(to.http("PATCH", CONFIGMAPS + "/a", {"data": {"k": f"{n} " + "x" * 100_000}})[0],
                 200, "a write beside the sleeper")
            awake.body = b""
            awake.read(lambda body: body.endswith(b"\n"))
        try:
            sleeper.read()
            holds(sleeper.ended, "its end")
        except (http1.Broken, ConnectionError):
            pass  # it slept on behind that
        lines = sleeper.body.decode().splitlines(keepends=True)
        seen = [json.loads(line) for line in lines if line.endswith("\n")]
        holds(len(seen) < 300, f"its end, after {len(seen)} events")
        versions = [int(one["object"]["metadata"]["resourceVersion"]) for one in seen]
        same(versions, list(range(version + 1, version + 1 + len(seen))), "no gap")
        (gone,) = events(to.open("GET", f"{CONFIGMAPS}?watch=1&resourceVersion={versions[-1]}"), 1)
        same((gone["type"], gone["object"]["code"]), ("ERROR", 410), "what it is told then")


def case_bodies_together(program):
    """O1: all bodies that are here at a time have a limit; then there is room again."""
    head = (f"POST {CONFIGMAPS} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            f"Content-Length: 3145728\r\n\r\n").encode()
    with At(program) as to:
        held = []

        def refused():
            return len(to.admin("GET", "/requests?status=429&limit=1000")["requests"])

        for _ in range(120):
            connection = to.connect()
            held.append(connection)
            try:
                connection.send(head + b" " * 3_000_000)
            except ConnectionError:
                pass  # it was answered, and closed, before all was sent
        until("some that are refused", lambda: refused() > 0)
        same(to.http("GET", CONFIGMAPS)[0], 200, "reads go on")
        for connection in held:
            connection.socket.close()
        until("room", lambda: to.http("POST", CONFIGMAPS, {"metadata": {"name": "a"}})[0] == 201)
