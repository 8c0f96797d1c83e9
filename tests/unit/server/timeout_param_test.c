/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeout_param_test.c - timeout=, and what is said of one that is no duration.
 */
#include "server/timeout_param.h"

#include <stdio.h>

#include "base/str.h"
#include "support/test.h"

static void is_refused(const char *given, const char *because)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    char message[200];
    char query[64];

    (void) snprintf(query, sizeof query, "a=b&timeout=%s", given);
    ASSERT_FALSE(kin__timeout_check(KIN__DEED_PATH, kin_str_of(query), &no));
    (void) snprintf(message, sizeof message,
                    "invalid timeout specified in the request URL - time: %s", because);

    ASSERT_EQ(no.code, 400);
    ASSERT_STR_EQ(no.reason, "BadRequest");
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len), message);
}

TEST(timeout_param, takes_durations_as_go_writes_them)
{
    static const char *const good[] = { "",  "10s",   "1h2m3s", "1.5h", ".5s", "-3s",
                                        "0", "%2B5m", "100ms",  "1us",  "7ns", "1%C2%B5s" };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    char query[64];

    ASSERT_TRUE(kin__timeout_check(KIN__DEED_LIST, STR(""), &no));
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        (void) snprintf(query, sizeof query, "timeout=%s", good[i]);
        ASSERT_TRUE(kin__timeout_check(KIN__DEED_LIST, kin_str_of(query), &no));
    }
}

TEST(timeout_param, says_what_is_wrong_as_go_does)
{
    is_refused("abc", "invalid duration \"abc\"");
    is_refused("-", "invalid duration \"-\"");
    is_refused("10", "missing unit in duration \"10\"");
    is_refused("10x", "unknown unit \"x\" in duration \"10x\"");
    is_refused("1h.", "invalid duration \"1h.\"");
}

TEST(timeout_param, is_not_looked_at_in_a_watch)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    ASSERT_TRUE(kin__timeout_check(KIN__DEED_WATCH, STR("timeout=abc"), &no));
}

TEST_FAILING_ALLOC(timeout_param, survives_a_lack_of_memory)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    ASSERT_FALSE(kin__timeout_check(KIN__DEED_GET, STR("timeout=10x"), &no));
    return no.has_no_memory ? KIN_ERR_NO_MEMORY : KIN_OK;
}
