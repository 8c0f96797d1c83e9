/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/inside.h - what the calling thread is inside of.
 *
 * Some functions of the program are called while others may be waiting for them to return.  Whoever
 * is about to wait asks here whether it would be for itself.
 *
 * Threading: each thread has its own.
 */
#ifndef KIN_BASE_INSIDE_H
#define KIN_BASE_INSIDE_H

#include <stdbool.h>

typedef enum kin__inside {
    KIN__INSIDE_HANDLER,  /* a function of a handler: who ends that handler may wait for it */
    KIN__INSIDE_BLOCKING, /* ... of one that blocks: its informer may wait for it */
    KIN__INSIDE_CHANGE,   /* a change of a store: the store's loop may wait for it */
    KIN__INSIDE_LOOP,     /* a loop: what it has to do waits for it */
    /* A reconcile: who ends its controller waits for it.  It may wait for all else. */
    KIN__INSIDE_RECONCILE,
    KIN__INSIDES
} kin__inside;

/* In pairs, inside each other. */
void kin__inside_enter(kin__inside what);
void kin__inside_leave(kin__inside what);

bool kin__inside_is(kin__inside what);

/* In any of them but a reconcile: who waits for what these are part of might wait for itself. */
bool kin__inside_is_any(void);

#endif /* KIN_BASE_INSIDE_H */
