/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/epoch.h - when nobody can be reading any more what was taken out of sight.
 *
 * A thread is inside between kin__epoch_enter() and kin__epoch_leave(), and may enter again while
 * it is.  Whoever takes something out of sight (an atomic store, seq_cst, to where readers look
 * after they entered) then calls kin__epoch_turn(), and may release it once kin__epoch_is_over()
 * says so for what that returned.
 *
 * Nobody ever waits, and nothing allocates.  A thread is known from its first enter on, and
 * forgotten when it ends; one that ends inside is taken out.
 *
 * The first KIN__EPOCH_THREADS threads have a place of their own.  Those beyond share a count:
 * nothing is released while one of them is inside.
 *
 * Threading: thread-safe.  Enter and leave of one pair happen on one thread.
 */
#ifndef KIN_CACHE_EPOCH_H
#define KIN_CACHE_EPOCH_H

#include "kin/common.h"

#define KIN__EPOCH_THREADS 1024

typedef struct kin__reader kin__reader; /* a thread's own */

/* Never NULL. */
kin__reader *kin__epoch_enter(void);
void kin__epoch_leave(kin__reader *reader);

uint64_t kin__epoch_turn(void);
bool kin__epoch_is_over(uint64_t turn);

/* In the child after fork(): only the calling thread is left. */
void kin__epoch_forget_others(void);

#endif /* KIN_CACHE_EPOCH_H */
