/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange_test.c - one request until its good answer or its last error.
 */
#include "api/exchange.h"

#include "unit/api/one_exchange.h"

static kin__bucket limit;

#define STATUS_403                                                                                 \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"you may "     \
    "not\",\"reason\":\"Forbidden\",\"code\":403}"

/* ---- good answers ---- */

TEST(exchange, tells_a_good_answer_in_pieces_as_it_arrives)
{
    begin();
    line *l = answer_open(&s, "GET /x", "hel");
    l->then = THEN_DOOR;
    l->later = "2\r\nlo\r\n0\r\n\r\n";

    start(&(kin__exchange_options){ 0 });
    while (x.body.len < 3) {
        turn(&s);
    }
    ASSERT_EQ(x.opens, 1);
    ASSERT_EQ(x.status, 200);
    ASSERT_STR_EQ(x.body.chars, "hel");
    ASSERT_EQ(x.ends, 0);
    raw_open_door(s.server);
    wait_for_end();

    ASSERT_FALSE(x.has_failed);
    ASSERT_STR_EQ(x.body.chars, "hello");
    ASSERT_EQ(x.pieces, 2);
    ASSERT_EQ(x.end_status, 200);
    ASSERT_EQ(x.attempts, 1);
    finish();
}

TEST(exchange, sends_its_headers_and_its_body)
{
    begin();
    answer(&s, "POST /x?a=1 ", 201, "{}");

    run(&(kin__exchange_options){ .class_ = KIN__HTTP_WRITE,
                                  .method = "POST",
                                  .target = "/x?a=1",
                                  .accept = "one/thing",
                                  .content_type = "another/thing",
                                  .body = kin_str_of("{\"a\":1}") });

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.status, 201);
    ASSERT_CONTAINS(request_at(&s, 1), "\r\nAccept: one/thing\r\n");
    ASSERT_CONTAINS(request_at(&s, 1), "\r\nContent-Type: another/thing\r\n");
    ASSERT_CONTAINS(request_at(&s, 1), "\r\n\r\n{\"a\":1}");
    finish();
}

TEST(exchange, sends_no_credentials_without_tls_but_says_for_whom_it_speaks)
{
    stage_open(&s);
    open_wire("token: secret, as: eve, as-groups: [ops]");
    answer(&s, NULL, 200, "{}");

    run(&(kin__exchange_options){ 0 });

    ASSERT_TRUE(strstr(request_at(&s, 1), "Authorization") == NULL);
    ASSERT_TRUE(strstr(request_at(&s, 1), "secret") == NULL);
    ASSERT_TRUE(strstr(request_at(&s, 1), "Content-Type") == NULL);
    ASSERT_CONTAINS(request_at(&s, 1), "\r\nImpersonate-User: eve\r\n");
    ASSERT_CONTAINS(request_at(&s, 1), "\r\nImpersonate-Group: ops\r\n");
    finish();
}

TEST(exchange, sends_credentials_over_tls)
{
    stage_open_tls(&s);
    open_wire("token: secret");
    answer(&s, NULL, 200, "{}");

    run(&(kin__exchange_options){ 0 });

    ASSERT_FALSE(x.has_failed);
    ASSERT_CONTAINS(request_at(&s, 1), "\r\nAuthorization: Bearer secret\r\n");
    finish();
}

TEST(exchange, tells_the_warnings_of_the_last_answer)
{
    begin();
    answer_with(&s, NULL, 503, JSON, "Retry-After: 1\r\nWarning: 299 - \"old\"\r\n", "{}");
    answer_with(&s, NULL, 200, JSON, "Warning: 299 - \"one\"\r\nWarning: 299 - \"two\"\r\n", "{}");

    start(&(kin__exchange_options){ 0 });
    wait_for_answer(1);
    pass(&s, 1000);
    wait_for_end();

    ASSERT_STR_EQ(x.warnings, "one\ntwo");
    finish();
}

/* ---- time ---- */

TEST(exchange, waits_for_its_turn)
{
    begin();
    kin__bucket_init(&limit, 2, 1);
    wire.limit = &limit;
    answer(&s, NULL, 200, "{}")->stays = true;

    run(&(kin__exchange_options){ .is_limited = true });
    ASSERT_FALSE(x.has_failed);
    kin__exchange_free(x.exchange);
    x = (trial){ 0 };
    start(&(kin__exchange_options){ .is_limited = true });
    pass(&s, 499);
    ASSERT_EQ(count_requests(&s), 1);
    pass(&s, 1);
    wait_for_end();
    ASSERT_EQ(count_requests(&s), 2);

    kin__exchange_free(x.exchange);
    x = (trial){ 0 };
    run(&(kin__exchange_options){ 0 });
    ASSERT_EQ(count_requests(&s), 3);
    finish();
}

TEST(exchange, waits_for_its_turn_no_longer_than_its_deadline)
{
    begin();
    kin__bucket_init(&limit, 0.01, 1);
    ASSERT_TRUE(kin__bucket_take(&limit, in_ms(0)));
    wire.limit = &limit;

    start(&(kin__exchange_options){ .is_limited = true, .deadline_at = in_ms(3000) });
    pass(&s, 2999);
    ASSERT_EQ(x.ends, 0);
    pass(&s, 1);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(x.err.message, "rate limit");
    ASSERT_EQ(x.attempts, 0);
    finish();
}

