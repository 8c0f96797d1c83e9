/* SPDX-License-Identifier: Apache-2.0 */
/*
 * default_kinds.c - defaults that take more than a row of the table in defaults.c.
 *
 * After SetDefaults_* of k8s.io/kubernetes, pkg/apis.
 */
#include "server/default_kinds.h"

#include "server/allocation.h"
#include "server/default_path.h"
#include "server/field.h"
#include "server/identity.h"
#include "server/pod_class.h"
#include "server/strategy.h"

#define RBAC "rbac.authorization.k8s.io"
#define DEVICES "resource.k8s.io"

/* What an autoscaler goes by that says nothing: how it has always been done. */
#define CPU_METRIC                                                                                 \
    "[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"target\":{\"type\":"                 \
    "\"Utilization\",\"averageUtilization\":80}}}]"
#define UP_POLICIES                                                                                \
    "[{\"type\":\"Pods\",\"value\":4,\"periodSeconds\":15},{\"type\":\"Percent\",\"value\":"       \
    "100,\"periodSeconds\":15}]"
#define DOWN_POLICIES "[{\"type\":\"Percent\",\"value\":100,\"periodSeconds\":15}]"

/* Rows for the spec of a pod, wherever it is. */
static const struct {
    const char *path, *json;
} pod_rows[] = {
    { "containers[].lifecycle?.postStart?.httpGet?.path~", "\"/\"" },
    { "containers[].lifecycle?.postStart?.httpGet?.scheme~", "\"HTTP\"" },
    { "containers[].lifecycle?.preStop?.httpGet?.path~", "\"/\"" },
    { "containers[].lifecycle?.preStop?.httpGet?.scheme~", "\"HTTP\"" },
    { "containers[].livenessProbe?.grpc?.service", "\"\"" },
    { "containers[].readinessProbe?.grpc?.service", "\"\"" },
    { "containers[].startupProbe?.grpc?.service", "\"\"" },
    { "initContainers[].lifecycle?.postStart?.httpGet?.path~", "\"/\"" },
    { "initContainers[].lifecycle?.postStart?.httpGet?.scheme~", "\"HTTP\"" },
    { "initContainers[].lifecycle?.preStop?.httpGet?.path~", "\"/\"" },
    { "initContainers[].lifecycle?.preStop?.httpGet?.scheme~", "\"HTTP\"" },
    { "initContainers[].livenessProbe?.grpc?.service", "\"\"" },
    { "initContainers[].readinessProbe?.grpc?.service", "\"\"" },
    { "initContainers[].startupProbe?.grpc?.service", "\"\"" },
    { "volumes[].downwardAPI?.items[].fieldRef?.apiVersion~", "\"v1\"" },
    { "volumes[].projected?.sources[].downwardAPI?.items[].fieldRef?.apiVersion~", "\"v1\"" },
    { "volumes[].projected?.sources[].serviceAccountToken?.expirationSeconds", "3600" },
    { "volumes[].ephemeral?.volumeClaimTemplate?.spec.volumeMode", "\"Filesystem\"" },
    { "volumes[].iscsi?.iscsiInterface~", "\"default\"" },
    { "volumes[].rbd?.pool~", "\"rbd\"" },
    { "volumes[].rbd?.user~", "\"admin\"" },
    { "volumes[].rbd?.keyring~", "\"/etc/ceph/keyring\"" },
    { "volumes[].scaleIO?.storageMode~", "\"ThinProvisioned\"" },
    { "volumes[].scaleIO?.fsType~", "\"xfs\"" },
    { "volumes[].azureDisk?.cachingMode", "\"ReadWrite\"" },
    { "volumes[].azureDisk?.fsType", "\"ext4\"" },
    { "volumes[].azureDisk?.readOnly", "false" },
    { "volumes[].azureDisk?.kind", "\"Shared\"" },
};

static bool same_account(kin__node *spec);
static bool default_containers(kin__node *containers);
static bool default_container(kin__node *container);
static bool default_probe(kin__node *probe);
static const char *pull_policy(kin_str image);
static bool default_volumes(kin__node *volumes);
static bool default_protocols(kin__node *ports);
static bool default_pod(kin__node *spec);
static bool default_host_ports(const kin__node *containers);
static bool default_controller(kin__write *write);
static bool default_limits(const kin__node *limits);
static bool default_amounts(kin__node *limit, const char *name, const char *from);
static bool default_node(kin__node *spec);
static bool default_service(kin__write *write);
static bool default_job(kin__write *write);
static bool default_counts(kin__node *spec);
static bool default_slice_ports(kin__node *ports);
static bool default_subjects(kin__node *subjects);
static bool note_phase(kin__write *write);
static bool default_autoscaler(kin__node *spec);
static bool default_rules(kin__node *behavior, const char *name, const char *policies);
static bool default_requests(const kin__node *requests);
static bool default_allocation(kin__node *request);

