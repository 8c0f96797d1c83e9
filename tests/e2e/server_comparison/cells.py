# SPDX-License-Identifier: Apache-2.0
# cells.py - the matrix of reads: every cell is one request to both servers.
#
# In a target, {older} and the like stand for each server's own mark (state.py).
import base64
import itertools
import json
from urllib.parse import quote

from objects import GROUP, RESOURCES

VERSIONS = {
    "unset": None,
    "0": "0",
    "current": "{current}",
    "older": "{older}",
    "compacted": "{compacted}",
    "future": "{future}",
    "garbage": "abc",
    "negative": "-1",
}
MARKS = ("older", "current", "future", "compacted")
MATCHES = {"unset": None, "Exact": "Exact", "NotOlderThan": "NotOlderThan", "garbage": "Whatever"}
LIMITS = {"unset": None, "0": "0", "1": "1", "2": "2", "all": "3", "abc": "abc", "-1": "-1"}


def token(value):
    raw = value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


CONTINUES = {
    "valid": "{token}",
    "expired": "{expired}",
    "not-base64": "!!!",
    "not-json": token(b"hello"),
    "no-version": token({"rv": 5, "start": "x\0"}),
    "other-version": token({"v": "meta.k8s.io/v2", "rv": 5, "start": "x\0"}),
    "no-start": token({"v": "meta.k8s.io/v1", "rv": 5}),
    "escapes": token({"v": "meta.k8s.io/v1", "rv": 5, "start": "../x\0"}),
    "zero": token({"v": "meta.k8s.io/v1", "rv": 0, "start": "x\0"}),
    "inconsistent": token({"v": "meta.k8s.io/v1", "rv": -1, "start": "cmp-one\0"}),
}
LABELS = [
    "app=x", "app==x", "app!=x", "app", "!app", "app in (x,y)", "app notin (x)", "app=x,tier",
    "app=x,tier=front",
    "tier notin (front),app", "app in ()", "app in (", "app=x,,tier", ",", "=x", "app=x y", "-a=b",
    "app=-x",
    "app=" + "a" * 64, "a/b/c=d", "A.b/c=d", "size>1", "size<x", "app=x=y", "!", "app in (x),!tier",
    " app = x ", "é=1",
]
FIELDS = [
    "metadata.name=cmp-one", "metadata.name!=cmp-one", "metadata.name==cmp-two",
    "metadata.namespace=cmp-a",
    "metadata.namespace=cmp-b", "metadata.name=cmp-one,metadata.namespace=cmp-a",
    "metadata.name=none", "metadata.uid=x",
    "spec.nodeName=cmp-n1", "spec.nodeName!=cmp-n1", "status.phase=Pending", "status.phase=Active",
    "spec.unschedulable=true",
    "type=Opaque", "type=Normal", "reason=Because", "involvedObject.name=x", "spec.color=red",
    "spec.size=1", "spec.type=ClusterIP",
    "metadata.name", "=x", "metadata.name=a=b", "metadata.name=a\\,b", "metadata.name>x",
    "metadata.name in (a)", ",",
    "metadata.labels=x",
]
JSON = "application/json"
PROTOBUF = "application/vnd.kubernetes.protobuf"
TABLE = ";as=Table;v=v1;g=meta.k8s.io"
ACCEPTS = {
    "none": None,
    "any": "*/*",
    "json": "application/json",
    "application": "application/*",
    "protobuf": "application/vnd.kubernetes.protobuf",
    "protobuf-json": "application/vnd.kubernetes.protobuf,application/json",
    "json-protobuf": "application/json, application/vnd.kubernetes.protobuf",
    "protobuf-stream": "application/vnd.kubernetes.protobuf;stream=watch",
    "json-stream": "application/json;stream=watch",
    "yaml": "application/yaml",
    "cbor": "application/cbor",
    "cbor-json": "application/cbor,application/json;q=0.5",
    "xml": "application/xml",
    "xml-json": "text/xml, application/json;q=0.1",
    "text": "text/plain",
    "nonsense": ";;;",
    "quality": "application/json;q=0.1,application/vnd.kubernetes.protobuf;q=0.9",
    "charset": "application/json;charset=utf-8",
    "table": "application/json;as=Table;v=v1;g=meta.k8s.io",
    "table-beta": "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
    "table-kubectl": JSON + TABLE + "," + JSON + TABLE.replace("v1", "v1beta1") + "," + JSON,
    "table-protobuf": "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io",
    "table-unknown": "application/json;as=Table;v=v2;g=meta.k8s.io",
    "partial": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "partial-list": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "partial-list-beta": "application/json;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io",
    "partial-protobuf": PROTOBUF + ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "partial-list-protobuf": PROTOBUF + ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "unknown-as": "application/json;as=Nothing;v=v1;g=meta.k8s.io",
}


