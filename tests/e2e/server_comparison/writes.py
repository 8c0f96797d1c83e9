# SPDX-License-Identifier: Apache-2.0
# writes.py - the matrix of writes: for each resource a sequence of steps in a place of its own.
#
# In targets and bodies {rv:NAME} and {uid:NAME} stand for what the server last answered for the
# object NAME, {stale:NAME} for the version before, {continue} for the token of the last page.  A
# step's answer is masked with names for versions in the order in which they appear: a write that
# should change nothing shows.
import json
import time

import mask
from objects import RESOURCES, Resource, encode
from state import JSON

MERGE = {"Content-Type": "application/merge-patch+json"}
PATCH = {"Content-Type": "application/json-patch+json"}
STRATEGIC = {"Content-Type": "application/strategic-merge-patch+json"}
APPLY = {"Content-Type": "application/apply-patch+yaml"}
REQUEST = (  # for a certificate: PEM of one, signed
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1IQUNBUUF3RGpFTU1Bb0dBMVVF"
    "QXd3RGEybHVNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRApRZ0FFSlAxT0VkOUN0SUVSN3BX"
    "TmNpQlJvNzFRK21lV0w2TkRqQnp6Ymt0cnIvQXNwWUpXQkhjcG1pbGNyYkMwCi9DMXZDRUJQT0Rsd1BX"
    "ZlR2MlRHOTJ4c3U2QUFNQW9HQ0NxR1NNNDlCQU1DQTBrQU1FWUNJUUQrMFFkbGlHOEgKZVBoZUcwWnB2"
    "aUFEU1hBOGMzT2FNUlJNbENtelZCQmZ1UUloQUtvdUhlWUFYclhsRkZWZU1rMXMwWkFVd0FoKwpPdjFj"
    "ajlaaHNjNTJ5MW5uCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=")
ATTEMPTS = 300  # of a step that waits for a status, a tenth of a second apart


class Step:
    def __init__(self, name, method, target, body=None, headers=JSON, until=None):
        self.name = name
        self.until = until  # a status: the step is repeated until it comes
        self.method = method
        self.target = target
        self.body = body if body is None or isinstance(body, bytes) else encode(body)
        self.headers = headers

    @property
    def request(self):
        kind = self.headers.get("Content-Type", "no content type")
        body = (self.body or b"").decode("utf-8", "backslashreplace")[:300]
        return f"{self.method} {self.target} {kind} {body}"


class Sequence:
    """The steps for one resource; `ns` is where."""

    def __init__(self, resource):
        self.r = resource
        self.name = "writes " + resource.plural
        self.ns = "w-" + resource.plural
        self.steps = []
        if resource.namespaced:
            body = RESOURCES["namespaces"].object(None, self.ns)
            self.add("create", "its namespace", "POST", "/api/v1/namespaces", body)

    def add(self, verb, note, method, target, body=None, headers=JSON, until=None):
        self.steps.append(Step(f"{verb} {self.r.plural} {note}", method, target, body, headers,
            until))

    def object(self, name, **metadata):
        return self.r.object(self.ns, self.prefix + name, **metadata)

    @property
    def prefix(self):
        return "w-" + self.r.kind.lower() + "-"

    @property
    def all(self):
        return self.r.collection(self.ns)

    def item(self, name):
        return self.r.item(self.ns, self.prefix + name)

    # Steps by verb.  What an object has beside the usual metadata comes as keywords.

    def create(self, note, body, query="", headers=JSON):
        self.add("create", note, "POST", self.all + query, body, headers)

    def update(self, note, name, body, query="", headers=JSON):
        self.add("update", note, "PUT", self.item(name) + query, body, headers)

    def patch(self, note, name, body, headers, query=""):
        self.add("patch", note, "PATCH", self.item(name) + query, body, headers)

    def delete(self, note, name, query="", body=None):
        self.add("delete", note, "DELETE", self.item(name) + query, body)

    def get(self, note, name):
        self.add("read", note, "GET", self.item(name))


def all_sequences():
    out = []
    for r in RESOURCES.values():
        s = Sequence(r)
        creates(s)
        create_metadata(s)
        create_bodies(s)
        updates(s)
        subresources(s)
        merge_patches(s)
        json_patches(s)
        strategic_patches(s)
        deletes(s)
        collections(s)
        policies(s)
        out.append(s)
    out.append(definitions())
    out.append(events_of_two_groups())
    out.append(signing_requests())
    return out


def without(value, *path):
    value = json.loads(json.dumps(value))
    at = value
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return value