bool kin__default_by_kind(kin__write *write)
{
    const kin__served *served = write->served;

    if (kin__served_is(served, "", "pods")) {
        return default_pod(kin__field(write->object, "spec"));
    }
    if (kin__served_is(served, "", "replicationcontrollers")) {
        return default_controller(write);
    }
    if (kin__served_is(served, "", "limitranges")) {
        return default_limits(kin__default_find(write->object, "spec.limits"));
    }
    if (kin__served_is(served, "", "nodes")) {
        return default_node(kin__field(write->object, "spec"));
    }
    if (kin__served_is(served, "", "services")) {
        return default_service(write);
    }
    if (kin__served_is(served, "", "persistentvolumes")) {
        kin__node *host_path = kin__default_find(write->object, "spec.hostPath");
        return (host_path == NULL || kin__field_default_text(host_path, "type", "")) &&
               note_phase(write);
    }
    if (kin__served_is(served, "networking.k8s.io", "networkpolicies")) {
        const kin__node *egress = kin__default_find(write->object, "spec.egress");
        return kin__default_at(write->object, "spec.policyTypes",
                               egress != NULL && kin__node_count(egress) > 0
                                   ? "[\"Ingress\",\"Egress\"]"
                                   : "[\"Ingress\"]");
    }
    if (kin__served_is(served, "discovery.k8s.io", "endpointslices")) {
        return default_slice_ports(kin__field(write->object, "ports"));
    }
    if (kin__served_is(served, RBAC, "rolebindings") ||
        kin__served_is(served, RBAC, "clusterrolebindings")) {
        return default_subjects(kin__field(write->object, "subjects"));
    }
    if (kin__served_is(served, "autoscaling", "horizontalpodautoscalers")) {
        return default_autoscaler(kin__field(write->object, "spec"));
    }
    if (kin__served_is(served, DEVICES, "resourceclaims")) {
        return default_requests(kin__default_find(write->object, "spec.devices.requests"));
    }
    if (kin__served_is(served, DEVICES, "resourceclaimtemplates")) {
        return default_requests(kin__default_find(write->object, "spec.spec.devices.requests"));
    }
    return !kin__served_is(served, "batch", "jobs") || default_job(write);
}

bool kin__default_pod_spec(kin__node *spec)
{
    if (!kin__node_is(spec, KIN_TYPE_OBJECT)) {
        return true;
    }
    for (size_t i = 0; i < sizeof pod_rows / sizeof pod_rows[0]; i++) {
        if (!kin__default_at(spec, pod_rows[i].path, pod_rows[i].json)) {
            return false;
        }
    }
    return kin__field_default_text(spec, "restartPolicy", "Always") &&
           kin__field_default_json(spec, "terminationGracePeriodSeconds", "30") &&
           kin__field_default_text(spec, "dnsPolicy", "ClusterFirst") &&
           kin__field_default_json(spec, "securityContext", "{}") &&
           kin__field_default_text(spec, "schedulerName", "default-scheduler") &&
           same_account(spec) && default_containers(kin__field(spec, "initContainers")) &&
           default_containers(kin__field(spec, "containers")) &&
           default_containers(kin__field(spec, "ephemeralContainers")) &&
           default_volumes(kin__field(spec, "volumes"));
}

/* The old name of the member is always there too, and says the same; alone it is taken for the new
 * one.  No default, but what conversion between the versions does. */
static bool same_account(kin__node *spec)
{
    kin_str account = kin__field_text(spec, "serviceAccountName");

    if (account.len > 0) {
        return kin__field_set_text(spec, "serviceAccount", account);
    }
    account = kin__field_text(spec, "serviceAccount");
    return account.len == 0 || kin__field_set_text(spec, "serviceAccountName", account);
}

static bool default_containers(kin__node *containers)
{
    kin__node_iter iter = { 0 };

    while (containers != NULL && kin__node_next(containers, &iter)) {
        if (kin__node_is(iter.value, KIN_TYPE_OBJECT) && !default_container(iter.value)) {
            return false;
        }
    }
    return true;
}