class Cell:
    def __init__(self, name, method, target, accept=None, headers=None, body=None, resource=None):
        self.name = name
        self.method = method
        self.target = target
        self.headers = dict(headers or {})
        if accept:
            self.headers["Accept"] = accept
        self.body = body
        self.resource = resource
        self.is_watch = "watch=" in target and method == "GET"
        self.asked = next((m for m in MARKS if "{" + m + "}" in target), None)

    def target_for(self, server):
        out = self.target
        for mark in MARKS:
            out = out.replace("{" + mark + "}", server.marks.get(mark, ""))
        for mark in ("token", "expired"):
            out = out.replace("{" + mark + "}", server.marks.get(f"{mark}.{self.resource}", ""))
        return out


def query(path, **parameters):
    given = [(k, v) for k, v in parameters.items() if v is not None]
    words = [f"{k}={v if v.startswith('{') else quote(v)}" for k, v in given]
    return path + ("?" + "&".join(words) if words else "")


def cell(verb, r, ns, note, accept=None, name=None, **parameters):
    path = r.item(ns, name) if name else r.collection(ns)
    target = query(path, **parameters)
    return Cell(f"{verb} {r.plural} {note}", "GET", target, accept, resource=r.plural)


def all_reads(resources):
    return [
        *every_resource(resources),
        *list_versions(), *list_continues(), *gets(), *list_selectors(), *encodings(), *places(),
        *watch_versions(), *watch_selectors(), *watch_times(), *odd_parameters(), *paths(),
        *early_refusals(), *strangers(), *personas(),
        *discovery(),
    ]


def list_versions():
    cells = []
    for plural in ("configmaps", "pods", "events", "widgets", "nodes", "planets", "deployments",
            "leases"):
        r = RESOURCES[plural]
        limits = LIMITS if plural in ("configmaps", "widgets",
            "events") else {k: LIMITS[k] for k in ("unset", "2")}
        for (v, version), (m, match), (l, limit) in itertools.product(VERSIONS.items(),
                MATCHES.items(), limits.items()):
            cells.append(cell("list", r, "cmp-a", f"rv={v} match={m} limit={l}",
                              resourceVersion=version, resourceVersionMatch=match, limit=limit))
    return cells


def list_continues():
    cells = []
    for plural in ("configmaps", "events", "widgets", "planets"):
        r = RESOURCES[plural]
        many = plural == "configmaps"
        versions = ("unset", "0", "current", "garbage") if many else ("unset",)
        matches = ("unset", "Exact", "NotOlderThan") if many else ("unset",)
        for (c, value), v, m, l in itertools.product(CONTINUES.items(), versions, matches,
                ("unset", "1")):
            cells.append(cell("list", r, "cmp-a", f"continue={c} rv={v} match={m} limit={l}",
                              **{"continue": value, "resourceVersion": VERSIONS[v],
                                 "resourceVersionMatch": MATCHES[m], "limit": LIMITS[l]}))
    return cells


def gets():
    cells = []
    for r in RESOURCES.values():
        for v, version in VERSIONS.items():
            cells.append(cell("get", r, "cmp-a", f"rv={v}", name="cmp-one",
                resourceVersion=version))
        for v in ("unset", "0", "older"):
            cells.append(cell("get", r, "cmp-a", f"missing rv={v}", name="none",
                resourceVersion=VERSIONS[v]))
        for sub in ("status", "scale", "log", "nothing", "status/more"):
            cells.append(cell("get", r, "cmp-a", f"subresource={sub}", name="cmp-one/" + sub))
        cells.append(cell("get", r, "cmp-a", "watch=1", name="cmp-one", watch="1"))
        cells.append(cell("get", r, "cmp-a", "pretty=1", name="cmp-one", pretty="1"))
        cells.append(cell("get", r, "cmp-a", "slash", name="cmp-one/"))
    return cells


