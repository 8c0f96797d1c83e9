/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c - the threads that have keys reconciled.
 *
 * A key that may not begin is given back: to the queue while the gate is closed, to what was
 * written (written.h) while that has not come back.  No worker waits for either.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/inside.h"
#include "base/log.h"
#include "base/str.h"
#include "controller/reconcile.h"
#include "controller/runtime.h"
#include "kin/key.h"

#define CLOSED_MS                                                                                  \
    1000 /* how often one looks at a leader that leads no more, and has yet to say so */

/* Whether a key may begin. */
typedef enum verdict {
    BEGIN,
    CLOSED, /* later, when the gate is open */
    PARKED, /* when what was written has come back */
    STALE   /* the same; but it has not, for too long, and that is to be told */
} verdict;

static void work(void *context);
static bool await_gate(kin_controller *controller);
static void serve(kin_controller *controller, kin_queue_item *item);
static verdict judge_locked(kin_controller *controller, const kin_queue_item *item, kin_error *err)
    REQUIRES(controller->lock);
static void describe_debt_locked(const kin_controller *controller, const kin__debt *debt,
                                 kin_error *err) REQUIRES(controller->lock);
static void give_back(kin_controller *controller, kin_queue_item *item);
static void reconcile(kin_controller *controller, kin_queue_item *item);
static void begin(kin_reconcile *r, kin_controller *controller, const kin_queue_item *item);
static void count(kin_reconcile *r, kin_err code, const kin_error *err, int64_t took_ns);
static void succeed(kin_reconcile *r, kin_queue_item *item);
static void fail(kin_controller *controller, kin_queue_item *item, const kin_error *err);
static void wait_on(kin_controller *controller, kin_queue_item *item, const kin_error *err);
static void tell_trouble(kin_controller *controller, const kin_queue_item *item,
                         const kin_error *err, int64_t retry_ms);
static void end(kin_reconcile *r);

kin_err kin__runtime_start_workers(kin_controller *controller, kin_error *err)
{
    size_t count = controller->options.workers;
    char name[KIN__THREAD_NAME_MAX + 1] = { 0 };

    (void) strncpy(name, controller->options.name, sizeof name - 1);
    controller->threads = kin__alloc_zero(count, sizeof *controller->threads);
    if (controller->threads == NULL) {
        return kin__error_no_memory(err);
    }
    while (controller->thread_count < count) {
        if (kin__thread_start(&controller->threads[controller->thread_count], name, work,
                              controller, err) != KIN_OK) {
            return err->code;
        }
        controller->thread_count++;
    }
    return KIN_OK;
}

void kin__runtime_join_workers(kin_controller *controller)
{
    while (controller->thread_count > 0) {
        kin__thread_join(&controller->threads[--controller->thread_count]);
    }
    kin__free(controller->threads);
    controller->threads = NULL;
}

static void work(void *context)
{
    kin_controller *controller = context;
    kin_queue_item item;
    kin_error err;

    while (await_gate(controller)) {
        kin_err code = kin_queue_take(controller->queue, NULL, -1, &item, &err);
        if (code == KIN_OK) {
            serve(controller, &item);
        } else if (code == KIN_ERR_CANCELLED || !kin__runtime_rest(controller)) {
            return;
        }
    }
}

/* False: it is to stop. */
static bool await_gate(kin_controller *controller)
{
    kin__mutex_lock(&controller->lock);
    while (!controller->is_stopping && !kin__runtime_is_open_locked(controller)) {
        bool is_in_doubt = controller->is_synced && controller->is_seated;
        kin__runtime_wait_locked(
            controller, is_in_doubt ? kin__runtime_moment(controller, CLOSED_MS) : INT64_MAX);
    }
    bool goes_on = !controller->is_stopping;
    kin__mutex_unlock(&controller->lock);
    return goes_on;
}

