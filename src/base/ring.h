/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/ring.h - a queue of pointers: first in, first out.
 *
 * All zero is an empty ring without a bound; `limit` may be set before the first push.  The
 * items are the caller's and never NULL.  The ring grows as needed and gives memory back after
 * a burst.
 *
 * Threading: confined.
 */
#ifndef KIN_BASE_RING_H
#define KIN_BASE_RING_H

#include "base/cleanup.h"
#include "kin/common.h"

typedef struct kin__ring {
    void **items;    /* owned */
    size_t capacity; /* 0 or a power of two */
    size_t first;    /* the place of the oldest */
    size_t count;
    size_t limit; /* items at most; 0: no bound */
} kin__ring;

/* Forgets the items and the bound. */
void kin__ring_fini(kin__ring *ring);
KIN__DEFINE_AUTO_FINI(kin__ring, kin__ring_fini)

/* Fails with LIMIT when the ring is full, with NO_MEMORY, and then leaves it as it was. */
kin_err kin__ring_push(kin__ring *ring, void *item, kin_error *err) KIN_MUST_CHECK;

/* The oldest, taken out; NULL when the ring is empty. */
void *kin__ring_pop(kin__ring *ring);

#endif /* KIN_BASE_RING_H */
