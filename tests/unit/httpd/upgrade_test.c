/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upgrade_test.c - WebSockets on real sockets.
 */
#include "httpd/upgrade.h"

#include "httpd/connection.h"
#include "unit/httpd/house.h"
#include "unit/httpd/tls_guest.h"

#define ASK "GET /socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
#define KEY "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define VERSION "Sec-WebSocket-Version: 13\r\n"
#define ORIGIN "Origin: http://x\r\n"
#define ASK_WHOLE ASK KEY VERSION ORIGIN "\r\n"
#define ACCEPTED                                                                                   \
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"            \
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
#define HI "\x81\x02hi"
#define PING "\x89\x83\x01\x02\x03\x04poo" /* unmasked: "qml" */
#define PONG "\x8a\x03qml"
#define CLOSE "\x88\x80\x01\x02\x03\x04"
#define CLOSED "\x88\x02\x03\xe8"

static void connect_socket(guest *g, house *h)
{
    guest_connect(g, h);
    guest_say(g, h, ASK_WHOLE);
    guest_hear(g, h, "\r\n\r\n");
    ASSERT_STR_EQ(g->heard, ACCEPTED "\r\n");
    guest_forget(g);
}

/* All that was heard, and nothing else. */
static void heard(guest *g, house *h, kin_str want)
{
    guest_hear_len(g, h, want.len);
    ASSERT_EQ(g->len, want.len);
    ASSERT_EQ(memcmp(g->heard, want.data, want.len), 0);
}

static void say_bytes(guest *g, house *h, kin_str bytes)
{
    guest_say_bytes(g, h, bytes.data, bytes.len);
}

TEST(upgrade, sends_frames_and_ends_with_a_close)
{
    house *h = house_open();
    guest g;
    connect_socket(&g, h);

    pipe_say(&h->pipes[0], KIN__BODY_MORE, HI);
    heard(&g, h, STR(HI));
    pipe_say(&h->pipes[0], KIN__BODY_END, HI);
    guest_hear_end(&g, h);

    heard(&g, h, STR(HI HI CLOSED));
    ASSERT_EQ(h->pipes[0].released, 1);
    guest_leave(&g);
    house_close(h);
}

TEST(upgrade, is_answered_as_go_does_it)
{
    static const struct {
        const char *fields, *want;
    } cases[] = {
        { KEY VERSION ORIGIN, ACCEPTED "\r\n" },
        { KEY VERSION ORIGIN "Sec-WebSocket-Protocol:  a b \r\n",
          ACCEPTED "Sec-WebSocket-Protocol: a b\r\n\r\n" },
        { KEY VERSION "Origin: *\r\n", ACCEPTED "\r\n" },
        { KEY VERSION "Origin: /path\r\n", ACCEPTED "\r\n" },
        { KEY VERSION "Origin: https://[::1]:80/\r\n", ACCEPTED "\r\n" },
        { KEY VERSION ORIGIN "Sec-WebSocket-Protocol: a, b\r\n",
          "HTTP/1.1 400 Bad Request\r\n\r\n" },
        { VERSION ORIGIN, "HTTP/1.1 400 Bad Request\r\n\r\nmismatch challenge/response" },
        { KEY ORIGIN, "HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\n"
                      "missing or bad WebSocket Version" },
        { KEY ORIGIN "Sec-WebSocket-Version: 8\r\n",
          "HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\n"
          "missing or bad WebSocket Version" },
        { KEY VERSION, "HTTP/1.1 403 Forbidden\r\n\r\n" },
        { KEY VERSION "Origin: null\r\n", "HTTP/1.1 403 Forbidden\r\n\r\n" },
        { KEY VERSION "Origin: http://x:port\r\n", "HTTP/1.1 403 Forbidden\r\n\r\n" },
        { KEY VERSION "Origin: http://a b\r\n", "HTTP/1.1 403 Forbidden\r\n\r\n" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        house *h = house_open();
        guest g;
        guest_connect(&g, h);

        guest_say(&g, h, ASK);
        guest_say(&g, h, cases[i].fields);
        guest_say(&g, h, "\r\n");
        guest_hear_len(&g, h, strlen(cases[i].want));

        ASSERT_STR_EQ(g.heard, cases[i].want);
        if (strncmp(cases[i].want, "HTTP/1.1 101", 12) != 0) {
            guest_hear_end(&g, h);
            ASSERT_EQ(h->pipes[0].released, 1);
            ASSERT_EQ(h->pipes[0].asked, 0);
        }
        guest_leave(&g);
        house_close(h);
    }
}

TEST(upgrade, is_wanted_by_two_headers)
{
    static const struct {
        const char *fields, *want;
    } cases[] = {
        { "Upgrade: WebSocket\r\nConnection: keep-alive, UPGRADE\r\n", "HTTP/1.1 101 " },
        { "Upgrade: websocket\r\nConnection: x-upgraded\r\n", "HTTP/1.1 101 " },
        { "Upgrade: websocket\r\nConnection: keep-alive\r\nConnection: upgrade\r\n",
          "HTTP/1.1 400 Bad Request\r\n\r\nnot websocket protocol" },
        { "Upgrade: websocket\r\nConnection: keep-alive\r\n", "HTTP/1.1 200 " },
        { "Upgrade: websocket\r\n", "HTTP/1.1 200 " },
        { "Upgrade: SPDY/3.1\r\nConnection: Upgrade\r\n", "HTTP/1.1 200 " },
        { "Upgrade: h2c\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n", "HTTP/1.1 200 " },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        house *h = house_open();
        guest g;
        guest_connect(&g, h);

        guest_say(&g, h, "GET /socket HTTP/1.1\r\nHost: x\r\n" KEY VERSION ORIGIN);
        guest_say(&g, h, cases[i].fields);
        guest_say(&g, h, "\r\n");
        guest_hear(&g, h, cases[i].want);

        ASSERT_EQ(strncmp(g.heard, cases[i].want, strlen(cases[i].want)), 0);
        guest_leave(&g);
        house_close(h);
    }
}

TEST(upgrade, refuses_other_methods)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);

    guest_say(
        &g, h,
        "POST /socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" KEY
            VERSION ORIGIN "\r\n");
    guest_hear_end(&g, h);

    ASSERT_STR_EQ(g.heard, "HTTP/1.1 405 Method Not Allowed\r\n\r\nbad method");
    guest_leave(&g);
    house_close(h);
}

