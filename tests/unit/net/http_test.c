/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_test.c - requests and answers over HTTP/1.1: what is sent, what is told, and when a request
 * is given up.
 */
#include "net/http.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "unit/net/exchange.h"

#define OK_5 "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n"

/* What the server saw, for the test's thread once the server has answered. */
typedef struct memory {
    char request[RAW_REQUEST_MAX];
    atomic_int count;
} memory;

static void say_hello(raw_connection *connection)
{
    memory *m = connection->context;
    while (raw_read_request(connection)) {
        if (m != NULL) {
            memcpy(m->request, connection->request, connection->request_len + 1);
            (void) atomic_fetch_add(&m->count, 1);
        }
        (void) raw_write(connection, OK_5 "hello");
    }
}

/* Answers with the text that is its context, and waits for the other side to close. */
static void say_text(raw_connection *connection)
{
    if (raw_read_request(connection) && raw_write(connection, connection->context)) {
        raw_wait_for_end(connection);
    }
}

/* Begins an answer, and ends it when the door opens. */
static void say_slowly(raw_connection *connection)
{
    while (raw_read_request(connection) && raw_write(connection, OK_5 "he") &&
           raw_wait_at_door(connection) && raw_write(connection, "llo")) {
    }
}

static exchange get_text(const char *answer)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open(&b, say_text, (void *) (uintptr_t) answer, &(kin__http_options){ 0 });
    exchange_run(&b, &x, &(kin__http_request_options){ 0 });
    bench_close(&b);
    return x;
}

TEST(http, gets_an_answer)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open(&b, say_hello, NULL, &(kin__http_options){ 0 });

    exchange_run(&b, &x, &(kin__http_request_options){ 0 });

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.status, 200);
    ASSERT_FALSE(x.is_http2);
    ASSERT_STR_EQ(x.content_type, "text/plain");
    ASSERT_STR_EQ(x.body, "hello");
    ASSERT_EQ(x.heads, 1);
    ASSERT_EQ(x.ends, 1);
    bench_close(&b);
}

TEST(http, ends_nothing_before_the_start_has_returned)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open(&b, say_hello, NULL, &(kin__http_options){ .base = "http://127.0.0.1:1" });

    exchange_start(&b, &x, &(kin__http_request_options){ 0 });

    ASSERT_EQ(x.ends, 0);
    exchange_wait(&b, &x);
    exchange_free(&x);
    bench_close(&b);
}

TEST(http, sends_what_it_was_given)
{
    bench b = { 0 };
    exchange x = { 0 };
    static memory m;
    const char *headers[] = { "Authorization: Bearer abc", "Content-Type: application/json", NULL };
    bench_open(&b, say_hello, &m, &(kin__http_options){ .user_agent = "test/1" });

    exchange_run(&b, &x,
                 &(kin__http_request_options){ .method = "POST",
                                               .target = "/api/../v1/pods?limit=5",
                                               .headers = headers,
                                               .accepts_gzip = true,
                                               .body = kin_str_of("{\"a\":1}") });

    ASSERT_FALSE(x.has_failed);
    ASSERT_CONTAINS(m.request, "POST /api/../v1/pods?limit=5 HTTP/1.1\r\n");
    ASSERT_CONTAINS(m.request, "\r\nAuthorization: Bearer abc\r\n");
    ASSERT_CONTAINS(m.request, "\r\nContent-Type: application/json\r\n");
    ASSERT_CONTAINS(m.request, "\r\nAccept-Encoding: gzip\r\n");
    ASSERT_CONTAINS(m.request, "\r\nUser-Agent: test/1\r\n");
    ASSERT_CONTAINS(m.request, "\r\nContent-Length: 7\r\n");
    ASSERT_CONTAINS(m.request, "\r\n\r\n{\"a\":1}");
    ASSERT_TRUE(strstr(m.request, "Expect") == NULL);
    bench_close(&b);
}

