/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection_test.c - a connection's turns, and its end at any moment.
 */
#include "httpd/connection.h"

#include "unit/httpd/house.h"

#define GET_HELLO "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"
#define GET_PIPE "GET /pipe HTTP/1.1\r\nHost: x\r\n\r\n"
#define GET_HOLD "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"

/* The first one. */
static kin__connection *connection_of(house *h)
{
    return KIN__OWNER(kin__list_first(&h->httpd->connections), kin__connection, link);
}

/* A body without an end, a kilobyte at a time. */
typedef struct endless {
    char block[1024];
    size_t asked;
    int released;
} endless;

static kin__body_state go_on(void *context, kin__body_pieces *out)
{
    endless *e = context;
    e->asked++;
    out->pieces[0] = kin__str(e->block, sizeof e->block);
    out->count = 1;
    return KIN__BODY_MORE;
}

static void stop(void *context)
{
    endless *e = context;
    e->released++;
}

TEST(connection, holds_up_nobody_else_when_its_client_does_not_read)
{
    house *h = house_open();
    guest slow;
    guest g;
    kin_error err;
    endless e = { 0 };
    kin__body body = { .next = go_on, .release = stop, .context = &e };
    guest_connect(&slow, h);
    guest_connect(&g, h);

    guest_say(&slow, h, GET_HOLD);
    house_await(h, 1);
    ASSERT_OK(kin__visit_reply(h->held[0], 200, NULL, 0, &body, &err));
    for (size_t asked = 0; asked != e.asked;) {
        asked = e.asked;
        house_turn(h);
    }
    size_t asked = e.asked;
    guest_say(&g, h, GET_HELLO);
    guest_hear(&g, h, "hello");

    ASSERT_TRUE(e.asked < 64u << 10);
    ASSERT_EQ(e.asked, asked);
    ASSERT_EQ(e.released, 0);
    guest_leave(&slow);
    guest_leave(&g);
    while (e.released == 0) {
        house_turn(h);
    }
    house_close(h);
}

TEST(connection, changes_what_it_waits_for_only_when_a_write_would_block)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);
    guest_say(&g, h, GET_PIPE);
    house_await(h, 1);
    const kin__connection *connection = connection_of(h);
    ASSERT_EQ(connection->watched.wanted, KIN__READABLE);
    char *words = calloc(1, 1000001);
    ASSERT_TRUE(words != NULL);
    memset(words, 'w', 1000000);

    pipe_say(&h->pipes[0], KIN__BODY_MORE, "some words");
    ASSERT_EQ(connection->watched.wanted, KIN__READABLE);
    size_t said = 0;
    for (; !connection->is_blocked; said++) {
        pipe_say(&h->pipes[0], KIN__BODY_MORE, words);
    }
    ASSERT_EQ(connection->watched.wanted, KIN__READABLE | KIN__WRITABLE);
    int asked = h->pipes[0].asked;
    pipe_say(&h->pipes[0], KIN__BODY_END, "the end");
    ASSERT_EQ(h->pipes[0].asked, asked);
    guest_hear(&g, h, "the end");

    ASSERT_TRUE(g.len > said * 1000000);
    ASSERT_EQ(connection->watched.wanted, KIN__READABLE);
    guest_leave(&g);
    house_close(h);
    free(words);
}

TEST(connection, lingers_for_half_a_second_with_who_does_not_close)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);

    guest_say(&g, h, "x\r\n\r\n");
    guest_hear_end(&g, h);
    guest_say(&g, h, "and more");
    kin__virtual_clock_advance(&h->clock, 499);
    house_turn(h);
    ASSERT_FALSE(house_is_empty(h));
    kin__virtual_clock_advance(&h->clock, 1);
    house_turn(h);

    ASSERT_TRUE(house_is_empty(h));
    guest_leave(&g);
    house_close(h);
}

TEST(connection, notes_that_a_client_is_gone)
{
    static const char *const said[] = {
        "",
        "GET /he",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        GET_HOLD,
        GET_PIPE,
        GET_HOLD GET_HELLO,
        "x\r\n\r\n",
    };
    for (size_t i = 0; i < 2 * sizeof said / sizeof said[0]; i++) {
        house *h = house_open();
        guest g;
        guest_connect(&g, h);

        guest_say(&g, h, said[i / 2]);
        bool is_request = i / 2 >= 4 && i / 2 <= 6;
        while (kin__httpd_get_counts(h->httpd).connections == 0 || (is_request && h->visits == 0)) {
            house_turn(h);
        }
        if (i / 2 == 7) {
            guest_hear(&g, h, "400");
        }
        if (i % 2 == 0) {
            guest_leave(&g);
        } else {
            guest_vanish(&g);
        }
        while (!house_is_empty(h)) {
            house_turn(h);
        }
        kin__virtual_clock_advance(&h->clock, 1000);
        house_turn(h);

        ASSERT_EQ(h->gones, i / 2 == 4 || i / 2 == 6);
        ASSERT_EQ(h->pipes[0].released, i / 2 == 5);
        house_close(h);
    }
}

TEST(connection, may_be_cut_from_inside_a_request)
{
    house *h = house_open();
    guest g;
    guest other;
    guest_connect(&g, h);
    guest_connect(&other, h);
    guest_say(&other, h, GET_PIPE);
    house_await(h, 1);

    guest_say(&g, h, "GET /cut_all HTTP/1.1\r\nHost: x\r\n\r\n" GET_HELLO);
    guest_hear_end(&g, h);
    guest_hear_end(&other, h);

    ASSERT_TRUE(g.was_reset && other.was_reset);
    ASSERT_EQ(h->gones, 1);
    ASSERT_EQ(h->pipes[0].released, 1);
    ASSERT_EQ(h->visits, 2);
    guest_leave(&g);
    guest_leave(&other);
    house_close(h);
}
