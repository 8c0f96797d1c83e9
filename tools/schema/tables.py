#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""tables.py - the table of all releases as the constant arrays of src/proto/schema_tables.c.

    tools/schema/tables.py union.tsv > src/proto/schema_tables.c

The same input gives the same bytes.  What the arrays mean stands in src/proto/schema_tables.h; this
program also checks what the code there takes for granted and stops when a release breaks it.
"""
import re
import sys

FIRST_RELEASE = 30  # KIN__PB_FIRST_RELEASE
NUMBER_MAX = 63
INLINE_MAX = 2
NO_MESSAGE = 0xFFFF
COLUMNS = 100

TYPES = ["string", "bool", "int32", "int64", "double", "bytes", "message", "typemeta"]
WIRES = {"string": "len", "bool": "varint", "int32": "varint", "int64": "varint",
         "double": "fixed64", "bytes": "len", "message": "len", "typemeta": "-"}
FLAGS = ["ptr", "rep", "map", "omitempty", "omitzero", "inline", "nojson"]
SPECIALS = ["-", "time", "microtime", "quantity", "intorstr", "raw", "fieldsv1", "json",
            "schema_or_bool", "schema_or_array", "schema_or_strings", "list", "unknown"]

# Every group repeats these kinds; they are kept where the server itself names them.
REPEATED = {"meta.v1." + name for name in (
    "CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions",
    "WatchEvent")}
REPEATED_KEPT = {"v1", "meta.k8s.io/v1"}


class Fault(Exception):
    pass


class Field:
    def __init__(self, columns, messages):
        number, wire, kind, name, flags, since, until = columns
        self.number = int(number)
        self.name = "" if name == "-" else name
        self.flags = [] if flags == "-" else flags.split(",")
        self.since, self.until = int(since), int(until)
        self.set_type(wire, kind, messages)

    def set_type(self, wire, kind, messages):
        if "typemeta" in self.flags:
            self.flags.remove("typemeta")
            kind = "typemeta"
        elif "map" in self.flags:
            key, kind = kind.split(":")
            require(key == "string" and wire == "len", "map with keys of type " + key)
        self.message = messages.get(kind)
        self.type = "message" if self.message is not None else kind
        require(self.type in TYPES, "type " + kind)
        require("map" in self.flags or WIRES[self.type] == wire, "%s as %s" % (kind, wire))
        require(all(flag in FLAGS for flag in self.flags), "flags " + ",".join(self.flags))
        require((self.number == 0) == (self.type == "typemeta"), "number 0")
        require(self.number <= NUMBER_MAX, "number %d" % self.number)
        require(FIRST_RELEASE <= self.since <= self.until < FIRST_RELEASE + 16, "releases")

    def row(self, name_offset):
        flags = sum(1 << FLAGS.index(flag) for flag in self.flags)
        releases = (self.since - FIRST_RELEASE) << 4 | (self.until - FIRST_RELEASE)
        message = NO_MESSAGE if self.message is None else self.message
        return (self.number, TYPES.index(self.type), flags, releases, name_offset, message)


class Message:
    def __init__(self, name, special):
        self.name = name
        self.special = special
        self.fields = []


class Names:
    """The pool of JSON names, each as a length and then ,"name": as it is written."""

    def __init__(self):
        self.pieces = [(0, "")]
        self.offsets = {"": 0}
        self.size = 1

    def offset_of(self, name):
        if name not in self.offsets:
            require(re.fullmatch("[-$A-Za-z0-9]{1,255}", name), "name " + name)
            self.offsets[name] = self.size
            self.pieces.append((len(name), ',\\"%s\\":' % name))
            self.size += 1 + len(name) + len(',"":')
            require(self.size <= 0xFFFF, "pool of names over 64 KB")
        return self.offsets[name]

    def hash_table(self):
        """Offsets by hash of the name: open addressing, 0 is free; a third stays free or more."""
        size = 1
        while size < 3 * len(self.offsets) // 2:
            size *= 2
        slots = [0] * size
        for name, offset in self.offsets.items():
            slot = name_hash(name) & (size - 1)
            while slots[slot] != 0:
                slot = (slot + 1) & (size - 1)
            slots[slot] = offset
        return slots


class Texts:
    """The pool of group/versions and kinds: a length, then the characters."""

    def __init__(self):
        self.pieces = []
        self.offsets = {}
        self.size = 0

    def offset_of(self, text):
        if text not in self.offsets:
            require(re.fullmatch("[-./A-Za-z0-9]{1,255}", text), "name " + text)
            self.offsets[text] = self.size
            self.pieces.append((len(text), text))
            self.size += 1 + len(text)
        return self.offsets[text]


class Run:
    """A sequence in which later sequences are looked for before they are added."""

    def __init__(self):
        self.items = []
        self.starts = {}

    def offset_of(self, sequence):
        if not sequence:
            return 0
        for start in self.starts.get(sequence[0], []):
            if self.items[start:start + len(sequence)] == sequence:
                return start
        start = len(self.items)
        for i, item in enumerate(sequence):
            self.starts.setdefault(item, []).append(start + i)
        self.items += sequence
        return start


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: tables.py union.tsv > schema_tables.c")
    try:
        with open(sys.argv[1], encoding="utf-8") as source:
            kinds, messages = read_table(source)
        check_inlines(messages)
        sys.stdout.write(source_text(kinds, messages))
    except Fault as fault:
        sys.exit("tables.py: %s" % fault)


def require(truth, what):
    if not truth:
        raise Fault("the tables have no place for: " + what)


def name_hash(name):
    """FNV-1a, folded; name_hash() of schema.c is the same."""
    value = 2166136261
    for byte in name.encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value ^ value >> 15


def read_table(source):
    """Kinds as (group/version, kind, message number), sorted; and messages by number."""
    lines = [line.rstrip("\n").split("\t") for line in source]
    messages = [Message(c[1], c[2]) for c in lines if c[0] == "M"]
    numbers = {message.name: i for i, message in enumerate(messages)}
    require(len(messages) < NO_MESSAGE, "%d messages" % len(messages))
    kinds = []
    for c in lines:
        if c[0] == "F":
            try:
                messages[numbers[c[1]]].fields.append(Field(c[3:10], numbers))
            except Fault as fault:
                raise Fault("%s of %s: %s" % (c[6], c[1], fault)) from None
        elif c[0] == "K":
            version = c[2] if c[1] == "-" else c[1] + "/" + c[2]
            if c[4] not in REPEATED or version in REPEATED_KEPT:
                kinds.append((version, c[3], numbers[c[4]]))
    for message in messages:
        require(message.special in SPECIALS, "%s, special %s" % (message.name, message.special))
        require(len(message.fields) < 256, "%s, %d rows" % (message.name, len(message.fields)))
        taken = [field.number for field in message.fields]
        require(len(taken) == len(set(taken)), message.name + ", a number twice")
    return sorted(kinds), messages


def check_inlines(messages):
    """Inline rows are plain messages by value and not too deep, and no name is met twice."""
    for message in messages:
        names = member_names(messages, message, 0)
        twice = {name for name in names if names.count(name) > 1}
        require(not twice, "%s, members named %s twice" % (message.name, ", ".join(twice)))


def member_names(messages, message, depth):
    require(depth <= INLINE_MAX, "%s, inline %d deep" % (message.name, depth))
    names = []
    for field in message.fields:
        if "inline" in field.flags:
            require(field.flags == ["inline"], "%s, inline with flags" % message.name)
            require(messages[field.message].special == "-", "%s, inline special" % message.name)
            names += member_names(messages, messages[field.message], depth + 1)
        elif field.type == "typemeta":
            names += ["kind", "apiVersion"]
        elif field.name:
            names.append(field.name)
    return names


def source_text(kinds, messages):
    names, rows, numbers, entries, row_notes = Names(), Run(), Run(), [], {}
    for message in messages:
        sequence = [field.row(names.offset_of(field.name)) for field in message.fields]
        known = len(rows.items)
        first = rows.offset_of(sequence)
        if sequence and first == known:
            row_notes[first] = message.name
        largest = max((row[0] for row in sequence), default=0)
        places = [0] * largest
        for i, row in enumerate(sequence):
            if row[0] != 0:
                places[row[0] - 1] = i + 1
        entries.append((first, numbers.offset_of(places), len(sequence), largest,
                        SPECIALS.index(message.special)))
    require(len(rows.items) <= 0xFFFF and len(numbers.items) <= 0xFFFF, "65536 rows")
    texts = Texts()
    versions, kind_rows = [], []
    for version, kind, message in kinds:
        if not versions or versions[-1][2] != version:
            versions.append((texts.offset_of(version), len(kind_rows), version))
        kind_rows.append((texts.offset_of(kind), message, kind))
    require(texts.size <= 0xFFFF, "pool of kinds over 64 KB")
    slots = names.hash_table()
    return "".join([
        head(max(field.until for message in messages for field in message.fields)),
        array("kin__pb_row kin__pb_table_rows[%d]" % len(rows.items),
              [braced(row) for row in rows.items], row_notes),
        array("kin__pb_table_message kin__pb_table_messages[%d]" % len(entries),
              [braced(entry) for entry in entries]),
        "const size_t kin__pb_table_message_count = %d;\n\n" % len(entries),
        array("uint8_t kin__pb_table_numbers[%d]" % len(numbers.items), map(str, numbers.items)),
        pool("kin__pb_table_names", names.pieces),
        array("uint16_t kin__pb_table_name_slots[%d]" % len(slots), map(str, slots)),
        "const uint32_t kin__pb_table_name_mask = %d;\n\n" % (len(slots) - 1),
        array("kin__pb_table_version kin__pb_table_versions[%d]" % (len(versions) + 1),
              [braced(v[:2]) for v in versions] + [braced((0, len(kind_rows)))]),
        "const size_t kin__pb_table_version_count = %d;\n\n" % len(versions),
        array("kin__pb_table_kind kin__pb_table_kinds[%d]" % len(kind_rows),
              [braced(k[:2]) for k in kind_rows]),
        pool("kin__pb_table_texts", texts.pieces),
        size_check(["rows", "messages", "numbers", "names", "name_slots", "versions", "kinds",
                    "texts"]),
    ])


def head(last_release):
    return """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_tables.c - the Kubernetes API types of 1.%d to 1.%d, as constants.
 *
 * Generated by tools/schema/tables.py; change that instead.  A comment names the message whose
 * rows begin there; messages with equal rows share them.
 */
