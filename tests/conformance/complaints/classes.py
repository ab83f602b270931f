"""classes: what users of fake API servers complain about (MUSEUM.md part 2), a function a class.

Each takes a World or makes its own, and raises when the server does what the class is about.
"""
import concurrent.futures
import copy
import time

import fakeapi
import http1
import kubernetes
import world
import yaml
from fakeapi import Wrong, events, holds, refusal, same
from world import World, names, refused, version

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
WIDGETS = "/apis/example.com/v1/namespaces/default/widgets"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"


def c1_field_selectors(at):
    for name in ("a", "b"):
        at.configmap(name)
    listed = at.core.list_namespaced_config_map("default", field_selector="metadata.name=b")
    same([item.metadata.name for item in listed.items], ["b"], "the Python client's list")
    same(at.kubectl("get", "cm", "--field-selector", "metadata.name!=a", "-o", "name").split()[0],
         "configmap/b", "kubectl's list")
    refusal = refused(400, at.core.list_namespaced_config_map, "default",
                      field_selector="data.k=v")
    holds("data.k" in refusal["message"], "the refusal names the field")
    at.core.create_namespaced_pod("default", {
        "metadata": {"name": "p"}, "spec": {"nodeName": "far", "containers": [
            {"name": "c", "image": "i"}]}})
    same(len(at.core.list_pod_for_all_namespaces(field_selector="spec.nodeName=far").items), 1,
         "pods of the node")
    at.widgets()
    at.widget("red", colour="red")
    at.widget("blue", colour="blue")
    listed = at.http("GET", f"{WIDGETS}?fieldSelector=spec.colour%3Dred")[1]
    same(names(listed["items"]), ["red"], "by a field that the CRD declares")
    watch = at.watch(f"{WIDGETS}?watch=1&fieldSelector=spec.colour%3Dred&resourceVersion="
                     f"{listed['metadata']['resourceVersion']}")
    at.kubectl("patch", "widget", "red", "--type=merge", "-p", '{"spec":{"colour":"green"}}')
    lost = events(watch, 1)[0]
    same((lost["type"], lost["object"]["metadata"]["name"]), ("DELETED", "red"), "a lost match")


def c2_generate_name(at):
    made = at.core.create_namespaced_config_map("default", {"metadata": {"generateName": "x" * 63}})
    same(len(made.metadata.name), 63, "58 and 5 characters")
    holds(made.metadata.name.startswith("x" * 58), "the base is kept as far as it goes")
    holds(set(made.metadata.name[58:]) <= set("bcdfghjklmnpqrstvwxz2456789"), "the alphabet")
    many = {at.core.create_namespaced_config_map("default", {"metadata": {"generateName": "n-"}})
            .metadata.name for _ in range(50)}
    same(len(many), 50, "distinct names")
    refusal = refused(422, at.core.create_namespaced_config_map, "default", {"metadata": {}})
    holds("name or generateName is required" in refusal["message"], refusal["message"])
    out = at.kubectl("create", "-f", "-", given={
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "k-"}})
    holds(out.startswith("configmap/k-"), out)


def c4_resource_versions(at):
    """Also S1, S2, S4: one counter, seeds included, and none for a write without change."""
    namespace = at.core.read_namespace("default")
    holds(int(namespace.metadata.resource_version) > 0, "an object that was there at the start")
    first = at.core.list_namespaced_secret("default").metadata.resource_version
    same(at.core.list_namespaced_secret("default").metadata.resource_version, first,
         "two lists without a write")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: at.http(
            "POST", CONFIGMAPS, {"metadata": {"name": f"c{n}"}, "data": {"k": "v"}}), range(64)))
    same({status for status, _ in made}, {201}, "answers")
    versions = {version(body) for _, body in made}
    same(len(versions), 64, "distinct versions of concurrent writes")
    again = at.core.patch_namespaced_config_map("c0", "default", {"data": {"k": "v"}})
    same(int(again.metadata.resource_version), version(made[0][1]), "a write without change")
    after = int(at.core.list_namespaced_secret("default").metadata.resource_version)
    holds(after >= max(versions), "the counter is one for all kinds")


