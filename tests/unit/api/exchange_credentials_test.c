/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange_credentials_test.c - credentials that are refused, or do not come.
 */
#include "api/exchange.h"

#include "unit/api/one_exchange.h"

TEST(exchange_credentials, renews_a_token_from_its_file_once)
{
    char user[256];
    stage_open_tls(&s);
    (void) snprintf(user, sizeof user, "tokenFile: '%s'", write_file(&s, "token", "old"));
    open_wire(user);
    line *l = answer(&s, NULL, 401, "{}");
    l->stays = true;

    run(&(kin__exchange_options){ 0 });
    ASSERT_ERR(x.err.code, KIN_ERR_UNAUTHORIZED);
    ASSERT_EQ(x.attempts, 1);
    ASSERT_CONTAINS(request_at(&s, 1), "Bearer old");

    kin__exchange_free(x.exchange);
    x = (trial){ 0 };
    (void) write_file(&s, "token", "new");
    run(&(kin__exchange_options){ .method = "POST", .class_ = KIN__HTTP_WRITE });
    ASSERT_ERR(x.err.code, KIN_ERR_UNAUTHORIZED);
    ASSERT_EQ(x.attempts, 2);
    ASSERT_CONTAINS(request_at(&s, 2), "Bearer old");
    ASSERT_CONTAINS(request_at(&s, 3), "Bearer new");
    ASSERT_TRUE(strstr(x.err.message, "new") == NULL);
    finish();
}

TEST(exchange_credentials, goes_on_with_a_renewed_token)
{
    char user[256];
    stage_open_tls(&s);
    (void) snprintf(user, sizeof user, "tokenFile: '%s'", write_file(&s, "token", "old"));
    open_wire(user);
    line *l = answer(&s, NULL, 401, "{}");
    l->then = THEN_DOOR;
    l->len = 0;
    l->later = "HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n";
    answer(&s, NULL, 200, "{}");

    start(&(kin__exchange_options){ 0 });
    wait_for_requests(&s, 1);
    (void) write_file(&s, "token", "new");
    raw_open_door(s.server);
    wait_for_end();

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.attempts, 2);
    ASSERT_CONTAINS(request_at(&s, 2), "Bearer new");
    finish();
}

TEST(exchange_credentials, runs_the_plugin_again_when_its_token_is_refused)
{
    stage_open_tls(&s);
    open_wire_with_plugin(COUNTING_PLUGIN);
    answer(&s, NULL, 200, "{}");
    answer(&s, NULL, 401, "{}");
    answer(&s, NULL, 200, "{}");

    run(&(kin__exchange_options){ 0 });
    ASSERT_FALSE(x.has_failed);
    kin__exchange_free(x.exchange);
    x = (trial){ 0 };
    pass(&s, 20000);
    run(&(kin__exchange_options){ 0 });

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.attempts, 2);
    ASSERT_CONTAINS(request_at(&s, 1), "Bearer t1\r\n");
    ASSERT_CONTAINS(request_at(&s, 2), "Bearer t1\r\n");
    ASSERT_CONTAINS(request_at(&s, 3), "Bearer t2\r\n");
    ASSERT_EQ(count_lines(&s, "runs"), 2);
    finish();
}

TEST(exchange_credentials, does_not_run_a_plugin_again_that_gives_what_is_refused_at_once)
{
    stage_open_tls(&s);
    open_wire_with_plugin(COUNTING_PLUGIN);
    answer(&s, NULL, 401, "{}")->stays = true;

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_UNAUTHORIZED);
    ASSERT_EQ(x.attempts, 1);
    ASSERT_EQ(count_lines(&s, "runs"), 1);
    finish();
}

TEST(exchange_credentials, ends_when_there_are_no_credentials)
{
    stage_open_tls(&s);
    open_wire_with_plugin("echo not today >&2; exit 3");

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_UNAUTHORIZED);
    ASSERT_CONTAINS(x.err.message, "not today");
    ASSERT_EQ(x.attempts, 0);
    ASSERT_EQ(count_requests(&s), 0);
    finish();
}

TEST(exchange_credentials, waits_for_credentials_no_longer_than_its_deadline)
{
    stage_open_tls(&s);
    open_wire_with_plugin("exec sleep 600");

    start(&(kin__exchange_options){ .deadline_at = in_ms(5000) });
    for (int i = 0; i < 3; i++) {
        turn(&s);
    }
    pass(&s, 4999);
    ASSERT_EQ(x.ends, 0);
    pass(&s, 1);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(x.err.message, "credentials");
    finish();
}
