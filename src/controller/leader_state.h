/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/leader_state.h - what a leader is made of, for the files that are it.
 *
 * Three places.  The loop (leader_turn.c) drives the election and makes its calls.  The teller
 * (leader_teller.c), a thread of its own, calls the program's functions and the seats.  Any thread
 * (leader.c) asks, starts, stops and waits.
 */
#ifndef KIN_CONTROLLER_LEADER_STATE_H
#define KIN_CONTROLLER_LEADER_STATE_H

#include <stdatomic.h>

#include "base/lock.h"
#include "base/metrics.h"
#include "base/thread.h"
#include "controller/election.h"
#include "controller/leader.h"
#include "informer/caller.h"

/* What it stands on.  All borrowed until it is freed. */
typedef struct kin__leader_parts {
    kin_loop *loop;
    kin__caller caller;
    kin_logger logger;
    const char *ns; /* where the options name none */
    uint64_t seed;
} kin__leader_parts;

/* As last seen on the loop. */
typedef struct kin__leader_facts {
    kin__lease_holder holder;
    int64_t transitions;
    uint64_t renewals;
    uint64_t failures;
    kin_error error;
} kin__leader_facts;

struct kin_leader {
    kin__leader_parts parts;
    kin_leader_options options; /* its strings are these: */
    char *ns;
    char *name;
    char identity[KIN__LEASE_HOLDER_MAX + 1];
    const kin__clock *clock;
    kin_resource *leases;

    /* Until when it leads, and when what that rests on was sent, on the clock since boot; 0: it
     * does not, and nobody acts as if it did.  Written under the lock, read by anybody. */
    _Atomic int64_t leads_until_ns;
    _Atomic int64_t renewed_ns;

    kin__mutex lock;
    bool is_wanted GUARDED_BY(lock); /* it is to be a candidate */
    uint64_t life GUARDED_BY(lock);  /* how often it was stopped */
    kin__leader_facts facts GUARDED_BY(lock);
    kin__cond news;                 /* for the teller, and for who waits for it */
    uint64_t term GUARDED_BY(lock); /* that it leads in; 0: it does not */
    uint64_t told GUARDED_BY(lock); /* that functions were called for; 0: all know it has ended */
    kin__lease_holder told_holder GUARDED_BY(lock);
    kin__list seats GUARDED_BY(lock);
    kin__leader_seat *busy GUARDED_BY(lock); /* whose function runs */
    bool is_ending GUARDED_BY(lock);         /* the teller is to return */
    kin__thread teller;

    kin__gauge status_gauge;
    kin__counter slow_counter;
    kin__refresher refresher;
    int64_t status_shown; /* what this one has added to the gauge */

    /* On the loop. */
    kin__job turn_job;
    kin__timer timer;
    kin__election election;
    uint64_t obeyed;     /* the life in which the election was started */
    uint64_t ended;      /* all lives before this one have ended */
    kin_object *base;    /* the Lease as last read or written; NULL: none */
    kin_call *call;      /* under way; NULL: none */
    kin_error end_error; /* of letting go, in the last life that has ended */
    bool is_leaving;     /* it does nothing any more */
    bool was_leading;    /* what was logged and counted last */
    uint64_t failures_shown;
    uint64_t slow_shown;
    kin__list waits;
};

/* ---- making (leader_make.c) ------------------------------------------------------------------ */

kin_err kin__leader_make(const kin__leader_parts *parts, const kin_leader_options *options,
                         kin_leader **out, kin_error *err) KIN_MUST_CHECK;

/* Nothing of it is on the loop, and its teller has ended or was never begun. */
void kin__leader_release(kin_leader *leader);

/* ---- on the loop (leader_turn.c) ------------------------------------------------------------- */

void kin__leader_prepare(kin_leader *leader);

/* Asks for a turn; from any thread. */
void kin__leader_wake(kin_leader *leader);

typedef enum kin__leader_wait_kind {
    KIN__LEADER_WAIT_LEADING,
    KIN__LEADER_WAIT_STOPPED, /* the life that was stopped has ended */
    KIN__LEADER_WAIT_GONE     /* nothing of it is on the loop any more */
} kin__leader_wait_kind;

/* Lies on the stack of the thread that waits. */
typedef struct kin__leader_wait {
    kin__link link;
    kin__leader_wait_kind kind;
    kin_leader *leader;
    uint64_t life;
    int64_t deadline_ms; /* from the beginning; below 0: none */
    kin__job job;
    kin__timer timer;
    kin_error error;
    _Atomic bool is_done;
} kin__leader_wait;

/* Fails with TIMEOUT, CANCELLED, USAGE, NO_MEMORY; as letting go failed, for STOPPED. */
kin_err kin__leader_wait_for(kin_leader *leader, kin__leader_wait *wait,
                             kin_error *err) KIN_MUST_CHECK;
void kin__leader_serve_waits(kin_leader *leader);

/* ---- the teller (leader_teller.c) ------------------------------------------------------------ */

void kin__leader_tell(void *context); /* its thread */

/* Waits until it has told what there is to tell, and returned. */
void kin__leader_end_teller(kin_leader *leader);

/* Where the lock is wanted of what is const for the caller. */
static inline kin_leader *kin__leader_of(const kin_leader *leader)
{
    return (kin_leader *) (uintptr_t) leader;
}

#endif /* KIN_CONTROLLER_LEADER_STATE_H */