def list_selectors():
    cells = []
    for plural in ("configmaps", "pods", "widgets", "nodes", "secrets", "events", "namespaces",
            "services"):
        r = RESOURCES[plural]
        labels = LABELS if plural in ("configmaps", "widgets") else LABELS[:12]
        for s in labels:
            cells.append(cell("list", r, "cmp-a", f"labels={s[:30]!r}", labelSelector=s))
        for s in FIELDS:
            cells.append(cell("list", r, "cmp-a", f"fields={s!r}", fieldSelector=s))
        cells.append(cell("list", r, "cmp-a", "labels and limit", labelSelector="app=x", limit="1"))
        cells.append(cell("list", r, "cmp-a", "labels and fields", labelSelector="app=x",
            fieldSelector="metadata.name=cmp-one"))
        cells.append(cell("list", r, None, "labels everywhere", labelSelector="app=x"))
        cells.append(cell("list", r, None, "fields everywhere",
            fieldSelector="metadata.namespace=cmp-b"))
        cells.append(cell("list", r, "cmp-a", "fields older", fieldSelector="metadata.name=cmp-two",
            labelSelector="app=y",
                          resourceVersion="{older}", resourceVersionMatch="Exact"))
    return cells


def encodings():
    cells = []
    for plural in ("configmaps", "pods", "widgets", "nodes", "events", "deployments", "leases",
            "services", "namespaces", "secrets"):
        r = RESOURCES[plural]
        for a, accept in ACCEPTS.items():
            label = None if r.namespaced else "app"
            cells.append(cell("list", r, "cmp-a", f"accept={a}", accept=accept,
                labelSelector=label))
            cells.append(cell("get", r, "cmp-a", f"accept={a}", accept=accept, name="cmp-one"))
            cells.append(cell("get", r, "cmp-a", f"missing accept={a}", accept=accept, name="none"))
            cells.append(cell("watch", r, "cmp-a", f"accept={a}", accept=accept, watch="1",
                timeoutSeconds="1",
                              labelSelector="app", resourceVersion="0", allowWatchBookmarks="1"))
        for include in ("None", "Metadata", "Object", "Nonsense"):
            cells.append(cell("list", r, "cmp-a", f"table include={include}",
                accept=ACCEPTS["table"],
                              includeObject=include, labelSelector="app"))
            cells.append(cell("watch", r, "cmp-a", f"table include={include}",
                accept=ACCEPTS["table"], watch="1",
                              includeObject=include, labelSelector="app", timeoutSeconds="1",
                              resourceVersion="{older}"))
        for pretty in ("true", "1", "0", "", "nonsense"):
            cells.append(cell("list", r, "cmp-a", f"pretty={pretty}", pretty=pretty,
                labelSelector="app"))
    return cells


def places():
    cells = []
    for r in RESOURCES.values():
        shared = r.plural in ("leases", "services", "namespaces")
        for where, ns in (("everywhere", None), ("missing", "no-such"), ("b", "cmp-b")):
            label = "app" if shared else None
            cells.append(cell("list", r, ns, f"in={where}", labelSelector=label))
            cells.append(cell("list", r, ns, f"in={where} limit=2", labelSelector=label, limit="2"))
            cells.append(cell("watch", r, ns, f"in={where}", watch="1", timeoutSeconds="1",
                labelSelector=label))
            cells.append(cell("watch", r, ns, f"in={where} older", watch="1", timeoutSeconds="1",
                labelSelector=label,
                              resourceVersion="{older}"))
            cells.append(cell("get", r, ns, f"in={where}", name="cmp-one"))
    return cells


def watch_versions():
    cells = []
    for plural in ("configmaps", "pods", "events", "widgets", "planets"):
        r = RESOURCES[plural]
        many = plural in ("configmaps", "widgets", "events")
        matches = MATCHES if many else {k: MATCHES[k] for k in ("unset", "NotOlderThan")}
        for (v, version), (m, match), initial, marks in itertools.product(
                VERSIONS.items(), matches.items(), (None, "true", "false"), (None, "true")):
            cells.append(cell("watch", r, "cmp-a",
                f"rv={v} match={m} initial={initial} bookmarks={marks}",
                              watch="1", timeoutSeconds="1", resourceVersion=version,
                              resourceVersionMatch=match,
                              sendInitialEvents=initial, allowWatchBookmarks=marks))
    return cells


