"""history: what was true of Agents and Jobs at every resource version, and what may never be.

A Recorder watches both kinds as the administrator, whom no fault meets, and keeps every change. judge()
is a function of these changes alone, so that it can be tried on changes that were made up. The rules
are of controller/RULES.md; each complaint names its section.
"""
import collections
import dataclasses
import hashlib
import json
import re
import threading
import time

import live

TERMINAL = ("Succeeded", "Failed")
ORDER = {"Pending": 0, "Running": 1, "Succeeded": 2, "Failed": 2}
UNAVAILABLE = "run output unavailable: pod garbage-collected"
NOT_FOUND = "Station or AgentDefinition not found"
OUTPUT_BYTES_MAX = 262144


@dataclasses.dataclass(frozen=True)
class Change:
    """An Agent or a Job as it was from a resource version on; of a deleted one, its last state."""
    version: int
    kind: str   # "Agent" or "Job"
    gone: bool
    name: str
    uid: str
    created: str = ""
    terminating: bool = False
    owner: str = ""        # Job: the uid of its Agent
    finished: bool = False  # Job
    station: str = ""      # Agent, and so on
    phase: str = "Pending"
    job: str = ""
    started: str = ""
    completed: str = ""
    exit_code: int | None = None
    reason: str = ""
    output: str = ""       # digest_of() it


@dataclasses.dataclass(frozen=True)
class Rules:
    """What a Station asks for, and what its pods do."""
    policy: str = "Allow"
    limit: int = 0          # maxConcurrentRuns
    succeeded_kept: int = 3
    failed_kept: int = 3
    exit_code: int = 0
    output: str | None = None  # digest of what an Agent must show; None: anything
    missing: bool = False      # there is no such Station, or it has no AgentDefinition

    def at_most(self):
        return self.limit if self.policy == "Allow" else 1

    def kept(self, phase):
        return self.succeeded_kept if phase == "Succeeded" else self.failed_kept


def digest_of(output):
    return f"{len(output.encode())}:{hashlib.sha256(output.encode()).hexdigest()[:16]}"


def capped(log, cap=OUTPUT_BYTES_MAX):
    """RULES.md 2.9."""
    data = log.encode()
    if len(data) <= cap:
        return log
    cut = len(data) - cap
    while cut < len(data) and data[cut] & 0xC0 == 0x80:
        cut += 1
    return f"...[truncated {cut} bytes]...\n" + data[cut:].decode()


def change_of(kind, tree, gone):
    meta, status = tree["metadata"], tree.get("status") or {}
    common = {"version": int(meta["resourceVersion"]), "kind": kind, "gone": gone,
              "name": meta["name"], "uid": meta["uid"], "created": meta["creationTimestamp"],
              "terminating": "deletionTimestamp" in meta}
    if kind == "Job":
        owners = [one["uid"] for one in meta.get("ownerReferences", ())]
        finished = any(one["type"] in ("Complete", "Failed") and one["status"] == "True"
                       for one in status.get("conditions") or ())
        return Change(**common, owner=owners[0] if owners else "", finished=finished)
    return Change(**common, station=tree["spec"]["stationRef"], phase=status.get("phase", "Pending"),
                  job=status.get("jobName", ""), started=status.get("startedAt", ""),
                  completed=status.get("completedAt", ""), exit_code=status.get("exitCode"),
                  reason=status.get("failureReason", ""), output=digest_of(status.get("output", "")))


def write(path, changes):
    """For people."""
    path.write_text("".join(json.dumps(dataclasses.asdict(one)) + "\n"
                            for one in sorted(changes, key=lambda one: one.version)))


