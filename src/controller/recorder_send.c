/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_send.c - a recorder on its loop: what is to be written is sent.
 *
 * A series that is SENT is with one call here.  Whoever tells meanwhile touches only what the book
 * says is not being written (its count, when it was last told), with the lock held; what is read
 * here without it changes on the loop alone.
 */
#include "controller/recorder.h"

#include "base/log.h"
#include "base/str.h"
#include "cache/jitter.h"

/* client-go: tools/events, maxTriesPerEvent and defaultSleepDuration, with a quarter more by
 * chance. */
#define TRIES 12
#define PAUSE_MS 10000
#define JITTER_MS 2500

static void work(kin_recorder *recorder);
static bool send_next(kin_recorder *recorder);
static kin_err send(kin__recorder_call *call, kin_error *err);
static void on_done(void *context, const kin_reply *reply, const kin_error *err);
static void end_call(kin__recorder_call *call, const kin_error *err);
static void judge_locked(kin_recorder *recorder, kin__event_series *series, const kin_error *err)
    REQUIRES(recorder->lock);
static void note_written_locked(kin_recorder *recorder, kin__event_series *series)
    REQUIRES(recorder->lock);
static void give_up_locked(kin_recorder *recorder, kin__event_series *series)
    REQUIRES(recorder->lock);
static bool is_there_already(const kin__event_series *series, const kin_error *err);
static bool is_passing(const kin_error *err);
static void set_timer(kin_recorder *recorder);
static void serve_flushes(kin_recorder *recorder);
static void on_deadline(kin__timer *timer, void *context);
static void finish_flush(kin__recorder_flush *flush, const kin_error *err);
static void finish_close(kin_recorder *recorder);

void kin__recorder_on_work(kin__job *job, void *context)
{
    (void) job;
    work(context);
}

void kin__recorder_on_timer(kin__timer *timer, void *context)
{
    (void) timer;
    work(context);
}

void kin__recorder_on_flush(kin__job *job, void *context)
{
    kin__recorder_flush *flush = context;
    kin_recorder *recorder = flush->recorder;
    int64_t now_ms = kin__loop_now_ms(recorder->loop);
    kin_error err;

    (void) job;
    kin__list_push(&recorder->flushes, &flush->link);
    kin__mutex_lock(&recorder->lock);
    flush->ticket = kin__book_hurry(&recorder->book);
    kin__mutex_unlock(&recorder->lock);
    flush->timer.fire = on_deadline;
    flush->timer.context = flush;
    if (flush->deadline_ms >= 0 &&
        kin__timer_set(recorder->loop, &flush->timer,
                       flush->deadline_ms > INT64_MAX - now_ms ? INT64_MAX
                                                               : now_ms + flush->deadline_ms,
                       &err) != KIN_OK) {
        finish_flush(flush, &err);
    }
    work(recorder);
}

void kin__recorder_on_close(kin__job *job, void *context)
{
    kin_recorder *recorder = context;

    (void) job;
    recorder->is_closing = true;
    kin__timer_clear(recorder->loop, &recorder->timer);
    (void) kin__loop_cancel_job(recorder->loop, &recorder->work_job);
    for (size_t i = 0; i < KIN__RECORDER_CALLS; i++) {
        if (recorder->calls[i].call != NULL) {
            kin_call_cancel(recorder->calls[i].call);
        }
    }
    if (recorder->call_count == 0) {
        finish_close(recorder);
    }
}

static void work(kin_recorder *recorder)
{
    int64_t now_ms = kin__loop_now_ms(recorder->loop);

    if (recorder->is_closing) {
        return;
    }
    while (now_ms >= recorder->resume_ms && recorder->call_count < KIN__RECORDER_CALLS &&
           send_next(recorder)) {
        /* until enough is under way */
    }
    kin__mutex_lock(&recorder->lock);
    kin__book_sweep(&recorder->book, now_ms);
    kin__recorder_metrics_wait(&recorder->metrics, recorder->book.waiting_count);
    kin__mutex_unlock(&recorder->lock);
    serve_flushes(recorder);
    set_timer(recorder);
}

