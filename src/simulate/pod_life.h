/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/pod_life.h - pods from their making to their end, and what is written about them.
 *
 *     created ─► (unschedulable) ─► scheduled ─► starting ─► running ─► ready ◄─► crashed
 *                                 deleted, from any of them ─► stopped ─► gone
 *
 * Each function makes one write or none, and sees to it that whoever has to know is looked at.
 */
#ifndef KIN_SIMULATE_POD_LIFE_H
#define KIN_SIMULATE_POD_LIFE_H

#include "simulate/cluster.h"

/* A new one of `set`. */
kin_err kin__pod_make(kin__cluster *cluster, uint32_t set, kin__sim_outcome *outcome,
                      kin_error *err) KIN_MUST_CHECK;

/* One stage on.  Idle for a pod that is ready and stays. */
kin_err kin__pod_advance(kin__cluster *cluster, uint32_t pod, kin__sim_outcome *outcome,
                         kin_error *err) KIN_MUST_CHECK;

/* The container of a ready pod ends. */
kin_err kin__pod_crash(kin__cluster *cluster, uint32_t pod, kin_error *err) KIN_MUST_CHECK;

/* Asks it to go; one that is on no node is gone at once. */
kin_err kin__pod_delete(kin__cluster *cluster, uint32_t pod, kin__sim_outcome *outcome,
                        kin_error *err) KIN_MUST_CHECK;

kin_err kin__slice_update(kin__cluster *cluster, uint32_t slice, kin_error *err) KIN_MUST_CHECK;

/* Records the event of a task; or, when there are too many, removes the oldest one and leaves the
 * task for later.  Idle when what it is about has gone. */
kin_err kin__event_record(kin__cluster *cluster, const kin__sim_task *task,
                          kin__sim_outcome *outcome, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SIMULATE_POD_LIFE_H */
