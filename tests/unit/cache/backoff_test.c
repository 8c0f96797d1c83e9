/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backoff_test.c - waits grow, spread, and begin anew after a healthy period only.
 */
#include "cache/backoff.h"

#include "support/test.h"

static kin__backoff without_chance(void)
{
    kin__backoff_options options = { .jitter_percent = -1 };
    kin__backoff backoff;

    kin__backoff_init(&backoff, &options, 1);
    return backoff;
}

TEST(backoff, doubles_from_0_8_to_30_seconds)
{
    static const uint32_t waits[] = { 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000 };
    kin__backoff backoff = without_chance();

    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        ASSERT_EQ(kin__backoff_failed(&backoff, 0), waits[i]);
    }
}

TEST(backoff, is_as_the_options_say)
{
    kin__backoff_options options = { .first_ms = 10, .cap_ms = 100, .jitter_percent = -1 };
    kin__backoff backoff;
    uint32_t sum = 0;

    kin__backoff_init(&backoff, &options, 1);
    for (int i = 0; i < 5; i++) {
        sum += kin__backoff_failed(&backoff, 0);
    }

    ASSERT_EQ(sum, 10 + 20 + 40 + 80 + 100);
}

TEST(backoff, begins_no_higher_than_its_cap)
{
    kin__backoff_options options = { .cap_ms = 100, .jitter_percent = -1 };
    kin__backoff backoff;

    kin__backoff_init(&backoff, &options, 1);

    ASSERT_EQ(kin__backoff_failed(&backoff, 0), 100);
}

TEST(backoff, spreads_each_wait_up_to_twice_its_length)
{
    kin__backoff_options options = { .first_ms = 1000, .cap_ms = 1000 };
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;

    for (uint64_t seed = 0; seed < 1000; seed++) {
        kin__backoff backoff;

        kin__backoff_init(&backoff, &options, seed);
        uint32_t ms = kin__backoff_failed(&backoff, 0);
        least = ms < least ? ms : least;
        most = ms > most ? ms : most;
    }

    ASSERT_TRUE(least >= 1000 && least < 1050);
    ASSERT_TRUE(most < 2000 && most > 1950);
}

TEST(backoff, gives_the_same_waits_for_the_same_seed)
{
    kin__backoff_options options = { 0 };
    kin__backoff one, other;

    kin__backoff_init(&one, &options, 7);
    kin__backoff_init(&other, &options, 7);

    for (int i = 0; i < 10; i++) {
        ASSERT_EQ(kin__backoff_failed(&one, 0), kin__backoff_failed(&other, 0));
    }
}

TEST(backoff, begins_anew_after_a_healthy_period)
{
    kin__backoff backoff = without_chance();

    kin__backoff_failed(&backoff, 0);
    kin__backoff_failed(&backoff, 1000);
    kin__backoff_good(&backoff, 2000);
    kin__backoff_good(&backoff, 20000);

    ASSERT_EQ(kin__backoff_failed(&backoff, 32000), 800);
}

TEST(backoff, does_not_begin_anew_for_a_moment_of_health)
{
    kin__backoff backoff = without_chance();

    kin__backoff_failed(&backoff, 0);
    kin__backoff_failed(&backoff, 1000);
    kin__backoff_good(&backoff, 2000);

    ASSERT_EQ(kin__backoff_failed(&backoff, 31999), 3200);
}

TEST(backoff, does_not_begin_anew_because_time_passes)
{
    kin__backoff backoff = without_chance();

    kin__backoff_failed(&backoff, 0);
    kin__backoff_failed(&backoff, 10000000);

    ASSERT_EQ(kin__backoff_failed(&backoff, 20000000), 3200);
}

TEST(backoff, counts_health_from_the_last_failure_on)
{
    kin__backoff backoff = without_chance();

    kin__backoff_good(&backoff, 0);
    kin__backoff_failed(&backoff, 40000);
    kin__backoff_failed(&backoff, 80000);
    kin__backoff_good(&backoff, 81000);

    ASSERT_EQ(kin__backoff_failed(&backoff, 90000), 3200);
}

TEST(backoff, waits_as_long_as_it_is_asked_to_and_a_little_more)
{
    kin__backoff_options options = { 0 };
    kin__backoff backoff;

    kin__backoff_init(&backoff, &options, 1);
    for (int i = 0; i < 100; i++) {
        uint32_t ms = kin__backoff_asked(&backoff, 2000);

        ASSERT_TRUE(ms >= 2000 && ms < 2500);
    }
    ASSERT_TRUE(kin__backoff_failed(&backoff, 0) < 1600);
}

TEST(backoff, waits_for_nobody_longer_than_two_minutes)
{
    kin__backoff backoff = without_chance();

    ASSERT_EQ(kin__backoff_asked(&backoff, UINT32_MAX), 120000);
}

TEST(backoff, takes_any_numbers)
{
    kin__backoff_options options = { .first_ms = UINT32_MAX,
                                     .cap_ms = UINT32_MAX,
                                     .jitter_percent = 1000 };
    kin__backoff backoff;

    kin__backoff_init(&backoff, &options, 1);
    for (int i = 0; i < 10; i++) {
        ASSERT_TRUE(kin__backoff_failed(&backoff, 0) <= 2 * 24 * 3600 * 1000);
    }
}
