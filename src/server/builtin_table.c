/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin_table.c - the resources that are there from the start, as rows.
 *
 * All that kube-apiserver 1.36.3 serves with every API group and feature gate on, in the order of
 * its discovery.  Names, verbs, subresources and hashes are those of its discovery; traits and
 * rules for names were found by trying on such a server: what a PUT makes, what it wants a version
 * for, what a DELETE answers, which names are refused.  The version that is stored is the one whose
 * hash discovery shows.
 */
#include "server/builtin_table.h"

#define GET KIN__VERB_GET
#define LIST KIN__VERB_LIST
#define WATCH KIN__VERB_WATCH
#define CREATE KIN__VERB_CREATE
#define UPDATE KIN__VERB_UPDATE
#define PATCH KIN__VERB_PATCH
#define DELETE KIN__VERB_DELETE
#define DELETE_COLLECTION KIN__VERB_DELETE_COLLECTION

#define GET_AND_WRITE (GET | PATCH | UPDATE)
#define PROXY (GET_AND_WRITE | CREATE | DELETE)
#define ALL_BUT_COLLECTIONS (PROXY | LIST | WATCH)
#define ALL (ALL_BUT_COLLECTIONS | DELETE_COLLECTION)

#define HAS_STATUS KIN__HAS_STATUS
#define HAS_SCALE KIN__HAS_SCALE
#define GENERATION KIN__HAS_GENERATION
#define BY_ANNOTATIONS KIN__GENERATION_BY_ANNOTATIONS
#define CREATES_ON_UPDATE KIN__CREATES_ON_UPDATE
#define BY_VERSION KIN__UPDATES_ONLY_BY_VERSION
#define DELETE_OBJECT KIN__DELETE_ANSWERS_OBJECT
#define UNCACHED KIN__IS_UNCACHED
#define VIRTUAL KIN__IS_VIRTUAL
#define GRACEFUL KIN__IS_GRACEFUL
#define IN_CORE KIN__IS_KEPT_IN_CORE

#define SUBDOMAIN KIN__NAME_SUBDOMAIN
#define LABEL KIN__NAME_LABEL
#define PATH KIN__NAME_PATH
#define ADDRESS KIN__NAME_ADDRESS

#define NAMESPACED true
#define CLUSTER false
#define STORED true
#define CONVERTED false

static const kin__served_sub namespaces_subs[] = {
    { "finalize", "", "", "", UPDATE },
    { "status", "", "", "", GET_AND_WRITE },
    { NULL, NULL, NULL, NULL, 0 },
};

static const kin__served_sub nodes_subs[] = {
    { "proxy", "", "", "NodeProxyOptions", PROXY },
    { "status", "", "", "", GET_AND_WRITE },
    { NULL, NULL, NULL, NULL, 0 },
};

static const kin__served_sub only_status[] = {
    { "status", "", "", "", GET_AND_WRITE },
    { NULL, NULL, NULL, NULL, 0 },
};

static const kin__served_sub pods_subs[] = {
    { "attach", "", "", "PodAttachOptions", CREATE | GET },
    { "binding", "", "", "Binding", CREATE },
    { "ephemeralcontainers", "", "", "", GET_AND_WRITE },
    { "eviction", "policy", "v1", "Eviction", CREATE },
    { "exec", "", "", "PodExecOptions", CREATE | GET },
    { "log", "", "", "", GET },
    { "portforward", "", "", "PodPortForwardOptions", CREATE | GET },
    { "proxy", "", "", "PodProxyOptions", PROXY },
    { "resize", "", "", "", GET_AND_WRITE },
    { "status", "", "", "", GET_AND_WRITE },
    { NULL, NULL, NULL, NULL, 0 },
};

static const kin__served_sub scale_and_status[] = {
    { "scale", "autoscaling", "v1", "Scale", GET_AND_WRITE },
    { "status", "", "", "", GET_AND_WRITE },
    { NULL, NULL, NULL, NULL, 0 },
};

static const kin__served_sub serviceaccounts_subs[] = {
    { "token", "authentication.k8s.io", "v1", "TokenRequest", CREATE },
    { NULL, NULL, NULL, NULL, 0 },
};

