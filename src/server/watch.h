/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/watch.h - the watches that are open.
 *
 * A watch has a place in the history of its collection and no queue: when its connection can send,
 * it takes what comes next.  One that stays behind until its place has been forgotten ends, as on a
 * real server.  All watches of a collection are woken together, once a round of the loop.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_WATCH_H
#define KIN_SERVER_WATCH_H

#include "server/deed.h"

typedef struct kin__watchers kin__watchers;

kin_err kin__watchers_new(kin__engine *engine, kin__watchers **out, kin_error *err) KIN_MUST_CHECK;
void kin__watchers_free(kin__watchers *watchers); /* when no watch is open any more */
KIN__DEFINE_AUTO(kin__watchers, kin__watchers_free)

size_t kin__watchers_count(const kin__watchers *watchers);    /* open now */
uint64_t kin__watchers_events(const kin__watchers *watchers); /* ever sent, bookmarks included */

/* A bookmark for each that asked for some, soon. */
void kin__watchers_bookmark(kin__watchers *watchers);

/* Every watch looks again whether its resource is still served. */
void kin__watchers_look(kin__watchers *watchers);

/* Calls `fn` for each open watch, which may change what is to go wrong with it (`spoil`, whose
 * `after` counts from now) and is woken when it returns true. */
typedef struct kin__watch_about {
    kin__served *served;
    kin_str ns;   /* empty: all */
    kin_str name; /* selected by metadata.name; empty: none was */
    kin_str path; /* of the request */
} kin__watch_about;

void kin__watchers_each(kin__watchers *watchers,
                        bool (*fn)(void *context, const kin__watch_about *about, kin__spoil *spoil),
                        void *context);

#endif /* KIN_SERVER_WATCH_H */
