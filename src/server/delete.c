/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delete.c - DELETE of one object, and of all that a selection matches.
 *
 * An object goes at once, unless it has finalizers, or is a pod on a node: then it is marked, and
 * goes when the last finalizer is taken away, or when it is deleted again without grace.  After
 * Store.Delete of k8s.io/apiserver, registry/generic, and BeforeDelete of registry/rest.
 *
 * Unless somebody collects what an object leaves behind, "Foreground" and "Orphan" add no
 * finalizers: nobody would take them away again.
 */
#include "base/time.h"
#include "server/definition.h"
#include "server/dependents.h"
#include "server/field.h"
#include "server/identity.h"
#include "server/strategy.h"
#include "server/success.h"

/* How an object goes. */
typedef enum manner {
    MANNER_NOW,     /* no grace, unless finalizers hold it */
    MANNER_GRACE,   /* it was marked, and is written so */
    MANNER_PENDING, /* it is going already, and nothing changes */
    MANNER_FAILED   /* no memory */
} manner;

static bool is_undeletable(const kin__write *write, kin__refusal *no);
static bool check_preconditions(const kin__write *write, const kin__delete_options *options,
                                kin__refusal *no);
static bool refuse_precondition(const kin__write *write, kin__refusal *no, const char *what,
                                kin_str wanted, kin_str known, const char *guess);
static manner prepare(kin__write *write, kin__delete_options *options);
static manner shorten(kin__write *write, kin__node *metadata, const kin__delete_options *options);
static int64_t grace_of_pod(const kin__node *pod, const kin__delete_options *options);
static bool mark_at(kin__write *write, kin__node *metadata, int64_t grace_s);
static bool mark_now(kin__write *write);
static bool bump_generation(kin__node *metadata);
static bool has_finalizers(const kin__node *object);
static bool delete_namespace(kin__write *write, kin__record **out, bool *out_is_gone,
                             kin__refusal *no);
static bool answer(kin__asked *asked, const kin__delete_options *options, const kin__write *write,
                   kin__record *told, bool is_gone, kin__answer *to, kin__refusal *no);
static bool delete_all(kin__asked *asked, const kin__listing *listing,
                       const kin__delete_options *options, kin__refusal *no);

bool kin__serve_delete(kin__asked *asked, kin__answer *to, kin__refusal *no)
{
    AUTO(kin__write_fini) kin__write write = { 0 };
    AUTO(kin__record_unref) kin__record *told = NULL;
    AUTO(kin__delete_options_fini) kin__delete_options options = { 0 };
    kin__route *route = &asked->route;
    bool is_gone = false;

    if (!kin__delete_options_read(asked, &options, no)) {
        return false;
    }
    kin__write_init(&write, asked->engine, route->served);
    write.is_dry = options.is_dry;
    if (!kin__write_load(&write, route->ns, route->name, no)) {
        return false;
    }
    if (write.before == NULL) {
        return kin__refuse_not_found(no, write.served, route->name);
    }
    return kin__delete(&write, &options, &told, &is_gone, no) &&
           answer(asked, &options, &write, told, is_gone, to, no);
}

bool kin__serve_delete_collection(kin__asked *asked, kin__answer *to, kin__refusal *no)
{
    AUTO(kin__delete_options_fini) kin__delete_options options = { 0 };
    AUTO(kin__filter_free) kin__filter *filter = NULL;
    AUTO(kin__listing_fini) kin__listing listing = { 0 };

    if (!kin__options_check(asked->route.served, &asked->params, no) ||
        !kin__filter_new(asked, &filter, no) || !kin__delete_options_read(asked, &options, no)) {
        return false;
    }

    /* What is told is the list as it was.  Its resourceVersion is also a precondition of each
     * object, as on the real server, which reads both kinds of options from one query. */
    if (!kin__list_objects(asked, filter, &listing, to, no) || to->wait_ms != 0) {
        return to->wait_ms != 0;
    }
    return delete_all(asked, &listing, &options, no);
}

bool kin__delete(kin__write *write, struct kin__delete_options *options, kin__record **out,
                 bool *out_is_gone, kin__refusal *no)
{
    if (is_undeletable(write, no) || !check_preconditions(write, options, no)) {
        return false;
    }
    if (kin__served_is(write->served, "", "namespaces")) {
        return delete_namespace(write, out, out_is_gone, no);
    }
    if (kin__served_is(write->served, "apiextensions.k8s.io", "customresourcedefinitions") &&
        !kin__definition_mark(write)) {
        return kin__refuse_no_memory(no);
    }
    manner how = prepare(write, options);
    *out_is_gone = false;
    if (how == MANNER_FAILED) {
        return kin__refuse_no_memory(no);
    }
    if (how == MANNER_PENDING) {
        *out = kin__record_ref(write->before);
        return true;
    }
    if (write->engine->has_collector && !kin__dependents_mark(write, options)) {
        return kin__refuse_no_memory(no);
    }
    const kin__node *object = write->object == NULL ? write->old : write->object;
    if (has_finalizers(object)) {
        return (how == MANNER_GRACE || mark_now(write) || kin__refuse_no_memory(no)) &&
               kin__write_commit(write, out, no);
    }
    if (how == MANNER_GRACE) {
        int64_t grace = 0;
        AUTO(kin__record_unref) kin__record *marked = NULL;

        (void) kin__field_int64(kin__field(write->object, "metadata"), "deletionGracePeriodSeconds",
                                &grace);
        if (!kin__write_commit(write, &marked, no)) {
            return false;
        }
        if (grace > 0) {
            *out = STEAL(marked);
            return true;
        }
        kin__record_unref(write->before);
        write->before = STEAL(marked);
    }
    *out_is_gone = true;
    return kin__write_remove(write, 0, out, no);
}

