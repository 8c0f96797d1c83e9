/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/leader.h - a leader, as controllers see it.
 */
#ifndef KIN_CONTROLLER_LEADER_H
#define KIN_CONTROLLER_LEADER_H

#include "base/list.h"
#include "kin/leader.h"

/*
 * Somebody who acts only while it leads.  `fn` is called on the leader's own thread each time that
 * begins (true) and ends (false), before the program's functions at the end and after them at the
 * beginning; it may wait.  The Lease is let go of only after it has returned.
 */
typedef struct kin__leader_seat {
    kin__link link; /* of the leader */
    void (*fn)(void *context, bool is_leading);
    void *context;
    bool is_told; /* the leader's: that it leads */
} kin__leader_seat;

/* From now on; when it leads already, `fn` is told so, on that thread too. */
void kin__leader_attend(kin_leader *leader, kin__leader_seat *seat);

/* When this returns `fn` does not run, and is not called any more; not from `fn`. */
void kin__leader_leave(kin_leader *leader, kin__leader_seat *seat);

/* Whether this is that thread: who waits here for a seat to be told something waits in vain. */
bool kin__leader_is_teller(const kin_leader *leader);

#endif /* KIN_CONTROLLER_LEADER_H */
