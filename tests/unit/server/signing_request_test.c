/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signing_request_test.c - requests for certificates: asked, approved, signed.
 */
#include "server/signing_request.h"

#include "unit/server/writing.h"

#define REQUESTS "/apis/certificates.k8s.io/v1/certificatesigningrequests"
#define REQUEST                                                                                    \
    "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"request\":\"aGVsbG8=\",\"signerName\":"            \
    "\"example.com/s\",\"usages\":[\"client auth\"]}}"
#define CONDITIONS(list) "{\"status\":{\"conditions\":[" list "]}}"
#define APPROVED "{\"type\":\"Approved\",\"status\":\"True\",\"reason\":\"r\"}"
#define DENIED "{\"type\":\"Denied\",\"status\":\"True\"}"
#define FAILED "{\"type\":\"Failed\",\"status\":\"True\"}"
#define NOON "2026-11-16T12:00:00Z"

static void open_with_request(scene *s)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    ASSERT_EQ(ask(s, "POST", REQUESTS, JSON, REQUEST), 201);
}

static void assert_refused(scene *s, const char *sub, const char *patch, const char *why)
{
    text path = { 0 };

    text_append(&path, REQUESTS "/r/%s", sub);
    ASSERT_ANSWER(s, "PATCH", path.chars, MERGE, patch, 422, why);
}

TEST(signing_request, says_who_made_it)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", REQUESTS, JSON,
                  "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"request\":\"aGVsbG8=\","
                  "\"signerName\":\"example.com/s\",\"username\":\"eve\",\"uid\":\"7\","
                  "\"groups\":[\"all\"],\"extra\":{\"a\":[\"b\"]}}}",
                  201,
                  "\"spec\":{\"request\":\"aGVsbG8=\",\"signerName\":\"example.com/s\","
                  "\"username\":\"kin\",\"groups\":[\"system:masters\",\"system:authenticated\"]}");
    scene_close(&s);
}

TEST(signing_request, is_read_through_its_approval)
{
    scene s;

    open_with_request(&s);
    ASSERT_ANSWER(&s, "GET", REQUESTS "/r/approval", NULL, NULL, 200, "\"name\":\"r\"");
    ASSERT_ANSWER(&s, "GET", REQUESTS "/none/approval", NULL, NULL, 404, "not found");
    ASSERT_EQ(ask(&s, "POST", REQUESTS "/r/approval", JSON, "{}"), 405);
    ASSERT_EQ(ask(&s, "DELETE", REQUESTS "/r/approval", NULL, NULL), 405);
    scene_close(&s);
}

TEST(signing_request, is_approved_with_the_time)
{
    scene s;

    open_with_request(&s);
    ASSERT_ANSWER(&s, "PATCH", REQUESTS "/r/approval", MERGE,
                  "{\"spec\":{\"signerName\":\"a.b/c\"},\"status\":{\"certificate\":\"aGVsbG8=\","
                  "\"conditions\":[" APPROVED "]},\"metadata\":{\"labels\":{\"a\":\"b\"}}}",
                  200,
                  "\"status\":{\"conditions\":[{\"type\":\"Approved\",\"status\":\"True\","
                  "\"reason\":\"r\",\"lastUpdateTime\":\"" NOON "\",\"lastTransitionTime\":\"" NOON
                  "\"}]}}");
    ASSERT_CONTAINS(s.body, "\"signerName\":\"example.com/s\"");
    ASSERT_CONTAINS(s.body, "\"labels\":{\"a\":\"b\"}");
    scene_close(&s);
}

TEST(signing_request, keeps_the_time_since_when_it_is_so)
{
    scene s;

    open_with_request(&s);
    ASSERT_EQ(ask(&s, "PATCH", REQUESTS "/r/approval", MERGE, CONDITIONS(APPROVED)), 200);
    kin__virtual_clock_advance(&s.clock, 1000);
    ASSERT_ANSWER(&s, "PATCH", REQUESTS "/r/approval", MERGE, CONDITIONS(APPROVED), 200,
                  "\"lastUpdateTime\":\"2026-11-16T12:00:01Z\",\"lastTransitionTime\":\"" NOON
                  "\"");
    scene_close(&s);
}

