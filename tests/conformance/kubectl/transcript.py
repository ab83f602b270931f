"""transcript: files of steps, as a terminal would show them.

    == title of a part
    # remark
    @ since 1.27: why older ones skip the next step      (also: @ until 1.26: why)
    $ kubectl apply -f - <<END
    (standard input)
    END
    a line of standard output
    ! a line of standard error
    ? 1                                                  (the exit code; 0 when not given)
    -- until 1.26                                        (what those versions say instead)
    another line of standard output

`$~ kubectl get x` is asked again until it answers so. `$ kubectl get x -w & name` starts a command
in the background, `$ seen name` waits for what it says, `$ end name` does so and then ends it,
`$ stop name` ends it and looks at its exit code alone. `> file` at the end of a command keeps
standard output in $TMP/file. A program of ours may stand in the place of kubectl.
"""
import dataclasses
import re
import shlex


class Malformed(Exception):
    pass


@dataclasses.dataclass
class Said:
    """What a command said: lines of standard output and of standard error, and its exit code."""
    out: list = dataclasses.field(default_factory=list)
    err: list = dataclasses.field(default_factory=list)
    code: int = 0


@dataclasses.dataclass
class Bounds:
    """The kubectl versions that something is for."""
    since: tuple = (0, 0)
    until: tuple = (999, 0)
    reason: str = ""

    def has(self, version):
        return self.since <= version <= self.until


@dataclasses.dataclass
class Step:
    where: str
    command: str
    words: list
    stdin: str = None
    background: str = None
    keep_as: str = None
    eventually: bool = False
    bounds: Bounds = dataclasses.field(default_factory=Bounds)
    wanted: list = dataclasses.field(default_factory=list)  # pairs of Bounds and Said

    def wanted_of(self, version):
        """The last that fits: the general answer stands first."""
        return [said for bounds, said in self.wanted if bounds.has(version)][-1]


def parse_bounds(text, where):
    found = re.fullmatch(r"(since|until) (\d+)\.(\d+)(?:: (.+))?", text)
    if not found:
        raise Malformed(f"{where}: want 'since 1.2: reason' or 'until 1.2: reason'")
    version = (int(found[2]), int(found[3]))
    reason = found[4] or ""
    return Bounds(since=version, reason=reason) if found[1] == "since" else \
        Bounds(until=version, reason=reason)


def parse_command(line, where, bounds):
    step = Step(where=where, command=line, words=[], bounds=bounds)
    here = re.search(r" <<(\w+)$", line)
    if here:
        line = line[:here.start()]
    kept = re.search(r" > (\S+)$", line)
    if kept:
        step.keep_as = kept[1]
        line = line[:kept.start()]
    behind = re.search(r" & (\w+)$", line)
    if behind:
        step.background = behind[1]
        line = line[:behind.start()]
    step.words = shlex.split(line)
    step.wanted = [(Bounds(), Said())]
    return step, here[1] if here else None


def take_stdin(lines, end, where):
    taken = []
    for _, line in lines:
        if line == end:
            return "\n".join(taken) + "\n"
        taken.append(line)
    raise Malformed(f"{where}: no line {end}")


def take_answer(step, line, where):
    said = step.wanted[-1][1]
    if line.startswith("-- "):
        step.wanted.append((parse_bounds(line[3:], where), Said()))
    elif line.startswith("! "):
        said.err.append(line[2:])
    elif line.startswith("? "):
        said.code = int(line[2:])
    else:
        said.out.append(line)


def read(path):
    """The steps of a file."""
    steps = []
    bounds = Bounds()
    step = None
    lines = iter(list(enumerate(path.read_text().splitlines(), 1)))
    for number, line in lines:
        where = f"{path.name}:{number}"
        if line.startswith(("== ", "# ")):
            step = None
        elif line.startswith("@ "):
            bounds = parse_bounds(line[2:], where)
            if not bounds.reason:
                raise Malformed(f"{where}: a reason is missing")
            step = None
        elif line.startswith(("$ ", "$~ ")):
            step, end = parse_command(line.split(" ", 1)[1], where, bounds)
            step.eventually = line[1] == "~"
            bounds = Bounds()
            if end:
                step.stdin = take_stdin(lines, end, where)
            steps.append(step)
        elif step is not None:
            take_answer(step, line, where)
        elif line:
            raise Malformed(f"{where}: an answer without a command")
    return steps
