/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leader_test.c - a leader: whether it leads, how it ends, and what it says of itself.
 */
#include <string.h>

#include "base/inside.h"
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

/* ---- whether it leads ------------------------------------------------------------------------ */

TEST(leader, does_not_lead_once_the_time_is_up_though_nothing_runs)
{
    begin_leading();

    kin__virtual_clock_advance(&s.clock, 9999);
    ASSERT_TRUE(kin_leader_is_leading(s.leader));
    ASSERT_EQ(status_of(&s).left_ms, 1);
    kin__virtual_clock_advance(&s.clock, 1);

    ASSERT_FALSE(kin_leader_is_leading(s.leader));
    ASSERT_FALSE(status_of(&s).is_leading);
    ASSERT_EQ(status_of(&s).left_ms, 0);
    settle(&s);
    expect_told(&s, "stopped");
    stand_close(&s);
}

TEST(leader, does_not_lead_after_the_machine_has_slept)
{
    begin_leading();

    sleep_for(&s, 9999);
    ASSERT_TRUE(kin_leader_is_leading(s.leader));
    sleep_for(&s, 1);

    ASSERT_FALSE(kin_leader_is_leading(s.leader));
    pass(&s, 2000);
    expect_told(&s, "stopped");
    stand_close(&s);
}

TEST(leader, counts_from_when_its_renewal_was_sent)
{
    begin_leading();
    pass(&s, 2000);
    expect_call(&s, "update me");
    pass(&s, 4000);
    answer(&s);

    ASSERT_EQ(status_of(&s).left_ms, 6000);
    ASSERT_EQ(status_of(&s).renewals, 2);
    stand_close(&s);
}

TEST(leader, bounds_its_renewals_by_the_time_it_leads)
{
    begin_leading();
    pass(&s, 2000);
    ASSERT_EQ(s.request.deadline_ms, 5000);
    pass(&s, 5000);
    answer_badly(&s, KIN_ERR_TIMEOUT, 0);
    expect_call(&s, "update me");

    ASSERT_EQ(s.request.deadline_ms, 3000);
    stand_close(&s);
}

TEST(leader, leads_again_after_it_was_lost)
{
    begin_leading();
    pass(&s, 2000);
    pass(&s, 8000);
    expect_told(&s, "stopped");
    answer_badly(&s, KIN_ERR_TIMEOUT, 0);
    pass(&s, 4400);
    expect_call(&s, "get");
    answer(&s);
    answer(&s);

    ASSERT_TRUE(kin_leader_is_leading(s.leader));
    expect_told(&s, "started");
    stand_close(&s);
}

TEST(leader, does_not_ask_for_the_lease_while_its_functions_have_not_returned)
{
    begin_leading();
    hold_up(&s);
    pass(&s, 2000);
    answer_badly(&s, KIN_ERR_CONNECT, 0);
    pass(&s, 8000);
    if (s.has_call) {
        answer_badly(&s, KIN_ERR_CONNECT, 0);
    }
    expect_told(&s, "stopping");
    pass(&s, 100000);
    expect_call(&s, "");

    let_go(&s);
    expect_told(&s, "stopped");

    expect_call(&s, "get");
    stand_close(&s);
}

/* ---- its end --------------------------------------------------------------------------------- */

TEST(leader, does_not_lead_from_the_first_moment_of_a_stop)
{
    begin_leading();
    hold_up(&s);

    ASSERT_ERR(kin_leader_stop(s.leader, 0, &s.err), KIN_ERR_TIMEOUT);

    ASSERT_CONTAINS(s.err.message, "a function has not returned");
    ASSERT_FALSE(kin_leader_is_leading(s.leader));
    ASSERT_FALSE(status_of(&s).is_candidate);
    stand_close(&s);
}

static bool led_at[2];

static void look(kin__job *job, void *context)
{
    (void) job;
    (void) context;
    led_at[1] = kin_leader_is_leading(s.leader);
}

