/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stand.c - a leader, and a server that has one Lease, without a socket.
 */
#include "unit/controller/stand.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

/* ---- the server ------------------------------------------------------------------------------ */

static kin_object *make_object(const stand *s)
{
    text t = { 0 };
    kin_object *object = NULL;
    kin_error err;

    text_append(&t,
                "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":"
                "{\"name\":\"foo\",\"namespace\":\"shop\",\"resourceVersion\":\"%d\"},\"spec\":%s}",
                s->version, s->lease.chars);
    return kin_object_from_json(t.chars, t.len, NULL, &object, &err) == KIN_OK ? object : NULL;
}

static void end_call(stand *s, const kin_error *err, kin_object *object)
{
    kin_handler handler = s->handler;
    kin_reply reply = KIN_REPLY_INIT;

    reply.object = object;
    s->has_call = false;
    kin_object_unref(s->object);
    s->object = NULL;
    handler.on_done(handler.context, &reply, err);
    kin_object_unref(object);
}

static void refuse(stand *s, kin_err code, int http_status)
{
    kin_error err;

    kin__error_set(&err, code, "refused");
    err.http_status = http_status;
    end_call(s, &err, NULL);
}

static bool is_current(const stand *s)
{
    text t = { 0 };

    text_append(&t, "%d", s->version);
    return kin__str_equal(kin_object_resource_version(s->object), kin_str_of(t.chars));
}

static bool keep_spec(stand *s)
{
    char *json = NULL;
    size_t len = 0;
    kin_error err;

    if (kin_value_json(kin_object_at(s->object, "spec"), &json, &len, &err) != KIN_OK) {
        return false;
    }
    put_spec(s, json);
    kin_free(json);
    return true;
}

static void serve(stand *s)
{
    if (s->verb != KIN_VERB_CREATE && !s->is_there) {
        refuse(s, KIN_ERR_NOT_FOUND, 404);
    } else if ((s->verb == KIN_VERB_CREATE && s->is_there) ||
               (s->verb == KIN_VERB_UPDATE && !is_current(s))) {
        refuse(s, KIN_ERR_CONFLICT, 409);
    } else if (s->verb != KIN_VERB_GET && !keep_spec(s)) {
        refuse(s, KIN_ERR_NO_MEMORY, 0);
    } else {
        kin_object *object = make_object(s);
        if (object == NULL) {
            refuse(s, KIN_ERR_NO_MEMORY, 0);
        } else {
            end_call(s, NULL, object);
        }
    }
}

static void on_serve(kin__job *job, void *context)
{
    stand *s = context;

    (void) job;
    if (s->has_call) { /* else it was cancelled before */
        serve(s);
    }
}

static void on_cancel(kin__job *job, void *context)
{
    stand *s = context;

    (void) job;
    if (s->has_call) {
        refuse(s, KIN_ERR_CANCELLED, 0);
    }
}

static kin_err start(void *context, const kin_request *request, const kin_handler *handler,
                     const kin__call_options *options, kin_call **out, kin_error *err)
{
    stand *s = context;

    if (s->start_says != KIN_OK) {
        return kin__error_set(err, s->start_says, "not now");
    }
    ASSERT_FALSE(s->has_call);
    s->has_call = true;
    s->calls++;
    s->verb = request->verb;
    s->request = *request;
    s->options = *options;
    s->handler = *handler;
    s->object = kin_object_ref(request->object);
    *out = (kin_call *) (void *) s;
    if (s->on_start != NULL) {
        s->on_start(s);
    }
    if (s->is_ready) {
        kin__loop_post_job(s->loop, &s->serve_job);
    }
    return KIN_OK;
}

static void cancel(kin_call *call)
{
    stand *s = (stand *) (void *) call;

    if (!s->is_ready) {
        kin__loop_post_job(s->loop, &s->cancel_job);
    }
}

static void release(kin_call *call)
{
    (void) call;
}

/* ---- what is told ---------------------------------------------------------------------------- */