class Recorder:
    """Watches one kind from a thread. After a restart of the server it lists, and what changed
    meanwhile is a change of its own."""

    def __init__(self, world, kind, path):
        self.world, self.kind, self.path = world, kind, path
        self.changes, self.now, self.problems = [], {}, []
        self.cursor, self.stopping = None, False
        self.lists = 0
        self._list()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _take(self, change):
        old = self.now.get(change.name)
        if old is not None and old.version > change.version and old.uid == change.uid:
            self.problems.append(f"{self.kind} {change.name} went back from version {old.version} "
                                 f"to {change.version}: an acknowledged write was lost")
        self.changes.append(change)
        if change.gone:
            self.now.pop(change.name, None)
        else:
            self.now[change.name] = change

    def _list(self):
        answer = self.world.api.once("GET", self.path)
        version = int(answer["metadata"]["resourceVersion"])
        found = {}
        for item in answer["items"]:
            change = change_of(self.kind, item, False)
            found[change.name] = change
        for name, old in sorted(self.now.items()):
            if name not in found or found[name].uid != old.uid:
                self._take(dataclasses.replace(old, version=version, gone=True))
        for change in sorted(found.values(), key=lambda one: one.version):
            if self.now.get(change.name) != change:
                self._take(change)
        self.cursor = version
        self.lists += 1

    def _watch(self, connection):
        answer = self.world.api.ask(connection, "GET",
                                    f"{self.path}?watch=1&resourceVersion={self.cursor}"
                                    "&timeoutSeconds=3600&allowWatchBookmarks=true")
        if answer.status == 410:
            self._list()
        for line in answer if answer.status == 200 else ():
            event = json.loads(line)
            if event["type"] == "ERROR":
                self._list()  # the history is gone: only after a restart
                return
            self.cursor = int(event["object"]["metadata"]["resourceVersion"])
            if event["type"] != "BOOKMARK":
                self._take(change_of(self.kind, event["object"], event["type"] == "DELETED"))

    def _run(self):
        while not self.stopping:
            connection = self.world.api.connect()
            try:
                self._watch(connection)
            except (OSError, live.http.client.HTTPException, ValueError, live.Failed):
                time.sleep(0.1)  # the server is away, or was cut off in a line
            finally:
                connection.close()

    def stop(self):
        """Call it when the world is quiet."""
        self.stopping = True


class Journal:
    """Collects what the account asked for, from a thread, over restarts of the server."""

    def __init__(self, world):
        self.world, self.requests, self.after = world, [], 0
        self.stopping = False
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def collect(self):
        """Brings it up to date."""
        with self.lock:
            found = self.world.asked(self.after)
            if found:
                self.after = found[-1]["number"]
            self.requests += found

    def restarted(self):
        """The server counts from 1 again."""
        with self.lock:
            self.after = 0

    def _run(self):
        while not self.stopping:
            try:
                self.collect()
            except (OSError, live.http.client.HTTPException, ValueError, live.Failed):
                pass  # the server is away
            time.sleep(0.25)

    def stop(self):
        self.stopping = True
        self.thread.join(live.PATIENCE_S)
        self.collect()


# --- the judge

class _State:
    def __init__(self, stations, excused):
        self.stations, self.excused = stations, excused
        self.agents, self.jobs = {}, {}       # by uid, those that are there
        self.jobs_of = collections.defaultdict(set)  # uid of an Agent: uids of all its Jobs ever
        self.last = {}                        # uid: the last state of every Agent ever
        self.complaints = []
        self.preempted, self.pruned, self.lost = set(), set(), set()

    def complain(self, change, section, what):
        self.complaints.append(f"version {change.version}: {change.kind} {change.name} "
                               f"(station {change.station or '-'}): {what} (RULES.md {section})")


def _age_key(agent):
    return agent.completed, agent.created, agent.name


def _check_step(state, old, new):
    if ORDER[new.phase] < ORDER[old.phase]:
        state.complain(new, "3.1", f"went back from {old.phase} to {new.phase}")
    if old.phase in TERMINAL and (new.phase, new.exit_code, new.output, new.completed, new.reason) != (
            old.phase, old.exit_code, old.output, old.completed, old.reason):
        state.complain(new, "3.1", f"was rewritten after its end: {old} became {new}")


