/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/registration.h - handlers: being told what changes.
 *
 * A handler is a few functions that an informer calls; any number of them share one informer.  To
 * hand one in gives a registration, which says how it fares and ends it.
 *
 *     static void changed(void *context, const kin_notification *n)
 *     {
 *         printf("%.*s is %s\n", KIN_STR_ARG(n->key),
 *                n->type == KIN_NOTIFICATION_DELETED ? "gone" : "there");
 *     }
 *
 *     kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
 *     options.on_add = options.on_update = options.on_delete = changed;
 *     kin_informer_add_handler(informer, &options, &registration, &err);
 *
 * or, from the program's own event loop, with options.mode = KIN_DELIVERY_QUEUE:
 *
 *     poll kin_registration_fd(registration) for reading; when it is:
 *     kin_registration_dispatch(registration, 100, NULL, &err);       100 calls at most
 *
 * What it promises
 *   - A handler's calls come in order, and never two at once.  A slow handler holds up itself only.
 *   - Of each object the states come in order.  Some may be skipped; none comes twice or late.
 *   - `before` is always what this handler was last told of that object.
 *   - Whoever is told of a change finds it in the store, or something newer.
 *   - A handler that comes late is told first what the store holds, as additions with `is_initial`,
 *     and then all that happened since: nothing twice and nothing missing.
 *   - Memory is bounded even when a handler never returns: `bound` and `policy` say how.
 *   - Any function of this header may be called from any place: from a handler, a filter, after the
 *     informer was stopped or freed.  Where that would wait for itself it is refused.
 *
 * Threading: a registration is thread-safe, but for kin_registration_free(), which is the last call
 * with it.
 */
#ifndef KIN_REGISTRATION_H
#define KIN_REGISTRATION_H

#include "kin/common.h"
#include "kin/object.h"

KIN_BEGIN_DECLS

typedef struct kin_registration kin_registration;

typedef enum kin_notification_type {
    KIN_NOTIFICATION_ADDED = 1,
    KIN_NOTIFICATION_UPDATED = 2,
    KIN_NOTIFICATION_DELETED = 3
} kin_notification_type;

/* What a handler is told.  Borrowed for the call, as its objects are: kin_object_ref() keeps one.
 */
typedef struct kin_notification {
    kin_notification_type type;
    kin_str key;              /* in the store */
    const kin_object *object; /* as it is now; of a deletion: its last state, as far as known */
    const kin_object *before; /* what this handler was last told; NULL: nothing */
    bool is_initial;          /* ADDED: it was there when the handler came */
    bool is_tombstone; /* DELETED: seen only by its absence; `object` may not be the last state */
    bool is_resync;    /* UPDATED: nothing changed, the resync period is over */
} kin_notification;

typedef void (*kin_notification_fn)(void *context, const kin_notification *notification);

/* Where the calls of a handler are made. */
typedef enum kin_delivery {
    KIN_DELIVERY_POOL = 0,  /* on threads of the library, now this, now that; it may wait there */
    KIN_DELIVERY_QUEUE = 1, /* wherever the program calls kin_registration_dispatch() */
    KIN_DELIVERY_INLINE = 2 /* on the informer's loop: be quick there, and never wait */
} kin_delivery;

/*
 * What happens when `bound` notifications are pending and one more comes.
 *
 * COALESCE  What is pending for an object becomes one notification of its newest state: added +
 *           updated = added, added + deleted = none, updated + updated = updated, updated + deleted
 *           = deleted; deleted + added stay two.  So at most `bound` and two for each object are
 *           pending.
 * BLOCK     The informer rests until there is room, and its store grows old; the status tells. What
 *           arrived at once (a list, say) is taken as a whole, over the bound.
 * FAIL      The registration ends: on_error is told LIMIT, and nothing comes after it but on_end.
 *           What was there at the beginning does not count.
 */
typedef enum kin_backlog_policy {
    KIN_BACKLOG_COALESCE = 0,
    KIN_BACKLOG_BLOCK = 1,
    KIN_BACKLOG_FAIL = 2
} kin_backlog_policy;

#define KIN_RESYNC_NEVER (-1)

/*
 * A handler, and how it wants to be told.  Zero means absent or the default for every field.  What
 * `context` points to must be there until the registration has ended: on_end has been called, or
 * kin_registration_remove_and_wait() has returned.
 */
typedef struct kin_registration_options {
    size_t size;      /* set by KIN_REGISTRATION_OPTIONS_INIT */
    const char *name; /* for messages and metrics; copied; NULL: "handler" */
    void *context;    /* borrowed; given to the functions */

    kin_notification_fn on_add;
    kin_notification_fn on_update;
    kin_notification_fn on_delete;
    /* Once, when all that was there at the beginning has been told; before what came later, as far
     * as that is not told yet. */
    void (*on_synced)(void *context);
    /* Once, when the registration ends by itself; see KIN_BACKLOG_FAIL. */
    void (*on_error)(void *context, const kin_error *err);
    /* Once, the last call of all, after the registration has ended in any way: `context` may go. On
     * the thread of the last call, or of whoever ended it. */
    void (*on_end)(void *context);

    kin_delivery mode;
    kin_backlog_policy policy;
    size_t bound; /* 0: 1,024 */

    /* Which objects; all that are given must match.  An object that comes to match is an addition,
     * one that ceases to is a deletion, whose `object` is what the handler was last told. */
    const char *label_selector; /* copied */
    const char *field_selector; /* copied */
    /* Runs where the handler runs, and always says the same of the same object. */
    bool (*filter)(void *context, const kin_object *object);

    /* 0: as the informer; KIN_RESYNC_NEVER; below 1,000 counts as that.  Rounded up to a multiple
     * of the informer's shortest period; none when the informer has none. */
    int64_t resync_ms;
    /* To be told of objects that a new list shows unchanged too, as client-go's handlers are. */
    bool tells_unchanged;
} kin_registration_options;

