/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/reflector.h - follows a resource: gets the whole state, then every change, for ever.
 *
 * A state machine without a socket, a thread or a clock.  Whoever drives it asks what to do
 * (kin__reflector_next()) after each input and when a wait is over, does it, and tells what came of
 * it.  `now_ms` is monotonic and never goes back.  Results go to a sink.
 *
 * What it promises
 *   - The sink is told the whole state once (replace) and then every change in the order of its
 *     versions, none twice.  What was missed while no watch could be had comes with the next watch,
 *     or as another replace.
 *   - An event that the sink refuses is not lost: the whole state is fetched again.
 *   - It never gives up.  Each failure is told, and shown by the status, before the next attempt.
 *   - Every wait of its own has an end; that of a call is the driver's, but for a streaming list
 *     that makes no progress and a watch that does not open.
 *   - Without memory it waits and goes on where it was.
 *
 * What follows a failure (cache/failure.h).  "Wait": by cache/backoff.h; AWAY and LOCAL with a cap
 * of 1.5 s (and up to as much again by chance), so that the state is right within 5 s of the
 * server's return; the others with one of 30 s.  A server that says when to come back is believed.
 * Right after AWAY the first three DENIED wait 0.8 s each: a server that starts says 403.
 *
 *              a list                       a streaming list       a watch
 *   EXPIRED    a page: all in one, at once  the newest, at once    list, at once; if not the
 *              else: the newest, at once                           first in a row: wait, list
 *   TOO_LARGE  the newest, at once          the newest, at once    the same, the newest
 *   AWAY       wait, the same page          wait, again;           was open: watch at once;
 *                                           cut twice: wait, list  as an event: wait, list;
 *                                                                  else wait, watch
 *   THROTTLED  wait, the same page          wait, again;           wait, watch
 *                                           3 times: wait, list
 *   DENIED     wait, the same page          list at once           wait, watch
 *   UNFIT      the newest, at once;         list at once,          wait, list the newest
 *              if it was: wait              and for an hour
 *   BROKEN     wait, the same page          list at once           wait, watch; as an event, or
 *                                                                  3 in a row: wait, list
 *   LOCAL      wait, the same page          wait, again            wait, watch
 *   the sink   wait, list                   wait, again            wait, list
 *   clean end  the next page, or watch      list at once           watch at once; if it was short
 *                                                                  and empty: as BROKEN
 *   no end     -                            list at once,          -
 *                                           and for an hour
 *
 * "No end": a streaming list is to open within 30 s, then to make progress (an object that is new)
 * every 10 s, and to end within 30 s and 20 ms for each object.  Servers that know nothing of
 * streaming lists ignore the wish and send changes for ever; they are slower than that, and a list
 * that is so slow is better asked for as one.
 *
 * A whole that is older than the version it was to have at least counts as TOO_LARGE (a list) or
 * EXPIRED (a stream).
 *
 * A version from the future, as after a restored backup: a watch from it is accepted and silent. So
 * after the server was not to be reached, after a wait of 5 s or more, and after a watch of 75 s or
 * more without an event or a bookmark, one object is listed "not older than" the version first.  A
 * server that has not got there says so, and the newest state is listed.
 *
 * Threading: confined.  Sink functions run inside the inputs and must call nothing here but status.
 */
#ifndef KIN_CACHE_REFLECTOR_H
#define KIN_CACHE_REFLECTOR_H

#include "base/cleanup.h"
#include "cache/backoff.h"
#include "cache/list_watcher.h"
#include "kin/client.h"

typedef enum kin__reflector_state {
    KIN__REFLECTOR_NEW,
    KIN__REFLECTOR_LISTING,      /* pages come, or are asked for */
    KIN__REFLECTOR_STREAMING,    /* a streaming list, before its end */
    KIN__REFLECTOR_WATCHING,     /* a watch is open */
    KIN__REFLECTOR_RESUMING,     /* between two watches */
    KIN__REFLECTOR_UNREACHABLE,  /* the last attempt found nobody; as all below, until one works */
    KIN__REFLECTOR_UNAUTHORIZED, /* ... was answered 401 */
    KIN__REFLECTOR_FORBIDDEN,    /* 403 */
    KIN__REFLECTOR_NOT_FOUND,    /* 404: there is no such resource */
    KIN__REFLECTOR_FAILING,      /* anything else */
    KIN__REFLECTOR_STOPPED
} kin__reflector_state;

/* "watching" */
const char *kin__reflector_state_name(kin__reflector_state state);

/* A failure, and what follows.  Borrowed for the call. */
typedef struct kin__reflector_trouble {
    const kin_error *error;
    kin__reflector_state doing; /* LISTING, STREAMING or WATCHING */
    bool is_routine;            /* part of the protocol: nobody needs to be told */
    int64_t retry_at_ms;        /* when the next attempt comes */
} kin__reflector_trouble;

