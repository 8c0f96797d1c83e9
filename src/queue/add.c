/* SPDX-License-Identifier: Apache-2.0 */
/*
 * add.c - putting keys into a work queue, now or later.
 */
#include "base/error.h"
#include "base/inside.h"
#include "base/options.h"
#include "queue/queue_state.h"

/* What is wanted, when the program says nothing. */
static const kin_queue_add_options plain = KIN_QUEUE_ADD_OPTIONS_INIT;

static kin_err read_options(const kin_queue *queue, kin_str key,
                            const kin_queue_add_options *options, kin_queue_add_options *out,
                            kin_error *err);
static kin_err add(kin_queue *queue, kin_str key, const kin_queue_add_options *options,
                   bool is_limited, kin_error *err);
static kin_err admit_locked(kin_queue *queue, kin_str key, int64_t room_timeout_ms,
                            kin__entry **out, kin_error *err) REQUIRES(queue->lock);
static kin_err await_room_locked(kin_queue *queue, int64_t until_ns, kin_error *err)
    REQUIRES(queue->lock);
static kin_err schedule_locked(kin_queue *queue, kin__entry *entry,
                               const kin_queue_add_options *options, int64_t delay_ms,
                               kin_error *err) REQUIRES(queue->lock);
static kin_err add_later_locked(kin_queue *queue, kin__entry *entry,
                                const kin_queue_add_options *options, int64_t due_ns,
                                kin_error *err) REQUIRES(queue->lock);
static void call_keeper_locked(kin_queue *queue) REQUIRES(queue->lock);
static kin_priority higher(kin_priority a, kin_priority b);

kin_err kin_queue_add(kin_queue *queue, kin_str key, const kin_queue_add_options *options,
                      kin_error *err)
{
    kin_error unwanted;
    return add(queue, key, options, false, kin__error_or(err, &unwanted));
}

kin_err kin_queue_add_limited(kin_queue *queue, kin_str key, const kin_queue_add_options *options,
                              kin_error *err)
{
    kin_error unwanted;
    return add(queue, key, options, true, kin__error_or(err, &unwanted));
}

kin_err kin_queue_add_notification(kin_queue *queue, const kin_notification *notification,
                                   kin_error *err)
{
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;

    if (notification->is_initial || notification->is_resync) {
        options.priority = KIN_PRIORITY_LOW;
    }
    return kin_queue_add(queue, notification->key, &options, err);
}

bool kin_queue_cancel(kin_queue *queue, kin_str key)
{
    kin__mutex_lock(&queue->lock);
    uint64_t hash = kin__entries_hash(&queue->entries, key);
    kin__entry *entry = kin__entries_find(&queue->entries, hash, key);
    bool is_later = entry != NULL && kin__heap_node_is_in(&entry->later);
    if (is_later) {
        kin__heap_remove(&queue->later, &entry->later);
        kin__queue_settle_locked(queue, entry, true);
        kin__queue_announce_locked(queue);
    }
    kin__mutex_unlock(&queue->lock);
    return is_later;
}

uint32_t kin_queue_failures(kin_queue *queue, kin_str key)
{
    kin__mutex_lock(&queue->lock);
    uint64_t hash = kin__entries_hash(&queue->entries, key);
    const kin__entry *entry = kin__entries_find(&queue->entries, hash, key);
    uint32_t failures = entry == NULL ? 0 : entry->failures;
    kin__mutex_unlock(&queue->lock);
    return failures;
}

void kin_queue_forget(kin_queue *queue, kin_str key)
{
    kin__mutex_lock(&queue->lock);
    uint64_t hash = kin__entries_hash(&queue->entries, key);
    kin__entry *entry = kin__entries_find(&queue->entries, hash, key);
    if (entry != NULL) {
        entry->failures = 0;
        kin__queue_settle_locked(queue, entry, kin__queue_is_held(entry));
    }
    kin__mutex_unlock(&queue->lock);
}

/* ---- for the other parts -------------------------------------------------------------------- */

