"""at: a fakeapi with its admin door, and what its cases ask."""
import fakeapi
import http1
from fakeapi import Wrong, same

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


class At(fakeapi.Door):
    def configmap(self, name, want=201, **data):
        status, body = self.http("POST", CONFIGMAPS, {"metadata": {"name": name}, "data": data})
        same(status, want, f"creating {name}: {body}")
        return body


def broken(what, ask, *arguments):
    """The connection must break instead of an answer, or within it."""
    try:
        answer = ask(*arguments)
        answer.read()
    except (http1.Broken, ConnectionError):
        return
    raise Wrong(f"{what}: an answer came, {answer.status} {answer.body[:200]!r}")