static bool default_container(kin__node *container)
{
    static const char *const probes[] = { "livenessProbe", "readinessProbe", "startupProbe" };
    kin__node *env = kin__field(container, "env");
    kin__node_iter iter = { 0 };

    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++) {
        if (!default_probe(kin__field(container, probes[i]))) {
            return false;
        }
    }
    while (env != NULL && kin__node_next(env, &iter)) {
        kin__node *reference = kin__field_at(iter.value, "valueFrom", "fieldRef");
        if (reference != NULL && !kin__field_default_text(reference, "apiVersion", "v1")) {
            return false;
        }
    }
    return default_protocols(kin__field(container, "ports")) &&
           kin__field_default_text(container, "terminationMessagePath", "/dev/termination-log") &&
           kin__field_default_text(container, "terminationMessagePolicy", "File") &&
           kin__field_default_text(container, "imagePullPolicy",
                                   pull_policy(kin__field_text(container, "image")));
}

static bool default_probe(kin__node *probe)
{
    if (!kin__node_is(probe, KIN_TYPE_OBJECT)) {
        return true;
    }
    kin__node *get = kin__field(probe, "httpGet");
    if (get != NULL && (!kin__field_default_text(get, "path", "/") ||
                        !kin__field_default_text(get, "scheme", "HTTP"))) {
        return false;
    }
    return kin__field_default_json(probe, "timeoutSeconds", "1") &&
           kin__field_default_json(probe, "periodSeconds", "10") &&
           kin__field_default_json(probe, "successThreshold", "1") &&
           kin__field_default_json(probe, "failureThreshold", "3");
}

/* The newest image is always fetched: one with the tag "latest", or with neither tag nor digest. */
static const char *pull_policy(kin_str image)
{
    size_t from = 0;

    for (size_t i = 0; i < image.len; i++) {
        from = image.data[i] == '/' ? i + 1 : from;
    }
    kin_str last = kin__str(image.data + from, image.len - from);
    bool has_digest = last.len > 0 && memchr(last.data, '@', last.len) != NULL;
    const char *colon = last.len == 0 ? NULL : memchr(last.data, ':', last.len);
    if (has_digest) {
        return "IfNotPresent";
    }
    if (colon == NULL) {
        return "Always";
    }
    kin_str tag = kin__str(colon + 1, (size_t) (last.data + last.len - colon - 1));
    return kin__str_equal(tag, STR("latest")) ? "Always" : "IfNotPresent";
}

static bool default_volumes(kin__node *volumes)
{
    static const char *const with_mode[] = { "secret", "configMap", "projected", "downwardAPI" };
    kin__node_iter iter = { 0 };

    while (volumes != NULL && kin__node_next(volumes, &iter)) {
        kin__node *host_path = kin__field(iter.value, "hostPath");
        if (host_path != NULL && !kin__field_default_text(host_path, "type", "")) {
            return false;
        }
        for (size_t i = 0; i < sizeof with_mode / sizeof with_mode[0]; i++) {
            kin__node *source = kin__field(iter.value, with_mode[i]);
            if (source != NULL && !kin__field_default_json(source, "defaultMode", "420")) {
                return false;
            }
        }
    }
    return true;
}

static bool default_protocols(kin__node *ports)
{
    kin__node_iter iter = { 0 };

    while (ports != NULL && kin__node_next(ports, &iter)) {
        if (kin__node_is(iter.value, KIN_TYPE_OBJECT) &&
            !kin__field_default_text(iter.value, "protocol", "TCP")) {
            return false;
        }
    }
    return true;
}

/* What pods have, and templates of pods have not. */
static bool default_pod(kin__node *spec)
{
    return kin__pod_default_requests(spec) &&
           (!kin__field_is_true(spec, "hostNetwork") ||
            (default_host_ports(kin__field(spec, "containers")) &&
             default_host_ports(kin__field(spec, "initContainers"))));
}

/* In the network of the node a container's ports are the node's. */
static bool default_host_ports(const kin__node *containers)
{
    kin__node_iter iter = { 0 };

    while (containers != NULL && kin__node_next(containers, &iter)) {
        const kin__node *ports = kin__field(iter.value, "ports");
        kin__node_iter each = { 0 };
        while (ports != NULL && kin__node_next(ports, &each)) {
            int64_t number = 0;
            if (kin__field_int64(each.value, "hostPort", &number) && number != 0) {
                continue;
            }
            if (kin__field(each.value, "containerPort") != NULL &&
                !kin__field_set(each.value, "hostPort",
                                kin__tree_copy(kin__field(each.value, "containerPort")))) {
                return false;
            }
        }
    }
    return true;
}

