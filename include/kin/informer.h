/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/informer.h - knows a resource: a local copy that follows the server.
 *
 * An informer lists a resource once, watches it from there on, keeps what it learns in a store, and
 * tells handlers what changes.  Any number of handlers share one informer, and any number of
 * informers share a client's connections and loop.
 *
 *     kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
 *     options.resource = "pods";
 *     kin_informer_new(client, &options, &informer, &err);
 *     kin_informer_add_handler(informer, &handler, &registration, &err);
 *     kin_informer_start(informer, &err);
 *     kin_informer_wait_synced(informer, 30000, &err);
 *
 *     kin_view view = kin_store_read(kin_informer_store(informer));
 *     ...
 *
 * What it promises
 *   - The store follows the server: after every interruption it is equal to it again, without the
 *     program's doing.  Nothing is lost between list and watch.
 *   - Of each object the states come in order, to the store and to every handler.
 *   - A store's version is a state that the server was in (of each of its sources).
 *   - It never gives up, and it says how it stands: kin_informer_get_status().
 *   - An object that was deleted and made again while nobody looked is told as both.
 *
 * Threading: thread-safe.  A call that would have to wait for the loop or the handler it is made
 * from is refused with USAGE; freeing is deferred there.
 */
#ifndef KIN_INFORMER_H
#define KIN_INFORMER_H

#include "kin/client.h"
#include "kin/deleted.h"
#include "kin/registration.h"
#include "kin/store.h"

KIN_BEGIN_DECLS

typedef struct kin_informer kin_informer;

/* How it gets the whole state. */
typedef enum kin_start {
    KIN_START_AUTO = 0,      /* a streaming list where objects come as protobuf, else a list */
    KIN_START_LIST = 1,      /* a list, then a watch */
    KIN_START_WATCH_LIST = 2 /* a streaming list; a plain one where the server does not do it */
} kin_start;

/* What the store is to hold in place of `object`: `out`, shared, with the same key, uid and
 * resource version; it may be `object` itself, with a reference more.  Runs on the loop, once for
 * each object that comes.  Another code than KIN_OK (with `err` set) leaves the object out, and is
 * reported. */
typedef kin_err (*kin_transform_fn)(void *context, const kin_object *object, kin_object **out,
                                    kin_error *err);

/* Writes the object's key to `out`, which has room for `out_size` bytes (KIN_INFORMER_KEY_MAX), and
 * its length to `out_len`.  Always the same for the same object; on the loop, or wherever the store
 * is written.  Another code than KIN_OK (with `err` set) leaves the object out, and is reported. */
typedef kin_err (*kin_key_fn)(void *context, const kin_object *object, char *out, size_t out_size,
                              size_t *out_len, kin_error *err);
#define KIN_INFORMER_KEY_MAX 1024 /* bytes of a key that a kin_key_fn makes */

/* Zero means absent or the default for every field.  Strings are copied. */
typedef struct kin_informer_options {
    size_t size;            /* set by KIN_INFORMER_OPTIONS_INIT */
    const char *name;       /* for messages and metrics; NULL: the resource's */
    const char *resource;   /* as people write it: "pods", "deployments.apps"; or: */
    const kin_resource *of; /* as it is known */

    const char *ns;                /* NULL: all namespaces; or: */
    const char *const *namespaces; /* several, each listed and watched by itself; ends with NULL */
    const char *label_selector;
    const char *field_selector;

    const kin_mask *mask; /* what to keep of each object; borrowed until the informer is freed */
    kin_transform_fn transform; /* after the mask */
    bool metadata_only;
    kin_key_fn key; /* NULL: "namespace/name" */
    void *context;  /* of transform, key and on_trouble */

    const kin_index_options
        *indexes; /* that the store has from the beginning, beside "namespace" */
    size_t index_count;

    int64_t resync_ms; /* the handlers' default; 0: never */
    kin_start start;
    kin_encoding encoding;
    int32_t page_size;        /* 0: as suits; below 0: never in pages */
    uint32_t watch_seconds;   /* how long a watch is to last, at least; 0: 300 */
    bool recreated_is_update; /* deleted and made again unseen: an update, as client-go has it */

    /* Each time something goes wrong, on the loop; the informer goes on.  `retry_ms`: when it tries
     * again; -1: it does not, because a function of the program refused one object. */
    void (*on_trouble)(void *context, const kin_error *err, int64_t retry_ms);
    kin_logger logger;    /* copied; without one, the client's */
    kin_metrics *metrics; /* NULL: nothing is counted; those of the same name count together */

    int64_t keep_deleted_ms; /* how long what was deleted is found in kin_informer_deleted(); 0: not
                                at all.  See kin/deleted.h */
    size_t keep_deleted_max; /* how many of them, the last ones; 0: any number */

    /* For who knows better than the defaults how a server fails. */
    uint32_t retry_first_ms; /* the first wait before another attempt, which chance makes up to
                                twice as long, as the next; 0: 800 */
    uint32_t retry_max_ms;   /* the longest; 0: 1,500 where nobody answers, 30,000 after refusals */
    uint32_t internal_retry_ms; /* for so long a watch that the server ends with an internal error
                                   (500, as an event) is begun again; then, or 0: the state is
                                   listed anew */
    uint32_t idle_ms; /* a watch in which nothing comes for so long is taken for dead; 0: two and a
                         half times what its bookmarks take, and never without them */
} kin_informer_options;