TEST(upgrade, answers_pings_between_frames)
{
    house *h = house_open();
    guest g;
    connect_socket(&g, h);

    say_bytes(&g, h, STR(PING));
    heard(&g, h, STR(PONG));
    guest_forget(&g);
    /* In the middle of a frame it waits. */
    pipe_say_bytes(&h->pipes[0], KIN__BODY_MORE, STR("\x81\x02h"));
    heard(&g, h, STR("\x81\x02h"));
    say_bytes(&g, h, STR(PING PING));
    for (int i = 0; i < 5; i++) {
        house_turn(h);
    }
    guest_listen(&g);
    ASSERT_EQ(g.len, 3);
    pipe_say(&h->pipes[0], KIN__BODY_MORE, "i");

    heard(&g, h, STR("\x81\x02hi" PONG PONG));
    guest_leave(&g);
    house_close(h);
}

TEST(upgrade, takes_frames_that_come_with_the_request)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);

    say_bytes(&g, h, STR(ASK_WHOLE "\x81\x82\x01\x02\x03\x04hi" PING CLOSE "left"));
    guest_hear_end(&g, h);

    heard(&g, h, STR(ACCEPTED "\r\n" PONG CLOSED));
    guest_leave(&g);
    house_close(h);
}

TEST(upgrade, ends_with_its_client)
{
    static const struct {
        kin_str said, want;
    } cases[] = {
        { { CLOSE, sizeof CLOSE - 1 }, { CLOSED, 4 } },
        { { "\x81\x02hi", 4 }, { "\x88\x02\x03\xea" CLOSED, 8 } },
        { { "\x82\xff\x01\x00\x00\x00\x00\x00\x00\x00\x01\x02\x03\x04", 14 }, { CLOSED, 4 } },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        house *h = house_open();
        guest g;
        connect_socket(&g, h);

        say_bytes(&g, h, cases[i].said);
        guest_hear_end(&g, h);

        heard(&g, h, cases[i].want);
        ASSERT_EQ(h->pipes[0].released, 1);
        guest_leave(&g);
        house_close(h);
    }
}

TEST(upgrade, ends_when_its_client_stops_talking_or_is_gone)
{
    house *h = house_open();
    guest half;
    guest gone;
    connect_socket(&half, h);
    connect_socket(&gone, h);

    ASSERT_EQ(shutdown(half.fd, SHUT_WR), 0);
    guest_hear_end(&half, h);
    heard(&half, h, STR(CLOSED));
    guest_vanish(&gone);
    while (h->pipes[1].released == 0) {
        house_turn(h);
    }

    ASSERT_EQ(h->pipes[0].released, 1);
    guest_leave(&half);
    house_close(h);
}

