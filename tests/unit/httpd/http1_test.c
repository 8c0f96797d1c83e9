/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http1_test.c - HTTP/1.1 on real sockets.
 */
#include "httpd/http1.h"

#include "httpd/connection.h"
#include "unit/httpd/house.h"

#define GET_HELLO "GET /hello?a=b HTTP/1.1\r\nHost: x\r\n\r\n"
#define GET_PIPE "GET /pipe HTTP/1.1\r\nHost: x\r\n\r\n"
#define GET_HOLD "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"
#define DATE "Date: Wed, 14 Oct 2026 17:46:40 GMT\r\n"
#define TYPE "Content-Type: text/plain\r\n"
#define HELLO "HTTP/1.1 200 OK\r\n" TYPE DATE "Content-Length: 5\r\n\r\nhello"
#define PIPE "HTTP/1.1 200 OK\r\n" DATE "Transfer-Encoding: chunked\r\n\r\n"

/* ---- requests ---- */

TEST(http1, answers_a_request)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);

    guest_say(&g, h, GET_HELLO);
    guest_hear(&g, h, "hello");

    ASSERT_STR_EQ(g.heard, HELLO);
    ASSERT_STR_EQ(h->log.chars, "GET /hello ?a=b\n");
    guest_leave(&g);
    house_close(h);
}

TEST(http1, reads_a_request_in_single_bytes)
{
    static const char *const requests[] = {
        "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody",
        "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3;q\r\nbod\r\n1\r\ny\r\n0\r\nT: t\r\n\r\n",
    };
    for (size_t i = 0; i < 2; i++) {
        house *h = house_open();
        guest g;
        guest_connect(&g, h);

        for (const char *c = requests[i]; *c != '\0'; c++) {
            guest_say_bytes(&g, h, c, 1);
        }
        guest_hear(&g, h, "hello");

        ASSERT_STR_EQ(g.heard, HELLO);
        ASSERT_STR_EQ(h->log.chars, "POST /x [body]\n");
        guest_leave(&g);
        house_close(h);
    }
}

TEST(http1, answers_pipelined_requests_one_after_the_other)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);

    guest_say(&g, h,
              GET_HOLD GET_HELLO
              "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab" GET_HOLD GET_HELLO);
    house_turn(h);
    ASSERT_STR_EQ(h->log.chars, "GET /hold\n");
    house_answer(h, h->held[0], 200, "first");
    house_turn(h);
    ASSERT_EQ(h->holds, 2);
    house_answer(h, h->held[1], 200, "second");
    guest_hear_len(&g, h, 5 * strlen(HELLO) + 1);

    ASSERT_STR_EQ(h->log.chars,
                  "GET /hold\nGET /hello ?a=b\nPOST /a [ab]\nGET /hold\nGET /hello ?a=b\n");
    ASSERT_CONTAINS(g.heard, "first");
    ASSERT_CONTAINS(strstr(g.heard, "first"), "second");
    guest_leave(&g);
    house_close(h);
}

TEST(http1, holds_back_a_client_that_says_much_ahead)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);
    guest_say(&g, h, GET_HOLD);
    house_await(h, 1);
    const kin__connection *connection =
        KIN__OWNER(kin__list_first(&h->httpd->connections), kin__connection, link);
    size_t len = strlen(GET_HELLO);
    size_t said = 0;
    char *many = calloc(2000, len);
    ASSERT_TRUE(many != NULL);
    for (size_t i = 0; i < 2000; i++) {
        memcpy(many + i * len, GET_HELLO, len);
    }

    for (int idle = 0; idle < 5; idle++) {
        size_t at = said % len;
        ssize_t sent = send(g.fd, many + at, 2000 * len - at, MSG_NOSIGNAL);
        said += sent > 0 ? (size_t) sent : 0;
        idle = sent > 0 ? 0 : idle;
        house_turn(h);
    }
    ASSERT_TRUE(said > 200000);
    ASSERT_TRUE(connection->http1.in.len <= 128 * 1024);
    ASSERT_EQ(h->visits, 1);
    house_answer(h, h->held[0], 200, "hello");
    while (h->visits <= (int) (said / len)) {
        house_turn(h);
        guest_listen(&g);
    }

    ASSERT_TRUE(connection->http1.in.len < len);
    guest_leave(&g);
    house_close(h);
    free(many);
}

TEST(http1, says_continue_to_those_who_wait_for_it)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);

    guest_say(&g, h,
              "PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    guest_hear(&g, h, "\r\n\r\n");
    ASSERT_STR_EQ(g.heard, "HTTP/1.1 100 Continue\r\n\r\n");
    guest_say(&g, h, "ab");
    guest_hear(&g, h, "hello");

    ASSERT_STR_EQ(g.heard, "HTTP/1.1 100 Continue\r\n\r\n" HELLO);
    ASSERT_STR_EQ(h->log.chars, "PUT /x [ab]\n");
    guest_leave(&g);
    house_close(h);
}