static kin__job look_job = { .run = look };

/* The job comes after this turn, and before the one that the stop asks for. */
static void stop_in_a_turn(stand *its)
{
    its->on_start = NULL;
    kin__loop_post_job(its->loop, &look_job);
    ASSERT_ERR(kin_leader_stop(its->leader, 0, NULL), KIN_ERR_USAGE);
    led_at[0] = kin_leader_is_leading(its->leader);
}

TEST(leader, is_not_seen_to_lead_by_a_turn_that_was_under_way_when_it_was_stopped)
{
    begin_leading();
    led_at[0] = led_at[1] = true;
    s.on_start = stop_in_a_turn;
    pass(&s, 2000);

    ASSERT_TRUE(s.on_start == NULL);
    ASSERT_FALSE(led_at[0]);
    ASSERT_FALSE(led_at[1]);
    stand_close(&s);
}

TEST(leader, lets_go_of_the_lease_after_its_functions_have_returned)
{
    begin_leading();
    hold_up(&s);
    ASSERT_ERR(kin_leader_stop(s.leader, 0, &s.err), KIN_ERR_TIMEOUT);
    expect_told(&s, "stopping");
    pass(&s, 3000);
    expect_call(&s, "");

    let_go(&s);
    expect_told(&s, "stopped");
    expect_call(&s, "update nobody");
    ASSERT_ERR(kin_leader_stop(s.leader, 0, &s.err), KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(s.err.message, "not written yet");
    answer(&s);

    ASSERT_OK(kin_leader_stop(s.leader, -1, &s.err));
    ASSERT_CONTAINS(s.lease.chars, "\"holderIdentity\":\"\"");
    ASSERT_CONTAINS(s.lease.chars, "\"leaseDurationSeconds\":1,");
    stand_close(&s);
}

TEST(leader, keeps_the_lease_when_it_is_told_so)
{
    stand_open(&s);
    kin_leader_options options = stand_options(&s);
    options.keep_on_stop = true;
    stand_begin(&s, &options);
    stand_lead(&s);

    ASSERT_OK(kin_leader_stop(s.leader, -1, &s.err));

    ASSERT_CONTAINS(s.lease.chars, "\"holderIdentity\":\"me\"");
    expect_told(&s, "stopped");
    stand_close(&s);
}

TEST(leader, is_let_go_of_though_a_renewal_is_under_way)
{
    begin_leading();
    pass(&s, 2000);
    expect_call(&s, "update me");
    ASSERT_ERR(kin_leader_stop(s.leader, 0, &s.err), KIN_ERR_TIMEOUT);
    expect_told(&s, "stopped");
    expect_call(&s, "get");
    answer(&s);
    expect_call(&s, "update nobody");
    answer(&s);

    ASSERT_OK(kin_leader_stop(s.leader, -1, &s.err));
    stand_close(&s);
}

TEST(leader, says_why_the_lease_could_not_be_let_go_of)
{
    begin_leading();
    ASSERT_ERR(kin_leader_stop(s.leader, 0, &s.err), KIN_ERR_TIMEOUT);
    expect_told(&s, "stopped");
    for (int i = 0; i < 5; i++) {
        answer_badly(&s, KIN_ERR_FORBIDDEN, 403);
        pass(&s, 2000);
    }

    ASSERT_ERR(kin_leader_stop(s.leader, -1, &s.err), KIN_ERR_FORBIDDEN);
    ASSERT_CONTAINS(s.err.message, "stop leader \"foo\"");
    stand_close(&s);
}

TEST(leader, can_be_started_again)
{
    begin_leading();
    s.is_ready = true;
    ASSERT_OK(kin_leader_stop(s.leader, -1, &s.err));
    expect_told(&s, "stopped");

    ASSERT_OK(kin_leader_start(s.leader, &s.err));
    ASSERT_OK(kin_leader_wait(s.leader, -1, &s.err));

    expect_told(&s, "started");
    ASSERT_EQ(status_of(&s).transitions, 1);
    stand_close(&s);
}

/* The loop has not got to the stop when it is wanted again. */
TEST(leader, can_be_started_again_before_its_next_turn)
{
    begin_leading();
    s.is_ready = true;
    kin__inside_enter(KIN__INSIDE_HANDLER); /* nobody waits, and the loop is not run */
    ASSERT_ERR(kin_leader_stop(s.leader, -1, &s.err), KIN_ERR_USAGE);
    kin__inside_leave(KIN__INSIDE_HANDLER);

    ASSERT_OK(kin_leader_start(s.leader, &s.err));
    expect_told(&s, "stopped");
    ASSERT_OK(kin_leader_wait(s.leader, -1, &s.err));

    expect_told(&s, "started");
    ASSERT_EQ(status_of(&s).transitions, 1); /* it was let go of meanwhile */
    stand_close(&s);
}

TEST(leader, lets_go_of_the_lease_between_a_stop_and_a_start_at_once)
{
    begin_leading();
    ASSERT_ERR(kin_leader_stop(s.leader, 0, &s.err), KIN_ERR_TIMEOUT);
    ASSERT_OK(kin_leader_start(s.leader, &s.err));

    ASSERT_FALSE(kin_leader_is_leading(s.leader));
    expect_told(&s, "stopped");
    expect_call(&s, "update nobody");
    answer(&s);
    expect_call(&s, "get");
    answer(&s);
    answer(&s);

    ASSERT_TRUE(kin_leader_is_leading(s.leader));
    expect_told(&s, "started");
    stand_close(&s);
}

TEST(leader, has_nothing_to_stop_before_it_is_started)
{
    stand_open(&s);
    ASSERT_OK(stand_make(&s, NULL));

    ASSERT_OK(kin_leader_stop(s.leader, -1, &s.err));

    ASSERT_EQ(s.calls, 0);
    stand_close(&s);
}

TEST(leader, is_freed_while_a_call_is_under_way)
{
    begin();
    expect_call(&s, "get");

    kin_leader_free(s.leader);

    s.leader = NULL;
    stand_close(&s);
}

/* ---- where it is called from ----------------------------------------------------------------- */

static kin_err stop_says;
static kin_err wait_says;

static void stop_itself(void *context)
{
    kin_error err;

    stop_says = kin_leader_stop(s.leader, -1, &err);
    wait_says = kin_leader_wait(s.leader, -1, &err);
    kin_leader_free(s.leader);
    tell(context, "tried");
}

TEST(leader, stops_without_waiting_when_its_own_function_asks)
{
    stand_open(&s);
    kin_leader_options options = stand_options(&s);
    options.on_started = stop_itself;
    stand_begin(&s, &options);
    s.is_ready = true;
    answer(&s);

    expect_told(&s, "new me; tried; stopped");
    ASSERT_EQ(stop_says, KIN_ERR_USAGE);
    ASSERT_EQ(wait_says, KIN_ERR_USAGE);
    ASSERT_CONTAINS(s.logged.chars, "1 foo: not freed: ");
    ASSERT_OK(kin_leader_stop(s.leader, -1, &s.err));
    ASSERT_CONTAINS(s.lease.chars, "\"holderIdentity\":\"\"");
    stand_close(&s);
}

static void stop_on_loop(void *context)
{
    stop_itself(context);
}

TEST(leader, stops_without_waiting_on_a_loop)
{
    begin_leading();
    ASSERT_OK(kin_loop_post(s.loop, stop_on_loop, &s, &s.err));
    settle(&s);

    ASSERT_EQ(stop_says, KIN_ERR_USAGE);
    ASSERT_EQ(wait_says, KIN_ERR_USAGE);
    ASSERT_FALSE(kin_leader_is_leading(s.leader));
    stand_close(&s);
}

TEST(leader, stops_without_waiting_in_handlers_and_reconciles)
{
    static const kin__inside places[] = { KIN__INSIDE_HANDLER, KIN__INSIDE_RECONCILE };

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        begin_leading();
        kin__inside_enter(places[i]);
        ASSERT_ERR(kin_leader_stop(s.leader, -1, &s.err), KIN_ERR_USAGE);
        kin_leader_free(s.leader);
        kin__inside_leave(places[i]);

        ASSERT_FALSE(kin_leader_is_leading(s.leader));
        stand_close(&s);
    }
}

