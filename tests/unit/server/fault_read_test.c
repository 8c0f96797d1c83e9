/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault_read_test.c - faults as they are written; what makes no sense is in fault_test.c.
 */
#include "server/fault_read.h"

#include "base/str.h"
#include "server/field.h"
#include "support/test.h"

/* With all that any of them needs. */
static kin__fault read_fault(const char *name)
{
    kin__fault fault = { .times = 1 };
    text json = { 0 };
    kin_error err;

    text_append(&json,
                "{\"do\":\"%s\",\"ms\":1,\"code\":500,\"bytes_per_second\":1,\"size\":1,\"by\":1,"
                "\"token\":\"t\"}",
                name);
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(kin_str_of(json.chars));
    ASSERT_TRUE(kin__buf_reserve(&fault.words, 16));
    ASSERT_OK(kin__fault_read(tree, &fault, &err));
    kin__buf_fini(&fault.words);
    return fault;
}

TEST(fault_read, knows_each_act_by_its_name)
{
    for (int act = KIN__FAULT_REFUSE; act <= KIN__FAULT_CUT_ALL; act++) {
        const char *name = kin__fault_name((kin__fault_act) act);

        ASSERT_EQ((int) read_fault(name).act, act);
    }
}

TEST(fault_read, tells_what_an_act_strikes)
{
    kin__fault cut = read_fault("cut");

    ASSERT_TRUE(kin__fault_strikes_answers(KIN__FAULT_CUT));
    ASSERT_TRUE(kin__fault_strikes_answers(KIN__FAULT_NO_INITIAL_END));
    ASSERT_FALSE(kin__fault_strikes_answers(KIN__FAULT_DROP));
    ASSERT_FALSE(kin__fault_strikes_answers(KIN__FAULT_BACK_IN_TIME));
    ASSERT_FALSE(kin__fault_strikes_watches_alone(&cut));
    cut.by_events = true;
    ASSERT_TRUE(kin__fault_strikes_watches_alone(&cut));
    ASSERT_EQ(kin__fault_spoil_act(KIN__FAULT_CUT), KIN__SPOIL_CUT);
    ASSERT_EQ(kin__fault_spoil_act(KIN__FAULT_DROP), KIN__SPOIL_NOTHING);
}

TEST(fault_read, knows_the_usual_reason_of_a_status)
{
    ASSERT_STR_EQ(kin__fault_reason_of(410), "Expired");
    ASSERT_STR_EQ(kin__fault_reason_of(500), "InternalError");
    ASSERT_STR_EQ(kin__fault_reason_of(418), "");
}
