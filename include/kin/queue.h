/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/queue.h - the work queue: keys that wait for a worker.
 *
 * Handlers put in the keys of what has changed.  Workers take them out, look at how things are by
 * then, and do what is to be done.
 *
 *     static void changed(void *queue, const kin_notification *n)
 *     {
 *         if (kin_queue_add_notification(queue, n, &err) != KIN_OK) { ... }
 *     }
 *
 *     kin_queue_item item;
 *     while (kin_queue_take(queue, NULL, -1, &item, &err) == KIN_OK) {
 *         if (reconcile(item.key)) {
 *             kin_queue_forget(queue, item.key);               its failures
 *             kin_queue_done(queue, &item);
 *         } else {
 *             kin_queue_retry(queue, &item);                   again, and later each time
 *         }
 *     }
 *
 * What it promises
 *   - A key is in the queue once, however often it is added, and never with two workers.
 *   - Added while a worker has it, a key comes again once that worker is done with it.  No addition
 *     is lost: after each, the key is taken at least once.
 *   - Keys of one priority come in the order in which they were added.  Higher ones come first, and
 *     yet nothing starves: of any sixteen keys that are taken, at least one is of each priority
 *     that something waits at all the while.
 *   - A key that is to come later does not come earlier.  Of several such wishes the earliest
 *     counts, unless the program says that the last one does.
 *   - Memory is bounded if the program wants it so: `bound`.
 *   - The queue has no thread.  What is due is found by whoever waits in kin_queue_take(), or by
 *     the timer behind kin_queue_fd().
 *
 * Keys are any bytes, up to 65,535 of them, "namespace/name" for one; they are copied.
 *
 * Threading: thread-safe, but for kin_queue_free(), which is the last call with it.  No function
 * of the program is called with the queue locked.
 */
#ifndef KIN_QUEUE_H
#define KIN_QUEUE_H

#include "kin/common.h"
#include "kin/metrics.h"
#include "kin/registration.h"

KIN_BEGIN_DECLS

typedef struct kin_queue kin_queue;

/* ---- how long a key that failed waits ------------------------------------------------------- */

/*
 * When a key comes again that has failed `n` times before: after the longest of all that is given
 * here.  Zero means absent for every field; with nothing given, at once.
 */
typedef struct kin_limiter {
    size_t size; /* set by KIN_LIMITER_INIT */

    /* Of each key: base_ms doubled `n` times, but never more than max_ms. */
    int64_t base_ms;
    int64_t max_ms; /* 0: 1,000 s */

    /* Of each key: fast_ms while `n` is below fast_count, and slow_ms then. */
    int64_t fast_ms;
    int64_t slow_ms;
    uint32_t fast_count;

    /* Of all keys together: so many a second, and a burst of so many at once after a rest. */
    double rate;
    uint32_t burst; /* 0: 1 */

    /* The program's own: in milliseconds.  From any thread that adds; may be called for two keys at
     * once, and must not wait. */
    int64_t (*delay_ms)(void *context, kin_str key, uint32_t n);
    void *context; /* borrowed for the life of the queue */

    int64_t cap_ms; /* never longer than that, whatever the others say */
} kin_limiter;

#define KIN_LIMITER_INIT                                                                           \
    {                                                                                              \
        sizeof(kin_limiter), 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0                                    \
    }

/* ---- a queue -------------------------------------------------------------------------------- */

/* Zero means absent or the default for every field. */
typedef struct kin_queue_options {
    size_t size;                /* set by KIN_QUEUE_OPTIONS_INIT */
    const char *name;           /* for messages and metrics; copied; NULL: "queue" */
    const kin_limiter *limiter; /* copied; NULL: 5 ms doubled up to 1,000 s, and 10 a second with
                                 * bursts of 100, as client-go's controllers have it */
    size_t bound;               /* keys at most that wait, are to come later, or are with a worker;
                                 * 0: no bound */
    kin_metrics *metrics;       /* where to count: workqueue_... {name="..."}, as client-go's; must
                                 * be there for the call; NULL: nowhere */
} kin_queue_options;

#define KIN_QUEUE_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(kin_queue_options), NULL, NULL, 0, NULL                                             \
    }

/* `options` may be NULL.  `out` is owned by the caller; release with kin_queue_free().  Fails with
 * NO_MEMORY, USAGE (options or a limiter that are not initialised, or negative). */
