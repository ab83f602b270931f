"""live: real processes on loopback: fakeapi and agent-controllers, started, asked and ended.

Every program of this folder stands on this. A World owns a directory with all logs in it, which
stays when something failed.
"""
import base64
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time

import rights

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "bin"
DEPLOY = ROOT / "controller" / "deploy"
RIGHTS = DEPLOY / "base" / "controller-rights.yaml"
NAMESPACE = "ai-agents"
ACCOUNT_PATH = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/agent-controller"
GROUP_PATH = f"/apis/agents.re-cinq.com/v1beta1/namespaces/{NAMESPACE}"
JOBS_PATH = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
LEASE_PATH = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/agent-controller"
PATIENCE_S = 120  # a bound for hangs, never a measure
LAST_LINES = 25   # of each log, when something failed


class Failed(Exception):
    """It was not as it should be."""


def expect(condition, what):
    if not condition:
        raise Failed(what)


def until(what, ready, patience_s=PATIENCE_S, pause_s=0.1):
    """Polls ready() until it answers something true."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        answer = ready()
        if answer:
            return answer
        time.sleep(pause_s)
    raise Failed(f"gave up waiting for {what}")


def kubeconfig_value(text, key):
    found = re.search(rf'\b{key}: "?([^"\s]+)', text)
    expect(found, f"a kubeconfig without {key}")
    return found.group(1)


class Api:
    """The server as its administrator sees it. Each thread needs a connection of its own."""

    def __init__(self, kubeconfig):
        text = kubeconfig.read_text()
        self.server = kubeconfig_value(text, "server")
        self.token = kubeconfig_value(text, "token")
        authority = base64.b64decode(kubeconfig_value(text, "certificate-authority-data"))
        self.tls = ssl.create_default_context(cadata=authority.decode())

    def connect(self):
        host, port = re.fullmatch(r"https://\[?([^\]]+?)\]?:(\d+)", self.server).groups()
        return http.client.HTTPSConnection(host, int(port), context=self.tls, timeout=PATIENCE_S)

    def ask(self, connection, method, path, body=None, kind="application/json"):
        """The answer, unread."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        return connection.getresponse()

    def call(self, connection, method, path, body=None, **words):
        answer = self.ask(connection, method, path, body, **words)
        text = answer.read().decode()
        expect(answer.status < 300, f"{method} {path}: {answer.status}: {text[:500]}")
        return json.loads(text)

    def once(self, method, path, body=None, **words):
        connection = self.connect()
        try:
            return self.call(connection, method, path, body, **words)
        finally:
            connection.close()

    def items(self, path):
        return self.once("GET", path)["items"]


