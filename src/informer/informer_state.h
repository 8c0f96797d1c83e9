/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer/informer_state.h - what an informer is made of, for the files that are the informer.
 *
 * Everything happens in turns (informer.c) on the loop.  Other threads leave a wish and post a
 * turn; who wants to wait puts a kin__informer_wait on the loop (informer/wait.h).
 */
#ifndef KIN_INFORMER_INFORMER_STATE_H
#define KIN_INFORMER_INFORMER_STATE_H

#include "base/kept_error.h"
#include "base/lock.h"
#include "cache/controller.h"
#include "cache/graveyard.h"
#include "cache/processor.h"
#include "informer/informer.h"
#include "informer/list_watch.h"
#include "informer/metrics.h"

/* A namespace, or all of them. */
typedef struct kin__informer_source {
    char *ns; /* owned; NULL: all */
    kin_request request;
    kin__list_watch *driver;
    bool owes_resync; /* there was no memory for it */
} kin__informer_source;

/* How it stands, as of the last turn. */
typedef struct kin__informer_facts {
    kin_informer_state state;
    uint64_t lists;
    uint64_t watches;
    uint64_t restarts;
    uint64_t events;
    uint64_t bookmarks;
    uint64_t failures;
    uint64_t stale;
    uint64_t unwanted;
    uint64_t deltas; /* that wait */
    uint64_t reasons[KIN__REASONS];
    int64_t sync_ms;      /* -1: not synced yet */
    int64_t list_ms;      /* -1: there was none */
    int64_t opened_at_ms; /* -1: not watching */
    int64_t error_at_ms;  /* -1: never */
    int64_t heard_at_ms;  /* -1: not watching */
} kin__informer_facts;

/* What is written down as it happens. */
typedef struct kin__informer_book {
    int64_t started_at_ms; /* -1: never; as the next two */
    int64_t sync_ms;       /* how long it took until it was synced */
    int64_t list_ms;       /* how long the last list took */
    uint64_t reasons[KIN__REASONS];
} kin__informer_book;

struct kin_informer {
    /* These stay as they are. */
    kin__informer_parts parts;
    kin_informer_options options; /* its strings are those below; no indexes and namespaces */
    char *name;
    char *resource; /* NULL: options.of, referenced */
    char *label_selector;
    char *field_selector;
    kin_store *store;
    kin__controller *controller;
    kin__processor *processor;
    kin__graveyard *graveyard; /* NULL: what was deleted is not kept */

    /* Any thread's. */
    _Atomic bool is_wanted; /* to run */
    _Atomic bool is_synced;
    _Atomic bool is_freeing;
    _Atomic uint64_t refused;
    kin__job turn_job;
    kin__pool_job free_job;
    kin__mutex lock;
    kin__informer_facts facts GUARDED_BY(lock);
    kin__kept_error error GUARDED_BY(lock);     /* of facts.error_at_ms */
    const kin_resource *found GUARDED_BY(lock); /* shared: what the resource is; NULL: not known */
    kin__list observers GUARDED_BY(lock);       /* of kin__informer_observer */

    /* The loop's. */
    bool is_running; /* the drivers are started */
    bool has_turn;   /* is posted from the loop */
    bool has_resyncs;
    kin__informer_metrics *metrics; /* NULL: nobody wants them */
    kin__informer_book book;
    kin__timer retry_timer; /* after a lack of memory */
    kin__timer resync_timer;
    kin__timer expiry_timer;  /* of what was deleted */
    kin__timer collect_timer; /* something in a store waits for its readers */
    int64_t collect_ms;       /* how long it runs; 0: nothing has waited */
    kin__list waits;          /* of kin__informer_wait */
    size_t source_count;
    kin__informer_source sources[];
};

/* Fills in what never fails. */
void kin__informer_prepare(kin_informer *informer);

/* Frees the memory; nothing of it is on the loop. */
void kin__informer_release(kin_informer *informer);

/* Sees to it that a turn comes: from any thread; and for often, on the loop. */
void kin__informer_wake(kin_informer *informer);
void kin__informer_wake_on_loop(kin_informer *informer);

/* On the loop, when no handler can be called any more: takes all of it off the loop. */
void kin__informer_leave_loop(kin_informer *informer);

/* What its parts are made with: the functions in them lead back here. */
kin__store_options kin__informer_store_options(kin_informer *informer);
kin__graveyard_options kin__informer_graveyard_options(kin_informer *informer);
kin__controller_options kin__informer_controller_options(kin_informer *informer);
kin__list_watch_options kin__informer_driver_options(kin_informer *informer);
kin__listener_hooks kin__informer_listener_hooks(kin_informer *informer);

/* To run, and not being freed.  Any thread. */
static inline bool kin__informer_is_wanted(const kin_informer *informer)
{
    return atomic_load(&informer->is_wanted) && !atomic_load(&informer->is_freeing);
}

/* The drivers have nothing under way. */
bool kin__informer_has_stopped(const kin_informer *informer);

/* Takes down how it stands. */
void kin__informer_note_facts(kin_informer *informer);

/* On the loop, at the end of a turn. */
void kin__informer_tell_observers(kin_informer *informer);

#endif /* KIN_INFORMER_INFORMER_STATE_H */
