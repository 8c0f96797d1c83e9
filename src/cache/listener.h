/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/listener.h - one handler: what it has yet to be told, and who tells it.
 *
 * A listener is what the program sees as a kin_registration.  The processor gives it notes; it is
 * run by the pool, by the program (dispatch) or by the loop (inline), by one of them at a time.
 *
 * Counted: the program's handle, the processor and whoever runs it hold references.  So it may be
 * removed, and its informer freed, at any time and from any place.
 *
 * Threading: thread-safe.  No function of the program is called with a lock held.
 */
#ifndef KIN_CACHE_LISTENER_H
#define KIN_CACHE_LISTENER_H

#include "base/list.h"
#include "cache/listener_metrics.h"
#include "cache/pending.h"
#include "cache/pool.h"
#include "cache/resync.h"
#include "kin/registration.h"
#include "kin/store.h"

/* What a listener wants of those who made it, until it is detached.  Called with its lock held:
 * they must not call it back, nor wait. */
typedef struct kin__listener_hooks {
    /* Call kin__processor_run() on the loop soon.  From any thread.  NULL: not needed. */
    void (*wake)(void *context);
    /* True on the loop's thread.  NULL: never. */
    bool (*is_on_loop)(void *context);
    void *context;
} kin__listener_hooks;

/* The processor's own part of a listener, guarded by the processor's lock. */
typedef struct kin__listener_seat {
    kin__link link;
    kin_registration *listener; /* whose seat it is */
    kin__list staged;           /* notes that are not told before the batch is published */
    kin_snapshot *vacant;       /* what it will begin with, until there is something; owned */
    uint64_t joined_at;         /* the version of the store that it began with */
    uint64_t number;            /* in the order in which listeners have joined */
    kin__resync_entry resync;
} kin__listener_seat;

/*
 * `options` as the program gave them; `pool` is for KIN_DELIVERY_POOL, and must outlive the
 * listener's calls.  `out` has one reference.  Fails with USAGE (options not initialised or not
 * sensible), MALFORMED (a selector), SYSTEM (no descriptors left), LIMIT (no threads left, a
 * selector), NO_MEMORY.
 */
kin_err kin__listener_new(const kin_registration_options *options, kin__pool *pool,
                          const kin__listener_hooks *hooks, const kin__listener_counting *counting,
                          kin_registration **out, kin_error *err) KIN_MUST_CHECK;

/* Who is asked before what is pending is merged, with the context of its options and its lock held:
 * must not call it back, nor wait.  Before anybody else has the listener. */
void kin__listener_guard_merges(kin_registration *listener, kin__may_merge_fn may_merge);

kin_registration *kin__listener_ref(kin_registration *listener);
void kin__listener_unref(kin_registration *listener);
KIN__DEFINE_AUTO(kin_registration, kin__listener_unref)

const kin_registration_options *kin__listener_options(const kin_registration *listener);
kin__listener_seat *kin__listener_seat_of(kin_registration *listener);

/* What a notification is for this handler, by its selectors; false: nothing.  `is_due`: it gets
 * resyncs at the moment. */
bool kin__listener_translate(const kin_registration *listener, bool is_due,
                             kin_notification *notification);

/* Once, before the first push: tells all of `snapshot` first (consumed; NULL: nothing).  One that
 * has ended already is told nothing. */
void kin__listener_begin(kin_registration *listener, kin_snapshot *snapshot, bool is_store_synced);

/* Consumes the notes.  Cannot fail. */
void kin__listener_push(kin_registration *listener, kin__list *notes);

/* All that was there at the beginning has been pushed. */
void kin__listener_set_store_synced(kin_registration *listener);

/* Makes up to `max` calls (0: all there are) if nobody else does.  For inline listeners. */
void kin__listener_run(kin_registration *listener, size_t max);

/* Nobody runs it, and there is something to tell. */
bool kin__listener_is_waiting(kin_registration *listener);
/* A call is being made or, but for one that the program drains, due. */
bool kin__listener_is_busy(kin_registration *listener);
/* It is at its bound, and its policy is to block. */
bool kin__listener_is_blocking(kin_registration *listener);
/* It has ended: nothing that is pushed will be told. */
bool kin__listener_is_over(kin_registration *listener);

/* Ends it with its informer.  `is_draining`: what is pending is told yet. */
void kin__listener_stop(kin_registration *listener, bool is_draining);
/* Waits until it is not busy.  False when `deadline_ms` of the monotonic clock has passed;
 * INT64_MAX: never. */
bool kin__listener_await(kin_registration *listener, int64_t deadline_ms);
/* Forgets the hooks: none is called after it has returned. */
void kin__listener_detach(kin_registration *listener);

/* True on a thread that is in a function of a handler, of any listener. */
bool kin__listener_is_inside_any(void);

#endif /* KIN_CACHE_LISTENER_H */
