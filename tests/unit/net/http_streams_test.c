/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_streams_test.c - many requests on few connections, over HTTP/2.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/admission.h"
#include "net/http.h"
#include "support/h2_server.h"
#include "unit/net/exchange.h"

static const kin__http_request_options hold = { .class_ = KIN__HTTP_WATCH, .target = "/hold" };
static const kin__http_request_options get = { .class_ = KIN__HTTP_READ, .target = "/" };

static exchange many[1002];

static void open_http2(bench *b, h2_plan *plan, const kin__http_options *options)
{
    raw_server_options server = { .serve = h2_serve, .context = plan, .has_http2 = true };
    bench_open_tls(b, &server, options);
}

/* Starts watches and waits until all of them have begun. */
static void hold_many(bench *b, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        exchange_start(b, &many[i], &hold);
    }
    for (int i = first; i < first + count; i++) {
        exchange_wait_for_body(b, &many[i], 5);
        ASSERT_STR_EQ(many[i].err.message, "");
    }
}

static void free_many(int first, int count)
{
    for (int i = first; i < first + count; i++) {
        exchange_free(&many[i]);
    }
}

static void wait_for_open(bench *b, h2_plan *plan, int count)
{
    while (atomic_load(&plan->open) != count) {
        bench_turn(b);
    }
}

TEST(http_streams, gets_an_answer)
{
    bench b = { 0 };
    exchange x = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });

    exchange_run(&b, &x, &get);

    ASSERT_STR_EQ(x.err.message, "");
    ASSERT_EQ(x.status, 200);
    ASSERT_TRUE(x.is_http2);
    ASSERT_STR_EQ(x.content_type, "text/plain");
    ASSERT_STR_EQ(x.body, "tick\n");
    bench_close(&b);
}

TEST(http_streams, speaks_http1_when_told_so)
{
    bench b = { 0 };
    exchange x = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ .http1_only = true });

    exchange_start(&b, &x, &(kin__http_request_options){ .deadline_ms = 1000 });
    while (x.ends == 0) {
        bench_turn(&b);
    }

    ASSERT_TRUE(x.has_failed); /* the server then knows no other answer than to hang up */
    exchange_free(&x);
    bench_close(&b);
}

TEST(http_streams, has_a_thousand_watches_on_few_connections_and_writes_at_once)
{
    bench b = { 0 };
    exchange write = { 0 };
    exchange read = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });

    hold_many(&b, 0, 1000);
    exchange_run(&b, &write,
                 &(kin__http_request_options){
                     .class_ = KIN__HTTP_WRITE, .method = "PUT", .body = kin_str_of("lease") });
    exchange_run(&b, &read, &get);

    ASSERT_FALSE(write.has_failed);
    ASSERT_FALSE(read.has_failed);
    ASSERT_EQ(raw_server_count_connections(b.server), 12);
    ASSERT_EQ(kin__http_count(b.http).connections, 12);
    ASSERT_EQ(kin__http_count(b.http).running, 1000);
    ASSERT_EQ(kin__http_count(b.http).waiting, 0);
    free_many(0, 1000);
    ASSERT_EQ(kin__http_count(b.http).running, 0);
    bench_close(&b);
}

TEST(http_streams, lets_watches_wait_when_all_places_are_taken)
{
    bench b = { 0 };
    exchange write = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ .streams = 4, .connections = 4 });
    hold_many(&b, 0, 8);

    exchange_start(&b, &many[8], &hold);
    exchange_run(&b, &write, &(kin__http_request_options){ .class_ = KIN__HTTP_WRITE });
    ASSERT_FALSE(write.has_failed);
    ASSERT_EQ(many[8].heads, 0);
    ASSERT_EQ(kin__http_count(b.http).waiting, 1);
    exchange_free(&many[3]);
    exchange_wait_for_body(&b, &many[8], 5);

    ASSERT_EQ(many[8].heads, 1);
    free_many(0, 9);
    bench_close(&b);
}