/* Its pods are those that its template makes, unless it says otherwise. */
static bool default_controller(kin__write *write)
{
    kin__node *spec = kin__field(write->object, "spec");
    kin__node *metadata = kin__write_metadata(write);
    const kin__node *labels = kin__default_find(spec, "template.metadata.labels");
    const kin__node *selector = kin__field(spec, "selector");
    const kin__node *own = kin__field(metadata, "labels");

    if (metadata == NULL || labels == NULL) {
        return metadata != NULL;
    }
    return ((selector != NULL && kin__node_count(selector) > 0) ||
            kin__field_set(spec, "selector", kin__tree_copy(labels))) &&
           ((own != NULL && kin__node_count(own) > 0) ||
            kin__field_set(metadata, "labels", kin__tree_copy(labels)));
}

/* Of containers: the default is the maximum, and what is asked for the default or the minimum. */
static bool default_limits(const kin__node *limits)
{
    kin__node_iter iter = { 0 };

    while (limits != NULL && kin__node_next(limits, &iter)) {
        if (kin__str_equal(kin__field_text(iter.value, "type"), STR("Container")) &&
            !(default_amounts(iter.value, "default", "max") &&
              default_amounts(iter.value, "defaultRequest", "default") &&
              default_amounts(iter.value, "defaultRequest", "min"))) {
            return false;
        }
    }
    return true;
}

static bool default_amounts(kin__node *limit, const char *name, const char *from)
{
    const kin__node *source = kin__field(limit, from);
    kin__node_iter iter = { 0 };
    kin_error err;

    while (source != NULL && kin__node_next(source, &iter)) {
        kin__node *amounts = kin__field_make(limit, name, KIN_TYPE_OBJECT);
        if (amounts == NULL) {
            return false;
        }
        if (kin__node_member(amounts, iter.name) != NULL) {
            continue;
        }
        AUTO(kin__node_free) kin__node *amount = kin__tree_copy(iter.value);
        if (amount == NULL || kin__node_set_member(amounts, iter.name, amount, &err) != KIN_OK) {
            return false;
        }
        (void) STEAL(amount);
    }
    return true;
}

/* One range of addresses is a list of one. */
static bool default_node(kin__node *spec)
{
    kin_str range = kin__field_text(spec, "podCIDR");

    if (range.len == 0 || kin__field(spec, "podCIDRs") != NULL) {
        return true;
    }
    kin__node *ranges = kin__field_make(spec, "podCIDRs", KIN_TYPE_ARRAY);
    return ranges != NULL && kin__field_append_text(ranges, range);
}

static bool default_service(kin__write *write)
{
    kin__node *spec = kin__field(write->object, "spec");
    kin__node *ports = kin__field(spec, "ports");
    const kin__node *outside = kin__field(spec, "externalIPs");
    kin__node_iter iter = { 0 };

    if (kin__str_equal(kin__field_text(spec, "type"), STR("ClusterIP")) && outside != NULL &&
        kin__node_count(outside) > 0 &&
        !kin__default_at(spec, "externalTrafficPolicy~", "\"Cluster\"")) {
        return false;
    }
    while (ports != NULL && kin__node_next(ports, &iter)) {
        if (kin__node_is(iter.value, KIN_TYPE_OBJECT) &&
            kin__field(iter.value, "targetPort") == NULL &&
            kin__field(iter.value, "port") != NULL &&
            !kin__field_set(iter.value, "targetPort",
                            kin__tree_copy(kin__field(iter.value, "port")))) {
            return false;
        }
    }
    return default_protocols(ports) && kin__allocate(write, spec);
}

/* A job finds its pods by its uid, unless it says how. */
static bool default_job(kin__write *write)
{
    kin__node *metadata = kin__write_metadata(write);
    kin__node *spec = kin__field(write->object, "spec");
    kin__node *template = spec == NULL ? NULL : kin__field_make(spec, "template", KIN_TYPE_OBJECT);
    kin_str uid = kin__field_text(metadata, "uid");

    if (spec != NULL && !default_counts(spec)) {
        return false;
    }
    if (template == NULL || write->old != NULL || kin__field_is_true(spec, "manualSelector")) {
        return spec == NULL || template != NULL;
    }
    kin__node *below = kin__field_make(template, "metadata", KIN_TYPE_OBJECT);
    kin__node *labels = below == NULL ? NULL : kin__field_make(below, "labels", KIN_TYPE_OBJECT);
    kin__node *selector = kin__field_make(spec, "selector", KIN_TYPE_OBJECT);
    kin__node *match =
        selector == NULL ? NULL : kin__field_make(selector, "matchLabels", KIN_TYPE_OBJECT);
    kin_str name = kin__field_text(metadata, "name");
    if (labels == NULL || match == NULL ||
        !kin__field_set_text(labels, "batch.kubernetes.io/controller-uid", uid) ||
        !kin__field_set_text(labels, "batch.kubernetes.io/job-name", name) ||
        !kin__field_set_text(labels, "controller-uid", uid) ||
        !kin__field_set_text(labels, "job-name", name) ||
        !kin__field_set_text(match, "batch.kubernetes.io/controller-uid", uid)) {
        return false;
    }
    return kin__field(metadata, "labels") != NULL ||
           kin__field_set(metadata, "labels", kin__tree_copy(labels));
}

