/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/watch_state.h - what one watch is made of; for watch.c, watch_stream.c and watchers.c.
 *
 * Its phases, in order: WAITING (for a revision that is yet to come), INITIAL (the state it began
 * with, object by object), END_BOOKMARK, LIVE (changes and bookmarks as they come), and OVER.
 */
#ifndef KIN_SERVER_WATCH_STATE_H
#define KIN_SERVER_WATCH_STATE_H

#include "base/list.h"
#include "server/frame.h"
#include "server/table_view.h"
#include "server/watch.h"

typedef enum kin__watch_phase {
    KIN__WATCH_WAITING,
    KIN__WATCH_INITIAL,
    KIN__WATCH_END_BOOKMARK,
    KIN__WATCH_LIVE,
    KIN__WATCH_OVER
} kin__watch_phase;

typedef struct kin__hall kin__hall;

typedef struct kin__watching {
    kin__link link; /* in its hall */
    kin__hall *hall;
    kin__engine *engine;
    kin__visit *visit;   /* NULL: nobody waits, it is read once */
    kin__served *served; /* a reference */
    kin__filter *filter; /* owned */
    kin__form form;
    kin__watch_phase phase;
    kin__listing initial;
    size_t initial_next;
    uint64_t initial_revision; /* at which `initial` was taken; WAITING: that is waited for */
    uint64_t next_change;      /* by number, when LIVE */
    uint64_t start_revision;   /* changes and bookmarks up to it are not told */
    bool is_websocket;         /* each event is a message, whose head comes before it */
    bool wants_bookmarks;
    bool wants_initial_end;
    bool is_bookmark_due;
    bool is_late; /* the time of WAITING is over */
    int64_t deadline_ms;
    kin__timer deadline;
    kin__timer bookmark;
    kin__timer stall; /* ends one */
    kin__spoil spoil;
    uint64_t events; /* sent since the spoil was set */
    bool is_stalled;
    kin__table_view *table; /* owned; NULL: no Table was asked for */
    kin__frame *error;      /* owned: sent before the end; NULL: none */
    /* What the pieces that were given last lie in. */
    kin__frame *held[KIN__BODY_PIECES];
    size_t held_count;
    kin__buf leads;
    kin_str name; /* selected by metadata.name; in `words` */
    kin_str path; /* of the request; in `words` */
    kin__buf words;
} kin__watching;

/* Puts it into the hall of its collection; it hears of changes from then on.  Fails with
 * NO_MEMORY. */
kin_err kin__watching_enter(kin__watching *watch, kin_error *err) KIN_MUST_CHECK;
void kin__watching_leave(kin__watching *watch);

/* Timers of an open watch. */
kin_err kin__watching_set_timers(kin__watching *watch, kin_error *err) KIN_MUST_CHECK;

/* What will be sent next; the `next` and `release` of its body. */
kin__body_state kin__watching_next(void *watch, kin__body_pieces *out);
void kin__watching_release(void *watch);

/* Takes the state that it begins with.  False when there is no memory. */
bool kin__watching_take_initial(kin__watching *watch, uint64_t revision);

void kin__watchers_count_event(kin__watchers *watchers);

#endif /* KIN_SERVER_WATCH_STATE_H */
