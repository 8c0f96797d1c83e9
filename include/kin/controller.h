/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/controller.h - a controller: brings what is to what it should be, key by key.
 *
 * The program says which objects it is about and how to put one of them right.  The controller
 * watches, queues the keys of what has changed, and calls the program's function for each of them
 * on its workers, again and again until it succeeds.
 *
 *     static kin_err reconcile(void *context, kin_reconcile *r, kin_error *err)
 *     {
 *         look at the stores, compare, write with kin_reconcile_create() and its like
 *     }
 *
 *     kin_controller_options options = KIN_CONTROLLER_OPTIONS_INIT;
 *     options.name = "foo";
 *     options.reconcile = reconcile;
 *     kin_controller_new(client, &options, &controller, &err);
 *     kin_controller_about(controller, foos, NULL, &err);             informers
 *     kin_controller_owns(controller, deployments, NULL, &err);
 *     kin_controller_start(controller, &err);
 *
 * What it promises
 *   - Never two reconciles of one key at once.  After each change that passes its predicate, the
 *     key is reconciled at least once, however far its handlers are behind.
 *   - No worker begins before all informers of the controller have synced, and their handlers have
 *     been told what was there.
 *   - With a leader: none begins before the stores show all that was written before it gained the
 *     lead, by whoever has led until then; but it does after `write_wait_ms`, with a warning.
 *   - It reads its writes: what a reconcile wrote through `r` is in the stores of the controller's
 *     informers, or something newer is, before the next reconcile of that key begins.
 *   - What fails comes again, later each time, as the limiter says; what succeeds is forgotten.
 *   - What was there before and resyncs come after what has changed, and do not starve.
 *   - Writes of what was read from a store carry its version or uid: who else has written meanwhile
 *     is not run over, and a partial object is never sent back whole.
 *
 * Objects in the stores are const: kin_object_edit() is the way to a copy that can be changed.
 *
 * Threading: thread-safe, but for kin_controller_free().  A kin_reconcile is confined to the call
 * it is given to.
 */
#ifndef KIN_CONTROLLER_H
#define KIN_CONTROLLER_H

#include "kin/client.h"
#include "kin/edit.h"
#include "kin/informer.h"
#include "kin/leader.h"
#include "kin/queue.h"

KIN_BEGIN_DECLS

typedef struct kin_controller kin_controller;

/* ---- putting one object right ---------------------------------------------------------------- */

/* One call of the program's function. */
typedef struct kin_reconcile kin_reconcile;

/*
 * Puts what `r` is about right.  On a worker's thread, which it may block.
 *
 * KIN_OK: done, unless kin_reconcile_again() was called.  Any other code, with `err` set: failed;
 * it comes again as the limiter says.  CONFLICT is nobody's fault and not logged as an error.
 */
typedef kin_err (*kin_reconcile_fn)(void *context, kin_reconcile *r, kin_error *err);

/* All borrowed for the call. */
KIN_API kin_str kin_reconcile_key(const kin_reconcile *r);       /* "namespace/name", or "name" */
KIN_API kin_str kin_reconcile_namespace(const kin_reconcile *r); /* empty: none */
KIN_API kin_str kin_reconcile_name(const kin_reconcile *r);
/* For reading, and for what has nothing to do with the controller's informers.  Writes by it, and
 * by kin_client_modify() or a client of the program's, are not waited for by the next reconcile,
 * know no deadline, and go on when the lead is lost or the controller stops: see
 * kin_reconcile_run(). */
KIN_API kin_client *kin_reconcile_client(const kin_reconcile *r);
KIN_API uint32_t kin_reconcile_failures(const kin_reconcile *r); /* since it last succeeded */

/* The object itself, from the store of the informer that the controller is about; NULL: it is not
 * there.  Borrowed for the call. */
KIN_API const kin_object *kin_reconcile_object(kin_reconcile *r);

/* That it is to come again after so long, though it succeeds; the earliest of several counts.  A
 * change meanwhile brings it earlier. */