def c5_stale_writes(at):
    """{PUT, merge patch, JSON patch with test} x {main, /status} x {old, current, empty, wrong}."""
    at.widgets()
    for sub in ("", "/status"):
        for how in ("put", "merge", "json"):
            name = f"{how}{sub.strip('/')}"
            old = at.widget(name, colour="a")
            at.http("PATCH", f"{WIDGETS}/{name}", {"metadata": {"labels": {"n": "1"}}})
            now = at.http("GET", f"{WIDGETS}/{name}")[1]
            want = {"old": 422 if how == "json" else 409, "current": 200,
                    "empty": 422, "wrong": None}
            for which in ("old", "empty", "wrong", "current"):
                stamp = {"old": old["metadata"]["resourceVersion"], "empty": "", "wrong": 7,
                         "current": now["metadata"]["resourceVersion"]}[which]
                status, body = write(at, how, f"{WIDGETS}/{name}{sub}", now, stamp, sub)
                if which == "wrong":
                    holds(400 <= status < 500, f"{name} {which}: {status} {body}")
                else:
                    same(status, want[which], f"{name} with the {which} version: {body}")
            before = version(body)
            holds(before > version(now), f"{name}: the answer carries the new version")
            same(write(at, how, f"{WIDGETS}/{name}{sub}", body,
                       body["metadata"]["resourceVersion"], sub)[0], 200,
                 f"{name}: the answer's version is good for the next write")


def write(at, how, target, base, stamp, sub):
    part = {"status": {"phase": str(time.monotonic_ns())}} if sub else {
        "spec": {"colour": str(time.monotonic_ns())}}
    if how == "put":
        body = copy.deepcopy(base) | part
        body["metadata"]["resourceVersion"] = stamp
        return at.http("PUT", target, body)
    if how == "merge":
        return at.http("PATCH", target, part | {"metadata": {"resourceVersion": stamp}})
    (key, value), = part.items()
    return at.http("PATCH", target, [
        {"op": "test", "path": "/metadata/resourceVersion", "value": stamp},
        {"op": "add", "path": f"/{key}", "value": value}])


def c6_delete_preconditions(at):
    made = at.configmap("a").metadata
    options = kubernetes.client.V1DeleteOptions
    wrong_uid = "00000000-0000-4000-8000-000000000000"
    for uid, stamp in ((wrong_uid, None), (None, "1"), (wrong_uid, made.resource_version),
                       (made.uid, "1")):
        refused(409, at.core.delete_namespaced_config_map, "a", "default", body=options(
            preconditions={"uid": uid, "resourceVersion": stamp}))
        at.core.read_namespaced_config_map("a", "default")
    right = {"uid": made.uid, "resourceVersion": made.resource_version}
    at.core.delete_namespaced_config_map("a", "default", body=options(preconditions=right,
                                                                      dry_run=["All"]))
    at.core.read_namespaced_config_map("a", "default")
    at.core.delete_namespaced_config_map("a", "default", body=options(preconditions=right))
    refused(404, at.core.read_namespaced_config_map, "a", "default")


def c7_finalizers(at):
    made = at.configmap("a", finalizers=["example.com/hold"])
    watch = at.watch(f"{CONFIGMAPS}?watch=1&resourceVersion={made.metadata.resource_version}"
                     "&fieldSelector=metadata.name%3Da")
    at.kubectl("delete", "cm", "a", "--wait=false")
    stamped = events(watch, 1)[0]
    same(stamped["type"], "MODIFIED", "a delete of what has a finalizer")
    holds("deletionTimestamp" in stamped["object"]["metadata"], "the stamp")
    body = stamped["object"]
    body["metadata"]["finalizers"].append("example.com/new")
    status, refusal = at.http("PUT", f"{CONFIGMAPS}/a", body)
    same(status, 422, "a new finalizer on what is going")
    holds("no new finalizers can be added" in refusal["message"], refusal["message"])
    same(at.http("PATCH", f"{CONFIGMAPS}/a", {"metadata": {"deletionTimestamp": None}})[0], 200,
         "clearing the stamp is ignored")
    holds("deletionTimestamp" in at.http("GET", f"{CONFIGMAPS}/a")[1]["metadata"], "it stays")
    at.http("PATCH", f"{CONFIGMAPS}/a", {"metadata": {"finalizers": None}})
    same([event["type"] for event in events(watch, 2)], ["MODIFIED", "DELETED"],
         "the last finalizer removes in the same write")
    same(at.http("GET", f"{CONFIGMAPS}/a")[0], 404, "it is gone")


