/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reconcile_write.c - what a reconcile writes.
 */
#include <string.h>

#include "api/client.h"
#include "api/resource.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "controller/reconcile.h"
#include "kin/key.h"
#include "object/edit.h"

#define UID_MAX 128 /* bytes; servers make 36 */
#define KEY_MAX_BYTES 1024

/* What a delete of many has deleted. */
typedef struct deletions {
    const kin_object **objects; /* shared */
    size_t count;
    size_t capacity;
    bool has_failed; /* for want of memory */
} deletions;

static kin_err write_object(kin_reconcile *r, kin_request *request, kin_object **out,
                            kin_error *err);
static void record_object(kin_reconcile *r, const kin_object *object, bool is_gone);
static kin_err delete_many(kin_reconcile *r, kin_request *request, kin_reply *reply,
                           kin_error *err);
static bool on_deleted(void *context, kin_object *object);
static void record_answer(kin_reconcile *r, const kin_request *request, const kin_reply *reply);
static const kin_resource *resource_of(const kin_reconcile *r, const kin_request *request);
static bool is_write(const kin_request *request);
static bool name_object(const kin_reconcile *r, const kin_request *request,
                        const kin_resource *resource, char *bytes, size_t size, kin_str *out);

kin_err kin_reconcile_create(kin_reconcile *r, const kin_object *object, kin_object **out,
                             kin_error *err)
{
    kin_error unwanted;
    kin_request request = KIN_REQUEST_INIT;

    request.verb = KIN_VERB_CREATE;
    request.object = object;
    return write_object(r, &request, out, kin__error_or(err, &unwanted));
}

kin_err kin_reconcile_patch(kin_reconcile *r, const kin_edit *edit, const char *subresource,
                            kin_object **out, kin_error *err)
{
    kin_error unwanted;
    kin_request request = KIN_REQUEST_INIT;
    char *patch = NULL;
    size_t len = 0;

    err = kin__error_or(err, &unwanted);
    request.verb = KIN_VERB_PATCH;
    request.object = kin__edit_original(edit);
    request.subresource = subresource;
    if (kin_edit_merge_patch(edit, 0, &patch, &len, err) != KIN_OK) {
        return err->code;
    }
    bool is_empty = kin__str_equal(kin__str(patch, len), STR("{}"));
    kin_free(patch);
    if (is_empty) {
        if (out != NULL) {
            *out = kin_object_ref(request.object);
        }
        return KIN_OK;
    }
    if (kin_edit_merge_patch(edit, KIN_PATCH_IF_UNCHANGED, &patch, &len, err) != KIN_OK) {
        return err->code;
    }
    request.body = kin__str(patch, len);
    kin_err code = write_object(r, &request, out, err);
    kin_free(patch);
    return code;
}

kin_err kin_reconcile_delete(kin_reconcile *r, const kin_object *object, const char *propagation,
                             kin_error *err)
{
    kin_error unwanted;
    kin_request request = KIN_REQUEST_INIT;
    kin_str uid = kin_object_uid(object);
    char uid_text[UID_MAX];

    err = kin__error_or(err, &unwanted);
    if (uid.len == 0 || uid.len >= sizeof uid_text) {
        return kin__error_set(err, KIN_ERR_USAGE, "delete %.*s: the object has no uid",
                              KIN_STR_ARG(kin_object_key(object)));
    }
    memcpy(uid_text, uid.data, uid.len);
    uid_text[uid.len] = '\0';
    AUTO(kin_resource_unref) const kin_resource *of = kin__reconcile_resource(r, object);
    kin_reply reply = KIN_REPLY_INIT;
    request.verb = KIN_VERB_DELETE;
    request.object = object;
    request.of = of;
    request.if_uid = uid_text;
    request.propagation = propagation;
    kin_err code = kin__reconcile_call(r, &request, NULL, &reply, err);
    if (code == KIN_OK || code == KIN_ERR_NOT_FOUND) {
        record_object(r, reply.object != NULL ? reply.object : object, true);
        code = KIN_OK;
    }
    kin_reply_fini(&reply);
    return code;
}

kin_err kin_reconcile_run(kin_reconcile *r, const kin_request *request, kin_reply *reply,
                          kin_error *err)
{
    kin_error unwanted;
    kin_request ours;
    kin_reply mine = KIN_REPLY_INIT;

    err = kin__error_or(err, &unwanted);
    if (kin__options_read(&ours, sizeof ours, request, "kin_request", err) != KIN_OK) {
        return err->code;
    }
    reply = reply != NULL ? reply : &mine;
    kin_err code = ours.verb == KIN_VERB_DELETE_COLLECTION
                       ? delete_many(r, &ours, reply, err)
                       : kin__reconcile_call(r, &ours, NULL, reply, err);
    if (code == KIN_OK && is_write(&ours)) {
        record_answer(r, &ours, reply);
    }
    kin_reply_fini(&mine);
    return code;
}

/* A create or a patch. */
static kin_err write_object(kin_reconcile *r, kin_request *request, kin_object **out,
                            kin_error *err)
{
    AUTO(kin_resource_unref) const kin_resource *of = kin__reconcile_resource(r, request->object);
    kin_reply reply = KIN_REPLY_INIT;

    request->of = of;
    kin_err code = kin__reconcile_call(r, request, NULL, &reply, err);
    if (code == KIN_OK && reply.object != NULL) {
        record_answer(r, request, &reply);
    }
    if (code == KIN_OK && out != NULL) {
        if (reply.object != NULL) {
            *out = STEAL(reply.object);
        } else {
            code = kin__error_set(err, KIN_ERR_PROTOCOL, "the server answered without an object");
        }
    }
    kin_reply_fini(&reply);
    return code;
}

