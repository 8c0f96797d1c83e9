/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limiter_test.c - how long a key that failed waits.
 */
#include "queue/limiter.h"

#include <math.h>

#include "support/test.h"

static kin__limiter limiter;

static void make(const kin_limiter *wish)
{
    kin_error err;
    ASSERT_OK(kin__limiter_init(&limiter, wish, &err));
}

static int64_t delay(uint32_t n)
{
    return kin__limiter_delay_ms(&limiter, n, 0, 1000);
}

TEST(limiter, doubles_with_each_failure)
{
    kin_limiter wish = KIN_LIMITER_INIT;
    wish.base_ms = 1;
    wish.max_ms = 1000;
    make(&wish);

    ASSERT_EQ(delay(0), 1);
    ASSERT_EQ(delay(1), 2);
    ASSERT_EQ(delay(2), 4);
    ASSERT_EQ(delay(9), 512);
    ASSERT_EQ(delay(10), 1000);
}

TEST(limiter, never_doubles_past_its_maximum)
{
    kin_limiter wish = KIN_LIMITER_INIT;
    wish.base_ms = 3;
    wish.max_ms = INT64_MAX;
    make(&wish);

    for (uint32_t n = 1; n < 2000; n++) {
        ASSERT_TRUE(delay(n) >= delay(n - 1));
        ASSERT_TRUE(delay(n) > 0);
    }
    ASSERT_EQ(delay(61), 3LL << 61);
    ASSERT_EQ(delay(62), INT64_MAX);
    ASSERT_EQ(delay(UINT32_MAX), INT64_MAX);
}

TEST(limiter, doubles_up_to_a_thousand_seconds_when_nothing_else_is_said)
{
    kin_limiter wish = KIN_LIMITER_INIT;
    wish.base_ms = 5;
    make(&wish);

    ASSERT_EQ(delay(17), 5 << 17);
    ASSERT_EQ(delay(18), 1000000);
}

TEST(limiter, is_fast_so_many_times_and_then_slow)
{
    kin_limiter wish = KIN_LIMITER_INIT;
    wish.fast_ms = 5;
    wish.slow_ms = 10000;
    wish.fast_count = 3;
    make(&wish);

    ASSERT_EQ(delay(0), 5);
    ASSERT_EQ(delay(2), 5);
    ASSERT_EQ(delay(3), 10000);
    ASSERT_EQ(delay(1000), 10000);
}

TEST(limiter, lets_so_many_a_second_pass)
{
    kin_limiter wish = KIN_LIMITER_INIT;
    wish.rate = 10;
    wish.burst = 2;
    make(&wish);

    ASSERT_EQ(delay(0), 0);
    ASSERT_EQ(delay(7), 0);
    ASSERT_EQ(delay(0), 100);
    ASSERT_EQ(delay(0), 200);
    kin__limiter_give_back(&limiter);
    ASSERT_EQ(delay(0), 200);
}

TEST(limiter, takes_the_longest_of_all)
{
    kin_limiter wish = KIN_LIMITER_INIT;
    wish.base_ms = 20;
    wish.fast_ms = 30;
    wish.slow_ms = 50;
    wish.fast_count = 2;
    wish.rate = 10;
    wish.burst = 4;
    make(&wish);

    ASSERT_EQ(delay(0), 30);
    ASSERT_EQ(delay(1), 40);
    ASSERT_EQ(delay(2), 80);
    ASSERT_EQ(kin__limiter_delay_ms(&limiter, 0, 90, 1000), 90);
    ASSERT_EQ(kin__limiter_delay_ms(&limiter, 0, 99, 1000), 100);
}

TEST(limiter, is_never_longer_than_its_cap)
{
    kin_limiter wish = KIN_LIMITER_INIT;
    wish.base_ms = 1;
    wish.rate = 0.001;
    wish.cap_ms = 50;
    make(&wish);

    ASSERT_EQ(delay(3), 8);
    ASSERT_EQ(delay(3), 50);
    ASSERT_EQ(kin__limiter_delay_ms(&limiter, 0, 9999, 1000), 50);
}

TEST(limiter, without_wishes_does_not_wait)
{
    kin_limiter wish = KIN_LIMITER_INIT;
    make(&wish);

    for (uint32_t n = 0; n < 1000; n++) {
        ASSERT_EQ(delay(n), 0);
    }
}

TEST(limiter, is_that_of_client_go_unless_another_is_given)
{
    make(NULL);

    ASSERT_EQ(delay(0), 5);
    ASSERT_EQ(delay(3), 40);
    for (int i = 2; i < 100; i++) {
        ASSERT_EQ(delay(0), 5);
    }
    ASSERT_EQ(delay(0), 100);
    ASSERT_EQ(delay(30), 1000000);
}

TEST(limiter, refuses_what_is_negative_or_not_initialised)
{
    kin_error err;
    kin_limiter wish = KIN_LIMITER_INIT;

    wish.base_ms = -1;
    ASSERT_ERR(kin__limiter_init(&limiter, &wish, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "kin_limiter: a time or rate is negative");
    wish.base_ms = 0;
    wish.rate = NAN;
    ASSERT_ERR(kin__limiter_init(&limiter, &wish, &err), KIN_ERR_USAGE);
    wish = (kin_limiter){ 0 };
    ASSERT_ERR(kin__limiter_init(&limiter, &wish, &err), KIN_ERR_USAGE);
}
