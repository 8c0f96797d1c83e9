/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take.c - taking keys out of a work queue, and giving them back.
 *
 * No wake-up is lost: a key that comes to wait wakes one taker; a taker that has waited and leaves,
 * with a key or without, wakes the next one when there is more, or when nobody is left to watch for
 * what is due.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/inside.h"
#include "queue/queue_state.h"

#define NS_PER_MS 1000000

static kin_err await_key_locked(kin_queue *queue, const kin_worker *worker, int64_t timeout_ms,
                                kin_error *err) REQUIRES(queue->lock);
static bool is_ended_locked(const kin_queue *queue, const kin_worker *worker, kin_error *err)
    REQUIRES(queue->lock);
static void wait_locked(kin_queue *queue, int64_t until_ns) REQUIRES(queue->lock);
static void pass_on_locked(kin_queue *queue) REQUIRES(queue->lock);
static kin_err hand_out_locked(kin_queue *queue, kin_queue_item *out, kin_error *err)
    REQUIRES(queue->lock);
static bool is_out(kin_queue *queue, const kin_queue_item *item);
static void limit_locked(kin_queue *queue, kin__entry *entry, const kin_queue_add_options *options,
                         int64_t own_ms) REQUIRES(queue->lock);
static int64_t left_locked(const kin_queue *queue, const kin__entry *entry) REQUIRES(queue->lock);
static void finish_locked(kin_queue *queue, kin__seat *seat) REQUIRES(queue->lock);

kin_err kin_worker_new(kin_queue *queue, kin_worker **out, kin_error *err)
{
    kin_error unwanted;
    kin_worker *worker = kin__alloc_zero(1, sizeof *worker);

    if (worker == NULL) {
        return kin__error_no_memory(kin__error_or(err, &unwanted));
    }
    worker->queue = queue;
    *out = worker;
    return KIN_OK;
}

void kin_worker_free(kin_worker *worker)
{
    kin__free(worker);
}

void kin_worker_stop(kin_worker *worker)
{
    kin_queue *queue = worker->queue;

    kin__mutex_lock(&queue->lock);
    worker->is_stopped = true;
    kin__cond_broadcast(&queue->ready);
    kin__cond_broadcast(&queue->keeper);
    kin__mutex_unlock(&queue->lock);
}

kin_err kin_queue_take(kin_queue *queue, kin_worker *worker, int64_t timeout_ms,
                       kin_queue_item *out, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);

    kin__mutex_lock(&queue->lock);
    kin_err code = await_key_locked(queue, worker, timeout_ms, err);
    if (code == KIN_OK) {
        code = hand_out_locked(queue, out, err);
    }
    pass_on_locked(queue);
    kin__queue_announce_locked(queue);
    kin__mutex_unlock(&queue->lock);
    return code == KIN_OK ? KIN_OK : kin__error_prefix(err, "queue %s: take", queue->name);
}

void kin_queue_done(kin_queue *queue, kin_queue_item *item)
{
    kin__mutex_lock(&queue->lock);
    kin__seat *seat = kin__tickets_find(&queue->tickets, item);
    if (seat != NULL) {
        finish_locked(queue, seat);
        kin__queue_announce_locked(queue);
    }
    kin__mutex_unlock(&queue->lock);
    *item = (kin_queue_item){ 0 };
}

void kin_queue_retry(kin_queue *queue, kin_queue_item *item)
{
    (void) kin__queue_fail(queue, item);
    kin_queue_done(queue, item);
}

int64_t kin__queue_fail(kin_queue *queue, const kin_queue_item *item)
{
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;
    options.priority = item->priority;
    int64_t own_ms = is_out(queue, item) ? kin__queue_own_delay_ms(queue, item->key) : 0;
    int64_t wait_ms = -1;

    kin__mutex_lock(&queue->lock);
    kin__seat *seat = kin__tickets_find(&queue->tickets, item);
    if (seat != NULL && !queue->is_shut_down) {
        limit_locked(queue, seat->entry, &options, own_ms);
        wait_ms = left_locked(queue, seat->entry);
        kin__queue_announce_locked(queue);
    }
    kin__mutex_unlock(&queue->lock);
    return wait_ms;
}

/* ---- taking --------------------------------------------------------------------------------- */