/*
 * Who is told.  What these return other than KIN_OK (with `err` set) means: not taken.  Objects are
 * borrowed for the call; take a reference to keep one.  All but `bookmark` and `trouble` must be
 * there.
 */
typedef struct kin__reflector_sink {
    void *context;
    /* These are all there are, as of that version; what else was told is gone. */
    kin_err (*replace)(void *context, kin_object *const *objects, size_t count,
                       kin_str resource_version, kin_error *err);
    kin_err (*add)(void *context, kin_object *object, kin_error *err);
    kin_err (*update)(void *context, kin_object *object, kin_error *err);
    /* In its last state, with the version of the deletion. */
    kin_err (*remove)(void *context, kin_object *object, kin_error *err);
    /* Nothing changed up to that version, which is newer than what was told before. */
    kin_err (*bookmark)(void *context, kin_str resource_version, kin_error *err);
    void (*trouble)(void *context, const kin__reflector_trouble *trouble);
} kin__reflector_sink;

/* Zero means the default for every field. */
typedef struct kin__reflector_options {
    kin__start_mode mode;
    bool is_protobuf; /* what AUTO wants to know of the source */
    /* Objects of another kind are dropped; NULL: any but a Table of meta.k8s.io, which stands for
     * objects that it does not contain.  Copied. */
    const char *api_version;
    const char *kind;
    /* Of what the sink holds already, from another life: then there is no list, if the server still
     * knows that version.  NULL: nothing.  Copied. */
    const char *resource_version;
    int32_t page_size; /* 0: 500 where the server reads from its database, else all in one; below 0:
                          never pages */
    uint32_t watch_seconds;      /* at least, twice that at most; 0: 300 */
    uint32_t idle_ms;            /* handed on with each watch */
    uint32_t internal_retry_ms;  /* how long, from the first one on, an ERROR event of 500 means
                                    watch again and not list; 0: never */
    bool has_unordered_versions; /* versions of the source are no numbers that rise: no event is too
                                    old */
    kin__backoff_options away;   /* cap_ms 0: 1,500 */
    kin__backoff_options refused;
    uint64_t seed; /* of all that is left to chance */
    kin__reflector_sink sink;
} kin__reflector_options;

typedef struct kin__reflector kin__reflector;

/* `options` is borrowed for the call, what it points to in `sink` until free.  Fails with
 * NO_MEMORY. */
kin_err kin__reflector_new(const kin__reflector_options *options, kin__reflector **out,
                           kin_error *err) KIN_MUST_CHECK;

/* Also while a call is under way: of that nothing may be told any more.  NULL is ignored. */
void kin__reflector_free(kin__reflector *reflector);
KIN__DEFINE_AUTO(kin__reflector, kin__reflector_free)

/* Begins, or goes on where it was stopped. */
void kin__reflector_start(kin__reflector *reflector, int64_t now_ms);

/* Ends what is under way; the next actions are CANCEL (if there is anything) and STOPPED.  Nothing
 * is told to the sink from here on. */
void kin__reflector_stop(kin__reflector *reflector, int64_t now_ms);

/* What to do now.  LIST, WATCH and CANCEL are said once. */
kin__action kin__reflector_next(kin__reflector *reflector, int64_t now_ms);

/* ---- what came of it; ignored when nothing is under way, or it is to be cancelled --------- */

/* An object of a page, borrowed. */
void kin__reflector_object(kin__reflector *reflector, kin_object *object, int64_t now_ms);

/* The server has accepted the watch. */
void kin__reflector_opened(kin__reflector *reflector, int64_t now_ms);

/* An event of the watch, borrowed. */
void kin__reflector_event(kin__reflector *reflector, const kin_event *event, int64_t now_ms);

/* The page or watch has ended; after CANCEL too. */
void kin__reflector_end(kin__reflector *reflector, const kin__call_end *end, int64_t now_ms);

/* ---- how it stands -------------------------------------------------------------------------- */

typedef struct kin__reflector_status {
    kin__reflector_state state;
    bool is_synced;           /* the sink has been told a whole state; stays so */
    kin_str resource_version; /* everything up to it was told; borrowed until the next input */
    const kin_error *error;   /* the last failure; NULL: none yet; borrowed as above */
    int64_t error_at_ms;
    uint64_t failures; /* that were told, routine ones apart */
    uint64_t lists;    /* pages that were asked for, probes included */
    uint64_t watches;
    uint64_t replaces;
    uint64_t events;    /* changes that were told, or are part of what was told by replace */
    uint64_t bookmarks; /* that came */
    uint64_t unwanted;  /* objects of another kind, dropped */
    uint64_t stale;     /* events that were not newer than what was told, dropped */
    size_t collected;   /* objects of a whole that is not told yet */
} kin__reflector_status;

kin__reflector_status kin__reflector_look(const kin__reflector *reflector);

#endif /* KIN_CACHE_REFLECTOR_H */