KIN_API void kin_reconcile_again(kin_reconcile *r, int64_t after_ms);

/* True when there is no point in going on: the deadline has passed, the controller is to stop, or
 * no longer leads.  Every function below then fails, with TIMEOUT or CANCELLED. */
KIN_API bool kin_reconcile_is_over(const kin_reconcile *r);

/* How much time is left; -1: no deadline. */
KIN_API int64_t kin_reconcile_left_ms(const kin_reconcile *r);

/*
 * Writes.  Each waits for the server's answer, for as long as the deadline leaves; and the next
 * reconcile of this key sees it, unless the answer was lost on the way (TIMEOUT, CLOSED,
 * CANCELLED).  `out` may be NULL; else it is shared: kin_object_unref().
 *
 * They fail as kin_client_run() does.
 */

/* An object that is not there yet.  CONFLICT (reason "AlreadyExists") when it is. */
KIN_API KIN_MUST_CHECK kin_err kin_reconcile_create(kin_reconcile *r, const kin_object *object,
                                                    kin_object **out, kin_error *err);

/*
 * What was changed in `edit`, as a patch that the server refuses with CONFLICT if the object is not
 * as it was read any more; nothing is sent when nothing was changed.  `subresource`: "status", say;
 * NULL: the object itself.
 */
KIN_API KIN_MUST_CHECK kin_err kin_reconcile_patch(kin_reconcile *r, const kin_edit *edit,
                                                   const char *subresource, kin_object **out,
                                                   kin_error *err);

/* That very object, not one of the same name that was made since: CONFLICT then.  `propagation` as
 * in kin_request; NULL: the server's choice.  One that is gone already is no failure. */
KIN_API KIN_MUST_CHECK kin_err kin_reconcile_delete(kin_reconcile *r, const kin_object *object,
                                                    const char *propagation, kin_error *err);

/* Any other call of the client.  An update (PUT) of a partial object is refused with PARTIAL. */
KIN_API KIN_MUST_CHECK kin_err kin_reconcile_run(kin_reconcile *r, const kin_request *request,
                                                 kin_reply *reply, kin_error *err);

/* ---- which changes matter -------------------------------------------------------------------- */

/* Whether a change matters.  Runs where handlers run; always says the same of the same.  While more
 * than 1,024 changes wait for it, what is put together with another counts as one that matters, and
 * it is not asked. */
typedef bool (*kin_predicate_fn)(const void *context, const kin_notification *n);

typedef struct kin_predicate {
    kin_predicate_fn fn;
    const void *context; /* borrowed until the controller is freed */
} kin_predicate;

/* Ready-made ones.  What comes new (with another uid, too) and what goes matters to each of them;
 * of an update: that.  The server counts generations of custom resources with a status subresource
 * and of most built-in kinds with a spec; a ConfigMap, a Secret or a Node has none, and no update
 * of it passes kin_generation_changed(). */
KIN_API bool kin_generation_changed(const void *unused, const kin_notification *n);
KIN_API bool kin_labels_changed(const void *unused, const kin_notification *n);
KIN_API bool kin_annotations_changed(const void *unused, const kin_notification *n);
KIN_API bool kin_version_changed(const void *unused, const kin_notification *n); /* no resyncs */

/*
 * Put together: the context is an array of predicates that ends with one without a function.
 *
 *     static const kin_predicate either[] = { { kin_generation_changed, NULL },
 *                                             { kin_labels_changed, NULL },
 *                                             { NULL, NULL } };
 *     static const kin_predicate matters = { kin_any_of, either };
 */
KIN_API bool kin_all_of(const void *predicates, const kin_notification *n);
KIN_API bool kin_any_of(const void *predicates, const kin_notification *n);
KIN_API bool kin_none_of(const void *predicates, const kin_notification *n);

/* ---- a controller ---------------------------------------------------------------------------- */