TEST(signing_request, refuses_conditions_that_make_no_sense)
{
    scene s;

    open_with_request(&s);
    assert_refused(&s, "approval", CONDITIONS("{\"type\":\"Approved\",\"status\":\"False\"}"),
                   "status.conditions[0].status: Unsupported value: \\\"False\\\": supported "
                   "values: \\\"True\\\"\"");
    assert_refused(&s, "approval", CONDITIONS("{\"type\":\"Other\",\"status\":\"Perhaps\"}"),
                   "Unsupported value: \\\"Perhaps\\\": supported values: \\\"False\\\", "
                   "\\\"True\\\", \\\"Unknown\\\"\"");
    assert_refused(&s, "approval", CONDITIONS("{\"type\":\"\",\"status\":\"\"}"),
                   "[status.conditions[0].type: Required value, status.conditions[0].status: "
                   "Required value]");
    assert_refused(&s, "approval", CONDITIONS(APPROVED "," APPROVED),
                   ": status.conditions[1].type: Duplicate value: \\\"Approved\\\"\"");
    assert_refused(&s, "approval", CONDITIONS(APPROVED "," DENIED),
                   ": status.conditions: Invalid value: \\\"Denied\\\": Approved and Denied "
                   "conditions are mutually exclusive\"");
    scene_close(&s);
}

TEST(signing_request, is_decided_through_its_approval_alone_and_for_good)
{
    scene s;

    open_with_request(&s);
    assert_refused(&s, "status", CONDITIONS(APPROVED),
                   "Forbidden: updates may not add a condition of type \\\"Approved\\\"");
    ASSERT_EQ(ask(&s, "PATCH", REQUESTS "/r/approval", MERGE, CONDITIONS(APPROVED)), 200);
    assert_refused(&s, "approval", CONDITIONS(""),
                   "Forbidden: updates may not remove a condition of type \\\"Approved\\\"");
    assert_refused(&s, "status", "{\"status\":null}",
                   "Forbidden: updates may not remove a condition of type \\\"Approved\\\"");
    ASSERT_ANSWER(&s, "PATCH", REQUESTS "/r/status", MERGE,
                  CONDITIONS("{\"type\":\"Approved\",\"status\":\"True\",\"reason\":\"x\"}"
                             "," FAILED),
                  200, "\"reason\":\"r\"");
    assert_refused(&s, "status", CONDITIONS(APPROVED),
                   "Forbidden: updates may not remove a condition of type \\\"Failed\\\"");
    scene_close(&s);
}

TEST(signing_request, gets_one_certificate)
{
    scene s;

    open_with_request(&s);
    ASSERT_ANSWER(&s, "PATCH", REQUESTS "/r/status", MERGE,
                  "{\"status\":{\"certificate\":\"aGVsbG8=\"}}", 200, "\"certificate\"");
    assert_refused(&s, "status", "{\"status\":{\"certificate\":\"aGVsbA==\"}}",
                   "status.certificate: Forbidden: updates may not modify existing certificate "
                   "content");
    scene_close(&s);
}

TEST(signing_request, stays_as_it_was_asked)
{
    scene s;

    open_with_request(&s);
    ASSERT_ANSWER(&s, "PATCH", REQUESTS "/r", MERGE,
                  "{\"spec\":{\"signerName\":\"a.b/c\"},\"metadata\":{\"labels\":{\"a\":\"b\"}}}",
                  200, "\"signerName\":\"example.com/s\"");
    ASSERT_CONTAINS(s.body, "\"labels\":{\"a\":\"b\"}");
    scene_close(&s);
}

TEST_FAILING_ALLOC(signing_request, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        bool is_done =
            ask(&s, "POST", REQUESTS, JSON, REQUEST) != 0 &&
            ask(&s, "PATCH", REQUESTS "/r/approval", MERGE, CONDITIONS(APPROVED)) != 0 &&
            ask(&s, "PATCH", REQUESTS "/r/approval", MERGE, CONDITIONS(DENIED)) != 0 &&
            ask(&s, "PATCH", REQUESTS "/r/status", MERGE, CONDITIONS(APPROVED "," FAILED)) != 0;
        code = is_done ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    scene_close(&s);
    return code;
}