def c7_loader_refuses_a_stamp_without_finalizer(program):
    seed = ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default, "
            "deletionTimestamp: '2024-01-01T00:00:00Z'}\n")
    why = refusal(program, ["--load", "$TMP/seed.yaml"], {"seed.yaml": seed})
    holds("seed.yaml" in why and "deletionTimestamp" in why, f"it says why: {why}")


def c8_server_set_metadata(at):
    at.widgets()
    made = at.custom.create_namespaced_custom_object(
        "example.com", "v1", "default", "widgets",
        {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {
            "name": "a", "uid": "mine", "creationTimestamp": "2001-01-01T00:00:00Z",
            "generation": 7}, "spec": {"colour": "x"}})
    meta = made["metadata"]
    holds(meta["uid"] != "mine" and len(meta["uid"]) == 36, "uid is the server's")
    holds(not meta["creationTimestamp"].startswith("2001"), "the time is the server's")
    same(meta["generation"], 1, "generation at the start")
    same(at.http("PATCH", f"{WIDGETS}/a", {"metadata": {"labels": {"l": "1"}}})[1]["metadata"][
        "generation"], 1, "after a label")
    same(at.http("PATCH", f"{WIDGETS}/a/status", {"status": {"phase": "p"}})[1]["metadata"][
        "generation"], 1, "after a status write")
    same(at.http("PATCH", f"{WIDGETS}/a", {"spec": {"colour": "y"}})[1]["metadata"]["generation"],
         2, "after a change of the spec")


def c9_nothing_lost_between_list_and_watch(at):
    """Writers go on while clients list and watch from there, each at another moment."""
    for n in range(20):
        at.configmap(f"c{n}")

    def churn():
        for n in range(40):
            at.http("PATCH", f"{CONFIGMAPS}/c{n % 20}", {"data": {"n": str(n)}})
            at.http("DELETE", f"{CONFIGMAPS}/c{(n + 7) % 20}")
            at.http("POST", CONFIGMAPS, {"metadata": {"name": f"c{(n + 7) % 20}"}})
        return at.http("POST", CONFIGMAPS, {"metadata": {"name": "last"}})[1]

    def follow(_):
        listed = at.http("GET", CONFIGMAPS)[1]
        known = {name: "" for name in names(listed["items"])}
        watch = at.watch(f"{CONFIGMAPS}?watch=1&resourceVersion="
                         f"{listed['metadata']['resourceVersion']}")
        seen, count = int(listed["metadata"]["resourceVersion"]), 0
        while "last" not in known:
            count += 1
            event = events(watch, count)[-1]
            holds(version(event["object"]) > seen, "each change once and in order")
            seen = version(event["object"])
            name = event["object"]["metadata"]["name"]
            same(event["type"] == "ADDED", name not in known, f"{event['type']} of {name}")
            if event["type"] == "DELETED":
                del known[name]
            else:
                known[name] = ""
        return sorted(known)

    with concurrent.futures.ThreadPoolExecutor(9) as pool:
        churned = pool.submit(churn)
        followed = list(pool.map(follow, range(8)))
        churned.result()
    truth = sorted(names(at.http("GET", CONFIGMAPS)[1]["items"]))
    for known in followed:
        same(known, truth, "what a follower knows at the end")


def c10_initial_events_bookmark(at):
    for name in ("a", "b"):
        at.configmap(name)
    listed = at.http("GET", CONFIGMAPS)[1]
    count = len(listed["items"])
    watch = at.watch(f"{CONFIGMAPS}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
                     "&resourceVersionMatch=NotOlderThan")
    first = events(watch, count + 1)
    same([event["type"] for event in first], ["ADDED"] * count + ["BOOKMARK"], "the handshake")
    mark = first[-1]["object"]["metadata"]
    same(mark["annotations"], {"k8s.io/initial-events-end": "true"}, "the annotation")
    same(mark["resourceVersion"], listed["metadata"]["resourceVersion"], "the snapshot's version")
    at.configmap("c")
    same(events(watch, count + 2)[-1]["type"], "ADDED", "then live events")
    status, refusal = at.http("GET", f"{CONFIGMAPS}?watch=1&sendInitialEvents=true")
    same((status, refusal["reason"]), (422, "Invalid"), "without resourceVersionMatch")


