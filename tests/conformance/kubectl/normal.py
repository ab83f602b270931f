"""normal: output with what differs from run to run put away, so that it can be compared.

Tables are laid out anew, because the width of a column follows the ages and names in it.
"""
import re

AGE = r"(?:\d+[smhdy])(?:\d+[smhdy])?"
EVERYWHERE = [
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<uid>"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"), "<time>"),
    (re.compile(r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000"), "<time>"),
    (re.compile(r'("?resourceVersion"?: )"\d+"'), r'\1"<rv>"'),
    (re.compile(r"(Resource Version: +)\d+"), r"\1<rv>"),
    (re.compile(r"(agent-controller_)[0-9a-f]{8}\b"), r"\1<rand>"),
    (re.compile(r"(127\.0\.0\.1):\d+"), r"\1:<port>"),
    (re.compile(r"\b10\.(1|96)\.\d+\.\d+"), r"10.\1.<ip>"),
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    # The five characters that a server adds to generateName: no vowels, so no words.
    (re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5}\b(?!\.)"), "-<rand>"),
    (re.compile(r"(Duration: +)" + AGE), r"\1<age>"),
    (re.compile(r'("resourceVersion":)"\d+"'), r'\1"<rv>"'),
    # How Go prints a value with all its types: nobody can want just that.
    (re.compile(r"(Invalid value: )(?:map\[string\]interface |rbac\.RoleRef\{).*"
                r"(: field is immutable|: cannot change roleRef)"),
     r"\1<dump>\2"),
]
CELL = [
    (re.compile(rf"^{AGE}$"), "<age>"),
    (re.compile(rf"\({AGE} ago\)"), "(<age> ago)"),
    (re.compile(rf"^{AGE} \(x(\d+) over {AGE}\)$"), r"<age> (x\1 over <age>)"),
]
# An empty field that old clients print, and what clients log about themselves: no answers.
DROPPED = re.compile(r'^\s*"?selfLink"?: "",?$|^[IWE]\d{4} \d\d:\d\d:\d\d\.')
HEADER = re.compile(r"^\s*(?:[A-Z][A-Z0-9()/-]*(?: [A-Z0-9()/-]+)*)(?:\s{2,}[A-Z][A-Z0-9()/-]*"
                    r"(?: [A-Z0-9()/-]+)*)*\s*$")
EVENTS_HEADER = re.compile(r"^  Type +Reason +Age +From +Message$")


def column_starts(header):
    return [found.start() for found in re.finditer(r"\S+(?: \S+)*", header)]


def split_row(line, starts):
    ends = starts[1:] + [None]
    return [line[start:end].strip() for start, end in zip(starts, ends)]


def plain(text):
    for pattern, instead in EVERYWHERE:
        text = pattern.sub(instead, text)
    return text


def plain_cell(cell):
    for pattern, instead in CELL:
        cell = pattern.sub(instead, cell)
    return plain(cell)


def lay_out(rows, indent):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [(indent + "   ".join(cell.ljust(width) for cell, width in zip(row, widths))).rstrip()
            for row in rows]


def is_header(line):
    return bool(line) and bool(HEADER.match(line) or EVENTS_HEADER.match(line))


def table(lines):
    """The lines of one table, header first."""
    starts = column_starts(lines[0])
    rows = [split_row(line, starts) for line in lines]
    rows = [[plain_cell(cell) for cell in row] for row in rows]
    rows = [[re.sub(r"^-+$", "----", cell) for cell in row] for row in rows]
    return lay_out(rows, lines[0][:starts[0]])


def tables(lines):
    """The lines made plain, and every table laid out: from its header to the next empty line."""
    done = []
    at = 0
    while at < len(lines):
        if not is_header(lines[at]):
            done.append(plain(lines[at]))
            at += 1
            continue
        end = at + 1
        while end < len(lines) and lines[end]:
            end += 1
        done += table(lines[at:end])
        at = end
    return done


def output(lines):
    """Lines of standard output or error, made comparable. Trailing empty lines do not count."""
    kept = tables([line for line in lines if not DROPPED.match(line)])
    kept = [line.rstrip() for line in kept]
    while kept and not kept[-1]:
        kept.pop()
    return kept


def stream(lines):
    """Rows of a watch, whose columns move as they come: words alone count."""
    return [" ".join(plain_cell(word) for word in line.split()) for line in lines if line]