/* Zero means absent or the default for every field.  Strings are copied. */
typedef struct kin_controller_options {
    size_t size;                /* set by KIN_CONTROLLER_OPTIONS_INIT */
    const char *name;           /* for messages, metrics and threads; needed */
    kin_reconcile_fn reconcile; /* needed */
    void *context;              /* of all functions here; borrowed until the controller is freed */
    uint32_t workers;           /* 0: 1; at most 1,000 */
    uint32_t deadline_ms;       /* of each reconcile; 0: none */
    uint32_t debounce_ms;       /* how long a change waits for the next one of the same key, which
                                   puts it off again, ten times at most; 0: not at all */
    const kin_limiter *limiter; /* copied; NULL: as kin_queue_options has it */
    /* How long what was written may take to come back to the stores; then the reconcile counts as
     * failed without having been called, and goes on waiting for it.  And how long, after the lead
     * was gained, the stores may take to be as new as that.  0: 30,000. */
    uint32_t write_wait_ms;
    /* Works only while it leads: informers sync and keys queue meanwhile.  Each time it comes to
     * lead it lists the metadata of what its informers follow, to see whether they are behind.
     * Borrowed until the controller is freed; the program starts and stops it. */
    kin_leader *leader;
    /* Each time a reconcile fails, on the worker; `retry_ms`: when it comes again; -1: it does not,
     * for the controller is stopped. */
    void (*on_trouble)(void *context, kin_str key, const kin_error *err, int64_t retry_ms);
    kin_logger logger;    /* copied; without one, the client's */
    kin_metrics *metrics; /* NULL: nothing is counted */
} kin_controller_options;

#define KIN_CONTROLLER_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(kin_controller_options), NULL, NULL, NULL, 0, 0, 0, NULL, 0, NULL, NULL,            \
            KIN_LOGGER_INIT, NULL                                                                  \
    }

/*
 * client   borrowed until the controller is freed
 * out      owned by the caller; release with kin_controller_free()
 *
 * Fails with USAGE (which option), NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_controller_new(kin_client *client,
                                                  const kin_controller_options *options,
                                                  kin_controller **out, kin_error *err);

/* kin_controller_stop() without a deadline, and its handlers end; its informers stay.  Nobody is in
 * another call with it.  From a reconcile, a handler or the loop nothing is freed, and an error is
 * logged.  NULL is ignored. */
KIN_API void kin_controller_free(kin_controller *controller);

/*
 * What it looks at: informers, each borrowed until the controller is freed; the program starts
 * them, before or after, and may stop and start them meanwhile: after kin_informer_stop_and_drop()
 * all keys are reconciled once more.  `predicate` is copied; NULL: every change matters.  All of
 * these come before the start.  They fail with USAGE (started already, an informer of a second kind
 * that it is about, keys of their own), NO_MEMORY.
 */

/* The objects it is about: keys are theirs.  Exactly one informer. */
KIN_API KIN_MUST_CHECK kin_err kin_controller_about(kin_controller *controller,
                                                    kin_informer *informer,
                                                    const kin_predicate *predicate, kin_error *err);

/* Objects that those own: the key is that of the owner by controller reference, of the kind and
 * group that the controller is about.  When the owner of one changes, both are reconciled. */
KIN_API KIN_MUST_CHECK kin_err kin_controller_owns(kin_controller *controller,
                                                   kin_informer *informer,
                                                   const kin_predicate *predicate, kin_error *err);

/* Whom a change concerns. */
typedef struct kin_concerned kin_concerned;
KIN_API void kin_concerned_add(kin_concerned *concerned, kin_str key);

/* Says of an object whom it concerns, by kin_concerned_add(); called with what it was before and
 * with what it is.  Where handlers run, with KIN_BACKLOG_BLOCK: while 1,024 changes wait for it,
 * the informer rests. */
typedef void (*kin_map_fn)(void *context, const kin_object *object, kin_concerned *concerned);

