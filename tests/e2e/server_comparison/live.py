# SPDX-License-Identifier: Apache-2.0
# live.py - watches that are open while things change.
import concurrent.futures
import json
import time

import mask
from objects import RESOURCES, encode
from state import JSON, MERGE

SECONDS = 8
WATCHED = ("configmaps", "pods", "widgets", "planets", "events", "namespaces", "leases")
VIEWS = {  # of one namespace, or of all of them
    "all": "",
    "label": "&labelSelector=live%3Dyes",
    "name": "&fieldSelector=metadata.name%3Dlive-2",
    "initial": "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
    "&allowWatchBookmarks=true&labelSelector=live",
    "legacy": "&resourceVersion=0&labelSelector=live",
    "table": "&labelSelector=live%3Dyes",
    "partial": "&labelSelector=live%3Dyes",
    "protobuf": "&labelSelector=live%3Dyes",
}
ACCEPTS = {
    "table": "application/json;as=Table;v=v1;g=meta.k8s.io",
    "partial": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "protobuf": "application/vnd.kubernetes.protobuf",
}


def compare(both):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        sides = list(pool.map(run, both))
    return [(name, request, text, sides[1][name][1]) for name, (request, text) in sides[0].items()]


def run(server):
    watches = [(r, view) for r in WATCHED for view in VIEWS]
    known = {}
    with concurrent.futures.ThreadPoolExecutor(len(watches)) as pool:
        futures = [pool.submit(watch, server, RESOURCES[r], view) for r, view in watches]
        time.sleep(2)
        for plural in WATCHED:
            change(server, RESOURCES[plural], known)
        return {f"live {r} view={view}": told(f.result(), known) for (r, view),
            f in zip(watches, futures)}


def watch(server, r, view):
    target = f"{r.collection('cmp-a')}?watch=1&timeoutSeconds={SECONDS}{VIEWS[view]}"
    if view not in ("initial", "legacy"):
        target += "&resourceVersion=" + server.marks["current"]
    accept = {"Accept": ACCEPTS[view]} if view in ACCEPTS else {}
    return target, server.ask("GET", target, accept)


def told(result, known):
    target, answer = result
    return "GET " + target, mask.answer_text(answer, mask.Names(known, tells_bookmarks=True), True)


def change(server, r, known):
    def write(method, target, headers, body):
        answer = server.ask(method, target, headers, encode(body) if body is not None else b"")
        if answer.status >= 300:
            raise SystemExit(f"{server.name}: {method} {target}: {answer.status} {answer.body!r}")
        version = json.loads(answer.body)["metadata"].get("resourceVersion")
        if version:
            known.setdefault(version, f"{r.plural}-{len(known)}")

    at = r.collection("cmp-a")
    for name, label in (("live-1", "yes"), ("live-2", "no")):
        write("POST", at, JSON, r.object("cmp-a", name, {"live": label}))
    write("POST", r.collection("cmp-b"), JSON, r.object("cmp-b", "live-b", {"live": "yes"}))
    write("PATCH", at + "/live-2", MERGE, {"metadata": {"labels": {"live": "yes"}}})
    write("PATCH", at + "/live-1", MERGE, r.changed)
    write("PATCH", at + "/live-1", MERGE, r.changed)
    write("PATCH", at + "/live-2", MERGE, {"metadata": {"labels": {"live": "no"}}})
    if r.plural != "namespaces":
        write("PATCH", at + "/live-1", MERGE, {"metadata": {"finalizers": ["kin.example/hold"]}})
        write("DELETE", at + "/live-1?gracePeriodSeconds=0", JSON, None)
        write("PATCH", at + "/live-1", MERGE, {"metadata": {"finalizers": None}})
        write("DELETE", at + "/live-2?gracePeriodSeconds=0", JSON, None)
