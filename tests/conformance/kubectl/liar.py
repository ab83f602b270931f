"""liar: a server on loopback that answers as no API server should, until it is told to be honest.

Honest, it passes everything on to a fakeapi. Lies are bytes on a socket, so that they can be wrong
in every way that HTTP and JSON know.
"""
import socket
import threading

MEGABYTE = b"x" * (1 << 20)


def answer(body, content_type="application/json", status="200 OK", headers=b""):
    head = (f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n"
            f"Content-Length: {len(body)}\r\n").encode()
    return head + headers + b"\r\n" + body


def once(data):
    """A lie that is told whole and at once."""
    def tell(connection):
        connection.sendall(data)
    return tell


def without_end(start, again):
    """A lie that goes on until the listener has had enough."""
    def tell(connection):
        connection.sendall(start)
        while True:
            connection.sendall(again)
    return tell


def silence(connection):
    connection.recv(1)


CHUNKED = (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
           b"Transfer-Encoding: chunked\r\n\r\n")
LIES = {
    "garbage JSON": once(answer(b'{"kind":"Lease","metadata":{"name":}}}')),
    "half of an object": once(answer(b'{"kind":"Lease","apiVersion":"coordina')),
    "deep JSON": once(answer(b"[" * 100000)),
    "another kind": once(answer(b'{"kind":"Teapot","apiVersion":"v1","metadata":{}}')),
    "wrong types": once(answer(b'{"kind":7,"metadata":[],"spec":"x","items":{},"rows":3}')),
    "JSON that is a number": once(answer(b"7")),
    "an empty body": once(answer(b"")),
    "a page of HTML with 200": once(answer(b"<html><body>Welcome</body></html>", "text/html")),
    "a page of HTML with 502": once(answer(b"<html>Bad Gateway</html>", "text/html",
                                           "502 Bad Gateway")),
    "a redirect": once(answer(b"", status="302 Found",
                              headers=b"Location: http://127.0.0.1:1/\r\n")),
    "a status that is none": once(b"HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n"),
    "no HTTP": once(b"SSH-2.0-OpenSSH_9.2\r\n" * 3),
    "a body that stops early": once(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"),
    "a huge body": once(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                        b"Content-Length: 99999999999999\r\n\r\n" + MEGABYTE),
    "a body without end": without_end(CHUNKED, b"100000\r\n" + MEGABYTE + b"\r\n"),
    "headers without end": without_end(b"HTTP/1.1 200 OK\r\n", b"X-Header: 1\r\n" * 4096),
    "one header without end": without_end(b"HTTP/1.1 200 OK\r\nX-Header: ", MEGABYTE),
    "a wrong chunk": once(CHUNKED + b"zz\r\nnot a chunk\r\n"),
    "gzip that is none": once(answer(b"not gzip", headers=b"Content-Encoding: gzip\r\n")),
    "silence": silence,
}


class Liar:
    def __init__(self, honest_port):
        self.honest_port = honest_port
        self.lie = None  # None: honest
        self.told = 0
        self.connections = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def say(self, lie):
        """From now on, with connections that are new."""
        self.lie = lie
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # gone already
        self.connections = []

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            self.connections.append(connection)
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        with connection:
            try:
                if self.lie is None:
                    self.pass_on(connection)
                elif connection.recv(65536):
                    self.told += 1
                    self.lie(connection)
            except OSError:
                pass  # the other side has had enough

    def pass_on(self, connection):
        with socket.create_connection(("127.0.0.1", self.honest_port)) as there:
            threading.Thread(target=copy, args=(there, connection), daemon=True).start()
            copy(connection, there)


def copy(source, target):
    try:
        while True:
            data = source.recv(65536)
            if not data:
                break
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # one end is gone; the other will notice