/* libcurl 7.88 sends the news along with whatever it sends next. */
TEST(http_streams, tells_the_server_that_a_stream_is_not_wanted_any_more)
{
    bench b = { 0 };
    exchange tick = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });
    hold_many(&b, 0, 50);

    free_many(0, 49);
    exchange_run(&b, &tick,
                 &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH, .target = "/tick" });
    wait_for_open(&b, &plan, 1);

    ASSERT_EQ(atomic_load(&plan.cancelled), 49);
    ASSERT_EQ(kin__http_count(b.http).connections, 1);
    free_many(49, 1);
    bench_close(&b);
}

/* What the server had sent before it heard of the end must not use up the connection's window. */
TEST(http_streams, goes_on_after_many_large_answers_were_given_up)
{
    bench b = { 0 };
    exchange x = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });

    for (int i = 0; i < 60; i++) {
        exchange given_up = { .frees_in_body = true };
        exchange_start(&b, &given_up, &(kin__http_request_options){ .target = "/big/4000000" });
        while (given_up.request != NULL) {
            bench_turn(&b);
        }
    }
    exchange_run(&b, &x, &(kin__http_request_options){ .target = "/big/4000000" });

    ASSERT_STR_EQ(x.err.message, "");
    ASSERT_EQ(x.body_len, 4000000);
    bench_close(&b);
}

/* One frame with its end; libcurl 7.88 forgets what it has read and a watch's buffer does not take.
 */
TEST(http_streams, reads_to_its_end_what_comes_in_one_piece)
{
    static const char *const targets[] = { "/big/4096", "/big/4097", "/big/13000", "/big/16384" };

    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        bench b = { 0 };
        exchange x = { 0 };
        h2_plan plan = { 0 };
        open_http2(&b, &plan, &(kin__http_options){ 0 });

        exchange_run(
            &b, &x,
            &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH, .target = targets[i] });

        ASSERT_STR_EQ(x.err.message, "");
        ASSERT_EQ(x.body_len, strtoul(targets[i] + strlen("/big/"), NULL, 10));
        bench_close(&b);
    }
}

/* Starts some watches; then `len` bytes for the first of them and the ends of all are there, before
 * anybody reads. */
static void send_last(bench *b, h2_plan *plan, int count, size_t len)
{
    char target[32];
    exchange *last = &many[count];

    memset(many, 0, sizeof many[0] * (size_t) (count + 1));
    open_http2(b, plan, &(kin__http_options){ 0 });
    hold_many(b, 0, count);
    (void) snprintf(target, sizeof target, "/last/%zu", len);
    exchange_start(b, last,
                   &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH, .target = target });
    while (atomic_load(&plan->at_door) == 0) {
        bench_turn(b);
    }
    raw_open_door(b->server);
    while (atomic_load(&plan->lasts) == 0) {
        (void) sched_yield();
    }
}

/* Others read it for that one, more than its buffer takes. */
TEST(http_streams, hands_out_all_that_was_read_for_another_stream)
{
    for (size_t len = 32700; len < 34000; len += 100) {
        bench b = { 0 };
        h2_plan plan = { 0 };
        send_last(&b, &plan, 20, len);

        for (int i = 0; i < 21; i++) {
            exchange_wait(&b, &many[i]);
            ASSERT_FALSE(many[i].has_failed);
        }

        ASSERT_EQ(many[0].body_len, 5 + len);
        ASSERT_EQ(kin__http_count(b.http).connections, 1);
        free_many(0, 21);
        bench_close(&b);
    }
}

/* What has come is taken from the socket at once, record by record it is handed out. */
TEST(http_streams, hands_out_all_records_that_came_together)
{
    static const size_t sizes[] = { 9, 100, 1000, 16000 };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bench b = { 0 };
        h2_plan plan = { .record_max = sizes[i] };
        send_last(&b, &plan, 20, 3000);

        for (int k = 0; k < 21; k++) {
            exchange_wait(&b, &many[k]);
            ASSERT_FALSE(many[k].has_failed);
        }

        ASSERT_EQ(many[0].body_len, 5 + 3000);
        free_many(0, 21);
        bench_close(&b);
    }
}