/* False when there is nothing to send. */
static bool send_next(kin_recorder *recorder)
{
    kin__recorder_call *call = recorder->calls;
    kin_error err;

    kin__mutex_lock(&recorder->lock);
    kin__event_series *series = kin__book_next(&recorder->book, kin__loop_now_ms(recorder->loop));
    kin__mutex_unlock(&recorder->lock);
    if (series == NULL) {
        return false;
    }
    while (call->series != NULL) {
        call++;
    }
    *call = (kin__recorder_call){ .recorder = recorder, .series = series };
    recorder->call_count++;
    if (send(call, &err) != KIN_OK) {
        end_call(call, &err);
    }
    return true;
}

static kin_err send(kin__recorder_call *call, kin_error *err)
{
    kin_recorder *recorder = call->recorder;
    const kin__event_series *series = call->series;
    AUTO(kin__buf_fini) kin__buf body = { 0 };
    AUTO(kin__buf_fini) kin__buf ns = { 0 };
    char name[KIN__SERIES_NAME_MAX + 1];
    kin_request request = KIN_REQUEST_INIT;
    kin_handler handler = KIN_HANDLER_INIT;

    if (series->is_made) {
        kin__series_write_patch(series, &body);
    } else {
        kin__series_write_event(series, kin_str_of(recorder->controller),
                                kin_str_of(recorder->instance), &body);
    }
    (void) kin__buf_append_str(&ns, kin__series_namespace(series));
    (void) kin__buf_append_byte(&ns, '\0');
    if (kin__buf_failed(&body) || kin__buf_failed(&ns)) {
        return kin__error_no_memory(err);
    }
    kin__series_name(series, name);
    request.verb = series->is_made ? KIN_VERB_PATCH : KIN_VERB_CREATE;
    request.of = recorder->events;
    request.ns = ns.data;
    request.name = series->is_made ? name : NULL;
    request.body = kin__str(body.data, body.len);
    handler.context = call;
    handler.on_done = on_done;
    return kin_client_start(recorder->client, &request, &handler, &call->call, err);
}

static void on_done(void *context, const kin_reply *reply, const kin_error *err)
{
    kin__recorder_call *call = context;
    kin_recorder *recorder = call->recorder;

    (void) reply;
    end_call(call, err);
    if (!recorder->is_closing) {
        work(recorder);
    } else if (recorder->call_count == 0) {
        finish_close(recorder);
    }
}

/* The call is free for another one. */
static void end_call(kin__recorder_call *call, const kin_error *err)
{
    kin_recorder *recorder = call->recorder;
    kin__event_series *series = call->series;

    kin_call_free(call->call);
    *call = (kin__recorder_call){ 0 };
    recorder->call_count--;
    if (recorder->is_closing) {
        return;
    }
    bool was_in_trouble = recorder->is_in_trouble;
    kin__mutex_lock(&recorder->lock);
    judge_locked(recorder, series, err);
    kin__mutex_unlock(&recorder->lock);
    if (recorder->is_in_trouble && !was_in_trouble) {
        kin__log(&recorder->logger, KIN_LOG_WARNING, "recorder",
                 "an event is dropped, and so may be others until one is written again: %s",
                 err->message);
    }
}

static void judge_locked(kin_recorder *recorder, kin__event_series *series, const kin_error *err)
{
    if (err == NULL) {
        note_written_locked(recorder, series);
        return;
    }
    if (is_there_already(series, err)) {
        series->count_sent = 1;
        note_written_locked(recorder, series);
        return;
    }
    recorder->status.error = *err;
    bool has_expired = series->is_made && err->code == KIN_ERR_NOT_FOUND;
    if ((!has_expired && !is_passing(err)) || series->tries + 1 >= TRIES) {
        give_up_locked(recorder, series);
        return;
    }
    if (has_expired) {
        series->is_made = false;
    } else {
        recorder->resume_ms = kin__loop_now_ms(recorder->loop) + PAUSE_MS +
                              kin__jitter(&recorder->random, JITTER_MS + 1);
    }
    kin__book_failed(&recorder->book, series);
}

static void note_written_locked(kin_recorder *recorder, kin__event_series *series)
{
    kin__recorder_result result = KIN__RECORDER_CREATED;

    if (series->is_made) {
        result = KIN__RECORDER_REPEATED;
        recorder->status.repeated++;
    } else {
        recorder->status.created++;
    }
    kin__recorder_metrics_count(&recorder->metrics, result);
    kin__book_written(&recorder->book, series, kin__loop_now_ms(recorder->loop));
    recorder->is_in_trouble = false;
}

