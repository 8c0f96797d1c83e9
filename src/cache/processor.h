/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/processor.h - hands what happened to all handlers of an informer.
 *
 * What happens comes in batches, the same as those of the store:
 *
 *   - kin__processor_stage(processor, &notification, err), for each change, beside kin__store_put()
 *   - kin__store_publish(store)
 *   - kin__processor_commit(processor, version), which cannot fail
 *
 * Everything that needs memory happens while staging, before anybody has seen anything.  When that
 * fails the change has not happened: the caller ends the batch before it, or tries again later.  So
 * no notification is ever lost for lack of memory.  (Staging after publishing works as well; then
 * whoever fails to stage must try again until it succeeds.)
 *
 * A handler may be added at any time.  It begins with a snapshot of the store, and of the batches
 * that follow is told those that its snapshot has not.  One that is there before the first list
 * begins with the store as that leaves it.
 *
 * Threading: stage, unstage, commit, set_synced, run, the resync functions and stop belong to the
 * loop, one at a time.  The others are thread-safe.
 */
#ifndef KIN_CACHE_PROCESSOR_H
#define KIN_CACHE_PROCESSOR_H

#include "cache/listener.h"

typedef struct kin__processor kin__processor;

typedef struct kin__processor_options {
    const kin_store *store; /* borrowed; NULL: handlers that come late are told nothing first */
    kin__pool *pool;   /* borrowed: outlives the calls that run on it; NULL: no handler may want
                          one */
    int64_t resync_ms; /* the handlers' default; 0: nobody is resynced */
    kin__listener_hooks hooks;
    kin__listener_counting counting; /* what it points to is borrowed */
} kin__processor_options;

/* Fails with NO_MEMORY. */
kin_err kin__processor_new(const kin__processor_options *options, kin__processor **out,
                           kin_error *err) KIN_MUST_CHECK;

/* Stops it if that was not done, dropping what is pending and waiting for nobody.  Registrations
 * live on, and what the program may dispatch after a stop it may dispatch still.  From a handler
 * too, but not an inline one: that is told from inside a call of this processor.  In a forked child
 * it leaves everything as it is.  NULL is ignored. */
void kin__processor_free(kin__processor *processor);
KIN__DEFINE_AUTO(kin__processor, kin__processor_free)

/*
 * Adds a handler.  From any place, a handler included.  `out` is owned by the caller; release with
 * kin_registration_free().  Fails with USAGE (stopped already; options), and as
 * kin__listener_new().
 */
kin_err kin__processor_add(kin__processor *processor, const kin_registration_options *options,
                           int64_t now_ms, kin_registration **out, kin_error *err) KIN_MUST_CHECK;

/* The same, for one that is asked before notifications are merged (kin__listener_guard_merges());
 * NULL: is not. */
kin_err kin__processor_add_guarded(kin__processor *processor,
                                   const kin_registration_options *options,
                                   kin__may_merge_fn may_merge, int64_t now_ms,
                                   kin_registration **out, kin_error *err) KIN_MUST_CHECK;

/*
 * Makes ready to tell `notification`, whose `before` is what the store had under that key, for
 * deletions too.  An update to the same object with the same resource version is one that a new
 * list shows unchanged.  Fails with NO_MEMORY, and then has changed nothing.
 */
kin_err kin__processor_stage(kin__processor *processor, const kin_notification *notification,
                             kin_error *err) KIN_MUST_CHECK;

/* Takes back what was staged last. */
void kin__processor_unstage(kin__processor *processor);

/* Tells what was staged, and runs the inline handlers.  `version` is the store's that has it
 * (kin_view_number()). */
void kin__processor_commit(kin__processor *processor, uint64_t version);

/* The first list has been committed, however empty.  Does nothing the second time. */
void kin__processor_set_synced(kin__processor *processor);

/* A handler that blocks is at its bound: take no further batch.  When that changes, hooks.wake is
 * called. */
bool kin__processor_is_blocked(kin__processor *processor);

/* What hooks.wake asks for: runs the inline handlers that have something to be told. */
void kin__processor_run(kin__processor *processor);

/* Resyncs.  After the start, at the time of the next tick, ask for the tick: true when some
 * handlers are due.  Then stage everything in the store as an update with is_resync, and commit:
 * only those who are due are told. */
void kin__processor_start_resync(kin__processor *processor, int64_t now_ms);
int64_t kin__processor_next_resync_ms(kin__processor *processor);
bool kin__processor_tick_resync(kin__processor *processor, int64_t now_ms);

/* How many handlers there are. */
size_t kin__processor_count(kin__processor *processor);

/* Waits until no handler is being called and, but for those that the program drains, nothing is
 * due; until `deadline_ms` of the monotonic clock, INT64_MAX: without end.  Ends nothing.  From any
 * thread.  Fails with TIMEOUT (some are still being called: names one), USAGE (from a handler). */
kin_err kin__processor_await(kin__processor *processor, int64_t deadline_ms,
                             kin_error *err) KIN_MUST_CHECK;

/* Ends the registrations there are, and drops what is pending; others may be added afterwards. Does
 * not wait for calls that are being made. */
void kin__processor_drop(kin__processor *processor);

/* Waits until no function of a registration that has ended is being called; `deadline_ms` and
 * failures as above. */
kin_err kin__processor_await_ended(kin__processor *processor, int64_t deadline_ms,
                                   kin_error *err) KIN_MUST_CHECK;

/*
 * Ends all registrations; none can be added afterwards.  What is pending is told yet (is_draining)
 * or dropped; what the program drains itself it may go on to dispatch.  Waits for the calls until
 * `deadline_ms` of the monotonic clock; INT64_MAX: without end.  Fails with TIMEOUT (some are still
 * being made), USAGE (from a handler: all is stopped, and nobody was waited for).
 */
kin_err kin__processor_stop(kin__processor *processor, bool is_draining, int64_t deadline_ms,
                            kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CACHE_PROCESSOR_H */
