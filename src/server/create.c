/* SPDX-License-Identifier: Apache-2.0 */
/*
 * create.c - POST: an object that was not there.
 *
 * The order of checks is kube-apiserver's: options, body, namespace, then what the server gives,
 * then what the kind wants, and last whether there is such an object already.
 */
#include "server/event_check.h"
#include "server/field.h"
#include "server/identity.h"
#include "server/metadata_check.h"
#include "server/review.h"
#include "server/signing_request.h"
#include "server/strategy.h"
#include "server/write_options.h"

#define GENERATE_TRIES 8

static bool check_definition(const kin__served *served, kin_str name, kin__refusal *no);
static bool give_identity(kin__write *write, kin__refusal *no);
static bool generate_name(kin__write *write, kin__node *metadata, kin__refusal *no);
static bool check(kin__write *write, kin__refusal *no);
static bool refuse_existing(const kin__write *write, kin_str name, kin__refusal *no);

bool kin__serve_create(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    AUTO(kin__write_fini) kin__write write = { 0 };
    AUTO(kin__record_unref) kin__record *made = NULL;
    kin__write_options options;
    kin__route *route = &asked->route;

    if (route->sub.len > 0 || (route->served->traits & KIN__IS_VIRTUAL) != 0) {
        return kin__serve_review(asked, answer, no);
    }
    if (!kin__write_options_read(&asked->params, "CreateOptions", &options, no)) {
        return false;
    }
    kin__write_init(&write, asked->engine, route->served);
    write.is_dry = options.is_dry;
    if (!kin__write_decode(asked, &write, options.validation, answer, no) ||
        !kin__write_match(&write, route->ns, STR(""), no)) {
        return false;
    }
    if (kin__served_is_signing_request(write.served) &&
        !kin__signing_request_own(asked, write.object)) {
        return kin__refuse_no_memory(no);
    }
    const kin__node *metadata = kin__field(write.object, "metadata");
    kin_str name = kin__field_text(metadata, "name");
    if (!check_definition(write.served, name, no)) {
        return false;
    }
    name = name.len == 0 ? kin__field_text(metadata, "generateName") : name;
    return kin__namespace_check(asked->engine, write.served, route->ns, name, no) &&
           kin__create(&write, &made, no) && kin__answer_object(asked, made, 201, answer, no);
}

bool kin__create(kin__write *write, kin__record **out, kin__refusal *no)
{
    if (!give_identity(write, no)) {
        return false;
    }
    if (!kin__strategy_create(write)) {
        return kin__refuse_no_memory(no);
    }
    if (!check(write, no)) {
        return false;
    }
    const kin__node *metadata = kin__field(write->object, "metadata");
    kin_str version = kin__field_text(metadata, "resourceVersion");
    if (version.len > 0 && !kin__str_equal(version, STR("0")) && !write->is_direct &&
        !write->is_dry) {
        return kin__refuse(no, 500, "",
                           "resourceVersion should not be set on objects to be created");
    }
    kin_str name = kin__field_text(metadata, "name");
    if (write->before == NULL &&
        !kin__write_load(write, kin__field_text(metadata, "namespace"), name, no)) {
        return false;
    }
    if (write->before != NULL) {
        return refuse_existing(write, name, no);
    }
    return kin__write_commit(write, out, no);
}

bool kin__namespace_check(kin__engine *engine, const kin__served *served, kin_str ns, kin_str name,
                          kin__refusal *no)
{
    kin__served *namespaces = kin__shelf_find(engine->shelf, STR(""), STR("v1"), STR("namespaces"));

    if (!served->is_namespaced || namespaces == NULL) {
        return true;
    }
    kin__record *found = kin__collection_get(namespaces->collection, ns);
    kin_time unused;
    if (found == NULL) {
        return kin__refuse_not_found(no, namespaces, ns);
    }
    if (!kin_object_deletion_time(found->object, &unused)) {
        return true;
    }
    (void) kin__refuse(no, 403, "Forbidden",
                       "%.*s \"%.*s\" is forbidden: unable to create new content in namespace "
                       "%.*s because it is being terminated",
                       KIN_STR_ARG(served->full_name), KIN_STR_ARG(name), KIN_STR_ARG(ns));
    kin__refusal_set_details(no, name, served->group, served->resource);
    kin__refusal_add_cause(no, "NamespaceTerminating", "metadata.namespace",
                           "namespace %.*s is being terminated", KIN_STR_ARG(ns));
    return false;
}

