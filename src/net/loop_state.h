/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/loop_state.h - what is inside a loop, for the files that make it up.
 *
 *   loop.c   making, freeing, and who runs it
 *   round.c  one round: waiting, descriptors, timers
 *   jobs.c   calls from other threads
 *
 * One thread at a time runs the loop, and has taken it for that (loop.c).  What no lock guards is
 * that thread's alone.  No lock is held while a callback runs.
 */
#ifndef KIN_NET_LOOP_STATE_H
#define KIN_NET_LOOP_STATE_H

#include <sys/epoll.h>
#include <sys/types.h>

#include "base/lock.h"
#include "base/metrics.h"
#include "base/thread.h"
#include "net/guard.h"
#include "net/loop.h"

#define KIN__ROUND_EVENTS 64 /* descriptors served in one round at most; the others come next */

typedef enum kin__runner {
    KIN__RUN_BY_NOBODY,
    KIN__RUN_BY_THREAD,   /* kin_loop_start() */
    KIN__RUN_BY_DISPATCH, /* kin_loop_dispatch() */
    KIN__RUN_BY_GUARD,    /* kin__loop_stand_guard(), in place of the thread */
    KIN__RUN_BY_WAITER    /* kin__loop_wait(): gives way to the others */
} kin__runner;

struct kin_loop {
    /* Never change. */
    kin_logger logger;
    bool is_counting;             /* there is a registry, which is what this is in: */
    kin__histogram round_seconds; /* how long a round takes */
    const kin__clock *clock;
    bool has_real_clock;
    pid_t pid; /* whose the loop is: a child of a fork sees another one */
    int epoll_fd;
    int event_fd; /* readable: look at the jobs, or at who runs the loop */
    int timer_fd;

    /* Of the thread that runs the loop. */
    int64_t now_ms;
    kin__heap timers;
    int64_t armed_ms;                             /* what timer_fd is set to; INT64_MAX: nothing */
    struct epoll_event events[KIN__ROUND_EVENTS]; /* of this round; taken off: data.ptr is NULL */
    int event_count;

    /* Marks (kin__thread_mark), NULL: none.  Only compared with one's own, so they need no order.
     */
    _Atomic(const void *) inside;     /* of the thread that runs the loop */
    _Atomic(const void *) own_thread; /* of kin_loop_start()'s, wherever it is */

    kin__errand errand; /* what the loop's own thread does next; its `run` is NULL: nothing */

    kin__mutex lock;
    kin__cond changed; /* runner, has_thread, is_stopping, or what a waiter waits for */
    kin__runner runner GUARDED_BY(lock);
    uint32_t claims GUARDED_BY(lock); /* threads that want it from a waiter */
    bool has_thread GUARDED_BY(lock); /* started, and not joined yet */
    bool is_stopping GUARDED_BY(lock);
    bool is_joining GUARDED_BY(lock);
    size_t holders GUARDED_BY(lock); /* kin__loop_hold() */
    bool is_freed GUARDED_BY(lock);  /* by the program: the last holder frees it */
    kin__thread thread;              /* of whoever starts or joins it */

    /* Made for the first guard, before that -1; they stay. */
    int post_fd; /* where it waits */
    int call_fd; /* readable: it is to look up */
    bool is_guard_called GUARDED_BY(lock);
    bool has_guard GUARDED_BY(lock);
    bool is_dismissed GUARDED_BY(lock); /* the guard, or the next that comes */
    bool is_away GUARDED_BY(lock);      /* the loop's own thread, or it has an errand to go on */

    kin__job *first_job GUARDED_BY(lock);
    kin__job *last_job GUARDED_BY(lock);
    uint64_t next_order GUARDED_BY(lock);
    bool is_woken GUARDED_BY(lock); /* event_fd is readable */
};

/* ---- round.c ---- */

/* Puts event_fd and timer_fd into epoll_fd.  Fails with SYSTEM. */
kin_err kin__round_prepare(kin_loop *loop, kin_error *err) KIN_MUST_CHECK;

/* Waits up to `timeout_ms` (-1: without end; less when a signal came) and does what is due.  By the
 * thread that has taken the loop.  Fails with SYSTEM. */
kin_err kin__round_run(kin_loop *loop, int timeout_ms, kin_error *err) KIN_MUST_CHECK;

/* ---- jobs.c ---- */

/* Runs the jobs that wait, not those they post. */
void kin__jobs_run(kin_loop *loop);

/* Forgets the jobs that wait.  By whoever is alone with the loop. */
void kin__jobs_drop(kin_loop *loop);

/* Ends the waiting of this round, or of the next one. */
void kin__loop_wake_locked(kin_loop *loop) REQUIRES(loop->lock);

/* ---- guard.c ---- */

/* Does what the thread was sent for.  By the loop's own thread, between rounds. */
void kin__loop_run_errands(kin_loop *loop);

/* Has the guard look up: it is dismissed, or the loop ends. */
void kin__loop_call_guard_locked(kin_loop *loop) REQUIRES(loop->lock);

/* By whoever is alone with the loop. */
void kin__loop_close_post(kin_loop *loop);

/* Whether this is the loop's own thread, on the loop or away. */
bool kin__loop_is_own_thread(const kin_loop *loop);

/* ---- all ---- */

/* Who has taken a loop runs it; others are told when it is given back, not when it is put down by
 * its own thread, which leaves it to the guard. */
void kin__loop_take_locked(kin_loop *loop, kin__runner runner) REQUIRES(loop->lock);
void kin__loop_put_down_locked(kin_loop *loop) REQUIRES(loop->lock);
void kin__loop_give_back_locked(kin_loop *loop) REQUIRES(loop->lock);

/* An address that no other thread of the process has. */
const void *kin__thread_mark(void);

kin_err kin__loop_error_forked(kin_error *err);

#endif /* KIN_NET_LOOP_STATE_H */