/* By what it says of itself. */
static void record_object(kin_reconcile *r, const kin_object *object, bool is_gone)
{
    AUTO(kin_resource_unref) const kin_resource *of = kin__reconcile_resource(r, object);
    const kin__reconcile_write write = {
        .group = of != NULL ? kin_str_of(kin_resource_group(of))
                            : kin__reconcile_group(kin_object_api_version(object)),
        .kind = of != NULL ? kin_str_of(kin_resource_kind(of)) : kin_object_kind(object),
        .key = kin_object_key(object),
        .version = kin_object_resource_version(object),
        .is_gone = is_gone,
        .uid = kin_object_uid(object),
        .object = object,
    };

    kin__reconcile_record(r, &write);
}

/* ---- any other call ------------------------------------------------------------------------- */

/* They are told one by one, and on the loop: so they are kept until it is over. */
static kin_err delete_many(kin_reconcile *r, kin_request *request, kin_reply *reply, kin_error *err)
{
    deletions gone = { 0 };
    kin_handler handler = KIN_HANDLER_INIT;

    handler.context = &gone;
    handler.on_object = on_deleted;
    kin_err code = kin__reconcile_call(r, request, &handler, reply, err);
    for (size_t i = 0; i < gone.count; i++) {
        if (!request->dry_run) {
            record_object(r, gone.objects[i], true);
        }
        (void) kin_object_unref(gone.objects[i]);
    }
    kin__free(gone.objects);
    return code == KIN_OK && gone.has_failed ? kin__error_no_memory(err) : code;
}

static bool on_deleted(void *context, kin_object *object)
{
    deletions *gone = context;

    if (gone->count == gone->capacity) {
        size_t capacity = gone->capacity == 0 ? 16 : gone->capacity * 2;
        const kin_object **more = kin__realloc(gone->objects, capacity * sizeof *more);
        if (more == NULL) {
            gone->has_failed = true;
            return true;
        }
        gone->objects = more;
        gone->capacity = capacity;
    }
    gone->objects[gone->count++] = kin_object_ref(object);
    return true;
}

/* What the server answers may be another thing than the object (a Scale), but its version is that
 * of the object. */
static void record_answer(kin_reconcile *r, const kin_request *request, const kin_reply *reply)
{
    AUTO(kin_resource_unref) const kin_resource *of = resource_of(r, request);
    const kin_object *object = reply->object;
    bool is_gone = request->verb == KIN_VERB_DELETE;
    bool is_itself = request->subresource == NULL || strcmp(request->subresource, "status") == 0;
    char bytes[KEY_MAX_BYTES];
    kin__reconcile_write write = { .is_gone = is_gone, .object = is_itself ? object : NULL };

    if (of == NULL || (object == NULL && !is_gone)) {
        return;
    }
    write.group = kin_str_of(kin_resource_group(of));
    write.kind = kin_str_of(kin_resource_kind(of));
    if (object != NULL) {
        write.version = kin_object_resource_version(object);
        write.uid = is_itself ? kin_object_uid(object) : STR("");
    }
    if (object != NULL && is_itself) {
        write.key = kin_object_key(object);
    } else if (!name_object(r, request, of, bytes, sizeof bytes, &write.key)) {
        return;
    }
    if (write.uid.len == 0 && request->if_uid != NULL) {
        write.uid = kin_str_of(request->if_uid);
    }
    kin__reconcile_record(r, &write);
}

/* Shared.  The call has asked for it, so the client knows the answer. */
static const kin_resource *resource_of(const kin_reconcile *r, const kin_request *request)
{
    kin_resource *found = NULL;

    if (request->of != NULL) {
        return kin_resource_ref(request->of);
    }
    if (request->resource != NULL) {
        (void) !kin_client_resource(r->controller->client, request->resource, &found, NULL);
        return found;
    }
    kin_str api_version = kin_object_api_version(request->object);
    kin_str kind = kin_object_kind(request->object);
    char bytes[KEY_MAX_BYTES];
    if (api_version.len + kind.len + 2 > sizeof bytes) {
        return NULL;
    }
    memcpy(bytes, api_version.data, api_version.len);
    bytes[api_version.len] = '\0';
    memcpy(bytes + api_version.len + 1, kind.data, kind.len);
    bytes[api_version.len + 1 + kind.len] = '\0';
    (void) !kin_client_resource_of_kind(r->controller->client, bytes, bytes + api_version.len + 1,
                                        &found, NULL);
    return found;
}

static bool is_write(const kin_request *request)
{
    return !request->dry_run &&
           (request->verb == KIN_VERB_CREATE || request->verb == KIN_VERB_UPDATE ||
            request->verb == KIN_VERB_PATCH || request->verb == KIN_VERB_DELETE);
}

/* As the client names it. */
static bool name_object(const kin_reconcile *r, const kin_request *request,
                        const kin_resource *resource, char *bytes, size_t size, kin_str *out)
{
    kin_str ns = kin_str_of(request->ns);
    kin_str name = kin_str_of(request->name);

    if (request->object != NULL) {
        ns = ns.len != 0 ? ns : kin_object_namespace(request->object);
        name = name.len != 0 ? name : kin_object_name(request->object);
    }
    if (!kin_resource_is_namespaced(resource)) {
        ns.len = 0;
    } else if (ns.len == 0) {
        ns = kin_str_of(kin_config_namespace(kin_client_config(r->controller->client)));
    }
    return kin_key_make(ns, name, bytes, size, out, NULL) == KIN_OK;
}