TEST(http1, refuses_what_is_no_request_and_closes)
{
    static const struct {
        const char *bytes;
        const char *status;
    } cases[] = {
        { "nonsense\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n" },
        { "GET / HTTP/1.1\n\n", "HTTP/1.1 400 Bad Request\r\n" },
        { "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request: missing required Host header\r\n" },
        { "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
          "0\r\n\r\n",
          "HTTP/1.1 400 Bad Request\r\n" },
        { "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
          "HTTP/1.1 400 Bad Request\r\n" },
        { "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 505 HTTP Version Not Supported: " },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        house *h = house_open();
        guest g;
        guest_connect(&g, h);

        guest_say(&g, h, cases[i].bytes);
        guest_say(&g, h, GET_HELLO);
        guest_hear_end(&g, h);

        ASSERT_TRUE(strncmp(g.heard, cases[i].status, strlen(cases[i].status)) == 0);
        ASSERT_FALSE(g.was_reset);
        ASSERT_EQ(h->visits, 0);
        guest_leave(&g);
        house_close(h);
    }
}

/* As kube-apiserver: Go's own limit. */
TEST(http1, refuses_heads_over_1_mib)
{
    static const char line[] = "GET / HTTP/1.1\r\nHost: x\r\nA: ";
    size_t largest = 1024 * 1024 - (sizeof line - 1) - 4;
    char *many = calloc(1, 2000000);
    ASSERT_TRUE(many != NULL);
    memset(many, 'a', 1999999);
    for (size_t i = 0; i < 3; i++) {
        house *h = house_open();
        guest g;
        guest_connect(&g, h);

        guest_say(&g, h, line);
        guest_say_bytes(&g, h, many, i == 2 ? 1999999 : largest + i);
        guest_say(&g, h, "\r\n\r\n");
        if (i == 0) {
            guest_hear(&g, h, "hello");
        } else {
            guest_hear_end(&g, h);
            ASSERT_CONTAINS(g.heard, "HTTP/1.1 431 Request Header Fields Too Large\r\n");
            ASSERT_FALSE(g.was_reset);
        }

        ASSERT_EQ(h->visits, i == 0);
        guest_leave(&g);
        house_close(h);
    }
    free(many);
}

TEST(http1, keeps_bodies_up_to_the_limit)
{
    char *body = calloc(1, 100001);
    ASSERT_TRUE(body != NULL);
    memset(body, 'b', 100000);
    house *h = house_open();
    guest g;
    guest_connect(&g, h);

    guest_say(&g, h, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
    guest_say(&g, h, body);
    guest_hear(&g, h, "hello");
    ASSERT_EQ(h->body_len, 100000);
    guest_forget(&g);
    guest_say(&g, h, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n186a0\r\n");
    guest_say(&g, h, body);
    guest_say(&g, h, "\r\n0\r\n\r\n");
    guest_hear(&g, h, "hello");

    ASSERT_EQ(h->body_len, 100000);
    guest_leave(&g);
    house_close(h);
    free(body);
}

TEST(http1, says_when_a_body_is_too_large_and_ends_after_the_answer)
{
    static const char *const heads[] = {
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100001\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n186a1\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 100001\r\n\r\n",
    };
    char *body = calloc(1, 100002);
    ASSERT_TRUE(body != NULL);
    memset(body, 'b', 100001);
    for (size_t i = 0; i < 3; i++) {
        house *h = house_open();
        guest g;
        guest_connect(&g, h);

        guest_say(&g, h, heads[i]);
        if (i != 2) {
            guest_say(&g, h, body);
        }
        guest_hear_end(&g, h);

        ASSERT_FALSE(g.was_reset);
        ASSERT_STR_EQ(g.heard, "HTTP/1.1 413 Request Entity Too Large\r\n" TYPE DATE
                               "Content-Length: 5\r\nConnection: close\r\n\r\nhello");
        ASSERT_STR_EQ(h->log.chars, "POST / too large\n");
        guest_leave(&g);
        house_close(h);
    }
    free(body);
}

/* ---- answers ---- */

TEST(http1, closes_when_the_client_wants_it)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);

    guest_say(&g, h, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    guest_hear_end(&g, h);

    ASSERT_STR_EQ(g.heard, "HTTP/1.1 200 OK\r\n" TYPE DATE
                           "Content-Length: 5\r\nConnection: close\r\n\r\nhello");
    guest_leave(&g);
    house_close(h);
}

TEST(http1, gives_http_1_0_no_chunks)
{
    house *h = house_open();
    guest g;
    guest kept;
    guest_connect(&g, h);
    guest_connect(&kept, h);

    guest_say(&g, h, "GET /pipe HTTP/1.0\r\n\r\n");
    guest_say(&kept, h, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    pipe_say(&h->pipes[0], KIN__BODY_MORE, "abc");
    pipe_say(&h->pipes[0], KIN__BODY_END, "def");
    guest_hear_end(&g, h);
    guest_hear(&kept, h, "hello");

    ASSERT_STR_EQ(g.heard, "HTTP/1.0 200 OK\r\n" DATE "\r\nabcdef");
    ASSERT_STR_EQ(kept.heard, "HTTP/1.0 200 OK\r\n" TYPE DATE
                              "Content-Length: 5\r\nConnection: keep-alive\r\n\r\nhello");
    guest_leave(&g);
    guest_leave(&kept);
    house_close(h);
}

TEST(http1, gives_head_no_body)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);

    guest_say(&g, h,
              "HEAD / HTTP/1.1\r\nHost: x\r\n\r\nHEAD /pipe HTTP/1.1\r\nHost: x\r\n\r\n" GET_HELLO);
    guest_hear(&g, h, "hello");

    ASSERT_STR_EQ(g.heard, "HTTP/1.1 200 OK\r\n" TYPE DATE "Content-Length: 5\r\n\r\n"
                           "HTTP/1.1 200 OK\r\n" DATE "\r\n" HELLO);
    ASSERT_EQ(h->pipes[0].released, 1);
    guest_leave(&g);
    house_close(h);
}

