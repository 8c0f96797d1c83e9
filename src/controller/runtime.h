/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/runtime.h - the inside of a controller, for the sources that are one.
 *
 * Who does what
 *     handlers  on threads of the pool: say whose keys a change concerns (watch.c)
 *     the turn  a job on the client's loop, after each turn of an informer and when a time has come
 *               (turn.c): whether all has synced, what was written and has come back, what has been
 *               debounced for long enough
 *     workers   threads of the controller's own (worker.c): take a key and have it reconciled
 *
 * A worker begins nothing while the gate is closed: before all has synced, while another process
 * leads, before the stores are as new as the lead (handover.c), after a stop.
 */
#ifndef KIN_CONTROLLER_RUNTIME_H
#define KIN_CONTROLLER_RUNTIME_H

#include "base/kept_error.h"
#include "base/lock.h"
#include "base/thread.h"
#include "controller/debounce.h"
#include "controller/leader.h"
#include "controller/runtime_metrics.h"
#include "controller/written.h"
#include "informer/informer.h"
#include "kin/controller.h"
#include "net/loop.h"
#include "queue/queue.h"

/* Why an informer is looked at. */
typedef enum kin__runtime_role {
    KIN__RUNTIME_ABOUT,
    KIN__RUNTIME_OWNS,
    KIN__RUNTIME_MAPS,
    KIN__RUNTIME_READS
} kin__runtime_role;

#define KIN__HANDOVER_VERSION_MAX 64

/* What the server said, after the lead was gained, of a namespace of an informer or of all of them.
 * The turn's. */
typedef struct kin__handover {
    struct kin__runtime_watch *watch;
    size_t source;
    uint64_t term;       /* of which it was asked; 0: of none */
    kin_call *call;      /* owned; NULL: none is under way */
    int64_t again_at_ms; /* when to ask again, if it is not over; INT64_MAX: not */
    bool wants_whole;    /* to ask for all pages */
    bool is_over;        /* the store is as new */
    bool is_whole;       /* what was listed is all there is */
    uint64_t count;      /* of what was listed ... */
    char newest[KIN__HANDOVER_VERSION_MAX];  /* ... the highest version; "": of none */
    char version[KIN__HANDOVER_VERSION_MAX]; /* of the list; "": not known */
} kin__handover;

/* An informer that a controller looks at.  What comes after the observer changes. */
typedef struct kin__runtime_watch {
    kin__link link; /* in the controller's watches */
    kin_controller *controller;
    kin_informer *informer;
    kin__runtime_role role;
    kin_predicate predicate; /* fn NULL: everything matters */
    kin_map_fn map;
    void *map_context;
    kin_selector *labels;       /* owned, of the informer; NULL: everything */
    kin_field_selector *fields; /* likewise */
    kin__informer_observer observer;
    _Atomic(kin_registration *) registration; /* owned; NULL: not made yet */
    bool is_begun;                            /* it has its handler: of what is owned, by a turn */
    _Atomic bool has_ended;     /* its handler was dropped with the informer: it needs another */
    bool owes_all;              /* every key is to be queued; the turn's */
    _Atomic bool is_told;       /* its handler, if it has one, has been told what was there */
    kin__written_place written; /* guarded by the controller's lock */
    size_t handover_count;      /* as many as the informer has sources */
    kin__handover handovers[];
} kin__runtime_watch;

/* What is counted for the status. */
typedef struct kin__runtime_counts {
    uint64_t succeeded;
    uint64_t again;
    uint64_t failed;
    uint64_t conflicts;
    uint64_t overdue;
    uint64_t stale;
    uint64_t longest_us;
} kin__runtime_counts;

struct kin_controller {
    /* These stay as they are. */
    kin_client *client;
    kin_loop *loop; /* the client's */
    const kin__clock *clock;
    kin_controller_options options; /* its name is owned; no limiter */
    kin_logger logger;
    kin_queue *queue;
    kin__runtime_metrics metrics;
    kin__leader_seat seat;

    /* The turn's, on the loop. */
    kin__job turn_job;
    kin__job leave_job;
    kin__timer timer;
    bool is_leaving;
    size_t asking; /* calls of handovers that are under way */
    _Atomic bool has_left;

    kin__mutex lock;
    kin__cond changed;           /* something that somebody may wait for */
    kin__list watches;           /* grows until the start */
    kin__runtime_watch *about;   /* of them; NULL: none yet */
    const kin_resource *primary; /* shared: what it is about; set before handlers of what it
                                    owns are made; NULL: not known yet */
    kin__thread *threads;        /* owned */
    size_t thread_count;         /* of those that have been started */
    bool is_started GUARDED_BY(lock);
    bool is_begun GUARDED_BY(lock);   /* the start has succeeded */
    bool is_synced GUARDED_BY(lock);  /* stays so */
    bool is_seated GUARDED_BY(lock);  /* the leader has said that it leads */
    uint64_t term GUARDED_BY(lock);   /* how often it has said so */
    bool is_abreast GUARDED_BY(lock); /* the stores are as new as that; or there is no leader */
    int64_t abreast_by_ms GUARDED_BY(lock); /* when they are not waited for any longer */
    bool was_told_to_stop GUARDED_BY(lock); /* by the program */
    bool is_stopping GUARDED_BY(lock);      /* stays so, but for a start that failed */
    int64_t cancel_at_ms GUARDED_BY(lock);  /* when calls are to end; INT64_MAX: never */
    size_t active GUARDED_BY(lock);         /* reconciles that run */
    size_t live GUARDED_BY(lock);           /* handlers that have not ended */
    size_t waiters GUARDED_BY(lock);        /* for `changed` */
    kin__list running GUARDED_BY(lock);     /* of kin_reconcile */
    kin__written written GUARDED_BY(lock);
    kin__debounce debounce GUARDED_BY(lock);
    kin__runtime_counts counts GUARDED_BY(lock);
    kin__kept_error error GUARDED_BY(lock);
};