def creates(s):
    s.create("ok", s.object("one", labels={"app": "x"}))
    s.create("again", s.object("one"))
    s.create("dryRun=All", s.object("dry"), "?dryRun=All")
    s.create("dryRun=All again", s.object("one"), "?dryRun=All")
    s.create("dryRun=None", s.object("dry"), "?dryRun=None")
    s.create("dryRun twice", s.object("dry"), "?dryRun=All&dryRun=All")
    s.create("fieldManager", s.object("manager", labels={"app": "x"}), "?fieldManager=me")
    s.create("fieldManager too long", s.object("m"), "?fieldManager=" + "m" * 129)
    s.create("fieldManager unprintable", s.object("m"), "?fieldManager=%07")
    s.create("pretty", s.object("pretty", labels={"app": "y"}), "?pretty=true")
    for mode in ("Strict", "Warn", "Ignore", "Nonsense", ""):
        body = {**s.object("valid-" + (mode or "none").lower(), labels={"app": "y"}), "nonsense": 1}
        s.create(f"unknown field fieldValidation={mode}", body,
            f"?fieldValidation={mode}" if mode else "")
        doubled = encode(s.object("twice-" + (mode or "none").lower(), labels={"app": "y"}))
        doubled = doubled.replace(b'"metadata": {',
            b'"metadata": {"annotations": {}, "annotations": {"a": "b"}, "nonsense": 2, ')
        s.create(f"field twice fieldValidation={mode}", doubled,
            f"?fieldValidation={mode}" if mode else "")
    for accept, kind in (("protobuf", "application/vnd.kubernetes.protobuf"),
                         ("table", "application/json;as=Table;v=v1;g=meta.k8s.io"),
                         ("partial",
                         "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
                         ("xml", "application/xml")):
        s.create(f"accept={accept}", s.object("accept-" + accept, labels={"app": "y"}), "",
            {**JSON, "Accept": kind})
    s.add("create", "at the object", "POST", s.item("one"), s.object("one"))
    if s.r.namespaced:
        s.add("create", "in a missing namespace", "POST", s.r.collection("no-such"),
            s.r.object("no-such", "x"))
        s.add("create", "in no namespace", "POST", s.r.collection(None), s.object("nowhere"))


def create_metadata(s):
    for note, name in (("upper case", "Bad_Name"), ("empty", ""), ("dash", "-x"),
            ("dash behind", "x-"), ("long", "a" * 254),
                       ("slash", "a/b"), ("dots", ".."), ("percent", "a%b"), ("dot", "a.b"),
                       ("blank", "a b"), ("64", "a" * 64)):
        s.create(f"name {note}", s.r.object(s.ns, name), "?dryRun=All")
    s.create("no name", without(s.object("x"), "metadata", "name"))
    s.create("generateName", {**s.object("x"), "metadata": {"generateName": s.prefix + "gen-",
        "labels": {"app": "gen"}}})
    s.create("generateName bad", {**s.object("x"), "metadata": {"generateName": "Bad_"}})
    for note, more in (
            ("label key", {"labels": {"-a": "b"}}), ("label value", {"labels": {"a": "b c"}}),
            ("labels null", {"labels": None}),
            ("labels number", {"labels": {"a": 1}}), ("labels list", {"labels": []}),
            ("annotation key", {"annotations": {"a b": "c"}}),
            ("finalizer", {"finalizers": ["nonsense"]}),
            ("finalizer empty", {"finalizers": [""]}),
            ("owner without uid", {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod",
            "name": "x"}]}),
            ("owner", {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "x",
            "uid": "u"}]}),
            ("owners that control", {"ownerReferences": [
                {"apiVersion": "v1", "kind": "Pod", "name": n, "uid": n,
                "controller": True} for n in "xy"]}),
            ("resourceVersion", {"resourceVersion": "5"}), ("resourceVersion zero",
            {"resourceVersion": "0"}),
            ("resourceVersion bad", {"resourceVersion": "abc"}), ("uid", {"uid": "5"}),
            ("times", {"creationTimestamp": "2001-01-01T00:00:00Z",
            "deletionTimestamp": "2001-01-01T00:00:00Z",
                       "deletionGracePeriodSeconds": 5}),
            ("time bad", {"creationTimestamp": "yesterday"}), ("generation", {"generation": 7}),
            ("selfLink", {"selfLink": "/x"}),
            ("namespace other", {"namespace": "other"}), ("name number", {"name": 5})):
        good = s.object("meta")
        s.create(f"metadata {note}", {**good, "metadata": {**good["metadata"], **more}},
            "?dryRun=All")


def create_bodies(s):
    good = s.object("body")
    s.create("other kind", {**good, "kind": "Other"})
    s.create("other version", {**good, "apiVersion": "apps/v9"})
    s.create("no kind", without(good, "kind"), "?dryRun=All")
    s.create("no version", without(good, "apiVersion"), "?dryRun=All")
    s.create("neither", without(without(good, "kind"), "apiVersion"), "?dryRun=All")
    s.create("no metadata", without(good, "metadata"), "?dryRun=All")
    for note, body in (("nothing", b""), ("brace", b"{"), ("list", b"[]"), ("null", b"null"),
            ("string", b'"x"'), ("object", b"{}"),
                       ("number", b"12"), ("comma", b'{"kind":"Pod",}'), ("bytes", b"\xff\xfe{}"),
                       ("two", encode(good) + b"{}"),
                       ("metadata list", encode({**good, "metadata": []})),
                       ("metadata text", encode({**good, "metadata": "x"}))):
        s.create(f"body {note}", body, "?dryRun=All")
    for note, kind in (("none", None), ("text", "text/plain"),
            ("charset", "application/json; charset=utf-8"), ("short", "json"),
                       ("protobuf", "application/vnd.kubernetes.protobuf"),
                       ("upper case", "Application/JSON"), ("nonsense", ";;"),
                       ("form", "application/x-www-form-urlencoded"), ("yaml", "application/yaml"),
                       ("cbor", "application/cbor")):
        s.create(f"content type {note}", good, "?dryRun=All",
            {"Content-Type": kind} if kind else {})


