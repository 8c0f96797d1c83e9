/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retry_test.c - what goes out again, when, and how often.
 */
#include "api/retry.h"

#include "support/test.h"

static kin_error refusal(kin_err code, int status, uint32_t retry_after_ms)
{
    return (kin_error){ .code = code, .http_status = status, .retry_after_ms = retry_after_ms };
}

TEST(retry, tries_again_when_an_overloaded_server_says_when)
{
    kin__retry retry = { 0 };
    kin_error err = refusal(KIN_ERR_THROTTLED, 429, 2000);

    kin__retry_answer next = kin__retry_next(&retry, &err, false, false);

    ASSERT_EQ(next.kind, KIN__RETRY_LATER);
    ASSERT_EQ(next.wait_ms, 2000);
}

TEST(retry, tries_again_when_a_failing_server_says_when)
{
    kin__retry retry = { 0 };
    kin_error err = refusal(KIN_ERR_SERVER, 503, 5000);

    ASSERT_EQ(kin__retry_next(&retry, &err, false, false).kind, KIN__RETRY_LATER);
}

TEST(retry, leaves_it_at_an_answer_that_does_not_say_when)
{
    kin__retry retry = { 0 };
    kin_error overloaded = refusal(KIN_ERR_THROTTLED, 429, 0);
    kin_error failing = refusal(KIN_ERR_SERVER, 500, 0);

    ASSERT_EQ(kin__retry_next(&retry, &overloaded, true, false).kind, KIN__RETRY_NO);
    ASSERT_EQ(kin__retry_next(&retry, &failing, true, false).kind, KIN__RETRY_NO);
}

TEST(retry, does_not_believe_a_refusal_that_says_when)
{
    kin__retry retry = { 0 };
    kin_error err = refusal(KIN_ERR_CONFLICT, 409, 1000);

    ASSERT_EQ(kin__retry_next(&retry, &err, true, false).kind, KIN__RETRY_NO);
}

TEST(retry, gives_up_after_ten_repeats)
{
    kin__retry retry = { 0 };
    kin_error err = refusal(KIN_ERR_THROTTLED, 429, 1000);

    for (int i = 0; i < 10; i++) {
        ASSERT_EQ(kin__retry_next(&retry, &err, true, false).kind, KIN__RETRY_LATER);
    }
    ASSERT_EQ(kin__retry_next(&retry, &err, true, false).kind, KIN__RETRY_NO);
}

TEST(retry, renews_credentials_once)
{
    kin__retry retry = { 0 };
    kin_error err = refusal(KIN_ERR_UNAUTHORIZED, 401, 0);

    ASSERT_EQ(kin__retry_next(&retry, &err, false, false).kind, KIN__RETRY_RENEWED);
    ASSERT_EQ(kin__retry_next(&retry, &err, false, false).kind, KIN__RETRY_NO);
}

TEST(retry, repeats_a_read_whose_connection_was_cut)
{
    kin__retry retry = { 0 };
    kin_error err = refusal(KIN_ERR_CLOSED, 0, 0);

    kin__retry_answer next = kin__retry_next(&retry, &err, true, false);

    ASSERT_EQ(next.kind, KIN__RETRY_LATER);
    ASSERT_EQ(next.wait_ms, 1000);
}

TEST(retry, never_repeats_a_write_that_may_have_arrived)
{
    kin__retry retry = { 0 };
    kin_error err = refusal(KIN_ERR_CLOSED, 0, 0);

    ASSERT_EQ(kin__retry_next(&retry, &err, false, false).kind, KIN__RETRY_NO);
}

TEST(retry, never_repeats_what_has_been_handed_on_in_part)
{
    kin__retry retry = { 0 };
    kin_error err = refusal(KIN_ERR_CLOSED, 200, 0);

    ASSERT_EQ(kin__retry_next(&retry, &err, true, true).kind, KIN__RETRY_NO);
}

TEST(retry, leaves_other_failures_to_the_caller)
{
    static const kin_err codes[] = { KIN_ERR_CONNECT,  KIN_ERR_TLS,       KIN_ERR_TIMEOUT,
                                     KIN_ERR_PROTOCOL, KIN_ERR_CANCELLED, KIN_ERR_NO_MEMORY };

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        kin__retry retry = { 0 };
        kin_error err = refusal(codes[i], 0, 0);

        ASSERT_EQ(kin__retry_next(&retry, &err, true, false).kind, KIN__RETRY_NO);
    }
}
