/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.c - what is particular to kinds when they are written.
 *
 * After PrepareForCreate and PrepareForUpdate of kube-apiserver's registries.  What holds for all
 * kinds of one trait comes first; a kind with a way of its own has a function.
 */
#include "server/strategy.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/base64.h"
#include "server/allocation.h"
#include "server/custom.h"
#include "server/data_check.h"
#include "server/defaults.h"
#include "server/definition.h"
#include "server/definition_check.h"
#include "server/event_check.h"
#include "server/field.h"
#include "server/furnish.h"
#include "server/identity.h"
#include "server/immutable.h"
#include "server/metadata_check.h"
#include "server/params.h"
#include "server/pod_class.h"
#include "server/signing_request.h"
#include "server/upkeep.h"

#define NAMESPACE_LABEL "kubernetes.io/metadata.name"
#define SINCE "lastPhaseTransitionTime"
#define TEMPLATE_COUNT "deprecated.daemonset.template.generation"

static bool prepare_status(kin__write *write);
static bool note_phase(kin__write *write);
static bool keep_all_but(kin__write *write, const char *name);
static bool keep_status_metadata(kin__write *write);
static bool keep_pod_quality(kin__write *write);
static bool prepare_spec(kin__write *write);
static bool keep_unsaid(kin__write *write);
static bool bump_generation(kin__write *write);
static bool count_templates(kin__write *write);
static bool has_new_content(const kin__write *write);
static bool has_other_members(const kin__node *a, const kin__node *b, bool counts_status);
static bool canonicalize(kin__write *write);
static bool prepare_namespace(kin__write *write);
static bool label_namespace(kin__write *write);
static void check_namespace(const kin__write *write, kin__refusal *no);
static void check_priority_class(const kin__write *write, kin__refusal *no);
static void check_spec(const kin__write *write, kin__refusal *no);
static bool make_namespace(kin__write *write);
static bool make_pod(kin__write *write);
static bool make_secret(kin__write *write);
static bool encode_member(kin__node *data, const kin__node_iter *iter);

bool kin__strategy_create(kin__write *write)
{
    const kin__served *served = write->served;
    bool has_own_status = kin__served_is(served, "", "nodes");
    kin__node *metadata = kin__write_metadata(write);

    if (metadata == NULL) {
        return false;
    }
    if ((served->traits & KIN__HAS_STATUS) != 0 && !write->is_direct && !has_own_status) {
        kin__field_remove(write->object, "status");
    }
    if ((served->traits & KIN__HAS_GENERATION) != 0 &&
        (!write->is_direct || kin__field(metadata, "generation") == NULL) &&
        !kin__field_set_int64(metadata, "generation", 1)) {
        return false;
    }
    if (kin__served_is(served, "", "namespaces")) {
        return make_namespace(write);
    }
    if (kin__served_is(served, "", "secrets") && !make_secret(write)) {
        return false;
    }
    if (kin__served_is(served, "apiextensions.k8s.io", "customresourcedefinitions") &&
        !kin__definition_prepare(write)) {
        return false;
    }
    return kin__defaults_apply(write) && count_templates(write) && make_pod(write);
}

bool kin__strategy_update(kin__write *write)
{
    if (kin__served_is(write->served, "", "namespaces") && !label_namespace(write)) {
        return false;
    }
    if (kin__str_equal(write->sub, STR("status"))) {
        return prepare_status(write) && count_templates(write) &&
               (!kin__served_is_signing_request(write->served) ||
                kin__signing_request_prepare(write));
    }
    if (kin__str_equal(write->sub, STR("finalize"))) {
        return kin__field_copy(write->object, write->old, "status");
    }
    if (kin__str_equal(write->sub, STR("approval"))) {
        return keep_all_but(write, "status") && kin__signing_request_prepare(write);
    }
    return prepare_spec(write);
}