def c11_paging(at):
    for n in range(10):
        at.configmap(f"c{n}", labels={"paged": "yes"})
    first = at.core.list_namespaced_config_map("default", limit=4, label_selector="paged")
    at.core.delete_namespaced_config_map("c9", "default")
    at.configmap("c10", labels={"paged": "yes"})
    pages, token = [item.metadata.name for item in first.items], first.metadata._continue
    while token:
        page = at.core.list_namespaced_config_map("default", limit=4, label_selector="paged",
                                                  _continue=token)
        same(page.metadata.resource_version, first.metadata.resource_version, "one snapshot")
        pages += [item.metadata.name for item in page.items]
        token = page.metadata._continue
    same(pages, [f"c{n}" for n in range(10)], "what was there at the first page")
    whole = at.core.list_namespaced_config_map("default", limit=1, resource_version="0")
    holds(len(whole.items) > 1 and not whole.metadata._continue, "limit with version 0 is ignored")
    same(len(at.kubectl("get", "cm", "-l", "paged", "-o", "name", "--chunk-size=3").split()), 10,
         "kubectl's pages")


def c11_expired_token(program):
    with World(program, ["--history", "10"]) as at:
        for n in range(6):
            at.configmap(f"c{n}")
        token = at.http("GET", f"{CONFIGMAPS}?limit=2")[1]["metadata"]["continue"]
        for n in range(40):
            at.http("PATCH", f"{CONFIGMAPS}/c0", {"data": {"n": str(n)}})
        status, gone = at.http("GET", f"{CONFIGMAPS}?limit=2&continue={token}")
        same((status, gone["reason"]), (410, "Expired"), "a token behind the history")
        status, page = at.http("GET", f"{CONFIGMAPS}?continue={gone['metadata']['continue']}")
        same(status, 200, "the way on")
        holds("c5" in names(page["items"]), "it goes to the end")


def c12_deletecollection(at):
    for name, labels, finalizers in (("a", {"l": "1"}, None), ("b", {"l": "1"}, ["example.com/h"]),
                                     ("c", {"l": "2"}, None)):
        at.configmap(name, labels=labels, finalizers=finalizers)
    listed = at.http("DELETE", f"{CONFIGMAPS}?labelSelector=l%3D1")
    same((listed[0], listed[1]["kind"], names(listed[1]["items"])),
         (200, "ConfigMapList", ["a", "b"]), "the answer")
    same(at.http("GET", f"{CONFIGMAPS}/a")[0], 404, "what matches goes")
    holds("deletionTimestamp" in at.http("GET", f"{CONFIGMAPS}/b")[1]["metadata"],
          "a finalizer holds")
    same(at.http("GET", f"{CONFIGMAPS}/c")[0], 200, "the others stay")
    at.core.delete_collection_namespaced_config_map("default", field_selector="metadata.name=c")
    same(at.http("GET", f"{CONFIGMAPS}/c")[0], 404, "the Python client's way")
    status, refusal = at.http("DELETE", "/api/v1/namespaces")
    same((status, refusal["reason"]), (405, "MethodNotAllowed"), "a verb that is not built")


def c14_namespaces(at):
    refusal = refused(404, at.configmap, "a", namespace="nowhere")
    same(refusal["details"]["kind"], "namespaces", "what is not found")
    status, refusal = at.http("POST", CONFIGMAPS, {"metadata": {"name": "a", "namespace": "b"}})
    same((status, refusal["message"]), (400, "the namespace of the provided object does not match "
                                        "the namespace sent on the request"), "a mismatch")
    at.core.create_namespace({"metadata": {"name": "going"}})
    at.configmap("held", namespace="going", finalizers=["example.com/h"])
    at.core.delete_namespace("going")
    refusal = refused(403, at.configmap, "a", namespace="going")
    same(refusal["details"]["causes"][0]["reason"], "NamespaceTerminating", "the cause")
    same(at.http("POST", "/api/v1/configmaps", {"metadata": {"name": "a"}})[0], 405,
         "no create without a namespace")
    same(at.http("GET", "/api/v1/configmaps/a")[0], 404, "no path without a namespace")


