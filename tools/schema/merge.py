#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""merge.py - the tables of several Kubernetes releases as one.

    tools/schema/merge.py v0.30.0.tsv ... v0.37.2.tsv > union.tsv

Adds two columns to every line: the first and the last minor release that has it.  What a release
removed stays, because numbers are never used again; of what several have, the newest counts.
Stops when a number changed what it is on the wire: then there is no table for both.
"""
import os
import re
import sys

SHAPES = ("rep", "map")


class Seen:
    """What the newest release says, and since when there is such a thing."""

    def __init__(self, columns, minor):
        self.columns = columns
        self.since = self.until = minor

    def line(self, *head):
        return "\t".join([*map(str, head), *self.columns, str(self.since), str(self.until)]) + "\n"


class Union:
    def __init__(self):
        self.kinds = {}
        self.messages = {}
        self.fields = {}
        self.orders = {}

    def add(self, path):
        """Takes a release; the newest comes first."""
        minor = minor_of(path)
        order = {}
        with open(path, encoding="utf-8") as table:
            for line in table:
                letter, *c = line.rstrip("\n").split("\t")
                if letter == "K":
                    note(self.kinds, tuple(c[:3]), c[3:], minor)
                elif letter == "M":
                    note(self.messages, c[0], c[1:2], minor)
                    order[c[0]] = []
                elif letter == "F":
                    key = (c[0], int(c[2]))
                    check_shape(key, note(self.fields, key, c[3:], minor), c[3:])
                    order[c[0]].append(int(c[2]))
                else:
                    sys.exit("merge.py: %s: no line of a table: %s" % (path, line.rstrip("\n")))
        for message, numbers in order.items():
            self.orders[message] = merged(self.orders.get(message, []), numbers)

    def write(self, out):
        for key in sorted(self.kinds):
            out.write(self.kinds[key].line("K", *key))
        for message in sorted(self.messages):
            numbers = self.orders[message]
            out.write(self.messages[message].line("M", message))
            for i, number in enumerate(numbers):
                out.write(self.fields[message, number].line("F", message, i, number))


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: merge.py v0.30.0.tsv ... > union.tsv")
    union = Union()
    for path in sorted(sys.argv[1:], key=minor_of, reverse=True):
        union.add(path)
    union.write(sys.stdout)


def minor_of(path):
    match = re.fullmatch(r"v0\.(\d+)\.\d+\.tsv", os.path.basename(path))
    if match is None:
        sys.exit("merge.py: %s is not named for a release" % path)
    return int(match.group(1))


def note(found, key, columns, minor):
    seen = found.setdefault(key, Seen(columns, minor))
    seen.since = minor
    return seen


def check_shape(key, newest, columns):
    """Pointers, names and what JSON leaves out may change; the rest may not."""
    wire, kind, _, flags = columns
    shape = [flag for flag in flags.split(",") if flag in SHAPES]
    newest_shape = [flag for flag in newest.columns[3].split(",") if flag in SHAPES]
    if [wire, kind, shape] != newest.columns[:2] + [newest_shape]:
        sys.exit("merge.py: number %d of %s changed on the wire" % (key[1], key[0]))


def merged(newer, older):
    """The numbers of both; what only the older has follows what came before it there."""
    result = list(newer)
    for i, number in enumerate(older):
        if number not in result:
            before = [result.index(other) for other in older[:i] if other in result]
            result.insert(before[-1] + 1 if before else 0, number)
    return result


main()