/* ---- controller.c --------------------------------------------------------------------------- */

/* kin_controller_new(), with times of `clock`, which outlives the controller.  Who waits for a
 * moment waits as long by the loop's or the system's clock, and then looks again. */
kin_err kin__runtime_new(kin_client *client, const kin_controller_options *options,
                         const kin__clock *clock, kin_controller **out,
                         kin_error *err) KIN_MUST_CHECK;

/* Milliseconds of the controller's clock. */
int64_t kin__runtime_now_ms(const kin_controller *controller);

/* `ms` from now; INT64_MAX: below 0, or too far. */
int64_t kin__runtime_moment(const kin_controller *controller, int64_t ms);

/* Waits until something has changed, or that moment; may return for no reason. */
void kin__runtime_wait_locked(kin_controller *controller, int64_t until_ms)
    REQUIRES(controller->lock);
void kin__runtime_wait_real_locked(kin_controller *controller, int64_t until_real_ms)
    REQUIRES(controller->lock); /* by the system's clock */
void kin__runtime_announce_locked(kin_controller *controller) REQUIRES(controller->lock);

/* A little while, after a lack of memory.  False: it is to stop. */
bool kin__runtime_rest(kin_controller *controller) EXCLUDES(controller->lock);

/* It leads, or needs not. */
bool kin__runtime_leads_locked(const kin_controller *controller) REQUIRES(controller->lock);

/* A reconcile may begin, or go on. */
bool kin__runtime_is_open_locked(const kin_controller *controller) REQUIRES(controller->lock);

/* ---- watch.c -------------------------------------------------------------------------------- */

void kin__runtime_watch_free(kin__runtime_watch *watch);
KIN__DEFINE_AUTO(kin__runtime_watch, kin__runtime_watch_free)

/* Adds its handler.  Of what is owned: not before `primary` is known.  Fails with NO_MEMORY. */
kin_err kin__runtime_watch_begin(kin__runtime_watch *watch, kin_error *err) KIN_MUST_CHECK;

/* Of one whose handler was dropped: adds another, and has everything looked at again.  A turn's.
 * Fails with NO_MEMORY, and is to be tried again. */
kin_err kin__runtime_watch_renew(kin__runtime_watch *watch, kin_error *err) KIN_MUST_CHECK;

/* Ends all handlers, and waits for that. */
void kin__runtime_end_watches(kin_controller *controller);

/* Has synced, and its handler been told what was there. */
bool kin__runtime_watch_has_synced(const kin__runtime_watch *watch);

/* Its handler has something to be told yet. */
bool kin__runtime_watch_is_behind(const kin__runtime_watch *watch);

/* ---- turn.c --------------------------------------------------------------------------------- */

/* Fills in what never fails. */
void kin__runtime_turn_prepare(kin_controller *controller);

/* A turn comes after each turn of its informer, too. */
void kin__runtime_observe(kin__runtime_watch *watch);

/* Sees to it that a turn comes.  Any thread, also with the lock held. */
void kin__runtime_wake(kin_controller *controller);

/* Takes all of it off the loop, and waits for that; false: there is no waiting for the loop. */
bool kin__runtime_leave_loop(kin_controller *controller);

/* Ends the calls to the server that reconciles are waiting for. */
void kin__runtime_cancel_calls_locked(kin_controller *controller) REQUIRES(controller->lock);

/* A reconcile whose call was ended has yet to return. */
bool kin__runtime_is_returning_locked(const kin_controller *controller) REQUIRES(controller->lock);

/* What was under way on the loop has ended. */
void kin__runtime_finish_leaving(kin_controller *controller);

/* ---- handover.c ------------------------------------------------------------------------------ */

/* Whether the stores are as new as the lead; opens the gate when they are, or when it has taken too
 * long.  When to look again at the latest; INT64_MAX: when an informer has had a turn. */
int64_t kin__handover_turn(kin_controller *controller, int64_t now_ms);

/* Ends the calls that are under way; false: they have yet to. */
bool kin__handover_leave(kin_controller *controller);

/* ---- worker.c ------------------------------------------------------------------------------- */

/* Starts all workers.  Fails with NO_MEMORY, LIMIT; then some may run, and are to be joined. */
kin_err kin__runtime_start_workers(kin_controller *controller, kin_error *err) KIN_MUST_CHECK;

/* It is to stop. */
void kin__runtime_join_workers(kin_controller *controller);

#endif /* KIN_CONTROLLER_RUNTIME_H */
