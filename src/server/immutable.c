/* SPDX-License-Identifier: Apache-2.0 */
/*
 * immutable.c - what stays what it was.
 *
 * After Validate*Update of k8s.io/kubernetes 1.36, pkg/apis.  A real server ends some of its
 * messages with the lines that differ, in the names of its own Go types; they are left out here.
 */
#include "server/immutable.h"

#include <stdio.h>

#include "server/field.h"
#include "server/strategy.h"

#define RBAC "rbac.authorization.k8s.io"
#define IS_FIXED "field is immutable"
#define POD_IS_FIXED                                                                               \
    "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"          \
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "        \
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set " \
    "to 1 if it was previously negative)"
#define SET_IS_FIXED                                                                               \
    "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', "        \
    "'template', 'updateStrategy', 'revisionHistoryLimit', "                                       \
    "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
#define CLAIM_IS_FIXED                                                                             \
    "Forbidden: spec is immutable after creation except resources.requests and "                   \
    "volumeAttributesClassName for bound claims"

/* A member of an object, or of its spec, that an update leaves alone. */
typedef struct fixed_row {
    const char *group, *resource;
    const char *part, *member; /* `part` NULL: of the object itself */
} fixed_row;

static const fixed_row rows[] = {
    { "apps", "deployments", "spec", "selector" },
    { "apps", "replicasets", "spec", "selector" },
    { "apps", "daemonsets", "spec", "selector" },
    { "batch", "jobs", "spec", "selector" },
    { "batch", "jobs", "spec", "completionMode" },
    { "batch", "jobs", "spec", "podFailurePolicy" },
    { "batch", "jobs", "spec", "backoffLimitPerIndex" },
    { "batch", "jobs", "spec", "managedBy" },
    { "batch", "jobs", "spec", "successPolicy" },
    { "storage.k8s.io", "storageclasses", NULL, "parameters" },
    { "storage.k8s.io", "storageclasses", NULL, "provisioner" },
    { "storage.k8s.io", "storageclasses", NULL, "reclaimPolicy" },
    { "storage.k8s.io", "storageclasses", NULL, "volumeBindingMode" },
};

/* A spec of which only some members may change: the others are compared as a whole. */
typedef struct loose_row {
    const char *group, *resource;
    const char *const *members; /* end with NULL */
    const char *message;
} loose_row;

static const char *const of_set[] = { "replicas",
                                      "ordinals",
                                      "template",
                                      "updateStrategy",
                                      "revisionHistoryLimit",
                                      "persistentVolumeClaimRetentionPolicy",
                                      "minReadySeconds",
                                      NULL };
static const char *const of_pod[] = { "activeDeadlineSeconds", "tolerations",
                                      "terminationGracePeriodSeconds", NULL };
static const char *const of_claim[] = { "resources", "volumeAttributesClassName", "volumeName",
                                        NULL };

static const loose_row loose[] = {
    { "apps", "statefulsets", of_set, SET_IS_FIXED },
    { "", "pods", of_pod, POD_IS_FIXED },
    { "", "persistentvolumeclaims", of_claim, CLAIM_IS_FIXED },
};

static bool has_selector(const kin__served *served);
static void check_members(const kin__write *write, kin__refusal *no);
static void check_loose(const kin__write *write, kin__refusal *no);
static kin__node *rest_of(const kin__node *spec, const char *const *members);
static void drop_images(const kin__node *spec, const char *list);
static void check_template(const kin__write *write, kin__refusal *no);
static bool matches(const kin__node *selector, const kin__node *labels);
static bool meets(const kin__node *requirement, const kin__node *labels);
static void check_role(const kin__write *write, kin__refusal *no);
static void check_address(const kin__write *write, kin__refusal *no);
static void check_completions(const kin__write *write, kin__refusal *no);
static void add_invalid(kin__refusal *no, const char *field, const kin__node *value,
                        const char *why);