void kin__queue_add_locked(kin_queue *queue, kin__entry *entry, kin_priority priority)
{
    bool is_waiting = kin__link_is_on(&entry->line);

    if (is_waiting || entry->is_again) {
        priority = higher(priority, entry->priority);
        if (is_waiting && priority > entry->priority) {
            kin__lines_remove(&queue->lines, &entry->line);
            kin__lines_push(&queue->lines, &entry->line, priority);
        }
        entry->priority = (int8_t) priority;
        return;
    }
    entry->priority = (int8_t) priority;
    if (queue->metrics.is_on) {
        entry->added_ns = kin__clock_now_ns(queue->clock);
        kin__queue_metrics_add(&queue->metrics);
    }
    if (entry->is_running) {
        entry->is_again = true;
        queue->again++;
    } else {
        kin__lines_push(&queue->lines, &entry->line, priority);
        kin__queue_wake_locked(queue);
    }
}

void kin__queue_promote_locked(kin_queue *queue)
{
    kin__heap_node *first = kin__heap_get_first(&queue->later);

    if (first == NULL) {
        return;
    }
    int64_t now_ns = kin__clock_now_ns(queue->clock);
    while (first != NULL && first->due <= now_ns) {
        kin__entry *entry = KIN__OWNER(first, kin__entry, later);
        (void) kin__heap_pop(&queue->later);
        kin__queue_add_locked(queue, entry, entry->later_priority);
        first = kin__heap_get_first(&queue->later);
    }
}

kin_err kin__queue_limit_locked(kin_queue *queue, kin__entry *entry,
                                const kin_queue_add_options *options, int64_t own_ms,
                                kin_error *err)
{
    int64_t now_ms = kin__clock_now_ms(queue->clock);
    int64_t delay_ms = kin__limiter_delay_ms(&queue->limiter, entry->failures, own_ms, now_ms);
    kin_err code = schedule_locked(queue, entry, options, delay_ms, err);

    if (code != KIN_OK) {
        kin__limiter_give_back(&queue->limiter);
        return code;
    }
    entry->failures += entry->failures < UINT32_MAX ? 1 : 0;
    return KIN_OK;
}

/* The function and its context never change. */
UNCHECKED_LOCKS int64_t kin__queue_own_delay_ms(kin_queue *queue, kin_str key)
{
    const kin_limiter *wish = &queue->limiter.wish;

    if (wish->delay_ms == NULL) {
        return 0;
    }
    return wish->delay_ms(wish->context, key, kin_queue_failures(queue, key));
}

/* ---- one addition --------------------------------------------------------------------------- */

static kin_err add(kin_queue *queue, kin_str key, const kin_queue_add_options *options,
                   bool is_limited, kin_error *err)
{
    kin_queue_add_options o = plain;
    kin_err code = read_options(queue, key, options, &o, err);
    if (code != KIN_OK) {
        return code;
    }
    int64_t own_ms = is_limited ? kin__queue_own_delay_ms(queue, key) : 0;

    kin__mutex_lock(&queue->lock);
    kin__entry *entry = NULL;
    code = admit_locked(queue, key, o.room_timeout_ms, &entry, err);
    if (code == KIN_OK) {
        bool was_held = kin__queue_is_held(entry);
        code = is_limited ? kin__queue_limit_locked(queue, entry, &o, own_ms, err)
                          : schedule_locked(queue, entry, &o, o.delay_ms, err);
        if (code == KIN_OK && (is_limited || o.delay_ms > 0)) {
            kin__queue_metrics_retry(&queue->metrics);
        }
        kin__queue_settle_locked(queue, entry, was_held);
        kin__queue_announce_locked(queue);
    }
    kin__mutex_unlock(&queue->lock);
    return code == KIN_OK ? KIN_OK : kin__error_prefix(err, "queue %s", queue->name);
}

static kin_err read_options(const kin_queue *queue, kin_str key,
                            const kin_queue_add_options *options, kin_queue_add_options *out,
                            kin_error *err)
{
    kin_err code = KIN_OK;

    if (options != NULL) {
        code = kin__options_read(out, sizeof *out, options, "kin_queue_add_options", err);
    }
    if (code == KIN_OK && (out->priority < KIN_PRIORITY_LOW || out->priority > KIN_PRIORITY_HIGH)) {
        code = kin__error_set(err, KIN_ERR_USAGE, "there is no priority %d", (int) out->priority);
    }
    if (code == KIN_OK && key.len > KIN__KEY_MAX) {
        code = kin__error_set(err, KIN_ERR_LIMIT, "a key of %zu bytes is too long", key.len);
    }
    return code == KIN_OK ? KIN_OK : kin__error_prefix(err, "queue %s", queue->name);
}