def with_version(value, version, **metadata):
    return {**value, "metadata": {**value["metadata"], "resourceVersion": version, **metadata}}


def updates(s):
    one = s.prefix + "one"
    good = s.object("one", labels={"app": "x", "step": "1"})
    s.update("ok", "one", with_version(good, "{rv:%s}" % one))
    s.update("the same again", "one", with_version(good, "{rv:%s}" % one))
    s.update("stale", "one", with_version(good, "{stale:%s}" % one))
    s.update("version bad", "one", with_version(good, "abc"))
    s.update("version zero", "one", with_version(good, "0"), "?dryRun=All")
    s.update("version of the future", "one", with_version(good, "99999999"))
    s.update("no version", "one", s.object("one", labels={"app": "x", "step": "2"}))
    s.update("dryRun=All", "one", s.object("one", labels={"app": "x", "step": "dry"}),
        "?dryRun=All")
    s.update("name other", "one", s.object("two"))
    s.update("name none", "one", without(good, "metadata", "name"))
    s.update("namespace other", "one", {**good, "metadata": {"name": one, "namespace": "other"}})
    s.update("uid other", "one", with_version(good, "{rv:%s}" % one, uid="5"))
    s.update("uid right", "one", with_version(good, "{rv:%s}" % one, uid="{uid:%s}" % one))
    s.update("missing", "none", s.object("none"), "?dryRun=All")
    s.update("missing with version", "none", with_version(s.object("none"), "5"))
    s.update("missing with uid", "none", s.object("none", uid="5"))
    s.update("label bad", "one", s.object("one", labels={"-a": "b"}))
    s.update("kind other", "one", {**good, "kind": "Other"})
    s.update("version other", "one", {**good, "apiVersion": "apps/v9"})
    s.update("unknown field Strict", "one", {**good, "nonsense": 1}, "?fieldValidation=Strict")
    s.update("body brace", "one", b"{")
    s.update("body nothing", "one", b"")
    s.update("creationTimestamp", "one", {**good, "metadata": {**good["metadata"],
        "creationTimestamp": "2001-01-01T00:00:00Z"}})
    s.update("deletionTimestamp", "one", {**good, "metadata": {**good["metadata"],
        "deletionTimestamp": "2001-01-01T00:00:00Z"}})
    s.update("generation", "one", {**good, "metadata": {**good["metadata"], "generation": 50}})
    s.update("content type text", "one", good, "", {"Content-Type": "text/plain"})
    s.get("after updates", "one")


def subresources(s):
    one = s.prefix + "one"
    good = s.object("one", labels={"app": "changed-by-status"})
    s.update("status", "one/status", with_version({**good, "status": {"replicas": 1,
        "phase": "Active"}}, "{rv:%s}" % one))
    s.update("status again", "one/status", with_version({**good, "status": {"replicas": 1,
        "phase": "Active"}}, "{rv:%s}" % one))
    s.update("status stale", "one/status", with_version(good, "{stale:%s}" % one))
    s.update("status of missing", "none/status", s.object("none"))
    s.patch("status merge", "one/status", {"metadata": {"labels": {"app": "no"}},
        "status": {"phase": "Active"}}, MERGE)
    s.add("create", "status", "POST", s.item("one/status"), good)
    s.add("delete", "status", "DELETE", s.item("one/status"))
    s.add("read", "scale", "GET", s.item("one/scale"))
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale",
        "metadata": {"name": one, "namespace": s.ns}, "spec": {"replicas": 5}}
    s.update("scale", "one/scale", scale)
    s.update("scale again", "one/scale", scale)
    s.update("scale stale", "one/scale", with_version(scale, "1"))
    s.update("scale negative", "one/scale", {**scale, "spec": {"replicas": -5}})
    s.update("scale other kind", "one/scale", good)
    s.patch("scale merge", "one/scale", {"spec": {"replicas": 6}}, MERGE)
    if s.r.plural == "deployments":
        scale_selectors(s)
    s.get("after subresources", "one")


def scale_selectors(s):
    term = lambda key, operator, *values: {"key": key, "operator": operator,  # noqa: E731
        **({"values": values} if values else {})}
    for i, selector in enumerate((
            {"matchLabels": {"z": "y", "a": "b"}},
            {"matchExpressions": [term("a", "In", "c", "b")]},
            {"matchExpressions": [term("a", "NotIn", "x", "d")]},
            {"matchExpressions": [term("a", "Exists")]},
            {"matchExpressions": [term("q", "DoesNotExist")]},
            {"matchLabels": {"z": "y", "a": "b"}, "matchExpressions": [term("z", "Exists"),
            term("a", "In", "z", "b", "b"), term("k8s.io/x", "DoesNotExist"), term("a", "Exists"),
            term("A", "DoesNotExist"), term("a", "NotIn", "v")]})):
        body = s.object(f"selector-{i}")
        body["spec"]["selector"] = selector
        body["spec"]["template"]["metadata"] = {"labels": {"z": "y", "a": "b"}}
        s.create(f"selector {i}", body)
        s.add("read", f"scale of selector {i}", "GET", s.item(f"selector-{i}/scale"))
        s.delete(f"selector {i}", f"selector-{i}")


