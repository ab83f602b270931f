"""elsewhere: the rules that no row shows, and where each is accounted for (elsewhere.yaml)."""
import table

NAME = "elsewhere.yaml"
PARTS = {"tests": dict, "clients": str, "unserved": str}


def read(path, root, rules):
    """Rule to part; raises table.Wrong when it says what is not so."""
    value = table.load(path)
    if not isinstance(value, dict) or set(value) != set(PARTS):
        raise table.Wrong(f"{path.name}: want {', '.join(PARTS)}")
    found = {}
    for part, kind in PARTS.items():
        for rule, entry in value[part].items():
            if rule not in rules:
                raise table.Wrong(f"{path.name}: the sheet has no rule {rule}")
            if rule in found:
                raise table.Wrong(f"{path.name}: {rule} twice")
            if not isinstance(entry, kind):
                raise table.Wrong(f"{path.name}: {rule}: want {kind.__name__}")
            found[rule] = part
            if part == "tests":
                check_test(path, root, rule, entry)
    return found


def check_test(path, root, rule, entry):
    if set(entry) != {"file", "holds"}:
        raise table.Wrong(f"{path.name}: {rule}: want file and holds")
    file = root / entry["file"]
    if not file.is_file() or entry["holds"] not in file.read_text():
        raise table.Wrong(f"{path.name}: {rule}: {entry['file']} holds no '{entry['holds']}'")


def check(found, rows, rules):
    """Every rule has a row or a place elsewhere, and none has both."""
    shown = {row.rule for row in rows}
    unheld = [rule for rule in rules if rule not in shown and rule not in found]
    if unheld:
        raise table.Wrong(f"rules with neither a row nor a place in {NAME}: {' '.join(unheld)}")
    both = [rule for rule in rules if rule in shown and rule in found]
    if both:
        raise table.Wrong(f"{NAME}: rules that have rows: {' '.join(both)}")
