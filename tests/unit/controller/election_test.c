/* SPDX-License-Identifier: Apache-2.0 */
/*
 * election_test.c - when a candidate looks at the Lease, writes it, and leads.
 *
 * Time stands still but for pass() and expect_wait().  A lease lasts 15 s, is renewed for 10 s and
 * tried every 2 s.
 */
#include "controller/election.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "support/test.h"

#define WALL 1700000000
#define RETRY_MAX (2000 + 2400) /* by chance */

static kin__election e;
static kin__election_action action;
static int64_t now_ms;
static kin_error err;

static void begin_with(const kin__election_options *options)
{
    now_ms = 1000000;
    kin__election_init(&e, options);
    kin__election_start(&e, now_ms);
}

static kin__election_options usual(void)
{
    return (kin__election_options){
        .identity = STR("me"),
        .lease_ms = 15000,
        .renew_ms = 10000,
        .retry_ms = 2000,
        .seed = 1,
    };
}

static void begin(void)
{
    kin__election_options options = usual();

    begin_with(&options);
}

static void pass(int64_t ms)
{
    now_ms += ms;
}

static void next(void)
{
    kin_time wall = { WALL + now_ms / 1000, (int32_t) (now_ms % 1000) * 1000000 + 7 };

    kin__election_next(&e, now_ms, wall, &action);
}

/* "get", "create me", "update me +2" (transitions), "cancel", "stopped", "wait" (for an input). */
static void expect(const char *words)
{
    static const char *const names[] = { "wait", "get", "create", "update", "cancel", "stopped" };
    text t = { 0 };

    next();
    text_append(&t, "%s", names[action.type]);
    if (action.type == KIN__ELECTION_CREATE || action.type == KIN__ELECTION_UPDATE) {
        text_append(&t, " %s +%d", action.record.holder.len == 0 ? "nobody" : e.written.holder.name,
                    (int) action.record.transitions);
    } else if (action.type == KIN__ELECTION_WAIT && action.until_ms != INT64_MAX) {
        text_append(&t, " %d", (int) (action.until_ms - now_ms));
    }
    ASSERT_STR_EQ(t.chars, words);
}

static void expect_wait(int64_t ms)
{
    next();
    ASSERT_EQ(action.type, KIN__ELECTION_WAIT);
    ASSERT_EQ(action.until_ms - now_ms, ms);
    pass(ms);
}

/* As one who does not lead waits. */
static int64_t expect_chance(void)
{
    next();
    ASSERT_EQ(action.type, KIN__ELECTION_WAIT);
    int64_t ms = action.until_ms - now_ms;
    ASSERT_TRUE(ms >= 2000 && ms < RETRY_MAX);
    pass(ms);
    return ms;
}

static kin__lease_record record_of(const char *holder, int64_t duration_s, int64_t renewed)
{
    return (kin__lease_record){
        .holder = kin__lease_holder_of(kin_str_of(holder)),
        .duration_s = duration_s,
        .transitions = 3,
        .acquired = { 1600000000, 0 },
        .renewed = { 1600000000 + renewed, 0 },
    };
}

static void send(const char *holder, int64_t duration_s, int64_t renewed)
{
    kin__lease_record record = record_of(holder, duration_s, renewed);

    kin__election_read(&e, &record, now_ms);
}

static void fail(kin_err code, int http_status)
{
    kin__error_set(&err, code, "no luck");
    err.http_status = http_status;
    kin__election_failed(&e, &err, now_ms);
}

static void conflict(void)
{
    fail(KIN_ERR_CONFLICT, 409);
}

static void time_out(void)
{
    fail(KIN_ERR_TIMEOUT, 0);
}

static void wrote(void)
{
    kin__election_wrote(&e, true, now_ms);
}

/* Leads in the first try. */
static void come_to_lead(void)
{
    begin();
    expect("get");
    fail(KIN_ERR_NOT_FOUND, 404);
    expect("create me +0");
    wrote();
    ASSERT_TRUE(e.is_leading);
}

