/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - one call, from its request to its on_done.
 *
 * It finds the resource (api/directory.h), writes the request (api/target.h), has it exchanged for
 * a good answer (api/exchange.h), decodes that as it arrives (api/decoder.h), and asks for the next
 * page as long as there is one.
 *
 * A call has two holders: the loop, until on_done, and the program, until kin_call_free().  All but
 * the counts and `is_cancelled` belongs to the loop.
 */
#include "api/call.h"

#include <string.h>
#include <time.h>

#include "api/request.h"
#include "api/target.h"
#include "base/alloc.h"
#include "base/buf.h"
#include "base/options.h"
#include "base/str.h"

#define DEADLINE_MS 60000
#define LIST_DEADLINE_MS (10 * 60000)
#define IDLE_MS 60000
#define WATCH_GRACE_MS 30000              /* how much longer than it was to take a watch may take */
#define BOOKMARK_MS_MIN 60000             /* how often servers send bookmarks, at the most often */
#define BOOKMARK_MS_MAX (24 * 60 * 60000) /* who sends them more rarely is not relied on */

struct kin_call {
    _Atomic unsigned refs;
    _Atomic bool is_cancelled;   /* the job is on its way, or has run */
    _Atomic unsigned cancelling; /* threads that are about to post the job */
    kin_client *client;
    kin__request request;
    kin_handler handler;
    kin__call_options options;
    kin__job start_job;
    kin__job cancel_job;
    kin__link link;   /* in client->calls */
    kin__timer timer; /* the deadline, until the resource is known; after that it is HTTP's */

    kin__directory_wait question;
    kin__buf kind; /* of the object, for the question: apiVersion and kind, terminated */
    const kin_resource *resource;
    bool wants_protobuf;
    kin__buf target; /* until it is answered */
    kin__buf body;
    kin__buf continue_token; /* of the next page, terminated */
    int64_t deadline_at;
    kin__exchange *exchange;
    kin__decoder *decoder;
    int64_t marked_at; /* of a watch: when it opened, or its last bookmark came */
    bool is_over;      /* of a watch: an ERROR has been told */
    kin_reply reply;
    _Atomic bool has_ended;
};

static kin_err read_handler(const kin_handler *handler, kin_handler *out, kin_error *err);
static void on_start(kin__job *job, void *context);
static void on_cancel(kin__job *job, void *context);
static void ask_resource(kin_call *call);
static kin_err name_kind(kin_call *call);
static void on_deadline(kin__timer *timer, void *context);
static void on_resource(kin__directory_wait *wait, const kin_resource *resource,
                        const kin_error *err);
static void begin(kin_call *call);
static int64_t deadline_of(const kin_call *call);
static kin_err send_page(kin_call *call, kin_error *err);
static kin__http_class class_of(const kin_request *request);
static kin__answer answer_of(const kin_request *request);
static kin_err on_open(void *context, int http_status, kin_str content_type, kin_error *err);
static kin_err on_body(void *context, const char *bytes, size_t len, kin_error *err);
static kin_err on_object(void *context, kin_object *object, kin_error *err);
static kin_err on_event(void *context, const kin_event *event, kin_error *err);
static kin_object *on_known(void *context, kin_str ns, kin_str name, kin_str uid,
                            kin_str resource_version);
static kin_err note_bookmark(kin_call *call, const kin_event *event, kin_error *err);
static kin_err stopped(kin_error *err);
static void on_end(void *context, const kin__exchange_end *end);
static kin_err finish_answer(kin_call *call, const kin_error *failure, kin_error *err);
static kin_err keep_facts(kin_call *call, const kin__exchange_end *end, kin_error *err);
static kin_err keep_text(char **place, kin_str text, kin_error *err);
static bool has_next_page(const kin_call *call);
static kin_err next_page(kin_call *call, kin_error *err);
static void end_call(kin_call *call, const kin_error *err);
static void await_cancellers(const kin_call *call);
static void describe(const kin_call *call, kin_error *err);
static void drop(kin_call *call);

