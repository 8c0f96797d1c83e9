/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leader_wait_test.c - waiting for a leader.
 */
#include "base/inside.h"
#include "unit/controller/stand.h"

static stand s;

static void begin(void)
{
    stand_open(&s);
    stand_begin(&s, NULL);
}

TEST(leader_wait, says_who_leads_instead_when_it_is_waited_for_in_vain)
{
    begin();
    put_lease(&s, "another", 15, 0);
    answer(&s);

    ASSERT_ERR(kin_leader_wait(s.leader, 0, &s.err), KIN_ERR_TIMEOUT);

    ASSERT_MESSAGE(&s.err, "wait until \"foo\" leads: not within 0 ms: \"another\" has the Lease");
    stand_close(&s);
}

TEST(leader_wait, says_what_is_wrong_when_it_is_waited_for_in_vain)
{
    begin();
    answer_badly(&s, KIN_ERR_FORBIDDEN, 403);

    ASSERT_ERR(kin_leader_wait(s.leader, 0, &s.err), KIN_ERR_TIMEOUT);

    ASSERT_CONTAINS(s.err.message, "nobody is known to lead: refused");
    stand_close(&s);
}

TEST(leader_wait, is_not_waited_for_before_it_is_started)
{
    stand_open(&s);
    ASSERT_OK(stand_make(&s, NULL));

    ASSERT_ERR(kin_leader_wait(s.leader, -1, &s.err), KIN_ERR_USAGE);

    ASSERT_CONTAINS(s.err.message, "not started");
    stand_close(&s);
}

/* Its term cannot end before these have returned, and no other one begin. */
TEST(leader_wait, is_not_waited_for_in_handlers_and_reconciles)
{
    static const kin__inside places[] = { KIN__INSIDE_HANDLER, KIN__INSIDE_RECONCILE };

    begin();
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        kin__inside_enter(places[i]);
        ASSERT_ERR(kin_leader_wait(s.leader, 0, &s.err), KIN_ERR_USAGE);
        kin__inside_leave(places[i]);
        ASSERT_MESSAGE(&s.err, "wait until \"foo\" leads: not from a handler or a reconcile");
    }
    stand_close(&s);
}

static void stop_meanwhile(void *context)
{
    (void) context;
    ASSERT_ERR(kin_leader_stop(s.leader, 0, NULL), KIN_ERR_USAGE);
}

TEST(leader_wait, is_not_waited_for_after_it_was_stopped)
{
    begin();
    ASSERT_OK(kin_loop_post(s.loop, stop_meanwhile, NULL, &s.err));

    ASSERT_ERR(kin_leader_wait(s.leader, -1, &s.err), KIN_ERR_CANCELLED);
    stand_close(&s);
}