void kin__strategy_check(kin__write *write, kin__refusal *no)
{
    if ((write->served->traits & KIN__IS_CUSTOM) != 0) {
        kin__custom_check(write, no);
    } else if (kin__served_is(write->served, "apiextensions.k8s.io", "customresourcedefinitions")) {
        kin__definition_check(write, no);
    } else if (kin__served_is_event(write->served) && write->old != NULL && !write->is_direct) {
        kin__event_check_update(write, no);
    } else if (kin__served_is_signing_request(write->served) && write->sub.len > 0) {
        kin__signing_request_check(write, no);
    } else if (kin__served_is(write->served, "scheduling.k8s.io", "priorityclasses") &&
               write->old != NULL && !write->is_direct) {
        check_priority_class(write, no);
    } else if (kin__served_has_data(write->served) && !write->is_direct) {
        kin__data_check(write, no);
    } else if (kin__str_equal(write->sub, STR("status")) &&
               kin__served_is(write->served, "", "namespaces")) {
        check_namespace(write, no);
    } else if (write->sub.len == 0 && !write->is_direct) {
        check_spec(write, no);
    }
}

bool kin__strategy_is_finished(const kin__write *write)
{
    const kin__node *finalizers = kin__field_at(write->object, "spec", "finalizers");

    return !kin__served_is(write->served, "", "namespaces") || finalizers == NULL ||
           kin__node_count(finalizers) == 0;
}

void kin__strategy_written(kin__write *write, kin__record *after)
{
    kin_time unused;

    if (write->engine->is_furnished && !write->is_direct &&
        kin__furnish_concerns_change(write->served, after->object)) {
        kin__upkeep_wake(write->engine);
    }
    if (kin__served_is(write->served, "apiextensions.k8s.io", "customresourcedefinitions")) {
        kin__upkeep_definition(write->engine, after);
    } else if (kin__served_is(write->served, "", "namespaces") &&
               (write->engine->is_furnished || kin_object_deletion_time(after->object, &unused))) {
        kin__upkeep_wake(write->engine);
    }
}

void kin__strategy_removed(kin__write *write)
{
    if (kin__served_is(write->served, "apiextensions.k8s.io", "customresourcedefinitions")) {
        kin__definition_end(write->engine, write->before);
    }
    if (write->engine->is_furnished && kin__furnish_concerns(write->served)) {
        kin__upkeep_wake(write->engine);
    }
    kin__upkeep_removed(write->engine);
}

bool kin__served_is(const kin__served *served, const char *group, const char *resource)
{
    return kin__str_equal(served->resource, kin_str_of(resource)) &&
           kin__str_equal(served->group, kin_str_of(group));
}

/* A write to /status: of the object, its status alone. */
static bool prepare_status(kin__write *write)
{
    return keep_all_but(write, "status") && keep_status_metadata(write) && note_phase(write);
}

/* Since when a volume has been in its phase is said by the server, unless the client does. */
static bool note_phase(kin__write *write)
{
    const kin__node *old = kin__field(write->old, "status");
    kin__node *status = kin__field(write->object, "status");
    char now[KIN__PB_TIME_MAX];

    if (status == NULL || !kin__served_is(write->served, "", "persistentvolumes")) {
        return true;
    }
    if (kin__field_equal(status, old, "phase")) {
        return kin__field(status, SINCE) != NULL || kin__field_copy(status, old, SINCE);
    }
    return (kin__field(status, SINCE) != NULL && !kin__field_equal(status, old, SINCE)) ||
           kin__field_set_text(status, SINCE, kin__identity_time(write->engine, 0, now));
}

/* Members other than metadata and that one are what they were. */
static bool keep_all_but(kin__write *write, const char *name)
{
    AUTO(kin__node_free) kin__node *kept = kin__tree_copy(write->old);

    if (kept == NULL || !kin__field_copy(kept, write->object, "metadata") ||
        !kin__field_copy(kept, write->object, name) ||
        !kin__field_copy(kept, write->object, "kind") ||
        !kin__field_copy(kept, write->object, "apiVersion")) {
        return false;
    }
    kin__node *given = write->object;
    write->object = kept;
    kept = given;
    return true;
}