TEST(http1, measures_bodies_up_to_2048_bytes)
{
    for (size_t len = 2048; len <= 2049; len++) {
        house *h = house_open();
        guest g;
        char body[2050] = { 0 };
        memset(body, 'x', len);
        guest_connect(&g, h);

        guest_say(&g, h, GET_HOLD);
        house_await(h, 1);
        house_await(h, 1);
        house_answer(h, h->held[0], 200, body);
        guest_hear(&g, h, len == 2048 ? "xxx" : "0\r\n\r\n");

        ASSERT_EQ(strstr(g.heard, "Content-Length: 2048\r\n") != NULL, len == 2048);
        ASSERT_EQ(strstr(g.heard, "Transfer-Encoding: chunked\r\n\r\n801\r\nxxx") != NULL,
                  len == 2049);
        guest_leave(&g);
        house_close(h);
    }
}

TEST(http1, sends_pieces_as_they_come)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);

    guest_say(&g, h, GET_PIPE GET_HELLO);
    guest_hear(&g, h, "\r\n\r\n");
    ASSERT_STR_EQ(g.heard, PIPE);
    pipe_body *p = &h->pipes[0];
    guest_forget(&g);
    pipe_say(p, KIN__BODY_MORE, "abc");
    guest_listen(&g);
    ASSERT_STR_EQ(g.heard, "3\r\nabc\r\n");
    pipe_say(p, KIN__BODY_MORE, "");
    guest_listen(&g);
    ASSERT_STR_EQ(g.heard, "3\r\nabc\r\n");
    pipe_say(p, KIN__BODY_END, "0123456789");
    guest_listen(&g);

    ASSERT_STR_EQ(g.heard, "3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n" HELLO);
    ASSERT_EQ(p->released, 1);
    ASSERT_EQ(kin__httpd_get_counts(h->httpd).bytes_out, 18);
    ASSERT_EQ(kin__httpd_get_counts(h->httpd).visits, 2);
    guest_leave(&g);
    house_close(h);
}

TEST(http1, gives_no_body_where_there_is_none)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);

    guest_say(&g, h, GET_HOLD GET_HOLD);
    house_await(h, 1);
    house_answer(h, h->held[0], 204, "");
    house_turn(h);
    house_answer(h, h->held[1], 304, "ignored");
    guest_hear(&g, h, "304 Not Modified\r\n" TYPE DATE "\r\n");

    ASSERT_STR_EQ(g.heard, "HTTP/1.1 204 No Content\r\n" TYPE DATE "\r\n"
                           "HTTP/1.1 304 Not Modified\r\n" TYPE DATE "\r\n");
    guest_leave(&g);
    house_close(h);
}

TEST(http1, cuts_a_body_where_its_source_says_so)
{
    for (int with_reset = 0; with_reset < 2; with_reset++) {
        house *h = house_open();
        guest g;
        guest_connect(&g, h);

        guest_say(&g, h, GET_PIPE);
        house_await(h, 1);
        pipe_say(&h->pipes[0], with_reset ? KIN__BODY_RESET : KIN__BODY_CUT, "abc");
        guest_hear_end(&g, h);

        ASSERT_STR_EQ(g.heard, PIPE "3\r\nabc\r\n");
        ASSERT_EQ(g.was_reset, with_reset);
        ASSERT_EQ(h->pipes[0].released, 1);
        guest_leave(&g);
        house_close(h);
    }
}