/* ---- coming to lead -------------------------------------------------------------------------- */

TEST(election, makes_the_lease_where_there_is_none)
{
    begin();

    expect("get");
    ASSERT_EQ(action.deadline_ms, 5000);
    fail(KIN_ERR_NOT_FOUND, 404);
    expect("create me +0");
    ASSERT_EQ(action.record.duration_s, 15);
    ASSERT_EQ(action.record.acquired.seconds, WALL + 1000);
    ASSERT_EQ(action.record.acquired.nanoseconds, 0);
    ASSERT_EQ(action.record.renewed.seconds, WALL + 1000);
    ASSERT_FALSE(e.is_leading);
    wrote();

    ASSERT_TRUE(e.is_leading);
    ASSERT_EQ(e.leads_until_ms, now_ms + 10000);
    ASSERT_EQ(e.term, 1);
    ASSERT_EQ(e.failures, 0);
}

TEST(election, takes_a_lease_that_nobody_holds_at_once)
{
    begin();

    expect("get");
    send("", 1, 0);
    expect("update me +4");
    ASSERT_EQ(action.record.acquired.seconds, WALL + 1000);
    wrote();

    ASSERT_TRUE(e.is_leading);
}

TEST(election, does_not_take_a_lease_that_is_renewed)
{
    begin();
    for (int i = 0; i < 100; i++) {
        expect("get");
        send("another", 15, i / 4); /* every fourth look, at most 13.2 s, it is another one */
        expect_chance();
    }
    ASSERT_FALSE(e.is_leading);
    ASSERT_EQ(e.failures, 0);
    ASSERT_STR_EQ(e.seen.holder.name, "another");
}

TEST(election, takes_a_lease_that_has_not_changed_for_as_long_as_it_says)
{
    begin();
    expect("get");
    send("another", 20, 0);
    int64_t since_ms = now_ms;

    for (next(); action.until_ms < since_ms + 20000; next()) {
        expect_chance();
        expect("get");
        send("another", 20, 0);
    }
    pass(action.until_ms - now_ms - 1);
    expect("wait 1");
    pass(1);
    ASSERT_EQ(now_ms, since_ms + 20000);
    expect("get");
    send("another", 20, 0);

    expect("update me +4");
    wrote();
    ASSERT_TRUE(e.is_leading);
}

TEST(election, does_not_take_a_lease_a_millisecond_too_soon)
{
    begin();
    expect("get");
    send("another", 3, 0);
    pass(2999);
    e.due_ms = now_ms;
    expect("get");
    send("another", 3, 0);

    expect_wait(1);
    expect("get");
    send("another", 3, 1); /* it was renewed meanwhile */
    next();
    ASSERT_TRUE(action.type == KIN__ELECTION_WAIT && action.until_ms - now_ms >= 2000);
}

TEST(election, gives_a_lease_that_does_not_say_how_long_its_own_duration)
{
    begin();
    expect("get");
    send("another", 0, 0);
    pass(14999);
    expect("get");
    send("another", 0, 0);
    expect_wait(1);
    expect("get");
    send("another", 0, 0);

    expect("update me +4");
}

TEST(election, goes_on_with_a_lease_of_its_own_from_another_life)
{
    begin();

    expect("get");
    send("me", 15, 0);
    expect("update me +3");
    ASSERT_EQ(action.record.acquired.seconds, 1600000000);
    ASSERT_FALSE(e.is_leading);
    wrote();

    ASSERT_TRUE(e.is_leading);
}

TEST(election, counts_no_transition_over_what_the_server_can_hold)
{
    kin__lease_record record = record_of("", 1, 0);

    begin();
    record.transitions = INT32_MAX;
    expect("get");
    kin__election_read(&e, &record, now_ms);

    expect("update me +2147483647");
}