kin_err kin__client_start(kin_client *client, const kin_request *request,
                          const kin_handler *handler, const kin__call_options *options,
                          kin_call **out, kin_error *err)
{
    if (kin__loop_is_forked(client->loop)) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "a client works only in the process that made it, not after a fork");
    }
    if (atomic_load(&client->is_closing)) {
        return kin__error_set(err, KIN_ERR_CANCELLED, "the client is being freed");
    }
    kin_call *call = kin__alloc_zero(1, sizeof *call);
    if (call == NULL) {
        return kin__error_no_memory(err);
    }
    if (read_handler(handler, &call->handler, err) != KIN_OK ||
        kin__request_copy(request, &call->request, err) != KIN_OK) {
        kin__free(call);
        return err->code;
    }
    if (kin__target_check(&call->request.is, err) != KIN_OK) {
        kin__request_fini(&call->request);
        kin__free(call);
        return err->code;
    }
    call->client = client;
    call->options = *options;
    call->reply = (kin_reply) KIN_REPLY_INIT;
    call->start_job = (kin__job){ .run = on_start, .context = call };
    call->cancel_job = (kin__job){ .run = on_cancel, .context = call };
    call->timer.fire = on_deadline;
    call->timer.context = call;
    atomic_init(&call->refs, out != NULL ? 2 : 1);
    if (out != NULL) {
        *out = call;
    }
    atomic_fetch_add(&client->starting, 1);
    kin__loop_post_job(client->loop, &call->start_job);
    return KIN_OK;
}

/* When it has ended the client may be gone; its end waits for whoever did not see it. */
void kin_call_cancel(kin_call *call)
{
    atomic_fetch_add(&call->cancelling, 1);
    if (!atomic_load(&call->has_ended) && !atomic_exchange(&call->is_cancelled, true)) {
        atomic_fetch_add(&call->refs, 1);
        kin__loop_post_job(call->client->loop, &call->cancel_job);
    }
    atomic_fetch_sub(&call->cancelling, 1);
}

void kin_call_free(kin_call *call)
{
    if (call != NULL) {
        drop(call);
    }
}

void kin__call_end_cancelled(kin__link *link)
{
    kin_error err;

    stopped(&err);
    end_call(KIN__OWNER(link, kin_call, link), &err);
}

static kin_err read_handler(const kin_handler *handler, kin_handler *out, kin_error *err)
{
    return kin__options_read(out, sizeof *out, handler, "kin_handler", err);
}

static void on_start(kin__job *job, void *context)
{
    kin_call *call = context;
    kin_error err;

    (void) job;
    kin__list_push(&call->client->calls, &call->link);
    call->deadline_at = deadline_of(call);
    atomic_fetch_sub(&call->client->starting, 1);
    if (atomic_load(&call->client->is_closing)) {
        kin__error_set(&err, KIN_ERR_CANCELLED, "the client is being freed");
        end_call(call, &err);
    } else {
        ask_resource(call);
    }
}

static void on_cancel(kin__job *job, void *context)
{
    kin_call *call = context;
    kin_error err;

    (void) job;
    if (!call->has_ended) {
        stopped(&err);
        end_call(call, &err);
    }
    drop(call);
}

/* An object that is to be created or updated says itself what it is. */
static void ask_resource(kin_call *call)
{
    const kin_request *request = &call->request.is;
    kin_error err;

    call->question.tell = on_resource;
    if (request->of != NULL) {
        on_resource(&call->question, request->of, NULL);
        return;
    }
    if (request->resource != NULL) {
        call->question.name = request->resource;
    } else if (name_kind(call) != KIN_OK) {
        kin__error_no_memory(&err);
        end_call(call, &err);
        return;
    }
    if (call->deadline_at != 0 &&
        kin__timer_set(call->client->loop, &call->timer, call->deadline_at, &err) != KIN_OK) {
        end_call(call, &err);
        return;
    }
    kin__directory_ask(call->client->directory, &call->question);
}

static kin_err name_kind(kin_call *call)
{
    kin_str api_version = kin_object_api_version(call->request.is.object);
    kin_str kind = kin_object_kind(call->request.is.object);

    kin__buf_append_str(&call->kind, api_version);
    kin__buf_append_byte(&call->kind, '\0');
    kin__buf_append_str(&call->kind, kind);
    kin__buf_append_byte(&call->kind, '\0');
    if (kin__buf_failed(&call->kind)) {
        return KIN_ERR_NO_MEMORY;
    }
    call->question.api_version = call->kind.data;
    call->question.kind = call->kind.data + api_version.len + 1;
    return KIN_OK;
}

static void on_deadline(kin__timer *timer, void *context)
{
    kin_error err;

    (void) timer;
    kin__error_set(&err, KIN_ERR_TIMEOUT,
                   "the server did not tell its resources before the deadline");
    end_call(context, &err);
}