/* The entry of the key, which may be new and in no state yet. */
static kin_err admit_locked(kin_queue *queue, kin_str key, int64_t room_timeout_ms,
                            kin__entry **out, kin_error *err)
{
    uint64_t hash = kin__entries_hash(&queue->entries, key);
    int64_t until_ns = 0; /* no time to wait */
    kin__entry *entry;

    for (;;) {
        if (queue->is_shut_down) {
            return kin__error_set(err, KIN_ERR_CANCELLED, "it is shut down");
        }
        entry = kin__entries_find(&queue->entries, hash, key);
        if (queue->bound == 0 || queue->held < queue->bound ||
            (entry != NULL && kin__queue_is_held(entry))) {
            break;
        }
        if (room_timeout_ms != 0 && until_ns == 0) {
            until_ns = kin__queue_moment(queue, room_timeout_ms);
        }
        kin_err code = await_room_locked(queue, until_ns, err);
        if (code != KIN_OK) {
            return code;
        }
    }
    if (entry == NULL) {
        entry = kin__entries_add(&queue->entries, hash, key);
    }
    if (entry == NULL) {
        return kin__error_no_memory(err);
    }
    *out = entry;
    return KIN_OK;
}

static kin_err await_room_locked(kin_queue *queue, int64_t until_ns, kin_error *err)
{
    if (until_ns == 0 || (until_ns != KIN__NEVER && kin__clock_now_ns(queue->clock) >= until_ns)) {
        return kin__error_set(err, KIN_ERR_LIMIT, "it is full: %zu keys", queue->held);
    }
    if (kin__inside_is(KIN__INSIDE_LOOP) || kin__inside_is(KIN__INSIDE_CHANGE)) {
        return kin__error_set(err, KIN_ERR_USAGE, "it is full, and a loop must not wait for room");
    }
    queue->room_count++;
    kin__queue_wait_locked(queue, &queue->room, until_ns);
    queue->room_count--;
    return KIN_OK;
}

/* `delay_ms` from now, or at once. */
static kin_err schedule_locked(kin_queue *queue, kin__entry *entry,
                               const kin_queue_add_options *options, int64_t delay_ms,
                               kin_error *err)
{
    if (delay_ms > 0) {
        int64_t due_ns = kin__queue_moment(queue, delay_ms);
        return add_later_locked(queue, entry, options, due_ns, err);
    }
    if (options->replaces_later && kin__heap_node_is_in(&entry->later)) {
        kin__heap_remove(&queue->later, &entry->later);
    }
    kin__queue_add_locked(queue, entry, options->priority);
    return KIN_OK;
}

static kin_err add_later_locked(kin_queue *queue, kin__entry *entry,
                                const kin_queue_add_options *options, int64_t due_ns,
                                kin_error *err)
{
    bool was_later = kin__heap_node_is_in(&entry->later);
    bool is_merged = was_later && !options->replaces_later;

    if (!was_later) {
        kin_err code = kin__heap_push(&queue->later, &entry->later, due_ns, err);
        if (code != KIN_OK) {
            return code;
        }
    } else if (!is_merged || due_ns < entry->later.due) {
        kin__heap_move(&queue->later, &entry->later, due_ns);
    }
    entry->later_priority =
        (int8_t) (is_merged ? higher(options->priority, entry->later_priority) : options->priority);
    if (kin__heap_get_first(&queue->later) == &entry->later) {
        call_keeper_locked(queue);
    }
    return KIN_OK;
}

/* Another key is due first now: whoever waits for that one has to wait for this. */
static void call_keeper_locked(kin_queue *queue)
{
    if (queue->has_keeper) {
        kin__cond_signal(&queue->keeper);
    } else if (queue->ready_count > 0) {
        kin__cond_signal(&queue->ready);
    }
}

static kin_priority higher(kin_priority a, kin_priority b)
{
    return a > b ? a : b;
}