def merge_patches(s):
    one = s.prefix + "one"
    for note, change in (
            ("ok", {"metadata": {"labels": {"merged": "yes"}}}),
            ("again", {"metadata": {"labels": {"merged": "yes"}}}), ("empty", {}),
            ("content", s.r.changed), ("content again", s.r.changed),
            ("null label", {"metadata": {"labels": {"merged": None}}}),
            ("name", {"metadata": {"name": "other"}}),
            ("namespace", {"metadata": {"namespace": "other"}}),
            ("uid", {"metadata": {"uid": "other"}}),
            ("stale", {"metadata": {"resourceVersion": "{stale:%s}" % one}}),
            ("version", {"metadata": {"resourceVersion": "{rv:%s}" % one,
            "annotations": {"v": "1"}}}),
            ("version bad", {"metadata": {"resourceVersion": "abc"}}),
            ("version none", {"metadata": {"resourceVersion": None, "labels": {"n": "1"}}}),
            ("kind", {"kind": "Other"}), ("apiVersion", {"apiVersion": "apps/v9"}),
            ("label bad", {"metadata": {"labels": {"-a": "b"}}}),
            ("unknown", {"nonsense": 1}), ("metadata null", {"metadata": None}),
            ("labels text", {"metadata": {"labels": "x"}}),
            ("creationTimestamp", {"metadata": {"creationTimestamp": None}}),
            ("generation", {"metadata": {"generation": 99}})):
        s.patch(f"merge {note}", "one", change, MERGE)
    s.patch("merge unknown Strict", "one", {"nonsense": 2}, MERGE, "?fieldValidation=Strict")
    s.patch("merge dryRun=All", "one", {"metadata": {"labels": {"dry": "yes"}}}, MERGE,
        "?dryRun=All")
    s.patch("merge force", "one", {}, MERGE, "?force=true")
    s.patch("merge missing", "none", {}, MERGE)
    for note, body in (("brace", b"{"), ("nothing", b""), ("list", b"[]"), ("null", b"null"),
            ("text", b'"x"')):
        s.patch(f"merge body {note}", "one", body, MERGE)
    for note, kind in (("none", None), ("json", "application/json"), ("text", "text/plain"),
            ("charset", "application/merge-patch+json; charset=utf-8")):
        s.patch(f"content type {note}", "one", {}, {"Content-Type": kind} if kind else {})
    s.patch("apply", "one", s.object("one"), APPLY, "?fieldManager=me&dryRun=All")
    s.get("after merge patches", "one")


def json_patches(s):
    for note, change in (
            ("add", [{"op": "add", "path": "/metadata/labels/j", "value": "1"}]),
            ("add again", [{"op": "add", "path": "/metadata/labels/j", "value": "1"}]),
            ("test", [{"op": "test", "path": "/metadata/labels/j", "value": "1"}]),
            ("test fails", [{"op": "test", "path": "/metadata/labels/j", "value": "2"}]),
            ("replace", [{"op": "replace", "path": "/metadata/labels/j", "value": "2"}]),
            ("replace missing", [{"op": "replace", "path": "/metadata/labels/none", "value": "2"}]),
            ("copy", [{"op": "copy", "from": "/metadata/labels/j", "path": "/metadata/labels/k"}]),
            ("move", [{"op": "move", "from": "/metadata/labels/k", "path": "/metadata/labels/l"}]),
            ("move missing", [{"op": "move", "from": "/metadata/labels/k",
            "path": "/metadata/labels/l"}]),
            ("remove", [{"op": "remove", "path": "/metadata/labels/l"}]),
            ("remove missing", [{"op": "remove", "path": "/metadata/labels/l"}]),
            ("escapes", [{"op": "add", "path": "/metadata/labels/a.b~1c", "value": "2"}]),
            ("unknown op", [{"op": "dance", "path": "/metadata"}]),
            ("no path", [{"op": "add", "value": 1}]), ("empty path", [{"op": "add", "path": "",
            "value": {}}]), ("bad path", [{"op": "add", "path": "x", "value": 1}]),
            ("deep path", [{"op": "add", "path": "/x/y/z", "value": 1}]),
            ("name", [{"op": "replace", "path": "/metadata/name", "value": "x"}]),
            ("empty", []), ("object", {}), ("no value", [{"op": "add",
            "path": "/metadata/labels/v"}]), ("number", [{"op": "add", "path": "/metadata/labels/v",
            "value": 1}])):
        s.patch(f"json {note}", "one", change, PATCH)
    s.patch("json brace", "one", b"{", PATCH)
    s.patch("json missing", "none", [], PATCH)
    s.get("after json patches", "one")