static void on_resource(kin__directory_wait *wait, const kin_resource *resource,
                        const kin_error *err)
{
    kin_call *call = KIN__OWNER(wait, kin_call, question);

    kin__timer_clear(call->client->loop, &call->timer);
    if (resource == NULL) {
        end_call(call, err);
        return;
    }
    call->resource = kin_resource_ref(resource);
    begin(call);
}

static void begin(kin_call *call)
{
    const kin_request *request = &call->request.is;
    kin_error err;

    if (kin__target_wants_protobuf(request, call->resource, &call->wants_protobuf, &err) !=
            KIN_OK ||
        kin__target_body(request, &call->body, &err) != KIN_OK || send_page(call, &err) != KIN_OK) {
        end_call(call, &err);
    }
}

static int64_t deadline_of(const kin_call *call)
{
    const kin_request *request = &call->request.is;
    int64_t ms = DEADLINE_MS;

    if (request->deadline_ms != 0) {
        ms = request->deadline_ms;
    } else if (request->verb == KIN_VERB_LIST || request->verb == KIN_VERB_DELETE_COLLECTION) {
        ms = LIST_DEADLINE_MS;
    } else if (request->verb == KIN_VERB_WATCH) {
        if (request->timeout_seconds == 0) {
            return 0;
        }
        ms = (int64_t) request->timeout_seconds * 1000 + WATCH_GRACE_MS;
    }
    return kin__loop_now_ms(call->client->loop) + ms;
}

static kin_err send_page(kin_call *call, kin_error *err)
{
    const kin_request *request = &call->request.is;
    bool is_watch = request->verb == KIN_VERB_WATCH;

    if (kin__target_write(request, call->resource, kin_config_namespace(call->client->config),
                          &call->target, err) != KIN_OK) {
        return err->code;
    }
    kin__exchange_options options = {
        .class_ = class_of(request),
        .method = kin__target_method(request),
        .target = call->target.data,
        .accept = kin__target_accept(request, call->wants_protobuf),
        .content_type = kin__target_content_type(request),
        .body = kin__str(call->body.data, call->body.len),
        .is_limited = !is_watch && !call->options.no_limit,
        .no_retry = call->options.no_retry,
        .deadline_at = call->deadline_at,
        .idle_ms = request->idle_ms != 0 ? request->idle_ms : IDLE_MS,
        .connect_ms = request->connect_timeout_ms,
        .handler = { call, on_open, on_body, on_end },
    };
    return kin__exchange_start(&call->client->wire, &options, &call->exchange, err);
}

static kin__http_class class_of(const kin_request *request)
{
    switch (request->verb) {
    case KIN_VERB_GET:
    case KIN_VERB_LIST:
        return KIN__HTTP_READ;
    case KIN_VERB_WATCH:
        return KIN__HTTP_WATCH;
    default:
        return KIN__HTTP_WRITE;
    }
}

static kin__answer answer_of(const kin_request *request)
{
    switch (request->verb) {
    case KIN_VERB_LIST:
        return KIN__ANSWER_LIST;
    case KIN_VERB_DELETE_COLLECTION:
        return KIN__ANSWER_DELETIONS;
    case KIN_VERB_WATCH:
        return KIN__ANSWER_WATCH;
    default:
        return KIN__ANSWER_OBJECT;
    }
}

static kin_err on_open(void *context, int http_status, kin_str content_type, kin_error *err)
{
    kin_call *call = context;
    const kin_request *request = &call->request.is;
    kin__decoder_options options = {
        .answer = answer_of(request),
        .content_type = content_type,
        .api_version = kin_resource_api_version(call->resource),
        .kind = kin_resource_kind(call->resource),
        .metadata_only = request->metadata_only,
        .mask = request->mask,
        .object_bytes = request->object_bytes,
        .handler = { call, on_object, on_event, call->options.known != NULL ? on_known : NULL },
    };

    (void) http_status;
    kin__buf_fini(&call->target); /* what is answered is never sent again */
    kin__decoder_free(call->decoder);
    call->decoder = NULL;
    if (kin__decoder_new(&options, &call->decoder, err) != KIN_OK) {
        return err->code;
    }
    call->marked_at = kin__loop_now_ms(call->client->loop);
    if (request->verb == KIN_VERB_WATCH && request->idle_ms == 0 &&
        kin__exchange_set_idle(call->exchange, 0, err) != KIN_OK) {
        return err->code;
    }
    if (request->verb == KIN_VERB_WATCH && call->handler.on_open != NULL &&
        !call->handler.on_open(call->handler.context)) {
        return stopped(err);
    }
    return KIN_OK;
}