void kin__immutable_check(const kin__write *write, kin__refusal *no)
{
    bool is_daemon_set = kin__served_is(write->served, "apps", "daemonsets");

    if (!is_daemon_set && has_selector(write->served)) {
        check_template(write, no);
    }
    if (write->old != NULL) {
        check_completions(write, no);
        check_members(write, no);
        check_loose(write, no);
        check_role(write, no);
        check_address(write, no);
    }
    if (is_daemon_set) { /* in the order of a real server */
        check_template(write, no);
    }
}

static bool has_selector(const kin__served *served)
{
    return kin__served_is(served, "apps", "deployments") ||
           kin__served_is(served, "apps", "replicasets") ||
           kin__served_is(served, "apps", "statefulsets");
}

static void check_members(const kin__write *write, kin__refusal *no)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const fixed_row *row = &rows[i];
        const kin__node *now = write->object, *before = write->old;
        char field[64];
        if (!kin__served_is(write->served, row->group, row->resource)) {
            continue;
        }
        if (row->part != NULL) {
            now = kin__field(now, row->part);
            before = kin__field(before, row->part);
        }
        if (!kin__field_equal(now, before, row->member)) {
            (void) snprintf(field, sizeof field, "%s%s%s", row->part == NULL ? "" : row->part,
                            row->part == NULL ? "" : ".", row->member);
            add_invalid(no, field, kin__field(now, row->member), IS_FIXED);
        }
    }
}

static void check_loose(const kin__write *write, kin__refusal *no)
{
    for (size_t i = 0; i < sizeof loose / sizeof loose[0]; i++) {
        const kin__node *before = kin__field(write->old, "spec");
        if (!kin__served_is(write->served, loose[i].group, loose[i].resource) || before == NULL ||
            kin__field(before, "schedulingGates") != NULL) {
            continue; /* a pod that waits at a gate may change more */
        }
        AUTO(kin__node_free) kin__node *then = rest_of(before, loose[i].members);
        AUTO(kin__node_free)
        kin__node *now = rest_of(kin__field(write->object, "spec"), loose[i].members);
        if (then == NULL || now == NULL) {
            (void) kin__refuse_no_memory(no);
        } else if (!kin__node_equal(then, now)) {
            kin__refusal_add_invalid(no, "FieldValueForbidden", "spec", "%s", loose[i].message);
        }
    }
}

/* A copy without what may change; NULL when there is no memory. */
static kin__node *rest_of(const kin__node *spec, const char *const *members)
{
    kin__node *copy = spec == NULL ? kin__tree_of(STR("{}")) : kin__tree_copy(spec);

    for (size_t i = 0; copy != NULL && members[i] != NULL; i++) {
        kin__field_remove(copy, members[i]);
    }
    if (copy != NULL) {
        drop_images(copy, "containers");
        drop_images(copy, "initContainers");
    }
    return copy;
}

static void drop_images(const kin__node *spec, const char *list)
{
    const kin__node *containers = kin__field(spec, list);
    kin__node_iter iter = { 0 };

    while (containers != NULL && kin__node_next(containers, &iter)) {
        if (kin__node_is(iter.value, KIN_TYPE_OBJECT)) {
            kin__field_remove(iter.value, "image");
        }
    }
}

static void check_template(const kin__write *write, kin__refusal *no)
{
    const kin__node *spec = kin__field(write->object, "spec");
    const kin__node *selector = kin__field(spec, "selector");
    const kin__node *template = kin__field(spec, "template");
    const kin__node *labels = kin__field_at(template, "metadata", "labels");

    if (selector != NULL && template != NULL && !matches(selector, labels)) {
        add_invalid(no, "spec.template.metadata.labels", labels,
                    "`selector` does not match template `labels`");
    }
}

static bool matches(const kin__node *selector, const kin__node *labels)
{
    const kin__node *wanted = kin__field(selector, "matchLabels");
    const kin__node *requirements = kin__field(selector, "matchExpressions");
    kin__node_iter iter = { 0 };
    kin__node_iter each = { 0 };

    while (wanted != NULL && kin__node_next(wanted, &iter)) {
        const kin__node *label = labels == NULL ? NULL : kin__node_member(labels, iter.name);
        if (label == NULL || !kin__node_equal(label, iter.value)) {
            return false;
        }
    }
    while (requirements != NULL && kin__node_next(requirements, &each)) {
        if (!meets(each.value, labels)) {
            return false;
        }
    }
    return true;
}

