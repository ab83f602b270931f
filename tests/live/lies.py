"""lies: histories with one thing wrong each, which the judge must notice; and honest ones.

A history is a short story in lines; each makes a Change at the next version.
"""
import dataclasses

import history
from history import Change, Rules

STATIONS = {
    "free": Rules(succeeded_kept=1, failed_kept=1, output=history.digest_of("hi")),
    "two": Rules(limit=2),
    "forbid": Rules(policy="Forbid", limit=5),
    "replace": Rules(policy="Replace"),
    "failing": Rules(exit_code=3),
    "nowhere": Rules(missing=True),
}
OUTPUT = history.digest_of("hi")


class Story:
    """Agents and Jobs by name; what is said of one stays true until something else is said."""

    def __init__(self):
        self.changes, self.version, self.now = [], 0, {}

    def _tell(self, change):
        self.version += 1
        change = dataclasses.replace(change, version=self.version)
        self.changes.append(change)
        self.now[change.kind, change.name] = change
        return self

    def agent(self, name, station="free", **what):
        old = self.now.get(("Agent", name)) or Change(
            0, "Agent", False, name, f"uid-{name}", created="2026-01-01T00:00:00Z", station=station)
        return self._tell(dataclasses.replace(old, **what))

    def job(self, name, uid=None, **what):
        old = self.now.get(("Job", name)) or Change(0, "Job", False, name, f"uid-job-{name}",
                                                    owner=f"uid-{name}")
        return self._tell(dataclasses.replace(old, uid=uid or old.uid, **what))

    def runs(self, name, station="free", second=0):
        return self.agent(name, station).job(name).agent(
            name, phase="Running", job=f"agent-job-{name}", started=at(second))

    def ends(self, name, phase="Succeeded", exit_code=0, second=1, **what):
        return self.agent(name, phase=phase, exit_code=exit_code,
                          **{"output": OUTPUT, "completed": at(second), **what})

    def goes(self, name):
        return self.agent(name, gone=True)


def at(second):
    return f"2026-01-01T00:00:{second:02}Z"


def run(name="a", station="free", second=1, **what):
    return Story().runs(name, station).ends(name, second=second, **what)


HONEST = {
    "a run": run(),
    "a failed one": run(station="failing", phase="Failed", exit_code=3),
    "a Job that goes": run().job("a", finished=True).job("a", gone=True),
    "nowhere": Story().agent("a", "nowhere").agent("a", phase="Failed", exit_code=1, completed=at(1),
                                                   reason=history.NOT_FOUND),
    "the older goes": run().runs("b").ends("b", second=2).goes("a"),
    "a tie, the lesser name goes": run().runs("b").ends("b").goes("a"),
    "two of two": Story().runs("a", "two").runs("b", "two").ends("a").ends("b"),
    "one after the other": Story().runs("a", "forbid").ends("a").runs("b", "forbid").ends("b"),
    "a victim": Story().runs("a", "replace").goes("a").runs("b", "replace").ends("b"),
    "no output, with a reason": run("excused", output=history.digest_of(""),
                                    reason=history.UNAVAILABLE),
}
# What is wrong: the story, and a part of the complaint.
LIES = {
    "a second Job": (run().job("a", uid="another"), "a second Job"),
    "a second Job under another name": (
        run().job("b", owner="uid-a"), "a second Job"),
    "a Job of nobody": (run().job("b", owner=""), "a Job of nobody"),
    "no Job": (Story().agent("a", phase="Running").ends("a"), "had 0 Jobs"),
    "a Job for nothing": (Story().runs("a", "nowhere").agent(
        "a", phase="Failed", exit_code=1, completed=at(1), reason=history.NOT_FOUND, job=""),
                          "had 1 Jobs"),
    "three of two": (Story().runs("a", "two").runs("b", "two").runs("c", "two")
                     .ends("a").ends("b").ends("c"), "3 run, at most 2 may"),
    "two under Forbid": (Story().runs("a", "forbid").runs("b", "forbid").ends("a").ends("b"),
                         "2 run, at most 1 may"),
    "a start before the victim's end": (
        Story().runs("a", "replace").runs("b", "replace").goes("a").ends("b"), "2 run"),
    "the younger victim": (Story().runs("a", "two", second=1).runs("b", "replace", second=2)
                           .runs("c", "replace", second=1).goes("b").ends("a").ends("c"),
                           "preempted before the older"),
    "a victim elsewhere": (Story().runs("a", "two").goes("a"), "deleted while Running"),
    "a Pending one deleted": (Story().agent("a").goes("a"), "deleted while Pending"),
    "pruned too early": (run().goes("a"), "pruned with 0 newer"),
    "the newer pruned": (run(second=5).runs("b").ends("b", second=4).goes("a"), "pruned with 0"),
    "the newer pruned by a tie": (run().runs("b").ends("b").goes("b"), "pruned with 0 newer"),
    "pruned for another outcome": (
        run().runs("b").ends("b", "Failed", 1, 2).goes("a"), "pruned with 0 newer"),
    "pruned for one that is going": (
        run().runs("b").ends("b", second=2).agent("b", terminating=True).goes("a"),
        "Agent a (station free): pruned with 0"),
    "back from the end": (run().agent("a", phase="Running").ends("a"), "went back"),
    "back to Pending": (Story().runs("a").agent("a", phase="Pending").ends("a"), "went back"),
    "written after the end": (run().agent("a", exit_code=0, output="1:x"), "rewritten"),
    "another end": (run().agent("a", phase="Failed", exit_code=1), "rewritten"),
    "never ended": (Story().runs("a"), "ended as Running"),
    "never began": (Story().agent("a"), "ended as Pending"),
    "Succeeded with 1": (run(exit_code=1), "with exit code 1"),
    "Failed with 0": (run(station="failing", phase="Failed"), "with exit code 0"),
    "no exit code": (run(exit_code=None), "with exit code None"),
    "another exit code": (run(station="failing", phase="Failed", exit_code=4), "its pod's was 3"),
    "no end": (run(completed=""), "without completedAt"),
    "no output": (run(output=history.digest_of("")), "output 0:"),
    "another's output": (run(output=history.digest_of("ho")), "output 2:"),
    "excused, without a reason": (run("excused", output=history.digest_of("")), "the reason is"),
    "excused, with another's output": (run("excused", output="2:ho"), "output 2:"),
    "another reason": (Story().agent("a", "nowhere").agent(
        "a", phase="Failed", exit_code=1, completed=at(1), reason="no"), "ended as Failed, 'no'"),
}
LEFT = run().runs("b").ends("b", second=2)