/* libcurl would ask first whether it may send it. */
TEST(http, sends_a_large_body_at_once)
{
    bench b = { 0 };
    exchange x = { 0 };
    static memory m;
    static char body[1200 * 1024];
    bench_open(&b, say_hello, &m, &(kin__http_options){ 0 });
    memset(body, 'x', sizeof body);

    exchange_run(&b, &x,
                 &(kin__http_request_options){
                     .method = "PUT", .class_ = KIN__HTTP_WRITE, .body = { body, sizeof body } });

    ASSERT_FALSE(x.has_failed);
    ASSERT_CONTAINS(m.request, "Content-Length: 1228800\r\n");
    ASSERT_TRUE(strstr(m.request, "Expect") == NULL);
    ASSERT_EQ(strlen(strstr(m.request, "\r\n\r\n")), 4 + sizeof body);
    bench_close(&b);
}

TEST(http, sends_nothing_nobody_asked_for)
{
    static const char *const methods[] = { "GET", "DELETE", "HEAD", "POST", "PUT", "PATCH" };
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        bench b = { 0 };
        exchange x = { 0 };
        static memory m;
        char line[64];
        bench_open(&b, say_hello, &m, &(kin__http_options){ 0 });

        exchange_run(&b, &x, &(kin__http_request_options){ .method = methods[i] });

        ASSERT_FALSE(x.has_failed);
        (void) snprintf(line, sizeof line, "%s / HTTP/1.1\r\n", methods[i]);
        ASSERT_CONTAINS(m.request, line);
        (void) snprintf(line, sizeof line, "\r\nUser-Agent: kinformer/%s\r\n", kin_version());
        ASSERT_CONTAINS(m.request, line);
        ASSERT_TRUE(strstr(m.request, "Content-Type") == NULL);
        ASSERT_TRUE(strstr(m.request, "Accept-Encoding") == NULL);
        ASSERT_EQ(strstr(m.request, "Content-Length: 0\r\n") != NULL, i >= 3);
        bench_close(&b);
    }
}

TEST(http, puts_the_path_of_the_server_before_the_target)
{
    bench b = { 0 };
    exchange x = { 0 };
    static memory m;
    char base[256];
    bench_open(&b, say_hello, &m, &(kin__http_options){ 0 });
    kin__http_free(b.http);
    (void) snprintf(base, sizeof base, "%s/clusters/c1/", b.base);
    bench_open_client(&b, &(kin__http_options){ .base = base });

    exchange_run(&b, &x, &(kin__http_request_options){ .target = "/version" });

    ASSERT_CONTAINS(m.request, "GET /clusters/c1/version HTTP/1.1\r\n");
    bench_close(&b);
}

TEST(http, refuses_a_base_that_is_no_server)
{
    static const char *const bases[] = { "", "ftp://host", "file:///etc/passwd", "http://", "::" };
    bench b = { 0 };
    bench_open_loop(&b);
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        kin_error err;
        kin__http *http;
        kin__http_options options = { .loop = b.loop, .base = bases[i] };
        ASSERT_ERR(kin__http_new(&options, &http, &err), KIN_ERR_USAGE);
    }
    bench_close(&b);
}

TEST(http, tells_what_the_head_says)
{
    exchange x = get_text("HTTP/1.1 100 Continue\r\nETag: no\r\n\r\n"
                          "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\n"
                          "Warning: 299 - \"v1beta1 is deprecated\"\r\nETag: \"abc\"\r\n"
                          "Content-Length: 0\r\n\r\n");

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.heads, 1);
    ASSERT_EQ(x.status, 429);
    ASSERT_EQ(x.retry_after_ms, 7000);
    ASSERT_STR_EQ(x.warnings, "v1beta1 is deprecated");
    ASSERT_STR_EQ(x.etag, "\"abc\"");
}

TEST(http, does_not_follow_a_redirect)
{
    exchange x = get_text("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/login\r\n"
                          "Content-Length: 0\r\n\r\n");

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.status, 302);
    ASSERT_STR_EQ(x.location, "http://127.0.0.1:1/login");
}

