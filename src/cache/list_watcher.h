/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/list_watcher.h - what a reflector asks of a source, and what it is told.
 *
 * A source lists a resource and watches it: an API server, or a script in a test.  A reflector
 * (cache/reflector.h) never calls it; whoever drives the reflector carries out the actions below,
 * one call at a time, and tells what came of each.
 */
#ifndef KIN_CACHE_LIST_WATCHER_H
#define KIN_CACHE_LIST_WATCHER_H

#include "kin/common.h"

/* "For an input": the moment that never comes. */
#define KIN__NEVER INT64_MAX

/* How to get the whole state. */
typedef enum kin__start_mode {
    KIN__START_AUTO, /* whichever suits the encoding: measured, LIST is twice as fast in JSON, a
                        streaming list a third faster in protobuf */
    KIN__START_LIST, /* a list, then a watch from its version */
    KIN__START_WATCH_LIST /* a watch that begins with the whole state; a list where the server does
                             not do that */
} kin__start_mode;

/*
 * One page of a list; never more than one, whatever the answer says of others.  Strings are
 * terminated, and borrowed until the next input.
 *
 * The driver is to ask without repeats of its own (of 429, 5xx or cut connections): waiting is the
 * reflector's business, and a version that is too large would be asked for ten times over.
 */
typedef struct kin__list_ask {
    const char *resource_version; /* "": the newest; "0": any; else not older than this */
    const char *match;            /* resourceVersionMatch; NULL: none */
    const char *continue_token;   /* NULL: the first page */
    uint32_t limit;               /* objects; 0: all of them */
    bool is_probe; /* only the version of the answer and its error are wanted: nothing need be kept
                      or looked up */
} kin__list_ask;

/* A watch, with bookmarks. */
typedef struct kin__watch_ask {
    const char *resource_version; /* as above */
    const char *match;            /* "NotOlderThan" with initial_events, else NULL */
    uint32_t timeout_seconds;     /* when the server is to end it */
    bool initial_events;          /* sendInitialEvents=true */
    uint32_t idle_ms;             /* how long it may be silent; 0: the driver's default */
} kin__watch_ask;

typedef enum kin__action_type {
    KIN__ACTION_WAIT,   /* nothing to do until `until_ms`, or until an input */
    KIN__ACTION_LIST,   /* begin this; the reflector takes it to be under way from now on */
    KIN__ACTION_WATCH,  /* ... */
    KIN__ACTION_CANCEL, /* end what is under way; its end is told as any other */
    KIN__ACTION_STOPPED /* nothing is under way, and nothing will be until start */
} kin__action_type;

typedef struct kin__action {
    kin__action_type type;
    int64_t until_ms; /* of WAIT; KIN__NEVER: for an input */
    kin__list_ask list;
    kin__watch_ask watch;
} kin__action;

/* How a call ended.  Borrowed for the call that tells it; strings may be NULL. */
typedef struct kin__call_end {
    const kin_error *error;       /* NULL: all went well; also a watch that the server ended */
    const char *cause;            /* of an error: the reason of its first cause */
    const char *resource_version; /* of a page: the version of the list */
    const char *continue_token;   /* of a page: for the next one */
} kin__call_end;

#endif /* KIN_CACHE_LIST_WATCHER_H */