#define KIN_INFORMER_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(kin_informer_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, \
            NULL, NULL, NULL, 0, 0, KIN_START_AUTO, KIN_ENCODING_AUTO, 0, 0, false, NULL,          \
            KIN_LOGGER_INIT, NULL, 0, 0, 0, 0, 0, 0                                                \
    }

/*
 * client   borrowed until the informer is freed
 * out      owned by the caller; release with kin_informer_free()
 *
 * Asks nobody yet: a resource that the server does not have shows in the status.  Fails with USAGE
 * (which option), MALFORMED (a selector or a path), NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_informer_new(kin_client *client,
                                                const kin_informer_options *options,
                                                kin_informer **out, kin_error *err);

/* Stops it first, dropping what handlers have not been told; waits for their calls.  From a handler
 * or the loop: it stops, and is freed when their calls have returned; kin_client_free() waits for
 * that.  In a forked child it does nothing.  NULL is ignored. */
KIN_API void kin_informer_free(kin_informer *informer);

/* Begins, or goes on after a stop from where it was.  Returns at once.  Does nothing when it runs.
 */
KIN_API KIN_MUST_CHECK kin_err kin_informer_start(kin_informer *informer, kin_error *err);

/*
 * Ends list and watch; the store stays readable, and handlers stay registered and are told what is
 * pending.  Returns when nothing is under way any more and handlers have been told, but for those
 * the program drains, or `deadline_ms` from now (0: does not wait for handlers; below 0: without a
 * deadline).  Fails with TIMEOUT (handlers have yet to be told something: they will be), USAGE
 * (from a handler or the loop: it stops, and nobody waits), CANCELLED (started again meanwhile).
 */
KIN_API KIN_MUST_CHECK kin_err kin_informer_stop(kin_informer *informer, int64_t deadline_ms,
                                                 kin_error *err);

/*
 * The same without telling what is pending: that is dropped, and the handlers end, of all who share
 * the informer (their state is KIN_REGISTRATION_STOPPED, and on_end the last call).  They must,
 * because to whoever has missed something nothing that follows another start would make sense;
 * those that are added afterwards begin with what the store holds.  What has come goes into the
 * store yet.  Returns when nothing is under way any more and no function of those handlers is being
 * called, or `deadline_ms` from now, as above.  Fails with TIMEOUT (one is still being called;
 * nothing follows but on_end), USAGE and CANCELLED as above; they have ended even so.
 */
KIN_API KIN_MUST_CHECK kin_err kin_informer_stop_and_drop(kin_informer *informer,
                                                          int64_t deadline_ms, kin_error *err);

/* Borrowed from the informer; readable before the start and after the stop. */
KIN_API kin_store *kin_informer_store(const kin_informer *informer);

/* What was deleted lately, as kin/deleted.h says; borrowed likewise.  NULL without
 * `keep_deleted_ms`. */
KIN_API kin_store *kin_informer_deleted(const kin_informer *informer);

/*
 * Adds a handler: at any time, from any place.  `out` is owned by the caller; release with
 * kin_registration_free(), which ends it.  Fails with USAGE, MALFORMED, NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_informer_add_handler(kin_informer *informer,
                                                        const kin_registration_options *options,
                                                        kin_registration **out, kin_error *err);

/* ---- how it stands ------------------------------------------------------------------------- */

/* The store holds the whole state.  True from the first time on. */
KIN_API bool kin_informer_has_synced(const kin_informer *informer);

/* Waits for that; `deadline_ms` from now, below 0: for ever.  Trouble does not end the wait, not
 * even what will hardly pass by itself (a token that is not good, no such resource): who wants to
 * give up earlier looks at on_trouble or kin_informer_get_status().  Fails with TIMEOUT (the
 * message has its last trouble, the status its code), USAGE (on the loop; not started; from a
 * handler that blocks, without a deadline), CANCELLED (stopped meanwhile). */
