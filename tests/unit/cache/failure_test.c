/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure_test.c - what kind of failure each error is.
 */
#include "cache/failure.h"

#include <stdio.h>

#include "support/test.h"

static kin__failure kind_of(kin_err code, int http_status, const char *reason, const char *message)
{
    kin_error err = { .code = code, .http_status = http_status };

    (void) snprintf(err.reason, sizeof err.reason, "%s", reason);
    (void) snprintf(err.message, sizeof err.message, "%s", message);
    return kin__failure_of(&err, NULL);
}

TEST(failure, is_by_code)
{
    static const struct {
        kin_err code;
        int http_status;
        kin__failure kind;
    } rows[] = {
        { KIN_ERR_EXPIRED, 410, KIN__FAILURE_EXPIRED },
        { KIN_ERR_CONNECT, 0, KIN__FAILURE_AWAY },
        { KIN_ERR_CLOSED, 200, KIN__FAILURE_AWAY },
        { KIN_ERR_TIMEOUT, 0, KIN__FAILURE_AWAY },
        { KIN_ERR_TLS, 0, KIN__FAILURE_AWAY },
        { KIN_ERR_CANCELLED, 0, KIN__FAILURE_AWAY },
        { KIN_ERR_THROTTLED, 429, KIN__FAILURE_THROTTLED },
        { KIN_ERR_UNAUTHORIZED, 401, KIN__FAILURE_DENIED },
        { KIN_ERR_FORBIDDEN, 403, KIN__FAILURE_DENIED },
        { KIN_ERR_NOT_FOUND, 404, KIN__FAILURE_DENIED },
        { KIN_ERR_INVALID, 400, KIN__FAILURE_UNFIT },
        { KIN_ERR_INVALID, 422, KIN__FAILURE_UNFIT },
        { KIN_ERR_REFUSED, 405, KIN__FAILURE_UNFIT },
        { KIN_ERR_CONFLICT, 409, KIN__FAILURE_UNFIT },
        { KIN_ERR_SERVER, 500, KIN__FAILURE_BROKEN },
        { KIN_ERR_SERVER, 501, KIN__FAILURE_BROKEN },
        { KIN_ERR_PROTOCOL, 200, KIN__FAILURE_BROKEN },
        { KIN_ERR_MALFORMED, 200, KIN__FAILURE_BROKEN },
        { KIN_ERR_LIMIT, 200, KIN__FAILURE_BROKEN },
        { KIN_ERR_NO_MEMORY, 0, KIN__FAILURE_LOCAL },
        { KIN_ERR_SYSTEM, 0, KIN__FAILURE_LOCAL },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ASSERT_EQ(kind_of(rows[i].code, rows[i].http_status, "", ""), rows[i].kind);
    }
}

TEST(failure, of_a_gateway_is_a_server_that_is_away)
{
    ASSERT_EQ(kind_of(KIN_ERR_SERVER, 502, "", "Bad Gateway"), KIN__FAILURE_AWAY);
    ASSERT_EQ(kind_of(KIN_ERR_SERVER, 503, "", ""), KIN__FAILURE_AWAY);
    ASSERT_EQ(kind_of(KIN_ERR_SERVER, 504, "Timeout", "too slow"), KIN__FAILURE_AWAY);
}

TEST(failure, is_expired_by_reason_whatever_the_code)
{
    ASSERT_EQ(kind_of(KIN_ERR_SERVER, 500, "Expired", ""), KIN__FAILURE_EXPIRED);
    ASSERT_EQ(kind_of(KIN_ERR_EXPIRED, 410, "Gone", ""), KIN__FAILURE_EXPIRED);
}

TEST(failure, knows_a_version_that_is_too_large_in_all_its_historical_forms)
{
    kin_error err = { .code = KIN_ERR_SERVER, .http_status = 504 };

    ASSERT_EQ(kin__failure_of(&err, "ResourceVersionTooLarge"), KIN__FAILURE_TOO_LARGE);
    ASSERT_EQ(kin__failure_of(&err, "FieldValueInvalid"), KIN__FAILURE_AWAY);
    ASSERT_EQ(kind_of(KIN_ERR_SERVER, 504, "Timeout", "Timeout: Too large resource version: 9"),
              KIN__FAILURE_TOO_LARGE);
    ASSERT_EQ(kind_of(KIN_ERR_SERVER, 504, "", "list pods: Too large resource version"),
              KIN__FAILURE_TOO_LARGE);
}

TEST(failure, does_not_believe_the_words_of_a_refusal)
{
    ASSERT_EQ(kind_of(KIN_ERR_FORBIDDEN, 403, "Forbidden", "Too large resource version"),
              KIN__FAILURE_DENIED);
}
