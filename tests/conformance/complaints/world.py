"""world: a fresh fakeapi and three ways to talk to it: the Python client, kubectl, plain HTTP."""
import json
import os
import subprocess

import fakeapi
import kubernetes
import yaml
from fakeapi import PATIENCE_S, Wrong, same
from kubernetes.client.rest import ApiException

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


def refused(code, call, *arguments, **named):
    """The Status of a call of the Python client that must be refused with this code."""
    try:
        call(*arguments, **named)
    except ApiException as refusal:
        same(refusal.status, code, f"status of the refusal ({refusal.body})")
        return json.loads(refusal.body)
    raise Wrong(f"{call.__name__} was not refused; want {code}")


def names(items):
    return [item["metadata"]["name"] for item in items]


def version(object_):
    return int(object_["metadata"]["resourceVersion"])


class World(fakeapi.Server):
    def __init__(self, program, flags=(), files=None):
        super().__init__(program, ["--kubeconfig-out", "$TMP/kubeconfig", *flags], files)

    def __enter__(self):
        super().__enter__()
        self.kubeconfig = self.directory / "kubeconfig"
        self.client = kubernetes.config.new_client_from_config(str(self.kubeconfig))
        self.core = kubernetes.client.CoreV1Api(self.client)
        self.batch = kubernetes.client.BatchV1Api(self.client)
        self.custom = kubernetes.client.CustomObjectsApi(self.client)
        self.leases = kubernetes.client.CoordinationV1Api(self.client)
        return self

    def __exit__(self, *how):
        self.client.close()
        super().__exit__(*how)

    def kubectl(self, *words, given=None, code=0):
        """What kubectl printed, both streams; it must exit with this code."""
        done = subprocess.run(
            ["kubectl", *words], input=None if given is None else yaml.safe_dump(given),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S,
            env={"PATH": os.environ["PATH"], "HOME": str(self.directory), "LANG": "C",
                 "KUBECONFIG": str(self.kubeconfig)})
        same(done.returncode, code, f"exit code of kubectl {' '.join(words)}: {done.stdout}")
        return done.stdout

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