TEST(exchange, that_is_given_up_leaves_its_turn_to_others)
{
    begin();
    kin__bucket_init(&limit, 1, 1);
    wire.limit = &limit;
    answer(&s, NULL, 200, "{}")->stays = true;
    for (int i = 0; i < 3; i++) {
        start(&(kin__exchange_options){ .is_limited = true });
        kin__exchange_free(x.exchange);
    }

    run(&(kin__exchange_options){ .is_limited = true });
    ASSERT_FALSE(x.has_failed);
    kin__exchange_free(x.exchange);
    x = (trial){ 0 };
    start(&(kin__exchange_options){ .is_limited = true });
    pass(&s, 999);
    ASSERT_EQ(count_requests(&s), 1);
    finish();
}

TEST(exchange, has_one_deadline_for_all_attempts)
{
    begin();
    answer_with(&s, NULL, 503, "text/plain", "Retry-After: 4\r\n", "busy");
    add_line(&s, NULL, "")->then = THEN_HOLD;

    start(&(kin__exchange_options){ .deadline_at = in_ms(10000) });
    wait_for_answer(1);
    pass(&s, 4000);
    wait_for_requests(&s, 2);
    pass(&s, 5999);
    ASSERT_EQ(x.ends, 0);
    pass(&s, 1);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_EQ(x.attempts, 2);
    finish();
}

TEST(exchange, ends_when_no_byte_comes_for_too_long)
{
    begin();
    answer_open(&s, NULL, "a");

    start(&(kin__exchange_options){ .idle_ms = 7000 });
    while (x.body.len == 0) {
        turn(&s);
    }
    pass(&s, 6999);
    ASSERT_EQ(x.ends, 0);
    pass(&s, 1);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_EQ(x.end_status, 200);
    finish();
}

TEST(exchange, can_be_told_another_idle_time)
{
    kin_error err;
    begin();
    answer_open(&s, NULL, "a");

    start(&(kin__exchange_options){ 0 });
    ASSERT_OK(kin__exchange_set_idle(x.exchange, 5000, &err));
    while (x.body.len == 0) {
        turn(&s);
    }
    ASSERT_OK(kin__exchange_set_idle(x.exchange, 20000, &err));
    pass(&s, 19999);
    ASSERT_EQ(x.ends, 0);
    pass(&s, 1);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    finish();
}

/* ---- free ---- */

TEST(exchange, can_be_freed_in_each_of_its_callbacks)
{
    for (int i = 0; i < 6; i++) {
        begin();
        x.frees_in_open = i == 0 || i == 3;
        x.frees_in_body = i == 1 || i == 4;
        x.frees_in_end = i == 2 || i == 5;
        x.fails_in_open = i == 3;
        x.fails_in_body = i == 4;
        answer_open(&s, NULL, "body")->then = i == 2 ? THEN_CUT : THEN_HOLD;
        if (i == 5) {
            s.lines[0].is_used = true;
            answer(&s, NULL, 403, STATUS_403);
        }

        start(&(kin__exchange_options){ 0 });
        while (x.exchange != NULL) {
            turn(&s);
        }
        pass(&s, 100000);

        ASSERT_EQ(x.ends, i == 2 || i == 5);
        ASSERT_EQ(kin__http_count(wire.http).running, 0);
        finish();
    }
}

TEST(exchange, ends_with_what_its_callbacks_say)
{
    for (int i = 0; i < 2; i++) {
        begin();
        x.fails_in_open = i == 0;
        x.fails_in_body = i == 1;
        answer_open(&s, NULL, "body");

        run(&(kin__exchange_options){ 0 });

        ASSERT_ERR(x.err.code, KIN_ERR_MALFORMED);
        ASSERT_CONTAINS(x.err.message, "not what I like");
        ASSERT_EQ(x.attempts, 1);
        finish();
    }
}

TEST(exchange, can_be_freed_while_it_waits)
{
    /* For its turn. */
    begin();
    kin__bucket_init(&limit, 1, 1);
    ASSERT_TRUE(kin__bucket_take(&limit, in_ms(0)));
    wire.limit = &limit;
    start(&(kin__exchange_options){ .is_limited = true });
    finish();

    /* For the time of its next attempt. */
    begin();
    answer_with(&s, NULL, 503, "text/plain", "Retry-After: 4\r\n", "busy");
    start(&(kin__exchange_options){ 0 });
    wait_for_answer(1);
    finish();

    /* For an answer. */
    begin();
    add_line(&s, NULL, "")->then = THEN_HOLD;
    start(&(kin__exchange_options){ 0 });
    wait_for_requests(&s, 1);
    finish();

    /* For credentials. */
    stage_open_tls(&s);
    open_wire_with_plugin(COUNTING_PLUGIN);
    answer(&s, NULL, 200, "{}")->stays = true;
    start(&(kin__exchange_options){ 0 });
    turn(&s);
    kin__exchange_free(x.exchange);
    run(&(kin__exchange_options){ 0 });
    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(count_requests(&s), 1);
    finish();
}

/* ---- memory ---- */

TEST_FAILING_ALLOC(exchange, fails_without_memory)
{
    kin__exchange_options options = { .method = "GET", .target = "/x", .accept = JSON };
    kin__wire nothing = { 0 };
    kin_error err;
    kin__exchange *made;

    kin__virtual_clock_init(&s.clock, 1000000, (kin_time){ 0 });
    kin_err code = kin__loop_new_with_clock(NULL, &s.clock.clock, &nothing.loop, &err);
    if (code == KIN_OK) {
        code = kin__exchange_start(&nothing, &options, &made, &err);
    }
    if (code == KIN_OK) {
        kin__exchange_free(made);
    }
    kin_loop_free(nothing.loop);
    return code;
}