TEST(http_streams, hands_out_what_was_read_behind_a_stream_that_was_given_up)
{
    for (size_t len = 32700; len < 34000; len += 100) {
        bench b = { 0 };
        h2_plan plan = { 0 };
        send_last(&b, &plan, 20, len);

        many[0].frees_in_body = true;
        for (int i = 1; i < 21; i++) {
            exchange_wait(&b, &many[i]);
            ASSERT_FALSE(many[i].has_failed);
        }

        ASSERT_EQ(many[0].ends, 0);
        free_many(0, 21);
        bench_close(&b);
    }
}

TEST(http_streams, finds_more_connections_where_the_server_allows_fewer_streams)
{
    bench b = { 0 };
    exchange write = { 0 };
    h2_plan plan = { .streams_max = 10 };
    open_http2(&b, &plan, &(kin__http_options){ .connections = 4 });

    hold_many(&b, 0, 150);
    exchange_run(&b, &write, &(kin__http_request_options){ .class_ = KIN__HTTP_WRITE });

    ASSERT_FALSE(write.has_failed);
    ASSERT_EQ(kin__http_count(b.http).connections, 16);
    while (atomic_load(&plan.open) != 150) {
        bench_turn(&b); /* the server may not have counted the end of the write yet */
    }
    free_many(0, 150);
    bench_close(&b);
}

/* libcurl begins them again by itself, all at once: on one connection, not on one each. */
TEST(http_streams, begins_again_together_what_a_closing_connection_has_not_seen)
{
    bench b = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });
    hold_many(&b, 0, 1);

    for (int i = 1; i <= 20; i++) {
        exchange_start(
            &b, &many[i],
            &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH, .target = "/ignored/20" });
    }
    for (int i = 1; i <= 20; i++) {
        exchange_wait_for_body(&b, &many[i], 5);
        ASSERT_STR_EQ(many[i].err.message, "");
    }

    ASSERT_STR_EQ(many[0].err.message, "");
    ASSERT_EQ(plan.requests, 41);
    ASSERT_EQ(many[0].ends, 0);
    ASSERT_EQ(raw_server_count_connections(b.server), 2);
    ASSERT_EQ(kin__http_count(b.http).connections, 2);
    free_many(0, 21);
    bench_close(&b);
}

TEST(http_streams, leaves_a_connection_that_the_server_wants_to_close)
{
    bench b = { 0 };
    exchange last = { 0 };
    exchange tick = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });
    hold_many(&b, 0, 5);

    exchange_run(&b, &last,
                 &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH, .target = "/goaway" });
    hold_many(&b, 5, 5);
    exchange_run(&b, &tick,
                 &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH, .target = "/tick" });

    ASSERT_STR_EQ(last.err.message, "");
    ASSERT_STR_EQ(tick.err.message, "");
    for (int i = 0; i < 5; i++) {
        ASSERT_EQ(many[i].ends, 0);
        ASSERT_EQ(many[i].body_len, 5);
    }
    for (int i = 5; i < 10; i++) {
        exchange_wait_for_body(&b, &many[i], 10);
        ASSERT_EQ(many[i].body_len, 10);
    }
    ASSERT_EQ(kin__http_count(b.http).connections, 2);
    free_many(0, 5);
    bench_turn(&b);
    ASSERT_EQ(kin__http_count(b.http).connections, 1);
    free_many(5, 5);
    bench_close(&b);
}