static void give_up_locked(kin_recorder *recorder, kin__event_series *series)
{
    recorder->status.dropped++;
    kin__recorder_metrics_count(&recorder->metrics, KIN__RECORDER_DROPPED);
    kin__book_gave_up(&recorder->book, series);
    recorder->is_in_trouble = true;
}

/* A try whose answer did not come has made it: nobody else takes such names. */
static bool is_there_already(const kin__event_series *series, const kin_error *err)
{
    return !series->is_made && err->code == KIN_ERR_CONFLICT;
}

/* What may be another time otherwise; a refusal is none of that. */
static bool is_passing(const kin_error *err)
{
    switch (err->code) {
    case KIN_ERR_NO_MEMORY:
    case KIN_ERR_SYSTEM:
    case KIN_ERR_TIMEOUT:
    case KIN_ERR_CONNECT:
    case KIN_ERR_TLS:
    case KIN_ERR_CLOSED:
    case KIN_ERR_PROTOCOL:
    case KIN_ERR_THROTTLED:
    case KIN_ERR_SERVER:
        return true;
    default:
        return err->code == KIN_ERR_UNAUTHORIZED && err->http_status == 0;
    }
}

/* Without memory for it the next who tells something, or asks for all to be written, brings what
 * waits along. */
static void set_timer(kin_recorder *recorder)
{
    kin_error err;

    kin__mutex_lock(&recorder->lock);
    int64_t due_ms = kin__book_due_ms(&recorder->book);
    bool has_ready = kin__list_first(&recorder->book.ready) != NULL;
    kin__mutex_unlock(&recorder->lock);
    if (has_ready && recorder->call_count < KIN__RECORDER_CALLS) {
        due_ms = recorder->resume_ms; /* nothing else holds it up */
    }
    if (due_ms == INT64_MAX) {
        kin__timer_clear(recorder->loop, &recorder->timer);
    } else {
        (void) !kin__timer_set(recorder->loop, &recorder->timer, due_ms, &err);
    }
}

static void serve_flushes(kin_recorder *recorder)
{
    kin__link *next;

    for (kin__link *link = kin__list_first(&recorder->flushes); link != NULL; link = next) {
        kin__recorder_flush *flush = KIN__OWNER(link, kin__recorder_flush, link);

        next = kin__list_next(&recorder->flushes, link);
        kin__mutex_lock(&recorder->lock);
        bool is_over = !kin__book_waits_for(&recorder->book, flush->ticket);
        kin__mutex_unlock(&recorder->lock);
        if (is_over) {
            finish_flush(flush, NULL);
        }
    }
}

/* Says what went wrong last: that is why. */
static void on_deadline(kin__timer *timer, void *context)
{
    kin__recorder_flush *flush = context;
    kin_recorder *recorder = flush->recorder;
    kin_error err;

    (void) timer;
    kin__mutex_lock(&recorder->lock);
    size_t waiting = recorder->book.waiting_count;
    err = recorder->status.error;
    kin__mutex_unlock(&recorder->lock);
    (void) kin__error_set(&err, KIN_ERR_TIMEOUT, "not within %lld ms: %zu wait%s%s",
                          (long long) flush->deadline_ms, waiting,
                          err.code != KIN_OK ? "; the last error: " : "", err.message);
    finish_flush(flush, &err);
}

/* When is_done is set, the flush may be gone. */
static void finish_flush(kin__recorder_flush *flush, const kin_error *err)
{
    kin_loop *loop = flush->recorder->loop;

    kin__list_remove(&flush->link);
    kin__timer_clear(loop, &flush->timer);
    flush->error = err != NULL ? *err : (kin_error){ .code = KIN_OK };
    atomic_store(&flush->is_done, true);
    kin__loop_wake_waiters(loop);
}

/* When is_closed is set, the recorder may be gone. */
static void finish_close(kin_recorder *recorder)
{
    kin_loop *loop = recorder->loop;

    if (recorder->is_left) {
        kin__recorder_release(recorder);
        return;
    }
    atomic_store(&recorder->is_closed, true);
    kin__loop_wake_waiters(loop);
}