OUTAGE = ("2026-01-01T00:00:10.0", "2026-01-01T00:00:12.0")


def asked(count, **what):
    return [{"time": at(1), "verb": "get", "resource": "jobs", "name": "a", "status": 200, **what}
            for _ in range(count)]


REQUESTS = {
    "few": (asked(5), None),
    "the same too often": (asked(6), "get jobs a: 6 times"),
    "what is shared": (asked(6, resource="stations"), None),
    "too many": ([one for i in range(9) for one in asked(1, name=str(i))], "9 requests, 8 for each"),
    "forbidden": (asked(1, status=403), "refused"),
    "nobody": (asked(1, status=401), "refused"),
}


def about(name, *requests):
    """One of the Agent's requests each second, as "resource" and what came of it."""
    names = {"pods/log": f"agent-job-{name}-abcde", "jobs": f"agent-job-{name}"}
    return [{"time": at(second), "resource": resource, "name": names.get(resource, name),
             "status": 200, **what} for second, (resource, what) in enumerate(requests, 5)]


REFUSED, CUT = {"status": 500, "faultAction": "status"}, {"faultAction": "cut"}
LOG, CUT_LOG = ("pods/log", {}), ("pods/log", CUT)
# What was asked about one Agent, and whether it may have ended without its output.
EXCUSES = {
    "nothing went wrong": ([LOG], False),
    "one failure": ([CUT_LOG], False),
    "three failures": ([CUT_LOG, ("jobs", REFUSED), CUT_LOG, LOG], False),
    "four failures": ([CUT_LOG, ("jobs", REFUSED), ("jobs", {}), CUT_LOG, CUT_LOG], True),
    "four, but not of the log": ([("jobs", REFUSED)] * 4 + [LOG], False),
    "four, but not in a row": ([("agents/status", REFUSED)] * 3 + [("agents/status", {}), CUT_LOG],
                               False),
    "no such log": ([("pods/log", {"status": 404})], True),
    "a log that is forbidden": ([("pods/log", {"status": 403})], True),
    "no answer": ([("pods/log", {"faultAction": "silent"})], True),
    "no answer, of another kind": ([("jobs", {"faultAction": "silent"}), LOG], False),
    "a slow answer": ([("pods/log", {"faultAction": "delay"})], False),
    "an outage": ([("jobs", {})] * 5 + [LOG], False),
    "an outage, and a failure": ([("jobs", {})] * 5 + [CUT_LOG], True),
    "an outage, and a failure of something else": ([("jobs", REFUSED)] * 6 + [LOG], False),
    "a failure before the outage": ([("jobs", {}), CUT_LOG] + [("jobs", {})] * 5, False),
    "a failure after the outage": ([("jobs", {})] * 8 + [CUT_LOG], False),
}


def judge_stories():
    for name, story in HONEST.items():
        found = history.judge(STATIONS, story.changes, {"excused"}).complaints
        yield name, found == [], found
    for name, (story, want) in LIES.items():
        found = history.judge(STATIONS, story.changes, {"excused"}).complaints
        yield name, any(want in one for one in found), found
    yield "left behind", len(history.judge(STATIONS, LEFT.changes).left) == 1, "nothing is left"
    yield "nothing left", not history.judge(STATIONS, run().changes).left, "something is left"


def judge_rest():
    for name, (requests, want) in REQUESTS.items():
        found, _ = history.judge_requests(requests, 1, 8, 5)
        good = any(want in one for one in found) if want else found == []
        yield f"requests: {name}", good, found
    for name, (requests, want) in EXCUSES.items():
        found = history.unread(about("run-1", *requests), [OUTAGE])
        yield f"excuses: {name}", found == ({"run-1"} if want else set()), found


def main():
    rows = [*judge_stories(), *judge_rest()]
    for name, good, found in rows:
        if not good:
            print(f"FAILED  {name}: {found}")
    failed = sum(not good for _, good, _ in rows)
    print(f"{len(rows)} stories: {len(rows) - failed} judged rightly, {failed} not")
    return failed > 0