static bool is_undeletable(const kin__write *write, kin__refusal *no)
{
    static const char *const names[] = { "default", "kube-system", "kube-public" };
    kin_str name = kin__record_key(write->before);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (kin__served_is(write->served, "", "namespaces") &&
            kin__str_equal(name, kin_str_of(names[i]))) {
            (void) kin__refuse(no, 403, "Forbidden",
                               "namespaces \"%s\" is forbidden: this namespace may not be deleted",
                               names[i]);
            kin__refusal_set_details(no, name, STR(""), STR("namespaces"));
            return true;
        }
    }
    return false;
}

static bool check_preconditions(const kin__write *write, const kin__delete_options *options,
                                kin__refusal *no)
{
    kin_str uid = kin_object_uid(write->before->object);
    kin_str version = kin_object_resource_version(write->before->object);

    if (options->uid.len > 0 && !kin__str_equal(options->uid, uid)) {
        return refuse_precondition(write, no, "UID", options->uid, uid,
                                   "The object might have been deleted and then recreated");
    }
    if (options->resource_version.len > 0 && !kin__str_equal(options->resource_version, version)) {
        return refuse_precondition(write, no, "ResourceVersion", options->resource_version, version,
                                   "The object might have been modified");
    }
    return true;
}

/* Here the real server says the kind where it otherwise says the resource. */
static bool refuse_precondition(const kin__write *write, kin__refusal *no, const char *what,
                                kin_str wanted, kin_str known, const char *guess)
{
    kin__served as_kind = *write->served;

    if (kin__served_is(write->served, "", "namespaces")) {
        return kin__refuse_conflict(no, write->served, kin_object_name(write->before->object),
                                    "Precondition failed: %s in precondition: %.*s, %s in object "
                                    "meta: %.*s",
                                    what, KIN_STR_ARG(wanted), what, KIN_STR_ARG(known));
    }
    as_kind.resource = as_kind.kind;
    return kin__refuse_conflict(no, &as_kind, kin_object_name(write->before->object),
                                "the %s in the precondition (%.*s) does not match the %s in "
                                "record (%.*s). %s",
                                what, KIN_STR_ARG(wanted), what, KIN_STR_ARG(known), guess);
}

/* `write->object` becomes the marked object when it is to be written. */
static manner prepare(kin__write *write, kin__delete_options *options)
{
    if (options->has_grace_period && options->grace_period_s < 0) {
        options->grace_period_s = 1;
    }
    if ((write->served->traits & KIN__IS_GRACEFUL) == 0) {
        return MANNER_NOW;
    }
    if (write->object == NULL) {
        write->object = kin__tree_copy(write->old);
    }
    kin__node *metadata = write->object == NULL ? NULL : kin__write_metadata(write);
    if (metadata == NULL) {
        return MANNER_FAILED;
    }
    if (kin__field(metadata, "deletionTimestamp") != NULL) {
        return shorten(write, metadata, options);
    }
    return bump_generation(metadata) &&
                   mark_at(write, metadata, grace_of_pod(write->object, options))
               ? MANNER_GRACE
               : MANNER_FAILED;
}

/* A pod that is going already can only go sooner. */
static manner shorten(kin__write *write, kin__node *metadata, const kin__delete_options *options)
{
    char text[KIN__PB_TIME_MAX];
    int64_t grace = 0;
    kin_time due;

    if (!kin__field_int64(metadata, "deletionGracePeriodSeconds", &grace) || grace == 0) {
        kin__node_free(write->object);
        write->object = NULL;
        return MANNER_NOW;
    }
    if (!options->has_grace_period || options->grace_period_s >= grace ||
        kin__time_parse(kin__field_text(metadata, "deletionTimestamp"), &due) != KIN_OK) {
        return MANNER_PENDING;
    }
    int64_t seconds = due.seconds - kin__identity_span(grace);
    seconds += kin__identity_span(options->grace_period_s);
    size_t len = kin__pb_write_time(seconds, 0, false, text);
    return kin__field_set_text(metadata, "deletionTimestamp", kin__str(text, len)) &&
                   kin__field_set_int64(metadata, "deletionGracePeriodSeconds",
                                        options->grace_period_s)
               ? MANNER_GRACE
               : MANNER_FAILED;
}

