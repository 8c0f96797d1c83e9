# SPDX-License-Identifier: Apache-2.0
"""What the check scripts know about the tree."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIPPED = {".git", "build", "fixtures", "corpus", "__pycache__"}
C_ENDINGS = (".c", ".h", ".cpp")


def files(top="", endings=None):
    """Paths below `top`, from the root of the tree, sorted."""
    found = []
    for directory, names, leaves in os.walk(os.path.join(ROOT, top)):
        names[:] = [name for name in names if name not in SKIPPED]
        for leaf in leaves:
            if endings is None or leaf.endswith(endings):
                found.append(os.path.relpath(os.path.join(directory, leaf), ROOT))
    return sorted(found)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", newline="") as file:
        return file.read()


def without_comments(text, keep_strings=True):
    """C text with comments blanked, and strings too if asked; every line keeps its number."""
    pattern = r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''

    def blank(match):
        token = match.group(0)
        if token.startswith("/*"):
            return re.sub(r"[^\n]", " ", token)
        return token if keep_strings else token[0] + " " * (len(token) - 2) + token[-1]

    return re.sub(pattern, blank, text, flags=re.S)


LIBRARIES = {"libkin": False, "libkin-testing": True}


def public_headers(library=None):
    """Those of one library, or all: kin/testing/ is libkin-testing's."""
    found = files("include/kin", ".h")
    if library is None:
        return found
    return [path for path in found if ("/testing/" in path) == LIBRARIES[library]]


def public_functions(library=None):
    """Names of the functions that the public headers declare with KIN_API."""
    names = set()
    for path in public_headers(library):
        text = without_comments(read(path))
        names.update(re.findall(r"^KIN_API\b[^;]*?\b(kin_\w+)\s*\(", text, flags=re.M | re.S))
    return names


def public_macros(library=None):
    """Names of the macros of the public headers, include guards apart."""
    names = set()
    for path in public_headers(library):
        text = without_comments(read(path))
        guard = re.search(r"#ifndef (\w+_H)\b", text)
        names.update(re.findall(r"^#\s*define\s+(\w+)", text, flags=re.M))
        names.discard(guard.group(1) if guard else None)
    return names


def allowed(path):
    """An allow-list: lines of "name: reason"; a line without a reason ends the check."""
    entries = {}
    for number, line in enumerate(read(path).splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            name, _, reason = line.partition(": ")
            if not reason.strip():
                sys.exit(f"{path}:{number}: no reason is given")
            entries[name] = reason
    return entries


def finish(problems):
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
