/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - a request as HTTP has it: method, path and query, headers, body.
 *
 * The buffer remembers a failed append, and is asked once at the end.
 */
#include "api/target.h"

#include <string.h>

#include "api/escape.h"
#include "api/media.h"
#include "base/error.h"
#include "base/str.h"
#include "json/writer.h"
#include "object/object.h"
#include "proto/schema.h"

#define AS_METADATA(type, list) type ";as=PartialObjectMetadata" list ";g=meta.k8s.io;v=v1"
#define QUOTED_MAX 253

/* A query on its way into a buffer. */
typedef struct query {
    kin__buf *out;
    bool has_some;
} query;

static kin_err write_path(const kin_request *request, const kin_resource *resource,
                          const char *default_ns, kin__buf *out, kin_error *err);
static kin_err find_namespace(const kin_request *request, const char *default_ns, kin_str *out,
                              kin_error *err);
static kin_err append_part(const char *what, kin_str part, kin__buf *out, kin_error *err);
static void write_query(const kin_request *request, kin__buf *out);
static void add_selection(query *q, const kin_request *request);
static void add_watch(query *q, const kin_request *request);
static void add_write(query *q, const kin_request *request);
static void add(query *q, const char *name, const char *value);
static void add_number(query *q, const char *name, int64_t value);
static kin_err append_object(const kin_request *request, kin__buf *out, kin_error *err);
static void write_delete_options(const kin_request *request, kin__buf *out);
static void write_preconditions(const kin_request *request, kin__json_writer *w);
static void write_member(kin__json_writer *w, const char *name, const char *value);
static bool is_list(const kin_request *request);
static bool is_collection(const kin_request *request);
static bool is_set(const char *text);

const char *kin__target_method(const kin_request *request)
{
    switch (request->verb) {
    case KIN_VERB_CREATE:
        return "POST";
    case KIN_VERB_UPDATE:
        return "PUT";
    case KIN_VERB_PATCH:
        return "PATCH";
    case KIN_VERB_DELETE:
    case KIN_VERB_DELETE_COLLECTION:
        return "DELETE";
    case KIN_VERB_GET:
    case KIN_VERB_LIST:
    case KIN_VERB_WATCH:
        break;
    }
    return "GET";
}

kin_err kin__target_write(const kin_request *request, const kin_resource *resource,
                          const char *default_ns, kin__buf *out, kin_error *err)
{
    kin__buf_clear(out);
    if (write_path(request, resource, default_ns, out, err) != KIN_OK) {
        return err->code;
    }
    write_query(request, out);
    if (!kin__buf_append_byte(out, '\0') || kin__buf_failed(out)) {
        return kin__error_no_memory(err);
    }
    out->len--;
    return KIN_OK;
}

kin_err kin__target_wants_protobuf(const kin_request *request, const kin_resource *resource,
                                   bool *out, kin_error *err)
{
    const char *kind = kin_resource_kind(resource);
    const char *api_version = kin_resource_api_version(resource);
    bool is_known =
        request->metadata_only ||
        kin__pb_message_of(kin_str_of(api_version), kin_str_of(kind)) != KIN__PB_NO_MESSAGE;

    if (request->encoding == KIN_ENCODING_PROTOBUF && !is_known) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "request: encoding: no protobuf is known for kind \"%s\" of \"%s\"",
                              kind, api_version);
    }
    *out = request->encoding != KIN_ENCODING_JSON && is_known;
    return KIN_OK;
}

const char *kin__target_accept(const kin_request *request, bool wants_protobuf)
{
    if (request->metadata_only && is_list(request)) {
        return wants_protobuf ? AS_METADATA(KIN__MEDIA_PROTOBUF_NAME,
                                            "List") "," AS_METADATA(KIN__MEDIA_JSON_NAME, "List")
                              : AS_METADATA(KIN__MEDIA_JSON_NAME, "List");
    }
    if (request->metadata_only) {
        return wants_protobuf ? AS_METADATA(KIN__MEDIA_PROTOBUF_NAME,
                                            "") "," AS_METADATA(KIN__MEDIA_JSON_NAME, "")
                              : AS_METADATA(KIN__MEDIA_JSON_NAME, "");
    }
    return wants_protobuf ? KIN__MEDIA_PROTOBUF_NAME "," KIN__MEDIA_JSON_NAME
                          : KIN__MEDIA_JSON_NAME;
}