def strategic_patches(s):
    container = {"name": "d", "image": "img:2", "imagePullPolicy": "Always",
        "terminationMessagePath": "/dev/termination-log",
                 "terminationMessagePolicy": "File", "resources": {}}
    for note, change in (
            ("ok", {"metadata": {"labels": {"strategic": "yes"}}}),
            ("again", {"metadata": {"labels": {"strategic": "yes"}}}),
            ("replace", {"metadata": {"labels": {"$patch": "replace", "app": "x"}}}),
            ("finalizers", {"metadata": {"finalizers": ["kin.example/a"]}}),
            ("finalizers more", {"metadata": {"finalizers": ["kin.example/b"]}}),
            ("finalizers delete",
            {"metadata": {"$deleteFromPrimitiveList/finalizers": ["kin.example/a",
            "kin.example/b"]}}),
            ("retain", {"metadata": {"labels": {"$retainKeys": ["app"], "app": "x"}}}),
            ("bad directive", {"metadata": {"labels": {"$patch": "dance"}}}),
            ("list", [1]), ("name", {"metadata": {"name": "other"}})):
        s.patch(f"strategic {note}", "one", change, STRATEGIC)
    if s.r.plural == "deployments":
        spec = lambda c: {"spec": {"template": {"spec": {"containers": c}}}}  # noqa: E731
        s.patch("strategic container", "one", spec([container]), STRATEGIC)
        s.patch("strategic container changed", "one", spec([{"name": "c", "image": "img:3"}]),
            STRATEGIC)
        s.patch("strategic container removed", "one", spec([{"name": "d", "$patch": "delete"}]),
            STRATEGIC)
        s.patch("strategic order", "one",
            {"spec": {"template": {"spec": {"$setElementOrder/containers": [{"name": "c"}]}}}},
            STRATEGIC)
    s.patch("strategic brace", "one", b"{", STRATEGIC)
    s.get("after strategic patches", "one")


def deletes(s):
    one = s.prefix + "one"
    s.delete("dryRun=All", "one", "?dryRun=All&gracePeriodSeconds=0")
    s.delete("dryRun bad", "one", "?dryRun=Some")
    s.delete("uid other", "one", "", {"preconditions": {"uid": "5"}})
    s.delete("version other", "one", "", {"preconditions": {"resourceVersion": "5"}})
    s.delete("uid other in query", "one", "?uid=5")
    s.delete("version other in query", "one", "?resourceVersion=5")
    s.delete("both other in query", "one", "?uid=5&resourceVersion=5")
    s.delete("uid in query and a body", "one", "?uid=5", {"dryRun": ["All"],
        "gracePeriodSeconds": 0})
    s.delete("policy bad", "one", "?propagationPolicy=Sideways")
    s.delete("policy and orphan", "one", "?propagationPolicy=Orphan&orphanDependents=true")
    s.delete("grace bad", "one", "?gracePeriodSeconds=abc")
    s.delete("body brace", "one", "", b"{")
    s.delete("body list", "one", "", b"[]")
    s.delete("body other kind", "one", "", {"kind": "Other", "apiVersion": "v1"})
    s.delete("body other object", "one", "", s.object("one"))
    s.delete("body unknown Strict", "one", "?fieldValidation=Strict",
        {"nonsense": 1, "dryRun": ["All"]})
    s.delete("missing", "none")
    s.delete("missing uid", "none", "", {"preconditions": {"uid": "5"}})
    if s.r.plural == "namespaces":
        return
    s.create("to hold", s.object("held", labels={"app": "held"}, finalizers=["kin.example/hold"]))
    s.delete("held", "held", "?gracePeriodSeconds=0")
    s.delete("held again", "held", "?gracePeriodSeconds=0")
    s.patch("held finalizer more", "held", {"metadata": {"finalizers": ["kin.example/hold",
        "kin.example/more"]}}, MERGE)
    s.patch("held label", "held", {"metadata": {"labels": {"still": "there"}}}, MERGE)
    s.create("held exists", s.object("held"))
    s.patch("held set free", "held", {"metadata": {"finalizers": None}}, MERGE)
    s.get("held is gone", "held")
    s.delete("preconditions", "one", "", {"gracePeriodSeconds": 0,
        "preconditions": {"uid": "{uid:%s}" % one, "resourceVersion": "{rv:%s}" % one}})
    s.get("deleted", "one")
    s.delete("with grace", "manager", "?gracePeriodSeconds=20")
    s.delete("accept protobuf", "accept-protobuf")
    s.get("with grace", "manager")


def collections(s):
    cluster = "" if s.r.namespaced else "&fieldSelector=metadata.name%3D" + s.prefix + "pretty"
    if s.r.plural != "namespaces":
        s.add("deletecollection", "dryRun", "DELETE",
            s.all + "?dryRun=All&gracePeriodSeconds=0&labelSelector=app%3Dy" + cluster)
        s.add("deletecollection", "selector bad", "DELETE", s.all + "?labelSelector=app+in+(")
        s.add("deletecollection", "field bad", "DELETE", s.all + "?fieldSelector=spec.nothing%3Dx")
        s.add("deletecollection", "none", "DELETE", s.all + "?labelSelector=app%3Dnothing")
        s.add("deletecollection", "body brace", "DELETE", s.all, b"{")
        s.add("deletecollection", "labels", "DELETE",
            s.all + "?gracePeriodSeconds=0&labelSelector=app%3Dy" + cluster)
    if s.r.namespaced:
        collection_pages(s)
        s.add("deletecollection", "in missing namespace", "DELETE", s.r.collection("no-such"))
        s.add("deletecollection", "limit", "DELETE", s.all + "?gracePeriodSeconds=0&limit=1")
        s.add("read", "all that is left", "GET", s.all)
        s.add("watch", "all that happened", "GET",
            s.all + "?watch=1&timeoutSeconds=1&resourceVersion={current}")


