"""actors: the complaints about what happens behind the API (C13, C23 of MUSEUM.md part 2).

As in classes.py, a function a class.
"""
import datetime
import json

from fakeapi import Door, holds, same, until
from world import World, names

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
JOBS = "/apis/batch/v1/namespaces/default/jobs"


def dependent(at, name, owner, kind="ConfigMap", uid=None, namespace="default"):
    return at.configmap(name, namespace=namespace, ownerReferences=[{
        "apiVersion": "v1", "kind": kind, "name": owner.metadata.name,
        "uid": uid or owner.metadata.uid}])


def until_gone(at, target):
    until(f"{target} is gone", lambda: at.http("GET", target)[0] == 404)


def c13_garbage_collection(at):
    for policy in ("Background", "Foreground", "Orphan"):
        owner = at.configmap(f"owner-{policy.lower()}")
        dependent(at, f"child-{policy.lower()}", owner)
        at.core.delete_namespaced_config_map(owner.metadata.name, "default",
                                             propagation_policy=policy)
        until_gone(at, f"{CONFIGMAPS}/{owner.metadata.name}")
    for policy in ("background", "foreground"):
        until_gone(at, f"{CONFIGMAPS}/child-{policy}")
    orphan = at.http("GET", f"{CONFIGMAPS}/child-orphan")[1]
    holds("ownerReferences" not in orphan["metadata"], "an orphan has lost its owner")
    living = at.configmap("living")
    dependent(at, "other-uid", living, uid="11111111-1111-4111-8111-111111111111")
    at.core.create_namespace({"metadata": {"name": "elsewhere"}})
    dependent(at, "child", living, namespace="elsewhere")
    until_gone(at, f"{CONFIGMAPS}/other-uid")
    until_gone(at, "/api/v1/namespaces/elsewhere/configmaps/child")
    at.configmap("in", namespace="elsewhere")
    at.core.delete_namespace("elsewhere")
    until_gone(at, "/api/v1/namespaces/elsewhere")
    same(names(at.http("GET", "/api/v1/namespaces/elsewhere/configmaps")[1]["items"]), [],
         "a namespace is emptied")


def c13_collector_switched_off(program):
    with World(program, ["--no-cluster"]) as at:
        owner = at.configmap("owner")
        dependent(at, "child", owner)
        at.core.delete_namespaced_config_map("owner", "default")
        for _ in range(20):
            same(at.http("GET", f"{CONFIGMAPS}/child")[0], 200, "nothing is collected")


def worker(name, seconds):
    return {"metadata": {"name": name, "annotations": {"fakeapi/run-seconds": str(seconds)}},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}


def armed(to):
    """The steps of pods that are armed, by name."""
    return {one["name"]: one for one in to.admin("GET", "/waiting")["waiting"]
            if one["resource"] == "pods"}


def lengths(to):
    """How many seconds each pod ran; every one must be over."""
    found = {}
    for pod in to.http("GET", PODS)[1]["items"]:
        same(pod["status"]["phase"], "Succeeded", f"phase of {pod['metadata']['name']}")
        over = pod["status"]["containerStatuses"][0]["state"]["terminated"]
        start, end = (datetime.datetime.fromisoformat(over[key].replace("Z", "+00:00"))
                      for key in ("startedAt", "finishedAt"))
        found[pod["metadata"]["name"]] = (end - start).total_seconds()
    return found


def c23_many_steps_due_together(program):
    """Fifty pods that end in the same instant: each becomes Running once and Succeeded once."""
    with Door(program) as to:
        to.admin("POST", "/clock/stop")
        start = to.http("GET", PODS)[1]["metadata"]["resourceVersion"]
        watch = to.open("GET", f"{PODS}?watch=1&resourceVersion={start}")
        for n in range(50):
            same(to.http("POST", PODS, worker(f"p{n}", 60))[0], 201, "a pod")
        to.admin("POST", "/clock/advance", {"by": "10s"})
        steps = armed(to)
        same(({one["actor"] for one in steps.values()}, {one["step"] for one in steps.values()},
              len(steps)), ({"kubelet"}, {"end"}, 50), "what is armed")
        to.admin("POST", "/clock/advance", {"by": "10m"})
        same(armed(to), {}, "nothing waits any more")
        same(set(lengths(to).values()), {60}, "how long they ran")
        same(to.http("POST", CONFIGMAPS, {"metadata": {"name": "last"}})[0], 201, "the end")
        to.admin("DELETE", "/watches")
        phases = {}
        for line in watch.read().decode().splitlines():
            pod = json.loads(line)["object"]
            told = phases.setdefault(pod["metadata"]["name"], [])
            if told[-1:] != [pod["status"]["phase"]]:
                told.append(pod["status"]["phase"])
        same((len(phases), {tuple(told) for told in phases.values()}),
             (50, {("Pending", "Running", "Succeeded")}), "the life of each")


