/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resync_test.c - periods of resync, on virtual time.
 */
#include "cache/resync.h"

#include "support/test.h"

#define SECOND ((int64_t) 1000)
#define HOUR (3600 * SECOND)

/* Ticks at every due time until `end_ms`, and counts how often the entry was due. */
static size_t count_due(kin__resync *resync, const kin__resync_entry *entry, int64_t end_ms)
{
    size_t count = 0;
    int64_t at_ms;

    while ((at_ms = kin__resync_next_tick_ms(resync)) <= end_ms) {
        count += kin__resync_tick(resync, at_ms) && entry->is_due;
    }
    return count;
}

TEST(resync, tells_each_handler_after_its_own_period)
{
    kin__resync resync;
    kin__resync_entry none;
    kin__resync_entry two;
    kin__resync_entry three;
    kin__resync_init(&resync, SECOND);
    kin__resync_add(&resync, &none, -1, 0);
    kin__resync_add(&resync, &two, 2 * SECOND, 0);
    kin__resync_add(&resync, &three, 3 * SECOND, 0);
    kin__resync_start(&resync, 0);

    for (int64_t second = 1; second <= 12; second++) {
        ASSERT_EQ(kin__resync_next_tick_ms(&resync), second * SECOND);
        bool is_any_due = kin__resync_tick(&resync, second * SECOND);

        ASSERT_EQ(two.is_due, second % 2 == 0);
        ASSERT_EQ(three.is_due, second % 3 == 0);
        ASSERT_FALSE(none.is_due);
        ASSERT_EQ(is_any_due, two.is_due || three.is_due);
    }
}

TEST(resync, may_start_late)
{
    kin__resync resync;
    kin__resync_entry two;
    kin__resync_init(&resync, SECOND);
    kin__resync_add(&resync, &two, 2 * SECOND, 0);
    ASSERT_EQ(kin__resync_next_tick_ms(&resync), KIN__RESYNC_NO_TICK);
    ASSERT_FALSE(kin__resync_tick(&resync, 5 * SECOND));

    kin__resync_start(&resync, 5 * SECOND);

    ASSERT_EQ(kin__resync_next_tick_ms(&resync), 6 * SECOND);
    ASSERT_TRUE(kin__resync_tick(&resync, 6 * SECOND));
    ASSERT_EQ(two.next_ms, 8 * SECOND);
}

/* The numbers of client-go's TestResyncCheckPeriod. */
TEST(resync, checks_as_often_as_the_shortest_period_before_the_start)
{
    kin__resync resync;
    kin__resync_entry entries[4];
    kin__resync_init(&resync, 12 * HOUR);

    kin__resync_add(&resync, &entries[0], 0, 0);
    ASSERT_EQ(resync.check_ms, 12 * HOUR);
    kin__resync_add(&resync, &entries[1], 60 * SECOND, 0);
    ASSERT_EQ(resync.check_ms, 60 * SECOND);
    kin__resync_add(&resync, &entries[2], 55 * SECOND, 0);
    ASSERT_EQ(resync.check_ms, 55 * SECOND);
    kin__resync_add(&resync, &entries[3], 5 * SECOND, 0);
    ASSERT_EQ(resync.check_ms, 5 * SECOND);

    ASSERT_EQ(entries[0].effective_ms, 12 * HOUR);
    ASSERT_EQ(entries[1].effective_ms, 60 * SECOND);
    ASSERT_EQ(entries[2].effective_ms, 55 * SECOND);
    ASSERT_EQ(entries[3].effective_ms, 5 * SECOND);
}

TEST(resync, raises_a_shorter_period_after_the_start)
{
    kin__resync resync;
    kin__resync_entry first;
    kin__resync_entry late;
    kin__resync_init(&resync, 10 * SECOND);
    kin__resync_add(&resync, &first, 0, 0);
    kin__resync_start(&resync, 0);

    kin__resync_add(&resync, &late, 2 * SECOND, 0);

    ASSERT_EQ(resync.check_ms, 10 * SECOND);
    ASSERT_EQ(late.effective_ms, 10 * SECOND);
    ASSERT_EQ(count_due(&resync, &late, 60 * SECOND), 6);
}

TEST(resync, rounds_a_period_up_to_a_multiple_of_the_check_period)
{
    kin__resync resync;
    kin__resync_entry two;
    kin__resync_entry five;
    kin__resync_init(&resync, 2 * SECOND);
    kin__resync_add(&resync, &two, 0, 0);
    kin__resync_add(&resync, &five, 5 * SECOND, 0);
    kin__resync_start(&resync, 0);

    ASSERT_EQ(count_due(&resync, &five, 36 * SECOND), 6);
}

TEST(resync, is_never_more_often_than_every_second)
{
    kin__resync resync;
    kin__resync_entry hasty;
    kin__resync_init(&resync, 10 * SECOND);

    kin__resync_add(&resync, &hasty, 1, 0);

    ASSERT_EQ(hasty.effective_ms, SECOND);
    ASSERT_EQ(resync.check_ms, SECOND);
}

TEST(resync, is_off_when_the_informer_has_no_period)
{
    kin__resync resync;
    kin__resync_entry eager;
    kin__resync_init(&resync, 0);
    kin__resync_add(&resync, &eager, 5 * SECOND, 0);

    kin__resync_start(&resync, 0);

    ASSERT_EQ(eager.effective_ms, 0);
    ASSERT_EQ(kin__resync_next_tick_ms(&resync), KIN__RESYNC_NO_TICK);
    ASSERT_FALSE(kin__resync_tick(&resync, HOUR));
}

TEST(resync, forgets_a_handler_that_was_removed)
{
    kin__resync resync;
    kin__resync_entry one;
    kin__resync_init(&resync, SECOND);
    kin__resync_add(&resync, &one, 0, 0);
    kin__resync_start(&resync, 0);

    kin__resync_remove(&one);
    kin__resync_remove(&one);

    ASSERT_EQ(kin__resync_next_tick_ms(&resync), KIN__RESYNC_NO_TICK);
}

TEST(resync, survives_periods_and_times_without_measure)
{
    kin__resync resync;
    kin__resync_entry huge;
    kin__resync_init(&resync, INT64_MAX);
    kin__resync_add(&resync, &huge, INT64_MAX, HOUR);

    kin__resync_start(&resync, HOUR);

    ASSERT_TRUE(kin__resync_next_tick_ms(&resync) > HOUR);
    ASSERT_FALSE(kin__resync_tick(&resync, 2 * HOUR));
}
