/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/reflector_state.h - what the parts of the reflector share.
 *
 * reflector.c says what to do next, reflector_event.c takes what arrives, reflector_end.c decides
 * what follows the end of a call.
 */
#ifndef KIN_CACHE_REFLECTOR_STATE_H
#define KIN_CACHE_REFLECTOR_STATE_H

#include "base/buf.h"
#include "base/kept_error.h"
#include "cache/initial.h"
#include "cache/reflector.h"

/* What is under way, or comes next. */
typedef enum kin__plan {
    KIN__PLAN_LIST,   /* a page */
    KIN__PLAN_STREAM, /* a streaming list; becomes WATCH when its end has come */
    KIN__PLAN_WATCH,
    KIN__PLAN_PROBE /* whether the server has got as far as our version */
} kin__plan;

/* Why we want what is under way to end. */
typedef enum kin__ending {
    KIN__ENDING_NONE,    /* it ends by itself */
    KIN__ENDING_EVENT,   /* an ERROR event, or one that cannot be; `error` is it */
    KIN__ENDING_SINK,    /* the sink did not take something; `error` is why */
    KIN__ENDING_LOCAL,   /* no memory, before the sink was asked; `error` is that */
    KIN__ENDING_SLOW,    /* a streaming list that does not end */
    KIN__ENDING_NO_OPEN, /* a watch that does not open */
    KIN__ENDING_RESTART  /* it was stopped, and started again before its end came */
} kin__ending;

struct kin__reflector {
    kin__reflector_options options; /* api_version and kind lie in `names` */
    kin__buf names;
    kin__backoff away;
    kin__backoff refused;
    kin__backoff starting; /* always the first wait of `refused` */
    uint64_t random;

    bool has_started; /* once */
    bool is_running;
    bool is_stopping;
    kin__plan plan;
    int64_t due_at; /* when it begins, while it is not under way */
    bool is_under_way;
    bool wants_cancel;
    bool has_told_cancel;
    kin__ending ending;
    kin__reflector_state doing; /* what is under way, or was last */

    kin__buf version; /* all up to it was told; terminated; empty: none that a watch can begin at */
    bool is_unavailable; /* the server does not have that version: list the newest */
    bool is_doubtful;    /* the server may have another past by now: ask before the next watch */
    bool is_synced;

    /* The whole state, while it comes. */
    kin__initial initial;
    kin__buf page_version;     /* what the first page said; terminated */
    kin__buf continue_token;   /* of the next page; terminated; empty: it is the first */
    const char *first_version; /* of the first page's ask: "", "0" or `version` */
    uint32_t limit;            /* of this list */
    bool is_full;              /* pages have expired: all in one */
    bool is_paged;             /* the server sends pages even of "any" version */
    uint32_t page_failures;    /* in a row */
    int64_t no_stream_until;   /* the server does not do streaming lists */
    uint32_t stream_cuts;      /* in a row; as the next one */
    uint32_t stream_throttles;

    /* The stream that is under way. */
    int64_t asked_at;
    int64_t opened_at;   /* -1: not yet */
    int64_t progress_at; /* of a streaming list */
    uint64_t signs;      /* events and bookmarks so far */
    bool is_ordered;     /* versions rise from `version` on */

    /* Watches in a row that came to nothing: failed; ended within a second, with events; expired.
     */
    uint32_t watch_failures;
    uint32_t quick_ends;
    uint32_t expiries;
    uint32_t starting_denials; /* how many more are put down to a server that starts */
    int64_t internal_since;    /* the first ERROR event of 500 of those in a row; -1: none */
    int64_t internal_last;

    kin__kept_error error;
    int64_t error_at;             /* when it was told; -1: none yet */
    kin__reflector_state trouble; /* NEW: none */
    bool has_told_unwanted;
    bool has_told_stale;
    uint64_t failures;
    uint64_t lists;
    uint64_t watches;
    uint64_t replaces;
    uint64_t events;
    uint64_t bookmarks;
    uint64_t unwanted;
    uint64_t stale;
};

/* The whole state from its beginning, by list or stream. */
void kin__reflector_fetch(kin__reflector *reflector, int64_t now_ms);

/* Forgets what has come of a whole state. */
void kin__reflector_drop_partial(kin__reflector *reflector);

/* What is under way is to end, for that reason; and because of `err`, which is kept. */
void kin__reflector_cancel(kin__reflector *reflector, kin__ending ending);
void kin__reflector_fail(kin__reflector *reflector, kin__ending ending, const kin_error *err);

/* The server answers. */
void kin__reflector_works(kin__reflector *reflector);

/* Tells the sink what was collected. */
kin_err kin__reflector_publish(kin__reflector *reflector, kin_str version,
                               kin_error *err) KIN_MUST_CHECK;

/* Whether `version` is older than what was told; false where that cannot be said. */
bool kin__reflector_is_behind(const kin__reflector *reflector, kin_str version);

/* Whether an object is of the kind we want; one that is not is counted. */
bool kin__reflector_wants(kin__reflector *reflector, const kin_object *object, int64_t now_ms);

/* Keeps and tells `err`, and when the next attempt comes. */
void kin__reflector_tell(kin__reflector *reflector, const kin_error *err, bool is_routine,
                         int64_t now_ms);

#endif /* KIN_CACHE_REFLECTOR_STATE_H */
