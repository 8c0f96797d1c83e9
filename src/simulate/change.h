/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/change.h - what happens next in a cluster.
 */
#ifndef KIN_SIMULATE_CHANGE_H
#define KIN_SIMULATE_CHANGE_H

#include "simulate/cluster.h"

/* One write: something that follows from earlier ones, or something new; most often the lease of a
 * node. */
kin_err kin__sim_change(kin__cluster *cluster, kin_error *err) KIN_MUST_CHECK;

/* One write that follows from earlier ones; idle when there is none to be made now. */
kin_err kin__sim_follow_up(kin__cluster *cluster, kin__sim_outcome *outcome,
                           kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SIMULATE_CHANGE_H */
