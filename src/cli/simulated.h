/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/simulated.h - the cluster that --pods, --nodes, --rate and --seed ask for.
 */
#ifndef KIN_CLI_SIMULATED_H
#define KIN_CLI_SIMULATED_H

#include "cli/options.h"
#include "kin/testing/simulation.h"

/* Whether one of them was given. */
bool kin__cli_simulated_is_wanted(const kin__cli_options *options);

/* A cluster that changes from now on, as `options` says; release with kin_simulation_free().
 * Fails as kin_simulation_new(). */
kin_err kin__cli_simulated_start(kin_server *server, const kin__cli_options *options,
                                 kin_simulation **out, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CLI_SIMULATED_H */