static void say_in_pieces(raw_connection *connection)
{
    const char *answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                         "5\r\nhello\r\n1;ext=1\r\n \r\n5\r\nworld\r\n0\r\nTrailer: x\r\n\r\n";
    if (raw_read_request(connection)) {
        for (const char *c = answer; *c != '\0'; c++) {
            (void) raw_write_bytes(connection, c, 1);
        }
        raw_wait_for_end(connection);
    }
}

TEST(http, puts_chunks_together_however_they_arrive)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open(&b, say_in_pieces, NULL, &(kin__http_options){ 0 });

    exchange_run(&b, &x, &(kin__http_request_options){ 0 });

    ASSERT_FALSE(x.has_failed);
    ASSERT_STR_EQ(x.body, "hello world");
    bench_close(&b);
}

TEST(http, uses_a_connection_again)
{
    bench b = { 0 };
    bench_open(&b, say_hello, NULL, &(kin__http_options){ 0 });

    for (int i = 0; i < 5; i++) {
        exchange x = { 0 };
        exchange_run(&b, &x, &(kin__http_request_options){ 0 });
        ASSERT_FALSE(x.has_failed);
    }

    ASSERT_EQ(raw_server_count_connections(b.server), 1);
    ASSERT_EQ(kin__http_count(b.http).connections, 1);
    bench_close(&b);
}

TEST(http, closes_a_connection_that_nobody_uses)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open(&b, say_hello, NULL, &(kin__http_options){ 0 });
    exchange_run(&b, &x, &(kin__http_request_options){ 0 });
    bench_turn(&b);

    kin__virtual_clock_advance(&b.clock, 61000);
    bench_turn(&b);

    ASSERT_EQ(kin__http_count(b.http).connections, 0);
    exchange again = { 0 };
    exchange_run(&b, &again, &(kin__http_request_options){ 0 });
    ASSERT_FALSE(again.has_failed);
    bench_close(&b);
}

/* The first request on a connection is answered, the second one meets its end. */
static void answer_once(raw_connection *connection)
{
    memory *m = connection->context;
    if (raw_read_request(connection) && raw_write(connection, OK_5 "hello") &&
        raw_read_request(connection)) {
        (void) atomic_fetch_add(&m->count, 1);
    }
}

TEST(http, sends_a_write_only_once)
{
    bench b = { 0 };
    exchange first = { 0 };
    exchange second = { 0 };
    static memory m;
    bench_open(&b, answer_once, &m, &(kin__http_options){ 0 });
    exchange_run(&b, &first, &(kin__http_request_options){ 0 });

    exchange_run(&b, &second,
                 &(kin__http_request_options){
                     .method = "POST", .class_ = KIN__HTTP_WRITE, .body = kin_str_of("x") });

    ASSERT_ERR(second.err.code, KIN_ERR_CLOSED);
    ASSERT_EQ(atomic_load(&m.count), 1);
    bench_close(&b);
}

TEST(http, sends_a_read_again_when_its_connection_was_gone)
{
    bench b = { 0 };
    exchange first = { 0 };
    exchange second = { 0 };
    static memory m;
    bench_open(&b, answer_once, &m, &(kin__http_options){ 0 });
    exchange_run(&b, &first, &(kin__http_request_options){ 0 });

    exchange_run(&b, &second, &(kin__http_request_options){ 0 });

    ASSERT_FALSE(second.has_failed);
    ASSERT_EQ(raw_server_count_connections(b.server), 2);
    bench_close(&b);
}

/* ---- gzip ---- */

static size_t append_member(char *out, size_t room, const char *plain)
{
    z_stream z = { 0 };
    ASSERT_EQ(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *) (uintptr_t) plain;
    z.avail_in = (unsigned) strlen(plain);
    z.next_out = (unsigned char *) out;
    z.avail_out = (unsigned) room;
    ASSERT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t len = room - z.avail_out;
    (void) deflateEnd(&z);
    return len;
}

