/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/guard.h - who runs a loop while its own thread is away on an errand.
 *
 * To wake a thread for something that takes a microsecond costs more than that thing.  So the
 * loop's own thread can do it, between two rounds and outside of the loop, while another thread
 * stands guard: that one sleeps until there is something to do on the loop, and only if the loop's
 * own thread is not back by then it runs the loop, for as long as that is away.
 *
 * There is at least one of the two with the loop, always: the own thread leaves only a loop that is
 * guarded, and a guard that is dismissed stays until it is back.
 */
#ifndef KIN_NET_GUARD_H
#define KIN_NET_GUARD_H

#include "kin/loop.h"

typedef struct kin__errand {
    void (*run)(void *context); /* on the loop's own thread, which is not on the loop */
    void *context;
} kin__errand;

/* To be done once the round has ended.  False, and nothing is done: this is not the loop's own
 * thread, on the loop or on an errand; it has another errand to do; or nobody stands guard. */
bool kin__loop_send(kin_loop *loop, const kin__errand *errand);

/* Stands guard until it is dismissed.  False: the loop has no thread of its own, that is to end, or
 * has a guard already.  By a thread of the library, on no loop.  Before the loop is freed it has
 * returned. */
bool kin__loop_stand_guard(kin_loop *loop);

/* Who stands guard, or is about to, is to return.  False: not before the loop's own thread is back.
 * Any thread. */
bool kin__loop_dismiss_guard(kin_loop *loop);

#endif /* KIN_NET_GUARD_H */