static void serve(kin_controller *controller, kin_queue_item *item)
{
    kin_error err;

    kin__mutex_lock(&controller->lock);
    verdict found = judge_locked(controller, item, &err);
    if (found == BEGIN || found == STALE) {
        controller->active++;
    }
    kin__mutex_unlock(&controller->lock);

    kin__inside_enter(KIN__INSIDE_RECONCILE);
    switch (found) {
    case BEGIN:
        reconcile(controller, item);
        break;
    case CLOSED:
        give_back(controller, item);
        break;
    case PARKED:
        kin_queue_done(controller->queue, item);
        kin__runtime_wake(controller);
        break;
    case STALE:
        wait_on(controller, item, &err);
        break;
    }
    kin__inside_leave(KIN__INSIDE_RECONCILE);

    kin__mutex_lock(&controller->lock);
    if (found == BEGIN || found == STALE) {
        controller->active--;
    }
    kin__runtime_announce_locked(controller);
    kin__mutex_unlock(&controller->lock);
}

/* ---- before it ------------------------------------------------------------------------------ */

/* Parked with the lock held, and the key is still the worker's: a turn that wakes it meanwhile adds
 * it to the queue, and it comes again when the worker is done with it. */
static verdict judge_locked(kin_controller *controller, const kin_queue_item *item, kin_error *err)
{
    int64_t now_ms = kin__runtime_now_ms(controller);
    kin__debt *debt = kin__written_find(&controller->written, item->key);

    if (!kin__runtime_is_open_locked(controller)) {
        return CLOSED;
    }
    if (debt != NULL) {
        debt = kin__written_look_for(&controller->written, debt);
    }
    if (debt != NULL && debt->count == 0) {
        kin__written_unpark(&controller->written, debt);
        debt = NULL;
    }
    if (debt == NULL) {
        return BEGIN;
    }
    if (now_ms < debt->until_ms) {
        kin__written_park(&controller->written, debt, item->priority);
        return PARKED;
    }
    describe_debt_locked(controller, debt, err);
    kin__written_park(&controller->written, debt, item->priority);
    debt->until_ms = kin__runtime_moment(controller, controller->options.write_wait_ms);
    controller->counts.stale++;
    controller->counts.failed++;
    kin__kept_error_set(&controller->error, err);
    return STALE;
}

static void describe_debt_locked(const kin_controller *controller, const kin__debt *debt,
                                 kin_error *err)
{
    kin_str key = STR("");
    kin_str version = STR("");
    const kin__runtime_watch *watch = NULL;

    for (kin__link *link = kin__list_first(&controller->watches); link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        watch = KIN__OWNER(link, kin__runtime_watch, link);
        if (kin__written_missing(&watch->written, debt, &key, &version)) {
            break;
        }
    }
    (void) kin__error_set(
        err, KIN_ERR_TIMEOUT,
        "what was written has not come back within %u ms: informer \"%s\" lacks "
        "%.*s%s%.*s",
        controller->options.write_wait_ms, watch == NULL ? "" : kin__informer_name(watch->informer),
        KIN_STR_ARG(key), version.len == 0 ? "" : " in version ", KIN_STR_ARG(version));
}

/* Needs no memory: the key is the worker's. */
static void give_back(kin_controller *controller, kin_queue_item *item)
{
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;

    options.priority = item->priority;
    (void) !kin_queue_add(controller->queue, item->key, &options, NULL);
    kin_queue_done(controller->queue, item);
}

/* ---- it, and after it ----------------------------------------------------------------------- */

static void reconcile(kin_controller *controller, kin_queue_item *item)
{
    const kin_controller_options *options = &controller->options;
    int64_t from_ns = kin__clock_now_ns(controller->clock);
    kin_reconcile r;
    kin_error err;

    begin(&r, controller, item);
    kin__runtime_metrics_begin(&controller->metrics);
    (void) kin__error_set(&err, KIN_ERR_USAGE, "the reconcile does not say why it failed");
    kin_err code = options->reconcile(options->context, &r, &err);
    int64_t took_ns = kin__clock_now_ns(controller->clock) - from_ns;
    kin__runtime_metrics_end(&controller->metrics, took_ns);
    err.code = code;
    end(&r);
    count(&r, code, &err, took_ns);
    if (code == KIN_OK) {
        succeed(&r, item);
    } else {
        fail(controller, item, &err);
    }
}

