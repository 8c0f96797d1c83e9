/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - a work queue: made, looked at, and what its parts share.
 *
 * add.c puts keys in, take.c takes them out, ending.c ends it.
 */
#include "queue/queue.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "queue/queue_state.h"

#define NS_PER_MS 1000000

static kin_err prepare(kin_queue *queue, const kin_queue_options *options, kin_error *err);
static void refresh(void *context);
static void fill_in_locked(kin_queue *queue, kin_queue_status *status) REQUIRES(queue->lock);

kin_err kin_queue_new(const kin_queue_options *options, kin_queue **out, kin_error *err)
{
    kin_error unwanted;
    return kin__queue_new(options, kin__clock_real(), out, kin__error_or(err, &unwanted));
}

kin_err kin__queue_new(const kin_queue_options *options, const kin__clock *clock, kin_queue **out,
                       kin_error *err)
{
    kin_queue_options o;
    kin_err code = kin__options_read(&o, sizeof o, options, "kin_queue_options", err);

    if (code != KIN_OK) {
        return code;
    }
    AUTO(kin_queue_free) kin_queue *queue = kin__alloc_zero(1, sizeof *queue);
    if (queue == NULL) {
        return kin__error_no_memory(err);
    }
    queue->clock = clock;
    queue->bound = o.bound;
    kin__mutex_init(&queue->lock);
    kin__cond_init(&queue->ready);
    kin__cond_init(&queue->keeper);
    kin__cond_init(&queue->room);
    kin__cond_init(&queue->idle);
    o.name = o.name == NULL ? "queue" : o.name;
    if (prepare(queue, &o, err) != KIN_OK) {
        return kin__error_prefix(err, "queue %s", o.name);
    }
    *out = STEAL(queue);
    return KIN_OK;
}

UNCHECKED_LOCKS void kin_queue_free(kin_queue *queue)
{
    if (queue == NULL) {
        return;
    }
    kin__refresher_fini(&queue->refresher);
    kin__queue_metrics_fini(&queue->metrics);
    kin__alarm_close(&queue->alarm);
    kin__tickets_fini(&queue->tickets);
    kin__heap_fini(&queue->later);
    kin__entries_fini(&queue->entries);
    kin__cond_fini(&queue->idle);
    kin__cond_fini(&queue->room);
    kin__cond_fini(&queue->keeper);
    kin__cond_fini(&queue->ready);
    kin__mutex_fini(&queue->lock);
    kin__free(queue->name);
    kin__free(queue);
}

size_t kin_queue_length(kin_queue *queue)
{
    kin__mutex_lock(&queue->lock);
    kin__queue_promote_locked(queue);
    size_t count = queue->lines.count;
    kin__queue_announce_locked(queue);
    kin__mutex_unlock(&queue->lock);
    return count;
}

kin_err kin_queue_get_status(kin_queue *queue, kin_queue_status *out, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);
    kin_queue_status status;
    size_t their_size = out->size;
    kin_err code = kin__options_read(&status, sizeof status, out, "kin_queue_status", err);

    if (code != KIN_OK) {
        return code;
    }
    kin__mutex_lock(&queue->lock);
    kin__queue_promote_locked(queue);
    fill_in_locked(queue, &status);
    kin__queue_announce_locked(queue);
    kin__mutex_unlock(&queue->lock);
    status.size = their_size;
    memcpy(out, &status, their_size < sizeof status ? their_size : sizeof status);
    return KIN_OK;
}

kin_err kin_queue_fd(kin_queue *queue, int *out, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);

    kin__mutex_lock(&queue->lock);
    kin_err code = queue->alarm.is_open ? KIN_OK : kin__alarm_open(&queue->alarm, err);
    if (code == KIN_OK) {
        kin__queue_announce_locked(queue);
        *out = queue->alarm.fd;
    }
    kin__mutex_unlock(&queue->lock);
    return code == KIN_OK ? KIN_OK : kin__error_prefix(err, "queue %s", queue->name);
}

/* ---- what the parts share ------------------------------------------------------------------- */

int64_t kin__queue_moment(const kin_queue *queue, int64_t ms)
{
    int64_t ns;

    if (ms < 0 || __builtin_mul_overflow(ms, NS_PER_MS, &ns) ||
        __builtin_add_overflow(ns, kin__clock_now_ns(queue->clock), &ns)) {
        return KIN__NEVER;
    }
    return ns;
}