def _check_end(state, agent):
    rules = state.stations[agent.station]
    if (agent.exit_code == 0) != (agent.phase == "Succeeded") or agent.exit_code is None:
        state.complain(agent, "3.3", f"{agent.phase} with exit code {agent.exit_code}")
    if not agent.completed:
        state.complain(agent, "3.3", "terminal without completedAt")
    if rules.missing:
        if (agent.phase, agent.reason, agent.job) != ("Failed", NOT_FOUND, ""):
            state.complain(agent, "3.2", f"ended as {agent.phase}, {agent.reason!r}, {agent.job!r}")
        return
    if agent.name in state.excused and agent.output == digest_of(""):
        state.lost.add(agent.uid)
        if agent.phase == "Succeeded" and agent.reason != UNAVAILABLE and rules.output != agent.output:
            state.complain(agent, "2.8", f"without output, and the reason is {agent.reason!r}")
        return
    if agent.exit_code != rules.exit_code:
        state.complain(agent, "2.8", f"exit code {agent.exit_code}, its pod's was {rules.exit_code}: "
                       f"{agent.reason!r}")
    if rules.output is not None and agent.output != rules.output:
        state.complain(agent, "2.9", f"output {agent.output}, want {rules.output}: {agent.reason!r}")


def _check_room(state, change):
    rules = state.stations[change.station]
    running = [one for one in state.agents.values()
               if one.station == change.station and one.phase == "Running" and not one.terminating]
    if rules.at_most() and len(running) > rules.at_most():
        state.complain(change, "3.4", f"{len(running)} run, at most {rules.at_most()} may")


def _check_deletion(state, agent):
    """agent is as it was before."""
    rules = state.stations[agent.station]
    if agent.phase in TERMINAL:
        state.pruned.add(agent.uid)
        newer = [one for one in state.agents.values()
                 if one.station == agent.station and one.phase == agent.phase
                 and not one.terminating and one.uid != agent.uid and _age_key(one) > _age_key(agent)]
        if len(newer) < rules.kept(agent.phase):
            state.complain(agent, "3.5", f"pruned with {len(newer)} newer {agent.phase} ones, "
                           f"{rules.kept(agent.phase)} are kept")
    elif agent.phase == "Running" and rules.policy == "Replace":
        state.preempted.add(agent.uid)
        older = [one.name for one in state.agents.values()
                 if one.station == agent.station and one.phase == "Running" and not one.terminating
                 and (one.started, one.created, one.name) < (agent.started, agent.created, agent.name)]
        if older:
            state.complain(agent, "3.4", f"preempted before the older {older}")
    else:
        state.complain(agent, "3.5", f"deleted while {agent.phase}")


def _take_agent(state, change):
    old = state.agents.get(change.uid)
    if change.gone or change.terminating:
        if old is not None and not old.terminating:
            _check_deletion(state, old)
    elif old is not None:
        _check_step(state, old, change)
    if not change.gone:
        state.agents[change.uid] = change
        if change.phase in TERMINAL and (old is None or old.phase not in TERMINAL):
            _check_end(state, change)
        if change.phase == "Running" and (old is None or old.phase != "Running"):
            _check_room(state, change)
    else:
        state.agents.pop(change.uid, None)
    state.last[change.uid] = change


def _take_job(state, change):
    if not change.owner:
        state.complain(change, "2.2", "a Job of nobody")
    known = state.jobs_of[change.owner]
    if change.uid not in known and known:
        state.complain(change, "3.2", "a second Job of the same Agent")
    known.add(change.uid)
    if change.gone:
        state.jobs.pop(change.uid, None)
    else:
        state.jobs[change.uid] = change


def _check_last(state):
    for agent in state.last.values():
        jobs = len(state.jobs_of[agent.uid])
        missing = state.stations[agent.station].missing
        if agent.phase not in TERMINAL and agent.uid not in state.preempted:
            state.complain(agent, "3", f"ended as {agent.phase}")
        elif jobs != (0 if missing else 1):
            state.complain(agent, "3.2", f"had {jobs} Jobs")


def _check_left(state):
    """What a sweep must have taken by now."""
    kept = collections.Counter((one.station, one.phase) for one in state.agents.values())
    for (station, phase), count in sorted(kept.items()):
        if phase in TERMINAL and count > state.stations[station].kept(phase):
            yield (f"station {station}: {count} {phase} Agents are left, "
                   f"{state.stations[station].kept(phase)} are kept (RULES.md 3.5)")