static void begin(kin_reconcile *r, kin_controller *controller, const kin_queue_item *item)
{
    uint32_t deadline_ms = controller->options.deadline_ms;

    *r = (kin_reconcile){
        .controller = controller,
        .item = item,
        .deadline_at_ms =
            deadline_ms == 0 ? INT64_MAX : kin__runtime_moment(controller, deadline_ms),
        .again_at_ms = INT64_MAX,
    };
    if (kin_key_split(item->key, &r->ns, &r->name, NULL) != KIN_OK) {
        r->ns = STR("");
        r->name = item->key;
    }
    kin__mutex_lock(&controller->lock);
    kin__list_push(&controller->running, &r->link);
    kin__mutex_unlock(&controller->lock);
}

static void end(kin_reconcile *r)
{
    kin_controller *controller = r->controller;

    kin__mutex_lock(&controller->lock);
    kin__list_remove(&r->link);
    kin__mutex_unlock(&controller->lock);
    r->object = kin_object_unref(r->object);
}

static void count(kin_reconcile *r, kin_err code, const kin_error *err, int64_t took_ns)
{
    kin_controller *controller = r->controller;
    kin__runtime_counts *counts = &controller->counts;
    uint64_t took_us = took_ns < 0 ? 0 : (uint64_t) took_ns / 1000;

    kin__mutex_lock(&controller->lock);
    counts->longest_us = took_us > counts->longest_us ? took_us : counts->longest_us;
    counts->overdue += kin__runtime_now_ms(controller) >= r->deadline_at_ms;
    if (code == KIN_OK) {
        counts->succeeded++;
        counts->again += r->again_at_ms != INT64_MAX;
    } else {
        counts->failed++;
        counts->conflicts += code == KIN_ERR_CONFLICT;
        kin__kept_error_set(&controller->error, err);
    }
    kin__mutex_unlock(&controller->lock);
}

static void succeed(kin_reconcile *r, kin_queue_item *item)
{
    kin_controller *controller = r->controller;
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;
    kin__runtime_result result = KIN__RESULT_SUCCESS;

    kin_queue_forget(controller->queue, item->key);
    if (r->again_at_ms != INT64_MAX) {
        options.priority = item->priority;
        options.delay_ms = r->again_at_ms - kin__runtime_now_ms(controller);
        result = options.delay_ms > 0 ? KIN__RESULT_REQUEUE_AFTER : KIN__RESULT_REQUEUE;
        if (kin_queue_add(controller->queue, item->key, &options, NULL) == KIN_ERR_NO_MEMORY) {
            give_back(controller, item); /* at once, then */
        }
    }
    kin__runtime_metrics_result(&controller->metrics, result);
    kin_queue_done(controller->queue, item);
}

static void fail(kin_controller *controller, kin_queue_item *item, const kin_error *err)
{
    tell_trouble(controller, item, err, kin__queue_fail(controller->queue, item));
    kin_queue_done(controller->queue, item);
}

/* It is the store that is late, not the reconcile that has failed: the limiter does not hear of it,
 * and the key, which is parked, comes as soon as the store has what was written. */
static void wait_on(kin_controller *controller, kin_queue_item *item, const kin_error *err)
{
    tell_trouble(controller, item, err, controller->options.write_wait_ms);
    kin_queue_done(controller->queue, item);
    kin__runtime_wake(controller);
}

static void tell_trouble(kin_controller *controller, const kin_queue_item *item,
                         const kin_error *err, int64_t retry_ms)
{
    const kin_controller_options *options = &controller->options;
    bool is_expected = err->code == KIN_ERR_CONFLICT || err->code == KIN_ERR_CANCELLED;
    kin_log_level level = is_expected ? KIN_LOG_DEBUG : KIN_LOG_WARNING;

    kin__runtime_metrics_result(&controller->metrics, KIN__RESULT_ERROR);
    if (retry_ms < 0) {
        kin__log(&controller->logger, level, "controller", "%s: reconcile %.*s: %s; it is to stop",
                 options->name, KIN_STR_ARG(item->key), err->message);
    } else {
        kin__log(&controller->logger, level, "controller",
                 "%s: reconcile %.*s: %s; again in %lld ms", options->name, KIN_STR_ARG(item->key),
                 err->message, (long long) retry_ms);
    }
    if (options->on_trouble != NULL) {
        options->on_trouble(options->context, item->key, err, retry_ms);
    }
}
