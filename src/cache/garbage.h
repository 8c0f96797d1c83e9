/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/garbage.h - what was dropped, until nobody can see it.
 *
 * A part is seen by the versions from its birth to its drop.  Of those, some may be held by
 * snapshots, and some read in read sections.  What a version drops is kept by the newest snapshot
 * that shows it; when that ends, by the next older one that does; when there is none, until all
 * read sections have ended that were open then.  So a snapshot keeps no more than it shows, however
 * many versions have come since.
 *
 * It belongs to a store and its snapshots together, and lives as long as the last of them.
 *
 * Threading: thread-safe.  Nobody waits for more than a few steps of somebody else, however much is
 * released.
 */
#ifndef KIN_CACHE_GARBAGE_H
#define KIN_CACHE_GARBAGE_H

#include <stdatomic.h>

#include "base/list.h"
#include "cache/part.h"
#include "kin/store.h"

typedef struct kin__version kin__version;
typedef struct kin__garbage kin__garbage;

struct kin_snapshot {
    kin_view view;
    kin__garbage *garbage;
    uint64_t number; /* of its version */
    kin__link link;  /* among the garbage's snapshots */
    bool is_ending;
    kin__pile kept;
};

/* NULL when there is no memory. */
kin__garbage *kin__garbage_new(void) KIN_MUST_CHECK;

/* The store's end: nobody reads any more, and snapshots live on. */
void kin__garbage_leave(kin__garbage *garbage);

/* Makes `version` what `place` shows. */
void kin__garbage_publish(kin__garbage *garbage, _Atomic(kin__version *) *place,
                          kin__version *version);

/* Takes over what version `number`, which was just published, dropped. */
void kin__garbage_take(kin__garbage *garbage, kin__pile *dropped, uint64_t number);

/* Releases what nobody can see any more.  True: something waits for read sections. */
bool kin__garbage_collect(kin__garbage *garbage);

/* The same, and tells of what waits: for who writes the store now and then. */
void kin__garbage_nudge(kin__garbage *garbage);

/* Who is told, under the lock of the garbage, when a nudge or the end of a snapshot leaves
 * something that waits for read sections; NULL: nobody. */
void kin__garbage_on_unread(kin__garbage *garbage, void (*fn)(void *context), void *context);

/* Makes `snapshot` one of what `place` shows. */
void kin__garbage_add(kin__garbage *garbage, kin_snapshot *snapshot,
                      _Atomic(kin__version *) *place);

/* Ends it; its memory stays. */
void kin__garbage_remove(kin_snapshot *snapshot);

/* How many parts were dropped and are still here; what is just being sorted out is left out. */
size_t kin__garbage_count(kin__garbage *garbage);

#endif /* KIN_CACHE_GARBAGE_H */
