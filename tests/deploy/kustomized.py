"""kustomized: what "kubectl kustomize" makes of controller/deploy."""
import concurrent.futures
import functools
import os
import pathlib
import subprocess
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "controller/deploy"
COMPONENTS = sorted(path.name for path in (DEPLOY / "components").iterdir())
TOGETHER = ("batch", "monitoring", "realtime", "webhooks")  # as in overlays/everything


class Broken(Exception):
    """kustomize refused it."""


def overlay(directory, components, **more):
    """Writes an overlay of the base with components, as a user has one, into a directory."""
    def there(path):
        return os.path.relpath(path, pathlib.Path(directory).resolve())
    content = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
               "resources": [there(DEPLOY / "base")],
               "components": [there(DEPLOY / "components" / name) for name in components], **more}
    (pathlib.Path(directory) / "kustomization.yaml").write_text(yaml.safe_dump(content))


def build(directory):
    """The objects that a kustomization makes, as YAML text."""
    done = subprocess.run(["kubectl", "kustomize", str(directory)], capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        raise Broken(f"kubectl kustomize {directory}: {done.stderr.strip()}")
    return done.stdout


def text_of(*components, **more):
    """The text of the base with components."""
    with tempfile.TemporaryDirectory() as directory:
        overlay(directory, components, **more)
        return build(directory)


def by_name(text):
    """Objects by "Kind/name". Two of one name are a mistake."""
    objects = {}
    for one in yaml.safe_load_all(text):
        key = f"{one['kind']}/{one['metadata']['name']}"
        if key in objects:
            raise Broken(f"two objects are {key}")
        objects[key] = one
    return objects


@functools.cache
def objects_of(*components):
    return by_name(text_of(*components))


def prepare(choices):
    """What objects_of() then has at hand: several at a time, as most of it is waiting."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda components: objects_of(*components), choices))
