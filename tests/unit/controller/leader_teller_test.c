/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leader_teller_test.c - who is told that it leads, when, and in which order.
 */
#include <pthread.h>

#include "unit/controller/stand.h"

static stand s;

static void begin(void)
{
    stand_open(&s);
    stand_begin(&s, NULL);
}

static void begin_leading(void)
{
    begin();
    stand_lead(&s);
}

static void sit(void *context, bool is_leading)
{
    tell(&s, "%s %s", (const char *) context, is_leading ? "on" : "off");
}

TEST(leader_teller, tells_seats_after_its_functions_and_before_them_at_the_end)
{
    kin__leader_seat a = { .fn = sit, .context = "a" };
    kin__leader_seat b = { .fn = sit, .context = "b" };

    stand_open(&s);
    ASSERT_OK(stand_make(&s, NULL));
    kin__leader_attend(s.leader, &a);
    kin__leader_attend(s.leader, &b);
    ASSERT_OK(kin_leader_start(s.leader, &s.err));
    s.is_ready = true;
    settle(&s);
    expect_told(&s, "new me; started; a on; b on");
    ASSERT_OK(kin_leader_stop(s.leader, -1, &s.err));
    expect_told(&s, "a off; b off; stopped");

    kin__leader_leave(s.leader, &a);
    kin__leader_leave(s.leader, &b);
    stand_close(&s);
}

TEST(leader_teller, tells_a_seat_that_comes_later_and_none_that_has_left)
{
    kin__leader_seat a = { .fn = sit, .context = "a" };
    kin__leader_seat b = { .fn = sit, .context = "b" };

    begin_leading();
    kin__leader_attend(s.leader, &a);
    expect_told(&s, "a on");
    kin__leader_attend(s.leader, &b);
    expect_told(&s, "b on");
    kin__leader_leave(s.leader, &a);
    s.is_ready = true;
    ASSERT_OK(kin_leader_stop(s.leader, -1, &s.err));

    expect_told(&s, "b off; stopped");
    kin__leader_leave(s.leader, &b);
    stand_close(&s);
}

static void sit_long(void *context, bool is_leading)
{
    (void) context;
    kin__mutex_lock(&s.lock);
    while (!is_leading && s.is_held_up) {
        kin__cond_wait(&s.news, &s.lock);
    }
    kin__mutex_unlock(&s.lock);
    tell(&s, "seat %s", is_leading ? "on" : "off");
}

TEST(leader_teller, lets_go_of_the_lease_after_its_seats_have_returned)
{
    kin__leader_seat a = { .fn = sit_long };

    begin_leading();
    kin__leader_attend(s.leader, &a);
    expect_told(&s, "seat on");
    kin__mutex_lock(&s.lock);
    s.is_held_up = true;
    kin__mutex_unlock(&s.lock);
    ASSERT_ERR(kin_leader_stop(s.leader, 0, &s.err), KIN_ERR_TIMEOUT);
    pass(&s, 3000);
    expect_call(&s, "");

    let_go(&s);
    expect_told(&s, "seat off; stopped");
    expect_call(&s, "update nobody");
    kin__leader_leave(s.leader, &a);
    stand_close(&s);
}

static void sit_still(void *context, bool is_leading)
{
    (void) context;
    (void) is_leading;
}

TEST(leader_teller, knows_the_time_when_the_loop_does_not_get_to_it)
{
    kin__leader_seat a = { .fn = sit_still };

    begin_leading();
    kin__virtual_clock_advance(&s.clock, 10000);
    kin__leader_attend(s.leader, &a); /* wakes it; nothing runs the loop */

    expect_told(&s, "stopped");
    kin__leader_leave(s.leader, &a);
    stand_close(&s);
}

static void tell_slowly(void *context)
{
    stand *its = context;

    tell(its, "starting");
    kin__mutex_lock(&its->lock);
    while (its->is_held_up) {
        kin__cond_wait(&its->news, &its->lock);
    }
    kin__mutex_unlock(&its->lock);
    tell(its, "started");
}

TEST(leader_teller, tells_the_end_of_what_it_has_told_and_no_seat_in_between)
{
    kin__leader_seat a = { .fn = sit, .context = "a" };

    stand_open(&s);
    kin_leader_options options = stand_options(&s);
    options.on_started = tell_slowly;
    hold_up(&s);
    stand_begin(&s, &options);
    kin__leader_attend(s.leader, &a);
    answer(&s);
    answer(&s);
    expect_told(&s, "new me; starting");
    pass(&s, 10000);
    let_go(&s);

    expect_told(&s, "started; stopped");
    kin__leader_leave(s.leader, &a);
    stand_close(&s);
}

static _Atomic bool has_left;

/* Returns late: who does not wait for it has left by then. */
static void linger(void *context, bool is_leading)
{
    int64_t until_ms = kin__clock_now_ms(kin__clock_real()) + 50;

    (void) context;
    (void) is_leading;
    tell(&s, "in");
    kin__mutex_lock(&s.lock);
    while (!has_left && kin__cond_wait_until(&s.news, &s.lock, until_ms)) {
        continue;
    }
    kin__mutex_unlock(&s.lock);
    tell(&s, has_left ? "too late" : "out");
}

static void *leave(void *seat)
{
    kin__leader_leave(s.leader, seat);
    kin__mutex_lock(&s.lock);
    has_left = true;
    kin__cond_broadcast(&s.news);
    kin__mutex_unlock(&s.lock);
    return NULL;
}

TEST(leader_teller, has_returned_from_a_seat_when_that_has_left)
{
    kin__leader_seat a = { .fn = linger };
    pthread_t thread;

    begin_leading();
    kin__leader_attend(s.leader, &a);
    expect_told(&s, "in");
    ASSERT_EQ(pthread_create(&thread, NULL, leave, &a), 0);

    expect_told(&s, "out");
    ASSERT_EQ(pthread_join(thread, NULL), 0);
    ASSERT_TRUE(has_left);
    stand_close(&s);
}