/* While a definition waits for its objects to go there are no new ones. */
static bool check_definition(const kin__served *served, kin_str name, kin__refusal *no)
{
    kin_time unused;

    if (served->definition == NULL ||
        !kin_object_deletion_time(served->definition->object, &unused)) {
        return true;
    }
    (void) kin__refuse(no, 403, "Forbidden",
                       name.len == 0 ? "%.*s%.*s is forbidden: %s"
                                     : "%.*s \"%.*s\" is forbidden: %s",
                       KIN_STR_ARG(served->full_name), KIN_STR_ARG(name),
                       "create not allowed while custom resource definition is terminating");
    kin__refusal_set_details(no, name, served->group, served->resource);
    return false;
}

/* What only the server says; what was sent of it is dropped.  An object that is put directly keeps
 * what it has. */
static bool give_identity(kin__write *write, kin__refusal *no)
{
    kin__node *metadata = kin__write_metadata(write);
    char uid[KIN__UID_LEN + 1];
    char now[KIN__PB_TIME_MAX];

    if (metadata == NULL) {
        return kin__refuse_no_memory(no);
    }
    kin__field_remove(metadata, "selfLink");
    if (!write->is_direct) {
        kin__field_remove(metadata, "uid");
        kin__field_remove(metadata, "creationTimestamp");
        kin__field_remove(metadata, "deletionTimestamp");
        kin__field_remove(metadata, "deletionGracePeriodSeconds");
    }
    if (kin__field_text(metadata, "uid").len == 0) {
        kin__identity_uid(write->engine, uid);
        if (!kin__field_set_text(metadata, "uid", kin_str_of(uid))) {
            return kin__refuse_no_memory(no);
        }
    }
    if (kin__field_text(metadata, "creationTimestamp").len == 0 &&
        !kin__field_set_text(metadata, "creationTimestamp",
                             kin__identity_time(write->engine, 0, now))) {
        return kin__refuse_no_memory(no);
    }
    return kin__field_text(metadata, "name").len > 0 ||
           kin__field_text(metadata, "generateName").len == 0 || generate_name(write, metadata, no);
}

/* A name that nobody has; after a few tries one that somebody has, which is refused then. */
static bool generate_name(kin__write *write, kin__node *metadata, kin__refusal *no)
{
    kin_str base = kin__field_text(metadata, "generateName");
    kin_str ns = write->served->is_namespaced ? kin__field_text(metadata, "namespace") : STR("");

    base.len = base.len > KIN__NAME_BASE_MAX ? KIN__NAME_BASE_MAX : base.len;
    for (int i = 0; i < GENERATE_TRIES; i++) {
        AUTO(kin__buf_fini) kin__buf key = { 0 };
        char suffix[KIN__NAME_SUFFIX_LEN + 1];

        kin__identity_suffix(write->engine, suffix);
        (void) kin__key_append(&key, ns, base);
        size_t at = key.len - base.len;
        (void) kin__buf_append(&key, suffix, KIN__NAME_SUFFIX_LEN);
        if (kin__buf_failed(&key)) {
            return kin__refuse_no_memory(no);
        }
        bool is_taken =
            kin__collection_get(write->stored->collection, kin__str(key.data, key.len)) != NULL;
        if (!is_taken || i + 1 == GENERATE_TRIES) {
            return kin__field_set_text(metadata, "name", kin__str(key.data + at, key.len - at)) ||
                   kin__refuse_no_memory(no);
        }
    }
    return true;
}

static bool check(kin__write *write, kin__refusal *no)
{
    const kin__node *metadata = kin__field(write->object, "metadata");
    kin_str kind = kin__field_text(write->object, "kind");

    kin__refusal_begin_invalid(no, write->stored->group, kind, kin__field_text(metadata, "name"));
    if (kin__served_is_event(write->served) && !write->is_direct) {
        kin__event_check_new(write, no);
    } else {
        kin__metadata_check(write->served, metadata, no);
        kin__strategy_check(write, no);
    }
    return kin__refusal_end_invalid(no);
}

static bool refuse_existing(const kin__write *write, kin_str name, kin__refusal *no)
{
    bool is_going = kin__field(kin__field(write->old, "metadata"), "deletionTimestamp") != NULL;
    bool is_generated =
        kin__field_text(kin__field(write->object, "metadata"), "generateName").len > 0;

    if (!is_going && !is_generated) {
        return kin__refuse_exists(no, write->served, name);
    }
    (void) kin__refuse(no, 409, "AlreadyExists", "%s%.*s \"%.*s\" already exists%s",
                       is_going ? "object is being deleted: " : "",
                       KIN_STR_ARG(write->served->full_name), KIN_STR_ARG(name),
                       is_generated ? ", the server was not able to generate a unique name for the "
                                      "object"
                                    : "");
    kin__refusal_set_details(no, name, write->served->group, write->served->resource);
    kin__refusal_set_retry_after(no, is_generated ? 1 : 0);
    return false;
}