def watch_selectors():
    cells = []
    for plural in ("configmaps", "pods", "widgets", "nodes", "events", "namespaces"):
        r = RESOURCES[plural]
        for v in ("unset", "older"):
            for s in LABELS[:8] + ["app in (", "-a=b"]:
                cells.append(cell("watch", r, "cmp-a", f"rv={v} labels={s!r}", watch="1",
                    timeoutSeconds="1",
                                  resourceVersion=VERSIONS[v], labelSelector=s))
            for s in FIELDS[:8] + ["spec.nodeName=cmp-n1", "spec.color=red", "status.phase=Active",
                    "reason=Because", "metadata.name>x"]:
                if plural != "namespaces" or "!" not in s:
                    cells.append(cell("watch", r, "cmp-a", f"rv={v} fields={s!r}", watch="1",
                        timeoutSeconds="1",
                                      resourceVersion=VERSIONS[v], fieldSelector=s,
                                      labelSelector="app"))
    return cells


def watch_times():
    cells = []
    r = RESOURCES["configmaps"]
    for plural in ("configmaps", "widgets"):
        r = RESOURCES[plural]
        for seconds in ("-1", "abc", "", "1", "2", "3"):
            for marks in (None, "1"):
                # With -1 and no version it is chance whether an error is told before the end.
                for v in ("unset", "0", "current")[seconds == "-1" :]:
                    cells.append(cell("watch", r, "cmp-a",
                        f"timeout={seconds} bookmarks={marks} rv={v}", watch="1",
                                      timeoutSeconds=seconds, allowWatchBookmarks=marks,
                                      resourceVersion=VERSIONS[v]))
        for flag in ("true", "1", "yes", "", "TRUE"):
            cells.append(cell("watch", r, "cmp-a", f"watch={flag!r}", watch=flag,
                timeoutSeconds="1"))
        for path in ("watch/namespaces/cmp-a/" + plural, "watch/" + plural,
                f"watch/namespaces/cmp-a/{plural}/cmp-one"):
            target = f"{r.root}/{path}?timeoutSeconds=1&labelSelector=app&x=watch="
            cells.append(Cell(f"watch {plural} by path {path}", "GET", target, resource=plural))
        for limit in ("1", "abc"):
            cells.append(cell("watch", r, "cmp-a", f"limit={limit}", watch="1", limit=limit,
                timeoutSeconds="1"))
        cells.append(cell("watch", r, "cmp-a", "continue", watch="1", timeoutSeconds="1",
            **{"continue": "{token}"}))
        cells.append(cell("watch", r, "cmp-a", "continue rv=0", watch="1", timeoutSeconds="1",
            resourceVersion="0",
                          **{"continue": "{token}"}))
    return cells


def odd_parameters():
    cells = []
    for plural in ("configmaps", "widgets", "namespaces"):
        r = RESOURCES[plural]
        for text in ("watch=false", "watch=0", "limit=", "limit=1&limit=2", "unknown=1",
                "timeoutSeconds=abc", "timeoutSeconds=0",
                     "sendInitialEvents=true",
                     "sendInitialEvents=false&resourceVersionMatch=NotOlderThan", "timeout=abc",
                     "timeout=10s", "allowWatchBookmarks=1", "resourceVersion=00",
                     "resourceVersion=%2B1", "resourceVersion=1.5",
                     "resourceVersion=18446744073709551616",
                     "resourceVersion=9223372036854775808&limit=1", "labelSelector=",
                     "fieldSelector=", "limit=9223372036854775808", "limit=99999", "continue=",
                     "resourceVersionMatch=",
                     "resourceVersion=&resourceVersionMatch=", "%zz", "a;b",
                     "labelSelector=app%3Dx&labelSelector=app%3Dy", "&&&"):
            own = "labelSelector=app&" if plural == "namespaces" and "label" not in text else ""
            target = r.collection("cmp-a") + "?" + own + text
            cells.append(Cell(f"list {plural} odd={text}", "GET", target, resource=plural))
    return cells