/* Labels and annotations may come with a status, by an old custom; some kinds do not have it. */
static bool keep_status_metadata(kin__write *write)
{
    static const char *const all[] = { "name",        "namespace",  "labels",
                                       "annotations", "finalizers", "ownerReferences",
                                       "generateName" };
    kin__node *metadata = kin__field(write->object, "metadata");
    const kin__node *old = kin__field(write->old, "metadata");

    if ((write->served->traits & KIN__IS_CUSTOM) != 0 ||
        kin__served_is(write->served, "apiextensions.k8s.io", "customresourcedefinitions")) {
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
            if (!kin__field_copy(metadata, old, all[i])) {
                return false;
            }
        }
        return true;
    }
    if (kin__served_is(write->served, "apps", "deployments")) {
        return kin__field_copy(metadata, old, "labels");
    }
    return !kin__served_is(write->served, "", "pods") ||
           (kin__field_copy(metadata, old, "ownerReferences") && keep_pod_quality(write));
}

/* The class of a pod cannot be changed, and a status may leave it out. */
static bool keep_pod_quality(kin__write *write)
{
    kin__node *status = kin__field_make(write->object, "status", KIN_TYPE_OBJECT);
    const kin__node *old = kin__field(write->old, "status");

    return status != NULL &&
           (kin__field(old, "qosClass") == NULL || kin__field_copy(status, old, "qosClass"));
}

/* A write to the object itself: status stays, and what else changes counts. */
static bool prepare_spec(kin__write *write)
{
    if ((write->served->traits & KIN__HAS_STATUS) != 0 && !write->is_direct &&
        !kin__field_copy(write->object, write->old, "status")) {
        return false;
    }
    if (write->is_direct && !keep_unsaid(write)) {
        return false;
    }
    if (kin__served_is_signing_request(write->served) && !write->is_direct &&
        !kin__field_copy(write->object, write->old, "spec")) {
        return false;
    }
    if (kin__served_is(write->served, "", "namespaces") && !prepare_namespace(write)) {
        return false;
    }
    if (kin__served_is(write->served, "", "secrets") && !make_secret(write)) {
        return false;
    }
    if (kin__served_is(write->served, "apiextensions.k8s.io", "customresourcedefinitions") &&
        !kin__definition_prepare(write)) {
        return false;
    }
    if (kin__served_is_event(write->served)) { /* is compared with the one that is there */
        return canonicalize(write);
    }
    return kin__defaults_apply(write) && bump_generation(write) && count_templates(write);
}

/* What the server itself writes into objects stays where a direct write says nothing of it: else
 * the same object put again would be another one. */
static bool keep_unsaid(kin__write *write)
{
    bool is_going = kin__field(kin__field(write->object, "metadata"), "deletionTimestamp") != NULL;

    if (kin__served_is(write->served, "", "namespaces")) {
        return (kin__field(write->object, "spec") != NULL ||
                kin__field_copy(write->object, write->old, "spec")) &&
               kin__field_default_json(write->object, "status",
                                       is_going ? "{\"phase\":\"Terminating\"}"
                                                : "{\"phase\":\"Active\"}");
    }
    return !kin__served_is(write->served, "apiextensions.k8s.io", "customresourcedefinitions") ||
           kin__field(write->object, "status") != NULL ||
           kin__field_copy(write->object, write->old, "status");
}

static bool bump_generation(kin__write *write)
{
    kin__node *metadata = NULL;
    int64_t generation = 0;

    if ((write->served->traits & KIN__HAS_GENERATION) == 0) {
        return true;
    }
    /* What is the same as it stands is the same in its canonical form, which takes time to make. */
    if (!has_new_content(write)) {
        return true;
    }
    if (!canonicalize(write)) {
        return false;
    }
    if (!has_new_content(write)) {
        return true;
    }
    metadata = kin__field(write->object, "metadata");
    (void) kin__field_int64(metadata, "generation", &generation);
    return kin__field_set_int64(metadata, "generation", generation + 1);
}

