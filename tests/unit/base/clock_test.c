/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_test.c - the system's time, and a time of one's own.
 */
#include "base/clock.h"

#include <time.h>

#include "support/test.h"

TEST(clock, never_goes_back)
{
    const kin__clock *clock = kin__clock_real();
    int64_t before = kin__clock_now_ns(clock);

    for (int i = 0; i < 1000; i++) {
        int64_t now = kin__clock_now_ns(clock);
        ASSERT_TRUE(now >= before);
        before = now;
    }
}

static int64_t system_ns(clockid_t id)
{
    struct timespec now;
    ASSERT_EQ(clock_gettime(id, &now), 0);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

TEST(clock, is_the_systems_monotonic_clock)
{
    const kin__clock *clock = kin__clock_real();

    int64_t before = system_ns(CLOCK_MONOTONIC);
    int64_t now_ns = kin__clock_now_ns(clock);
    int64_t now_ms = kin__clock_now_ms(clock);
    int64_t after = system_ns(CLOCK_MONOTONIC);

    ASSERT_TRUE(now_ns >= before && now_ns <= after);
    ASSERT_TRUE(now_ms >= before / 1000000 && now_ms <= after / 1000000);
}

TEST(clock, knows_the_date)
{
    int64_t before = system_ns(CLOCK_REALTIME);
    kin_time wall = kin__clock_wall(kin__clock_real());
    int64_t after = system_ns(CLOCK_REALTIME);

    int64_t wall_ns = wall.seconds * 1000000000 + wall.nanoseconds;
    ASSERT_TRUE(wall_ns >= before && wall_ns <= after);
    ASSERT_TRUE(wall.nanoseconds >= 0 && wall.nanoseconds < 1000000000);
}

TEST(clock, is_the_systems_clock_since_boot)
{
    int64_t before = system_ns(CLOCK_BOOTTIME);
    int64_t boot = kin__clock_boot_ns(kin__clock_real());
    int64_t after = system_ns(CLOCK_BOOTTIME);

    ASSERT_TRUE(boot >= before && boot <= after);
    ASSERT_TRUE(kin__clock_boot_ms(kin__clock_real()) >= boot / 1000000);
}

TEST(virtual_clock, has_a_monotonic_time_that_stands_still_while_the_machine_sleeps)
{
    kin__virtual_clock clock;
    kin__virtual_clock_init(&clock, 5000, (kin_time){ 1700000000, 0 });

    kin__virtual_clock_advance(&clock, 1);
    ASSERT_EQ(kin__clock_boot_ms(&clock.clock), 5001);
    kin__virtual_clock_sleep(&clock, 2000);

    ASSERT_EQ(kin__clock_now_ms(&clock.clock), 5001);
    ASSERT_EQ(kin__clock_boot_ms(&clock.clock), 7001);
    ASSERT_EQ(kin__clock_boot_ns(&clock.clock), 7001000000);
    ASSERT_EQ(kin__clock_wall(&clock.clock).seconds, 1700000002);
    ASSERT_EQ(kin__clock_wall(&clock.clock).nanoseconds, 1000000);
}

TEST(virtual_clock, stands_still_until_it_is_advanced)
{
    kin__virtual_clock clock;
    kin__virtual_clock_init(&clock, 5000, (kin_time){ 1700000000, 250000000 });

    ASSERT_EQ(kin__clock_now_ms(&clock.clock), 5000);
    ASSERT_EQ(kin__clock_now_ns(&clock.clock), 5000000000);
    ASSERT_EQ(kin__clock_wall(&clock.clock).seconds, 1700000000);
    ASSERT_EQ(kin__clock_wall(&clock.clock).nanoseconds, 250000000);

    kin__virtual_clock_advance(&clock, 1);

    ASSERT_EQ(kin__clock_now_ms(&clock.clock), 5001);
    ASSERT_EQ(kin__clock_now_ns(&clock.clock), 5001000000);
    ASSERT_EQ(kin__clock_wall(&clock.clock).seconds, 1700000000);
    ASSERT_EQ(kin__clock_wall(&clock.clock).nanoseconds, 251000000);
}

TEST(virtual_clock, carries_nanoseconds_into_seconds)
{
    kin__virtual_clock clock;
    kin__virtual_clock_init(&clock, 0, (kin_time){ -1, 999000000 });

    kin__virtual_clock_advance(&clock, 1);
    ASSERT_EQ(kin__clock_wall(&clock.clock).seconds, 0);
    ASSERT_EQ(kin__clock_wall(&clock.clock).nanoseconds, 0);

    kin__virtual_clock_advance(&clock, 3600 * 1000 + 500);
    ASSERT_EQ(kin__clock_wall(&clock.clock).seconds, 3600);
    ASSERT_EQ(kin__clock_wall(&clock.clock).nanoseconds, 500000000);
    ASSERT_EQ(kin__clock_now_ms(&clock.clock), 3600501);
}