TEST(election, is_lost_to_who_writes_first)
{
    begin();
    expect("get");
    send("", 1, 0);
    expect("update me +4");
    conflict();
    expect("get");
    send("another", 15, 1);

    expect_chance();
    ASSERT_FALSE(e.is_leading);
    ASSERT_EQ(e.failures, 0);
}

TEST(election, is_lost_to_who_makes_the_lease_first)
{
    begin();
    expect("get");
    fail(KIN_ERR_NOT_FOUND, 404);
    expect("create me +0");
    conflict();
    expect("get");
    send("another", 15, 1);

    expect_chance();
    ASSERT_FALSE(e.is_leading);
}

TEST(election, does_not_race_for_ever)
{
    begin();
    for (int i = 0; i < 3; i++) {
        expect("get");
        send("", 1, i);
        expect("update me +4");
        conflict();
    }

    expect_chance();
    ASSERT_EQ(e.failures, 1);
    expect("get");
}

TEST(election, waits_by_chance_after_a_failure)
{
    begin();
    int64_t least = INT64_MAX;
    int64_t most = 0;
    for (int i = 0; i < 200; i++) {
        expect("get");
        time_out();
        int64_t ms = expect_chance();
        least = ms < least ? ms : least;
        most = ms > most ? ms : most;
    }

    ASSERT_TRUE(least < 2200 && most > 4200);
    ASSERT_EQ(e.failures, 200);
    ASSERT_EQ(e.error.code, KIN_ERR_TIMEOUT);
}

TEST(election, fails_where_there_is_no_namespace)
{
    begin();
    expect("get");
    fail(KIN_ERR_NOT_FOUND, 404);
    expect("create me +0");
    fail(KIN_ERR_NOT_FOUND, 404);

    expect_chance();
    ASSERT_EQ(e.failures, 1);
}

TEST(election, waits_for_as_long_as_the_server_asks_but_not_longer_than_a_lease)
{
    begin();
    expect("get");
    kin__error_set(&err, KIN_ERR_THROTTLED, "later");
    err.http_status = 429;
    err.retry_after_ms = 9000;
    kin__election_failed(&e, &err, now_ms);
    expect_wait(9000);
    expect("get");
    err.retry_after_ms = 4000000000;
    kin__election_failed(&e, &err, now_ms);

    expect_wait(15000);
}

/* ---- leading --------------------------------------------------------------------------------- */

TEST(election, counts_from_when_the_write_was_sent)
{
    begin();
    expect("get");
    send("", 1, 0);
    expect("update me +4");
    int64_t sent_ms = now_ms;
    pass(4000);
    wrote();

    ASSERT_EQ(e.leads_until_ms, sent_ms + 10000);
    ASSERT_EQ(e.renewed_ms, sent_ms);
}

TEST(election, does_not_lead_by_an_answer_that_comes_too_late)
{
    begin();
    expect("get");
    send("", 1, 0);
    expect("update me +4");
    pass(10000);
    wrote();

    ASSERT_FALSE(e.is_leading);
    expect_chance();
    expect("get");
    send("me", 15, 1);
    expect("update me +3");
}

TEST(election, renews_without_reading)
{
    come_to_lead();
    for (int i = 0; i < 5; i++) {
        expect_wait(2000);
        expect("update me +0");
        ASSERT_EQ(action.record.acquired.seconds, WALL + 1000);
        ASSERT_EQ(action.record.renewed.seconds, WALL + now_ms / 1000);
        ASSERT_EQ(action.deadline_ms, 5000);
        wrote();
        ASSERT_EQ(e.leads_until_ms, now_ms + 10000);
    }
    ASSERT_EQ(e.term, 1);
    ASSERT_EQ(e.renewals, 6);
    ASSERT_EQ(e.slow, 0);
}

