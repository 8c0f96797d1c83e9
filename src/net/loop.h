/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/loop.h - what the layers above put on a loop: descriptors, timers, jobs, and waiting.
 *
 * Everything here is called on the loop (from a callback of it, or a posted job), unless it says
 * otherwise.  Nothing allocates: what a caller puts on the loop lies inside the caller's own
 * structs, all zero when it is not on it.
 */
#ifndef KIN_NET_LOOP_H
#define KIN_NET_LOOP_H

#include <stdatomic.h>

#include "base/clock.h"
#include "base/heap.h"
#include "kin/loop.h"

/* With a clock of the caller's, borrowed for the loop's life.  On one that is not the system's a
 * round fires what is due by it, and the passing of real time wakes nobody. */
kin_err kin__loop_new_with_clock(const kin_loop_options *options, const kin__clock *clock,
                                 kin_loop **out, kin_error *err) KIN_MUST_CHECK;

const kin__clock *kin__loop_clock(const kin_loop *loop);  /* any thread */
const kin_logger *kin__loop_logger(const kin_loop *loop); /* any thread */
int64_t kin__loop_now_ms(const kin_loop *loop);           /* monotonic, read once a round */
bool kin__loop_is_forked(const kin_loop *loop);           /* any thread: true in a child */

/* A timer.  Set, moved and cleared at any time, also by its own function; fires once.  Those that
 * are due at the same time fire in the order they were set. */
typedef struct kin__timer {
    kin__heap_node node; /* first; node.due: when it fires */
    void (*fire)(struct kin__timer *timer, void *context);
    void *context;
} kin__timer;

/* `due_ms` on the clock of kin__loop_now_ms(); what lies in the past fires in the next round.  The
 * caller has set `fire` and `context`.  Fails with NO_MEMORY, which moving one that is set never
 * does; with USAGE in a forked child. */
kin_err kin__timer_set(kin_loop *loop, kin__timer *timer, int64_t due_ms,
                       kin_error *err) KIN_MUST_CHECK;
void kin__timer_clear(kin_loop *loop, kin__timer *timer);

static inline bool kin__timer_is_set(const kin__timer *timer)
{
    return kin__heap_node_is_in(&timer->node);
}

enum {
    KIN__READABLE = 1,
    KIN__WRITABLE = 2,
    KIN__BROKEN = 4 /* told, never asked for: an error or the other side is gone */
};

/* A descriptor to wait for, level-triggered. */
typedef struct kin__watched {
    void (*ready)(struct kin__watched *watched, unsigned what, void *context);
    void *context;
    int fd;
    unsigned wanted; /* 0: not on the loop */
} kin__watched;

/* Waits for `wanted`; 0 takes it off, which never fails.  Once off, `ready` is not called any more,
 * also not for what was seen in this round.  A descriptor is taken off before it is closed.  Fails
 * with SYSTEM; with USAGE in a forked child. */
kin_err kin__watch(kin_loop *loop, kin__watched *watched, unsigned wanted,
                   kin_error *err) KIN_MUST_CHECK;

/* Takes off one whose descriptor was closed too early.  Its number may be another one's by now, and
 * is left alone. */
void kin__watch_forget(kin_loop *loop, kin__watched *watched);

/* A call from another thread that cannot fail, because its memory is there already.  At most once
 * in the queue: posting one that waits does nothing.  From any thread, in a forked child without
 * effect. */
typedef struct kin__job {
    void (*run)(struct kin__job *job, void *context);
    void *context;
    /* Private, guarded by the loop's lock. */
    struct kin__job *next;
    struct kin__job *previous;
    uint64_t order;
    bool is_waiting;
} kin__job;

void kin__loop_post_job(kin_loop *loop, kin__job *job);

/* Takes it back; true when it had not begun.  On the loop, or where it cannot be running. */
bool kin__loop_cancel_job(kin_loop *loop, kin__job *job);

/* Whether this thread may wait for the loop.  Fails with USAGE on this or any loop, while it
 * changes a store (the loop may wait for that), and in a forked child.  Asked before anything is
 * posted that would be waited for. */
kin_err kin__loop_check_wait(const kin_loop *loop, kin_error *err) KIN_MUST_CHECK;

/*
 * Waits on any thread but the loop's own until `*done` is true, which a callback on the loop makes
 * so and then calls kin__loop_wake_waiters().  Where nobody runs the loop, this thread does.
 * Fails as kin__loop_check_wait(); with SYSTEM when there is no waiting any more (the program
 * closed our descriptors).
 */
kin_err kin__loop_wait(kin_loop *loop, const _Atomic bool *done, kin_error *err) KIN_MUST_CHECK;
void kin__loop_wake_waiters(kin_loop *loop);

/* For who will yet need it when the program may have freed it: a loop that is held is freed by the
 * last who lets go of it, on another thread than the loop's.  Any thread. */
void kin__loop_hold(kin_loop *loop);
void kin__loop_let_go(kin_loop *loop);

#endif /* KIN_NET_LOOP_H */
