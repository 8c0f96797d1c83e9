/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/fill.h - the cluster as it stands when a simulation begins.
 *
 * Everything has come to rest: all pods are ready, all counts add up.
 */
#ifndef KIN_SIMULATE_FILL_H
#define KIN_SIMULATE_FILL_H

#include "simulate/cluster.h"

/* Makes the model and writes all of it: owners before what they own. */
kin_err kin__sim_fill(kin__cluster *cluster, const kin_simulation_options *options,
                      kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SIMULATE_FILL_H */