void tell(stand *s, const char *format, ...)
{
    va_list arguments;
    char words[512];

    va_start(arguments, format);
    (void) vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    kin__mutex_lock(&s->lock);
    text_append(&s->told, "%s%s", s->told.len == 0 ? "" : "; ", words);
    kin__cond_broadcast(&s->news);
    kin__mutex_unlock(&s->lock);
}

static void on_started(void *context)
{
    tell(context, "started");
}

static void on_stopped(void *context)
{
    stand *s = context;

    kin__mutex_lock(&s->lock);
    if (s->is_held_up) {
        text_append(&s->told, "%sstopping", s->told.len == 0 ? "" : "; ");
        kin__cond_broadcast(&s->news);
    }
    while (s->is_held_up) {
        kin__cond_wait(&s->news, &s->lock);
    }
    kin__mutex_unlock(&s->lock);
    tell(s, "stopped");
}

static void on_new_leader(void *context, const char *identity)
{
    tell(context, "new %s", identity);
}

static void write_log(void *context, kin_log_level level, const char *component,
                      const char *message)
{
    stand *s = context;

    (void) component;
    kin__mutex_lock(&s->lock);
    text_append(&s->logged, "%d %s\n", (int) level, message);
    kin__mutex_unlock(&s->lock);
}

void hold_up(stand *s)
{
    kin__mutex_lock(&s->lock);
    s->is_held_up = true;
    kin__mutex_unlock(&s->lock);
}

void let_go(stand *s)
{
    kin__mutex_lock(&s->lock);
    s->is_held_up = false;
    kin__cond_broadcast(&s->news);
    kin__mutex_unlock(&s->lock);
}

/* What the teller does after the last function wakes the loop: it is given the time. */
void expect_told(stand *s, const char *words)
{
    int64_t until_ms = kin__clock_now_ms(kin__clock_real()) + 10000;
    bool is_in_time = true;

    kin__mutex_lock(&s->lock);
    while (is_in_time && s->told.len < strlen(words)) {
        is_in_time = kin__cond_wait_until(&s->news, &s->lock, until_ms);
    }
    ASSERT_STR_EQ(s->told.chars, words);
    text_clear(&s->told);
    kin__mutex_unlock(&s->lock);
    if (strlen(words) >= 7 && strcmp(words + strlen(words) - 7, "stopped") == 0) {
        kin__mutex_lock(&s->leader->lock);
        while (s->leader->told != 0) {
            kin__mutex_unlock(&s->leader->lock);
            ASSERT_OK(kin_loop_dispatch(s->loop, 10, &s->err));
            kin__mutex_lock(&s->leader->lock);
        }
        kin__mutex_unlock(&s->leader->lock);
    }
    settle(s);
}

/* ---- the stand ------------------------------------------------------------------------------- */

kin_err stand_try_to_open(stand *s)
{
    memset(s, 0, sizeof *s);
    s->serve_job = (kin__job){ .run = on_serve, .context = s };
    s->cancel_job = (kin__job){ .run = on_cancel, .context = s };
    kin__mutex_init(&s->lock);
    kin__cond_init(&s->news);
    kin__virtual_clock_init(&s->clock, 1000000, (kin_time){ 1700000000, 0 });
    return kin__loop_new_with_clock(NULL, &s->clock.clock, &s->loop, &s->err);
}

void stand_open(stand *s)
{
    ASSERT_OK(stand_try_to_open(s));
}

void stand_close(stand *s)
{
    let_go(s);
    s->is_ready = true;
    if (s->has_call) {
        kin__loop_post_job(s->loop, &s->serve_job);
    }
    if (s->leader != NULL) {
        ASSERT_TRUE(kin_leader_stop(s->leader, -1, &s->err) != KIN_ERR_TIMEOUT);
    }
    kin_leader_free(s->leader);
    kin_loop_free(s->loop);
    kin__cond_fini(&s->news);
    kin__mutex_fini(&s->lock);
}

