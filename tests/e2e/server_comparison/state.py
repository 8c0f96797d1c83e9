# SPDX-License-Identifier: Apache-2.0
# state.py - brings both servers into the same state, and remembers versions on the way.
#
# Marks, each server's own:  compacted, older, current, future;  and continue tokens by resource:
# token.RESOURCE (valid), expired.RESOURCE.
import concurrent.futures
import json
import urllib.parse

from objects import NAMESPACES, RESOURCES, definition, encode

JSON = {"Content-Type": "application/json"}
MERGE = {"Content-Type": "application/merge-patch+json"}
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SETS = {  # name: (namespace, labels)
    "one": ("cmp-a", {"app": "x", "tier": "front"}),
    "two": ("cmp-a", {"app": "y"}),
    "three": ("cmp-a", {"app": "x", "tier": "back"}),
    "four": ("cmp-b", {"app": "x"}),
    "five": ("cmp-b", None),
}


class Writer:
    """Writes to one server; versions get names in the order of the writes."""

    def __init__(self, server):
        self.server = server
        self.last = None

    def write(self, method, target, headers, body):
        answer = self.server.ask(method, target, headers, body)
        if answer.status >= 300:
            what = f"{self.server.name}: {method} {target}"
            raise SystemExit(f"{what}: {answer.status} {answer.body!r}")
        version = json.loads(answer.body)["metadata"].get("resourceVersion")
        if version:
            self.server.names.setdefault(version, f"W{len(self.server.names)}")
            self.last = version

    def create(self, resource, ns, name, labels=None):
        body = encode(resource.object(ns, name, labels))
        self.write("POST", resource.collection(ns), JSON, body)

    def patch(self, resource, ns, name, change):
        self.write("PATCH", resource.item(ns, name), MERGE, encode(change))

    def delete(self, resource, ns, name):
        self.write("DELETE", resource.item(ns, name) + "?gracePeriodSeconds=0", JSON, b"")


def prepare(real, embedded):
    embedded.copied = system_objects(real)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(prepare_one, (real, embedded)))


def system_objects(real):
    """Config maps that kube-apiserver makes at its start, some moments after it is ready."""
    target = "/api/v1/namespaces/kube-system/configmaps"
    answer = real.wait_until(target, lambda a: len(json.loads(a.body)["items"]) >= 2)
    return [(i["metadata"]["name"], i["data"]) for i in json.loads(answer.body)["items"]]


def prepare_one(server):
    w = Writer(server)
    make_places(w)
    server.marks["compacted"] = w.last
    for r in RESOURCES.values():
        if r.plural != "namespaces":
            w.create(r, "cmp-a", "old-1")
            w.create(r, "cmp-a", "old-2")
        server.marks["expired." + r.plural] = first_page(server, r)
    for r in RESOURCES.values():
        if r.plural != "namespaces":
            w.delete(r, "cmp-a", "old-1")
            w.delete(r, "cmp-a", "old-2")
    server.compact()
    for r in RESOURCES.values():
        server.wait_until(r.collection(), lambda a: a.status == 200)
    forget_events(server)
    fill(w)


def forget_events(server):
    """A real server that starts slowly tells of itself: it finds the service "kubernetes" before
    the address that it took for it, and says that it repairs that."""
    answer = server.ask("DELETE", "/api/v1/namespaces/default/events")
    if answer.status != 200:
        raise SystemExit(f"{server.name}: events: {answer.status} {answer.body!r}")


def make_places(w):
    for plural, kind, scope in (("widgets", "Widget", "Namespaced"),
            ("planets", "Planet", "Cluster")):
        w.write("POST", DEFINITIONS, JSON, encode(definition(plural, kind, scope)))
        w.server.wait_until(RESOURCES[plural].collection(), lambda a: a.status == 200)
    for ns in NAMESPACES:
        w.create(RESOURCES["namespaces"], None, ns)
    copy_system_objects(w)


def copy_system_objects(w):
    """So that lists over all namespaces are the same."""
    for name, data in getattr(w.server, "copied", []):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
        answer = w.server.ask("POST", "/api/v1/namespaces/kube-system/configmaps", JSON,
            encode(body))
        if answer.status != 201:
            raise SystemExit(f"{w.server.name}: {name}: {answer.body!r}")


def fill(w):
    marks = w.server.marks
    for r in RESOURCES.values():
        for name, (ns, labels) in SETS.items():
            w.create(r, ns, "cmp-" + name, labels)
    marks["older"] = w.last
    for r in RESOURCES.values():
        w.patch(r, "cmp-a", "cmp-two", {"metadata": {"labels": {"app": "x"}}})
        w.patch(r, "cmp-a", "cmp-three", {"metadata": {"labels": {"app": "z"}}})
        w.patch(r, "cmp-a", "cmp-one", r.changed)
        w.create(r, "cmp-b", "cmp-six", {"app": "y"})
        if r.plural != "namespaces":
            w.delete(r, "cmp-b", "cmp-five")
    marks["current"] = w.last
    marks["future"] = str(int(w.last) + 1000000)
    for r in RESOURCES.values():
        marks["token." + r.plural] = first_page(w.server, r)


def first_page(server, r):
    answer = server.ask("GET", r.collection("cmp-a") + "?limit=1")
    return urllib.parse.quote(json.loads(answer.body)["metadata"]["continue"])


def listed_resources(server):
    """Versions and plural names of all that can be watched, the two custom resources aside."""
    out = []
    versions = ["v1"]
    for group in json.loads(server.ask("GET", "/apis").body)["groups"]:
        versions += [v["groupVersion"] for v in group["versions"]]
    for version in versions:
        root = "/apis/" if "/" in version else "/api/"
        for r in json.loads(server.ask("GET", root + version).body)["resources"]:
            if "watch" in r["verbs"]:
                out.append((version, r["name"]))
    return out