static void say_gzip(raw_connection *connection)
{
    const int *cut = connection->context;
    char body[1024];
    char head[256];
    size_t len = append_member(body, sizeof body, "hello ");
    len += append_member(body + len, sizeof body - len, "world");
    len -= (size_t) *cut;
    (void) snprintf(head, sizeof head,
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n",
                    len);
    if (raw_read_request(connection) && raw_write(connection, head) &&
        raw_write_bytes(connection, body, len)) {
        raw_wait_for_end(connection);
    }
}

TEST(http, unpacks_gzip_of_several_members)
{
    bench b = { 0 };
    exchange x = { 0 };
    int cut = 0;
    bench_open(&b, say_gzip, &cut, &(kin__http_options){ 0 });

    exchange_run(&b, &x, &(kin__http_request_options){ .accepts_gzip = true });

    ASSERT_STR_EQ(x.err.message, "");
    ASSERT_STR_EQ(x.body, "hello world");
    bench_close(&b);
}

TEST(http, notices_gzip_that_ends_too_early)
{
    bench b = { 0 };
    exchange x = { 0 };
    int cut = 3;
    bench_open(&b, say_gzip, &cut, &(kin__http_options){ 0 });

    exchange_run(&b, &x, &(kin__http_request_options){ .accepts_gzip = true });

    ASSERT_ERR(x.err.code, KIN_ERR_PROTOCOL);
    bench_close(&b);
}

TEST(http, notices_gzip_that_is_none)
{
    exchange x = get_text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
                          "Content-Length: 5\r\n\r\nhello");

    ASSERT_ERR(x.err.code, KIN_ERR_PROTOCOL);
    ASSERT_EQ(x.body_len, 0);
}

TEST(http, takes_no_encoding_it_does_not_know)
{
    exchange x = get_text("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n"
                          "Content-Length: 5\r\n\r\nhello");

    ASSERT_ERR(x.err.code, KIN_ERR_PROTOCOL);
    ASSERT_CONTAINS(x.err.message, "an encoding we did not ask for: br");
}

/* ---- many ---- */

TEST(http, has_a_connection_for_each_watch_and_room_for_a_write)
{
    enum { WATCHES = 30 };
    static exchange watches[WATCHES];
    bench b = { 0 };
    exchange waits = { 0 };
    exchange read = { 0 };
    exchange write = { 0 };
    bench_open(&b, say_slowly, NULL, &(kin__http_options){ .connections = WATCHES + 2 });
    for (int i = 0; i < WATCHES; i++) {
        exchange_start(&b, &watches[i], &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH });
    }
    for (int i = 0; i < WATCHES - 2; i++) {
        exchange_wait_for_body(&b, &watches[i], 2);
    }
    ASSERT_EQ(kin__http_count(b.http).waiting, 2);

    exchange_start(&b, &waits,
                   &(kin__http_request_options){ .class_ = KIN__HTTP_WATCH, .deadline_ms = 2000 });
    exchange_start(&b, &read, &(kin__http_request_options){ .class_ = KIN__HTTP_READ });
    exchange_start(&b, &write, &(kin__http_request_options){ .class_ = KIN__HTTP_WRITE });
    exchange_wait_for_body(&b, &read, 2);
    exchange_wait_for_body(&b, &write, 2);
    kin__virtual_clock_advance(&b.clock, 2000);
    exchange_wait(&b, &waits);

    ASSERT_ERR(waits.err.code, KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(waits.err.message, "waited 2 s for a place on a connection");
    raw_open_door(b.server);
    for (int i = 0; i < WATCHES; i++) {
        exchange_wait(&b, &watches[i]);
        ASSERT_FALSE(watches[i].has_failed);
        exchange_free(&watches[i]);
    }
    ASSERT_TRUE(raw_server_count_connections(b.server) <= WATCHES + 2);
    exchange_free(&waits);
    exchange_free(&read);
    exchange_free(&write);
    bench_close(&b);
}