def paths():
    cells = []
    targets = [
        "/api/v1/nothings", "/api/v1/nothings/x", "/api/v1/namespaces/cmp-a/nothings",
        "/api/v2/pods", "/api/v2",
        "/apis/apps/v9/deployments", "/apis/nothing.example/v1/things", f"/apis/{GROUP}/v9/widgets",
        f"/apis/{GROUP}/v1/nothings",
        f"/apis/{GROUP}/v1/namespaces/cmp-a/planets", f"/apis/{GROUP}/v1/widgets/cmp-one",
        "/api/v1/namespaces/cmp-a/nodes",
        "/api/v1/namespaces/cmp-a/nodes/cmp-one", "/api/v1/pods/cmp-one", "/nothing",
        "/api/v1/namespaces/cmp-a/pods//",
        "/api/v1//pods", "/api/v1/namespaces/cmp-a/configmaps/", "/api/v1/namespaces//configmaps",
        "/apis/apps/v1/pods",
        "/api/v1/deployments", "/api/v1/namespaces/cmp-one/status",
        "/api/v1/namespaces/cmp-one/finalize",
        "/api/v1/namespaces/cmp-a/configmaps/a%2Fb",
        "/api/v1/namespaces/cmp-a/configmaps/%63mp-one", "/api/v1/nodes/cmp-one/status",
    ]
    for target, method in itertools.product(targets, ("GET", "POST", "DELETE")):
        body = b"{}" if method == "POST" else None  # with a body, DELETE does not look at the query
        cells.append(Cell(f"{method} {target}", method, target + "?dryRun=All",
            headers={"Content-Type": "application/json"}, body=body))
    for target, method in itertools.product(
            ("/api/v1/namespaces/cmp-a/configmaps", "/api/v1/namespaces/cmp-a/configmaps/cmp-one",
            "/api/v1/pods", "/api/v1/nodes",
             f"/apis/{GROUP}/v1/namespaces/cmp-a/widgets",
             f"/apis/{GROUP}/v1/namespaces/cmp-a/widgets/cmp-one",
             f"/apis/{GROUP}/v1/widgets", "/api/v1/namespaces", "/api/v1", "/version"),
            ("HEAD", "OPTIONS", "FOO", "get", "TRACE", "PUT", "PATCH", "POST")):
        body = b"{}" if method in ("PUT", "PATCH", "POST") else None
        headers = {"Content-Type": "application/json"} if body else None
        cells.append(Cell(f"{method} {target}", method, target + "?dryRun=All", headers=headers,
            body=body))
    return cells


def early_refusals():
    """Refused before the parameters are read, and indented as they ask for."""
    cells = []
    requests = [
        ("GET", "/api/v1/nothings", {}), ("GET", "/apis/apps/v9/x", {}), ("GET", "/nothing", {}),
        ("GET", "/apis/nothing.example/v1/things", {}), ("GET", f"/apis/{GROUP}/v1/nothings", {}),
        ("GET", "/api/v1/namespaces/cmp-a/pods/x/nothing", {}), ("FOO", "/api/v1/pods", {}),
        ("PUT", "/api/v1/pods", {}), ("GET", "/api/v1/pods", {"Accept": "application/xml"}),
        ("GET", "/api/v1/nothings", {"Accept": PROTOBUF}), ("GET", "/api/v1/pods?limit=abc", {}),
        ("GET", "/api/v1/pods?timeout=abc", {}),
        ("DELETE", "/api/v1/namespaces/cmp-a/pods/x?gracePeriodSeconds=abc", {}),
    ]
    for (method, target, headers), pretty, program in itertools.product(requests,
            ("1", "0", "", "tRuE"), (None, "Mozilla/5.0")):
        more = {**headers, **({"User-Agent": program} if program else {})}
        note = "".join(f" {key}={value}" for key, value in more.items())
        mark = "&" if "?" in target else "?"
        target_pretty = f"{target}{mark}pretty={pretty}"
        cells.append(Cell(f"refused {method} {target_pretty}{note}", method, target_pretty,
            headers=more))
    return cells


