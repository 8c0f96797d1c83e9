/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_check.c - whether a request makes sense.
 *
 * A table says which fields a verb may have; what a verb needs is asked one by one.
 */
#include <string.h>

#include "api/target.h"
#include "base/error.h"
#include "base/str.h"

/* Verbs as a set. */
#define V(verb) (1u << KIN_VERB_##verb)
#define SELECTING (V(LIST) | V(WATCH) | V(DELETE_COLLECTION))
#define SENDING (V(CREATE) | V(UPDATE) | V(PATCH))
#define DELETING (V(DELETE) | V(DELETE_COLLECTION))
#define NAMED (V(GET) | V(UPDATE) | V(PATCH) | V(DELETE))

/* A field that only some verbs have. */
typedef struct field {
    const char *name;
    unsigned verbs;
    bool is_set;
} field;

static const char *const verb_names[] = {
    [KIN_VERB_GET] = "a get",        [KIN_VERB_LIST] = "a list",
    [KIN_VERB_WATCH] = "a watch",    [KIN_VERB_CREATE] = "a create",
    [KIN_VERB_UPDATE] = "an update", [KIN_VERB_PATCH] = "a patch",
    [KIN_VERB_DELETE] = "a delete",  [KIN_VERB_DELETE_COLLECTION] = "a delete of a collection",
};

static kin_err check_fields(const kin_request *request, kin_error *err);
static kin_err check_choices(const kin_request *request, kin_error *err);
static kin_err check_place(const kin_request *request, kin_error *err);
static kin_err check_content(const kin_request *request, kin_error *err);
static kin_err complain(const char *name, const char *why, kin_error *err);
static bool is_set(const char *text);
static bool has(unsigned verbs, kin_verb verb);

kin_err kin__target_check(const kin_request *request, kin_error *err)
{
    if (request->verb < KIN_VERB_GET || request->verb > KIN_VERB_DELETE_COLLECTION) {
        return kin__error_set(err, KIN_ERR_USAGE, "request: verb: there is none with number %d",
                              (int) request->verb);
    }
    if (check_fields(request, err) != KIN_OK || check_choices(request, err) != KIN_OK ||
        check_place(request, err) != KIN_OK || check_content(request, err) != KIN_OK) {
        return err->code;
    }
    return KIN_OK;
}

static kin_err check_fields(const kin_request *r, kin_error *err)
{
    const field fields[] = {
        { "name", NAMED | V(CREATE), is_set(r->name) },
        { "subresource", NAMED | V(CREATE), is_set(r->subresource) },
        { "label_selector", SELECTING, is_set(r->label_selector) },
        { "field_selector", SELECTING, is_set(r->field_selector) },
        { "resource_version", SELECTING | V(GET), is_set(r->resource_version) },
        { "resource_version_match", SELECTING, is_set(r->resource_version_match) },
        { "continue_token", V(LIST) | V(DELETE_COLLECTION), is_set(r->continue_token) },
        { "limit", V(LIST) | V(DELETE_COLLECTION), r->limit != 0 },
        { "one_page", V(LIST), r->one_page },
        { "no_bookmarks", V(WATCH), r->no_bookmarks },
        { "initial_events", V(WATCH), r->initial_events != 0 },
        { "timeout_seconds", V(WATCH), r->timeout_seconds != 0 },
        { "object", SENDING | NAMED, r->object != NULL },
        { "body", SENDING, r->body.len != 0 },
        { "patch_type", V(PATCH), r->patch_type != KIN_PATCH_MERGE },
        { "field_manager", SENDING, is_set(r->field_manager) },
        { "field_validation", SENDING, is_set(r->field_validation) },
        { "force", V(PATCH), r->force },
        { "dry_run", SENDING | DELETING, r->dry_run },
        { "has_grace_period", DELETING, r->has_grace_period },
        { "propagation", DELETING, is_set(r->propagation) },
        { "if_uid", DELETING, is_set(r->if_uid) },
        { "if_version", DELETING, is_set(r->if_version) },
        { "metadata_only", ~DELETING, r->metadata_only },
    };

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (fields[i].is_set && !has(fields[i].verbs, r->verb)) {
            return kin__error_set(err, KIN_ERR_USAGE, "request: %s: %s has none", fields[i].name,
                                  verb_names[r->verb]);
        }
    }
    return KIN_OK;
}

/* Numbers that stand for something. */
static kin_err check_choices(const kin_request *request, kin_error *err)
{
    if ((int) request->encoding < KIN_ENCODING_AUTO || request->encoding > KIN_ENCODING_PROTOBUF) {
        return complain("encoding", "there is none with that number", err);
    }
    if ((int) request->patch_type < KIN_PATCH_MERGE || request->patch_type > KIN_PATCH_APPLY) {
        return complain("patch_type", "there is none with that number", err);
    }
    if (request->initial_events < -1 || request->initial_events > 1) {
        return complain("initial_events", "is -1, 0 or 1", err);
    }
    if (request->limit < 0) {
        return complain("limit", "is below 0", err);
    }
    if (request->has_grace_period && request->grace_period_seconds < 0) {
        return complain("grace_period_seconds", "is below 0", err);
    }
    return KIN_OK;
}

/* Of which resource and object. */
static kin_err check_place(const kin_request *request, kin_error *err)
{
    bool has_object_name = request->object != NULL && kin_object_name(request->object).len > 0;

    if (is_set(request->resource) && request->of != NULL) {
        return complain("resource", "given twice, also as `of`", err);
    }
    if (!is_set(request->resource) && request->of == NULL &&
        (request->object == NULL || kin_object_kind(request->object).len == 0)) {
        return complain("resource", "required value", err);
    }
    if (has(NAMED, request->verb) && !is_set(request->name) && !has_object_name) {
        return complain("name", "required value", err);
    }
    if (request->verb == KIN_VERB_CREATE && is_set(request->name) &&
        !is_set(request->subresource)) {
        return complain("name", "a create takes it from what it sends", err);
    }
    if (request->verb == KIN_VERB_CREATE && is_set(request->subresource) &&
        !is_set(request->name) && !has_object_name) {
        return complain("name", "required value for a subresource", err);
    }
    return KIN_OK;
}

/* What is sent.  With a patch the object may be there to say which one it is for. */
static kin_err check_content(const kin_request *request, kin_error *err)
{
    bool has_body = request->body.len > 0;
    bool is_apply = request->patch_type == KIN_PATCH_APPLY;

    if (!has(SENDING, request->verb)) {
        return KIN_OK;
    }
    if (!has_body && request->object == NULL) {
        return complain("object", "required value, or `body`", err);
    }
    if (has_body && request->object != NULL && request->verb != KIN_VERB_PATCH) {
        return complain("body", "given twice, also as `object`", err);
    }
    if (request->force && !is_apply) {
        return complain("force", "only of an apply patch", err);
    }
    if (is_apply && !is_set(request->field_manager)) {
        return complain("field_manager", "required value of an apply patch", err);
    }
    if (request->verb == KIN_VERB_PATCH && !is_apply && !has_body) {
        return complain("body", "required value of a patch", err);
    }
    return KIN_OK;
}

static kin_err complain(const char *name, const char *why, kin_error *err)
{
    return kin__error_set(err, KIN_ERR_USAGE, "request: %s: %s", name, why);
}

static bool is_set(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static bool has(unsigned verbs, kin_verb verb)
{
    return (verbs >> verb & 1) != 0;
}
