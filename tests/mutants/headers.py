"""What the first lines of a mutant's patch say: what is sabotaged, and which tests must see it."""
import re


def read(path):
    """The sabotage in words ('' if the patch does not begin with it), and its (file, row) pairs.

    row is None for a scenario, which is a test as a whole."""
    subject, tests = "", []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number == 0 and line.startswith("Sabotage: "):
                subject = line[len("Sabotage: "):].strip()
            elif line.startswith("Test: "):
                tests.append(test(line[len("Test: "):].strip()))
            elif line.startswith("---"):
                break
    return subject, tests


def test(text):
    """'FILE: row' or 'FILE' as (file, row)."""
    file, _, row = text.partition(": ")
    return file, row.strip() or None


def folders(name, tests):
    """Where the patch of that name may stand: in the folders of its tests, "." for the top. README.md"""
    if re.match(r"M\d\d-", name):
        return ["museum"]
    found = [re.match(r"tests/(?:unit/)?([^/]+)/", file) for file, _ in tests if not searches(file)]
    if any(searches(file) for file, _ in tests):
        return ["search"]
    return sorted({one[1] for one in found if one}) or [".", "fakeapi"]


def searches(test):
    """'sweep FILE' or 'explore A..B': what is asked of the runner; None for other tests."""
    found = re.fullmatch(r"(sweep|explore) (\S+)", test)
    if not found:
        return None
    return ["sweep", found[2]] if found[1] == "sweep" else ["explore", "--seeds", found[2]]