const char *kin__target_content_type(const kin_request *request)
{
    static const char *const patches[] = {
        [KIN_PATCH_MERGE] = "application/merge-patch+json",
        [KIN_PATCH_JSON] = "application/json-patch+json",
        [KIN_PATCH_STRATEGIC] = "application/strategic-merge-patch+json",
        [KIN_PATCH_APPLY] = "application/apply-patch+yaml",
    };

    switch (request->verb) {
    case KIN_VERB_PATCH:
        return patches[request->patch_type];
    case KIN_VERB_CREATE:
    case KIN_VERB_UPDATE:
    case KIN_VERB_DELETE:
    case KIN_VERB_DELETE_COLLECTION:
        return KIN__MEDIA_JSON_NAME;
    case KIN_VERB_GET:
    case KIN_VERB_LIST:
    case KIN_VERB_WATCH:
        break;
    }
    return NULL;
}

kin_err kin__target_body(const kin_request *request, kin__buf *out, kin_error *err)
{
    kin__buf_clear(out);
    if (request->verb == KIN_VERB_DELETE || request->verb == KIN_VERB_DELETE_COLLECTION) {
        write_delete_options(request, out);
    } else if (request->body.len > 0) {
        kin__buf_append_str(out, request->body);
    } else if (kin__target_content_type(request) != NULL &&
               append_object(request, out, err) != KIN_OK) {
        return err->code;
    }
    return kin__buf_failed(out) ? kin__error_no_memory(err) : KIN_OK;
}

static kin_err write_path(const kin_request *request, const kin_resource *resource,
                          const char *default_ns, kin__buf *out, kin_error *err)
{
    kin_str name = kin_str_of(request->name);
    kin_str ns = { NULL, 0 };

    kin__buf_append_format(out, "%s/%s", kin_resource_group(resource)[0] == '\0' ? "/api" : "/apis",
                           kin_resource_api_version(resource));
    if (kin_resource_is_namespaced(resource) &&
        find_namespace(request, default_ns, &ns, err) != KIN_OK) {
        return err->code;
    }
    if (ns.len > 0) {
        kin__buf_append_str(out, STR("/namespaces"));
        if (append_part("ns", ns, out, err) != KIN_OK) {
            return err->code;
        }
    }
    kin__buf_append_format(out, "/%s", kin_resource_name(resource));
    if (is_collection(request)) {
        return KIN_OK;
    }
    if (name.len == 0 && request->object != NULL) {
        name = kin_object_name(request->object);
    }
    if (append_part("name", name, out, err) != KIN_OK) {
        return err->code;
    }
    if (!is_set(request->subresource)) {
        return KIN_OK;
    }
    return append_part("subresource", kin_str_of(request->subresource), out, err);
}

/* Empty: all of them. */
static kin_err find_namespace(const kin_request *request, const char *default_ns, kin_str *out,
                              kin_error *err)
{
    kin_str ns = kin_str_of(request->ns);

    if (ns.len == 0 && (request->verb == KIN_VERB_LIST || request->verb == KIN_VERB_WATCH)) {
        *out = ns;
        return KIN_OK;
    }
    if (ns.len == 0 && request->verb == KIN_VERB_DELETE_COLLECTION) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "request: ns: required value: a server deletes within one namespace");
    }
    if (ns.len == 0 && request->object != NULL) {
        ns = kin_object_namespace(request->object);
    }
    if (ns.len == 0) {
        ns = kin_str_of(default_ns);
    }
    if (ns.len == 0) {
        return kin__error_set(err, KIN_ERR_USAGE, "request: ns: required value");
    }
    *out = ns;
    return KIN_OK;
}

/* With a slash before it.  What is refused here the server would refuse too, or take for another
 * path. */
static kin_err append_part(const char *what, kin_str part, kin__buf *out, kin_error *err)
{
    bool is_none = part.len == 0 || kin__str_equal(part, STR(".")) ||
                   kin__str_equal(part, STR("..")) || memchr(part.data, '/', part.len) != NULL ||
                   memchr(part.data, '%', part.len) != NULL;

    if (is_none) {
        int quoted = (int) (part.len < QUOTED_MAX ? part.len : QUOTED_MAX);
        return kin__error_set(err, KIN_ERR_USAGE, "request: %s: no object can be called \"%.*s\"",
                              what, quoted, part.data);
    }
    kin__buf_append_byte(out, '/');
    kin__escape_append(out, part);
    return KIN_OK;
}

static void write_query(const kin_request *request, kin__buf *out)
{
    query q = { .out = out };

    switch (request->verb) {
    case KIN_VERB_GET:
        add(&q, "resourceVersion", request->resource_version);
        break;
    case KIN_VERB_LIST:
    case KIN_VERB_DELETE_COLLECTION:
        add_selection(&q, request);
        break;
    case KIN_VERB_WATCH:
        add_watch(&q, request);
        add_selection(&q, request);
        break;
    case KIN_VERB_CREATE:
    case KIN_VERB_UPDATE:
    case KIN_VERB_PATCH:
        add_write(&q, request);
        break;
    case KIN_VERB_DELETE: /* its options are in the body */
        break;
    }
}