def c23_after_an_error(program):
    """A quota refuses the Job's pods until it is raised: tried again, and each made once. The
    client is refused once too, and its second attempt arms no more than one step."""
    rules = [{"match": {"verb": "create", "resource": "jobs"}, "when": {"nth": 1},
              "do": {"status": 503}}]
    quota = {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "0"}}}
    quotas = "/api/v1/namespaces/default/resourcequotas"
    with Door(program, rules=rules) as to:
        to.admin("POST", "/clock/stop")
        to.http("POST", quotas, quota)
        to.admin("POST", "/clock/advance", {"by": "1s"})
        job = {"metadata": {"name": "j"}, "spec": {
            "parallelism": 3, "completions": 3, "template": {
                "metadata": {"annotations": {"fakeapi/run-seconds": "60"}},
                "spec": worker("", 0)["spec"]}}}
        same([to.http("POST", JOBS, job)[0] for _ in range(2)], [503, 201], "the Job's creates")
        to.admin("POST", "/clock/advance", {"by": "1m"})
        same(to.http("GET", PODS)[1]["items"], [], "no pod while the quota says so")
        waits = [one["resource"] for one in to.admin("GET", "/waiting")["waiting"]
                 if one["actor"] == "jobs"]
        same(waits, ["jobs.batch"], "the Job is tried again")
        to.http("PATCH", f"{quotas}/q", {"spec": {"hard": {"pods": "9"}}},
                {"Content-Type": "application/merge-patch+json"})
        to.admin("POST", "/clock/advance", {"by": "10m"})
        same(sorted(lengths(to).values()), [60, 60, 60], "each pod once, its time once")
        same(to.http("GET", f"{JOBS}/j")[1]["status"]["succeeded"], 3, "the Job's count")


def c23_after_dump_and_load(program):
    """Steps that were armed come at their time in the server that took the state over."""
    with Door(program) as to:
        to.admin("POST", "/clock/stop")
        for n in range(5):
            to.http("POST", PODS, worker(f"p{n}", 60 + n))
        to.http("POST", JOBS, {"metadata": {"name": "j"}, "spec": {
            "ttlSecondsAfterFinished": 100, "template": {
                "metadata": {"annotations": {"fakeapi/run-seconds": "10"}},
                "spec": worker("", 0)["spec"]}}})
        to.admin("POST", "/clock/advance", {"by": "30s"})
        before = {name: one["due"][:19] for name, one in armed(to).items()}
        to.admin("PUT", "/state", to.admin("GET", "/state"))
        to.admin("POST", "/clock/advance", {"by": "1s"})
        same({name: one["due"][:19] for name, one in armed(to).items()}, before, "what is armed")
        jobs = [(one["actor"], one["step"], one["name"])
                for one in to.admin("GET", "/waiting")["waiting"] if one["actor"] == "ttl"]
        same(jobs, [("ttl", "delete", "j")], "the end of the Job that is over")
        to.admin("POST", "/clock/advance", {"by": "10m"})
        same(lengths(to), {f"p{n}": 60 + n for n in range(5)}, "each at its time")
        same(to.http("GET", f"{JOBS}/j")[0], 404, "the Job is gone")


def c23_rules_edited_meanwhile(program):
    """Longer, shorter, and shorter than it has run already."""
    with Door(program) as to:
        to.admin("POST", "/clock/stop")
        for name in ("longer", "shorter", "over", "same"):
            to.http("POST", PODS, worker(name, 60))
        to.admin("POST", "/clock/advance", {"by": "30s"})
        same(len({one["due"] for one in armed(to).values()}), 1, "all at one time")
        for name, seconds in (("longer", 90), ("shorter", 45), ("over", 5)):
            to.http("PATCH", f"{PODS}/{name}", {"metadata": {"annotations": {
                "fakeapi/run-seconds": str(seconds)}}},
                {"Content-Type": "application/merge-patch+json"})
        to.admin("POST", "/clock/advance", {"by": "1s"})
        steps = sorted(armed(to).values(), key=lambda one: one["due"])
        same([one["name"] for one in steps], ["shorter", "same", "longer"], "what is armed")
        to.admin("POST", "/clock/advance", {"by": "10m"})
        same(lengths(to), {"longer": 90, "shorter": 45, "over": 30, "same": 60}, "each ran so long")
        same(armed(to), {}, "nothing waits any more")


def c23_what_still_waits_is_listed(program):
    with World(program, ["--admin", "127.0.0.1:0"]) as at:
        at.core.create_namespaced_pod("default", worker("slow", 3600))
        until("it runs", lambda: at.core.read_namespaced_pod("slow", "default").status.phase ==
              "Running")
    told = [line for line in at.said.splitlines() if "still waiting at the end" in line]
    same([("step=end" in line, "object=pods/default/slow" in line) for line in told],
         [(True, True)], f"what is told at the end: {at.said}")