/* A close in the middle of a frame would be taken for what is missing of it. */
TEST(upgrade, says_no_more_in_the_middle_of_a_frame)
{
    house *h = house_open();
    guest g;
    connect_socket(&g, h);
    pipe_say_bytes(&h->pipes[0], KIN__BODY_MORE, STR("\x81\x05h"));
    heard(&g, h, STR("\x81\x05h"));

    say_bytes(&g, h, STR(CLOSE));
    guest_hear_end(&g, h);

    heard(&g, h, STR("\x81\x05h"));
    guest_leave(&g);
    house_close(h);
}

TEST(upgrade, is_cut_without_a_close)
{
    house *h = house_open();
    guest cut;
    guest reset;
    connect_socket(&cut, h);
    connect_socket(&reset, h);

    pipe_say(&h->pipes[0], KIN__BODY_CUT, HI);
    guest_hear_end(&cut, h);
    pipe_say(&h->pipes[1], KIN__BODY_RESET, "");
    guest_hear_end(&reset, h);

    heard(&cut, h, STR(HI));
    ASSERT_FALSE(cut.was_reset);
    ASSERT_EQ(reset.len, 0);
    ASSERT_TRUE(reset.was_reset);
    guest_leave(&cut);
    guest_leave(&reset);
    house_close(h);
}

/* Who pings and does not listen is not read from any more. */
TEST(upgrade, holds_back_a_client_that_only_pings)
{
    house *h = house_open();
    guest g;
    connect_socket(&g, h);
    const kin__connection *connection =
        KIN__OWNER(kin__list_first(&h->httpd->connections), kin__connection, link);
    size_t len = sizeof PING - 1, said = 0;
    char *many = calloc(10000, len);
    ASSERT_TRUE(many != NULL);
    for (size_t i = 0; i < 10000; i++) {
        memcpy(many + i * len, PING, len);
    }

    for (int idle = 0; idle < 5; idle++) {
        size_t at = said % len;
        ssize_t sent = send(g.fd, many + at, 10000 * len - at, MSG_NOSIGNAL);
        said += sent > 0 ? (size_t) sent : 0;
        idle = sent > 0 ? 0 : idle;
        house_turn(h);
    }
    ASSERT_TRUE(connection->is_blocked);
    ASSERT_TRUE(connection->http1.in.len <= KIN__READ_MAX);
    size_t want = said / len * (sizeof PONG - 1);
    guest_hear_len(&g, h, want);

    ASSERT_EQ(g.len, want);
    for (size_t at = 0; at < want; at += sizeof PONG - 1) {
        ASSERT_EQ(memcmp(g.heard + at, PONG, sizeof PONG - 1), 0);
    }
    guest_leave(&g);
    house_close(h);
    free(many);
}

TEST(upgrade, speaks_tls)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    tls_connect(&t, h, NULL, NULL, NULL);

    tls_say(&t, h, ASK_WHOLE);
    tls_hear(&t, h, "\r\n\r\n");
    tls_say_bytes(&t, h, PING, sizeof PING - 1);
    tls_hear(&t, h, PONG);
    pipe_say(&h->pipes[0], KIN__BODY_END, HI);
    tls_hear(&t, h, CLOSED);

    ASSERT_STR_EQ(t.g.heard, ACCEPTED "\r\n" PONG HI CLOSED);
    tls_leave(&t);
    house_close(h);
}

static void fire(kin__timer *timer, void *context)
{
    (void) timer;
    (void) context;
}

TEST_FAILING_ALLOC(upgrade, closes_what_it_has_no_memory_for)
{
    static house h;
    guest g;
    kin_error err;
    kin_str said = STR(ASK_WHOLE PING CLOSE);
    kin_str want = STR(ACCEPTED "\r\n" PONG CLOSED);
    kin__timer timer = { .fire = fire };
    h = (house){ 0 };
    kin_err code = house_try_open(&h, false, false, &err);
    if (code == KIN_OK) {
        /* Who has no memory to linger closes at once, which looks the same: there shall be some. */
        code = kin__timer_set(h.loop, &timer, INT64_MAX, &err);
        kin__timer_clear(h.loop, &timer);
    }
    if (code == KIN_OK) {
        guest_connect(&g, &h);
        (void) send(g.fd, said.data, said.len, MSG_NOSIGNAL);
        guest_hear_end(&g, &h);
        bool is_whole = g.len == want.len && memcmp(g.heard, want.data, want.len) == 0;
        code = is_whole && h.reply_code == KIN_OK ? KIN_OK : KIN_ERR_NO_MEMORY;
        ASSERT_EQ(h.pipe_count, h.pipes[0].released);
        guest_leave(&g);
    }
    kin__httpd_free(h.httpd);
    kin_loop_free(h.loop);
    return code;
}
