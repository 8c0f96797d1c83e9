/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pace_test.c - so many changes a second, evenly spread.
 */
#include "simulate/pace.h"

#include "support/test.h"

#define SECOND_NS INT64_C(1000000000)

TEST(pace, makes_one_at_a_time_when_it_is_asked_in_time)
{
    kin__sim_pace pace = { .rate = 3, .began_ns = 5 };
    uint64_t made = 0;

    for (int i = 0; i < 3000; i++) {
        int64_t next_ns = kin__sim_pace_next_ns(&pace);
        ASSERT_EQ(kin__sim_pace_take(&pace, next_ns - 1), 0);
        ASSERT_EQ(kin__sim_pace_take(&pace, next_ns), 1);
        made++;
    }

    ASSERT_EQ(made, 3000);
    ASSERT_EQ(kin__sim_pace_next_ns(&pace), 5 + 1000 * SECOND_NS + 333333334);
}

TEST(pace, catches_up_in_bursts_of_a_tenth_of_a_second)
{
    kin__sim_pace pace = { .rate = 100, .began_ns = 0 };

    ASSERT_EQ(kin__sim_pace_take(&pace, SECOND_NS / 2), 10);
    ASSERT_EQ(kin__sim_pace_take(&pace, SECOND_NS / 2), 10);
    ASSERT_EQ(kin__sim_pace_take(&pace, SECOND_NS / 2), 10);
    ASSERT_EQ(kin__sim_pace_take(&pace, SECOND_NS / 2), 10);
    ASSERT_EQ(kin__sim_pace_take(&pace, SECOND_NS / 2), 10);
    ASSERT_EQ(kin__sim_pace_take(&pace, SECOND_NS / 2), 0);
}

TEST(pace, lets_go_of_what_is_more_than_a_second_late)
{
    kin__sim_pace pace = { .rate = 10, .began_ns = 0 };
    uint64_t made = 0;

    while (kin__sim_pace_take(&pace, 3600 * SECOND_NS) > 0) {
        made++;
    }

    ASSERT_EQ(made, 10);
    ASSERT_EQ(kin__sim_pace_next_ns(&pace), 3600 * SECOND_NS + SECOND_NS / 10);
}

TEST(pace, does_not_overflow_in_a_hundred_years_at_the_highest_rate)
{
    kin__sim_pace pace = { .rate = 1000000, .began_ns = 0 };
    int64_t now_ns = 100 * 365 * (86400 * SECOND_NS);

    ASSERT_EQ(kin__sim_pace_take(&pace, now_ns), 100000);

    ASSERT_TRUE(kin__sim_pace_next_ns(&pace) > now_ns - SECOND_NS);
    ASSERT_TRUE(kin__sim_pace_next_ns(&pace) < now_ns);
}
