/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept_error_test.c - errors that are kept.
 */
#include "base/kept_error.h"

#include "base/error.h"
#include "support/test.h"

TEST(kept_error, is_none_at_first_and_when_it_is_cleared)
{
    kin__kept_error kept = { 0 };
    kin_error err;

    ASSERT_TRUE(kin__kept_error_get(&kept) == NULL);
    kin__kept_error_clear(&kept);
    kin__error_set(&err, KIN_ERR_LIMIT, "one");
    kin__kept_error_set(&kept, &err);
    kin__kept_error_clear(&kept);
    ASSERT_TRUE(kin__kept_error_get(&kept) == NULL);
}

TEST(kept_error, is_a_copy_of_the_last_one)
{
    kin__kept_error kept = { 0 };
    kin_error err;

    kin__error_set(&err, KIN_ERR_LIMIT, "one");
    kin__kept_error_set(&kept, &err);
    kin__error_set(&err, KIN_ERR_TIMEOUT, "two");
    ASSERT_STR_EQ(kin__kept_error_get(&kept)->message, "one");
    kin__kept_error_set(&kept, &err);
    kin__error_set(&err, KIN_ERR_CLOSED, "three");

    ASSERT_EQ(kin__kept_error_get(&kept)->code, KIN_ERR_TIMEOUT);
    ASSERT_STR_EQ(kin__kept_error_get(&kept)->message, "two");
    kin__kept_error_clear(&kept);
}

TEST_FAILING_ALLOC(kept_error, is_that_there_is_no_memory_where_there_is_none)
{
    kin__kept_error kept = { 0 };
    kin_error err;

    kin__error_set(&err, KIN_ERR_LIMIT, "one");
    kin__kept_error_set(&kept, &err);
    kin_err code = kin__kept_error_get(&kept)->code;
    kin__kept_error_clear(&kept);
    return code == KIN_ERR_LIMIT ? KIN_OK : code;
}