KIN_API KIN_MUST_CHECK kin_err kin_informer_wait_synced(kin_informer *informer, int64_t deadline_ms,
                                                        kin_error *err);

/*
 * Waits until the store has seen `resource_version`, or a later one, of the object `key`: what a
 * write returned is then to be read from the store.  Also when the object is gone by then.  From a
 * handler too; from one that blocks (KIN_BACKLOG_BLOCK) only with a deadline, because the informer
 * may be waiting for it.  Fails with TIMEOUT, USAGE (on the loop; not started; no version; a
 * namespace it does not have; from a handler that blocks, without a deadline; with several
 * namespaces and a `key` function of the program, whose keys do not tell the namespace), CANCELLED
 * (stopped meanwhile).
 */
KIN_API KIN_MUST_CHECK kin_err kin_informer_wait_for(kin_informer *informer, kin_str key,
                                                     kin_str resource_version, int64_t deadline_ms,
                                                     kin_error *err);

typedef enum kin_informer_state {
    KIN_INFORMER_NEW = 1,
    KIN_INFORMER_RESOLVING = 2, /* asks the server what the resource is */
    KIN_INFORMER_LISTING = 3,
    KIN_INFORMER_WATCHING = 4,
    KIN_INFORMER_UNREACHABLE = 5, /* nobody answers; as all below, tried again and again */
    KIN_INFORMER_UNAUTHORIZED = 6,
    KIN_INFORMER_FORBIDDEN = 7,
    KIN_INFORMER_NOT_FOUND = 8, /* the server has no such resource */
    KIN_INFORMER_FAILING = 9,   /* anything else: see the error */
    KIN_INFORMER_BLOCKED = 10,  /* a handler with KIN_BACKLOG_BLOCK is behind */
    KIN_INFORMER_STOPPED = 11
} kin_informer_state;

/* "watching" */
KIN_API const char *kin_informer_state_name(kin_informer_state state);

typedef struct kin_informer_status {
    size_t size;              /* set by KIN_INFORMER_STATUS_INIT */
    kin_informer_state state; /* of several namespaces, the one that is worst off */
    bool is_synced;
    uint64_t objects;
    uint64_t object_bytes;
    uint64_t lists;    /* requests */
    uint64_t watches;  /* ... */
    uint64_t restarts; /* whole states fetched after the first */
    uint64_t events;   /* objects that came: with lists, and as changes */
    uint64_t bookmarks;
    uint64_t failures;
    uint64_t refused;          /* objects that a transform, key or index function refused */
    int64_t error_ms;          /* how long ago the last error was; -1: never */
    int64_t silent_ms;         /* how long nothing has come, bookmarks included; of several
                                  namespaces, the most silent one; -1: not watching */
    kin_error error;           /* the last one; code KIN_OK: none */
    char resource_version[64]; /* the store stands at; of several namespaces, of the first; "": none
                                */
    uint64_t queued;           /* changes that came and are not in the store yet */
    uint64_t store_bytes;      /* of the store's own structures, beside the objects */
    uint64_t unreleased; /* parts of the store that are gone, and held by readers and snapshots */
    uint64_t indexes;
    uint64_t handlers; /* that have not ended */
    uint64_t stale;    /* changes that were not newer than what was known */
    uint64_t unwanted; /* objects of another kind that came */
    /* What attempts failed of; failures that are part of the protocol are counted here too. */
    uint64_t unreachable; /* no connection, cut, too late; 502, 503, 504 */
    uint64_t denied;      /* 401, 403 */
    uint64_t missing;     /* 404 */
    uint64_t expired;     /* 410, and versions that the server has not seen yet */
    uint64_t throttled;   /* 429 */
    uint64_t broken;      /* other answers of 4xx and 5xx, and those that make no sense */
    uint64_t local;       /* no memory, a refusal of the system */
    int64_t sync_ms;      /* how long it took from the start until it was synced; -1: it is not */
    int64_t list_ms;      /* how long the last list request took; -1: there was none */
    int64_t watch_ms;     /* how long a watch has been open, the newest; -1: none is */
} kin_informer_status;

#define KIN_INFORMER_STATUS_INIT                                                                   \
    {                                                                                              \
        sizeof(kin_informer_status), KIN_INFORMER_NEW, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1,   \
            { KIN_OK, 0, 0, "", "" }, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1     \
    }

/* Fails with USAGE when `out` is not initialised. */
KIN_API KIN_MUST_CHECK kin_err kin_informer_get_status(const kin_informer *informer,
                                                       kin_informer_status *out, kin_error *err);

KIN_END_DECLS
#endif /* KIN_INFORMER_H */
