/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket_test.c - so many a second.
 */
#include "base/bucket.h"

#include <math.h>

#include "support/random.h"
#include "support/test.h"

static kin__bucket bucket_of(double rate, uint32_t burst)
{
    kin__bucket bucket;
    kin__bucket_init(&bucket, rate, burst);
    return bucket;
}

TEST(bucket, lets_a_burst_pass_and_then_so_many_a_second)
{
    kin__bucket bucket = bucket_of(10, 3);

    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(kin__bucket_reserve(&bucket, 5000), 0);
    }

    ASSERT_EQ(kin__bucket_reserve(&bucket, 5000), 100);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 5000), 200);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 5050), 250);
}

TEST(bucket, begins_full_at_any_time)
{
    kin__bucket bucket = bucket_of(1, 2);

    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 0);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 0);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 1000);
}

TEST(bucket, fills_up_to_its_burst_and_no_further)
{
    kin__bucket bucket = bucket_of(10, 2);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 0);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 0);

    int64_t later_ms = (int64_t) 24 * 3600 * 1000;
    ASSERT_EQ(kin__bucket_reserve(&bucket, later_ms), 0);
    ASSERT_EQ(kin__bucket_reserve(&bucket, later_ms), 0);

    ASSERT_EQ(kin__bucket_reserve(&bucket, later_ms), 100);
}

TEST(bucket, fills_while_nobody_takes)
{
    kin__bucket bucket = bucket_of(10, 2);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 0);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 0);

    ASSERT_EQ(kin__bucket_reserve(&bucket, 99), 1);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 200), 0);
}

TEST(bucket, never_says_a_moment_too_early)
{
    kin__bucket bucket = bucket_of(3, 1); /* 333.3 ms */

    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 0);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 334);
}

TEST(bucket, gives_a_token_only_if_it_is_there)
{
    kin__bucket bucket = bucket_of(10, 1);

    ASSERT_TRUE(kin__bucket_take(&bucket, 0));
    ASSERT_FALSE(kin__bucket_take(&bucket, 0));
    ASSERT_FALSE(kin__bucket_take(&bucket, 99));
    ASSERT_TRUE(kin__bucket_take(&bucket, 100));
}

TEST(bucket, does_not_let_one_that_takes_overtake_those_that_wait)
{
    kin__bucket bucket = bucket_of(10, 1);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 0);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 100);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 200);

    ASSERT_FALSE(kin__bucket_take(&bucket, 100));
    ASSERT_FALSE(kin__bucket_take(&bucket, 200));
    ASSERT_TRUE(kin__bucket_take(&bucket, 300));
}

TEST(bucket, takes_one_back)
{
    kin__bucket bucket = bucket_of(10, 1);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 0);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 100);

    kin__bucket_give_back(&bucket);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 100);
    for (int i = 0; i < 10; i++) {
        kin__bucket_give_back(&bucket);
    }

    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 0);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 100);
}

TEST(bucket, gains_nothing_when_time_goes_back)
{
    kin__bucket bucket = bucket_of(10, 1);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 1000), 0);

    ASSERT_EQ(kin__bucket_reserve(&bucket, 500), 600);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 1000), 200);
}

TEST(bucket, has_no_limit_without_a_rate)
{
    const double rates[] = { 0, -1, NAN, INFINITY, -INFINITY };
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        kin__bucket bucket = bucket_of(rates[i], 1);
        for (int n = 0; n < 1000; n++) {
            ASSERT_EQ(kin__bucket_reserve(&bucket, 7), 0);
            ASSERT_TRUE(kin__bucket_take(&bucket, 7));
        }
    }
}

TEST(bucket, holds_at_least_one)
{
    kin__bucket bucket = bucket_of(1, 0);

    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 0);
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 1000);
}

/* The sanitizer sees an overflow; here it is that nobody waits a negative time. */
TEST(bucket, does_not_overflow)
{
    const double rates[] = { 1e-300, 1e-9, 1e-3, 1, 1e9, 1e12, 1e300 };
    const uint32_t bursts[] = { 1, 1000, UINT32_MAX };
    const int64_t times_ms[] = { 0, 1, INT64_MAX / 2000000, INT64_MAX / 1000000, INT64_MAX };
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
        for (size_t b = 0; b < sizeof bursts / sizeof bursts[0]; b++) {
            kin__bucket bucket = bucket_of(rates[r], bursts[b]);
            for (size_t t = 0; t < 5 * 4; t++) {
                int64_t before = kin__bucket_reserve(&bucket, times_ms[t / 4]);
                int64_t after = kin__bucket_reserve(&bucket, times_ms[t / 4]);
                ASSERT_TRUE(before >= 0);
                ASSERT_TRUE(after >= before);
                kin__bucket_give_back(&bucket);
            }
        }
    }
}

TEST(bucket, waits_for_ever_where_a_token_takes_that_long)
{
    const int64_t year_ms = (int64_t) 365 * 24 * 3600 * 1000;
    kin__bucket bucket = bucket_of(1e-300, 1);

    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), 0);
    ASSERT_TRUE(kin__bucket_reserve(&bucket, 0) > 70 * year_ms);
    for (int i = 0; i < 3; i++) {
        (void) !kin__bucket_reserve(&bucket, 0);
    }
    ASSERT_EQ(kin__bucket_reserve(&bucket, 0), INT64_MAX);
    ASSERT_FALSE(kin__bucket_take(&bucket, 70 * year_ms));
}

TEST(bucket, has_a_limit_also_where_it_would_take_for_ever_to_fill)
{
    kin__bucket bucket = bucket_of(1e-300, UINT32_MAX);
    int64_t wait_ms = 0;

    for (int i = 0; i < 10; i++) {
        wait_ms = kin__bucket_reserve(&bucket, 0);
    }

    ASSERT_EQ(wait_ms, INT64_MAX);
}

/* Whatever comes, from any moment on no more than burst + rate * time are let through. */
TEST(bucket, keeps_to_its_rate_whatever_comes)
{
    uint64_t random = random_start(20261118);
    kin__bucket bucket = bucket_of(50, 20);
    int64_t passed_at_ms[2000];
    int64_t now_ms = 0;
    for (size_t i = 0; i < 2000; i++) {
        now_ms += (int64_t) random_below(&random, random_below(&random, 50) == 0 ? 1000 : 25);
        passed_at_ms[i] = now_ms + kin__bucket_reserve(&bucket, now_ms);
        ASSERT_TRUE(i == 0 || passed_at_ms[i] >= passed_at_ms[i - 1]);
    }
    for (size_t i = 0; i + 21 < 2000; i++) {
        for (size_t n = 21; i + n < 2000 && n < 200; n++) {
            int64_t took_ms = passed_at_ms[i + n - 1] - passed_at_ms[i];
            ASSERT_TRUE((int64_t) n <= 20 + (took_ms + 1) * 50 / 1000 + 1);
        }
    }
}
