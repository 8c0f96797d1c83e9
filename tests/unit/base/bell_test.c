/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bell_test.c - rings that come before, during and after a wait.
 */
#include "base/bell.h"

#include "base/clock.h"
#include "base/thread.h"
#include "support/test.h"

#define ROUND_COUNT 20000

/* Two threads that ring for each other, and a number that no lock guards. */
typedef struct game {
    kin__bell mine;
    kin__bell yours;
    int number;
} game;

static int64_t now_ms(void)
{
    return kin__clock_now_ms(kin__clock_real());
}

static void play(void *context)
{
    game *g = context;

    for (int i = 0; i < ROUND_COUNT; i++) {
        kin__bell_wait(&g->yours);
        g->number++;
        kin__bell_ring(&g->mine);
    }
}

TEST(bell, ends_the_next_wait_when_it_rang_before)
{
    kin__bell bell = { 0 };

    kin__bell_ring(&bell);

    kin__bell_wait(&bell);
    ASSERT_FALSE(kin__bell_wait_until(&bell, 0));
}

TEST(bell, counts_rings_before_a_wait_as_one)
{
    kin__bell bell = { 0 };

    kin__bell_ring(&bell);
    kin__bell_ring(&bell);

    ASSERT_TRUE(kin__bell_wait_until(&bell, 0));
    ASSERT_FALSE(kin__bell_wait_until(&bell, 0));
}

TEST(bell, wakes_who_waits_and_shows_what_was_done_before)
{
    game g = { .number = 0 };
    kin__thread thread;
    kin_error err;
    ASSERT_OK(kin__thread_start(&thread, "test", play, &g, &err));

    for (int i = 0; i < ROUND_COUNT; i++) {
        g.number++;
        kin__bell_ring(&g.yours);
        kin__bell_wait(&g.mine);
        ASSERT_EQ(g.number, 2 * (i + 1));
    }

    kin__thread_join(&thread);
}

TEST(bell, is_not_waited_for_longer_than_told)
{
    kin__bell bell = { 0 };
    int64_t deadline_ms = now_ms() + 2;

    ASSERT_FALSE(kin__bell_wait_until(&bell, deadline_ms));

    ASSERT_TRUE(now_ms() >= deadline_ms);
    kin__bell_ring(&bell);
    ASSERT_TRUE(kin__bell_wait_until(&bell, 0));
}

TEST(bell, takes_a_deadline_before_the_start_of_the_clock_for_one_that_has_passed)
{
    kin__bell bell = { 0 };

    ASSERT_FALSE(kin__bell_wait_until(&bell, -1));
}
