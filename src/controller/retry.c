/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retry.c - to try again when somebody else was faster.
 */
#include "controller/retry.h"

#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/inside.h"
#include "base/str.h"
#include "cache/jitter.h"
#include "net/loop.h"
#include "object/edit.h"
#include "object/object.h"

/* client-go's retry.DefaultRetry: 5 steps of 10 ms, a tenth of that more by chance. */
#define TRIES 5
#define PAUSE_US 10000
#define JITTER_US 1000

/* A modification that is under way. */
typedef struct modification {
    kin_client *client;
    kin_request request; /* which object */
    const char *subresource;
    kin_modify_fn fn;
    void *context;
    kin_object *result; /* shared */
} modification;

static kin_err check_wait(kin_error *err);
static bool is_conflict(kin_err code, const kin_error *err);
static void sleep_us(void *context, int64_t us);
static kin_err modify_once(void *context, kin_error *err);
static kin_err read_object(const modification *m, kin_object **out, kin_error *err);
static kin_err send_changes(modification *m, const kin_object *object, const kin_edit *edit,
                            kin_error *err);
static kin_err run(kin_client *client, const kin_request *request, kin_object **out,
                   kin_error *err);

kin_err kin_retry_on_conflict(kin_err (*fn)(void *context, kin_error *err), void *context,
                              kin_error *err)
{
    kin_error unwanted;
    int64_t now_ns = kin__clock_now_ns(kin__clock_real());
    kin__retry_pause pause = {
        .fn = sleep_us,
        .random = kin__hash(&now_ns, sizeof now_ns, kin__hash_seed()),
    };

    err = kin__error_or(err, &unwanted);
    if (check_wait(err) != KIN_OK) {
        return kin__error_prefix(err, "try again on a conflict");
    }
    return kin__retry_conflicts(&pause, fn, context, err);
}

kin_err kin_client_modify(kin_client *client, const char *resource, const char *ns,
                          const char *name, const char *subresource, kin_modify_fn fn,
                          void *context, kin_object **out, kin_error *err)
{
    kin_error unwanted;
    modification m = {
        .client = client,
        .request = KIN_REQUEST_INIT,
        .subresource = subresource,
        .fn = fn,
        .context = context,
    };

    err = kin__error_or(err, &unwanted);
    m.request.resource = resource;
    m.request.ns = ns;
    m.request.name = name;
    kin_err code = kin_retry_on_conflict(modify_once, &m, err);
    if (code == KIN_OK && out != NULL) {
        *out = STEAL(m.result);
    }
    (void) kin_object_unref(m.result);
    return code;
}

kin_err kin__retry_conflicts(kin__retry_pause *pause, kin_err (*fn)(void *context, kin_error *err),
                             void *context, kin_error *err)
{
    for (int tries = 1;; tries++) {
        *err = (kin_error){ 0 };
        kin_err code = fn(context, err);
        if (!is_conflict(code, err) || tries == TRIES) {
            return code;
        }
        pause->fn(pause->context, PAUSE_US + kin__jitter(&pause->random, JITTER_US + 1));
    }
}

static kin_err check_wait(kin_error *err)
{
    if (kin__inside_is(KIN__INSIDE_LOOP) || kin__inside_is(KIN__INSIDE_CHANGE)) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "this waits, and is not allowed on a loop or in an index function");
    }
    return KIN_OK;
}

/* What is there already does not go away by trying again. */
static bool is_conflict(kin_err code, const kin_error *err)
{
    return code == KIN_ERR_CONFLICT && strcmp(err->reason, "AlreadyExists") != 0;
}

static void sleep_us(void *context, int64_t us)
{
    struct timespec left = { us / 1000000, (long) (us % 1000000) * 1000 };

    (void) context;
    while (nanosleep(&left, &left) != 0) {
        /* a signal came: what is left of it */
    }
}

static kin_err modify_once(void *context, kin_error *err)
{
    modification *m = context;
    AUTO(kin_object_unref) const kin_object *object = NULL;
    AUTO(kin_edit_free) kin_edit *edit = NULL;
    kin_object *read = NULL;

    if (read_object(m, &read, err) != KIN_OK) {
        return err->code;
    }
    object = read;
    if (kin_object_edit(object, &edit, err) != KIN_OK) {
        return err->code;
    }
    kin_err code = m->fn(m->context, object, edit, err);
    return code != KIN_OK ? code : send_changes(m, object, edit, err);
}

/* A status is part of its object, and who may write it need not be allowed to read it apart.  Any
 * other subresource may be an object of another kind, as a Scale is. */
static kin_err read_object(const modification *m, kin_object **out, kin_error *err)
{
    kin_request request = m->request;

    request.verb = KIN_VERB_GET;
    if (m->subresource != NULL && strcmp(m->subresource, "status") != 0) {
        request.subresource = m->subresource;
    }
    return run(m->client, &request, out, err);
}

static kin_err send_changes(modification *m, const kin_object *object, const kin_edit *edit,
                            kin_error *err)
{
    kin_request request = m->request;
    char *patch = NULL;
    size_t len = 0;

    if (kin_edit_merge_patch(edit, 0, &patch, &len, err) != KIN_OK) {
        return err->code;
    }
    bool is_unchanged = kin__str_equal(kin__str(patch, len), STR("{}"));
    kin_free(patch);
    if (is_unchanged) {
        m->result = kin_object_ref(object);
        return KIN_OK;
    }
    if (kin_edit_merge_patch(edit, KIN_PATCH_IF_UNCHANGED, &patch, &len, err) != KIN_OK) {
        return err->code;
    }
    request.verb = KIN_VERB_PATCH;
    request.subresource = m->subresource;
    request.body = kin__str(patch, len);
    kin_err code = run(m->client, &request, &m->result, err);
    kin_free(patch);
    return code;
}

static kin_err run(kin_client *client, const kin_request *request, kin_object **out, kin_error *err)
{
    kin_reply reply = KIN_REPLY_INIT;
    kin_err code = kin_client_run(client, request, NULL, &reply, err);

    if (code == KIN_OK && reply.object == NULL) {
        code = kin__error_set(err, KIN_ERR_PROTOCOL, "the answer has no object");
    }
    if (code == KIN_OK) {
        *out = STEAL(reply.object);
    }
    kin_reply_fini(&reply);
    return code;
}
