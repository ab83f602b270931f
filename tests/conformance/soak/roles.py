"""roles: writers, watchers and readers, each with what it knows for sure."""
import asyncio
import contextlib
import random

from client import Client, Lost
from fakeapi import holds

ROOTS = ("/api/v1/namespaces/{}/configmaps", "/apis/example.com/v1/namespaces/{}/widgets")
ALL = ("/api/v1/configmaps", "/apis/example.com/v1/widgets")
NAMESPACES = 8
OBJECTS = 6  # of one writer
SILENCE_S = 3  # a watch that says nothing for so long is asked for again
INJECTED = (429, 500, 503)


def version(thing):
    return int(thing["metadata"]["resourceVersion"])


class Soak:
    """What all roles share."""

    def __init__(self, address, seed):
        self.address, self.seed = address, seed
        self.stopping = False  # writers and readers go
        self.acknowledged = [{}, {}]  # per kind: version of a write -> namespace
        self.counts = {}

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def random(self, name):
        return random.Random(f"{self.seed} {name}")


async def back_off(dice):
    await asyncio.sleep(dice.uniform(0.01, 0.05))


class Writer:
    """Writes objects that nobody else writes, so it knows what each of them must be."""

    def __init__(self, soak, number):
        self.soak, self.number = soak, number
        self.kind = number % 2
        self.namespace = f"ns-{number % NAMESPACES}"
        self.root = ROOTS[self.kind].format(self.namespace)
        self.dice = soak.random(f"writer {number}")
        self.client = Client(soak.address, f"soak-writer/{number}")
        self.known = {}  # name -> the object, as acknowledged; absent: it is not there
        self.steps = 0

    def body(self, name, like=None):
        self.steps += 1
        text = f"{self.number}.{self.steps}." + "x" * self.dice.randrange(2000)
        metadata = {"name": name, "labels": {"parity": str(self.number // 2 % 2)}}
        if like is not None:
            metadata["resourceVersion"] = like["metadata"]["resourceVersion"]
        content = {"data": {"text": text}} if self.kind == 0 else {"spec": {"text": text}}
        return {"metadata": metadata, **content,
                **({} if self.kind == 0 else {"apiVersion": "example.com/v1", "kind": "Widget"})}

    def text(self, thing):
        return thing["data" if self.kind == 0 else "spec"]["text"]

    def acknowledge(self, thing):
        self.soak.acknowledged[self.kind][version(thing)] = self.namespace
        self.soak.count("writes")

    async def look(self, name):
        """What is there for sure: asked until an answer comes that is none of the faults."""
        while True:
            try:
                status, thing, _ = await self.client.ask("GET", f"{self.root}/{name}")
            except Lost:
                continue
            if status in (200, 404):
                return thing if status == 200 else None
            holds(status in INJECTED, "GET", name, status, thing)
            await back_off(self.dice)

    async def write(self, name):
        """One write, and what came of it."""
        before = self.known.get(name)
        verb = self.dice.choice(["POST"] if before is None else ["PUT", "PUT", "PATCH", "DELETE"])
        target = self.root if verb == "POST" else f"{self.root}/{name}"
        body = None if verb == "DELETE" else self.body(name, before if verb == "PUT" else None)
        try:
            status, thing, headers = await self.client.ask(verb, target, body)
        except Lost:
            self.soak.count("answers lost")
            await self.resolve(name, before, verb, body)
            return
        if status in INJECTED and thing["message"] == "injected fault":
            self.soak.count(f"answers {status}")
            holds(status != 429 or "retry-after" in headers, "429 says when")
            await back_off(self.dice)
            return
        holds(status in (200, 201), verb, name, status, thing)
        if verb == "DELETE":
            del self.known[name]
            self.soak.count("writes")
            return
        holds(self.text(thing) == self.text(body), "it says what was written", name)
        holds(before is None or version(thing) > version(before), "versions of", name, "grow")
        self.acknowledge(thing)
        self.known[name] = thing

    async def resolve(self, name, before, verb, body):
        """Done or not done, nothing between."""
        now = await self.look(name)
        if verb == "DELETE":
            holds(now is None or now == before, "a lost DELETE of", name, "left", now)
        elif now is None:
            holds(before is None, "a lost", verb, "of", name, "left nothing")
        else:
            holds(now == before or self.text(now) == self.text(body), "a lost", verb, "of", name)
        if now is None:
            self.known.pop(name, None)
        else:
            if now != before:
                self.acknowledge(now)
            self.known[name] = now

    async def run(self):
        while not self.soak.stopping:
            name = f"w{self.number}-{self.dice.randrange(OBJECTS)}"
            await self.write(name)
            if self.dice.random() < 0.1:  # S10: one reads what one wrote
                holds(await self.look(name) == self.known.get(name), "reads its own write", name)
            await asyncio.sleep(self.dice.uniform(0.02, 0.08))
        for name, thing in self.known.items():
            holds(await self.look(name) == thing, name, "is as it was acknowledged")
        self.client.close()


class Watcher:
    """Keeps a map as client-go does: list, watch from there, resume, list again on 410."""

    def __init__(self, soak, number):
        self.soak, self.number = soak, number
        self.kind = number % 2
        self.namespace = f"ns-{number % NAMESPACES}" if number % 3 == 0 else None
        self.target = ROOTS[self.kind].format(self.namespace) if self.namespace else ALL[self.kind]
        self.dice = soak.random(f"watcher {number}")
        self.client = Client(soak.address, f"soak-watcher/{number}")
        self.map = {}  # (namespace, name) -> version
        self.at = 0  # the version it is at
        self.seen = set()  # versions of events, and those that lists had
        self.gaps = []  # (from, to]: only lists told of these

    @staticmethod
    def key(thing):
        return thing["metadata"]["namespace"], thing["metadata"]["name"]

    async def list(self):
        before = self.at
        while True:
            try:
                status, answer, _ = await self.client.ask("GET", self.target)
            except Lost:
                continue
            if status == 200:
                break
            holds(status in INJECTED, "LIST", status, answer)
            await back_off(self.dice)
        self.at = version(answer)
        holds(self.at >= before, "lists go forward:", before, self.at)
        self.map = {self.key(one): version(one) for one in answer["items"]}
        self.gaps.append((before, self.at))
        self.soak.count("lists of watchers")

    def take(self, event):
        """False: it must list again."""
        if event["type"] == "ERROR":
            holds(event["object"]["code"] == 410, "an ERROR is Gone:", event)
            self.soak.count("watches gone")
            return False
        thing = event["object"]
        at = version(thing)
        holds(at > self.at or event["type"] == "BOOKMARK" and at == self.at,
              "versions grow:", self.at, at, event["type"])
        self.at = at
        if event["type"] == "BOOKMARK":
            return True
        key = self.key(thing)
        there = key in self.map
        holds(there == (event["type"] != "ADDED"), event["type"], key, "there:", there)
        if event["type"] == "DELETED":
            del self.map[key]
        else:
            self.map[key] = at
        self.seen.add(at)
        self.soak.count("events")
        return True

    async def watch(self):
        """Until the stream is over. False: it must list again."""
        target = f"{self.target}?watch=1&allowWatchBookmarks=true&resourceVersion={self.at}"
        self.soak.count("watches")
        try:
            async with contextlib.aclosing(self.client.stream(target, SILENCE_S)) as stream:
                async for event in stream:
                    if not self.take(event):
                        return False
                    if self.dice.random() < 0.0002:  # reads nothing for a while
                        await asyncio.sleep(2)
        except Lost:
            await back_off(self.dice)
        return True

    async def run(self):
        await self.list()
        try:
            while True:
                if not await self.watch():
                    await self.list()
        finally:
            self.client.close()

    def check(self):
        """Every acknowledged write was an event here, or lies where only a list could tell."""
        for at, namespace in self.soak.acknowledged[self.kind].items():
            if self.namespace not in (None, namespace) or at in self.seen:
                continue
            holds(any(low < at <= high for low, high in self.gaps),
                  f"watcher {self.number} missed version {at}; gaps {self.gaps}")


class Reader:
    """Lists in pages, which must be of one version and in order."""

    def __init__(self, soak, number):
        self.soak = soak
        self.target = ALL[number % 2]
        self.dice = soak.random(f"reader {number}")
        self.client = Client(soak.address, f"soak-reader/{number}")

    async def pages(self):
        token, names, of = "", [], None
        while True:
            limit = self.dice.choice([1, 7, 50, 500])
            try:
                status, page, _ = await self.client.ask(
                    "GET", f"{self.target}?limit={limit}&continue={token}")
            except Lost:
                continue
            if status == 410:
                self.soak.count("pages gone")
                return
            if status in INJECTED:
                await back_off(self.dice)
                continue
            holds(status == 200, "a page:", status, page)
            of = of or version(page)
            holds(version(page) == of, "pages are of one version")
            holds(all(version(one) <= of for one in page["items"]), "nothing newer than the list")
            names += [(one["metadata"]["namespace"], one["metadata"]["name"])
                      for one in page["items"]]
            token = page["metadata"].get("continue", "")
            if not token or self.soak.stopping:
                break
        holds(names == sorted(set(names)), "in order, each once")
        self.soak.count("lists in pages")

    async def run(self):
        while not self.soak.stopping:
            await self.pages()
            await asyncio.sleep(self.dice.uniform(0.1, 0.5))
        self.client.close()