/* As API servers do it since 1.29. */
TEST(http_streams, reads_a_refusal_that_comes_after_the_goodbye)
{
    bench b = { 0 };
    exchange denied = { 0 };
    exchange next = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });
    hold_many(&b, 0, 3);

    exchange_run(&b, &denied,
                 &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH, .target = "/denied" });
    exchange_run(&b, &next,
                 &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH, .target = "/tick" });

    ASSERT_STR_EQ(denied.err.message, "");
    ASSERT_EQ(denied.status, 401);
    ASSERT_EQ(denied.body_len, 5);
    ASSERT_EQ(next.status, 200);
    ASSERT_EQ(many[0].ends + many[1].ends + many[2].ends, 0); /* those on it go on to their end */
    free_many(0, 3);
    bench_close(&b);
}

TEST(http_streams, tries_again_what_the_server_refused_unseen)
{
    bench b = { 0 };
    exchange x = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });
    hold_many(&b, 0, 3);

    exchange_run(&b, &x,
                 &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH, .target = "/refuse" });

    ASSERT_STR_EQ(x.err.message, "");
    ASSERT_EQ(x.status, 200);
    ASSERT_EQ(many[0].ends + many[1].ends + many[2].ends, 0);
    free_many(0, 3);
    bench_close(&b);
}

TEST(http_streams, ends_one_stream_when_it_is_reset)
{
    bench b = { 0 };
    exchange x = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });
    hold_many(&b, 0, 3);

    exchange_run(&b, &x,
                 &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH, .target = "/reset" });

    ASSERT_ERR(x.err.code, KIN_ERR_CLOSED);
    ASSERT_EQ(many[0].ends + many[1].ends + many[2].ends, 0);
    free_many(0, 3);
    bench_close(&b);
}

TEST(http_streams, ends_all_streams_of_a_connection_that_is_cut)
{
    bench b = { 0 };
    exchange x = { 0 };
    exchange write = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });
    exchange_run(&b, &write, &(kin__http_request_options){ .class_ = KIN__HTTP_WRITE });
    hold_many(&b, 0, 20);

    exchange_run(&b, &x,
                 &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH, .target = "/cut" });

    ASSERT_ERR(x.err.code, KIN_ERR_CLOSED);
    for (int i = 0; i < 20; i++) {
        exchange_wait(&b, &many[i]);
        ASSERT_ERR(many[i].err.code, KIN_ERR_CLOSED);
        ASSERT_CONTAINS(many[i].err.message, "cut inside the answer, after 5 bytes");
        exchange_free(&many[i]);
        many[i] = (exchange){ 0 };
    }
    ASSERT_EQ(kin__http_count(b.http).connections, 1);
    hold_many(&b, 0, 20);
    free_many(0, 20);
    bench_close(&b);
}

TEST(http_streams, gives_up_one_stream_at_its_deadline)
{
    bench b = { 0 };
    exchange x = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });
    hold_many(&b, 0, 3);

    exchange_start(&b, &x,
                   &(kin__http_request_options){
                       .class_ = KIN__HTTP_WATCH, .target = "/silent", .deadline_ms = 5000 });
    wait_for_open(&b, &plan, 4);
    kin__virtual_clock_advance(&b.clock, 5000);
    exchange_wait(&b, &x);

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(x.err.message, "/silent: no answer for 5 s");
    ASSERT_EQ(many[0].ends + many[1].ends + many[2].ends, 0);
    exchange_free(&x);
    free_many(0, 3);
    bench_close(&b);
}

/* A watch that gets no answer until `ms` have passed. */
static void wait_in_vain(bench *b, h2_plan *plan, uint32_t idle_ms, uint32_t deadline_ms,
                         int64_t ms)
{
    exchange x = { 0 };
    int open = atomic_load(&plan->open);

    exchange_start(b, &x,
                   &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH,
                                                 .target = "/silent",
                                                 .idle_ms = idle_ms,
                                                 .deadline_ms = deadline_ms });
    wait_for_open(b, plan, open + 1);
    kin__virtual_clock_advance(&b->clock, ms);
    exchange_wait(b, &x);
    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    exchange_free(&x);
}

