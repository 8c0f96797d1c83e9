# SPDX-License-Identifier: Apache-2.0
# objects.py - the resources that are compared, and objects of them.
#
# Specs are complete: nothing is left for a server to fill in.  Where it must be (what the embedded
# server does not fill in yet), the object says so itself.
import copy
import json

GROUP = "compare.kin.example"
NAMESPACES = ["cmp-a", "cmp-b"]

POD_SPEC = {
    "containers": [
        {
            "name": "c",
            "image": "img:1",
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
            "imagePullPolicy": "IfNotPresent",
        }
    ],
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "securityContext": {},
    "schedulerName": "default-scheduler",
}
TOLERATIONS = [
    {"key": f"node.kubernetes.io/{what}", "operator": "Exists", "effect": "NoExecute",
    "tolerationSeconds": 300}
    for what in ("not-ready", "unreachable")
]


class Resource:
    def __init__(self, plural, version, kind, namespaced, rest, changed):
        self.plural = plural
        self.version = version
        self.kind = kind
        self.namespaced = namespaced
        self.rest = rest
        self.changed = changed  # what a small change of the object's content is

    @property
    def root(self):
        return ("/api/" if "/" not in self.version else "/apis/") + self.version

    def collection(self, ns=None):
        if ns and self.namespaced:
            return f"{self.root}/namespaces/{ns}/{self.plural}"
        return f"{self.root}/{self.plural}"

    def item(self, ns, name):
        return f"{self.collection(ns)}/{name}"

    def object(self, ns, name, labels=None, **metadata):
        meta = {"name": name, **metadata}
        if ns and self.namespaced:
            meta["namespace"] = ns
        if labels:
            meta["labels"] = labels
        rest = copy.deepcopy(self.rest)
        if self.plural == "events":
            rest["involvedObject"]["namespace"] = ns
        return {"apiVersion": self.version, "kind": self.kind, "metadata": meta, **rest}


def pod_spec(**more):
    return {**copy.deepcopy(POD_SPEC), **more}


RESOURCES = {
    r.plural: r
    for r in [
        Resource("configmaps", "v1", "ConfigMap", True, {"data": {"a": "1", "b": "<&>"}},
        {"data": {"a": "2"}}),
        Resource(
            "secrets", "v1", "Secret", True, {"type": "Opaque", "data": {"k": "djE="}},
            {"data": {"k": "djI="}}
        ),
        Resource(
            "pods",
            "v1",
            "Pod",
            True,
            {
                "spec": pod_spec(
                    nodeName="cmp-n1",
                    tolerations=TOLERATIONS,
                    priority=0,
                    enableServiceLinks=True,
                    preemptionPolicy="PreemptLowerPriority",
                ),
                "status": {"phase": "Pending", "qosClass": "BestEffort"},
            },
            {"metadata": {"annotations": {"changed": "yes"}}},
        ),
        Resource(
            "deployments",
            "apps/v1",
            "Deployment",
            True,
            {
                "spec": {
                    "replicas": 2,
                    "selector": {"matchLabels": {"a": "b"}},
                    "template": {"metadata": {"labels": {"a": "b"}}, "spec": pod_spec()},
                    "strategy": {"type": "Recreate"},
                    "revisionHistoryLimit": 10,
                    "progressDeadlineSeconds": 600,
                }
            },
            {"spec": {"replicas": 3}},
        ),
        Resource(
            "services",
            "v1",
            "Service",
            True,
            {
                "spec": {
                    "ports": [{"name": "p", "protocol": "TCP", "port": 80, "targetPort": 80}],
                    "clusterIP": "None",
                    "clusterIPs": ["None"],
                    "type": "ClusterIP",
                    "sessionAffinity": "None",
                    "ipFamilies": ["IPv4"],
                    "ipFamilyPolicy": "SingleStack",
                    "internalTrafficPolicy": "Cluster",
                    "selector": {"a": "b"},
                }
            },
            {"spec": {"selector": {"a": "c"}}},
        ),
        Resource(
            "leases",
            "coordination.k8s.io/v1",
            "Lease",
            True,
            {"spec": {"holderIdentity": "h", "leaseDurationSeconds": 15,
            "renewTime": "2020-01-02T03:04:05.000006Z"}},
            {"spec": {"holderIdentity": "other"}},
        ),
        Resource(
            "events",
            "v1",
            "Event",
            True,
            {
                "involvedObject": {"kind": "Pod", "name": "x"},
                "reason": "Because",
                "message": "it is so",
                "source": {"component": "kin"},
                "firstTimestamp": "2020-01-02T03:04:05Z",
                "lastTimestamp": "2020-01-02T03:04:05Z",
                "count": 1,
                "type": "Normal",
            },
            {"count": 2},
        ),
        Resource(
            "nodes",
            "v1",
            "Node",
            False,
            {"spec": {"podCIDR": "10.1.0.0/24", "podCIDRs": ["10.1.0.0/24"],
            "taints": [{"key": "k", "effect": "NoSchedule"},
            {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]}},
            {"spec": {"unschedulable": True}},
        ),
        Resource("namespaces", "v1", "Namespace", False, {},
        {"metadata": {"annotations": {"changed": "yes"}}}),
        Resource(
            "widgets",
            GROUP + "/v1",
            "Widget",
            True,
            {"spec": {"size": 1, "replicas": 1, "color": "red"},
            "extra": {"z": 1, "a": [1, {"b": None}]}},
            {"spec": {"size": 2}},
        ),
        Resource("planets", GROUP + "/v1", "Planet", False, {"spec": {"size": 1}},
        {"spec": {"size": 2}}),
    ]
}


def definition(plural, kind, scope):
    """Of a custom resource; the namespaced one has everything that a version can have."""
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object",
        "x-kubernetes-preserve-unknown-fields": True}},
    }
    if scope == "Namespaced":
        number = {"type": "integer"}
        version["subresources"] = {
            "status": {},
            "scale": {"specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.replicas"},
        }
        version["additionalPrinterColumns"] = [
            {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
            {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1},
        ]
        version["selectableFields"] = [{"jsonPath": ".spec.color"}]
        version["schema"]["openAPIV3Schema"]["properties"] = {
            "spec": {
                "type": "object",
                "x-kubernetes-preserve-unknown-fields": True,
                "properties": {"size": number, "replicas": number, "color": {"type": "string"}},
            },
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"replicas": number}},
        }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": scope,
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind,
            "listKind": kind + "List"},
            "versions": [version],
        },
    }


def encode(value):
    return json.dumps(value).encode()
