"""at: a fakeapi with its admin door, and requests to both."""
import json
import pathlib
import re
import socket
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent / "wire"))
import server  # noqa: E402  (the table's own: starts a fakeapi and looks at how it ends)
import wire  # noqa: E402

PATIENCE_S = 60  # a bound for hangs, never a measure
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


class Wrong(AssertionError):
    """It was not as it should be."""


def same(got, want, what):
    if got != want:
        raise Wrong(f"{what}: got {got!r}, want {want!r}")


def holds(truth, what):
    if not truth:
        raise Wrong(what)


def until(what, ready):
    """Polls ready() until it answers something true."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        answer = ready()
        if answer:
            return answer
        time.sleep(0.01)
    raise Wrong(f"gave up waiting for {what}")


def encode(method, target, headers, body):
    return wire.encode("fakeapi", method, target, headers, body)


class UnixConnection(wire.Connection):
    def __init__(self, path):  # pylint: disable=super-init-not-called
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(str(path))
        self.buffer = b""


class At:
    """A server with --admin on a free port, or where the flags say."""

    def __init__(self, program, *flags, rules=None, files=None):
        files = dict(files or {})
        words = [*flags, "--without", "basics"]  # namespaces begin empty
        if "--admin" not in words:
            words += ["--admin", "127.0.0.1:0"]
        if rules is not None:
            files["faults.yaml"] = json.dumps(rules)
            words += ["--faults", "$TMP/faults.yaml"]
        self.server = server.Server(program, words, files, False)
        self.process = self.server.process
        self.connections = []
        self.code = 0

    def __enter__(self):
        self.server.__enter__()
        line = self.process.stdout.readline().decode()
        found = re.fullmatch(r"fakeapi: admin on (?:https?://([0-9.]+):([0-9]+)|unix:(.+))\n", line)
        holds(found, f"where the admin is: {line!r}")
        self.admin_address = found[3] or (found[1], int(found[2]))
        self.directory = self.server.directory
        return self

    def __exit__(self, *how):
        for connection in self.connections:
            connection.socket.close()
        if how[0] is not None:
            self.process.kill()
            code = self.process.wait()
            self.process.stdout.close()
            if code != -9:
                raise server.Failed(f"ended with {code}\n{self.server.said()}") from how[1]
        elif self.process.poll() is None:
            self.server.__exit__(*how)
        else:
            self.process.stdout.close()

    def connect(self):
        connection = wire.Connection(self.server.address, self.server.tls)
        self.connections.append(connection)
        return connection

    def open(self, method, target, body=None, headers=None, connection=None):
        """The head of an answer; its body is still to be read."""
        connection = connection or self.connect()
        connection.send(encode(method, target, headers or {}, body))
        return connection.answer(method)

    def send(self, method, target, body=None, headers=None):
        """A request whose answer is not waited for."""
        connection = self.connect()
        connection.send(encode(method, target, headers or {}, body))
        return connection

    def http(self, method, target, body=None, headers=None):
        return whole(self.open(method, target, body, headers))

    def admin(self, method, target, body=None, headers=None, want=200):
        """The JSON (or text) of an answer of the admin, which must have this status."""
        if isinstance(self.admin_address, str):
            connection = UnixConnection(self.admin_address)
        else:
            connection = wire.Connection(self.admin_address, self.server.tls)
        with connection:
            named = {"Host": "127.0.0.1", **(headers or {})}
            connection.send(encode(method, target, named, body))
            status, answer = whole(connection.answer(method))
        same(status, want, f"status of {method} {target}: {answer}")
        return answer

    def configmap(self, name, want=201, **data):
        status, body = self.http("POST", CONFIGMAPS, {"metadata": {"name": name}, "data": data})
        same(status, want, f"creating {name}: {body}")
        return body


def whole(answer):
    text = answer.read().decode()
    try:
        return answer.status, json.loads(text)
    except ValueError:
        return answer.status, text


def broken(what, ask, *arguments):
    """The connection must break instead of an answer, or within it."""
    try:
        answer = ask(*arguments)
        answer.read()
    except (wire.Broken, ConnectionError):
        return
    raise Wrong(f"{what}: an answer came, {answer.status} {answer.body[:200]!r}")


def lines(answer, count):
    """The first count events of a watch."""
    body = answer.read(lambda body: body.count(b"\n") >= count)
    got = [json.loads(line) for line in body.decode().splitlines()]
    holds(len(got) >= count, f"{count} events before the end, got {got}")
    return got[:count]
