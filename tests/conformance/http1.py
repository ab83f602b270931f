"""http1: HTTP/1.1 over a plain socket: requests as they are written, answers piece by piece.

No HTTP library: rows send what a library would refuse, and see headers as they came.
"""
import json
import socket
import ssl
import zlib

PATIENCE_S = 60  # a bound for hangs, never a measure


class Broken(OSError):
    """The answer is not HTTP, or it ended too early."""


class Answer:
    """An answer whose head has been read; its body is read as far as asked."""

    def __init__(self, connection, method):
        self.connection, self.method = connection, method
        self.status, self.headers = self._read_head()
        while self.status == 100:
            self.status, self.headers = self._read_head()
        self.body = bytearray()
        self.ended = False
        self._inflate = None
        if self.header("content-encoding") == "gzip":
            self._inflate = zlib.decompressobj(31)
        self._left = self._length()

    def _read_head(self):
        lines = []
        while True:
            line = self.connection.line()
            if line == b"":
                break
            lines.append(line.decode("latin-1"))
        words = lines[0].split(" ", 2) if lines else []
        if len(words) < 2 or words[0] != "HTTP/1.1":
            raise Broken(f"not an HTTP/1.1 answer: {lines[:1]}")
        headers = []
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon or name != name.strip():
                raise Broken(f"not a header: {line!r}")
            headers.append((name.lower(), value.strip()))
        return int(words[1]), headers

    def values(self, name):
        return [value for key, value in self.headers if key == name.lower()]

    def header(self, name):
        values = self.values(name)
        return values[0] if values else None

    def _length(self):
        """Bytes to come; None: chunks; -1: until the connection is closed."""
        if self.method == "HEAD" or self.status in (204, 304) or self.status < 200:
            self.ended = True
            return 0
        if (self.header("transfer-encoding") or "").lower() == "chunked":
            return None
        length = self.header("content-length")
        if length is None:
            return -1
        self.ended = int(length) == 0
        return int(length)

    def _piece(self):
        if self._left is None:
            size = int(self.connection.line().split(b";")[0], 16)
            piece = self.connection.exactly(size)
            if self.connection.line() != b"":
                raise Broken("a chunk without its line end")
            self.ended = size == 0
            return piece
        piece = self.connection.some()
        if self._left < 0:
            self.ended = piece == b""
            return piece
        if piece == b"":
            raise Broken(f"closed with {self._left} bytes of the body to come")
        if len(piece) > self._left:
            raise Broken("more bytes than Content-Length says")
        self._left -= len(piece)
        self.ended = self._left == 0
        return piece

    def read(self, enough=lambda body: False):
        """The body, to its end or until enough(body)."""
        while not self.ended and not enough(self.body):
            piece = self._piece()
            self.body += self._inflate.decompress(piece) if self._inflate else piece
        return self.body


class Connection:
    """One connection to a server at address (host, port)."""

    def __init__(self, address, tls):
        self.socket = socket.create_connection(address, PATIENCE_S)
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            self.socket = context.wrap_socket(self.socket)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def some(self):
        if self.buffer:
            piece, self.buffer = self.buffer, b""
            return piece
        return self.socket.recv(65536)

    def _fill(self):
        piece = self.socket.recv(65536)
        if piece == b"":
            raise Broken("closed in mid-answer" if self.buffer else "closed without an answer")
        self.buffer += piece

    def line(self):
        while b"\r\n" not in self.buffer:
            self._fill()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line

    def exactly(self, size):
        while len(self.buffer) < size:
            self._fill()
        piece, self.buffer = self.buffer[:size], self.buffer[size:]
        return piece

    def send(self, data):
        self.socket.sendall(data)

    def answer(self, method):
        return Answer(self, method)


def encode(host, method, target, headers, body):
    """The bytes of a request. Headers whose value is None are left out; a list is repeated."""
    default = {"Host": host}
    data = b""
    if isinstance(body, str):
        data = body.encode()
    elif body is not None:
        data = json.dumps(body).encode()
        default["Content-Type"] = content_type(method, body)
    if body is not None or method in ("POST", "PUT", "PATCH"):
        default["Content-Length"] = str(len(data))
    given = {name.lower() for name in headers}
    every = [(name, value) for name, value in default.items() if name.lower() not in given]
    head = f"{method} {target} HTTP/1.1\r\n"
    for name, value in every + list(headers.items()):
        for one in value if isinstance(value, list) else [value]:
            head += f"{name}: {one}\r\n" if one is not None else ""
    return head.encode() + b"\r\n" + data


def content_type(method, body):
    if method != "PATCH":
        return "application/json"
    return f"application/{'json' if isinstance(body, list) else 'merge'}-patch+json"
