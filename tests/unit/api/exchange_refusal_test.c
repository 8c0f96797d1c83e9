/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange_refusal_test.c - what becomes of answers that are none.
 */
#include "api/exchange.h"

#include "unit/api/one_exchange.h"

#define STATUS_403                                                                                 \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"you may "     \
    "not\",\"reason\":\"Forbidden\",\"code\":403}"
#define WITH_CAUSE                                                                                 \
    "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"no\",\"code\":429,"                 \
    "\"metadata\":{\"continue\":\"next\"},\"details\":{\"causes\":[{\"reason\":\"Why\"}]}}"

TEST(exchange_refusal, makes_an_error_of_a_status_in_json)
{
    refuse(403, JSON, STATUS_403);
    ASSERT_ERR(x.err.code, KIN_ERR_FORBIDDEN);
    ASSERT_STR_EQ(x.err.reason, "Forbidden");
    ASSERT_CONTAINS(x.err.message, "you may not");
    finish();
}

TEST(exchange_refusal, makes_an_error_of_a_status_in_protobuf)
{
    begin();
    answer_file(&s, NULL, 404, "application/vnd.kubernetes.protobuf", "status-404-object.pb");

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_NOT_FOUND);
    ASSERT_STR_EQ(x.err.reason, "NotFound");
    ASSERT_CONTAINS(x.err.message, "not found");
    finish();
}

TEST(exchange_refusal, makes_an_error_of_text)
{
    refuse(404, "text/plain", "404 page not found\n");
    ASSERT_ERR(x.err.code, KIN_ERR_NOT_FOUND);
    ASSERT_CONTAINS(x.err.message, "404 page not found");
    finish();
}

TEST(exchange_refusal, makes_an_error_of_html_without_quoting_it)
{
    refuse(502, "text/html", "<html><b>Bad Gateway</b></html>");
    ASSERT_ERR(x.err.code, KIN_ERR_SERVER);
    ASSERT_TRUE(strstr(x.err.message, "<b>") == NULL);
    finish();
}

TEST(exchange_refusal, tells_the_first_cause_of_a_refusal_and_its_token)
{
    refuse(429, JSON, WITH_CAUSE);
    ASSERT_STR_EQ(x.cause, "Why");
    ASSERT_STR_EQ(x.token, "next");
    finish();
}

TEST(exchange_refusal, does_not_tell_the_cause_of_an_earlier_refusal)
{
    begin();
    answer_with(&s, NULL, 429, JSON, "Retry-After: 1\r\n", WITH_CAUSE);
    add_line(&s, NULL, "")->then = THEN_CUT;

    start(&(kin__exchange_options){ .method = "POST", .class_ = KIN__HTTP_WRITE });
    wait_for_answer(1);
    pass(&s, 1000);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_CLOSED);
    ASSERT_STR_EQ(x.cause, "");
    ASSERT_STR_EQ(x.token, "");
    finish();
}

/* Of two messages the last would count. */
TEST(exchange_refusal, keeps_only_the_beginning_of_a_long_refusal)
{
    static char body[100000];
    static char head[256];
    int len = snprintf(body, sizeof body, "{\"kind\":\"Status\",\"message\":\"one\",\"x\":\"");
    memset(body + len, 'x', sizeof body - (size_t) len - 1);
    (void) snprintf(body + sizeof body - 32, 32, "\",\"message\":\"two\"}");
    begin();
    (void) snprintf(head, sizeof head,
                    "HTTP/1.1 500 X\r\nContent-Type: " JSON "\r\nContent-Length: %zu\r\n\r\n",
                    strlen(body));
    line *l = add_line(&s, NULL, head);
    l->then = THEN_DOOR;
    l->later = body;
    raw_open_door(s.server);

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_SERVER);
    ASSERT_CONTAINS(x.err.message, "one");
    ASSERT_TRUE(strstr(x.err.message, "two") == NULL);
    finish();
}

/* As servers do that have not read our body. */
TEST(exchange_refusal, believes_a_refusal_that_is_cut_before_its_end)
{
    begin();
    add_line(&s, NULL,
             "HTTP/1.1 413 X\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\ntoo lar")
        ->then = THEN_CUT;

    run(&(kin__exchange_options){ .method = "POST", .class_ = KIN__HTTP_WRITE });

    ASSERT_ERR(x.err.code, KIN_ERR_REFUSED);
    ASSERT_EQ(x.err.http_status, 413);
    finish();
}

TEST(exchange_refusal, does_not_follow_a_redirect_and_says_where_it_leads)
{
    begin();
    answer_with(&s, NULL, 302, "text/html", "Location: https://elsewhere/login\r\n", "");

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_PROTOCOL);
    ASSERT_CONTAINS(x.err.message, "https://elsewhere/login");
    ASSERT_EQ(x.end_status, 302);
    ASSERT_EQ(count_requests(&s), 1);
    finish();
}
