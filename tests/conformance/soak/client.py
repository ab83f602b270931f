"""client: HTTP/1.1 in asyncio, just enough and quick: one kept connection, answers and streams."""
import asyncio
import json

PATIENCE_S = 30  # a bound for hangs, never a measure


class Lost(Exception):
    """The connection broke: whether the request was carried out is not known."""


class Gone(AssertionError):
    """The server is not there any more."""


class Client:
    def __init__(self, address, agent):
        self.address, self.agent = address, agent
        self.reader = self.writer = None

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None

    async def _connect(self):
        try:
            self.reader, self.writer = await asyncio.open_connection(*self.address)
        except ConnectionRefusedError:
            raise Gone("nobody listens") from None

    async def _head(self, method, target, body):
        """Status and headers; the body is still to come."""
        try:
            if self.writer is None:
                await self._connect()
            data = b"" if body is None else json.dumps(body).encode()
            kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
            self.writer.write(
                f"{method} {target} HTTP/1.1\r\nHost: s\r\nUser-Agent: {self.agent}\r\n"
                f"Content-Type: {kind}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except (OSError, asyncio.IncompleteReadError) as broken:
            self.close()
            raise Lost(str(broken)) from None
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        return int(head[0].split()[1]), headers

    async def _chunk(self):
        """The next one; b"" is the last."""
        size = int(await self.reader.readuntil(b"\r\n"), 16)
        return (await self.reader.readexactly(size + 2))[:-2]

    async def _body(self, headers):
        if "content-length" in headers:
            return await self.reader.readexactly(int(headers["content-length"]))
        body = b""
        while piece := await self._chunk():
            body += piece
        return body

    async def ask(self, method, target, body=None):
        """Status, JSON and headers of a whole answer; Lost when it did not come whole."""
        async with asyncio.timeout(PATIENCE_S):
            status, headers = await self._head(method, target, body)
            try:
                text = await self._body(headers)
            except (OSError, asyncio.IncompleteReadError) as broken:
                self.close()
                raise Lost(str(broken)) from None
        if headers.get("connection") == "close":
            self.close()
        if headers.get("content-type", "").startswith("application/json"):
            return status, json.loads(text), headers
        return status, text.decode(), headers

    async def stream(self, target, silence_s):
        """The lines of a stream, as JSON, until it ends, breaks, or says nothing for so long."""
        status, headers = await self._head("GET", target, None)
        try:
            if status != 200:
                await self._body(headers)
                raise Lost(f"status {status}")
            rest = b""
            while True:
                async with asyncio.timeout(silence_s):
                    piece = await self._chunk()
                if piece == b"":
                    return
                *whole, rest = (rest + piece).split(b"\n")
                for line in whole:
                    yield json.loads(line)
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
            return  # what came is true; the rest is asked for again
        finally:
            self.close()