static kin_err on_body(void *context, const char *bytes, size_t len, kin_error *err)
{
    kin_call *call = context;

    return kin__decoder_feed(call->decoder, bytes, len, err);
}

static kin_err on_object(void *context, kin_object *object, kin_error *err)
{
    kin_call *call = context;

    call->reply.count++;
    if (answer_of(&call->request.is) == KIN__ANSWER_OBJECT) {
        kin_object_unref(call->reply.object);
        call->reply.object = kin_object_ref(object);
    }
    if (call->handler.on_object != NULL &&
        !call->handler.on_object(call->handler.context, object)) {
        return stopped(err);
    }
    return KIN_OK;
}

static kin_err on_event(void *context, const kin_event *event, kin_error *err)
{
    kin_call *call = context;

    call->reply.count++;
    if (event->type == KIN_EVENT_BOOKMARK && note_bookmark(call, event, err) != KIN_OK) {
        return err->code;
    }
    if (call->handler.on_event != NULL && !call->handler.on_event(call->handler.context, event)) {
        return stopped(err);
    }
    call->is_over = event->type == KIN_EVENT_ERROR; /* whatever the server would say after it */
    return call->is_over ? stopped(err) : KIN_OK;
}

static kin_object *on_known(void *context, kin_str ns, kin_str name, kin_str uid,
                            kin_str resource_version)
{
    kin_call *call = context;

    return call->options.known(call->handler.context, ns, name, uid, resource_version);
}

/* A stream that has shown bookmarks is expected to go on showing them: when none, and nothing else,
 * comes for two and a half of their periods, the server is not there any more. */
static kin_err note_bookmark(kin_call *call, const kin_event *event, kin_error *err)
{
    int64_t now = kin__loop_now_ms(call->client->loop);
    int64_t period = now - call->marked_at;

    call->marked_at = now;
    if (event->is_initial_end || call->request.is.idle_ms != 0) {
        return KIN_OK;
    }
    if (period < BOOKMARK_MS_MIN) {
        period = BOOKMARK_MS_MIN;
    }
    int64_t idle_ms = period > BOOKMARK_MS_MAX ? 0 : period * 5 / 2;
    return kin__exchange_set_idle(call->exchange, (uint32_t) idle_ms, err);
}

static kin_err stopped(kin_error *err)
{
    return kin__error_set(err, KIN_ERR_CANCELLED, "cancelled");
}

static void on_end(void *context, const kin__exchange_end *end)
{
    kin_call *call = context;
    kin_error err;
    kin_err code = keep_facts(call, end, &err);

    if (code == KIN_OK && !call->is_over) {
        code = finish_answer(call, end->error, &err);
    }
    kin__exchange_free(call->exchange);
    call->exchange = NULL;
    if (code == KIN_OK && has_next_page(call)) {
        code = next_page(call, &err);
        if (code == KIN_OK) {
            return;
        }
    }
    end_call(call, code == KIN_OK ? NULL : &err);
}

static kin_err finish_answer(kin_call *call, const kin_error *failure, kin_error *err)
{
    if (failure != NULL) {
        *err = *failure;
        return err->code;
    }
    if (kin__decoder_finish(call->decoder, err) != KIN_OK) {
        return err->code;
    }
    kin__list_facts facts = kin__decoder_facts(call->decoder);
    call->reply.remaining = facts.remaining;
    if (keep_text(&call->reply.resource_version, kin_str_of(facts.resource_version), err) !=
        KIN_OK) {
        return err->code;
    }
    return keep_text(&call->reply.continue_token, kin_str_of(facts.continue_token), err);
}

/* A failure may also have come inside the answer, as a Status or as an ERROR event. */
static kin_err keep_facts(kin_call *call, const kin__exchange_end *end, kin_error *err)
{
    const kin__status *inside = call->decoder != NULL ? kin__decoder_status(call->decoder) : NULL;
    const char *cause = end->cause == NULL && inside != NULL ? inside->cause : end->cause;

    call->reply.http_status = end->http_status;
    call->reply.attempts += end->attempts;
    if (keep_text(&call->reply.cause, kin_str_of(cause), err) != KIN_OK ||
        keep_text(&call->reply.warnings, end->warnings, err) != KIN_OK) {
        return err->code;
    }
    return keep_text(&call->reply.continue_token, kin_str_of(end->continue_token), err);
}