/* Pods that no node has, and those that have ended, go at once. */
static int64_t grace_of_pod(const kin__node *pod, const kin__delete_options *options)
{
    const kin__node *spec = kin__field(pod, "spec");
    kin_str phase = kin__field_text(kin__field(pod, "status"), "phase");
    int64_t grace = 0;

    if (kin__field_text(spec, "nodeName").len == 0 || kin__str_equal(phase, STR("Failed")) ||
        kin__str_equal(phase, STR("Succeeded"))) {
        return 0;
    }
    if (options->has_grace_period) {
        return options->grace_period_s;
    }
    (void) kin__field_int64(spec, "terminationGracePeriodSeconds", &grace);
    return grace < 0 ? 1 : grace;
}

static bool mark_at(kin__write *write, kin__node *metadata, int64_t grace_s)
{
    char text[KIN__PB_TIME_MAX];

    return kin__field_set_text(metadata, "deletionTimestamp",
                               kin__identity_time(write->engine, grace_s, text)) &&
           kin__field_set_int64(metadata, "deletionGracePeriodSeconds", grace_s);
}

/* An object that finalizers hold: it would be gone now. */
static bool mark_now(kin__write *write)
{
    char text[KIN__PB_TIME_MAX];

    if (write->object == NULL) {
        write->object = kin__tree_copy(write->old);
    }
    kin__node *metadata = write->object == NULL ? NULL : kin__write_metadata(write);
    if (metadata == NULL) {
        return false;
    }
    if (kin__field(metadata, "deletionTimestamp") == NULL &&
        (!bump_generation(metadata) ||
         !kin__field_set_text(metadata, "deletionTimestamp",
                              kin__identity_time(write->engine, 0, text)))) {
        return false;
    }
    return kin__served_is(write->served, "apiextensions.k8s.io", "customresourcedefinitions") ||
           kin__field_set_int64(metadata, "deletionGracePeriodSeconds", 0);
}

static bool bump_generation(kin__node *metadata)
{
    int64_t generation = 0;

    return !kin__field_int64(metadata, "generation", &generation) || generation <= 0 ||
           kin__field_set_int64(metadata, "generation", generation + 1);
}

static bool has_finalizers(const kin__node *object)
{
    const kin__node *finalizers = kin__field_at(object, "metadata", "finalizers");

    return finalizers != NULL && kin__node_count(finalizers) > 0;
}

/* The first deletion only marks it: the upkeep empties it and takes its finalizer away.  Once it is
 * marked and has no finalizers of either kind, a second one removes it. */
static bool delete_namespace(kin__write *write, kin__record **out, bool *out_is_gone,
                             kin__refusal *no)
{
    const kin__node *finalizers = kin__field_at(write->old, "spec", "finalizers");
    bool is_marked = kin__field(kin__field(write->old, "metadata"), "deletionTimestamp") != NULL;
    char text[KIN__PB_TIME_MAX];

    *out_is_gone = false;
    if (is_marked) {
        if (has_finalizers(write->old) || (finalizers != NULL && kin__node_count(finalizers) > 0)) {
            *out = kin__record_ref(write->before);
            return true;
        }
        *out_is_gone = true;
        return kin__write_remove(write, 0, out, no);
    }
    write->object = kin__tree_copy(write->old);
    kin__node *metadata = write->object == NULL ? NULL : kin__write_metadata(write);
    kin__node *status =
        write->object == NULL ? NULL : kin__field_make(write->object, "status", KIN_TYPE_OBJECT);
    if (metadata == NULL || status == NULL ||
        !kin__field_set_text(metadata, "deletionTimestamp",
                             kin__identity_time(write->engine, 0, text)) ||
        !kin__field_set_text(status, "phase", STR("Terminating"))) {
        return kin__refuse_no_memory(no);
    }
    return kin__write_commit(write, out, no);
}

static bool answer(kin__asked *asked, const kin__delete_options *options, const kin__write *write,
                   kin__record *told, bool is_gone, kin__answer *to, kin__refusal *no)
{
    bool is_accepted = !is_gone && options->orphan_dependents == KIN__FALSE;
    bool tells_object = !is_gone || (write->served->traits & KIN__DELETE_ANSWERS_OBJECT) != 0;

    if (tells_object) {
        return kin__answer_object(asked, told, is_accepted ? 202 : 200, to, no);
    }
    const kin__success success = { .status = 200,
                                   .name = kin_object_name(told->object),
                                   .group = write->served->group,
                                   .kind = write->served->resource,
                                   .uid = kin_object_uid(told->object) };
    return kin__answer_success(asked, &success, to, no);
}

static bool delete_all(kin__asked *asked, const kin__listing *listing,
                       const kin__delete_options *options, kin__refusal *no)
{
    for (size_t i = 0; i < listing->count; i++) {
        const kin_object *object = listing->records[i]->object;
        AUTO(kin__write_fini) kin__write write = { 0 };
        AUTO(kin__record_unref) kin__record *told = NULL;
        kin__delete_options own = *options;
        bool is_gone = false;

        kin__write_init(&write, asked->engine, asked->route.served);
        write.is_dry = options->is_dry;
        if (!kin__write_load(&write, kin_object_namespace(object), kin_object_name(object), no) ||
            (write.before != NULL && !kin__delete(&write, &own, &told, &is_gone, no))) {
            return false;
        }
    }
    return true;
}
