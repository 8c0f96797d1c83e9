/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - a client: made, waited for, freed.
 */
#include "api/client.h"

#include <string.h>

#include "api/call.h"
#include "base/alloc.h"
#include "base/buf.h"
#include "base/inside.h"
#include "base/log.h"
#include "base/options.h"
#include "config/config.h"

#define REQUESTS_PER_SECOND 50
#define BURST 100

/* A blocking call that waits for its end. */
typedef struct waiter {
    kin_handler handler; /* the program's */
    kin_loop *loop;
    kin_reply reply;
    kin_error error;
    kin_err code;
    _Atomic bool is_done;
} waiter;

static kin_err refuse_without_client(kin_error *err);
static kin_err make(kin_client *client, const kin_client_options *options, kin_error *err);
static kin_err make_wire(kin_client *client, const kin_client_options *options, kin_error *err);
static void free_alone(void *context);
static void free_now(kin_client *client);
static void release(kin_client *client);
static void on_close(kin__job *job, void *context);
static bool pass_object(void *context, kin_object *object);
static bool pass_event(void *context, const kin_event *event);
static bool pass_open(void *context);
static void on_done(void *context, const kin_reply *reply, const kin_error *err);
static void take_reply(kin_reply *to, const kin_reply *from);

kin_err kin_client_new(const kin_config *config, const kin_client_options *options,
                       kin_client **out, kin_error *err)
{
    kin_error unwanted;
    kin_client_options ours;
    kin_config *loaded = NULL;

    err = kin__error_or(err, &unwanted);
    if (kin__options_read(&ours, sizeof ours, options, "kin_client_options", err) != KIN_OK) {
        return err->code;
    }
    kin_client *client = kin__alloc_zero(1, sizeof *client);
    if (client == NULL) {
        return kin__error_no_memory(err);
    }
    if (config == NULL && kin_config_load(NULL, &loaded, err) != KIN_OK) {
        kin__free(client);
        return err->code;
    }
    client->config = loaded != NULL ? loaded : kin_config_ref(config);
    if (make(client, &ours, err) != KIN_OK) {
        release(client);
        return err->code;
    }
    *out = client;
    return KIN_OK;
}

void kin_client_free(kin_client *client)
{
    kin_error err;

    if (client == NULL) {
        return;
    }
    if (kin__loop_is_forked(client->loop) || !kin__inside_is_any()) {
        free_now(client);
        return;
    }
    if (!client->owns_loop) {
        kin__loop_hold(client->loop);
    }
    if (kin__thread_start_alone(&client->freer, "kin-free", free_alone, client, &err) != KIN_OK) {
        if (!client->owns_loop) {
            kin__loop_let_go(client->loop);
        }
        kin__log(&client->logger, KIN_LOG_ERROR, "client", "not freed: %s", err.message);
    }
}

/* In place of somebody who could not wait. */
static void free_alone(void *context)
{
    kin_client *client = context;
    kin_loop *theirs = client->owns_loop ? NULL : client->loop;

    free_now(client);
    if (theirs != NULL) {
        kin__loop_let_go(theirs);
    }
}

static void free_now(kin_client *client)
{
    kin_error err;

    kin__client_guest *guest = atomic_load(&client->guest);
    if (guest != NULL) {
        guest->free(guest);
        atomic_store(&client->guest, NULL);
    }
    if (!kin__loop_is_forked(client->loop)) {
        client->close_job = (kin__job){ .run = on_close, .context = client };
        kin__loop_post_job(client->loop, &client->close_job);
        if (kin__loop_wait(client->loop, &client->is_closed, &err) != KIN_OK) {
            return;
        }
    }
    release(client);
}

const kin_config *kin_client_config(const kin_client *client)
{
    return client->config;
}

kin_loop *kin_client_loop(const kin_client *client)
{
    return client->loop;
}

