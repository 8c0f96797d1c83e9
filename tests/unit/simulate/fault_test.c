/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault_test.c - filling in a kin_error.
 */
#include "simulate/fault.h"

#include <string.h>

#include "support/test.h"

TEST(fault, sets_code_and_message_and_clears_the_rest)
{
    kin_error err;

    memset(&err, 0xff, sizeof err);

    ASSERT_ERR(kin__sim_fault(&err, KIN_ERR_RANGE, "%d is too many", 7), KIN_ERR_RANGE);
    ASSERT_EQ(err.code, KIN_ERR_RANGE);
    ASSERT_EQ(err.http_status, 0);
    ASSERT_EQ(err.retry_after_ms, 0);
    ASSERT_STR_EQ(err.reason, "");
    ASSERT_MESSAGE(&err, "7 is too many");
}

TEST(fault, cuts_what_is_too_long)
{
    kin_error err;

    ASSERT_ERR(kin__sim_fault(&err, KIN_ERR_USAGE, "%0500d", 1), KIN_ERR_USAGE);

    ASSERT_EQ(strlen(err.message), sizeof err.message - 1);
}

TEST(fault, takes_no_for_an_answer_when_nobody_wants_details)
{
    kin_error kept = { .code = KIN_ERR_SERVER };

    ASSERT_ERR(kin__sim_no_memory(NULL), KIN_ERR_NO_MEMORY);
    ASSERT_ERR(kin__sim_fault_copy(NULL, &kept), KIN_ERR_SERVER);
}