/* Anything else, by a function of the program's. */
KIN_API KIN_MUST_CHECK kin_err kin_controller_maps(kin_controller *controller,
                                                   kin_informer *informer,
                                                   const kin_predicate *predicate, kin_map_fn map,
                                                   void *context, kin_error *err);

/* Only read: nothing is queued, but the start waits for it, and writes to it are waited for. */
KIN_API KIN_MUST_CHECK kin_err kin_controller_reads(kin_controller *controller,
                                                    kin_informer *informer, kin_error *err);

/* Queues a key by hand, as kin_queue_add() does: for what comes from elsewhere than an informer. */
KIN_API KIN_MUST_CHECK kin_err kin_controller_add(kin_controller *controller, kin_str key,
                                                  const kin_queue_add_options *options,
                                                  kin_error *err);

/* ---- its life -------------------------------------------------------------------------------- */

/* Begins; returns at once.  Workers work when all informers have synced and, with a leader, it
 * leads and they are as new as that.  Fails with USAGE (it is about nothing, started before), LIMIT
 * (threads), NO_MEMORY. */
KIN_API KIN_MUST_CHECK kin_err kin_controller_start(kin_controller *controller, kin_error *err);

/*
 * Ends it: no reconcile begins any more, and those that run are told by kin_reconcile_is_over() and
 * by their calls to the server, which end with CANCELLED `deadline_ms` from now (below 0: are left
 * alone).  Returns when none runs.  Keys that wait are dropped: they are found again at the next
 * start of the program.  Fails with TIMEOUT (one still runs a second after the deadline, which its
 * cancelled call has to return), USAGE (from a reconcile, a handler or the loop: it stops, and
 * nobody waits).
 */
KIN_API KIN_MUST_CHECK kin_err kin_controller_stop(kin_controller *controller, int64_t deadline_ms,
                                                   kin_error *err);

/* Waits until all its informers have synced, its handlers have been told all that these know, what
 * it wrote has come back, nothing waits (debounced changes neither) and nothing runs.  What is to
 * come again later is not waited for: neither kin_reconcile_again() nor what has failed.  While
 * `queue.later` of the status is not 0, there is such a key; a test of failures looks at that too.
 * For tests, and for programs that run once.  Fails with TIMEOUT (the message says what it waits
 * for), CANCELLED (stopped), USAGE (from a reconcile, a handler, the loop, or a function of its
 * leader). */
KIN_API KIN_MUST_CHECK kin_err kin_controller_wait_idle(kin_controller *controller,
                                                        int64_t deadline_ms, kin_error *err);

typedef struct kin_controller_status {
    size_t size;            /* set by KIN_CONTROLLER_STATUS_INIT */
    bool is_synced;         /* all informers have, and what was there is queued */
    bool is_leading;        /* or has no leader */
    bool is_stopped;        /* or is to stop */
    kin_queue_status queue; /* what waits and runs */
    uint64_t succeeded;     /* reconciles that did ... */
    uint64_t again;         /* ... and of these, those that asked to come again */
    uint64_t failed;        /* conflicts included ... */
    uint64_t conflicts;     /* ... those */
    uint64_t overdue;       /* whose deadline passed */
    uint64_t stale;         /* that were not called because a write had not come back */
    uint64_t longest_us;    /* the longest reconcile */
    kin_error error;        /* of the last that failed; code KIN_OK: none */
} kin_controller_status;

#define KIN_CONTROLLER_STATUS_INIT                                                                 \
    {                                                                                              \
        sizeof(kin_controller_status), false, false, false, KIN_QUEUE_STATUS_INIT, 0, 0, 0, 0, 0,  \
            0, 0,                                                                                  \
        {                                                                                          \
            KIN_OK, 0, 0, "", ""                                                                   \
        }                                                                                          \
    }

/* Fails with USAGE when `out` is not initialised. */
KIN_API KIN_MUST_CHECK kin_err kin_controller_get_status(kin_controller *controller,
                                                         kin_controller_status *out,
                                                         kin_error *err);

KIN_END_DECLS
#endif /* KIN_CONTROLLER_H */