/* The token of a page says of which version it is; beside it the server allows none. */
static void add_selection(query *q, const kin_request *request)
{
    bool is_watch_from_state = request->initial_events != 0;
    const char *match = request->resource_version_match;

    add(q, "labelSelector", request->label_selector);
    add(q, "fieldSelector", request->field_selector);
    if (request->limit > 0) {
        add_number(q, "limit", request->limit);
    }
    if (is_set(request->continue_token)) {
        add(q, "continue", request->continue_token);
        return;
    }
    add(q, "resourceVersion", request->resource_version);
    add(q, "resourceVersionMatch", is_watch_from_state && !is_set(match) ? "NotOlderThan" : match);
}

static void add_watch(query *q, const kin_request *request)
{
    add(q, "watch", "true");
    if (!request->no_bookmarks) {
        add(q, "allowWatchBookmarks", "true");
    }
    if (request->initial_events != 0) {
        add(q, "sendInitialEvents", request->initial_events > 0 ? "true" : "false");
    }
    if (request->timeout_seconds > 0) {
        add_number(q, "timeoutSeconds", request->timeout_seconds);
    }
}

static void add_write(query *q, const kin_request *request)
{
    add(q, "dryRun", request->dry_run ? "All" : NULL);
    add(q, "fieldManager", request->field_manager);
    add(q, "fieldValidation", request->field_validation);
    add(q, "force", request->force ? "true" : NULL);
}

/* Nothing for a value that is not set. */
static void add(query *q, const char *name, const char *value)
{
    if (!is_set(value)) {
        return;
    }
    kin__buf_append_format(q->out, "%c%s=", q->has_some ? '&' : '?', name);
    kin__escape_append(q->out, kin_str_of(value));
    q->has_some = true;
}

static void add_number(query *q, const char *name, int64_t value)
{
    kin__buf_append_format(q->out, "%c%s=%lld", q->has_some ? '&' : '?', name, (long long) value);
    q->has_some = true;
}

static kin_err append_object(const kin_request *request, kin__buf *out, kin_error *err)
{
    char *json;
    size_t len;

    if (kin_object_is_partial(request->object)) {
        return kin__error_set(err, KIN_ERR_PARTIAL,
                              "request: object: it is partial, and what it lacks would be lost");
    }
    if (kin_object_json(request->object, &json, &len, err) != KIN_OK) {
        return err->code;
    }
    kin__buf_append(out, json, len);
    kin_free(json);
    return KIN_OK;
}

/* Always sent: without a body the server would take the query for options of the delete. */
static void write_delete_options(const kin_request *request, kin__buf *out)
{
    kin__json_writer w = { .buf = out };

    kin__json_begin(&w, '{');
    write_member(&w, "kind", "DeleteOptions");
    write_member(&w, "apiVersion", "v1");
    if (request->has_grace_period) {
        kin__json_key(&w, STR("gracePeriodSeconds"));
        kin__json_write_int64(&w, request->grace_period_seconds);
    }
    write_preconditions(request, &w);
    write_member(&w, "propagationPolicy", request->propagation);
    if (request->dry_run) {
        kin__json_key(&w, STR("dryRun"));
        kin__json_begin(&w, '[');
        kin__json_string(&w, STR("All"));
        kin__json_end(&w, ']');
    }
    kin__json_end(&w, '}');
}

static void write_preconditions(const kin_request *request, kin__json_writer *w)
{
    if (is_set(request->if_uid) || is_set(request->if_version)) {
        kin__json_key(w, STR("preconditions"));
        kin__json_begin(w, '{');
        write_member(w, "uid", request->if_uid);
        write_member(w, "resourceVersion", request->if_version);
        kin__json_end(w, '}');
    }
}

/* Nothing for a value that is not set. */
static void write_member(kin__json_writer *w, const char *name, const char *value)
{
    if (is_set(value)) {
        kin__json_key(w, kin_str_of(name));
        kin__json_string(w, kin_str_of(value));
    }
}

/* Whether the answer is a list. */
static bool is_list(const kin_request *request)
{
    return request->verb == KIN_VERB_LIST || request->verb == KIN_VERB_DELETE_COLLECTION;
}

/* Whether the path ends with the resource. */
static bool is_collection(const kin_request *request)
{
    return is_list(request) || request->verb == KIN_VERB_WATCH ||
           (request->verb == KIN_VERB_CREATE && !is_set(request->subresource));
}

static bool is_set(const char *text)
{
    return text != NULL && text[0] != '\0';
}
