/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leader_turn_test.c - what a leader does on the loop: its calls, and what comes of them.
 */
#include "unit/controller/stand.h"

static stand s;

static void begin(void)
{
    stand_open(&s);
    stand_begin(&s, NULL);
}

/* ---- calls ----------------------------------------------------------------------------------- */

TEST(leader_turn, asks_for_its_lease_as_json_and_by_itself)
{
    begin();

    expect_call(&s, "get");

    ASSERT_STR_EQ(kin_resource_name(s.request.of), "leases");
    ASSERT_STR_EQ(kin_resource_api_version(s.request.of), "coordination.k8s.io/v1");
    ASSERT_STR_EQ(s.request.ns, "shop");
    ASSERT_EQ(s.request.encoding, KIN_ENCODING_JSON);
    ASSERT_EQ(s.request.deadline_ms, 5000);
    ASSERT_TRUE(s.options.no_retry);
    ASSERT_TRUE(s.options.no_limit);
    stand_close(&s);
}

TEST(leader_turn, makes_the_lease_and_leads)
{
    begin();
    answer(&s);
    expect_call(&s, "create me");
    ASSERT_SLICE_EQ(kin_object_key(s.object), "shop/foo");
    ASSERT_FALSE(kin_leader_is_leading(s.leader));
    answer(&s);

    ASSERT_TRUE(kin_leader_is_leading(s.leader));
    expect_told(&s, "new me; started");
    ASSERT_CONTAINS(s.logged.chars, "3 shop/foo: \"me\" leads\n");
    stand_close(&s);
}

TEST(leader_turn, keeps_what_else_is_in_the_lease_and_names_its_version)
{
    begin();
    put_lease(&s, "", 1, 0);
    answer(&s);
    expect_call(&s, "update me");
    ASSERT_TRUE(kin_value_exists(kin_object_at(s.object, "spec.more[0]")));
    ASSERT_SLICE_EQ(kin_object_resource_version(s.object), "1");
    ASSERT_EQ(s.request.verb, KIN_VERB_UPDATE);
    answer(&s);
    pass(&s, 2000);
    expect_call(&s, "update me");

    ASSERT_SLICE_EQ(kin_object_resource_version(s.object), "2");
    ASSERT_TRUE(kin_value_exists(kin_object_at(s.object, "spec.more[0]")));
    stand_close(&s);
}

TEST(leader_turn, tells_who_leads_when_it_does_not)
{
    begin();
    put_lease(&s, "another", 15, 0);
    answer(&s);
    expect_told(&s, "new another");
    pass(&s, 4400);
    put_lease(&s, "third", 15, 1);
    answer(&s);

    expect_told(&s, "new third");
    kin_leader_status status = status_of(&s);
    ASSERT_STR_EQ(status.holder, "third");
    ASSERT_EQ(status.transitions, 3);
    ASSERT_TRUE(status.is_candidate);
    ASSERT_FALSE(status.is_leading);
    stand_close(&s);
}

TEST(leader_turn, tells_of_no_leader_when_a_lease_is_let_go_of)
{
    begin();
    put_lease(&s, "another", 15, 0);
    answer(&s);
    expect_told(&s, "new another");
    pass(&s, 4400);
    put_lease(&s, "", 1, 1);
    answer(&s);
    answer_badly(&s, KIN_ERR_CONNECT, 0);
    pass(&s, 4400);
    put_lease(&s, "another", 15, 2);
    answer(&s);
    pass(&s, 4400);
    put_lease(&s, "third", 15, 2);
    answer(&s);

    expect_told(&s, "new third");
    stand_close(&s);
}

TEST(leader_turn, goes_on_after_a_lease_that_makes_no_sense)
{
    begin();
    put_spec(&s, "{\"holderIdentity\":7}");
    answer(&s);
    expect_call(&s, "");
    kin_leader_status status = status_of(&s);
    ASSERT_EQ(status.failures, 1);
    ASSERT_EQ(status.error.code, KIN_ERR_MALFORMED);
    ASSERT_CONTAINS(s.logged.chars, "2 shop/foo: tries again soon: ");
    put_lease(&s, "", 1, 0);
    pass(&s, 4400);
    answer(&s);
    answer(&s);

    ASSERT_TRUE(kin_leader_is_leading(s.leader));
    stand_close(&s);
}

TEST(leader_turn, goes_on_after_a_call_that_could_not_begin)
{
    stand_open(&s);
    s.start_says = KIN_ERR_NO_MEMORY;
    stand_begin(&s, NULL);
    ASSERT_EQ(status_of(&s).failures, 1);

    s.start_says = KIN_OK;
    pass(&s, 4400);

    expect_call(&s, "get");
    stand_close(&s);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* So that the loop has room for timers: without it a leader looks again at once, and nobody sees
 * that there was a lack. */
static kin_err make_room(void)
{
    static kin__timer timer;
    kin_err code = kin__timer_set(s.loop, &timer, INT64_MAX, &s.err);

    kin__timer_clear(s.loop, &timer);
    return code;
}

TEST_FAILING_ALLOC(leader_turn, survives_a_lack_of_memory)
{
    kin_err code = stand_try_to_open(&s);

    if (code != KIN_OK || (code = make_room()) != KIN_OK) {
        stand_close(&s);
        return code;
    }
    kin_leader_options options = stand_options(&s);
    options.keep_on_stop = true; /* on this clock it would try for ever */
    code = stand_make(&s, &options);
    if (code == KIN_OK) {
        s.is_ready = true;
        code = kin_leader_start(s.leader, &s.err);
        for (int i = 0; code == KIN_OK && i < 40 && !kin_leader_is_leading(s.leader); i++) {
            pass(&s, 4400);
        }
        kin_leader_status status = status_of(&s);
        code = status.failures > 0 ? status.error.code : code;
    }
    stand_close(&s);
    return code;
}
