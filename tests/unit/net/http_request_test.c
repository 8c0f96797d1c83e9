/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_request_test.c - a request's callbacks, its deadlines, and its end at any moment.
 */
#include <stdlib.h>

#include "net/http.h"
#include "net/http_state.h"
#include "unit/net/exchange.h"

#define OK_5 "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n"

static void say_hello(raw_connection *connection)
{
    while (raw_read_request(connection)) {
        (void) raw_write(connection, OK_5 "hello");
    }
}

static void say_nothing(raw_connection *connection)
{
    raw_wait_for_end(connection);
}

/* Begins an answer, and ends it when the door opens. */
static void say_slowly(raw_connection *connection)
{
    while (raw_read_request(connection) && raw_write(connection, OK_5 "he") &&
           raw_wait_at_door(connection) && raw_write(connection, "llo")) {
    }
}

TEST(http_request, refuses_what_would_break_out_of_its_line)
{
    bench b = { 0 };
    kin__http_request *request;
    kin_error err;
    const char *headers[] = { "A: b\r\nC: d", NULL };
    bench_open(&b, say_hello, NULL, &(kin__http_options){ 0 });
    kin__http_request_options with_header = { .method = "GET", .target = "/", .headers = headers };
    kin__http_request_options with_space = { .method = "GET", .target = "/a b" };
    kin__http_request_options with_break = { .method = "GET", .target = "/a\r\nb" };
    kin__http_request_options without_slash = { .method = "GET", .target = "a" };
    kin__http_request_options with_method = { .method = "GET /x", .target = "/" };

    ASSERT_ERR(kin__http_start(b.http, &with_header, &request, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin__http_start(b.http, &with_space, &request, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin__http_start(b.http, &with_break, &request, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin__http_start(b.http, &without_slash, &request, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin__http_start(b.http, &with_method, &request, &err), KIN_ERR_USAGE);
    bench_close(&b);
}

/* ---- the caller's callbacks ---- */

TEST(http_request, ends_with_the_error_of_a_callback)
{
    for (int i = 0; i < 2; i++) {
        bench b = { 0 };
        exchange x = { .fails_in_head = i == 0, .fails_in_body = i == 1 };
        bench_open(&b, say_hello, NULL, &(kin__http_options){ 0 });

        exchange_run(&b, &x, &(kin__http_request_options){ 0 });

        ASSERT_ERR(x.err.code, KIN_ERR_MALFORMED);
        ASSERT_CONTAINS(x.err.message, "GET http://127.0.0.1:");
        ASSERT_CONTAINS(x.err.message, "/: not what I like");
        ASSERT_EQ(x.ends, 1);
        bench_close(&b);
    }
}

TEST(http_request, can_be_freed_in_every_callback)
{
    for (int i = 0; i < 3; i++) {
        bench b = { 0 };
        exchange x = { .frees_in_head = i == 0, .frees_in_body = i == 1, .frees_in_end = i == 2 };
        bench_open(&b, say_hello, NULL, &(kin__http_options){ 0 });

        exchange_start(&b, &x, &(kin__http_request_options){ 0 });
        while (x.request != NULL) {
            bench_turn(&b);
        }
        bench_turn(&b);

        ASSERT_EQ(x.ends, i == 2);
        ASSERT_EQ(x.body_len, i == 0 ? 0 : 5);
        ASSERT_EQ(kin__http_count(b.http).running, 0);
        bench_close(&b);
    }
}

TEST(http_request, can_be_freed_whole_in_a_callback)
{
    bench b = { 0 };
    exchange x = { .frees_client_in_body = true };
    exchange other = { 0 };
    bench_open(&b, say_slowly, NULL, &(kin__http_options){ 0 });

    exchange_start(&b, &other, &(kin__http_request_options){ 0 });
    exchange_wait_for_body(&b, &other, 2);
    exchange_start(&b, &x, &(kin__http_request_options){ 0 });
    while (b.http != NULL) {
        bench_turn(&b);
    }

    ASSERT_EQ(x.ends + other.ends, 0);
    exchange_free(&x);
    exchange_free(&other);
    bench_close(&b);
}

TEST(http_request, can_free_another_request_in_a_callback)
{
    bench b = { 0 };
    exchange waits = { 0 };
    exchange x = { .frees_other_in_body = &waits };
    bench_open(&b, say_slowly, NULL, &(kin__http_options){ 0 });

    exchange_start(&b, &waits, &(kin__http_request_options){ 0 });
    exchange_wait_for_body(&b, &waits, 2);
    exchange_start(&b, &x, &(kin__http_request_options){ 0 });
    exchange_wait_for_body(&b, &x, 2);
    raw_open_door(b.server);
    exchange_wait(&b, &x);

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(waits.ends, 0);
    exchange_free(&x);
    bench_close(&b);
}

TEST(http_request, can_be_freed_at_any_moment)
{
    for (int turns = 0; turns < 8; turns++) {
        bench b = { 0 };
        exchange x = { 0 };
        bench_open_tls(&b, &(raw_server_options){ .serve = say_slowly }, &(kin__http_options){ 0 });
        exchange_start(&b, &x, &(kin__http_request_options){ 0 });
        for (int i = 0; i < turns; i++) {
            bench_turn(&b);
        }

        exchange_free(&x);
        bench_turn(&b);

        ASSERT_EQ(x.ends, 0);
        ASSERT_EQ(kin__http_count(b.http).running, 0);
        ASSERT_EQ(kin__http_count(b.http).waiting, 0);
        bench_close(&b);
    }
}

TEST(http_request, leaves_requests_to_their_owners_when_it_is_freed)
{
    bench b = { 0 };
    exchange x = { 0 };
    exchange y = { 0 };
    bench_open(&b, say_slowly, NULL, &(kin__http_options){ 0 });
    exchange_start(&b, &x, &(kin__http_request_options){ 0 });
    exchange_wait_for_body(&b, &x, 2);
    exchange_start(&b, &y, &(kin__http_request_options){ 0 });

    kin__http_free(b.http);
    b.http = NULL;

    bench_turn(&b);
    ASSERT_EQ(x.ends + y.ends, 0);
    exchange_free(&x);
    exchange_free(&y);
    bench_close(&b);
}

/* ---- time ---- */

TEST(http_request, gives_up_at_its_deadline_when_there_is_no_answer)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open(&b, say_nothing, NULL, &(kin__http_options){ 0 });
    exchange_start(&b, &x, &(kin__http_request_options){ .target = "/x", .deadline_ms = 30000 });
    while (raw_server_count_connections(b.server) == 0 ||
           kin__http_count(b.http).connections == 0) {
        bench_turn(&b);
    }
    bench_turn(&b);

    kin__virtual_clock_advance(&b.clock, 29999);
    bench_turn(&b);
    ASSERT_EQ(x.ends, 0);
    kin__virtual_clock_advance(&b.clock, 1);
    exchange_wait(&b, &x);

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(x.err.message, "/x: no answer for 30 s");
    ASSERT_EQ(kin__http_count(b.http).connections, 0);
    exchange_free(&x);
    bench_close(&b);
}

/* A watch stays open for long: a token of it should not stay in memory, nor take any. */
TEST(http_request, forgets_what_it_has_sent_when_the_answer_comes)
{
    bench b = { 0 };
    exchange x = { 0 };
    const char *headers[] = { "Authorization: Bearer secret", NULL };
    bench_open(&b, say_slowly, NULL, &(kin__http_options){ 0 });
    exchange_start(&b, &x, &(kin__http_request_options){ .headers = headers });
    ASSERT_TRUE(x.request->headers != NULL);

    exchange_wait_for_body(&b, &x, 2);

    ASSERT_TRUE(x.request->headers == NULL);
    raw_open_door(b.server);
    exchange_wait(&b, &x);
    ASSERT_STR_EQ(x.err.message, "");
    ASSERT_STR_EQ(x.body, "hello");
    exchange_free(&x);
    bench_close(&b);
}

TEST(http_request, gives_up_at_its_deadline_inside_an_answer)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open(&b, say_slowly, NULL, &(kin__http_options){ 0 });
    exchange_start(&b, &x, &(kin__http_request_options){ .deadline_ms = 1500 });
    exchange_wait_for_body(&b, &x, 2);

    kin__virtual_clock_advance(&b.clock, 1500);
    exchange_wait(&b, &x);

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(x.err.message, "not whole after 1.5 s and 2 bytes");
    exchange_free(&x);
    bench_close(&b);
}

/* A watch is open for long: a thousand of them would keep it a thousand times. */
TEST(http_request, keeps_nothing_of_what_it_asked_once_it_is_answered)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open(&b, say_slowly, NULL, &(kin__http_options){ 0 });
    exchange_start(&b, &x, &(kin__http_request_options){ .target = "/x" });
    ASSERT_STR_EQ(x.request->target, "/x");
    exchange_wait_for_body(&b, &x, 2);

    ASSERT_TRUE(x.request->target == NULL);
    ASSERT_TRUE(x.request->headers == NULL);
    ASSERT_TRUE(x.request->head.content_type.data == NULL);
    ASSERT_STR_EQ(x.content_type, "text/plain");
    exchange_free(&x);
    bench_close(&b);
}

TEST(http_request, gives_up_when_the_body_stalls)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open(&b, say_slowly, NULL, &(kin__http_options){ 0 });
    exchange_start(&b, &x, &(kin__http_request_options){ .idle_ms = 10000 });
    exchange_wait_for_body(&b, &x, 2);

    kin__virtual_clock_advance(&b.clock, 10000);
    exchange_wait(&b, &x);

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(x.err.message, "the body stalled for 10 s after 2 bytes");
    exchange_free(&x);
    bench_close(&b);
}