def collection_pages(s):
    dry = s.all + "?dryRun=All&gracePeriodSeconds=0"
    for note, query in (("uid other", "&uid=5"), ("version zero", "&resourceVersion=0"),
            ("version bad", "&resourceVersion=abc"), ("limit negative", "&limit=-1"),
            ("limit bad and policy bad", "&limit=abc&propagationPolicy=X"),
            ("match bad and policy bad", "&resourceVersionMatch=X&propagationPolicy=X"),
            ("continue bad", "&continue=abc"),
            ("continue bad and policy bad", "&continue=abc&propagationPolicy=X"),
            ("sendInitialEvents", "&sendInitialEvents=true")):
        s.add("deletecollection", note, "DELETE", dry + query)
    for note, query in (("continue and limit", "&limit=1"), ("continue", ""),
            ("continue and version", "&resourceVersion=5"),
            ("continue and match", "&resourceVersion=5&resourceVersionMatch=Exact")):
        s.add("read", "page before " + note, "GET", s.all + "?limit=1")
        s.add("deletecollection", note, "DELETE", dry + "&continue={continue}" + query)
    s.add("read", "first page", "GET", s.all + "?limit=1")
    s.add("deletecollection", "the second page", "DELETE",
        s.all + "?gracePeriodSeconds=0&limit=1&continue={continue}")
    s.add("read", "what the second page left", "GET", s.all)


def definition(group="w.kin.example", plural="things", versions=None, names=None, **spec):
    names = {"plural": plural, "kind": "Thing", **(names or {})}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names,
        "versions": [version("v1", storage=True)] if versions is None else versions, **spec}}


def version(name, served=True, storage=False, **more):
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"name": name, "served": served, "storage": storage,
        "schema": {"openAPIV3Schema": schema}, **more}


def definitions():
    """What definitions may say; and objects while no version of theirs is served."""
    s = Sequence(Resource("customresourcedefinitions", "apiextensions.k8s.io/v1",
        "CustomResourceDefinition", False, {}, {}))
    stored = lambda name="v1", **more: [version(name, storage=True, **more)]  # noqa: E731
    for note, body in (
            ("kind quote", definition(names={"kind": 'Th"ing'})),
            ("kind digit", definition(names={"kind": "1Thing"})),
            ("kind long", definition(names={"kind": "T" * 64})),
            ("kind not ASCII", definition(names={"kind": "Th\u00efng"})),
            ("kind none", definition(names={"kind": ""})),
            ("listKind same", definition(names={"listKind": "Thing"})),
            ("listKind bad", definition(names={"listKind": "Thing List"})),
            ("plural upper case", definition(plural="Things")),
            ("plural dot", definition(plural="th.ings")),
            ("plural long", definition(plural="a" * 64)),
            ("singular bad", definition(names={"singular": "a_b"})),
            ("shortNames bad", definition(names={"shortNames": ["ok", "Bad", "", '"']})),
            ("categories bad", definition(names={"categories": ["all", "a b", ""]})),
            ("group upper case", definition(group="W.kin.example")),
            ("group without dot", definition(group="kin")),
            ("group long", definition(group="a." + "b" * 260)),
            ("group protected", definition(group="x.k8s.io")),
            ("version upper case", definition(versions=stored("V1"))),
            ("version empty", definition(versions=stored(""))),
            ("version long", definition(versions=stored("v" * 64))),
            ("versions twice", definition(versions=stored() + [version("v1")])),
            ("versions stored twice", definition(versions=stored() + stored("v2"))),
            ("versions none stored", definition(versions=[version("v1"), version("v2")])),
            ("versions none", definition(versions=[])),
            ("schema none", definition(versions=[{"name": "v1", "served": True, "storage": True}])),
            ("scope bad", definition(scope="Everywhere")),
            ("warning", definition(versions=stored(deprecationWarning="x"))),
            ("warning empty", definition(versions=stored(deprecated=True, deprecationWarning=""))),
            ("scale empty", definition(versions=stored(subresources={"scale": {}}))),
            ("scale paths", definition(versions=stored(subresources={"scale": {
            "specReplicasPath": "spec.x", "statusReplicasPath": ".spec.y",
            "labelSelectorPath": ".meta.x"}}))),
            ("scale of one", definition(versions=stored(subresources={"scale": {}}) +
            [version("v2")])),
            ("columns", definition(versions=stored(additionalPrinterColumns=[
            {"name": "", "type": "foo", "jsonPath": ""},
            {"name": "a", "type": "string", "format": "foo", "jsonPath": "x"}]))),
            ("strategy", definition(conversion={"strategy": "Foo"})),
            ("preserveUnknownFields", definition(preserveUnknownFields=True)),
            ("everything", definition(group="X", plural="Th ings", versions=stored("V"),
            names={"kind": 'a"b', "singular": "S", "shortNames": ["S"], "categories": ["C"],
            "listKind": 'a"b'}))):
        s.create(note, body, "?dryRun=All")
    served_again(s)
    return s


