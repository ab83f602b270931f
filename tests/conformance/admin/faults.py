"""faults: what each rule does, seen from a real socket."""
import time

import http1
from at import CONFIGMAPS, At, broken
from fakeapi import Wrong, events, holds, refusal, same, whole


def case_refuse(program):
    """Closed before the body is read, and not carried out; later ones are served."""
    with At(program, rules=[{"match": {"verb": "create"}, "when": {"nth": 1},
                             "do": {"refuse": True}}]) as to:
        broken("refused", to.open, "POST", CONFIGMAPS, {"metadata": {"name": "a"}})
        same(to.http("GET", CONFIGMAPS + "/a")[0], 404, "nothing was made")
        to.configmap("a")


def case_silent(program):
    """No answer, and the connection stays; others are served meanwhile."""
    with At(program, rules=[{"match": {"verb": "list"}, "do": {"silent": True}}]) as to:
        sent = to.send("GET", CONFIGMAPS)
        to.configmap("a")
        sent.socket.settimeout(0.3)
        try:
            sent.socket.recv(1)
            raise Wrong("something came")
        except TimeoutError:
            pass


def case_status(program):
    """O2: a JSON Status whose details and header say the same wait; or another reason."""
    with At(program, rules=[
            {"match": {"verb": "create"}, "do": {"status": 429, "retry_after": 7}},
            {"match": {"verb": "get"}, "do": {"status": 500, "reason": "Odd", "message": "no"}}
    ]) as to:
        answer = to.open("POST", CONFIGMAPS, {"metadata": {"name": "a"}})
        status, body = whole(answer)
        same((status, answer.header("Retry-After"), body["details"]["retryAfterSeconds"]),
             (429, "7", 7), "the wait")
        same((body["kind"], body["reason"]), ("Status", "TooManyRequests"), "the reason")
        status, body = to.http("GET", CONFIGMAPS + "/a")
        same((status, body["reason"], body["message"]), (500, "Odd", "no"), "another one")


def case_drop_answer(program):
    with At(program, rules=[{"match": {"verb": "create"}, "do": {"drop_answer": True}}]) as to:
        broken("dropped", to.open, "POST", CONFIGMAPS, {"metadata": {"name": "a"}})
        same(to.http("GET", CONFIGMAPS + "/a")[0], 200, "it was made")
        (entry,) = to.admin("GET", "/requests?verb=create")["requests"]
        same((entry["status"], entry["faultAction"]), (201, "drop answer"), "what is told of it")


def case_cut(program):
    """Exactly so many bytes of the body, then the connection breaks."""
    for size in (0, 1, 50):
        with At(program, rules=[{"match": {"verb": "list"}, "do": {"cut_at": size}}]) as to:
            answer = to.open("GET", CONFIGMAPS)
            try:
                answer.read()
                raise Wrong("it ended as if it were whole")
            except (http1.Broken, ConnectionError):
                same(len(answer.body), size, "bytes that came")


def case_delay(program):
    with At(program, rules=[{"match": {"verb": "list"}, "do": {"delay": "500ms"}}]) as to:
        began = time.monotonic()
        same(to.http("GET", CONFIGMAPS)[0], 200, "it comes")
        holds(time.monotonic() - began >= 0.5, "not before the delay")


def case_stale(program):
    """A list as of an older version; writes go to the present."""
    with At(program) as to:
        old = int(to.configmap("a")["metadata"]["resourceVersion"])
        to.configmap("b")
        to.admin("POST", "/faults", [{"match": {"verb": ["list", "get"]},
                                      "do": {"stale": {"revision": old}}}], want=201)
        items = to.http("GET", CONFIGMAPS)[1]["items"]
        same([item["metadata"]["name"] for item in items], ["a"], "the older list")
        same(to.http("GET", CONFIGMAPS + "/b")[0], 404, "not yet seen")
        to.configmap("b", want=409)