kin_err kin_client_start(kin_client *client, const kin_request *request, const kin_handler *handler,
                         kin_call **out, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (client == NULL) {
        return refuse_without_client(err);
    }
    return kin__client_start(client, request, handler, &(kin__call_options){ 0 }, out, err);
}

kin_err kin_client_run(kin_client *client, const kin_request *request, const kin_handler *handler,
                       kin_reply *reply, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (client == NULL) {
        return refuse_without_client(err);
    }
    return kin__client_run(client, request, handler, reply, NULL, NULL, err);
}

kin_err kin__client_run(kin_client *client, const kin_request *request, const kin_handler *handler,
                        kin_reply *reply, void (*started)(void *context, kin_call *call),
                        void *context, kin_error *err)
{
    waiter waiting = { .loop = client->loop, .reply = KIN_REPLY_INIT };
    kin_handler mine = { sizeof mine, &waiting, NULL, NULL, NULL, on_done };
    kin_call *call = NULL;

    if (kin__options_read(&waiting.handler, sizeof waiting.handler, handler, "kin_handler", err) !=
        KIN_OK) {
        return err->code;
    }
    if (reply != NULL && reply->size < sizeof *reply) {
        return kin__error_set(err, KIN_ERR_USAGE, "kin_reply: not initialised (size is %zu)",
                              reply->size);
    }
    if (kin__loop_check_wait(client->loop, err) != KIN_OK) {
        return kin__error_prefix(err, "a call that waits (use kin_client_start())");
    }
    mine.on_object = waiting.handler.on_object != NULL ? pass_object : NULL;
    mine.on_event = waiting.handler.on_event != NULL ? pass_event : NULL;
    mine.on_open = waiting.handler.on_open != NULL ? pass_open : NULL;
    if (kin__client_start(client, request, &mine, &(kin__call_options){ 0 },
                          started == NULL ? NULL : &call, err) != KIN_OK) {
        return err->code;
    }
    if (started != NULL) {
        started(context, call);
    }
    if (kin__loop_wait(client->loop, &waiting.is_done, err) != KIN_OK) {
        return err->code;
    }
    if (reply != NULL) {
        waiting.reply.size = reply->size;
        *reply = waiting.reply;
    } else {
        kin_reply_fini(&waiting.reply);
    }
    if (waiting.code != KIN_OK) {
        *err = waiting.error;
    }
    return waiting.code;
}

void kin_reply_fini(kin_reply *reply)
{
    kin_object_unref(reply->object);
    kin__free(reply->resource_version);
    kin__free(reply->continue_token);
    kin__free(reply->cause);
    kin__free(reply->warnings);
    size_t size = reply->size;
    *reply = (kin_reply) KIN_REPLY_INIT;
    reply->size = size;
}

static kin_err refuse_without_client(kin_error *err)
{
    return kin__error_set(err, KIN_ERR_USAGE, "request: there is no client");
}

static kin_err make(kin_client *client, const kin_client_options *options, kin_error *err)
{
    if (options->logger.size != 0) {
        client->logger = options->logger;
    } else {
        client->logger = (kin_logger) KIN_LOGGER_INIT;
    }
    client->loop = options->loop;
    if (client->loop == NULL) {
        kin_loop_options loop_options = KIN_LOOP_OPTIONS_INIT;

        loop_options.logger = client->logger;
        loop_options.metrics = options->metrics;
        if (kin_loop_new(&loop_options, &client->loop, err) != KIN_OK) {
            return err->code;
        }
        client->owns_loop = true;
    }
    if (make_wire(client, options, err) != KIN_OK ||
        kin__directory_new(&client->wire, &client->logger, &client->directory, err) != KIN_OK) {
        return err->code;
    }
    return client->owns_loop ? kin_loop_start(client->loop, err) : KIN_OK;
}

