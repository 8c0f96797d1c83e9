/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/version_wait.h - who waits until a store has seen a resource version.
 *
 * Versions of a source are numbers that rise: the store has seen one when that of its source is the
 * same or newer.  Where they are no numbers, when the source stands at it or the object with the
 * key has it.
 *
 * Nothing allocates.  Threading: confined.
 */
#ifndef KIN_CACHE_VERSION_WAIT_H
#define KIN_CACHE_VERSION_WAIT_H

#include "base/list.h"
#include "kin/store.h"

/* The waiter's own; borrowed, with its strings, until it is taken off. */
typedef struct kin__version_wait {
    kin__link link; /* all zero at first */
    kin_str key;
    kin_str resource_version;
    size_t source; /* from which the key's object comes */
} kin__version_wait;

/* All zero: nobody waits. */
typedef struct kin__version_waits {
    kin__list waiting;
    kin__list over;
} kin__version_waits;

/* Whether what is waited for can be seen. */
bool kin__version_wait_is_over(const kin__version_wait *wait, const kin_view *view);

void kin__version_waits_add(kin__version_waits *waits, kin__version_wait *wait);

/* Looks at all that wait. */
void kin__version_waits_look(kin__version_waits *waits, const kin_view *view);

/* Takes off one that is over, in the order they came; NULL when there is none. */
kin__version_wait *kin__version_waits_take(kin__version_waits *waits);

#endif /* KIN_CACHE_VERSION_WAIT_H */
