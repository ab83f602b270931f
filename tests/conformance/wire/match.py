"""match: an answer against what it should be, whole and exact but for the marks in <...>."""
import difflib
import json
import re

MARKS = {
    "uid": r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    "version": r"[1-9][0-9]*",
    "time": r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z",
    "micro": r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z",
    "suffix": r"[bcdfghjklmnpqrstvwxz2456789]{5}",
    "token": r"[A-Za-z0-9_\-+/=.]+",
    "text": r"(?s:.+)",
    "address": r"[0-9a-z.:\[\]]+:[0-9]+",
}
MARK = re.compile(r"<(" + "|".join(MARKS) + r")(?::([A-Za-z0-9]+))?>")
SUM = re.compile(r"<(version:[A-Za-z0-9]+)\+([0-9]+)>")
ANYTHING = "<anything>"
REPEAT = re.compile(r"<([^<>]+)\*([0-9]+)>")  # in what is sent: a text many times


class Differs(Exception):
    """The answer is not the wanted one; the text shows how."""


def add(found, captures):
    """<version:a+1>: what the mark stood for, and so much more."""
    known = captures.get(f"<{found[1]}>")
    return found[0] if known is None else str(int(known) + int(found[2]))


def fill(value, captures):
    """The value with named marks replaced by what they stood for before."""
    if isinstance(value, str):
        value = REPEAT.sub(lambda found: found[1] * int(found[2]), value)
        value = SUM.sub(lambda found: add(found, captures), value)
        return MARK.sub(lambda found: captures.get(found[0], found[0]), value)
    if isinstance(value, list):
        return [fill(item, captures) for item in value]
    if isinstance(value, dict):
        return {fill(key, captures): fill(item, captures) for key, item in value.items()}
    return value


def text(want, got, captures):
    """Whether got is want; marks of the same name stand for the same text in a whole row."""
    pattern, at, groups = "", 0, {}
    for found in MARK.finditer(want):
        pattern += re.escape(want[at:found.start()])
        at = found.end()
        mark = found[0]
        if found[2] and mark in captures:
            pattern += re.escape(captures[mark])
        elif found[2] and mark in groups.values():
            name = next(name for name, known in groups.items() if known == mark)
            pattern += f"(?P={name})"
        elif found[2]:
            groups[f"g{len(groups)}"] = mark
            pattern += f"(?P<g{len(groups) - 1}>{MARKS[found[1]]})"
        else:
            pattern += f"(?:{MARKS[found[1]]})"
    matched = re.fullmatch(pattern + re.escape(want[at:]), got)
    if matched:
        captures.update({mark: matched[name] for name, mark in groups.items()})
    return matched is not None


def settle(want, got, captures):
    """want, with its marks replaced by what got has there where that fits."""
    if want == ANYTHING:
        return got
    if isinstance(want, str) and isinstance(got, str):
        return got if text(want, got, captures) else fill(want, captures)
    if isinstance(want, list) and isinstance(got, list):
        return [settle(item, got[index], captures) if index < len(got) else fill(item, captures)
                for index, item in enumerate(want)]
    if isinstance(want, dict) and isinstance(got, dict):
        settled = {key: settle(item, got[key], captures) if key in got else fill(item, captures)
                   for key, item in want.items()}
        if "managedFields" in got and "managedFields" not in want:
            settled["managedFields"] = got["managedFields"]  # clients do without, so do rows
        return settled
    return want


def show(value):
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).splitlines()


def value(what, want, got, captures):
    want_lines, got_lines = show(settle(want, got, captures)), show(got)
    if want_lines != got_lines:
        differences = difflib.unified_diff(want_lines, got_lines, "want", "got", "", "", 8, "")
        raise Differs(f"{what}:\n" + "\n".join(differences))


def no_pairs_twice(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise Differs(f"an object with a key twice: {[key for key, _ in pairs]}")
    return result


def document(what, bytes_):
    try:
        return json.loads(bytes_, object_pairs_hook=no_pairs_twice)
    except ValueError as error:
        raise Differs(f"{what}: not JSON: {error}: {bytes_[:2000]!r}") from error


def headers(want, answer, captures):
    for name, wanted in want.items():
        got = answer.values(name)
        wanted = [] if wanted is None else wanted if isinstance(wanted, list) else [wanted]
        if len(got) != len(wanted) or not all(
                text(str(one), have, captures) for one, have in zip(wanted, got)):
            raise Differs(f"header {name}: want {wanted}, got {got}")


def item(name, parsed):
    """The entry of that name in a list's document."""
    for key in ("items", "resources", "groups"):
        for entry in parsed.get(key, []):
            if name in (entry.get("name"), entry.get("metadata", {}).get("name")):
                return entry
    raise Differs(f"body: has no item {name}")


def body(want, answer, captures, name):
    got = answer.read()
    parsed = document("body", got)
    value("body", want, item(name, parsed) if name else parsed, captures)
    pretty = got.startswith(b"{\n")  # T3
    if got.endswith(b"\n") == pretty or got.endswith(b"\n\n"):
        raise Differs(f"body: must end in {'no' if pretty else 'one'} newline, ends in {got[-3:]!r}")


def lines(want, answer, captures, to_the_end):
    """The documents of a stream, one a line; all there are when the stream ends by itself."""
    got = answer.read(lambda have: not to_the_end and have.count(b"\n") >= len(want))
    if got and not got.endswith(b"\n"):
        raise Differs(f"lines: the last does not end: {got[-200:]!r}")
    documents = [document("line", line) for line in got.split(b"\n")[:-1]]
    value("lines", want, documents, captures)


def answer(want, got, captures, to_the_end):
    """Raises Differs where got, an Answer whose body is not read yet, is not what want says."""
    if got.status != want["status"]:
        got.read(lambda have: b"\n" in have)
        raise Differs(f"status: want {want['status']}, got {got.status}\n" +
                      got.body.decode(errors="replace"))
    headers(want.get("headers", {}), got, captures)
    if "body" in want:
        body(want["body"], got, captures, want.get("item"))
    elif "lines" in want:
        lines(want["lines"], got, captures, to_the_end)
    elif "text" in want:
        have = got.read().decode(errors="replace")
        if not text(want["text"], have, captures):
            raise Differs(f"text: want {fill(want['text'], captures)!r}, got {have!r}")
    else:
        got.read()
