/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demo_test.c - kin demo, where there is no terminal.
 */
#include "unit/cli/script.h"

TEST(demo, shows_a_cluster_that_lives)
{
    until = " changes, watching)";

    ASSERT_EQ(run("demo --duration 0 --pods 20 --nodes 3 --rate 200 --seed 1"), 0);

    ASSERT_STR_EQ(err_chars, "");
    ASSERT_CONTAINS(out_chars, "informers of a simulated cluster https://127.0.0.1:");
    ASSERT_CONTAINS(out_chars, "memory of all ");
}

TEST(demo, shows_what_changes)
{
    until = "pods        MODIFIED";

    ASSERT_EQ(run("demo --duration 0 --pods 20 --nodes 3 --rate 500 --seed 1"), 0);
}

TEST(demo, ends_by_itself)
{
    setenv("DEMO_SECONDS", "0.3", 1);

    ASSERT_EQ(run("demo --pods 5"), 0);
}

TEST(demo, refuses_a_time_that_is_none)
{
    setenv("DEMO_SECONDS", "soon", 1);

    expect("demo", 2, "",
           "kin: DEMO_SECONDS is \"soon\", and should be a number\nkin: see kin demo --help\n");
}