/* ---- health and numbers ---------------------------------------------------------------------- */

TEST(leader, is_well_while_it_renews_and_when_it_does_not_lead)
{
    begin();
    ASSERT_OK(kin_leader_check(s.leader, 0, &s.err));
    stand_lead(&s);
    ASSERT_OK(kin_leader_check(s.leader, 0, &s.err));
    pass(&s, 10000);
    expect_told(&s, "stopped");
    pass(&s, 100000);

    ASSERT_OK(kin_leader_check(s.leader, 0, &s.err));
    stand_close(&s);
}

TEST(leader, is_not_well_when_the_loop_hangs)
{
    begin_leading();

    kin__virtual_clock_advance(&s.clock, 17000);
    ASSERT_OK(kin_leader_check(s.leader, 2000, &s.err));
    ASSERT_OK(kin_leader_check(s.leader, INT64_MAX, &s.err));
    kin__virtual_clock_advance(&s.clock, 1);
    ASSERT_ERR(kin_leader_check(s.leader, 2000, &s.err), KIN_ERR_TIMEOUT);

    ASSERT_CONTAINS(s.err.message, "17001 ms");
    ASSERT_ERR(kin_leader_check(s.leader, 2000, NULL), KIN_ERR_TIMEOUT);
    stand_close(&s);
}

