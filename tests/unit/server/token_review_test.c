/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token_review_test.c - tokens of service accounts, from their making to their end.
 */
#include "server/token_review.h"

#include "server/guard.h"
#include "server/service_token.h"
#include "unit/server/writing.h"

#define ACCOUNTS DEFAULT "/serviceaccounts"
#define REVIEWS "/apis/authentication.k8s.io/v1/tokenreviews"

/* Makes an account "bot"; its token is in `token` then. */
static void open_with_token(scene *s, const char *spec, char *token, size_t size)
{
    char body[256];
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    ASSERT_EQ(ask(s, "POST", ACCOUNTS, JSON, "{\"metadata\":{\"name\":\"bot\"}}"), 201);
    (void) snprintf(body, sizeof body, "{\"spec\":{%s}}", spec);
    ASSERT_EQ(ask(s, "POST", ACCOUNTS "/bot/token", JSON, body), 201);
    const char *at = strstr(s->body, "\"token\":\"") + strlen("\"token\":\"");
    (void) snprintf(token, size, "%.*s", (int) strcspn(at, "\""), at);
}

static void review(scene *s, const char *token, const char *more)
{
    char body[2048];

    (void) snprintf(body, sizeof body, "{\"spec\":{\"token\":\"%s\"%s}}", token, more);
    ASSERT_EQ(ask(s, "POST", REVIEWS, JSON, body), 201);
}

TEST(token_review, knows_a_token_that_was_asked_for)
{
    scene s;
    char token[1024];

    open_with_token(&s, "", token, sizeof token);
    ASSERT_CONTAINS(s.body,
                    "{\"kind\":\"TokenRequest\",\"apiVersion\":\"authentication.k8s.io/v1\","
                    "\"metadata\":{\"name\":\"bot\",\"namespace\":\"default\","
                    "\"creationTimestamp\":\"2026-11-16T12:00:00Z\"},\"spec\":{\"audiences\":["
                    "\"https://kubernetes.default.svc\"],\"expirationSeconds\":3600,"
                    "\"boundObjectRef\":null},\"status\":{\"token\":\"eyJ");
    ASSERT_CONTAINS(s.body, "\"expirationTimestamp\":\"2026-11-16T13:00:00Z\"}}");
    review(&s, token, "");
    ASSERT_CONTAINS(s.body, "\"status\":{\"authenticated\":true,\"user\":{\"username\":"
                            "\"system:serviceaccount:default:bot\",\"uid\":\"");
    ASSERT_CONTAINS(s.body, "\"groups\":[\"system:serviceaccounts\","
                            "\"system:serviceaccounts:default\",\"system:authenticated\"]},"
                            "\"audiences\":[\"https://kubernetes.default.svc\"]}");
    scene_close(&s);
}

TEST(token_review, of_a_token_that_is_not_good_says_so)
{
    static const char no[] = "\"status\":{\"user\":{},\"error\":\"invalid bearer token\"}";
    scene s;
    char token[1024];

    open_with_token(&s, "\"expirationSeconds\":600,\"audiences\":[\"a\",\"b\"]", token,
                    sizeof token);
    review(&s, token, "");
    ASSERT_CONTAINS(s.body, no);
    review(&s, token, ",\"audiences\":[\"c\"]");
    ASSERT_CONTAINS(s.body, no);
    review(&s, token, ",\"audiences\":[\"c\",\"b\"]");
    ASSERT_CONTAINS(s.body, "\"audiences\":[\"b\"]}");
    static const char *const others[] = { "x", ".", "..", "a.b", "a.b.c", "e30.e30.e30" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        review(&s, others[i], "");
        ASSERT_CONTAINS(s.body, no);
    }
    char forged[1024];
    (void) snprintf(forged, sizeof forged, "%s", token);
    forged[40] = forged[40] == 'A' ? 'B' : 'A';
    review(&s, forged, ",\"audiences\":[\"b\"]");
    ASSERT_CONTAINS(s.body, no);
    ASSERT_EQ(ask(&s, "POST", REVIEWS, JSON, "{}"), 400);
    scene_close(&s);
}

TEST(token_review, of_a_token_ends_with_its_time_and_with_its_account)
{
    scene s;
    char token[1024];

    open_with_token(&s, "", token, sizeof token);
    AUTO(kin__node_free)
    kin__node *claims = kin__service_token_read(&s.engine, kin_str_of(token));
    ASSERT_TRUE(claims != NULL);
    kin__virtual_clock_advance(&s.clock, 3599 * 1000);
    review(&s, token, "");
    ASSERT_CONTAINS(s.body, "\"authenticated\":true");
    kin__virtual_clock_advance(&s.clock, 1000);
    review(&s, token, "");
    ASSERT_CONTAINS(s.body, "invalid bearer token");
    scene_close(&s);

    open_with_token(&s, "", token, sizeof token);
    ASSERT_EQ(ask(&s, "DELETE", ACCOUNTS "/bot", NULL, NULL), 200);
    ASSERT_EQ(ask(&s, "POST", ACCOUNTS, JSON, "{\"metadata\":{\"name\":\"bot\"}}"), 201);
    review(&s, token, "");
    ASSERT_CONTAINS(s.body, "invalid bearer token");
    scene_close(&s);
}

