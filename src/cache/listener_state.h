/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/listener_state.h - what a listener is made of, for the files that are the listener.
 *
 * `is_running` is the right to call the program's functions, and to touch the replay.  Whoever sets
 * it clears it, and settles what came up meanwhile.
 */
#ifndef KIN_CACHE_LISTENER_STATE_H
#define KIN_CACHE_LISTENER_STATE_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/lock.h"
#include "cache/listener.h"
#include "cache/pending.h"
#include "object/selector.h"

struct kin_registration {
    _Atomic size_t refs;
    pid_t pid;                        /* of the process that made it */
    kin_registration_options options; /* of its strings only the name, which is `name` */
    char *name;                       /* owned */
    kin_selector *labels;             /* owned; NULL: all */
    kin_field_selector *fields;       /* owned; NULL: all */
    kin__pool *pool;
    int fd; /* -1: none */
    kin__listener_seat seat;
    kin__pool_job job;      /* holds a reference while it is submitted or runs */
    _Atomic bool is_synced; /* set with the lock held; never cleared */

    kin__mutex lock;
    kin__cond changed;
    kin__listener_hooks hooks GUARDED_BY(lock);
    kin_registration_state state GUARDED_BY(lock);
    bool is_draining GUARDED_BY(lock);     /* stopped, and what is pending is told yet */
    bool is_running GUARDED_BY(lock);      /* see above */
    bool is_scheduled GUARDED_BY(lock);    /* the job is submitted, or runs */
    bool is_signalled GUARDED_BY(lock);    /* the descriptor is readable */
    bool is_store_synced GUARDED_BY(lock); /* nothing initial will be pushed any more */
    bool is_telling_initial GUARDED_BY(lock);
    bool owes_synced GUARDED_BY(lock); /* on_synced is due */
    bool owes_error GUARDED_BY(lock);  /* on_error is due */
    bool is_ended GUARDED_BY(lock);    /* on_end has been called, or is being called */
    kin__pending pending GUARDED_BY(lock);
    kin_snapshot *replay GUARDED_BY(lock); /* told before what is pending; owned; NULL: none */
    kin_view_iter replay_at GUARDED_BY(lock);
    size_t replay_left GUARDED_BY(lock);
    int64_t began_ns GUARDED_BY(lock); /* since when the replay waits */
    kin__listener_metrics metrics GUARDED_BY(lock);
};

/* Makes up to `max` calls, 0: all.  The caller has set `is_running`, which is still set afterwards.
 * Returns how many were made. */
size_t kin__listener_tell_locked(kin_registration *l, size_t max) REQUIRES(l->lock);

/* After a change: makes the last call if that is due, and sees to it that somebody runs the
 * listener if there is something to tell.  Lets go of the lock for the last call. */
void kin__listener_settle_locked(kin_registration *l) REQUIRES(l->lock);

/* True: the job is due and not submitted, which the caller is to do now, with the lock or without.
 */
bool kin__listener_claim_job_locked(kin_registration *l) REQUIRES(l->lock);

/* Ends it, if it has not ended yet; notes that are dropped go to `dropped`.  Then settle. */
void kin__listener_end_locked(kin_registration *l, kin_registration_state state, kin__list *dropped)
    REQUIRES(l->lock);

/* Why it has ended by itself; code OK: it has not. */
void kin__listener_explain_locked(const kin_registration *l, kin_error *out) REQUIRES(l->lock);

/* All that was there at the beginning may have been told by now. */
void kin__listener_check_synced_locked(kin_registration *l) REQUIRES(l->lock);

/* Drops the replay, unless somebody runs it: then they do. */
void kin__listener_drop_replay_locked(kin_registration *l) REQUIRES(l->lock);

/* How many notifications wait. */
size_t kin__listener_pending_locked(const kin_registration *l) REQUIRES(l->lock);

bool kin__listener_has_work_locked(const kin_registration *l) REQUIRES(l->lock);
bool kin__listener_is_blocking_locked(const kin_registration *l) REQUIRES(l->lock);
void kin__listener_wake_locked(const kin_registration *l) REQUIRES(l->lock);

/* It still tells what is pending. */
static inline bool kin__listener_is_telling_locked(const kin_registration *l) REQUIRES(l->lock);
static inline bool kin__listener_is_telling_locked(const kin_registration *l)
{
    return l->state == KIN_REGISTRATION_ACTIVE || l->is_draining;
}

/* What `n` becomes when the handler knows `before` (if it does), and may see the object (if so). */
bool kin__listener_narrow(kin_notification *n, bool knows_before, bool sees_object);

#endif /* KIN_CACHE_LISTENER_STATE_H */