/* How many templates a DaemonSet has had, in an annotation that only the server writes; a new one
 * may begin where it likes.  The templates are canonical by now, unless they are the same. */
static bool count_templates(kin__write *write)
{
    const kin__node *metadata =
        kin__field(write->old == NULL ? write->object : write->old, "metadata");
    kin_str said = kin__field_text(kin__field(metadata, "annotations"), TEMPLATE_COUNT);
    AUTO(kin__refusal_fini) kin__refusal unread = { 0 };
    int64_t count = 0;
    char text[24];

    if (write->is_direct || !kin__served_is(write->served, "apps", "daemonsets")) {
        return true;
    }
    if (said.len > 0 && !kin__params_parse_int(said, &count, &unread)) {
        count = 0;
    }
    if (write->old == NULL) {
        count = count < 1 ? 1 : count;
    } else if (!kin__field_equal(kin__field(write->object, "spec"), kin__field(write->old, "spec"),
                                 "template")) {
        count++;
    }
    (void) snprintf(text, sizeof text, "%" PRId64, count);
    kin__node *annotations =
        kin__field_make(kin__write_metadata(write), "annotations", KIN_TYPE_OBJECT);
    return annotations != NULL &&
           kin__field_set_text(annotations, TEMPLATE_COUNT, kin_str_of(text));
}

static bool has_new_content(const kin__write *write)
{
    const kin__node *object = write->object;
    const kin__node *old = write->old;
    bool counts_status = (write->served->traits & KIN__HAS_STATUS) == 0;

    if ((write->served->traits & KIN__GENERATION_BY_ANNOTATIONS) != 0 &&
        !kin__field_equal(kin__field(object, "metadata"), kin__field(old, "metadata"),
                          "annotations")) {
        return true;
    }
    return has_other_members(object, old, counts_status) ||
           has_other_members(old, object, counts_status);
}

static bool has_other_members(const kin__node *a, const kin__node *b, bool counts_status)
{
    kin__node_iter iter = { 0 };

    while (kin__node_next(a, &iter)) {
        bool is_apart = kin__str_equal(iter.name, STR("metadata")) ||
                        kin__str_equal(iter.name, STR("apiVersion")) ||
                        kin__str_equal(iter.name, STR("kind")) ||
                        (!counts_status && kin__str_equal(iter.name, STR("status")));
        const kin__node *other = kin__node_member(b, iter.name);
        if (!is_apart && (other == NULL || !kin__node_equal(iter.value, other))) {
            return true;
        }
    }
    return false;
}

/* The object as it will be kept, so that it can be compared with the one that is. */
static bool canonicalize(kin__write *write)
{
    const kin__codec_kind kind = kin__codec_kind_of(write->stored);
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    kin_error err;

    if (kin__codec_encode(&kind, write->object, &text, &err) != KIN_OK) {
        return err.code != KIN_ERR_NO_MEMORY; /* the commit says what is wrong */
    }
    kin__node *tree = kin__tree_of(kin__str(text.data, text.len));
    if (tree == NULL) {
        return false;
    }
    kin__node_free(write->object);
    write->object = tree;
    return true;
}

/* Only /finalize changes what a namespace waits for. */
static bool prepare_namespace(kin__write *write)
{
    return write->is_direct || kin__field_copy(write->object, write->old, "spec");
}

/* By which namespaces are selected by name; whatever else it is given. */
static bool label_namespace(kin__write *write)
{
    kin__node *metadata = kin__write_metadata(write);
    kin__node *labels =
        metadata == NULL ? NULL : kin__field_make(metadata, "labels", KIN_TYPE_OBJECT);

    return labels != NULL &&
           kin__field_set_text(labels, NAMESPACE_LABEL, kin__field_text(metadata, "name"));
}