TEST(token_review, binds_a_token_to_what_is_there)
{
    static const struct {
        const char *reference;
        int status;
        const char *text;
    } cases[] = {
        { "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":\"none\"}", 404,
          "\"message\":\"pods \\\"none\\\" not found\"" },
        { "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"name\":\"none\"}", 404,
          "\"message\":\"secrets \\\"none\\\" not found\"" },
        { "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"name\":\"none\"}", 404,
          "\"message\":\"nodes \\\"none\\\" not found\"" },
        { "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":\"other\"}", 400,
          "cannot bind token for serviceaccount \\\"bot\\\" to pod running with different "
          "serviceaccount name." },
        { "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":\"own\",\"uid\":\"x\"}", 409,
          "Operation cannot be fulfilled on Pod \\\"own\\\": the UID in the bound object reference "
          "(x) does not match the UID in record. The object might have been deleted and then "
          "recreated" },
        { "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"name\":\"c\"}", 400,
          "cannot bind token to object of type /v1, Kind=ConfigMap" },
        { "{\"kind\":\"Pod\",\"apiVersion\":\"apps/v1\",\"name\":\"c\"}", 400,
          "cannot bind token to object of type apps/v1, Kind=Pod" },
        { "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":\"own\"}", 201,
          "\"boundObjectRef\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":\"own\"}" },
    };
    scene s;
    kin_error err;
    char body[256];

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", ACCOUNTS, JSON, "{\"metadata\":{\"name\":\"bot\"}}"), 201);
    ASSERT_EQ(ask(&s, "POST", DEFAULT "/pods", JSON, "{\"metadata\":{\"name\":\"other\"}}"), 201);
    ASSERT_EQ(ask(&s, "POST", DEFAULT "/pods", JSON,
                  "{\"metadata\":{\"name\":\"own\"},\"spec\":{\"serviceAccountName\":\"bot\"}}"),
              201);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        (void) snprintf(body, sizeof body, "{\"spec\":{\"boundObjectRef\":%s}}",
                        cases[i].reference);
        ASSERT_ANSWER(&s, "POST", ACCOUNTS "/bot/token", JSON, body, cases[i].status,
                      cases[i].text);
    }
    scene_close(&s);
}

TEST(token_review, knows_a_token_no_more_when_what_it_was_bound_to_is_gone)
{
    scene s;
    char token[1024], body[256];
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", ACCOUNTS, JSON, "{\"metadata\":{\"name\":\"bot\"}}"), 201);
    ASSERT_EQ(ask(&s, "POST", DEFAULT "/secrets", JSON, "{\"metadata\":{\"name\":\"tie\"}}"), 201);
    (void) snprintf(body, sizeof body,
                    "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Secret\","
                    "\"apiVersion\":\"v1\",\"name\":\"tie\"}}}");
    ASSERT_EQ(ask(&s, "POST", ACCOUNTS "/bot/token", JSON, body), 201);
    const char *at = strstr(s.body, "\"token\":\"") + strlen("\"token\":\"");
    (void) snprintf(token, sizeof token, "%.*s", (int) strcspn(at, "\""), at);
    review(&s, token, "");
    ASSERT_CONTAINS(s.body, "\"authenticated\":true");
    ASSERT_EQ(ask(&s, "DELETE", DEFAULT "/secrets/tie", NULL, NULL), 200);
    review(&s, token, "");
    ASSERT_CONTAINS(s.body, "invalid bearer token");
    scene_close(&s);
}

TEST(token_review, knows_the_servers_own_token)
{
    scene s;
    kin__guard guard = { 0 };
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_OK(kin__guard_set_token(&guard, STR("own"), &err));
    s.engine.guard = &guard;
    review(&s, "own", "");
    ASSERT_CONTAINS(s.body, "\"user\":{\"username\":\"kin\",\"groups\":[\"system:masters\","
                            "\"system:authenticated\"]}");
    kin__guard_fini(&guard);
    scene_close(&s);
}

TEST(token_review, gives_no_token_that_cannot_be)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", ACCOUNTS "/none/token", JSON, "{}", 404,
                  "serviceaccounts \\\"none\\\" not found");
    ASSERT_EQ(ask(&s, "POST", ACCOUNTS, JSON, "{\"metadata\":{\"name\":\"bot\"}}"), 201);
    ASSERT_ANSWER(&s, "POST", ACCOUNTS "/bot/token", JSON, "{\"spec\":{\"expirationSeconds\":599}}",
                  422,
                  "TokenRequest.authentication.k8s.io \\\"\\\" is invalid: spec.expirationSeconds: "
                  "Invalid value: 599: may not specify a duration less than 10 minutes");
    ASSERT_ANSWER(&s, "POST", ACCOUNTS "/bot/token", JSON,
                  "{\"spec\":{\"expirationSeconds\":4294967297}}", 422,
                  "may not specify a duration larger than 2^32 seconds");
    ASSERT_ANSWER(&s, "POST", ACCOUNTS "/none/token", JSON, "{\"metadata\":{\"name\":\"bot\"}}",
                  422,
                  "TokenRequest.authentication.k8s.io \\\"none\\\" is invalid: metadata.name: "
                  "Invalid value: \\\"bot\\\": must match the service account name if specified");
    scene_close(&s);
}

TEST_FAILING_ALLOC(token_review, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int made = ask(&s, "POST", ACCOUNTS, JSON, "{\"metadata\":{\"name\":\"bot\"}}");
        int given = made == 0 ? 0 : ask(&s, "POST", ACCOUNTS "/bot/token", JSON, "{}");
        int told = given == 0 ? 0 : ask(&s, "POST", REVIEWS, JSON, "{\"spec\":{\"token\":\"x\"}}");
        code = told == 0 ? KIN_ERR_NO_MEMORY : told == 201 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