def case_watch_faults(program):
    """One event is swallowed, then the stream stalls; another one is closed cleanly."""
    with At(program) as to:
        version = to.configmap("a")["metadata"]["resourceVersion"]
        target = f"{CONFIGMAPS}?watch=1&resourceVersion={version}"
        to.admin("POST", "/faults", [
            {"match": {"verb": "watch", "name": "swallowed"}, "do": {"swallow_event": True}},
            {"match": {"verb": "watch", "name": "stalls"}, "do": {"stall_watch": True}}], want=201)
        first = to.open("GET", target)
        to.configmap("swallowed")
        to.configmap("seen")
        same([one["object"]["metadata"]["name"] for one in events(first, 1)], ["seen"], "events")
        to.configmap("stalls")
        to.configmap("unseen")
        first.connection.socket.settimeout(0.3)
        try:
            piece = first.connection.some()
            raise Wrong(f"something came: {piece!r}")
        except TimeoutError:
            pass
        to.admin("DELETE", "/faults")
        second = to.open("GET", target)
        events(second, 4)
        to.admin("POST", "/faults", [{"match": {"verb": "watch"}, "do": {"close_watch": True}}],
                 want=201)
        holds(second.read().count(b"\n") == 4 and second.ended, "a clean end, with no event more")


def case_compact(program):
    """W4: who resumes from before is told 410, in the stream."""
    with At(program, rules=[{"match": {"verb": "list"}, "when": {"nth": 1},
                             "do": {"compact": True}}]) as to:
        version = to.configmap("a")["metadata"]["resourceVersion"]
        to.configmap("b")
        same(to.http("GET", CONFIGMAPS)[0], 200, "the list that compacts")
        (event,) = events(to.open("GET", f"{CONFIGMAPS}?watch=1&resourceVersion={version}"), 1)
        same((event["type"], event["object"]["code"]), ("ERROR", 410), "the event")


def case_callers(program):
    """By user agent, by path, by n-th call, by chance (of 1 and of 0), within a time."""
    with At(program, rules=[
            {"match": {"caller": "bad-client/*"}, "do": {"status": 418}},
            {"match": {"resource": "/version"}, "when": {"every": 2}, "do": {"status": 503}},
            {"match": {"name": "unlucky"}, "when": {"probability": 1}, "do": {"status": 507}},
            {"match": {"name": "lucky"}, "when": {"probability": 0}, "do": {"status": 507}},
            {"match": {"name": "later"}, "when": {"from": "1h"}, "do": {"status": 507}},
            {"match": {"name": "early"}, "when": {"until": "1h"}, "do": {"status": 507}}]) as to:
        same(to.http("GET", CONFIGMAPS, None, {"User-Agent": "bad-client/2"})[0], 418, "this one")
        same(to.http("GET", CONFIGMAPS, None, {"User-Agent": "good-client/2"})[0], 200, "not that")
        same([to.http("GET", "/version")[0] for _ in range(4)], [200, 503, 200, 503], "every 2nd")
        for name, status in (("unlucky", 507), ("lucky", 404), ("later", 404), ("early", 507)):
            same(to.http("GET", f"{CONFIGMAPS}/{name}")[0], status, name)
        to.admin("POST", "/clock/advance", {"by": "1h"})
        for name, status in (("later", 507), ("early", 404)):
            same(to.http("GET", f"{CONFIGMAPS}/{name}")[0], status, f"{name}, an hour on")


def case_mistakes_in_a_file(program):
    """Where it is wrong, and what was meant; nothing starts."""
    for rules, said in (
            ("- match: {verb: create, resuorce: pods}\n  do: {status: 503}\n",
             "f.yaml:1:25: unknown key 'resuorce'; did you mean 'resource'?"),
            ("- do: {delay: 1}\n", "f.yaml:1:15: "), ("a: b\n", "f.yaml:1:1: a list of rules")):
        why = refusal(program, ["--faults", "$TMP/f.yaml"], {"f.yaml": rules})
        holds(said in why, f"{said} in {why}")