KIN_API KIN_MUST_CHECK kin_err kin_queue_new(const kin_queue_options *options, kin_queue **out,
                                             kin_error *err);

/* Nobody is in another call with it or makes one afterwards, and its kin_workers are freed.  What
 * waits is dropped.  NULL is ignored. */
KIN_API void kin_queue_free(kin_queue *queue);

/* ---- putting keys in ------------------------------------------------------------------------ */

typedef enum kin_priority {
    KIN_PRIORITY_LOW = -1,   /* what was there before, and resyncs */
    KIN_PRIORITY_NORMAL = 0, /* what has changed */
    KIN_PRIORITY_HIGH = 1
} kin_priority;

/* Zero means absent or the default for every field. */
typedef struct kin_queue_add_options {
    size_t size; /* set by KIN_QUEUE_ADD_OPTIONS_INIT */
    /* A key that waits already is moved to a higher priority, behind those who wait there; never to
     * a lower one. */
    kin_priority priority;
    /* Later: so long from now; 0 or less: at once.  What waits already, or is with a worker, is not
     * held up by it: the key comes for both. */
    int64_t delay_ms;
    /* What this key was to come for later is forgotten: only this addition counts.  So one can put
     * a moment off, or have it at once instead.  Without it, the earliest moment counts. */
    bool replaces_later;
    /* How long to wait for room in a queue with a bound; 0: not at all; below 0: for ever. Workers
     * of the same queue must not wait here: they would wait for each other. */
    int64_t room_timeout_ms;
} kin_queue_add_options;

#define KIN_QUEUE_ADD_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(kin_queue_add_options), KIN_PRIORITY_NORMAL, 0, false, 0                            \
    }

/*
 * Adds a key; `options` may be NULL.  For a key that a worker has, to come at once, it needs no
 * memory and no room.
 *
 * Fails with CANCELLED (the queue is shut down), LIMIT (there is no room, or the key is too long),
 * NO_MEMORY, USAGE (options that are not initialised, no such priority; on a loop or in an index
 * function, when it would have to wait for room).  Then nothing has changed.
 */
KIN_API KIN_MUST_CHECK kin_err kin_queue_add(kin_queue *queue, kin_str key,
                                             const kin_queue_add_options *options, kin_error *err);

/* Adds a key that failed: counts the failure, and adds it after as long as the limiter says.
 * `delay_ms` of the options does not count.  Fails as kin_queue_add() does. */
KIN_API KIN_MUST_CHECK kin_err kin_queue_add_limited(kin_queue *queue, kin_str key,
                                                     const kin_queue_add_options *options,
                                                     kin_error *err);

/* Adds the key of what a handler is told: at a low priority what was there at the beginning and
 * what is only a resync, at the normal one what has changed.  Fails as kin_queue_add() does. */
KIN_API KIN_MUST_CHECK kin_err kin_queue_add_notification(kin_queue *queue,
                                                          const kin_notification *notification,
                                                          kin_error *err);

/* Takes back what a key was to come for later.  What waits already stays.  False: there was
 * nothing. */
KIN_API bool kin_queue_cancel(kin_queue *queue, kin_str key);

/* How often the key has failed since it was last forgotten; and that is forgotten.  A key with
 * failures takes memory until then. */
KIN_API uint32_t kin_queue_failures(kin_queue *queue, kin_str key);
KIN_API void kin_queue_forget(kin_queue *queue, kin_str key);

/* ---- taking keys out ------------------------------------------------------------------------ */

/* A key that a worker has.  May be copied; the layout is fixed for ever. */
typedef struct kin_queue_item {
    kin_str key;           /* borrowed until it is done */
    kin_priority priority; /* the highest of those it was added with */
    uint32_t failures;     /* kin_queue_failures() when it was taken */
    size_t place;          /* private */
    uint64_t ticket;       /* private */
} kin_queue_item;

/* One worker or several that can be stopped while others go on. */
typedef struct kin_worker kin_worker;

/* `out` is owned by the caller; release with kin_worker_free().  Fails with NO_MEMORY. */
KIN_API KIN_MUST_CHECK kin_err kin_worker_new(kin_queue *queue, kin_worker **out, kin_error *err);

/* Nobody is in kin_queue_take() with it.  NULL is ignored. */
KIN_API void kin_worker_free(kin_worker *worker);