def c15_status_is_separate(at):
    at.widgets()
    made = at.widget("a", colour="x")
    body = made | {"status": {"phase": "main"}, "spec": {"colour": "y"}}
    body = at.http("PUT", f"{WIDGETS}/a", body)[1]
    same((body["spec"]["colour"], "status" in body), ("y", False), "a main write")
    body["spec"], body["status"] = {"colour": "z"}, {"phase": "sub"}
    body["metadata"]["labels"] = {"l": "1"}
    body = at.http("PUT", f"{WIDGETS}/a/status", body)[1]
    same((body["spec"]["colour"], body["status"], "labels" in body["metadata"]),
         ("y", {"phase": "sub"}, False), "a status write")
    plain = copy.deepcopy(world.WIDGETS)
    plain["metadata"]["name"] = "gadgets.example.com"
    plain["spec"]["names"] = {"plural": "gadgets", "kind": "Gadget"}
    del plain["spec"]["versions"][0]["subresources"]
    at.http("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", plain)
    at.kubectl("wait", "--for=condition=Established", "crd/gadgets.example.com", "--timeout=30s")
    gadgets = WIDGETS.replace("widgets", "gadgets")
    status, body = at.http("POST", gadgets, {
        "apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "g"},
        "status": {"phase": "kept"}})
    same((status, body["status"]["phase"]), (201, "kept"), "a version without the subresource")
    same(at.http("PATCH", f"{gadgets}/g/status", {"status": {"phase": "n"}})[0], 404,
         "its /status")


def c16_watchers_that_never_read(at):
    """The server's memory and the other watchers do not pay for those who do not read."""
    for n in range(20):
        at.configmap(f"c{n}")
    sleepers = [at.watch(f"{CONFIGMAPS}?watch=1") for _ in range(100)]
    awake = at.watch(f"{CONFIGMAPS}?watch=1&resourceVersion="
                     f"{at.http('GET', CONFIGMAPS)[1]['metadata']['resourceVersion']}")
    before = at.resident_mib()
    filler = "x" * 40_000
    for n in range(300):
        same(at.http("PATCH", f"{CONFIGMAPS}/c{n % 20}", {"data": {"f": f"{n}{filler}"}})[0], 200,
             "a write beside sleepers")
    same(len(events(awake, 300)), 300, "a watcher that reads gets all")
    grown = at.resident_mib() - before
    # 300 events of 40 kB are history, and sanitizers keep what was freed; 100 sleepers times 12 MB
    # would be 1.2 GB.
    holds(grown < 600, f"the server grew by {grown:.0f} MiB")
    holds(len(sleepers) == 100, "they were there all the time")


def c17_discovery_and_custom_kinds(at):
    holds("Server Version" in at.kubectl("version"), "kubectl version")
    at.kubectl("create", "-f", "-", given=world.WIDGETS)
    at.kubectl("wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=30s")
    holds("widgets" in at.kubectl("api-resources", "--api-group=example.com"), "api-resources")
    at.kubectl("apply", "-f", "-", given={
        "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"},
        "spec": {"colour": "red"}})
    line = at.kubectl("get", "wd").splitlines()
    same((line[0].split(), line[1].split()[:2]), (["NAME", "COLOUR"], ["a", "red"]), "kubectl get")
    holds("colour" in at.kubectl("explain", "widgets.spec"), "kubectl explain")
    groups = kubernetes.client.ApisApi(at.client).get_api_versions().groups
    holds("example.com" in [group.name for group in groups], "the Python client's discovery")


def c18_one_store(at):
    """JSON, YAML, typed, dynamic, every served version: the same objects."""
    at.kubectl("create", "-f", "-", given={
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "1"}})
    status, _ = at.http("POST", CONFIGMAPS, yaml.safe_dump(
        {"metadata": {"name": "b"}, "data": {"k": "2"}}), {"Content-Type": "application/yaml"})
    same(status, 201, "a YAML body")
    same([at.core.read_namespaced_config_map(name, "default").data["k"] for name in "ab"],
         ["1", "2"], "typed")
    dynamic = kubernetes.dynamic.DynamicClient(at.client)
    kind = dynamic.resources.get(api_version="v1", kind="ConfigMap")
    same(kind.get(name="b", namespace="default").data.k, "2", "dynamic")
    two = copy.deepcopy(world.WIDGETS)
    second = copy.deepcopy(two["spec"]["versions"][0]) | {"name": "v2", "storage": False}
    two["spec"]["versions"].append(second)
    at.kubectl("create", "-f", "-", given=two)
    at.kubectl("wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=30s")
    made = at.widget("a", colour="red")
    other = at.http("GET", WIDGETS.replace("/v1/", "/v2/") + "/a")[1]
    same((other["apiVersion"], other["metadata"]["uid"], other["spec"]),
         ("example.com/v2", made["metadata"]["uid"], made["spec"]), "the other version")


