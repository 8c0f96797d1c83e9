/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulated_test.c - the cluster that the options ask for.
 */
#include "cli/simulated.h"

#include "support/test.h"

static kin__cli_options options = { .pods = -1, .nodes = -1, .rate = -1, .seed = -1 };
static kin_error err;

TEST(simulated, is_wanted_when_one_of_its_options_is_given)
{
    ASSERT_FALSE(kin__cli_simulated_is_wanted(&options));
    options.seed = 0;
    ASSERT_TRUE(kin__cli_simulated_is_wanted(&options));
    options.seed = -1;
    options.pods = 5;
    ASSERT_TRUE(kin__cli_simulated_is_wanted(&options));
    options.pods = 0; /* --pods 0: none */
    ASSERT_FALSE(kin__cli_simulated_is_wanted(&options));
}

TEST(simulated, has_as_much_in_it_as_was_asked_for)
{
    kin_server *server = NULL;
    kin_simulation *simulation = NULL;
    kin_simulation_counts counts;
    options.pods = 50;
    options.nodes = 4;
    options.rate = 0; /* nothing changes */
    ASSERT_OK(kin_server_start(NULL, &server, &err));

    ASSERT_OK(kin__cli_simulated_start(server, &options, &simulation, &err));

    kin_simulation_get_counts(simulation, &counts);
    ASSERT_EQ(counts.nodes, 4);
    ASSERT_TRUE(counts.pods >= 40 && counts.pods <= 60);
    ASSERT_EQ(counts.changes, 0);
    ASSERT_OK(kin_simulation_step(simulation, 1, &err)); /* refused to who has been started */
    kin_simulation_free(simulation);
    kin_server_stop(server);
}