/* Returns with a key to be taken, or fails. */
static kin_err await_key_locked(kin_queue *queue, const kin_worker *worker, int64_t timeout_ms,
                                kin_error *err)
{
    int64_t until_ns = 0; /* not known yet */

    for (;;) {
        kin__queue_promote_locked(queue);
        if (is_ended_locked(queue, worker, err)) {
            return KIN_ERR_CANCELLED;
        }
        if (queue->lines.count > 0) {
            return KIN_OK;
        }
        if (timeout_ms == 0 || (until_ns != 0 && kin__clock_now_ns(queue->clock) >= until_ns)) {
            return kin__error_set(err, KIN_ERR_TIMEOUT, "nothing came");
        }
        if (kin__inside_is_any()) {
            return kin__error_set(err, KIN_ERR_USAGE, "a handler or loop must not wait for a key");
        }
        until_ns = until_ns == 0 ? kin__queue_moment(queue, timeout_ms) : until_ns;
        wait_locked(queue, until_ns);
    }
}

static bool is_ended_locked(const kin_queue *queue, const kin_worker *worker, kin_error *err)
{
    if (worker != NULL && worker->is_stopped) {
        (void) kin__error_set(err, KIN_ERR_CANCELLED, "the worker is stopped");
        return true;
    }
    if (kin__queue_is_over_locked(queue)) {
        (void) kin__error_set(err, KIN_ERR_CANCELLED, "it is shut down");
        return true;
    }
    return false;
}

/* As keeper for what is due first, when nobody is that already. */
static void wait_locked(kin_queue *queue, int64_t until_ns)
{
    const kin__heap_node *first = kin__heap_get_first(&queue->later);

    if (first != NULL && !queue->has_keeper) {
        queue->has_keeper = true;
        kin__queue_wait_locked(queue, &queue->keeper,
                               first->due < until_ns ? first->due : until_ns);
        queue->has_keeper = false;
    } else {
        queue->ready_count++;
        kin__queue_wait_locked(queue, &queue->ready, until_ns);
        queue->ready_count--;
    }
}

/* For the next taker, by one that leaves. */
static void pass_on_locked(kin_queue *queue)
{
    if (queue->lines.count > 0) {
        kin__queue_wake_locked(queue);
    } else if (queue->ready_count > 0 && !queue->has_keeper && queue->later.count > 0) {
        kin__cond_signal(&queue->ready);
    }
}

/* Something waits. */
static kin_err hand_out_locked(kin_queue *queue, kin_queue_item *out, kin_error *err)
{
    if (kin__tickets_reserve(&queue->tickets, err) != KIN_OK) {
        return KIN_ERR_NO_MEMORY;
    }
    int64_t now_ns = kin__clock_now_ns(queue->clock);
    kin__entry *entry = KIN__OWNER(kin__lines_pop(&queue->lines), kin__entry, line);
    kin_queue_item item = { .key = kin__entry_key(entry),
                            .priority = entry->priority,
                            .failures = entry->failures };

    entry->is_running = true;
    kin__tickets_give(&queue->tickets, entry, now_ns, &item);
    queue->taken++;
    if (queue->metrics.is_on) {
        kin__queue_metrics_take(&queue->metrics, now_ns - entry->added_ns);
    }
    *out = item;
    return KIN_OK;
}

/* ---- giving back ---------------------------------------------------------------------------- */

/* Else its key may be gone. */
static bool is_out(kin_queue *queue, const kin_queue_item *item)
{
    kin__mutex_lock(&queue->lock);
    bool is_found = kin__tickets_find(&queue->tickets, item) != NULL;
    kin__mutex_unlock(&queue->lock);
    return is_found;
}

/* Of a key that a worker has; at once, when there is no memory for later. */
static void limit_locked(kin_queue *queue, kin__entry *entry, const kin_queue_add_options *options,
                         int64_t own_ms)
{
    kin_error unwanted;

    if (kin__queue_limit_locked(queue, entry, options, own_ms, &unwanted) != KIN_OK) {
        kin__queue_add_locked(queue, entry, options->priority);
    }
    kin__queue_metrics_retry(&queue->metrics);
}

/* Until the key comes, rounded up. */
static int64_t left_locked(const kin_queue *queue, const kin__entry *entry)
{
    if (entry->is_again || !kin__heap_node_is_in(&entry->later)) {
        return 0;
    }
    int64_t left_ns = entry->later.due - kin__clock_now_ns(queue->clock);
    return left_ns <= 0 ? 0 : (left_ns - 1) / NS_PER_MS + 1;
}

static void finish_locked(kin_queue *queue, kin__seat *seat)
{
    kin__entry *entry = seat->entry;

    if (queue->metrics.is_on) {
        kin__queue_metrics_done(&queue->metrics, kin__clock_now_ns(queue->clock) - seat->since_ns);
    }
    kin__tickets_return(&queue->tickets, seat);
    entry->is_running = false;
    if (entry->is_again) {
        entry->is_again = false;
        queue->again--;
        kin__lines_push(&queue->lines, &entry->line, entry->priority);
        kin__queue_wake_locked(queue);
    }
    kin__queue_settle_locked(queue, entry, true);
}