/* Rounded up: whoever wakes finds the moment to have come. */
void kin__queue_wait_locked(kin_queue *queue, kin__cond *cond, int64_t until_ns)
{
    if (until_ns == KIN__NEVER) {
        kin__cond_wait(cond, &queue->lock);
        return;
    }
    int64_t left_ns = until_ns - kin__clock_now_ns(queue->clock);
    int64_t real_ns = kin__clock_now_ns(kin__clock_real());
    int64_t deadline_ms = (left_ns / NS_PER_MS) + (real_ns / NS_PER_MS) +
                          (left_ns % NS_PER_MS + real_ns % NS_PER_MS + NS_PER_MS - 1) / NS_PER_MS;
    if (left_ns > 0) {
        (void) kin__cond_wait_until(cond, &queue->lock, deadline_ms);
    }
}

bool kin__queue_is_held(const kin__entry *entry)
{
    return kin__link_is_on(&entry->line) || entry->is_running ||
           kin__heap_node_is_in(&entry->later);
}

void kin__queue_settle_locked(kin_queue *queue, kin__entry *entry, bool was_held)
{
    bool is_held = kin__queue_is_held(entry);

    if (is_held && !was_held) {
        queue->held++;
    }
    if (!is_held && was_held) {
        queue->held--;
        if (queue->room_count > 0) {
            kin__cond_broadcast(&queue->room); /* who is woken may have given up */
        }
    }
    if (!is_held && entry->failures == 0) {
        kin__entries_remove(&queue->entries, entry);
    }
}

void kin__queue_wake_locked(kin_queue *queue)
{
    if (queue->ready_count > 0) {
        kin__cond_signal(&queue->ready);
    } else if (queue->has_keeper) {
        kin__cond_signal(&queue->keeper);
    }
}

void kin__queue_announce_locked(kin_queue *queue)
{
    if (queue->is_shut_down) {
        if (kin__queue_is_over_locked(queue)) {
            kin__cond_broadcast(&queue->ready);
            kin__cond_broadcast(&queue->keeper);
        }
        if (queue->idle_count > 0) {
            kin__cond_broadcast(&queue->idle);
        }
    }
    if (queue->alarm.is_open) {
        const kin__heap_node *first = kin__heap_get_first(&queue->later);
        bool is_now = queue->lines.count > 0 || kin__queue_is_over_locked(queue);
        int64_t at_ns = first == NULL ? KIN__ALARM_NEVER : first->due;
        kin__alarm_set(&queue->alarm, is_now ? KIN__ALARM_NOW : at_ns, queue->clock);
    }
}

bool kin__queue_is_over_locked(const kin_queue *queue)
{
    return queue->is_shut_down && queue->lines.count == 0 && queue->again == 0;
}

/* ---- by itself ------------------------------------------------------------------------------ */

UNCHECKED_LOCKS static kin_err prepare(kin_queue *queue, const kin_queue_options *options,
                                       kin_error *err)
{
    size_t bytes = strlen(options->name) + 1;
    queue->name = kin__alloc(bytes);
    if (queue->name == NULL) {
        return kin__error_no_memory(err);
    }
    memcpy(queue->name, options->name, bytes);
    kin_err code = kin__limiter_init(&queue->limiter, options->limiter, err);
    if (code == KIN_OK) {
        code = kin__entries_init(&queue->entries, err);
    }
    if (code == KIN_OK) {
        code = kin__queue_metrics_init(&queue->metrics, options->metrics, queue->name, err);
    }
    if (code == KIN_OK) {
        kin__refresher_init(&queue->refresher, options->metrics, refresh, queue);
    }
    return code;
}

static void refresh(void *context)
{
    kin_queue *queue = context;
    int64_t longest_ns;
    int64_t sum_ns;

    kin__mutex_lock(&queue->lock);
    kin__tickets_times(&queue->tickets, kin__clock_now_ns(queue->clock), &longest_ns, &sum_ns);
    kin__queue_metrics_times(&queue->metrics, sum_ns, longest_ns);
    kin__mutex_unlock(&queue->lock);
}

static void fill_in_locked(kin_queue *queue, kin_queue_status *status)
{
    int64_t longest_ns;
    int64_t sum_ns;

    kin__tickets_times(&queue->tickets, kin__clock_now_ns(queue->clock), &longest_ns, &sum_ns);
    status->is_shut_down = queue->is_shut_down;
    status->waiting = queue->lines.count;
    status->running = queue->tickets.count;
    status->added_again = queue->again;
    status->later = queue->later.count;
    status->held = queue->held;
    status->remembered = queue->entries.count - queue->held;
    status->taken = queue->taken;
    status->longest_running_ms = longest_ns / NS_PER_MS;
}