/* An empty text is none. */
static kin_err keep_text(char **place, kin_str text, kin_error *err)
{
    char *copy = NULL;

    if (text.len != 0) {
        copy = kin__alloc(text.len + 1);
        if (copy == NULL) {
            return kin__error_no_memory(err);
        }
        memcpy(copy, text.data, text.len);
        copy[text.len] = '\0';
    }
    kin__free(*place);
    *place = copy;
    return KIN_OK;
}

static bool has_next_page(const kin_call *call)
{
    return call->request.is.verb == KIN_VERB_LIST && !call->request.is.one_page &&
           call->reply.continue_token != NULL;
}

static kin_err next_page(kin_call *call, kin_error *err)
{
    kin__buf_clear(&call->continue_token);
    kin__buf_append(&call->continue_token, call->reply.continue_token,
                    strlen(call->reply.continue_token) + 1);
    if (kin__buf_failed(&call->continue_token)) {
        return kin__error_no_memory(err);
    }
    call->request.is.continue_token = call->continue_token.data;
    return send_page(call, err);
}

static void end_call(kin_call *call, const kin_error *err)
{
    kin_error mine;

    atomic_store(&call->has_ended, true);
    kin__timer_clear(call->client->loop, &call->timer);
    kin__directory_stop(&call->question);
    kin__exchange_free(call->exchange);
    call->exchange = NULL;
    kin__list_remove(&call->link);
    if (err != NULL) {
        mine = *err;
        describe(call, &mine);
        if (call->reply.http_status == 0) {
            call->reply.http_status = err->http_status;
        }
    }
    if (call->handler.on_done != NULL) {
        call->handler.on_done(call->handler.context, &call->reply, err != NULL ? &mine : NULL);
    }
    await_cancellers(call);
    if (kin__loop_cancel_job(call->client->loop, &call->cancel_job)) {
        drop(call);
    }
    drop(call);
}

/* It takes them a few instructions, and the time to get on if they were interrupted there. */
static void await_cancellers(const kin_call *call)
{
    while (atomic_load(&call->cancelling) != 0) {
        (void) nanosleep(&(struct timespec){ .tv_nsec = 1000 }, NULL);
    }
}

/* "list pods in shop: ...", "get pods shop/web-0: ..." */
static void describe(const kin_call *call, kin_error *err)
{
    static const char *const verbs[] = { "call",   "get",   "list",   "watch", "create",
                                         "update", "patch", "delete", "delete" };
    const kin_request *request = &call->request.is;
    const char *verb = verbs[request->verb];
    const kin_resource *known = call->resource != NULL ? call->resource : request->of;
    const char *resource = known != NULL                 ? kin_resource_name(known)
                           : request->resource != NULL   ? request->resource
                           : call->question.kind != NULL ? call->question.kind
                                                         : "an object";
    kin_str ns = kin_str_of(request->ns);
    kin_str name = kin_str_of(request->name);

    if (request->object != NULL) {
        ns = ns.len != 0 ? ns : kin_object_namespace(request->object);
        name = name.len != 0 ? name : kin_object_name(request->object);
    }
    if (known != NULL && !kin_resource_is_namespaced(known)) {
        ns.len = 0;
    }
    if (name.len != 0 && ns.len != 0) {
        kin__error_prefix(err, "%s %s %.*s/%.*s", verb, resource, KIN_STR_ARG(ns),
                          KIN_STR_ARG(name));
    } else if (name.len != 0) {
        kin__error_prefix(err, "%s %s %.*s", verb, resource, KIN_STR_ARG(name));
    } else if (ns.len != 0) {
        kin__error_prefix(err, "%s %s in %.*s", verb, resource, KIN_STR_ARG(ns));
    } else {
        kin__error_prefix(err, "%s %s", verb, resource);
    }
}

static void drop(kin_call *call)
{
    if (atomic_fetch_sub_explicit(&call->refs, 1, memory_order_acq_rel) != 1) {
        return;
    }
    kin__decoder_free(call->decoder);
    kin_resource_unref(call->resource);
    kin__request_fini(&call->request);
    kin__buf_fini(&call->kind);
    kin__buf_fini(&call->target);
    kin__buf_fini(&call->body);
    kin__buf_fini(&call->continue_token);
    kin_reply_fini(&call->reply);
    kin__free(call);
}