/* Sends three bytes of five, the third when the door opens. */
static void say_three(raw_connection *connection)
{
    if (raw_read_request(connection) && raw_write(connection, OK_5 "he") &&
        raw_wait_at_door(connection) && raw_write(connection, "l")) {
        raw_wait_for_end(connection);
    }
}

TEST(http_request, counts_idle_time_from_the_last_byte)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open(&b, say_three, NULL, &(kin__http_options){ 0 });
    exchange_start(&b, &x, &(kin__http_request_options){ .idle_ms = 10000 });
    exchange_wait_for_body(&b, &x, 2);
    kin__virtual_clock_advance(&b.clock, 9999);
    bench_turn(&b);
    raw_open_door(b.server);
    exchange_wait_for_body(&b, &x, 3);

    kin__virtual_clock_advance(&b.clock, 9999);
    bench_turn(&b);
    ASSERT_EQ(x.ends, 0);
    kin__virtual_clock_advance(&b.clock, 1);
    exchange_wait(&b, &x);

    ASSERT_CONTAINS(x.err.message, "the body stalled for 10 s after 3 bytes");
    exchange_free(&x);
    bench_close(&b);
}

TEST(http_request, changes_how_long_a_stream_may_be_idle)
{
    bench b = { 0 };
    exchange x = { 0 };
    kin_error err;
    bench_open(&b, say_slowly, NULL, &(kin__http_options){ 0 });
    exchange_start(&b, &x, &(kin__http_request_options){ 0 });
    exchange_wait_for_body(&b, &x, 2);
    kin__virtual_clock_advance(&b.clock, 100000);
    bench_turn(&b);

    ASSERT_OK(kin__http_request_set_idle(x.request, 5000, &err));
    kin__virtual_clock_advance(&b.clock, 4999);
    bench_turn(&b);
    ASSERT_EQ(x.ends, 0);
    kin__virtual_clock_advance(&b.clock, 1);
    exchange_wait(&b, &x);

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_OK(kin__http_request_set_idle(x.request, 1, &err));
    exchange_free(&x);
    bench_close(&b);
}

