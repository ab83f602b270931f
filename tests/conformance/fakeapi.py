"""fakeapi: a server on a free port: started, asked, ended, and its last words looked at.

Every suite of this folder starts its servers here.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import http1

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/bin/fakeapi"
PATIENCE_S = 60  # a bound for hangs, never a measure
REPORT = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error:|==[0-9]+==")
VALGRIND = ["valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite",
            "--error-exitcode=99"]


def positive(text):
    """An argument that counts something: there is nothing to test with none of it."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("want 1 or more")
    return number


def program(text):
    """An argument that names a server."""
    path = pathlib.Path(text).resolve()
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise argparse.ArgumentTypeError(f"{text} is no program; ci/build release makes one")
    return path


class Failed(Exception):
    """The server did not start, did not stop, or had something to report."""


class Wrong(AssertionError):
    """It was not as it should be."""


def same(got, want, what):
    if got != want:
        raise Wrong(f"{what}: got {got!r}, want {want!r}")


def holds(truth, *what):
    if not truth:
        raise Wrong(" ".join(str(one) for one in what))


def until(what, ready):
    """Polls ready() until it answers something true."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        answer = ready()
        if answer:
            return answer
        time.sleep(0.01)
    raise Wrong(f"gave up waiting for {what}")


def whole(answer):
    """Status and JSON (or text) of an answer, read to its end."""
    text = answer.read().decode()
    try:
        return answer.status, json.loads(text)
    except ValueError:
        return answer.status, text


def events(watch, count):
    """The first count events of a watch, in order."""
    counted = [0, 0]  # bytes looked at, and lines in them: a stream may be long

    def enough(body):
        counted[1] += body.count(b"\n", counted[0])
        counted[0] = len(body)
        return counted[1] >= count

    lines = watch.read(enough).decode().splitlines()
    holds(len(lines) >= count, f"{count} events before the end, got {lines}")
    return [json.loads(line) for line in lines[:count]]


def refusal(program, flags, files=None):
    """What it says to flags or files with which it must not start."""
    server = Server(program, flags, files)
    line = server.process.stdout.readline()
    code = server._end() if line else server.process.wait(PATIENCE_S)
    server.clear()
    same((line, code), (b"", 2), f"with {flags} it does not start: {server.said}")
    return server.said


class UnixConnection(http1.Connection):
    def __init__(self, path):  # pylint: disable=super-init-not-called
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(str(path))
        self.buffer = b""


class Server:
    """Its flags and files: $TMP is a folder of its own, where it runs and the files are put."""

    def __init__(self, program, flags=(), files=None, valgrind=False):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="fakeapi-"))
        for name, content in (files or {}).items():
            (self.directory / name).write_text(content)
        words = [word.replace("$TMP", str(self.directory)) for word in flags]
        with open(self.directory / "stderr", "wb") as log:
            self.process = subprocess.Popen(
                (VALGRIND if valgrind else []) + [program, "--listen", "127.0.0.1:0"] + words,
                stdout=subprocess.PIPE, stderr=log, cwd=self.directory)
        self.has_admin = "--admin" in words
        self.address, self.admin_address, self.tls = None, None, False
        self.connections = []
        self.end_codes = (0,)
        self.said = ""  # on stderr; known once it has ended

    def __enter__(self):
        found = self._line(r"listening on (https?)://([0-9.]+):([0-9]+)")
        self.tls = found[1] == "https"
        self.address = (found[2], int(found[3]))
        if self.has_admin:
            found = self._line(r"admin on (?:https?://([0-9.]+):([0-9]+)|unix:(.+))")
            self.admin_address = found[3] or (found[1], int(found[2]))
        return self

    def _line(self, pattern):
        line = self.process.stdout.readline().decode()
        found = re.fullmatch(f"fakeapi: {pattern}\n", line)
        if not found:
            self._end()
            self.clear()
            raise Failed(f"did not start: {line}{self.last_words()}")
        return found

    def __exit__(self, *_):
        for connection in self.connections:
            connection.socket.close()
        code = self._end()
        self.clear()
        if code not in self.end_codes:
            raise Failed(f"ended with {code}\n{self.last_words()}")
        if REPORT.search(self.said):
            raise Failed(f"has a report\n{self.last_words()}")

    def _end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "a kill: it did not stop"

    def ends(self, *codes):
        """Waits for an end that the caller has brought about; it must be with one of codes."""
        self.end_codes = codes
        code = self.process.wait(PATIENCE_S)
        holds(code in codes, f"it ended with {code}, not {codes}")

    def clear(self):
        """What is left of one that has ended."""
        self.process.stdout.close()
        self.said = (self.directory / "stderr").read_text(errors="replace")
        shutil.rmtree(self.directory)

    def last_words(self):
        return "\n".join(self.said.splitlines()[-60:])

    def resident_mib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024

    def connect(self):
        """Closed with the server."""
        connection = http1.Connection(self.address, self.tls)
        self.connections.append(connection)
        return connection

    def send(self, method, target, body=None, headers=None, connection=None):
        """A request whose answer is not waited for."""
        connection = connection or self.connect()
        connection.send(http1.encode("fakeapi", method, target, headers or {}, body))
        return connection

    def open(self, method, target, body=None, headers=None, connection=None):
        """The head of an answer; its body is still to be read."""
        return self.send(method, target, body, headers, connection).answer(method)

    def http(self, method, target, body=None, headers=None):
        return whole(self.open(method, target, body, headers))

    def watch(self, target):
        """A watch, to be read by events()."""
        answer = self.open("GET", target)
        same(answer.status, 200, f"status of {target}")
        return answer

    def admin(self, method, target, body=None, headers=None, want=200):
        """The JSON (or text) of an answer of the admin, which must have this status."""
        if isinstance(self.admin_address, str):
            connection = UnixConnection(self.admin_address)
        else:
            connection = http1.Connection(self.admin_address, self.tls)
        with connection:
            connection.send(http1.encode("127.0.0.1", method, target, headers or {}, body))
            status, answer = whole(connection.answer(method))
        same(status, want, f"status of {method} {target}: {answer}")
        return answer


class Door(Server):
    """A server whose admin listens on a free port, or where the flags say; it may have fault rules.
    Nothing stands in its namespaces."""

    def __init__(self, program, *flags, rules=None, files=None):
        files = dict(files or {})
        words = [*flags, "--without", "basics"]
        if "--admin" not in words:
            words += ["--admin", "127.0.0.1:0"]
        if rules is not None:
            files["faults.yaml"] = json.dumps(rules)
            words += ["--faults", "$TMP/faults.yaml"]
        super().__init__(program, words, files)
