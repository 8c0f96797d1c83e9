# SPDX-License-Identifier: Apache-2.0
# accepted.py - differences that are accepted, each with its reason; docs/server-differences.md
# tells them to users.
#
# An entry names cells by patterns, in which * stands for anything.  It must excuse exactly what
# differs: a pattern that matches a cell which agrees, and one that matches none, fail the test.
import re

from objects import GROUP, RESOURCES

ACCEPTED = [
    ("YAML is not served", [
        "get * accept=yaml",
        "list * accept=yaml",
        "watch * accept=yaml",
        "create * content type yaml",
    ]),
    ("there is no server-side apply", ["patch * apply"]),
    ("there is no garbage collector: what it would do is taken as done", [
        f"{step.format(plural)} {policy}"
        for plural in RESOURCES
        if plural not in ("events", "namespaces")
        for step in ("delete {} policy", "read {} policy", "patch {} set free")
        for policy in ("Foreground", "Orphan")
    ]),
    ("specs are not validated", [
        "POST /api/v1/namespaces/cmp-a/pods//",
        "create pods body null",
        "create pods body object",
        "create deployments body null",
        "create deployments body object",
        "create services body null",
        "create services body object",
    ]),
    ("names that are valid but unwise are not warned of", [
        "create pods name dot",
        "create pods name 64",
        "create deployments name dot",
        "create deployments name 64",
        "create widgets metadata finalizer",
        "create planets metadata finalizer",
    ]),
    ("a cause that a real server tells three times is told four times", [
        "update deployments label bad",
        "patch deployments merge label bad",
        "update services label bad",
        "patch services merge label bad",
        "patch leases merge label bad",
        "patch widgets merge label bad",
        "patch planets merge label bad",
    ]),
    ("members of an object that a message quotes are in another order", [
        "patch configmaps merge labels text",
        "patch secrets merge labels text",
        "patch pods merge labels text",
        "patch deployments merge labels text",
        "patch services merge labels text",
        "patch leases merge labels text",
        "patch events merge labels text",
        "patch nodes merge labels text",
        "patch namespaces merge labels text",
        "patch configmaps json number",
        "patch secrets json number",
        "patch pods json number",
        "patch deployments json number",
        "patch services json number",
        "patch leases json number",
        "patch events json number",
        "patch nodes json number",
        "patch namespaces json number",
    ]),
    ("that a custom resource changes its group is refused with other words", [
        "patch widgets merge apiVersion",
        "patch planets merge apiVersion",
        "update widgets scale other kind",
    ]),
    ("a real server panics, and closes the connection", [
        "create widgets content type protobuf",
        "create planets content type protobuf",
    ]),
    ("who asks for a certificate is a user of the server that is asked", [
        "create certificatesigningrequests ok",
        "read certificatesigningrequests approval",
        "read certificatesigningrequests status",
        "patch certificatesigningrequests * ok",
        "patch certificatesigningrequests approval more",
    ]),
    ("an empty namespace in the path is no namespace", [
        "POST /api/v1/namespaces//configmaps",
        "DELETE /api/v1/namespaces//configmaps",
    ]),
    ("a patch of a collection is refused before its media type is", [
        f"PATCH /apis/{GROUP}/v1/namespaces/cmp-a/widgets",
    ]),
]


class Excuses:
    def __init__(self):
        self.rows = [(reason, pattern, compiled(pattern)) for reason,
            patterns in ACCEPTED for pattern in patterns]
        self.used = set()

    def reason_for(self, name):
        for reason, pattern, matcher in self.rows:
            if matcher.fullmatch(name):
                self.used.add(pattern)
                return reason
        return None

    def unused(self):
        return [f"{pattern}: {reason}" for reason, pattern,
            _ in self.rows if pattern not in self.used]


def compiled(pattern):
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")))