class World:
    def __init__(self, name="live"):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-"))
        self.kubeconfig = self.directory / "kubeconfig"
        self.account_kubeconfig = self.directory / "account"
        self.admin_socket = self.directory / "admin"
        self.processes = {}
        self.api = None
        self.tokens = set()  # all that were ever in use

    # --- processes

    def start(self, name, words, stderr=None, **settings):
        """Both streams go to the log, but where stderr says otherwise."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.directory), **settings}
        with open(self.directory / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                words, stdout=log, stderr=stderr or log, env=environment, cwd=self.directory)
        return self.processes[name]

    def log(self, name):
        return (self.directory / f"{name}.log").read_text(errors="replace")

    def start_api(self, *flags, listen="127.0.0.1:0"):
        self.kubeconfig.unlink(missing_ok=True)
        self.start("api", [str(BIN / "fakeapi"), "--listen", listen, "--tls", "--access",
                           "--admin", f"unix:{self.admin_socket}", "--exit-with-parent",
                           "--kubeconfig-out", str(self.kubeconfig), *map(str, flags)])
        until("the kubeconfig", lambda: self.alive("api") and self.kubeconfig.exists())
        self.api = Api(self.kubeconfig)
        self.tokens.add(self.api.token)

    def start_cluster(self, objects, *flags, **words):
        """start_api() with what deploy/ brings, and with these objects."""
        loaded = self.directory / "objects.json"
        loaded.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        files = (DEPLOY / "crds", DEPLOY / "examples" / "00-namespace.yaml", RIGHTS, loaded)
        self.start_api(*(word for file in files for word in ("--load", file)), *flags, **words)

    def make_account_kubeconfig(self, **changes):
        """For the ServiceAccount of deploy/base; changes put words in the place of others."""
        token = self.api.once("POST", f"{ACCOUNT_PATH}/token", {})["status"]["token"]
        self.tokens.add(token)
        text = re.sub(r"token: .*", f"token: {token}", self.kubeconfig.read_text())
        for old, new in changes.items():
            text = text.replace(old, new)
        self.account_kubeconfig.write_text(text)

    def controller_words(self, *flags):
        return [str(BIN / "agent-controller"), "--kubeconfig", str(self.account_kubeconfig),
                "--namespace", NAMESPACE, "--health-port", "0", *flags]

    def start_controller(self, name, *flags, **settings):
        return self.start(name, self.controller_words(*flags), POD_NAME=name, **settings)

    def alive(self, name):
        process = self.processes[name]
        expect(process.poll() is None, f"{name} ended with {process.returncode}")
        return True

    def kill(self, name):
        self.processes[name].send_signal(signal.SIGKILL)
        status = self.processes[name].wait(PATIENCE_S)
        expect(status == -signal.SIGKILL, f"{name} ended with {status} before it was killed")

    def stop(self, name, expected=0):
        process = self.processes[name]
        process.send_signal(signal.SIGTERM)
        try:
            status = process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise Failed(f"{name} did not stop") from None
        expect(status == expected, f"{name} stopped with {status}, not {expected}")

    def end(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
            process.wait()

    # --- questions

    def admin(self, path, body=None, method=None):
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(PATIENCE_S)
        connection.sock.connect(str(self.admin_socket))
        try:
            connection.request(method or ("GET" if body is None else "POST"), path,
                               None if body is None else json.dumps(body))
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        expect(answer.status < 300, f"admin {path}: {answer.status}: {text}")
        return json.loads(text) if text else None

    def asked(self, after=0):
        """What the account asked for, from the server's journal."""
        return self.admin(f"/requests?user={rights.ACCOUNT}&limit=10000&after={after}")["requests"]

    def holder(self):
        connection = self.api.connect()
        try:
            answer = self.api.ask(connection, "GET", LEASE_PATH)
            lease = json.load(answer)
        finally:
            connection.close()
        return lease.get("spec", {}).get("holderIdentity", "") if answer.status == 200 else ""

    def leader(self):
        return self.holder().rsplit("_", 1)[0]

    def check_logs(self):
        for file in self.directory.glob("*.log"):
            text = file.read_text(errors="replace")
            for token in self.tokens:
                # the signature is what must not be seen; the rest of it is no secret
                expect(token[-24:] not in text, f"{file.name} holds a token")


def guarded(world, name, run):
    """Runs run(world), says how it went, and keeps the logs of what failed. True when it went well."""
    started = time.monotonic()
    try:
        said = run(world)
    except Failed as failure:
        print(f"{name}: {failure}; logs in {world.directory}")
        for process in world.processes:
            print(f"--- {process}\n" + "\n".join(world.log(process).splitlines()[-LAST_LINES:]))
        return False
    finally:
        world.end()
    print(f"{name}: {said}; {time.monotonic() - started:.0f} s", flush=True)
    shutil.rmtree(world.directory)
    return True


# --- objects

def write_json(path, tree):
    path.write_text(json.dumps(tree))


def agent(name, station, **spec):
    return {"apiVersion": "agents.re-cinq.com/v1beta1", "kind": "Agent",
            "metadata": {"name": name, "namespace": NAMESPACE},
            "spec": {"stationRef": station, **spec}}


def recipe(name="recipe"):
    return {"apiVersion": "agents.re-cinq.com/v1beta1", "kind": "AgentDefinition",
            "metadata": {"name": name, "namespace": NAMESPACE}, "spec": {"prompt": "say {word}"}}


def station(name, annotations, agent_definition="recipe", **spec):
    return {"apiVersion": "agents.re-cinq.com/v1beta1", "kind": "Station",
            "metadata": {"name": name, "namespace": NAMESPACE},
            "spec": {"agentDefRef": agent_definition, **spec,
                     "template": {"metadata": {"annotations": annotations},
                                  "spec": {"containers": [{"name": "agent", "image": "agent:1"}]}}}}