/* Whoever says how many run at a time and not how many are wanted leaves that to the pods. */
static bool default_counts(kin__node *spec)
{
    bool has_none =
        kin__field(spec, "completions") == NULL && kin__field(spec, "parallelism") == NULL;
    bool counts_by_index = kin__field(spec, "backoffLimitPerIndex") != NULL;
    bool has_policy = kin__field(spec, "podFailurePolicy") != NULL;

    return (!has_none || kin__field_set_int64(spec, "completions", 1)) &&
           kin__field_default_json(spec, "parallelism", "1") &&
           kin__field_default_json(spec, "backoffLimit", counts_by_index ? "2147483647" : "6") &&
           kin__field_default_text(spec, "podReplacementPolicy",
                                   has_policy ? "Failed" : "TerminatingOrFailed");
}

static bool default_slice_ports(kin__node *ports)
{
    kin__node_iter iter = { 0 };

    while (ports != NULL && kin__node_next(ports, &iter)) {
        if (!kin__field_default_text(iter.value, "name", "")) {
            return false;
        }
    }
    return default_protocols(ports);
}

/* Service accounts are of the core group. */
static bool default_subjects(kin__node *subjects)
{
    kin__node_iter iter = { 0 };

    while (subjects != NULL && kin__node_next(subjects, &iter)) {
        kin_str kind = kin__field_text(iter.value, "kind");
        if ((kin__str_equal(kind, STR("User")) || kin__str_equal(kind, STR("Group"))) &&
            !kin__field_default_text(iter.value, "apiGroup", RBAC)) {
            return false;
        }
    }
    return true;
}

/* A new volume has been in its phase since now. */
static bool note_phase(kin__write *write)
{
    char now[KIN__PB_TIME_MAX];
    kin__node *status = kin__field(write->object, "status");

    return write->old != NULL || status == NULL ||
           kin__field_set_text(status, "lastPhaseTransitionTime",
                               kin__identity_time(write->engine, 0, now));
}

static bool default_autoscaler(kin__node *spec)
{
    kin__node *behavior = kin__field(spec, "behavior");
    const kin__node *metrics = kin__field(spec, "metrics");

    if (spec == NULL || ((metrics == NULL || kin__node_count(metrics) == 0) &&
                         !kin__field_set_json(spec, "metrics", CPU_METRIC))) {
        return spec == NULL;
    }
    if (behavior == NULL) {
        return true;
    }
    kin__node *up = kin__field_make(behavior, "scaleUp", KIN_TYPE_OBJECT);
    return up != NULL && kin__field_default_json(up, "stabilizationWindowSeconds", "0") &&
           default_rules(behavior, "scaleUp", UP_POLICIES) &&
           default_rules(behavior, "scaleDown", DOWN_POLICIES);
}

static bool default_rules(kin__node *behavior, const char *name, const char *policies)
{
    kin__node *rules = kin__field_make(behavior, name, KIN_TYPE_OBJECT);

    return rules != NULL && kin__field_default_text(rules, "selectPolicy", "Max") &&
           kin__field_default_json(rules, "policies", policies);
}

/* Of devices: one, unless it is said how many. */
static bool default_requests(const kin__node *requests)
{
    kin__node_iter iter = { 0 };

    while (requests != NULL && kin__node_next(requests, &iter)) {
        kin__node *exactly = kin__field(iter.value, "exactly");
        const kin__node *alternatives = kin__field(iter.value, "firstAvailable");
        kin__node_iter each = { 0 };
        if (exactly != NULL && !default_allocation(exactly)) {
            return false;
        }
        while (alternatives != NULL && kin__node_next(alternatives, &each)) {
            if (!default_allocation(each.value)) {
                return false;
            }
        }
    }
    return true;
}

static bool default_allocation(kin__node *request)
{
    int64_t count = 0;

    if (kin__field_text(request, "allocationMode").len == 0 &&
        !kin__field_set_text(request, "allocationMode", STR("ExactCount"))) {
        return false;
    }
    (void) kin__field_int64(request, "count", &count);
    return count != 0 ||
           !kin__str_equal(kin__field_text(request, "allocationMode"), STR("ExactCount")) ||
           kin__field_set_int64(request, "count", 1);
}