def served_again(s):
    mine = s.all + "/things.w.kin.example"
    things = "/apis/w.kin.example/v1/namespaces/default/things"
    thing = {"apiVersion": "w.kin.example/v1", "kind": "Thing", "metadata": {"name": "a"},
        "spec": {"size": 1}}
    s.add("create", "to take out of service", "POST", s.all, definition())
    s.add("read", "served", "GET", things, until=200)
    s.add("create", "an object of it", "POST", things, thing)
    for note, change in (("group", {"group": "v.kin.example"}), ("scope", {"scope": "Cluster"}),
            ("kind", {"names": {"kind": "Thong"}}), ("plural", {"names": {"plural": "thongs"}}),
            ("shortNames", {"names": {"shortNames": ["Bad"]}}),
            ("stored version", {"versions": [version("v2", storage=True)]})):
        s.add("patch", "merge " + note, "PATCH", mine + "?dryRun=All", {"spec": change}, MERGE)
    s.add("patch", "out of service", "PATCH", mine, {"spec": {"versions": [
        version("v1", served=False, storage=True)]}}, MERGE)
    s.add("read", "out of service", "GET", things, until=404)
    s.add("patch", "into service", "PATCH", mine, {"spec": {"versions": [
        version("v1", storage=True)]}}, MERGE)
    s.add("read", "in service again", "GET", things, until=200)
    s.add("read", "the object of it", "GET", things + "/a")
    s.add("delete", "taken out of service", "DELETE", mine)


def events_of_two_groups():
    """Events made through one group, seen and changed through the other.

    Each change is new and through one group only: a real server writes down who wrote what in
    which version, and so writes what says nothing new.
    """
    s = Sequence(Resource("events.events.k8s.io", "events.k8s.io/v1", "Event", False, {}, {}))
    core = "/api/v1/namespaces/default/events"
    newer = "/apis/events.k8s.io/v1/namespaces/default/events"
    about = {"kind": "Pod", "namespace": "default", "name": "two", "uid": "u", "fieldPath": "f"}
    named = lambda name, **more: {"metadata": {"name": "two-" + name}, **more}  # noqa: E731
    timed = {"eventTime": "2020-01-02T03:04:05.123456Z"}
    new = {**timed, "reportingController": "kin.example/c", "reportingInstance": "c-1",
        "action": "Do", "reason": "Did", "type": "Normal", "note": "hello", "regarding": about}
    old = {"involvedObject": about, "message": "m", "reason": "R", "type": "Warning", "count": 4,
        "source": {"component": "kubelet", "host": "h"},
        "firstTimestamp": "2020-01-01T00:00:00Z", "lastTimestamp": "2020-01-01T00:00:02Z"}
    again = {"series": {"count": 2, "lastObservedTime": "2020-01-02T03:04:06.000000Z"}}
    for group, path, member in (("core", core, "involvedObject"), ("newer", newer, "regarding")):
        for note, body in (("empty", {}), ("with a time", named("none", **timed)),
                ("elsewhere", named("none", **{member: {"namespace": "x"}})),
                ("name", {"metadata": {"name": "Two_"}, member: about})):
            s.add("create", f"{group} {note}", "POST", path + "?dryRun=All", body)
    for note, change in (("deprecated", {"type": "Odd", "deprecatedCount": 3,
            "series": {"count": 1}, "deprecatedFirstTimestamp": "2020-01-01T00:00:00Z",
            "deprecatedSource": {"host": "x"}}),
            ("long", {"note": "x" * 1025, "reason": "r" * 129, "action": "a" * 129,
            "reportingInstance": "i" * 129, "reportingController": "not ok/c"})):
        s.add("create", "newer " + note, "POST", newer, named("none", **{**new, **change}))
    s.add("create", "through core", "POST", core, named("old", **old))
    s.add("create", "through newer", "POST", newer, named("new", **new))
    for group, path, body in (("core", core, old), ("newer", newer, new)):
        s.add("create", f"{group} again", "POST", path, named("new", **body))
        for name in ("old", "new"):
            s.add("read", f"{group} {name}", "GET", path + "/two-" + name)
        for field, value in (("reason", "Did"), ("type", "Warning"), ("source", "kubelet"),
                ("regarding.name", "two"), ("involvedObject.name", "two"),
                ("reportingController", "kin.example/c"), ("reportingComponent", "kin.example/c")):
            s.add("read", f"{group} by {field}", "GET", f"{path}?fieldSelector={field}={value}")
    for note, target, change in (
            ("message", core + "/two-new", {"message": "other"}),
            ("note", newer + "/two-new", {"note": "more"}),
            ("note of old", newer + "/two-old", {"note": "more"}),
            ("series short", newer + "/two-new", {"series": {"count": 2}}),
            ("series", newer + "/two-new", again),
            ("series of old", core + "/two-old", again),
            ("labels", newer + "/two-old", {"metadata": {"labels": {"a": "b"}}}),
            ("label bad", newer + "/two-old", {"metadata": {"labels": {"a": "b c"}}}),
            ("core label bad", core + "/two-old", {"metadata": {"labels": {"a": "b c"}}}),
            ("finalizer bad", newer + "/two-old", {"metadata": {"finalizers": ["bad"]}}),
            ("much", newer + "/two-old", {"regarding": {"name": "z"}, "reason": "n", "note": "k",
            "deprecatedCount": 9, "deprecatedSource": {"host": "hh"}, "type": "Normal",
            "deprecatedFirstTimestamp": None, "related": {"name": "x"}}),
            ("no time", newer + "/two-new", {"eventTime": None, "regarding": None})):
        s.add("patch", note, "PATCH", target, change, MERGE)
    s.add("patch", "json", "PATCH", newer + "/two-old", [
        {"op": "test", "path": "/deprecatedCount", "value": 4},
        {"op": "add", "path": "/metadata/annotations", "value": {"x": "y"}}], PATCH)
    s.add("patch", "strategic", "PATCH", newer + "/two-new", {"series": {"count": 3}}, STRATEGIC)
    s.add("update", "core", "PUT", core + "/two-new", named("new", **old))
    s.add("update", "newer", "PUT", newer + "/two-new", named("new", **new))
    s.add("update", "newer makes", "PUT", newer + "/two-made", named("made", **new))
    s.add("delete", "core", "DELETE", core + "/two-made")
    s.add("read", "newer deleted", "GET", newer + "/two-made")
    s.add("delete", "newer", "DELETE", newer + "/two-old")
    s.add("read", "core deleted", "GET", core + "/two-old")
    s.add("delete", "newer all", "DELETE", newer + "?fieldSelector=metadata.name=two-new")
    return s