static kin_err make_wire(kin_client *client, const kin_client_options *options, kin_error *err)
{
    const kin_config *config = client->config;
    kin__http_options http = {
        .loop = client->loop,
        .base = kin_config_server(config),
        .proxy = config->cluster.proxy_url,
        .user_agent = options->user_agent,
        .http1_only = options->http1_only,
        .connect_timeout_ms = options->connect_timeout_ms,
        .dead_host_ms = options->dead_host_ms,
        .connections = options->connections,
    };

    client->wire.loop = client->loop;
    if (kin__request_metrics_init(&client->wire.metrics, options->metrics, err) != KIN_OK) {
        return err->code;
    }
    client->wire.server_name = config->cluster.tls_server_name;
    client->wire.insecure = config->cluster.is_insecure;
    client->wire.no_compression = options->no_compression || config->cluster.disables_compression;
    if (options->requests_per_second >= 0) {
        double rate =
            options->requests_per_second > 0 ? options->requests_per_second : REQUESTS_PER_SECOND;

        kin__bucket_init(&client->limit, rate, options->burst != 0 ? options->burst : BURST);
        client->wire.limit = &client->limit;
    }
    if (kin__http_new(&http, &client->wire.http, err) != KIN_OK) {
        return err->code;
    }
    return kin__identity_new(client->loop, config, &client->logger, &client->wire.identity, err);
}

static void release(kin_client *client)
{
    kin__directory_free(client->directory);
    kin__http_free(client->wire.http);
    kin__identity_free(client->wire.identity);
    if (client->loop != NULL && !kin__loop_is_forked(client->loop)) {
        kin__request_metrics_fini(&client->wire.metrics); /* locks */
    }
    if (client->owns_loop) {
        kin_loop_free(client->loop);
    }
    kin_config_unref(client->config);
    kin__free(client);
}

/* Everything that hangs on the loop goes here, on the loop; the memory is the caller's to free.
 * Calls that were started before and have yet to begin come first, and end at once. */
static void on_close(kin__job *job, void *context)
{
    kin_client *client = context;
    kin_loop *loop = client->loop;

    (void) job;
    atomic_store(&client->is_closing, true);
    for (kin__link *link; (link = kin__list_first(&client->calls)) != NULL;) {
        kin__call_end_cancelled(link);
    }
    if (atomic_load(&client->starting) != 0) {
        kin__loop_post_job(loop, &client->close_job);
        return;
    }
    kin__directory_free(client->directory);
    client->directory = NULL;
    kin__http_free(client->wire.http);
    client->wire.http = NULL;
    kin__identity_free(client->wire.identity);
    client->wire.identity = NULL;
    atomic_store(&client->is_closed, true);
    kin__loop_wake_waiters(loop);
}

static bool pass_object(void *context, kin_object *object)
{
    const waiter *waiting = context;

    return waiting->handler.on_object(waiting->handler.context, object);
}

static bool pass_event(void *context, const kin_event *event)
{
    const waiter *waiting = context;

    return waiting->handler.on_event(waiting->handler.context, event);
}

static bool pass_open(void *context)
{
    const waiter *waiting = context;

    return waiting->handler.on_open(waiting->handler.context);
}

/* After is_done is set the waiter may be gone. */
static void on_done(void *context, const kin_reply *reply, const kin_error *err)
{
    waiter *waiting = context;
    kin_loop *loop = waiting->loop;

    if (waiting->handler.on_done != NULL) {
        waiting->handler.on_done(waiting->handler.context, reply, err);
    }
    take_reply(&waiting->reply, reply);
    if (err != NULL) {
        waiting->error = *err;
        waiting->code = err->code;
    }
    atomic_store(&waiting->is_done, true);
    kin__loop_wake_waiters(loop);
}

/* The reply is the call's own and goes with it: what it holds changes hands. */
static void take_reply(kin_reply *to, const kin_reply *from)
{
    kin_reply *theirs = (kin_reply *) (uintptr_t) from;

    *to = *theirs;
    *theirs = (kin_reply) KIN_REPLY_INIT;
}