kin_leader_options stand_options(stand *s)
{
    kin_leader_options options = KIN_LEADER_OPTIONS_INIT;

    options.ns = "shop";
    options.name = "foo";
    options.identity = "me";
    options.context = s;
    options.on_started = on_started;
    options.on_stopped = on_stopped;
    options.on_new_leader = on_new_leader;
    return options;
}

kin_err stand_make(stand *s, const kin_leader_options *options)
{
    kin_leader_options usual = stand_options(s);
    kin__leader_parts parts = {
        .loop = s->loop,
        .caller = { s, NULL, start, cancel, release },
        .logger = { sizeof(kin_logger), s, write_log, KIN_LOG_DEBUG, 0 },
        .ns = "elsewhere",
        .seed = 1,
    };

    return kin__leader_make(&parts, options != NULL ? options : &usual, &s->leader, &s->err);
}

void stand_begin(stand *s, const kin_leader_options *options)
{
    ASSERT_OK(stand_make(s, options));
    ASSERT_OK(kin_leader_start(s->leader, &s->err));
    settle(s);
}

void stand_lead(stand *s)
{
    s->is_ready = true;
    answer(s);
    ASSERT_TRUE(kin_leader_is_leading(s->leader));
    expect_told(s, "new me; started");
    s->is_ready = false;
}

void settle(stand *s)
{
    for (int i = 0; i < 20; i++) {
        ASSERT_OK(kin_loop_dispatch(s->loop, 0, &s->err));
    }
}

void pass(stand *s, int64_t ms)
{
    kin__virtual_clock_advance(&s->clock, ms);
    settle(s);
}

void sleep_for(stand *s, int64_t ms)
{
    kin__virtual_clock_sleep(&s->clock, ms);
}

void expect_call(stand *s, const char *words)
{
    text t = { 0 };

    if (s->has_call) {
        kin_str holder = { "", 0 };
        if (s->object != NULL) {
            ASSERT_OK(
                kin_value_str(kin_object_at(s->object, "spec.holderIdentity"), NULL, 0, &holder));
        }
        text_append(&t, "%s",
                    s->verb == KIN_VERB_GET      ? "get"
                    : s->verb == KIN_VERB_CREATE ? "create "
                                                 : "update ");
        if (s->object != NULL) {
            text_append(&t, "%.*s", KIN_STR_ARG(holder));
        }
        text_append(&t, "%s", s->object != NULL && holder.len == 0 ? "nobody" : "");
    }
    ASSERT_STR_EQ(t.chars, words);
}

void answer(stand *s)
{
    ASSERT_TRUE(s->has_call);
    kin__loop_post_job(s->loop, &s->serve_job);
    settle(s);
}

typedef struct refusal {
    kin__job job;
    stand *s;
    kin_err code;
    int http_status;
} refusal;

static void on_refuse(kin__job *job, void *context)
{
    refusal *r = context;

    (void) job;
    refuse(r->s, r->code, r->http_status);
}

void answer_badly(stand *s, kin_err code, int http_status)
{
    refusal r = { .s = s, .code = code, .http_status = http_status };

    ASSERT_TRUE(s->has_call);
    r.job = (kin__job){ .run = on_refuse, .context = &r };
    kin__loop_post_job(s->loop, &r.job);
    settle(s);
}

void put_spec(stand *s, const char *spec)
{
    s->is_there = true;
    s->version++;
    text_clear(&s->lease);
    text_append(&s->lease, "%s", spec);
}

void put_lease(stand *s, const char *holder, int duration_s, int renewed)
{
    text t = { 0 };

    text_append(&t,
                "{\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":%d,\"renewTime\":"
                "\"2026-01-01T00:00:00.%06dZ\",\"leaseTransitions\":3,\"more\":[true]}",
                holder, duration_s, renewed);
    put_spec(s, t.chars);
}

kin_leader_status status_of(stand *s)
{
    kin_leader_status status = KIN_LEADER_STATUS_INIT;

    ASSERT_OK(kin_leader_get_status(s->leader, &status, &s->err));
    return status;
}
