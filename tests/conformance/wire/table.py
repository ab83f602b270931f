"""table: the rows of the wire table, read and checked. README.md describes them."""
import fnmatch
import re

import yaml

METHOD_LINE = re.compile(r"[A-Z]+ /\S*$")
STEP_KEYS = {"headers", "raw", "answer", "eventually"}
ANSWER_KEYS = {"status", "headers", "item", "body", "text", "lines"}
ROW_KEYS = {"rule", "name", "server", "files", "given", "request", "concurrently",
            "meanwhile", "answer"}


class Wrong(Exception):
    """The table is wrong: no row of it can be believed."""


class Loader(yaml.SafeLoader):
    """YAML as JSON has it: times stay texts, only true and false are booleans, keys are unique."""

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise Wrong(f"line {key.start_mark.line + 1}: '{key.value}' twice in one map")
            if key.value != "<<":
                seen.add(key.value)
        return super().construct_mapping(node, deep)


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers
            if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"true$|false$"), list("tf"))


class Step:
    """One request, and the answer that it must get (None: any 2xx)."""

    def __init__(self, where, value, answer=None):
        if not isinstance(value, dict):
            raise Wrong(f"{where}: a request is a map with a METHOD /TARGET key")
        lines = [key for key in value if METHOD_LINE.match(str(key))]
        unknown = set(value) - set(lines) - STEP_KEYS
        if unknown:
            raise Wrong(f"{where}: unknown keys: {' '.join(sorted(map(str, unknown)))}")
        if len(lines) + ("raw" in value) != 1:
            raise Wrong(f"{where}: want one METHOD /TARGET key or raw")
        self.method, self.target = lines[0].split(" ", 1) if lines else ("GET", None)
        self.body = value[lines[0]] if lines else None
        self.raw = value.get("raw")
        self.headers = value.get("headers", {})
        self.eventually = value.get("eventually", False)
        self.answer = answer if answer is not None else value.get("answer")
        self.where = where
        check_answer(where, self.answer)


class Row:
    def __init__(self, value, file, must_fail):
        where = f"{file}:{value.get('line', 0)}"
        unknown = set(value) - ROW_KEYS - {"line"} - ({"fails"} if must_fail else set())
        if unknown:
            raise Wrong(f"{where}: unknown keys: {' '.join(sorted(map(str, unknown)))}")
        for key in ("rule", "name", "request", "answer") + (("fails",) if must_fail else ()):
            if key not in value:
                raise Wrong(f"{where}: a row without {key}")
        self.file, self.line = file, value.get("line", 0)
        self.rule, self.name = str(value["rule"]), str(value["name"])
        self.server = [str(word) for word in value.get("server", [])]
        self.files = value.get("files", {})
        self.given = steps_of(where, value, "given")
        self.concurrently = steps_of(where, value, "concurrently")
        self.meanwhile = steps_of(where, value, "meanwhile")
        if "answer" in value["request"]:
            raise Wrong(f"{where}: the answer stands beside the request, not in it")
        self.request = Step(f"{where}: request", value["request"], value["answer"])
        self.fails = value.get("fails")
        if sum(key in value["answer"] for key in ("body", "text", "lines")) != 1:
            raise Wrong(f"{where}: an answer has one of body, text and lines")

    def matches(self, glob):
        return glob is None or any(fnmatch.fnmatchcase(text, glob)
                                   for text in (self.rule, self.name))


def steps_of(where, value, key):
    return [Step(f"{where}: {key}[{index}]", step) for index, step in enumerate(value.get(key, []))]


def check_answer(where, answer):
    if answer is None:
        return
    if not isinstance(answer, dict) or "status" not in answer:
        raise Wrong(f"{where}: an answer is a map with a status")
    unknown = set(answer) - ANSWER_KEYS
    if unknown:
        raise Wrong(f"{where}: unknown keys in the answer: {' '.join(sorted(map(str, unknown)))}")


def check(values, file, rules, must_fail=False):
    """The rows of a loaded table; raises Wrong."""
    rows = []
    names = set()
    for value in values:
        if not isinstance(value, dict):
            raise Wrong(f"{file}: a row is a map")
        row = Row(value, file, must_fail)
        where = f"{file}:{row.line}"
        if row.rule not in rules:
            raise Wrong(f"{where}: the sheet has no rule {row.rule}")
        if (row.rule, row.name) in names:
            raise Wrong(f"{where}: a second row '{row.name}' on {row.rule}")
        names.add((row.rule, row.name))
        rows.append(row)
    return rows


def load(path):
    try:
        return yaml.load(path.read_text(), Loader) or []
    except (OSError, yaml.YAMLError, Wrong) as error:
        raise Wrong(f"{path.name}: {error}") from error


def note_lines(path, values):
    """Where each row starts, for messages."""
    tree = yaml.compose(path.read_text(), Loader)
    for node, value in zip(tree.value if tree else [], values):
        if isinstance(value, dict):
            value["line"] = node.start_mark.line + 1


def read(paths, rules, must_fail=False):
    """The rows of all tables; names are unique among all of them."""
    rows = []
    seen = {}
    for path in paths:
        values = load(path)
        if not isinstance(values, list):
            raise Wrong(f"{path.name}: a table is a list of rows")
        note_lines(path, values)
        for row in check(values, path.name, rules, must_fail):
            if (row.rule, row.name) in seen:
                raise Wrong(f"{row.file}:{row.line}: {row.rule} '{row.name}' is also in "
                            f"{seen[row.rule, row.name]}")
            seen[row.rule, row.name] = row.file
            rows.append(row)
    return rows


def rules_of(sheet):
    """The rule ids of the sheet, in its order."""
    found = re.findall(r"^- ([A-Z][0-9]+[a-z]?)\. ", sheet.read_text(), re.MULTILINE)
    return list(dict.fromkeys(found))