TEST(http1, drops_without_a_word)
{
    static const char *const requests[] = { "GET /drop HTTP/1.1\r\nHost: x\r\n\r\n",
                                            "GET /reset HTTP/1.1\r\nHost: x\r\n\r\n" };
    for (int i = 0; i < 2; i++) {
        house *h = house_open();
        guest g;
        guest_connect(&g, h);

        guest_say(&g, h, requests[i]);
        guest_hear_end(&g, h);

        ASSERT_STR_EQ(g.heard, "");
        ASSERT_EQ(g.was_reset, i);
        guest_leave(&g);
        house_close(h);
    }
}

/* A body that is a counter, longer than any socket's buffer. */
typedef struct counter {
    char block[64][1000];
    size_t left; /* bytes */
    size_t at;
    int released;
} counter;

static kin__body_state count(void *context, kin__body_pieces *out)
{
    counter *c = context;
    while (out->count < KIN__BODY_PIECES && c->left != 0) {
        char *block = c->block[out->count];
        size_t len = c->left < 1000 - out->count ? c->left : 1000 - out->count;
        for (size_t i = 0; i < len; i++) {
            block[i] = (char) ('a' + (c->at + i) % 23);
        }
        out->pieces[out->count++] = kin__str(block, len);
        c->at += len;
        c->left -= len;
    }
    return c->left == 0 ? KIN__BODY_END : KIN__BODY_MORE;
}

static void stop_counting(void *context)
{
    counter *c = context;
    c->released++;
}

TEST(http1, goes_on_where_a_write_stopped)
{
    house *h = house_open();
    guest g;
    counter *c = calloc(1, sizeof *c);
    kin_error err;
    ASSERT_TRUE(c != NULL);
    c->left = 12345678;
    kin__visit_field fields[] = { { STR("Content-Length"), STR("12345678") } };
    kin__body body = { .next = count, .release = stop_counting, .context = c };
    guest_connect(&g, h);

    guest_say(&g, h, GET_HOLD GET_HELLO);
    house_await(h, 1);
    ASSERT_OK(kin__visit_reply(h->held[0], 200, fields, 1, &body, &err));
    ASSERT_TRUE(c->at < 12345678);
    guest_hear(&g, h, "hello");

    const char *start = strstr(g.heard, "\r\n\r\n") + 4;
    for (size_t i = 0; i < 12345678; i++) {
        if (start[i] != (char) ('a' + i % 23)) {
            FAIL("byte %zu is wrong", i);
        }
    }
    ASSERT_STR_EQ(start + 12345678, HELLO);
    ASSERT_EQ(c->released, 1);
    guest_leave(&g);
    house_close(h);
    free(c);
}

/* ---- the client goes ---- */

TEST(http1, sends_a_body_under_way_to_who_has_only_stopped_talking)
{
    house *h = house_open();
    guest g;
    counter *c = calloc(1, sizeof *c);
    kin_error err;
    ASSERT_TRUE(c != NULL);
    c->left = 20u << 20;
    kin__body body = { .next = count, .release = stop_counting, .context = c };
    guest_connect(&g, h);

    guest_say(&g, h, GET_HOLD);
    house_await(h, 1);
    ASSERT_OK(kin__visit_reply(h->held[0], 200, NULL, 0, &body, &err));
    ASSERT_EQ(shutdown(g.fd, SHUT_WR), 0);
    guest_hear_end(&g, h);

    ASSERT_TRUE(g.len > 20u << 20);
    ASSERT_STR_EQ(g.heard + g.len - 5, "0\r\n\r\n");
    guest_leave(&g);
    house_close(h);
    free(c);
}

/* ---- memory ---- */

/* Without memory a connection is closed, a reply fails, or the server is not made. */
TEST_FAILING_ALLOC(http1, closes_a_connection_it_has_no_memory_for)
{
    static house h;
    guest g;
    kin_error err;
    h = (house){ 0 };
    kin_err code = house_try_open(&h, false, false, &err);
    if (code == KIN_OK) {
        guest_connect(&g, &h);
        (void) send(g.fd, "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na", 49,
                    MSG_NOSIGNAL);
        house_turn(&h);
        (void) send(g.fd, "b" GET_PIPE, 1 + strlen(GET_PIPE), MSG_NOSIGNAL);
        while (h.pipe_count == 0 && !g.has_ended) {
            house_turn(&h);
            guest_listen(&g);
        }
        bool has_pipe = h.pipe_count != 0 && h.pipes[0].visit != NULL && !g.has_ended;
        code = has_pipe && h.reply_code == KIN_OK ? KIN_OK : KIN_ERR_NO_MEMORY;
        guest_leave(&g);
    }
    kin__httpd_free(h.httpd);
    kin_loop_free(h.loop);
    return code;
}