static const kin__served_sub services_subs[] = {
    { "proxy", "", "", "ServiceProxyOptions", PROXY },
    { "status", "", "", "", GET_AND_WRITE },
    { NULL, NULL, NULL, NULL, 0 },
};

static const kin__served_sub certificatesigningrequests_subs[] = {
    { "approval", "", "", "", GET_AND_WRITE },
    { "status", "", "", "", GET_AND_WRITE },
    { NULL, NULL, NULL, NULL, 0 },
};

/* clang-format off */
const kin__builtin kin__builtin_table[] = {
    /* v1 */
    { "", "v1", "bindings", "binding", "Binding", NAMESPACED, STORED, CREATE, VIRTUAL, SUBDOMAIN,
      { NULL }, NULL, "", NULL },
    { "", "v1", "componentstatuses", "componentstatus", "ComponentStatus", CLUSTER, STORED,
      GET | LIST, 0, SUBDOMAIN, { "cs" }, NULL, "", NULL },
    { "", "v1", "configmaps", "configmap", "ConfigMap", NAMESPACED, STORED, ALL, 0, SUBDOMAIN,
      { "cm" }, NULL, "qFsyl6wFWjQ=", NULL },
    { "", "v1", "endpoints", "endpoints", "Endpoints", NAMESPACED, STORED, ALL, CREATES_ON_UPDATE,
      SUBDOMAIN, { "ep" }, NULL, "fWeeMqaN/OA=", NULL },
    { "", "v1", "events", "event", "Event", NAMESPACED, STORED, ALL, CREATES_ON_UPDATE | UNCACHED,
      PATH, { "ev" }, NULL, "r2yiGXH7wu8=", NULL },
    { "", "v1", "limitranges", "limitrange", "LimitRange", NAMESPACED, STORED, ALL,
      CREATES_ON_UPDATE, SUBDOMAIN, { "limits" }, NULL, "EBKMFVe6cwo=", NULL },
    { "", "v1", "namespaces", "namespace", "Namespace", CLUSTER, STORED, ALL_BUT_COLLECTIONS,
      HAS_STATUS | DELETE_OBJECT, LABEL, { "ns" }, NULL, "Q3oi5N2YM8M=", namespaces_subs },
    { "", "v1", "nodes", "node", "Node", CLUSTER, STORED, ALL, HAS_STATUS, SUBDOMAIN, { "no" },
      NULL, "XwShjMxG9Fs=", nodes_subs },
    { "", "v1", "persistentvolumeclaims", "persistentvolumeclaim", "PersistentVolumeClaim",
      NAMESPACED, STORED, ALL, HAS_STATUS | DELETE_OBJECT, SUBDOMAIN, { "pvc" }, NULL,
      "QWTyNDq0dC4=", only_status },
    { "", "v1", "persistentvolumes", "persistentvolume", "PersistentVolume", CLUSTER, STORED, ALL,
      HAS_STATUS | DELETE_OBJECT, SUBDOMAIN, { "pv" }, NULL, "HN/zwEC+JgM=", only_status },
    { "", "v1", "pods", "pod", "Pod", NAMESPACED, STORED, ALL,
      HAS_STATUS | GENERATION | DELETE_OBJECT | GRACEFUL, SUBDOMAIN, { "po" }, "all",
      "xPOwRZ+Yhw8=", pods_subs },
    { "", "v1", "podtemplates", "podtemplate", "PodTemplate", NAMESPACED, STORED, ALL,
      GENERATION | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL, "LIXB2x4IFpk=", NULL },
    { "", "v1", "replicationcontrollers", "replicationcontroller", "ReplicationController",
      NAMESPACED, STORED, ALL, HAS_STATUS | HAS_SCALE | GENERATION, SUBDOMAIN, { "rc" }, "all",
      "Jond2If31h0=", scale_and_status },
    { "", "v1", "resourcequotas", "resourcequota", "ResourceQuota", NAMESPACED, STORED, ALL,
      HAS_STATUS | DELETE_OBJECT, SUBDOMAIN, { "quota" }, NULL, "8uhSgffRX6w=", only_status },
    { "", "v1", "secrets", "secret", "Secret", NAMESPACED, STORED, ALL, 0, SUBDOMAIN, { NULL },
      NULL, "S6u1pOWzb84=", NULL },
    { "", "v1", "serviceaccounts", "serviceaccount", "ServiceAccount", NAMESPACED, STORED, ALL,
      DELETE_OBJECT, SUBDOMAIN, { "sa" }, NULL, "pbx9ZvyFpBE=", serviceaccounts_subs },
    { "", "v1", "services", "service", "Service", NAMESPACED, STORED, ALL,
      HAS_STATUS | CREATES_ON_UPDATE | DELETE_OBJECT, LABEL, { "svc" }, "all", "0/CO1lhkEBI=",
      services_subs },
    /* apiregistration.k8s.io/v1 */
    { "apiregistration.k8s.io", "v1", "apiservices", "apiservice", "APIService", CLUSTER, STORED,
      ALL, HAS_STATUS | BY_VERSION, PATH, { NULL }, "api-extensions", "InPBPD7+PqM=",
      only_status },
    /* apps/v1 */
    { "apps", "v1", "controllerrevisions", "controllerrevision", "ControllerRevision", NAMESPACED,
      STORED, ALL, 0, SUBDOMAIN, { NULL }, NULL, "85nkx63pcBU=", NULL },
    { "apps", "v1", "daemonsets", "daemonset", "DaemonSet", NAMESPACED, STORED, ALL,
      HAS_STATUS | GENERATION, SUBDOMAIN, { "ds" }, "all", "dd7pWHUlMKQ=", only_status },
    { "apps", "v1", "deployments", "deployment", "Deployment", NAMESPACED, STORED, ALL,
      HAS_STATUS | HAS_SCALE | GENERATION | BY_ANNOTATIONS, SUBDOMAIN, { "deploy" }, "all",
      "8aSe+NMegvE=", scale_and_status },
    { "apps", "v1", "replicasets", "replicaset", "ReplicaSet", NAMESPACED, STORED, ALL,
      HAS_STATUS | HAS_SCALE | GENERATION, SUBDOMAIN, { "rs" }, "all", "P1RzHs8/mWQ=",
      scale_and_status },
    { "apps", "v1", "statefulsets", "statefulset", "StatefulSet", NAMESPACED, STORED, ALL,
      HAS_STATUS | HAS_SCALE | GENERATION, LABEL, { "sts" }, "all", "H+vl74LkKdo=",
      scale_and_status },
    /* events.k8s.io/v1 */
    { "events.k8s.io", "v1", "events", "event", "Event", NAMESPACED, CONVERTED, ALL,
      CREATES_ON_UPDATE | UNCACHED | IN_CORE, SUBDOMAIN, { "ev" }, NULL, "r2yiGXH7wu8=", NULL },
    /* authentication.k8s.io/v1 */
    { "authentication.k8s.io", "v1", "selfsubjectreviews", "selfsubjectreview", "SelfSubjectReview",
      CLUSTER, STORED, CREATE, VIRTUAL, SUBDOMAIN, { NULL }, NULL, "", NULL },
    { "authentication.k8s.io", "v1", "tokenreviews", "tokenreview", "TokenReview", CLUSTER, STORED,
      CREATE, VIRTUAL, SUBDOMAIN, { NULL }, NULL, "", NULL },
    /* authorization.k8s.io/v1 */
    { "authorization.k8s.io", "v1", "localsubjectaccessreviews", "localsubjectaccessreview",
      "LocalSubjectAccessReview", NAMESPACED, STORED, CREATE, VIRTUAL, SUBDOMAIN, { NULL }, NULL,
      "", NULL },
    { "authorization.k8s.io", "v1", "selfsubjectaccessreviews", "selfsubjectaccessreview",
      "SelfSubjectAccessReview", CLUSTER, STORED, CREATE, VIRTUAL, SUBDOMAIN, { NULL }, NULL, "",
      NULL },
    { "authorization.k8s.io", "v1", "selfsubjectrulesreviews", "selfsubjectrulesreview",
      "SelfSubjectRulesReview", CLUSTER, STORED, CREATE, VIRTUAL, SUBDOMAIN, { NULL }, NULL, "",
      NULL },
    { "authorization.k8s.io", "v1", "subjectaccessreviews", "subjectaccessreview",
      "SubjectAccessReview", CLUSTER, STORED, CREATE, VIRTUAL, SUBDOMAIN, { NULL }, NULL, "",
      NULL },
    /* autoscaling/v2 */
    { "autoscaling", "v2", "horizontalpodautoscalers", "horizontalpodautoscaler",
      "HorizontalPodAutoscaler", NAMESPACED, STORED, ALL, HAS_STATUS, SUBDOMAIN, { "hpa" }, "all",
      "qwQve8ut294=", only_status },
    /* autoscaling/v1 */
    { "autoscaling", "v1", "horizontalpodautoscalers", "horizontalpodautoscaler",
      "HorizontalPodAutoscaler", NAMESPACED, CONVERTED, ALL, HAS_STATUS, SUBDOMAIN, { "hpa" },
      "all", "qwQve8ut294=", only_status },
    /* batch/v1 */
    { "batch", "v1", "cronjobs", "cronjob", "CronJob", NAMESPACED, STORED, ALL,
      HAS_STATUS | GENERATION, SUBDOMAIN, { "cj" }, "all", "sd5LIXh4Fjs=", only_status },
    { "batch", "v1", "jobs", "job", "Job", NAMESPACED, STORED, ALL, HAS_STATUS | GENERATION,
      SUBDOMAIN, { NULL }, "all", "mudhfqk/qZY=", only_status },
    /* certificates.k8s.io/v1 */
    { "certificates.k8s.io", "v1", "certificatesigningrequests", "certificatesigningrequest",
      "CertificateSigningRequest", CLUSTER, STORED, ALL, HAS_STATUS, PATH, { "csr" }, NULL,
      "95fRKMXA+00=", certificatesigningrequests_subs },
    /* certificates.k8s.io/v1beta1 */
    { "certificates.k8s.io", "v1beta1", "clustertrustbundles", "clustertrustbundle",
      "ClusterTrustBundle", CLUSTER, STORED, ALL, BY_VERSION, SUBDOMAIN, { NULL }, NULL,
      "v5yhuVertL4=", NULL },
    { "certificates.k8s.io", "v1beta1", "podcertificaterequests", "podcertificaterequest",
      "PodCertificateRequest", NAMESPACED, STORED, ALL, HAS_STATUS | BY_VERSION, SUBDOMAIN,
      { NULL }, NULL, "wYA9yXQH8fg=", only_status },
    /* certificates.k8s.io/v1alpha1 */
    { "certificates.k8s.io", "v1alpha1", "clustertrustbundles", "clustertrustbundle",
      "ClusterTrustBundle", CLUSTER, CONVERTED, ALL, BY_VERSION, SUBDOMAIN, { NULL }, NULL,
      "v5yhuVertL4=", NULL },
    /* networking.k8s.io/v1 */
    { "networking.k8s.io", "v1", "ingressclasses", "ingressclass", "IngressClass", CLUSTER, STORED,
      ALL, GENERATION, SUBDOMAIN, { NULL }, NULL, "l/iqIbDgFyQ=", NULL },
    { "networking.k8s.io", "v1", "ingresses", "ingress", "Ingress", NAMESPACED, STORED, ALL,
      HAS_STATUS | GENERATION, SUBDOMAIN, { "ing" }, NULL, "39NQlfNR+bo=", only_status },
    { "networking.k8s.io", "v1", "ipaddresses", "ipaddress", "IPAddress", CLUSTER, STORED, ALL, 0,
      ADDRESS, { "ip" }, NULL, "3f/plJFChNE=", NULL },
    { "networking.k8s.io", "v1", "networkpolicies", "networkpolicy", "NetworkPolicy", NAMESPACED,
      STORED, ALL, GENERATION, SUBDOMAIN, { "netpol" }, NULL, "YpfwF18m1G8=", NULL },
    { "networking.k8s.io", "v1", "servicecidrs", "servicecidr", "ServiceCIDR", CLUSTER, STORED, ALL,
      HAS_STATUS, SUBDOMAIN, { NULL }, NULL, "gNLvruQhW2g=", only_status },
    /* networking.k8s.io/v1beta1 */
    { "networking.k8s.io", "v1beta1", "ipaddresses", "ipaddress", "IPAddress", CLUSTER, CONVERTED,
      ALL, 0, ADDRESS, { "ip" }, NULL, "3f/plJFChNE=", NULL },
    { "networking.k8s.io", "v1beta1", "servicecidrs", "servicecidr", "ServiceCIDR", CLUSTER,
      CONVERTED, ALL, HAS_STATUS, SUBDOMAIN, { NULL }, NULL, "gNLvruQhW2g=", only_status },
    /* policy/v1 */
    { "policy", "v1", "poddisruptionbudgets", "poddisruptionbudget", "PodDisruptionBudget",
      NAMESPACED, STORED, ALL, HAS_STATUS | GENERATION | BY_VERSION, PATH, { "pdb" }, NULL,
      "EVWiDmWqyJw=", only_status },
    /* rbac.authorization.k8s.io/v1 */
    { "rbac.authorization.k8s.io", "v1", "clusterrolebindings", "clusterrolebinding",
      "ClusterRoleBinding", CLUSTER, STORED, ALL, CREATES_ON_UPDATE, PATH, { NULL }, NULL,
      "48tpQ8gZHFc=", NULL },
    { "rbac.authorization.k8s.io", "v1", "clusterroles", "clusterrole", "ClusterRole", CLUSTER,
      STORED, ALL, CREATES_ON_UPDATE, PATH, { NULL }, NULL, "bYE5ZWDrJ44=", NULL },
    { "rbac.authorization.k8s.io", "v1", "rolebindings", "rolebinding", "RoleBinding", NAMESPACED,
      STORED, ALL, CREATES_ON_UPDATE, PATH, { NULL }, NULL, "eGsCzGH6b1g=", NULL },
    { "rbac.authorization.k8s.io", "v1", "roles", "role", "Role", NAMESPACED, STORED, ALL,
      CREATES_ON_UPDATE, PATH, { NULL }, NULL, "7FuwZcIIItM=", NULL },
    /* storage.k8s.io/v1 */
    { "storage.k8s.io", "v1", "csidrivers", "csidriver", "CSIDriver", CLUSTER, STORED, ALL,
      BY_VERSION | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL, "hL6j/rwBV5w=", NULL },
    { "storage.k8s.io", "v1", "csinodes", "csinode", "CSINode", CLUSTER, STORED, ALL,
      BY_VERSION | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL, "Pe62DkZtjuo=", NULL },
    { "storage.k8s.io", "v1", "csistoragecapacities", "csistoragecapacity", "CSIStorageCapacity",
      NAMESPACED, STORED, ALL, BY_VERSION, SUBDOMAIN, { NULL }, NULL, "xeVl+2Ly1kE=", NULL },
    { "storage.k8s.io", "v1", "storageclasses", "storageclass", "StorageClass", CLUSTER, STORED,
      ALL, DELETE_OBJECT, SUBDOMAIN, { "sc" }, NULL, "K+m6uJwbjGY=", NULL },
    { "storage.k8s.io", "v1", "volumeattachments", "volumeattachment", "VolumeAttachment", CLUSTER,
      STORED, ALL, HAS_STATUS | BY_VERSION | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL,
      "tJx/ezt6UDU=", only_status },
    { "storage.k8s.io", "v1", "volumeattributesclasses", "volumeattributesclass",
      "VolumeAttributesClass", CLUSTER, STORED, ALL, DELETE_OBJECT, SUBDOMAIN, { "vac" }, NULL,
      "tIjydgKBC5w=", NULL },
    /* storage.k8s.io/v1beta1 */
    { "storage.k8s.io", "v1beta1", "volumeattributesclasses", "volumeattributesclass",
      "VolumeAttributesClass", CLUSTER, CONVERTED, ALL, DELETE_OBJECT, SUBDOMAIN, { "vac" }, NULL,
      "tIjydgKBC5w=", NULL },
    /* admissionregistration.k8s.io/v1 */
    { "admissionregistration.k8s.io", "v1", "mutatingadmissionpolicies", "mutatingadmissionpolicy",
      "MutatingAdmissionPolicy", CLUSTER, CONVERTED, ALL, GENERATION | BY_VERSION, SUBDOMAIN,
      { NULL }, "api-extensions", "LYmCf+UMVdg=", NULL },
    { "admissionregistration.k8s.io", "v1", "mutatingadmissionpolicybindings",
      "mutatingadmissionpolicybinding", "MutatingAdmissionPolicyBinding", CLUSTER, CONVERTED, ALL,
      GENERATION | BY_VERSION, SUBDOMAIN, { NULL }, "api-extensions", "90V5FRZZ3Zg=", NULL },
    { "admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
      "mutatingwebhookconfiguration", "MutatingWebhookConfiguration", CLUSTER, STORED, ALL,
      GENERATION | BY_VERSION, SUBDOMAIN, { NULL }, "api-extensions", "Sqi0GUgDaX0=", NULL },
    { "admissionregistration.k8s.io", "v1", "validatingadmissionpolicies",
      "validatingadmissionpolicy", "ValidatingAdmissionPolicy", CLUSTER, STORED, ALL,
      HAS_STATUS | GENERATION | BY_VERSION, SUBDOMAIN, { NULL }, "api-extensions", "6OxvlMmQ6is=",
      only_status },
    { "admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings",
      "validatingadmissionpolicybinding", "ValidatingAdmissionPolicyBinding", CLUSTER, STORED, ALL,
      GENERATION | BY_VERSION, SUBDOMAIN, { NULL }, "api-extensions", "v9715VZqakg=", NULL },
    { "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
      "validatingwebhookconfiguration", "ValidatingWebhookConfiguration", CLUSTER, STORED, ALL,
      GENERATION | BY_VERSION, SUBDOMAIN, { NULL }, "api-extensions", "B0wHjQmsGNk=", NULL },
    /* admissionregistration.k8s.io/v1beta1 */
    { "admissionregistration.k8s.io", "v1beta1", "mutatingadmissionpolicies",
      "mutatingadmissionpolicy", "MutatingAdmissionPolicy", CLUSTER, STORED, ALL,
      GENERATION | BY_VERSION, SUBDOMAIN, { NULL }, "api-extensions", "LYmCf+UMVdg=", NULL },
    { "admissionregistration.k8s.io", "v1beta1", "mutatingadmissionpolicybindings",
      "mutatingadmissionpolicybinding", "MutatingAdmissionPolicyBinding", CLUSTER, STORED, ALL,
      GENERATION | BY_VERSION, SUBDOMAIN, { NULL }, "api-extensions", "90V5FRZZ3Zg=", NULL },
    /* admissionregistration.k8s.io/v1alpha1 */
    { "admissionregistration.k8s.io", "v1alpha1", "mutatingadmissionpolicies",
      "mutatingadmissionpolicy", "MutatingAdmissionPolicy", CLUSTER, CONVERTED, ALL,
      GENERATION | BY_VERSION, SUBDOMAIN, { NULL }, "api-extensions", "LYmCf+UMVdg=", NULL },
    { "admissionregistration.k8s.io", "v1alpha1", "mutatingadmissionpolicybindings",
      "mutatingadmissionpolicybinding", "MutatingAdmissionPolicyBinding", CLUSTER, CONVERTED, ALL,
      GENERATION | BY_VERSION, SUBDOMAIN, { NULL }, "api-extensions", "90V5FRZZ3Zg=", NULL },
    /* apiextensions.k8s.io/v1 */
    { "apiextensions.k8s.io", "v1", "customresourcedefinitions", "customresourcedefinition",
      "CustomResourceDefinition", CLUSTER, STORED, ALL,
      HAS_STATUS | GENERATION | BY_VERSION | DELETE_OBJECT, SUBDOMAIN, { "crd", "crds" },
      "api-extensions", "jfWCUB31mvA=", only_status },
    /* scheduling.k8s.io/v1 */
    { "scheduling.k8s.io", "v1", "priorityclasses", "priorityclass", "PriorityClass", CLUSTER,
      STORED, ALL, GENERATION, SUBDOMAIN, { "pc" }, NULL, "1QwjyaZjj3Y=", NULL },
    /* scheduling.k8s.io/v1alpha2 */
    { "scheduling.k8s.io", "v1alpha2", "podgroups", "podgroup", "PodGroup", NAMESPACED, STORED, ALL,
      HAS_STATUS, SUBDOMAIN, { NULL }, NULL, "YYgX3v5V204=", only_status },
    { "scheduling.k8s.io", "v1alpha2", "workloads", "workload", "Workload", NAMESPACED, STORED, ALL,
      0, SUBDOMAIN, { NULL }, NULL, "vSX7gJe5Mx8=", NULL },
    /* coordination.k8s.io/v1 */
    { "coordination.k8s.io", "v1", "leases", "lease", "Lease", NAMESPACED, STORED, ALL,
      CREATES_ON_UPDATE | BY_VERSION, SUBDOMAIN, { NULL }, NULL, "gqkMMb/YqFM=", NULL },
    /* coordination.k8s.io/v1beta1 */
    { "coordination.k8s.io", "v1beta1", "leasecandidates", "leasecandidate", "LeaseCandidate",
      NAMESPACED, STORED, ALL, CREATES_ON_UPDATE | BY_VERSION, PATH, { NULL }, NULL, "lvME0iHWE20=",
      NULL },
    /* coordination.k8s.io/v1alpha2 */
    { "coordination.k8s.io", "v1alpha2", "leasecandidates", "leasecandidate", "LeaseCandidate",
      NAMESPACED, CONVERTED, ALL, CREATES_ON_UPDATE | BY_VERSION, PATH, { NULL }, NULL,
      "lvME0iHWE20=", NULL },
    /* node.k8s.io/v1 */
    { "node.k8s.io", "v1", "runtimeclasses", "runtimeclass", "RuntimeClass", CLUSTER, STORED, ALL,
      CREATES_ON_UPDATE | BY_VERSION, SUBDOMAIN, { NULL }, NULL, "WQTu1GL3T2Q=", NULL },
    /* discovery.k8s.io/v1 */
    { "discovery.k8s.io", "v1", "endpointslices", "endpointslice", "EndpointSlice", NAMESPACED,
      STORED, ALL, GENERATION, SUBDOMAIN, { NULL }, NULL, "qgS0xkrxYAI=", NULL },
    /* resource.k8s.io/v1 */
    { "resource.k8s.io", "v1", "deviceclasses", "deviceclass", "DeviceClass", CLUSTER, STORED, ALL,
      GENERATION | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL, "Yk2PTc1Ybxk=", NULL },
    { "resource.k8s.io", "v1", "resourceclaims", "resourceclaim", "ResourceClaim", NAMESPACED,
      STORED, ALL, HAS_STATUS | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL, "wgAZaHcZxUg=",
      only_status },
    { "resource.k8s.io", "v1", "resourceclaimtemplates", "resourceclaimtemplate",
      "ResourceClaimTemplate", NAMESPACED, STORED, ALL, DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL,
      "TuzjC49aUfM=", NULL },
    { "resource.k8s.io", "v1", "resourceslices", "resourceslice", "ResourceSlice", CLUSTER, STORED,
      ALL, GENERATION | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL, "KsC072WgaEY=", NULL },
    /* resource.k8s.io/v1beta2 */
    { "resource.k8s.io", "v1beta2", "deviceclasses", "deviceclass", "DeviceClass", CLUSTER,
      CONVERTED, ALL, GENERATION | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL, "Yk2PTc1Ybxk=",
      NULL },
    { "resource.k8s.io", "v1beta2", "devicetaintrules", "devicetaintrule", "DeviceTaintRule",
      CLUSTER, CONVERTED, ALL, HAS_STATUS | GENERATION | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL,
      "DJ3UJ0fj8MI=", only_status },
    { "resource.k8s.io", "v1beta2", "resourceclaims", "resourceclaim", "ResourceClaim", NAMESPACED,
      CONVERTED, ALL, HAS_STATUS | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL, "wgAZaHcZxUg=",
      only_status },
    { "resource.k8s.io", "v1beta2", "resourceclaimtemplates", "resourceclaimtemplate",
      "ResourceClaimTemplate", NAMESPACED, CONVERTED, ALL, DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL,
      "TuzjC49aUfM=", NULL },
    { "resource.k8s.io", "v1beta2", "resourceslices", "resourceslice", "ResourceSlice", CLUSTER,
      CONVERTED, ALL, GENERATION | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL, "KsC072WgaEY=",
      NULL },
    /* resource.k8s.io/v1beta1 */
    { "resource.k8s.io", "v1beta1", "deviceclasses", "deviceclass", "DeviceClass", CLUSTER,
      CONVERTED, ALL, GENERATION | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL, "Yk2PTc1Ybxk=",
      NULL },
    { "resource.k8s.io", "v1beta1", "resourceclaims", "resourceclaim", "ResourceClaim", NAMESPACED,
      CONVERTED, ALL, HAS_STATUS | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL, "wgAZaHcZxUg=",
      only_status },
    { "resource.k8s.io", "v1beta1", "resourceclaimtemplates", "resourceclaimtemplate",
      "ResourceClaimTemplate", NAMESPACED, CONVERTED, ALL, DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL,
      "TuzjC49aUfM=", NULL },
    { "resource.k8s.io", "v1beta1", "resourceslices", "resourceslice", "ResourceSlice", CLUSTER,
      CONVERTED, ALL, GENERATION | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL, "KsC072WgaEY=",
      NULL },
    /* resource.k8s.io/v1alpha3 */
    { "resource.k8s.io", "v1alpha3", "devicetaintrules", "devicetaintrule", "DeviceTaintRule",
      CLUSTER, STORED, ALL, HAS_STATUS | GENERATION | DELETE_OBJECT, SUBDOMAIN, { NULL }, NULL,
      "DJ3UJ0fj8MI=", only_status },
    { "resource.k8s.io", "v1alpha3", "resourcepoolstatusrequests", "resourcepoolstatusrequest",
      "ResourcePoolStatusRequest", CLUSTER, STORED, ALL, HAS_STATUS | BY_VERSION | DELETE_OBJECT,
      SUBDOMAIN, { NULL }, NULL, "iy583CtMwdY=", only_status },
    /* flowcontrol.apiserver.k8s.io/v1 */
    { "flowcontrol.apiserver.k8s.io", "v1", "flowschemas", "flowschema", "FlowSchema", CLUSTER,
      STORED, ALL, HAS_STATUS | GENERATION, SUBDOMAIN, { NULL }, NULL, "GJVAJZSZBIw=",
      only_status },
    { "flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations",
      "prioritylevelconfiguration", "PriorityLevelConfiguration", CLUSTER, STORED, ALL,
      HAS_STATUS | GENERATION, SUBDOMAIN, { NULL }, NULL, "Kir5PVfvNeI=", only_status },
    /* internal.apiserver.k8s.io/v1alpha1 */
    { "internal.apiserver.k8s.io", "v1alpha1", "storageversions", "storageversion",
      "StorageVersion", CLUSTER, STORED, ALL, HAS_STATUS | BY_VERSION, SUBDOMAIN, { NULL }, NULL,
      "c8YZt5U0nPk=", only_status },
    /* storagemigration.k8s.io/v1beta1 */
    { "storagemigration.k8s.io", "v1beta1", "storageversionmigrations", "storageversionmigration",
      "StorageVersionMigration", CLUSTER, STORED, ALL, HAS_STATUS | BY_VERSION, SUBDOMAIN, { NULL },
      NULL, "pCjmmKOkLy4=", only_status },
};
/* clang-format on */

const size_t kin__builtin_count = sizeof kin__builtin_table / sizeof kin__builtin_table[0];