TEST(http, shares_a_loop_with_others)
{
    bench b = { 0 };
    bench c = { 0 };
    exchange x = { 0 };
    exchange y = { 0 };
    bench_open(&b, say_slowly, NULL, &(kin__http_options){ 0 });
    c.loop = b.loop;
    bench_open_client(&c, &(kin__http_options){ .base = b.base });

    exchange_start(&b, &x, &(kin__http_request_options){ 0 });
    exchange_start(&c, &y, &(kin__http_request_options){ 0 });
    exchange_wait_for_body(&b, &x, 2);
    exchange_wait_for_body(&c, &y, 2);
    kin__http_free(b.http);
    b.http = NULL;
    raw_open_door(b.server);
    exchange_wait(&c, &y);

    ASSERT_FALSE(y.has_failed);
    ASSERT_EQ(x.ends, 0);
    exchange_free(&x);
    exchange_free(&y);
    kin__http_free(c.http);
    bench_close(&b);
}

/* ---- a proxy ---- */

static void be_a_strict_proxy(raw_connection *connection)
{
    memory *m = connection->context;
    if (raw_read_request(connection)) {
        memcpy(m->request, connection->request, connection->request_len + 1);
        (void) atomic_fetch_add(&m->count, 1);
        (void) raw_write(connection, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    }
}

TEST(http, asks_its_proxy_for_a_way_and_tells_when_there_is_none)
{
    bench b = { 0 };
    exchange x = { 0 };
    static memory m;
    bench_open(&b, be_a_strict_proxy, &m, &(kin__http_options){ 0 });
    kin__http_free(b.http);
    bench_open_client(&b, &(kin__http_options){ .base = "https://api.test:6443", .proxy = b.base });
    const char *headers[] = { "Authorization: Bearer abc", NULL };

    exchange_run(&b, &x, &(kin__http_request_options){ .headers = headers });

    ASSERT_CONTAINS(m.request, "CONNECT api.test:6443 HTTP/1.1\r\n");
    ASSERT_TRUE(strstr(m.request, "Authorization") == NULL);
    ASSERT_ERR(x.err.code, KIN_ERR_CONNECT);
    ASSERT_CONTAINS(x.err.message, "the proxy would not: ");
    ASSERT_EQ(x.heads, 0);
    bench_close(&b);
}

TEST(http, goes_through_its_proxy)
{
    bench b = { 0 };
    exchange x = { 0 };
    static memory m;
    bench_open(&b, say_hello, &m, &(kin__http_options){ 0 });
    kin__http_free(b.http);
    bench_open_client(&b, &(kin__http_options){ .base = "http://api.test:8080", .proxy = b.base });

    exchange_run(&b, &x, &(kin__http_request_options){ .target = "/version" });

    ASSERT_CONTAINS(m.request, "GET http://api.test:8080/version HTTP/1.1\r\n");
    ASSERT_STR_EQ(x.body, "hello");
    bench_close(&b);
}

/* ---- fork ---- */

TEST(http, does_not_disturb_the_parent_when_a_child_frees_it)
{
    bench b = { 0 };
    exchange x = { 0 };
    exchange next = { 0 };
    bench_open_tls(&b, &(raw_server_options){ .serve = say_slowly }, &(kin__http_options){ 0 });
    exchange_start(&b, &x, &(kin__http_request_options){ 0 });
    exchange_wait_for_body(&b, &x, 2);

    pid_t child = fork();
    if (child == 0) {
        exchange_free(&x);
        kin__http_free(b.http);
        kin_loop_free(b.loop);
        _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    raw_open_door(b.server);
    exchange_wait(&b, &x);

    ASSERT_EQ(status, 0);
    ASSERT_STR_EQ(x.err.message, "");
    ASSERT_STR_EQ(x.body, "hello");
    exchange_free(&x);
    exchange_run(&b, &next, &(kin__http_request_options){ 0 });
    ASSERT_STR_EQ(next.err.message, "");
    ASSERT_EQ(raw_server_count_connections(b.server), 1);
    bench_close(&b);
}