/* The phase says whether it is being deleted, and nothing else. */
static void check_namespace(const kin__write *write, kin__refusal *no)
{
    bool is_going = kin__field(kin__field(write->object, "metadata"), "deletionTimestamp") != NULL;
    kin_str phase = kin__field_text(kin__field(write->object, "status"), "phase");

    if (is_going && !kin__str_equal(phase, STR("Terminating"))) {
        kin__invalid_text(no, "status.Phase", phase,
                          "may only be 'Terminating' if `deletionTimestamp` is not empty");
    } else if (!is_going && !kin__str_equal(phase, STR("Active"))) {
        kin__invalid_text(no, "status.Phase", phase,
                          "may only be 'Active' if `deletionTimestamp` is empty");
    }
}

/* Addresses and ports are taken for what is valid otherwise. */
static void check_spec(const kin__write *write, kin__refusal *no)
{
    kin__immutable_check(write, no);
    if (kin__served_is(write->served, "", "services") && no->cause_count == 0) {
        kin__allocation_check(write, no);
    }
}

/* Pods have taken what it says. */
static void check_priority_class(const kin__write *write, kin__refusal *no)
{
    kin_str policy = kin__field_text(write->object, "preemptionPolicy");
    int64_t value = 0;
    int64_t before = 0;

    (void) kin__field_int64(write->object, "value", &value);
    (void) kin__field_int64(write->old, "value", &before);
    if (value != before) {
        kin__refusal_add_invalid(no, "FieldValueForbidden", "value",
                                 "Forbidden: may not be changed in an update.");
    }
    if (!kin__str_equal(policy, kin__field_text(write->old, "preemptionPolicy"))) {
        kin__invalid_text(no, "preemptionPolicy", policy, "field is immutable");
    }
}

static bool make_namespace(kin__write *write)
{
    kin__node *spec = kin__field_make(write->object, "spec", KIN_TYPE_OBJECT);
    kin__node *finalizers =
        spec == NULL ? NULL : kin__field_make(spec, "finalizers", KIN_TYPE_ARRAY);
    kin__node_iter iter = { 0 };
    bool has_own = false;

    if (finalizers == NULL || !label_namespace(write)) {
        return false;
    }
    while (kin__node_next(finalizers, &iter)) {
        has_own = has_own || kin__str_equal(kin__node_text(iter.value), STR("kubernetes"));
    }
    if (!has_own && !kin__field_append_text(finalizers, STR("kubernetes"))) {
        return false;
    }
    return kin__field_default_json(write->object, "status", "{\"phase\":\"Active\"}");
}

/* Of a pod that has its defaults: its class is made of them. */
static bool make_pod(kin__write *write)
{
    if (write->is_direct || !kin__served_is(write->served, "", "pods")) {
        return true;
    }
    kin__node *status = kin__field_make(write->object, "status", KIN_TYPE_OBJECT);
    const char *class = kin__pod_class(kin__field(write->object, "spec"));
    return status != NULL && kin__field_default_text(status, "phase", "Pending") &&
           kin__field_default_text(status, "qosClass", class);
}

/* stringData is for writing only: it becomes data. */
static bool make_secret(kin__write *write)
{
    kin__node *texts = kin__field(write->object, "stringData");
    kin__node_iter iter = { 0 };

    if (texts == NULL) {
        return true;
    }
    kin__node *data = kin__field_make(write->object, "data", KIN_TYPE_OBJECT);
    while (data != NULL && kin__node_next(texts, &iter)) {
        if (!encode_member(data, &iter)) {
            return false;
        }
    }
    kin__field_remove(write->object, "stringData");
    return data != NULL;
}

static bool encode_member(kin__node *data, const kin__node_iter *iter)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin_error err;

    kin__base64_put(&json, kin__node_text(iter->value));
    if (kin__buf_failed(&json)) {
        return false;
    }
    kin__node *value = kin__tree_of(kin__str(json.data, json.len));
    if (value == NULL || kin__node_set_member(data, iter->name, value, &err) != KIN_OK) {
        kin__node_free(value);
        return false;
    }
    return true;
}
