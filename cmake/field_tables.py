#!/usr/bin/python3
"""cmake/field_tables.py OUT FILE...: field tables of built-in kinds into one C source of constants.

What the files say is told in fakeapi/types/README.md, what comes out in fakeapi/types/table.h.
"""
import pathlib
import re
import sys

SCALARS = {
    "s": ("TEXT", "string"), "b": ("BYTES", "[]uint8"), "B": ("BOOL", "bool"),
    "i": ("INT32", "int32"), "l": ("INT64", "int64"), "d": ("DOUBLE", "float64"),
    "Time": ("TIME", "v1.Time"), "MicroTime": ("MICRO_TIME", "v1.MicroTime"),
    "Quantity": ("QUANTITY", "resource.Quantity"),
    "IntOrString": ("INT_OR_STRING", "intstr.IntOrString"), "Raw": ("RAW", "v1.JSON"), "Texts": ("TEXTS", "[]string"),
    "SchemaOrArray": ("SCHEMA_OR_ARRAY", "v1.JSONSchemaPropsOrArray"),
    "SchemaOrBool": ("SCHEMA_OR_BOOL", "v1.JSONSchemaPropsOrBool"),
    "SchemaOrTexts": ("SCHEMA_OR_TEXTS", "v1.JSONSchemaPropsOrStringArray"),
}
HEAD = re.compile(r"(?:kind (?P<version>\S+) (?P<kind>\w+)(?: as (?P<alias>\S+))?|(?P<name>\S+)):")
FIELD = re.compile(r"(?P<number>\d+) (?P<json>\S+) (?P<inline>\^?)(?P<open>[\[{]?)"
                   r"(?P<base>[A-Za-z0-9@/]+)(?:=(?P<item>[^\s\]}?!=]+))?(?P<close>[\]}]?)"
                   r"(?:=(?P<whole>[^\s?!]+))?(?P<pointer>\??)(?P<kept>!?)")


class Texts:
    """All texts in one, each once, each ended by a NUL."""

    def __init__(self):
        self.offsets = {"": 0}
        self.size = 1

    def offset(self, text):
        if text not in self.offsets:
            self.offsets[text] = self.size
            self.size += len(text) + 1
        return self.offsets[text]


def fail(what):
    sys.exit(f"field_tables: {what}")


def read(paths):
    """Messages by name, in order, each its fields; and kinds as (apiVersion, kind, message)."""
    messages, kinds = {}, []
    for path in paths:
        lines = [line for line in pathlib.Path(path).read_text().splitlines()
                 if line and not line.startswith("#")]
        for block in re.split(r"\n(?! )", "\n".join(lines)):
            head = HEAD.match(block)
            if head is None:
                fail(f"{path}: no message: {block}")
            name = head["name"] or head["alias"] or head["kind"]
            if name in messages:
                fail(f"{path}: {name} stands twice")
            if head["kind"]:
                kinds.append((head["version"], head["kind"], name))
            rest = " ".join(block[head.end():].split())
            messages[name] = [parse(path, name, text) for text in rest.split(", ") if text]
    return messages, kinds


def parse(path, message, text):
    field = FIELD.fullmatch(text)
    if field is None or {"": "", "[": "]", "{": "}"}[field["open"]] != field["close"]:
        fail(f"{path}: {message}: no field: {text}")
    return field


def message_go_type(name):
    """v1.PodSpec; what stands behind an @ says of which group and version it is."""
    struct, _, place = name.partition("@")
    return f"{place.split('/')[-1] or 'v1'}.{struct}"


def go_types(field):
    base = field["base"]
    plain = SCALARS[base][1] if base in SCALARS else message_go_type(base)
    named, whole = field["item"], field["whole"]
    if field["open"] == "":
        return whole or named or plain, ""
    item = named or plain
    return item, whole or {"[": "[]", "{": "map[string]"}[field["open"]] + item


def field_row(field, texts, index):
    base = field["base"]
    if base not in SCALARS and base not in index:
        fail(f"{field['json']}: no such message: {base}")
    kind = SCALARS[base][0] if base in SCALARS else "MESSAGE"
    shape = {"": "ONE", "[": "LIST", "{": "MAP"}[field["open"]]
    flags = ["FIELD_" + flag for group, flag in
             (("inline", "INLINE"), ("pointer", "POINTER"), ("kept", "KEPT")) if field[group]]
    item, whole = go_types(field)
    return (f"    {{{texts.offset(field['json'])}, {texts.offset(item)}, {texts.offset(whole)}, "
            f"{index.get(base, 0)}, {field['number']}, {len(field['json'])}, TYPE_{kind}, "
            f"SHAPE_{shape}, {' | '.join(flags) or '0'}}}, /* {field['json']} */")


def by_name(field):
    """As types_field() looks for it: shorter first. What is inlined has no name in JSON."""
    return (field["inline"] != "", len(field["json"]), field["json"])


def write(out, messages, kinds):
    texts, index = Texts(), {name: at for at, name in enumerate(messages)}
    field_rows, message_rows = [], []
    for name, fields in messages.items():
        inlined = [field for field in fields if field["inline"]]
        if len(inlined) > 1:
            fail(f"{name}: more than one message is inlined")
        inline = index[inlined[0]["base"]] if inlined else "TYPE_NO_MESSAGE"
        message_rows.append(f"    {{{texts.offset(message_go_type(name))}, {len(field_rows)}, "
                            f"{len(fields) - len(inlined)}, {inline}}}, /* {name} */")
        field_rows += [field_row(field, texts, index) for field in sorted(fields, key=by_name)]
    kind_rows = [f"    {{{texts.offset(version)}, {texts.offset(kind)}, {index[name]}}},"
                 for version, kind, name in sorted(kinds, key=lambda row: row[1::-1])]
    if texts.size > 65535:
        fail("more texts than 16 bits can say")
    source = ["/* made from *.fields; see cmake/field_tables.py */",
              '#include "fakeapi/types/table.h"', "", "const char type_texts[] ="]
    source += [f'    "{text}\\0"' for text in texts.offsets]
    source += ["    ;", "const struct type_field type_fields[] = {", *field_rows, "};",
               "const struct type_message type_messages[] = {", *message_rows, "};",
               "const struct type_kind type_kinds[] = {", *kind_rows, "};",
               f"const size_t type_kind_count = {len(kind_rows)};",
               f"const size_t type_object_meta = {index['ObjectMeta']};",
               f"const size_t type_json_schema = {index['JSONSchemaProps']};", ""]
    pathlib.Path(out).write_text("\n".join(source))


if __name__ == "__main__":
    write(sys.argv[1], *read(sys.argv[2:]))
