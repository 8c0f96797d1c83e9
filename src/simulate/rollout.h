/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/rollout.h - deployments and replica sets: what their controllers do.
 *
 * Each function makes one write or none, and sees to it that whoever has to know is looked at.
 */
#ifndef KIN_SIMULATE_ROLLOUT_H
#define KIN_SIMULATE_ROLLOUT_H

#include "simulate/cluster.h"

/* Somebody wants a new version.  False: not now. */
bool kin__deployment_can_roll(const kin__cluster *cluster, uint32_t deployment);
kin_err kin__deployment_roll(kin__cluster *cluster, uint32_t deployment,
                             kin_error *err) KIN_MUST_CHECK;

/* Somebody wants `replicas` of it.  False: not now, or not so many or few. */
bool kin__deployment_can_scale(const kin__cluster *cluster, uint32_t deployment, uint32_t replicas);
kin_err kin__deployment_scale(kin__cluster *cluster, uint32_t deployment, uint32_t replicas,
                              kin_error *err) KIN_MUST_CHECK;

/* The next thing to do: a new replica set, another number of replicas for one, a status, an old one
 * less. */
kin_err kin__deployment_sync(kin__cluster *cluster, uint32_t deployment, kin__sim_outcome *outcome,
                             kin_error *err) KIN_MUST_CHECK;

/* The next thing to do: a pod more, a pod less, a status. */
kin_err kin__set_sync(kin__cluster *cluster, uint32_t set, kin__sim_outcome *outcome,
                      kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SIMULATE_ROLLOUT_H */