TEST(leader, is_not_well_when_its_functions_hang)
{
    begin_leading();
    hold_up(&s);
    pass(&s, 10000);
    expect_told(&s, "stopping");
    pass(&s, 5001);

    ASSERT_ERR(kin_leader_check(s.leader, 0, &s.err), KIN_ERR_TIMEOUT);
    stand_close(&s);
}

static void expect_metric(kin_metrics *metrics, const char *line)
{
    char *chars = NULL;
    size_t len = 0;

    ASSERT_OK(kin_metrics_text(metrics, &chars, &len, &s.err));
    ASSERT_CONTAINS(chars, line);
    kin_free(chars);
}

TEST(leader, is_counted_under_client_go_s_names)
{
    kin_metrics *metrics = NULL;

    stand_open(&s);
    ASSERT_OK(kin_metrics_new(&metrics, &s.err));
    kin_leader_options options = stand_options(&s);
    options.metrics = metrics;
    stand_begin(&s, &options);
    expect_metric(metrics, "\nleader_election_master_status{name=\"foo\"} 0\n");
    stand_lead(&s);
    expect_metric(metrics, "\nleader_election_master_status{name=\"foo\"} 1\n");
    expect_metric(metrics, "\nleader_election_slowpath_total{name=\"foo\"} 0\n");
    pass(&s, 2000);
    answer_badly(&s, KIN_ERR_CONFLICT, 409);
    answer(&s);
    answer(&s);
    expect_metric(metrics, "\nleader_election_slowpath_total{name=\"foo\"} 1\n");
    kin__virtual_clock_advance(&s.clock, 10000);

    expect_metric(metrics, "\nleader_election_master_status{name=\"foo\"} 0\n");
    stand_close(&s);
    kin_metrics_free(metrics);
}

TEST(leader, refuses_a_status_that_is_not_initialised)
{
    kin_leader_status status;

    begin();
    memset(&status, 0, sizeof status);

    ASSERT_ERR(kin_leader_get_status(s.leader, &status, &s.err), KIN_ERR_USAGE);
    stand_close(&s);
}