TEST(http_streams, leaves_a_connection_that_never_answers)
{
    bench b = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });
    hold_many(&b, 0, 1);

    wait_in_vain(&b, &plan, 10000, 0, 10000);
    hold_many(&b, 1, 1);

    ASSERT_EQ(raw_server_count_connections(b.server), 2);
    ASSERT_EQ(many[0].ends, 0);
    free_many(0, 2);
    bench_close(&b);
}

TEST(http_streams, keeps_a_connection_for_all_that_a_short_deadline_says)
{
    bench b = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });
    hold_many(&b, 0, 1);

    wait_in_vain(&b, &plan, 0, 1000, 1000);
    hold_many(&b, 1, 1);

    ASSERT_EQ(raw_server_count_connections(b.server), 1);
    free_many(0, 2);
    bench_close(&b);
}

/* The first request is never answered, and still the others are not kept waiting for it. */
TEST(http_streams, finds_out_the_protocol_without_an_answer)
{
    bench b = { 0 };
    exchange silent = { 0 };
    exchange x = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });
    exchange_start(&b, &silent, &(kin__http_request_options){ .target = "/silent" });
    exchange_start(&b, &x, &get);

    exchange_wait(&b, &x);

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(raw_server_count_connections(b.server), 1);
    exchange_free(&silent);
    exchange_free(&x);
    bench_close(&b);
}

static void say_nothing_twice(raw_connection *connection)
{
    if (connection->number == 1) {
        raw_wait_for_end(connection);
    } else if (raw_read_request(connection)) {
        (void) raw_write(connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        raw_wait_for_end(connection);
    }
}

TEST(http_streams, finds_out_that_it_is_http1_without_an_answer)
{
    bench b = { 0 };
    exchange silent = { 0 };
    exchange x = { 0 };
    bench_open_tls(&b, &(raw_server_options){ .serve = say_nothing_twice },
                   &(kin__http_options){ 0 });
    exchange_start(&b, &silent, &get);
    exchange_start(&b, &x, &get);

    exchange_wait(&b, &x);

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.status, 200);
    exchange_free(&silent);
    exchange_free(&x);
    bench_close(&b);
}

TEST(http_streams, closes_old_connections_when_certificates_change)
{
    bench b = { 0 };
    h2_plan plan = { 0 };
    kin_error err;
    open_http2(&b, &plan, &(kin__http_options){ 0 });
    hold_many(&b, 0, 3);
    kin__http_tls tls = { .insecure = true };
    ASSERT_OK(kin__http_set_tls(b.http, &tls, &err));

    hold_many(&b, 3, 3);
    ASSERT_EQ(kin__http_count(b.http).connections, 2);
    ASSERT_EQ(many[0].ends, 0);
    free_many(0, 3);
    bench_turn(&b);

    ASSERT_EQ(kin__http_count(b.http).connections, 1);
    free_many(3, 3);
    bench_close(&b);
}

TEST(http_streams, does_not_disturb_the_parent_when_a_child_frees_it)
{
    bench b = { 0 };
    exchange tick = { 0 };
    h2_plan plan = { 0 };
    open_http2(&b, &plan, &(kin__http_options){ 0 });
    hold_many(&b, 0, 10);

    pid_t child = fork();
    if (child == 0) {
        free_many(0, 10);
        kin__http_free(b.http);
        kin_loop_free(b.loop);
        _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    exchange_run(&b, &tick,
                 &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH, .target = "/tick" });

    ASSERT_EQ(status, 0);
    ASSERT_STR_EQ(tick.err.message, "");
    for (int i = 0; i < 10; i++) {
        exchange_wait_for_body(&b, &many[i], 10);
        ASSERT_EQ(many[i].ends, 0);
    }
    ASSERT_EQ(atomic_load(&plan.cancelled), 0);
    free_many(0, 10);
    bench_close(&b);
}