def strangers():
    """Without credentials, and with wrong ones: 401, or 403 in the words of authorization."""
    namespace = "/api/v1/namespaces/cmp-a"
    requests = [
        ("GET", "/api/v1/pods"), ("GET", "/api/v1/pods?watch=1"), ("GET", f"{namespace}/pods"),
        ("GET", f"{namespace}/pods/x"), ("GET", f"{namespace}/pods/x/status"),
        ("GET", "/api/v1/pods?fieldSelector=metadata.name%3Dx"), ("POST", f"{namespace}/pods"),
        ("DELETE", f"{namespace}/pods"), ("GET", "/apis/apps/v1/deployments"),
        ("GET", f"/apis/{GROUP}/v1/nothings"), ("GET", "/api/v1/nothings"),
        ("GET", "/api/v1/namespaces"), ("POST", "/api/v1/namespaces"),
        ("GET", "/api/v1/namespaces?fieldSelector=metadata.name%3Dcmp-a"),
        ("GET", namespace), ("PUT", namespace), ("PATCH", namespace), ("DELETE", namespace),
        ("GET", f"{namespace}/status"), ("PUT", f"{namespace}/status"),
        ("PUT", f"{namespace}/finalize"), ("GET", "/api/v1/watch/namespaces/cmp-a"),
        ("GET", "/api/v1/watch/namespaces/cmp-a/pods"), ("GET", f"{namespace}/namespaces/x"),
        ("GET", "/version"), ("GET", "/healthz"), ("GET", "/api"), ("GET", "/apis"),
        ("GET", "/apis/apps/v1"), ("GET", "/nothing"), ("POST", "/version"),
    ]
    credentials = {"none": "", "basic": "Basic YTpi", "wrong": "Bearer wrong"}
    return [Cell(f"stranger {kind} {method} {target}", method, target,
                 headers={"Authorization": value})
            for (method, target), (kind, value) in itertools.product(requests, credentials.items())]


def personas():
    """Taken for somebody else: who that is, and what lacks a name."""
    headers = {
        "user": {"Impersonate-User": "bob"},
        "group": {"Impersonate-User": "bob", "Impersonate-Group": "cmp"},
        "uid": {"Impersonate-User": "bob", "Impersonate-Uid": "7"},
        "extra": {"Impersonate-User": "bob", "Impersonate-Extra-Some%2fKey": "x"},
        "account": {"Impersonate-User": "system:serviceaccount:cmp-a:x"},
        "account-group": {"Impersonate-User": "system:serviceaccount:cmp-a:x",
                          "Impersonate-Group": "cmp"},
        "only-group": {"Impersonate-Group": "cmp"},
        "only-uid": {"Impersonate-Uid": "7"},
        "only-extra": {"Impersonate-Extra-Key": "x"},
    }
    reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    body = b'{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}'
    cells = []
    for note, some in headers.items():
        cells.append(Cell(f"persona {note}", "POST", reviews,
            headers={**some, "Content-Type": JSON}, body=body))
        for target in ("/api/v1/pods", "/api/v1/namespaces/cmp-a", "/version"):
            cells.append(Cell(f"persona stranger {note} {target}", "GET", target,
                headers={**some, "Authorization": ""}))
    return cells


def discovery():
    cells = []
    accepts = {"json": None,
        "aggregated": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
               "protobuf": "application/vnd.kubernetes.protobuf"}
    for target in ("/api/v1", "/apis/apps/v1", "/apis/apps", f"/apis/{GROUP}", f"/apis/{GROUP}/v1",
            "/apis/events.k8s.io/v1",
                   "/apis/batch", "/apis/nothing.example", "/apis/apps/v9", "/healthz", "/livez",
                   "/readyz", "/healthz/ping",
                   "/readyz/nothing"):
        for a, accept in accepts.items():
            if target != f"/apis/{GROUP}/v1" or a != "protobuf":  # the order is chance, see mask.py
                cells.append(Cell(f"discovery {target} accept={a}", "GET", target, accept))
    return cells


def every_resource(resources):
    """Empty lists, and watches that begin with nothing, of all that a real server has."""
    cells = []
    for version, plural in resources:
        root = "/apis/" if "/" in version else "/api/"
        target = f"{root}{version}/{plural}?fieldSelector=metadata.name%3Dno-such"
        for a in ("json", "protobuf", "table", "partial-list"):
            cells.append(Cell(f"list {plural}.{version} empty accept={a}", "GET", target,
                ACCEPTS[a]))
        watch = target + "&watch=1&timeoutSeconds=1&sendInitialEvents=true"
        watch += "&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
        for a in ("json", "protobuf", "table", "partial"):
            cells.append(Cell(f"watch {plural}.{version} empty accept={a}", "GET", watch,
                ACCEPTS[a]))
    return cells