#include "proto/schema_tables.h"

_Static_assert(KIN__PB_FIRST_RELEASE == %d && KIN__PB_LAST_RELEASE == %d, "other releases");
_Static_assert(KIN__PB_TYPEMETA == %d && KIN__PB_NOJSON == 1u << %d && KIN__PB_UNKNOWN == %d,
               "other types, flags or specials");

#pragma GCC diagnostic ignored "-Woverlength-strings"

/* clang-format off */
""" % (FIRST_RELEASE, last_release, FIRST_RELEASE, last_release, len(TYPES) - 1, len(FLAGS) - 1,
       len(SPECIALS) - 1)


def size_check(arrays):
    sizes = " +\n    ".join("sizeof(kin__pb_table_%s)" % name for name in arrays)
    return """_Static_assert(
    %s
        <= KIN__PB_TABLE_BYTES_MAX,
    "the tables are too large");
""" % sizes


def braced(values):
    return "{" + ",".join(map(str, values)) + "}"


def array(declaration, items, notes=None):
    lines, line = [], ""
    for i, item in enumerate(items):
        if notes and i in notes:
            if line:
                lines.append(line)
            lines.append("    /* %s */" % notes[i])
            line = ""
        if len(line) + len(item) + 2 > COLUMNS:
            lines.append(line)
            line = ""
        line += ("    " if not line else " ") + item + ","
    lines.append(line)
    return "const %s = {\n%s\n};\n\n" % (declaration, "\n".join(lines))


def pool(name, pieces):
    lines, line = [], ""
    for length, text in pieces:
        piece = "\\%03o%s" % (length, text)
        if len(line) + len(piece) + 6 > COLUMNS:
            lines.append('    "%s"' % line)
            line = ""
        line += piece
    lines.append('    "%s"' % line)
    size = sum(1 + len(text.replace("\\", "")) for _, text in pieces) + 1
    return "const char %s[%d] =\n%s;\n\n" % (name, size, "\n".join(lines))


main()