def signing_requests():
    """Who may say what of a request for a certificate."""
    s = Sequence(Resource("certificatesigningrequests", "certificates.k8s.io/v1",
        "CertificateSigningRequest", False, {}, {}))
    mine = s.all + "/w-csr"
    condition = lambda kind, status="True", **more: {"type": kind,  # noqa: E731
        "status": status, **more}
    conditions = lambda *some: {"status": {"conditions": some}}  # noqa: E731
    s.add("create", "ok", "POST", s.all, {"metadata": {"name": "w-csr"}, "spec": {
        "request": REQUEST, "signerName": "kin.example/s", "usages": ["client auth"]}})
    for sub in ("approval", "status"):
        s.add("read", sub, "GET", f"{mine}/{sub}")
        s.add("read", sub + " of missing", "GET", f"{s.all}/w-none/{sub}")
        s.add("create", sub, "POST", f"{mine}/{sub}", {})
        s.add("delete", sub, "DELETE", f"{mine}/{sub}")
    for sub, note, change in (
            ("approval", "False", conditions(condition("Approved", "False"))),
            ("approval", "nothing", conditions(condition("", ""))),
            ("approval", "twice", conditions(condition("Approved"), condition("Approved"))),
            ("approval", "both", conditions(condition("Approved"), condition("Denied"))),
            ("approval", "perhaps", conditions(condition("Other", "Perhaps"))),
            ("status", "approved", conditions(condition("Approved"))),
            ("approval", "ok", {**conditions(condition("Approved", reason="r")),
            "spec": {"signerName": "z.example/z"}}),
            ("approval", "taken back", conditions()),
            ("status", "taken back", {"status": None}),
            ("status", "ok", conditions(condition("Approved", reason="x"), condition("Failed"))),
            ("status", "better", conditions(condition("Approved"))),
            ("approval", "more", conditions(condition("Approved"), condition("Failed"),
            condition("Mine", "Unknown")))):
        s.add("patch", f"{sub} {note}", "PATCH", f"{mine}/{sub}", change, MERGE)
    s.add("patch", "spec ok", "PATCH", mine, {"spec": {"signerName": "z.example/z"}}, MERGE)
    s.add("delete", "ok", "DELETE", mine)
    return s


def policies(s):
    """Last of all: what is deleted in the foreground stays, for want of a garbage collector."""
    if s.r.plural == "namespaces":
        return
    for policy in ("Background", "Foreground", "Orphan"):
        name = "policy-" + policy.lower()
        s.create("for policy " + policy, s.object(name, labels={"app": "policy"}))
        s.delete("policy " + policy, name, "?gracePeriodSeconds=0&propagationPolicy=" + policy)
        s.get("policy " + policy, name)
        s.patch("set free " + policy, name, {"metadata": {"finalizers": None}}, MERGE)


def run(sequence, server):
    """Each step's answer as masked text."""
    known = {}
    context = {}
    return [run_step(step, server, known, context) for step in sequence.steps]


def run_step(step, server, known, context):
    def fill(text):
        for key, value in {**context, "current": server.marks["current"]}.items():
            text = text.replace("{" + key + "}", value)
        return text

    body = step.body
    if body is not None and b"{" in body and context:
        body = fill(body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    answer = server.ask(step.method, fill(step.target), step.headers, body)
    for _ in range(ATTEMPTS if step.until else 0):
        if answer.status == step.until:
            break
        time.sleep(0.1)
        answer = server.ask(step.method, fill(step.target), step.headers, body)
    remember(answer, context)
    is_watch = "watch=1" in step.target
    return mask.answer_text(answer, mask.Names(known, grows=True), is_watch)


def remember(answer, context):
    try:
        meta = json.loads(answer.body)["metadata"]
        context["continue"] = meta.get("continue", context.get("continue", ""))
        name, newest = meta["name"], meta["resourceVersion"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return
    if context.get("rv:" + name, newest) != newest:
        context["stale:" + name] = context["rv:" + name]
    context["rv:" + name] = newest
    context["uid:" + name] = meta["uid"]