/* What a requirement of no sense wants is not known: it is met. */
static bool meets(const kin__node *requirement, const kin__node *labels)
{
    kin_str wanted = kin__field_text(requirement, "operator");
    const kin__node *label =
        labels == NULL ? NULL : kin__node_member(labels, kin__field_text(requirement, "key"));
    const kin__node *values = kin__field(requirement, "values");
    kin__node_iter iter = { 0 };
    bool is_among = false;

    while (label != NULL && values != NULL && kin__node_next(values, &iter)) {
        is_among = is_among || kin__node_equal(label, iter.value);
    }
    return kin__str_equal(wanted, STR("In"))             ? is_among
           : kin__str_equal(wanted, STR("NotIn"))        ? !is_among
           : kin__str_equal(wanted, STR("Exists"))       ? label != NULL
           : kin__str_equal(wanted, STR("DoesNotExist")) ? label == NULL
                                                         : true;
}

/* A real server quotes its own type here, whose members have other names. */
static void check_role(const kin__write *write, kin__refusal *no)
{
    const kin__node *role = kin__field(write->object, "roleRef");

    if ((!kin__served_is(write->served, RBAC, "rolebindings") &&
         !kin__served_is(write->served, RBAC, "clusterrolebindings")) ||
        kin__field_equal(write->object, write->old, "roleRef")) {
        return;
    }
    kin__refusal_add_invalid(
        no, "FieldValueInvalid", "roleRef",
        "Invalid value: {\"APIGroup\":\"%.*s\",\"Kind\":\"%.*s\",\"Name\":\"%.*s\"}: cannot "
        "change roleRef",
        KIN_STR_ARG(kin__field_text(role, "apiGroup")), KIN_STR_ARG(kin__field_text(role, "kind")),
        KIN_STR_ARG(kin__field_text(role, "name")));
}

/* One address may replace none, and go with the type that needs it. */
static void check_address(const kin__write *write, kin__refusal *no)
{
    const kin__node *now = kin__field(write->object, "spec");
    const kin__node *before = kin__field(write->old, "spec");
    kin_str address = kin__field_text(now, "clusterIP");
    kin_str known = kin__field_text(before, "clusterIP");

    if (!kin__served_is(write->served, "", "services") || known.len == 0 || address.len == 0 ||
        kin__str_equal(address, known) ||
        kin__str_equal(kin__field_text(now, "type"), STR("ExternalName")) ||
        kin__str_equal(kin__field_text(before, "type"), STR("ExternalName"))) {
        return;
    }
    kin__refusal_add_invalid(no, "FieldValueInvalid", "spec.clusterIPs[0]",
                             "Invalid value: [\"%.*s\"]: may not change once set",
                             KIN_STR_ARG(address));
}

/* Those of an indexed job may change together with its parallelism. */
static void check_completions(const kin__write *write, kin__refusal *no)
{
    const kin__node *now = kin__field(write->object, "spec");
    const kin__node *before = kin__field(write->old, "spec");

    if (kin__served_is(write->served, "batch", "jobs") &&
        !kin__str_equal(kin__field_text(before, "completionMode"), STR("Indexed")) &&
        !kin__field_equal(now, before, "completions")) {
        add_invalid(no, "spec.completions", kin__field(now, "completions"), IS_FIXED);
    }
}

static void add_invalid(kin__refusal *no, const char *field, const kin__node *value,
                        const char *why)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    if (value == NULL ? !kin__buf_append_str(&text, STR("null"))
                      : !kin__node_append_json(value, &text)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    kin__refusal_add_invalid(no, "FieldValueInvalid", field, "Invalid value: %.*s: %s",
                             (int) text.len, text.data, why);
}