/* From now on every kin_queue_take() with it fails with CANCELLED, those that wait too.  What it
 * has taken is not touched.  Thread-safe; does nothing the second time. */
KIN_API void kin_worker_stop(kin_worker *worker);

/*
 * Takes the next key.
 *
 * worker      borrowed; NULL: only the whole queue can be stopped
 * timeout_ms  how long to wait for one; 0: not at all; below 0: for ever
 * out         to be given back with kin_queue_done() or kin_queue_retry()
 *
 * Fails with TIMEOUT, CANCELLED (the worker is stopped; or the queue is shut down and nothing waits
 * any more), NO_MEMORY, USAGE (where it would have to wait: in a handler, on a loop).
 */
KIN_API KIN_MUST_CHECK kin_err kin_queue_take(kin_queue *queue, kin_worker *worker,
                                              int64_t timeout_ms, kin_queue_item *out,
                                              kin_error *err);

/* The worker is done with it.  If the key was added meanwhile it waits again now.  An item that was
 * given back before is ignored, copies of it too; `item` is empty afterwards. */
KIN_API void kin_queue_done(kin_queue *queue, kin_queue_item *item);

/* The worker has failed: kin_queue_add_limited() with the item's priority, and kin_queue_done().
 * Cannot fail: when there is no memory for later, the key waits again at once.  In a queue that is
 * shut down it is only done. */
KIN_API void kin_queue_retry(kin_queue *queue, kin_queue_item *item);

/* Readable while kin_queue_take() has something to say at once: a key, or that the queue is shut
 * down.  Also becomes so when a key is due.  Borrowed until the queue is freed; only for poll and
 * the like.  Fails with SYSTEM. */
KIN_API KIN_MUST_CHECK kin_err kin_queue_fd(kin_queue *queue, int *out, kin_error *err);

/* ---- ending it ------------------------------------------------------------------------------ */

/* From now on nothing can be added, and what was to come later is dropped.  What waits is still
 * taken; what was added while a worker has it comes again.  When that is over, kin_queue_take()
 * fails with CANCELLED.  Returns at once; does nothing the second time. */
KIN_API void kin_queue_shut_down(kin_queue *queue);

/* The same, and what waits is dropped too.  Ends kin_queue_drain() for those who are in it. */
KIN_API void kin_queue_shut_down_now(kin_queue *queue);

/*
 * kin_queue_shut_down(), and returns when nothing waits any more and no worker has a key.  Others
 * take them meanwhile: this does not.  `timeout_ms` below 0: for ever.
 *
 * Fails with TIMEOUT, CANCELLED (kin_queue_shut_down_now() meanwhile), USAGE (in a handler, on a
 * loop); the queue is shut down in any case.
 */
KIN_API KIN_MUST_CHECK kin_err kin_queue_drain(kin_queue *queue, int64_t timeout_ms,
                                               kin_error *err);

/* ---- how it fares --------------------------------------------------------------------------- */

/* Keys that could be taken now. */
KIN_API size_t kin_queue_length(kin_queue *queue);

typedef struct kin_queue_status {
    size_t size;                /* set by KIN_QUEUE_STATUS_INIT */
    bool is_shut_down;          /* nothing can be added */
    size_t waiting;             /* kin_queue_length() */
    size_t running;             /* keys that workers have ... */
    size_t added_again;         /* ... and of these, those that were added meanwhile */
    size_t later;               /* keys that are to come later; they may be among the others too */
    size_t held;                /* keys in any of these states: what `bound` is about */
    size_t remembered;          /* keys that are only there because they have failed */
    uint64_t taken;             /* keys that were taken, all together */
    int64_t longest_running_ms; /* how long the key that was taken first has been with its worker;
                                 * 0: none is */
} kin_queue_status;

#define KIN_QUEUE_STATUS_INIT                                                                      \
    {                                                                                              \
        sizeof(kin_queue_status), false, 0, 0, 0, 0, 0, 0, 0, 0                                    \
    }

/* Fails with USAGE when `out` is not initialised. */
KIN_API KIN_MUST_CHECK kin_err kin_queue_get_status(kin_queue *queue, kin_queue_status *out,
                                                    kin_error *err);

KIN_END_DECLS
#endif /* KIN_QUEUE_H */