#define KIN_REGISTRATION_OPTIONS_INIT                                                              \
    {                                                                                              \
        sizeof(kin_registration_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,          \
            KIN_DELIVERY_POOL, KIN_BACKLOG_COALESCE, 0, NULL, NULL, NULL, 0, false                 \
    }

/* Ends it as kin_registration_remove() does, and releases the handle.  From its own handler too.
 * NULL is ignored. */
KIN_API void kin_registration_free(kin_registration *registration);

/* ---- a queue that the program drains ------------------------------------------------------- */

/* Readable while kin_registration_dispatch() has something to do.  Borrowed until the registration
 * is freed; only for poll and the like.  -1 when its mode is not KIN_DELIVERY_QUEUE. */
KIN_API int kin_registration_fd(const kin_registration *registration);

/*
 * Makes up to `max` of the calls that are due (0: all that are when it begins), and returns; does
 * not wait for any.  What the filter keeps out counts too.  `out_told`, which may be NULL, is how
 * many were made.  Fails with USAGE: another mode; being dispatched on another thread, or further
 * up on this one.
 */
KIN_API KIN_MUST_CHECK kin_err kin_registration_dispatch(kin_registration *registration, size_t max,
                                                         size_t *out_told, kin_error *err);

/* ---- how it fares -------------------------------------------------------------------------- */

/* True once the handler has been told all that was there at the beginning, and has returned. */
KIN_API bool kin_registration_has_synced(const kin_registration *registration);

/* Waits for that; `deadline_ms` from now, below 0: for ever.  Others make the calls and run the
 * informer's loop meanwhile: this does neither.  Fails with TIMEOUT, CANCELLED (it has ended),
 * USAGE (from a handler, the loop or an index function). */
KIN_API KIN_MUST_CHECK kin_err kin_registration_wait_synced(kin_registration *registration,
                                                            int64_t deadline_ms, kin_error *err);

typedef enum kin_registration_state {
    KIN_REGISTRATION_ACTIVE = 1,
    KIN_REGISTRATION_FAILED = 2,  /* `error` says why */
    KIN_REGISTRATION_REMOVED = 3, /* by the program */
    KIN_REGISTRATION_STOPPED = 4  /* with its informer */
} kin_registration_state;

typedef struct kin_registration_status {
    size_t size; /* set by KIN_REGISTRATION_STATUS_INIT */
    kin_registration_state state;
    bool is_synced;           /* kin_registration_has_synced() */
    bool is_running;          /* a call is being made at this moment */
    bool is_blocking;         /* the informer rests because of it */
    size_t pending;           /* notifications that wait, the rest of the initial ones included */
    uint64_t told;            /* notifications that were told */
    uint64_t merged;          /* notifications that went into another, or cancelled one */
    kin_error error;          /* code KIN_OK: none */
    uint64_t told_added;      /* of `told` ... */
    uint64_t told_updated;    /* ... resyncs included */
    uint64_t told_deleted;    /* ... */
    uint64_t filtered;        /* kept out by its filter or, of the initial ones, its selectors */
    uint64_t dropped;         /* notifications that were pending when it ended */
    int64_t lag_ms;           /* how long the oldest that is pending has waited; 0: none is */
    uint64_t calls_us;        /* how long its calls have taken, all together */
    uint64_t longest_call_us; /* ... the longest of them */
} kin_registration_status;

#define KIN_REGISTRATION_STATUS_INIT                                                               \
    {                                                                                              \
        sizeof(kin_registration_status), KIN_REGISTRATION_ACTIVE, false, false, false, 0, 0, 0,    \
            { KIN_OK, 0, 0, "", "" }, 0, 0, 0, 0, 0, 0, 0, 0                                       \
    }

/* Fails with USAGE when `out` is not initialised. */
KIN_API KIN_MUST_CHECK kin_err kin_registration_get_status(const kin_registration *registration,
                                                           kin_registration_status *out,
                                                           kin_error *err);

/* ---- ending it ----------------------------------------------------------------------------- */

/* What is pending is dropped; a call that is being made goes on to its end, and none follows but
 * on_end.  Returns at once.  From any place; does nothing the second time. */
KIN_API void kin_registration_remove(kin_registration *registration);

/* The same, and returns when no call is being made any more and on_end has been called.  From a
 * handler, filter or loop that would wait for itself or for another that waits: fails with USAGE,
 * and nothing is removed. */
KIN_API KIN_MUST_CHECK kin_err kin_registration_remove_and_wait(kin_registration *registration,
                                                                kin_error *err);

KIN_END_DECLS
#endif /* KIN_REGISTRATION_H */
