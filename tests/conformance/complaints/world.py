"""world: a fresh fakeapi and three ways to talk to it: the Python client, kubectl, plain HTTP."""
import json
import os
import pathlib
import subprocess
import sys

import kubernetes
import yaml
from kubernetes.client.rest import ApiException

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent / "wire"))
import server  # noqa: E402  (the table's own: starts a fakeapi and looks at how it ends)
import wire  # noqa: E402

PATIENCE_S = 60  # a bound for hangs, never a measure

WIDGETS = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com", "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget", "singular": "widget", "shortNames": ["wd"]},
        "versions": [{
            "name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
            "selectableFields": [{"jsonPath": ".spec.colour"}],
            "additionalPrinterColumns": [
                {"name": "Colour", "type": "string", "jsonPath": ".spec.colour"}],
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": {
                    "colour": {"type": "string"}, "size": {"type": "integer", "default": 1}}},
                "status": {"type": "object", "properties": {"phase": {"type": "string"}}}}}},
        }],
    },
}


class Wrong(AssertionError):
    """The server did what the class complains about."""


def same(got, want, what):
    if got != want:
        raise Wrong(f"{what}: got {got!r}, want {want!r}")


def holds(truth, what):
    if not truth:
        raise Wrong(what)


def refused(code, call, *arguments, **named):
    """The Status of a call of the Python client that must be refused with this code."""
    try:
        call(*arguments, **named)
    except ApiException as refusal:
        same(refusal.status, code, f"status of the refusal ({refusal.body})")
        return json.loads(refusal.body)
    raise Wrong(f"{call.__name__} was not refused; want {code}")


def events(watch, count):
    """The first count events of a watch, in order."""
    body = watch.read(lambda body: body.count(b"\n") >= count)
    lines = body.decode().splitlines()
    holds(len(lines) >= count, f"{count} events before the end, got {lines}")
    return [json.loads(line) for line in lines[:count]]


def names(items):
    return [item["metadata"]["name"] for item in items]


def version(object_):
    return int(object_["metadata"]["resourceVersion"])


class World:
    def __init__(self, program, flags=(), files=None):
        self.server = server.Server(program, ["--kubeconfig-out", "$TMP/kubeconfig", *flags],
                                    files or {}, False)
        self.connections = []

    def __enter__(self):
        self.server.__enter__()
        self.kubeconfig = self.server.directory / "kubeconfig"
        self.client = kubernetes.config.new_client_from_config(str(self.kubeconfig))
        self.core = kubernetes.client.CoreV1Api(self.client)
        self.batch = kubernetes.client.BatchV1Api(self.client)
        self.custom = kubernetes.client.CustomObjectsApi(self.client)
        self.leases = kubernetes.client.CoordinationV1Api(self.client)
        return self

    def __exit__(self, *how):
        for connection in self.connections:
            connection.socket.close()
        self.client.close()
        log = self.server.directory / "stderr"
        self.server.end()
        self.said = log.read_text()
        self.server.__exit__(*how)

    def kubectl(self, *words, given=None, code=0):
        """What kubectl printed, both streams; it must exit with this code."""
        done = subprocess.run(
            ["kubectl", *words], input=None if given is None else yaml.safe_dump(given),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S,
            env={"PATH": os.environ["PATH"], "HOME": str(self.server.directory), "LANG": "C",
                 "KUBECONFIG": str(self.kubeconfig)})
        same(done.returncode, code, f"exit code of kubectl {' '.join(words)}: {done.stdout}")
        return done.stdout

    def open(self, method, target, body=None, headers=None):
        """The head of an answer; its body is still to be read. Closed with the world."""
        connection = wire.Connection(self.server.address, self.server.tls)
        self.connections.append(connection)
        connection.send(wire.encode("fakeapi", method, target, headers or {}, body))
        return connection.answer(method)

    def http(self, method, target, body=None, headers=None):
        """Status and JSON (or text) of one plain request."""
        answer = self.open(method, target, body, headers)
        text = answer.read().decode()
        try:
            return answer.status, json.loads(text)
        except ValueError:
            return answer.status, text

    def watch(self, target):
        """A watch over plain HTTP, to be read by events()."""
        answer = self.open("GET", target)
        same(answer.status, 200, f"status of {target}")
        return answer

    def configmap(self, name, namespace="default", **metadata):
        return self.core.create_namespaced_config_map(namespace, {
            "metadata": {"name": name, **metadata}, "data": {"k": "v"}})

    def widgets(self):
        """Installs the custom kind and waits until it is served."""
        api = kubernetes.client.ApiextensionsV1Api(self.client)
        created = self.http(
            "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", WIDGETS)
        same(created[0], 201, "creating the kind")
        self.kubectl("wait", "--for=condition=Established", "crd/widgets.example.com",
                     "--timeout=30s")
        return api

    def widget(self, name, **spec):
        return self.custom.create_namespaced_custom_object(
            "example.com", "v1", "default", "widgets",
            {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name},
             "spec": spec})
