/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange_repeat_test.c - which requests are sent again, and when.
 */
#include "api/exchange.h"

#include "unit/api/one_exchange.h"

#define STATUS_403                                                                                 \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"you may "     \
    "not\",\"reason\":\"Forbidden\",\"code\":403}"

static void repeats_at_the_time_it_was_told(int status, const char *method)
{
    begin();
    answer_with(&s, NULL, status, "text/plain", "Retry-After: 5\r\n", "busy");
    answer(&s, NULL, 200, "{}");

    start(&(kin__exchange_options){ .method = method });
    wait_for_answer(1);
    pass(&s, 4999);
    ASSERT_EQ(count_requests(&s), 1);
    ASSERT_EQ(x.ends, 0);
    pass(&s, 1);
    wait_for_end();

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.attempts, 2);
    ASSERT_EQ(x.opens, 1);
    finish();
}

TEST(exchange_repeat, is_repeated_when_the_server_says_when)
{
    repeats_at_the_time_it_was_told(429, "GET");
    repeats_at_the_time_it_was_told(503, "GET");
    repeats_at_the_time_it_was_told(500, "POST");
}

TEST(exchange_repeat, is_not_repeated_when_the_server_does_not_say_when)
{
    refuse(429, JSON, "{}");
    ASSERT_ERR(x.err.code, KIN_ERR_THROTTLED);
    finish();
    refuse(503, JSON, "{}");
    ASSERT_ERR(x.err.code, KIN_ERR_SERVER);
    finish();
}

TEST(exchange_repeat, is_not_repeated_for_a_refusal_that_will_stay_one)
{
    begin();
    answer_with(&s, NULL, 403, JSON, "Retry-After: 1\r\n", STATUS_403);

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_FORBIDDEN);
    ASSERT_EQ(x.attempts, 1);
    finish();
}

TEST(exchange_repeat, is_repeated_ten_times_at_most)
{
    begin();
    answer_with(&s, NULL, 503, "text/plain", "Retry-After: 1\r\n", "busy")->stays = true;

    start(&(kin__exchange_options){ 0 });
    for (int i = 1; i <= 11; i++) {
        wait_for_answer(i);
        pass(&s, 1000);
    }
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_SERVER);
    ASSERT_EQ(x.err.retry_after_ms, 1000);
    ASSERT_EQ(x.attempts, 11);
    ASSERT_EQ(count_requests(&s), 11);
    finish();
}

TEST(exchange_repeat, is_not_repeated_beyond_its_deadline)
{
    begin();
    answer_with(&s, NULL, 429, "text/plain", "Retry-After: 5\r\n", "busy")->stays = true;

    start(&(kin__exchange_options){ .deadline_at = in_ms(9000) });
    wait_for_answer(1);
    pass(&s, 5000);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_THROTTLED);
    ASSERT_EQ(x.attempts, 2);
    finish();
}

TEST(exchange_repeat, of_a_read_is_repeated_after_a_cut_before_the_answer)
{
    begin();
    add_line(&s, NULL, "")->then = THEN_CUT;
    answer(&s, NULL, 200, "{}");

    start(&(kin__exchange_options){ 0 });
    wait_for_answer(1);
    pass(&s, 999);
    ASSERT_EQ(count_requests(&s), 1);
    pass(&s, 1);
    wait_for_end();

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.attempts, 2);
    finish();
}

TEST(exchange_repeat, of_a_write_is_not_repeated_after_a_cut)
{
    static const char *const methods[] = { "POST", "PUT", "PATCH", "DELETE" };
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        begin();
        add_line(&s, NULL, "")->then = THEN_CUT;

        run(&(kin__exchange_options){ .class_ = KIN__HTTP_WRITE, .method = methods[i] });

        ASSERT_ERR(x.err.code, KIN_ERR_CLOSED);
        ASSERT_EQ(x.attempts, 1);
        ASSERT_EQ(x.end_status, 0);
        finish();
    }
}

TEST(exchange_repeat, is_not_repeated_once_an_answer_has_begun)
{
    begin();
    answer_open(&s, NULL, "half")->then = THEN_CUT;

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_CLOSED);
    ASSERT_EQ(x.opens, 1);
    ASSERT_STR_EQ(x.body.chars, "half");
    ASSERT_EQ(x.attempts, 1);
    finish();
}

TEST(exchange_repeat, is_not_repeated_once_the_head_of_an_answer_has_come)
{
    begin();
    answer_open(&s, NULL, "")->then = THEN_CUT;

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_CLOSED);
    ASSERT_EQ(x.opens, 1);
    ASSERT_EQ(x.attempts, 1);
    finish();
}

TEST(exchange_repeat, is_not_repeated_when_there_is_nobody_to_talk_to)
{
    begin();
    kin__http_free(wire.http);
    kin__http_options options = { .loop = s.loop, .base = "http://127.0.0.1:1", .proxy = "" };
    kin_error err;
    ASSERT_OK(kin__http_new(&options, &wire.http, &err));

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_CONNECT);
    ASSERT_EQ(x.attempts, 1);
    finish();
}