@dataclasses.dataclass
class Verdict:
    complaints: list  # of all that happened
    left: list        # what is still to be pruned
    unended: list     # names of Agents that have not ended, and were not preempted
    agents: int     # ever
    preempted: int
    pruned: int
    lost: int  # that were excused and have no output
    jobs: int


def judge(stations, changes, excused=()):
    """What is wrong with these changes, in the order of their versions. stations: name to Rules, for
    every name that an Agent refers to. excused: names of Agents whose log could not be read:
    they may end without it (RULES.md 2.8, step 7)."""
    state = _State(stations, excused)
    # Of a Job and its Agent at one version there is never more than one.
    for change in sorted(changes, key=lambda one: one.version):
        (_take_agent if change.kind == "Agent" else _take_job)(state, change)
    _check_last(state)
    return Verdict(state.complaints, list(_check_left(state)),
                   [one.name for one in state.last.values()
                    if one.phase not in TERMINAL and one.uid not in state.preempted],
                   len(state.last), len(state.preempted), len(state.pruned), len(state.lost),
                   sum(map(len, state.jobs_of.values())))


POD = re.compile(r"agent-job-(.+)-[a-z0-9]{5}")
JOB = re.compile(r"agent-job-(.+)")
BROKEN = ("status", "refuse", "drop answer", "cut")
TRIES = 4  # of an output, when each of them fails


def _about(request):
    """The name of the Agent that a request is about, if its reconcile may fail with it."""
    name, resource = request.get("name", ""), request["resource"]
    pattern = {"pods/log": POD, "jobs": JOB}.get(resource)
    found = pattern.fullmatch(name) if pattern else None
    return found[1] if found else name if resource in ("agents", "agents/status") else ""


def _has_failed(request):
    return request["status"] >= 400 or request.get("faultAction") in BROKEN


def _failed_in_a_row(requests):
    """The most, where only a write that was accepted ends a row."""
    most = row = 0
    for one in requests:
        if _has_failed(one):
            row += 1
            most = max(most, row)
        elif one["resource"] == "agents/status":
            row = 0
    return most


def unread(requests, outages):
    """Names of Agents that may have ended without their output (RULES.md 2.8, step 7), says the
    server's journal: a log was refused for good or timed out, or TRIES requests about the Agent
    failed in a row, those of an outage among them. Of outages the begin is told and how long they
    may have shaken the back-off of anybody (UTC texts)."""
    of_each = collections.defaultdict(list)
    for one in requests:
        of_each[_about(one)].append(one)
    of_each.pop("", None)
    names = set()
    for name, some in of_each.items():
        logs = [one for one in some if one["resource"] == "pods/log"]
        failed = [one["time"] for one in logs if _has_failed(one)]
        if any(one["status"] in (403, 404) or one.get("faultAction") == "silent" for one in logs):
            names.add(name)
        elif failed and _failed_in_a_row(some) >= TRIES:
            names.add(name)
        elif any(begin <= at <= end for at in failed for begin, end in outages):
            names.add(name)  # TRIES - 1 may have gone before it, unseen
    return names


def judge_requests(requests, agents, each_agent, same_a_second):
    """Storms and refusals among what the controllers asked for: more than each_agent requests for each
    of so many Agents, or the same about one run or Lease too often in a second (what they share is
    read for each, and creates have no name here)."""
    complaints = []
    refused = [one for one in requests if one["status"] in (401, 403)]
    if refused:
        complaints.append(f"refused: {refused[:3]}")
    same = collections.Counter((one["time"][:19], one["verb"], one["resource"], one.get("name", ""))
                               for one in requests if one.get("name") and one["resource"] not in
                               ("stations", "agentdefinitions"))
    if len(requests) > agents * each_agent:
        complaints.append(f"{len(requests)} requests, {each_agent} for each of {agents} Agents are many")
    for what, count in same.items():
        if count > same_a_second:
            complaints.append(f"{' '.join(what)}: {count} times in a second, {same_a_second} are many")
    return complaints, max(same.values(), default=0)