def c19_faults(program):
    bad = "- match: {verb: create, resuorce: configmaps}\n  do: {status: 503}\n"
    why = refusal(program, ["--faults", "$TMP/f.yaml"], {"f.yaml": bad})
    holds("f.yaml:1:25" in why and "resuorce" in why, f"it says what and where: {why}")
    good = [
        {"name": "busy", "match": {"verb": "create", "resource": "configmaps", "caller": "*python*"},
         "when": {"nth": 2}, "do": {"status": 429, "retry_after": 3}},
        {"name": "lost", "match": {"verb": "patch", "name": "a"}, "when": {"nth": 1},
         "do": {"drop_answer": True}},
        {"name": "never", "match": {"verb": "delete", "name": "nobody"}, "do": {"refuse": True}},
    ]
    with World(program, ["--faults", "$TMP/f.yaml"], {"f.yaml": yaml.safe_dump(good)}) as at:
        at.configmap("a")
        busy = refused(429, at.configmap, "b")
        same(busy["details"]["retryAfterSeconds"], 3, "the wait it asks for")
        at.configmap("b")
        try:
            at.http("PATCH", f"{CONFIGMAPS}/a", {"data": {"k": "new"}})
            raise Wrong("the answer came")
        except http1.Broken:
            same(at.core.read_namespaced_config_map("a", "default").data["k"], "new",
                 "done, though its answer was lost")
    said = at.said
    holds("never" in said and "busy" not in said, f"a rule that never matched is reported: {said}")


def c20_versions_are_numbers(program):
    for start in (8, 98, 2**53 - 2):
        with World(program, ["--first-version", str(start)]) as at:
            listed = at.http("GET", CONFIGMAPS)[1]
            watch = at.watch(f"{CONFIGMAPS}?watch=1&resourceVersion="
                             f"{listed['metadata']['resourceVersion']}")
            made = [version(at.http("POST", CONFIGMAPS, {"metadata": {"name": f"c{n}"}})[1])
                    for n in range(12)]
            same(made, sorted(set(made)), "versions grow")
            holds(made[0] > start, f"they start at {start}: {made[0]}")
            same([version(event["object"]) for event in events(watch, 12)], made, "in a watch too")
    with World(program, ["--history", "10"]) as at:
        first = at.http("GET", CONFIGMAPS)[1]["metadata"]["resourceVersion"]
        for n in range(40):
            at.http("POST", CONFIGMAPS, {"metadata": {"name": f"c{n}"}})
        for _ in range(3):
            gone = events(at.watch(f"{CONFIGMAPS}?watch=1&resourceVersion={first}"), 1)[0]
            same((gone["type"], gone["object"]["code"]), ("ERROR", 410), "it stays 410")


def c21_leases(at):
    spec = {"holderIdentity": "a", "leaseDurationSeconds": 15,
            "renewTime": "2026-01-01T00:00:00.123456Z", "acquireTime": "2026-01-01T00:00:00.000000Z"}
    status, made = at.http("POST", LEASES, {"metadata": {"name": "l"}, "spec": spec})
    same((status, made["spec"]), (201, spec), "six digits stay")
    same(at.http("POST", LEASES, {"metadata": {"name": "l"}, "spec": spec})[0], 409, "a second")
    holder = lambda name, stamp: at.http("PUT", f"{LEASES}/l", {
        "metadata": {"name": "l", "resourceVersion": stamp},
        "spec": spec | {"holderIdentity": name}})
    stamp = made["metadata"]["resourceVersion"]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: holder(f"h{n}", stamp)[0], range(8)))
    same(sorted(answers), [200] + [409] * 7, "one of eight takes it")
    same(holder("b", "")[0], 422, "no PUT without a version")


def c22_port_zero_and_clean_ends(program):
    """A hundred at once: no port clashes, each ends with 0 and leaves nothing."""
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        servers = list(pool.map(lambda _: fakeapi.Server(
            program, ["--kubeconfig-out", "$TMP/kubeconfig"]), range(100)))
        for one in servers:
            one.__enter__()
        same(len({one.address for one in servers}), 100, "ports")
        for one in servers:
            config = yaml.safe_load((one.directory / "kubeconfig").read_text())
            same(config["clusters"][0]["cluster"]["server"],
                 f"http://127.0.0.1:{one.address[1]}", "the kubeconfig")
            children = f"/proc/{one.process.pid}/task/{one.process.pid}/children"
            same(open(children).read(), "", "no child processes")
        list(pool.map(lambda one: one.__exit__(None, None, None), servers))
