/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulated.c - the cluster that --pods, --nodes, --rate and --seed ask for.
 */
#include "cli/simulated.h"

#include <time.h>

static uint32_t number(int64_t given);

bool kin__cli_simulated_is_wanted(const kin__cli_options *options)
{
    return options->pods > 0 || options->nodes > 0 || options->rate >= 0 || options->seed >= 0;
}

/* It begins now, so that ages are what they would be. */
kin_err kin__cli_simulated_start(kin_server *server, const kin__cli_options *options,
                                 kin_simulation **out, kin_error *err)
{
    kin_simulation_options own = KIN_SIMULATION_OPTIONS_INIT;
    kin_simulation *simulation = NULL;

    own.pods = number(options->pods);
    own.nodes = number(options->nodes);
    own.rate = number(options->rate);
    own.seed = options->seed > 0 ? (uint64_t) options->seed : 0;
    own.start_s = (int64_t) time(NULL);
    kin_err code = kin_simulation_new(server, &own, &simulation, err);
    if (code == KIN_OK && options->rate != 0) {
        code = kin_simulation_start(simulation, err);
    }
    if (code != KIN_OK) {
        kin_simulation_free(simulation);
        return code;
    }
    *out = simulation;
    return KIN_OK;
}

/* What was not given is for the simulation to choose. */
static uint32_t number(int64_t given)
{
    return given > 0 ? (uint32_t) given : 0;
}