TEST(election, reads_when_its_renewal_was_refused)
{
    come_to_lead();
    expect_wait(2000);

    expect("update me +0");
    conflict();
    expect("get");
    ASSERT_EQ(action.deadline_ms, 5000);
    send("me", 15, 1);
    expect("update me +3");
    wrote();

    ASSERT_TRUE(e.is_leading);
    ASSERT_EQ(e.term, 1);
    ASSERT_EQ(e.slow, 1);
    ASSERT_EQ(e.failures, 0);
    expect_wait(2000);
    expect("update me +3");
}

TEST(election, is_lost_at_once_when_another_holds_the_lease)
{
    come_to_lead();
    expect_wait(2000);
    expect("update me +0");
    conflict();
    expect("get");
    send("another", 15, 1);

    ASSERT_FALSE(e.is_leading);
    expect("wait");
    kin__election_settle(&e, now_ms);
    expect_chance();
    expect("get");
}

TEST(election, is_lost_at_once_when_nobody_holds_the_lease)
{
    come_to_lead();
    expect_wait(2000);
    expect("update me +0");
    conflict();
    expect("get");
    send("", 15, 1);

    ASSERT_FALSE(e.is_leading);
    expect("wait");
}

TEST(election, goes_on_leading_when_the_lease_was_deleted)
{
    come_to_lead();
    expect_wait(2000);
    expect("update me +0");
    fail(KIN_ERR_NOT_FOUND, 404);
    expect("get");
    fail(KIN_ERR_NOT_FOUND, 404);
    expect("create me +0");
    wrote();

    ASSERT_TRUE(e.is_leading);
    ASSERT_EQ(e.term, 1);
}

TEST(election, is_lost_when_the_lease_was_deleted_and_made_by_another)
{
    come_to_lead();
    expect_wait(2000);
    expect("update me +0");
    fail(KIN_ERR_NOT_FOUND, 404);
    expect("get");
    fail(KIN_ERR_NOT_FOUND, 404);
    expect("create me +0");
    conflict();
    expect("get");
    send("another", 15, 0);

    ASSERT_FALSE(e.is_leading);
}

TEST(election, is_lost_when_no_renewal_is_answered_in_time)
{
    come_to_lead();
    expect_wait(2000);
    expect("update me +0");
    expect_wait(8000); /* for the answer; a call ends on its own after 5 s */

    next();
    ASSERT_FALSE(e.is_leading);
}

TEST(election, tries_to_renew_for_as_long_as_it_leads)
{
    come_to_lead();
    expect_wait(2000);
    expect("update me +0");
    ASSERT_EQ(action.deadline_ms, 5000);
    pass(5000);
    time_out();
    expect("update me +0"); /* it is overdue */
    ASSERT_EQ(action.deadline_ms, 3000);
    pass(500);
    fail(KIN_ERR_CONNECT, 0);
    expect_wait(1500);
    expect("update me +0");
    ASSERT_EQ(action.deadline_ms, 1000);
    pass(900);
    wrote();

    ASSERT_TRUE(e.is_leading);
    ASSERT_EQ(e.failures, 2);
    ASSERT_EQ(e.leads_until_ms, now_ms - 900 + 10000);
    expect_wait(1100);
}

TEST(election, waits_no_longer_than_it_leads)
{
    come_to_lead();
    for (int i = 0; i < 4; i++) {
        expect_wait(2000);
        expect("update me +0");
        fail(KIN_ERR_CONNECT, 0);
    }
    expect_wait(2000);

    next();
    ASSERT_FALSE(e.is_leading);
}

TEST(election, has_no_time_for_a_server_that_wants_it_to_wait)
{
    come_to_lead();
    expect_wait(2000);
    expect("update me +0");
    pass(100);
    kin__error_set(&err, KIN_ERR_THROTTLED, "later");
    err.http_status = 429;
    err.retry_after_ms = 60000;
    kin__election_failed(&e, &err, now_ms);

    expect_wait(2000);
    expect("update me +0");
}

