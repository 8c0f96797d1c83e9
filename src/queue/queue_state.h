/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue/queue_state.h - the inside of a work queue, for the sources that are one.
 *
 * A key is in any of these states, or in several:
 *     waiting  in a line
 *     running  with a worker; then never waiting, but perhaps "again"
 *     later    in the heap
 * A key in none of them is still known while it has failures, and else has no entry.
 *
 * Who waits, and for what
 *     ready    takers, for a key
 *     keeper   one of the takers, for the key that is due first
 *     room     those who add to a queue that is full
 *     idle     those who drain
 */
#ifndef KIN_QUEUE_QUEUE_STATE_H
#define KIN_QUEUE_QUEUE_STATE_H

#include "base/lock.h"
#include "queue/alarm.h"
#include "queue/entries.h"
#include "queue/limiter.h"
#include "queue/lines.h"
#include "queue/queue.h"
#include "queue/queue_metrics.h"
#include "queue/tickets.h"

struct kin_queue {
    const kin__clock *clock;
    char *name; /* owned */
    size_t bound;
    kin__refresher refresher;

    kin__mutex lock;
    kin__entries entries GUARDED_BY(lock);
    kin__lines lines GUARDED_BY(lock);
    kin__heap later GUARDED_BY(lock);
    kin__tickets tickets GUARDED_BY(lock);
    kin__limiter limiter GUARDED_BY(lock);
    kin__queue_metrics metrics GUARDED_BY(lock);
    kin__alarm alarm GUARDED_BY(lock);
    size_t held GUARDED_BY(lock);  /* entries in any state */
    size_t again GUARDED_BY(lock); /* those that are running, and again */
    uint64_t taken GUARDED_BY(lock);
    bool is_shut_down GUARDED_BY(lock);
    bool is_dropped GUARDED_BY(lock); /* by kin_queue_shut_down_now() */

    kin__cond ready;
    kin__cond keeper;
    kin__cond room;
    kin__cond idle;
    size_t ready_count GUARDED_BY(lock); /* of those who wait */
    size_t room_count GUARDED_BY(lock);
    size_t idle_count GUARDED_BY(lock);
    bool has_keeper GUARDED_BY(lock);
};

struct kin_worker {
    kin_queue *queue; /* borrowed */
    bool is_stopped GUARDED_BY(queue->lock);
};

#define KIN__NEVER INT64_MAX

/* The moment `ms` from now, in nanoseconds of the queue's clock; KIN__NEVER where that is too far.
 */
int64_t kin__queue_moment(const kin_queue *queue, int64_t ms);

/* Waits for `cond` until then, or earlier for no reason. */
void kin__queue_wait_locked(kin_queue *queue, kin__cond *cond, int64_t until_ns)
    REQUIRES(queue->lock);

bool kin__queue_is_held(const kin__entry *entry);

/* The key comes as soon as it can. */
void kin__queue_add_locked(kin_queue *queue, kin__entry *entry, kin_priority priority)
    REQUIRES(queue->lock);

/* What is due comes. */
void kin__queue_promote_locked(kin_queue *queue) REQUIRES(queue->lock);

/* Counts the failure; the key comes when the limiter says so.  Fails with NO_MEMORY. */
kin_err kin__queue_limit_locked(kin_queue *queue, kin__entry *entry,
                                const kin_queue_add_options *options, int64_t own_ms,
                                kin_error *err) REQUIRES(queue->lock) KIN_MUST_CHECK;

/* What the program's function says; 0 when there is none. */
int64_t kin__queue_own_delay_ms(kin_queue *queue, kin_str key) EXCLUDES(queue->lock);

/* Something has changed with the entry, which was in a state before or not; releases it when there
 * is nothing left to know of it. */
void kin__queue_settle_locked(kin_queue *queue, kin__entry *entry, bool was_held)
    REQUIRES(queue->lock);

/* Wakes a taker for a key that waits. */
void kin__queue_wake_locked(kin_queue *queue) REQUIRES(queue->lock);

/* The last thing before unlocking, after any change: tells those whom no single key concerns. */
void kin__queue_announce_locked(kin_queue *queue) REQUIRES(queue->lock);

/* Shut down, and nothing will come any more. */
bool kin__queue_is_over_locked(const kin_queue *queue) REQUIRES(queue->lock);

#endif /* KIN_QUEUE_QUEUE_STATE_H */
