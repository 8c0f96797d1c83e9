/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watchers.c - watches by kin_client_start().
 */
#include "watchers.h"

#include <time.h>

#define PATIENCE_MS 60000

static kin_err version_of_now(kin_client *client, kin_reply *reply, kin_error *err);
static bool on_open(void *context);
static bool on_event(void *context, const kin_event *event);
static void on_done(void *context, const kin_reply *reply, const kin_error *err);

kin_err watchers_start(watchers *all, kin_client *client, size_t count, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;
    kin_handler handler = KIN_HANDLER_INIT;
    kin_reply now = KIN_REPLY_INIT;
    kin_err code = version_of_now(client, &now, err);

    request.verb = KIN_VERB_WATCH;
    request.resource = "pods";
    request.resource_version = now.resource_version;
    handler.context = all;
    handler.on_open = on_open;
    handler.on_event = on_event;
    handler.on_done = on_done;
    for (size_t i = 0; code == KIN_OK && i < count; i++) {
        code = kin_client_start(client, &request, &handler, NULL, err);
    }
    for (int i = 0; code == KIN_OK && i < PATIENCE_MS; i++) {
        if (atomic_load(&all->open) == count || atomic_load(&all->ended) > 0) {
            break;
        }
        (void) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    kin_reply_fini(&now);
    return code;
}

static kin_err version_of_now(kin_client *client, kin_reply *reply, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;

    request.verb = KIN_VERB_LIST;
    request.resource = "pods";
    request.metadata_only = true;
    request.limit = 1;
    request.one_page = true;
    return kin_client_run(client, &request, NULL, reply, err);
}

static bool on_open(void *context)
{
    watchers *all = context;

    atomic_fetch_add(&all->open, 1);
    return true;
}

static bool on_event(void *context, const kin_event *event)
{
    watchers *all = context;

    if (event->object != NULL) {
        atomic_fetch_add(&all->told, 1);
    }
    return true;
}

static void on_done(void *context, const kin_reply *reply, const kin_error *err)
{
    watchers *all = context;

    (void) reply;
    (void) err;
    atomic_fetch_add(&all->ended, 1);
}