TEST(http_request, gives_up_connecting_in_time)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open(&b, say_nothing, NULL, &(kin__http_options){ 0 });
    kin__http_free(b.http);
    char base[64];
    (void) snprintf(base, sizeof base, "https://127.0.0.1:%d", raw_server_port(b.server));
    bench_open_client(&b, &(kin__http_options){ .base = base, .connect_timeout_ms = 10000 });
    exchange_start(&b, &x, &(kin__http_request_options){ .deadline_ms = 60000 });
    while (raw_server_count_connections(b.server) == 0) {
        bench_turn(&b);
    }

    kin__virtual_clock_advance(&b.clock, 10000);
    exchange_wait(&b, &x);

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(x.err.message, "connecting took longer than 10 s");
    exchange_free(&x);
    bench_close(&b);
}

TEST(http_request, gives_up_connecting_for_one_that_would_not_wait_for_longer)
{
    bench b = { 0 };
    exchange x[3] = { 0 };
    bench_open(&b, say_nothing, NULL, &(kin__http_options){ 0 });
    kin__http_free(b.http);
    (void) snprintf(b.base, sizeof b.base, "https://127.0.0.1:%d", raw_server_port(b.server));
    bench_open_client(&b, &(kin__http_options){ .connect_timeout_ms = 10000 });
    exchange_start(&b, &x[0], &(kin__http_request_options){ .connect_ms = 2000 });
    exchange_start(&b, &x[1], &(kin__http_request_options){ 0 });
    exchange_start(&b, &x[2], &(kin__http_request_options){ .connect_ms = 50000 });
    while (raw_server_count_connections(b.server) == 0) {
        bench_turn(&b);
    }

    kin__virtual_clock_advance(&b.clock, 2000);
    exchange_wait(&b, &x[0]);
    ASSERT_CONTAINS(x[0].err.message, "connecting took longer than 2 s");
    for (int i = 0; i < 8; i++) {
        bench_turn(&b);
    }
    ASSERT_EQ(x[1].ends, 0);
    ASSERT_EQ(x[2].ends, 0);
    kin__virtual_clock_advance(&b.clock, 10000);
    exchange_wait(&b, &x[1]);
    exchange_wait(&b, &x[2]);

    ASSERT_CONTAINS(x[1].err.message, "connecting took longer than 10 s");
    ASSERT_CONTAINS(x[2].err.message, "connecting took longer than 10 s");
    for (int i = 0; i < 3; i++) {
        exchange_free(&x[i]);
    }
    bench_close(&b);
}

