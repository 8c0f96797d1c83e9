/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbs.c - the short forms of calls that wait.
 */
#include "api/client.h"
#include "base/cleanup.h"
#include "base/error.h"

#define PAGE 500

/* Lists until the program has seen enough. */
typedef struct lister {
    bool (*fn)(void *context, kin_object *object);
    void *context;
    bool has_enough;
} lister;

static kin_err run_for_object(kin_client *client, const kin_request *request, kin_object **out,
                              kin_error *err);
static bool list_object(void *context, kin_object *object);

kin_err kin_client_get(kin_client *client, const char *resource, const char *ns, const char *name,
                       kin_object **out, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;

    request.verb = KIN_VERB_GET;
    request.resource = resource;
    request.ns = ns;
    request.name = name;
    return run_for_object(client, &request, out, err);
}

kin_err kin_client_list(kin_client *client, const char *resource, const char *ns,
                        bool (*fn)(void *context, kin_object *object), void *context,
                        kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;
    kin_handler handler = KIN_HANDLER_INIT;
    lister listing = { fn, context, false };

    request.verb = KIN_VERB_LIST;
    request.resource = resource;
    request.ns = ns;
    request.limit = PAGE;
    handler.context = &listing;
    handler.on_object = list_object;
    kin_err code = kin_client_run(client, &request, &handler, NULL, err);
    return listing.has_enough ? KIN_OK : code;
}

kin_err kin_client_create(kin_client *client, const kin_object *object, kin_object **out,
                          kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;

    request.verb = KIN_VERB_CREATE;
    request.object = object;
    return run_for_object(client, &request, out, err);
}

kin_err kin_client_update(kin_client *client, const kin_object *object, kin_object **out,
                          kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;

    request.verb = KIN_VERB_UPDATE;
    request.object = object;
    return run_for_object(client, &request, out, err);
}

kin_err kin_client_patch(kin_client *client, const char *resource, const char *ns, const char *name,
                         kin_str patch, kin_object **out, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;

    request.verb = KIN_VERB_PATCH;
    request.resource = resource;
    request.ns = ns;
    request.name = name;
    request.body = patch;
    return run_for_object(client, &request, out, err);
}

kin_err kin_client_delete(kin_client *client, const char *resource, const char *ns,
                          const char *name, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;

    request.verb = KIN_VERB_DELETE;
    request.resource = resource;
    request.ns = ns;
    request.name = name;
    return kin_client_run(client, &request, NULL, NULL, err);
}

static kin_err run_for_object(kin_client *client, const kin_request *request, kin_object **out,
                              kin_error *err)
{
    kin_error unwanted;
    kin_reply reply = KIN_REPLY_INIT;

    err = kin__error_or(err, &unwanted);
    kin_err code = kin_client_run(client, request, NULL, &reply, err);
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

static bool list_object(void *context, kin_object *object)
{
    lister *listing = context;

    listing->has_enough = !listing->fn(listing->context, object);
    return !listing->has_enough;
}