TEST(election, is_not_prolonged_by_an_answer_after_its_end)
{
    come_to_lead();
    expect_wait(2000);
    expect("update me +0");
    pass(8000);
    wrote();

    ASSERT_FALSE(e.is_leading);
    expect("wait");
    kin__election_settle(&e, now_ms);
    expect_chance();
    expect("get");
    send("me", 15, 1);
    expect("update me +3");
    wrote();
    ASSERT_TRUE(e.is_leading);
    ASSERT_EQ(e.term, 2);
}

TEST(election, writes_nothing_while_somebody_acts_as_the_leader)
{
    come_to_lead();
    pass(10000);
    expect("wait");
    pass(100000);
    expect("wait");

    kin__election_settle(&e, now_ms);

    expect("get");
}

TEST(election, is_not_settled_while_it_leads)
{
    come_to_lead();
    kin__election_settle(&e, now_ms);
    pass(10000);

    expect("wait");
}

TEST(election, leads_no_longer_than_a_lease_less_a_sixth)
{
    kin__election_options options = usual();

    options.lease_ms = 12000;
    options.renew_ms = 11999;
    begin_with(&options);
    expect("get");
    send("", 1, 0);
    expect("update me +4");
    wrote();

    ASSERT_EQ(e.leads_until_ms, now_ms + 10000);
}

TEST(election, gives_each_call_a_second_where_half_of_the_time_is_less)
{
    kin__election_options options = usual();

    options.lease_ms = 2000;
    options.renew_ms = 1500;
    options.retry_ms = 500;
    begin_with(&options);
    expect("get");
    ASSERT_EQ(action.deadline_ms, 1000);
    send("", 1, 0);
    expect("update me +4");
    ASSERT_EQ(action.deadline_ms, 1000);
    wrote();
    expect_wait(500);
    expect("update me +4");

    ASSERT_EQ(action.deadline_ms, 1000);
}

/* ---- the end --------------------------------------------------------------------------------- */

TEST(election, lets_go_of_the_lease_when_it_stops)
{
    come_to_lead();
    pass(1000);

    kin__election_stop(&e, now_ms);
    ASSERT_FALSE(e.is_leading);
    expect("wait");
    kin__election_settle(&e, now_ms);
    expect("update nobody +0");
    ASSERT_EQ(action.record.duration_s, 1);
    ASSERT_EQ(action.record.renewed.seconds, WALL + now_ms / 1000);
    ASSERT_EQ(action.record.acquired.seconds, WALL + now_ms / 1000);
    wrote();

    expect("stopped");
    ASSERT_EQ(e.stop_error.code, KIN_OK);
    expect("stopped");
}

TEST(election, keeps_the_lease_when_it_is_told_so)
{
    kin__election_options options = usual();

    options.keeps_on_stop = true;
    begin_with(&options);
    expect("get");
    send("", 1, 0);
    expect("update me +4");
    wrote();
    kin__election_stop(&e, now_ms);
    expect("wait");
    kin__election_settle(&e, now_ms);

    expect("stopped");
}

TEST(election, stops_at_once_when_it_never_led)
{
    begin();
    expect("get");
    send("another", 15, 0);
    kin__election_stop(&e, now_ms);

    expect("stopped");
}

TEST(election, reads_again_when_letting_go_was_refused)
{
    come_to_lead();
    kin__election_stop(&e, now_ms);
    kin__election_settle(&e, now_ms);
    expect("update nobody +0");
    conflict();
    expect("get");
    send("me", 15, 2);
    expect("update nobody +3");
    wrote();

    expect("stopped");
    ASSERT_EQ(e.stop_error.code, KIN_OK);
}

TEST(election, does_not_let_go_of_what_another_holds)
{
    come_to_lead();
    kin__election_stop(&e, now_ms);
    kin__election_settle(&e, now_ms);
    expect("update nobody +0");
    conflict();
    expect("get");
    send("another", 15, 2);

    expect("stopped");
}

TEST(election, has_let_go_of_a_lease_that_is_gone)
{
    come_to_lead();
    kin__election_stop(&e, now_ms);
    kin__election_settle(&e, now_ms);
    expect("update nobody +0");
    fail(KIN_ERR_NOT_FOUND, 404);

    expect("stopped");
    ASSERT_EQ(e.stop_error.code, KIN_OK);
}