TEST(http_request, gives_up_connecting_for_all_that_wait_for_the_connection)
{
    bench b = { 0 };
    exchange x[3] = { 0 };
    bench_open(&b, say_nothing, NULL, &(kin__http_options){ 0 });
    kin__http_free(b.http);
    (void) snprintf(b.base, sizeof b.base, "https://127.0.0.1:%d", raw_server_port(b.server));
    bench_open_client(&b, &(kin__http_options){ .connect_timeout_ms = 10000 });
    for (int i = 0; i < 3; i++) {
        exchange_start(&b, &x[i], &(kin__http_request_options){ 0 });
    }
    while (raw_server_count_connections(b.server) == 0) {
        bench_turn(&b);
    }

    kin__virtual_clock_advance(&b.clock, 10000);
    bench_turn(&b);

    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(x[i].ends, 1);
        ASSERT_CONTAINS(x[i].err.message, "connecting took longer than 10 s");
        exchange_free(&x[i]);
    }
    bench_close(&b);
}

/* Names are resolved on a thread of libcurl, which nobody waits for. */
TEST(http_request, resolves_the_name_of_its_host)
{
    bench b = { 0 };
    exchange given_up = { 0 };
    exchange x = { 0 };
    bench_open(&b, say_hello, NULL, &(kin__http_options){ 0 });
    kin__http_free(b.http);
    (void) snprintf(b.base, sizeof b.base, "http://localhost:%d", raw_server_port(b.server));
    bench_open_client(&b, &(kin__http_options){ 0 });
    exchange_start(&b, &given_up, &(kin__http_request_options){ 0 });
    bench_turn(&b);

    exchange_free(&given_up);
    exchange_run(&b, &x, &(kin__http_request_options){ 0 });

    ASSERT_STR_EQ(x.err.message, "");
    bench_close(&b);
}
