/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ending.c - shutting a work queue down, at once or when all is done.
 */
#include "base/error.h"
#include "base/inside.h"
#include "queue/queue_state.h"

static void shut_down_locked(kin_queue *queue) REQUIRES(queue->lock);
static void drop_later_locked(kin_queue *queue) REQUIRES(queue->lock);
static void drop_waiting_locked(kin_queue *queue) REQUIRES(queue->lock);
static kin_err await_idle_locked(kin_queue *queue, int64_t timeout_ms, kin_error *err)
    REQUIRES(queue->lock);

void kin_queue_shut_down(kin_queue *queue)
{
    kin__mutex_lock(&queue->lock);
    shut_down_locked(queue);
    kin__mutex_unlock(&queue->lock);
}

void kin_queue_shut_down_now(kin_queue *queue)
{
    kin__mutex_lock(&queue->lock);
    queue->is_dropped = true;
    drop_waiting_locked(queue);
    shut_down_locked(queue);
    kin__mutex_unlock(&queue->lock);
}

kin_err kin_queue_drain(kin_queue *queue, int64_t timeout_ms, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);

    kin__mutex_lock(&queue->lock);
    shut_down_locked(queue);
    queue->idle_count++;
    kin_err code = await_idle_locked(queue, timeout_ms, err);
    queue->idle_count--;
    kin__mutex_unlock(&queue->lock);
    return code == KIN_OK ? KIN_OK : kin__error_prefix(err, "queue %s: drain", queue->name);
}

/* A second time it finds nothing to drop, and tells again what is known. */
static void shut_down_locked(kin_queue *queue)
{
    queue->is_shut_down = true;
    drop_later_locked(queue);
    kin__cond_broadcast(&queue->room);
    kin__queue_announce_locked(queue);
}

static void drop_later_locked(kin_queue *queue)
{
    for (kin__heap_node *first; (first = kin__heap_pop(&queue->later)) != NULL;) {
        kin__queue_settle_locked(queue, KIN__OWNER(first, kin__entry, later), true);
    }
}

static void drop_waiting_locked(kin_queue *queue)
{
    for (kin__link *link; (link = kin__lines_pop(&queue->lines)) != NULL;) {
        kin__queue_metrics_drop(&queue->metrics);
        kin__queue_settle_locked(queue, KIN__OWNER(link, kin__entry, line), true);
    }
    for (size_t i = 0; i < queue->tickets.capacity; i++) {
        kin__entry *entry = queue->tickets.seats[i].entry;
        if (entry != NULL && entry->is_again) {
            entry->is_again = false;
            queue->again--;
            kin__queue_metrics_drop(&queue->metrics);
        }
    }
}

static kin_err await_idle_locked(kin_queue *queue, int64_t timeout_ms, kin_error *err)
{
    int64_t until_ns = kin__queue_moment(queue, timeout_ms);
    bool was_dropped = queue->is_dropped;

    for (;;) {
        if (queue->is_dropped && !was_dropped) {
            return kin__error_set(err, KIN_ERR_CANCELLED, "what waited was dropped");
        }
        if (queue->lines.count == 0 && queue->tickets.count == 0) {
            return KIN_OK;
        }
        if (kin__clock_now_ns(queue->clock) >= until_ns) {
            return kin__error_set(err, KIN_ERR_TIMEOUT, "%zu keys wait, workers have %zu",
                                  queue->lines.count, queue->tickets.count);
        }
        if (kin__inside_is_any()) {
            return kin__error_set(err, KIN_ERR_USAGE, "a handler or loop must not wait for it");
        }
        kin__queue_wait_locked(queue, &queue->idle, until_ns);
    }
}