TEST(election, cancels_a_get_when_it_stops)
{
    begin();
    expect("get");
    kin__election_stop(&e, now_ms);
    expect("cancel");
    expect("wait");
    fail(KIN_ERR_CANCELLED, 0);

    expect("stopped");
    ASSERT_EQ(e.failures, 0);
}

TEST(election, lets_go_of_what_a_write_that_was_cancelled_may_have_done)
{
    begin();
    expect("get");
    fail(KIN_ERR_NOT_FOUND, 404);
    expect("create me +0");
    kin__election_stop(&e, now_ms);
    expect("cancel");
    fail(KIN_ERR_CANCELLED, 0);
    expect("get");
    send("me", 15, 0);
    expect("update nobody +3");
    wrote();

    expect("stopped");
}

TEST(election, lets_go_when_a_renewal_was_cancelled)
{
    come_to_lead();
    expect_wait(2000);
    expect("update me +0");
    kin__election_stop(&e, now_ms);
    expect("cancel");
    kin__election_settle(&e, now_ms);
    expect("wait");
    fail(KIN_ERR_CANCELLED, 0);
    expect("get");
    send("me", 15, 0);
    expect("update nobody +3");
}

TEST(election, lets_go_of_what_was_written_before_the_cancel_came)
{
    begin();
    expect("get");
    send("", 1, 0);
    expect("update me +4");
    kin__election_stop(&e, now_ms);
    expect("cancel");
    wrote();

    ASSERT_FALSE(e.is_leading);
    expect("update nobody +4");
}

TEST(election, lets_go_of_what_it_lost_by_the_clock_alone)
{
    come_to_lead();
    pass(10000);
    expect("wait");
    kin__election_settle(&e, now_ms);
    kin__election_stop(&e, now_ms);

    expect("update nobody +0");
}

TEST(election, tries_to_let_go_for_as_long_as_it_tries_to_renew)
{
    come_to_lead();
    kin__election_stop(&e, now_ms);
    kin__election_settle(&e, now_ms);
    expect("update nobody +0");
    ASSERT_EQ(action.deadline_ms, 5000);
    pass(5000);
    time_out();
    expect_wait(2000);
    expect("get");
    ASSERT_EQ(action.deadline_ms, 3000);
    pass(1500);
    fail(KIN_ERR_CONNECT, 0);
    expect_wait(1500);

    expect("stopped");
    ASSERT_EQ(e.stop_error.code, KIN_ERR_CONNECT);
}

TEST(election, does_not_race_for_ever_to_let_go)
{
    come_to_lead();
    kin__election_stop(&e, now_ms);
    kin__election_settle(&e, now_ms);
    expect("update nobody +0");
    conflict();
    for (int i = 0; i < 2; i++) {
        expect("get");
        send("me", 15, i);
        expect("update nobody +3");
        conflict();
    }

    expect_wait(2000);
    expect("get");
}

TEST(election, can_be_won_again_after_a_stop)
{
    come_to_lead();
    kin__election_stop(&e, now_ms);
    kin__election_settle(&e, now_ms);
    expect("update nobody +0");
    wrote();
    expect("stopped");

    kin__election_start(&e, now_ms);
    expect("get");
    send("", 1, 0);
    expect("update me +4");
    wrote();

    ASSERT_TRUE(e.is_leading);
    ASSERT_EQ(e.term, 2);
}

TEST(election, is_not_started_twice)
{
    come_to_lead();
    kin__election_start(&e, now_ms);

    ASSERT_TRUE(e.is_leading);
    expect_wait(2000);
    expect("update me +0");
}

TEST(election, does_nothing_before_it_is_started)
{
    kin__election_options options = usual();

    kin__election_init(&e, &options);
    kin__election_stop(&e, 5);

    expect("stopped");
}
