/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visit_test.c - requests and answers, and who outlives whom.
 */
#include "unit/httpd/house.h"

#define GET_HELLO "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"
#define GET_PIPE "GET /pipe HTTP/1.1\r\nHost: x\r\n\r\n"
#define GET_HOLD "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"

TEST(visit, finds_headers_in_any_case)
{
    house *h = house_open();
    guest g;
    kin_str value;
    size_t at = 0;
    guest_connect(&g, h);
    guest_say(&g, h, "GET /hold HTTP/1.1\r\nhOsT: x\r\nAccept: a\r\nACCEPT: b\r\n\r\n");
    house_await(h, 1);
    const kin__visit *visit = h->held[0];

    ASSERT_TRUE(kin__visit_header(visit, "accept", &at, &value));
    ASSERT_SLICE_EQ(value, "a");
    ASSERT_TRUE(kin__visit_header(visit, "Accept", &at, &value));
    ASSERT_SLICE_EQ(value, "b");
    ASSERT_FALSE(kin__visit_header(visit, "Accept", &at, &value));
    ASSERT_EQ(value.len, 0);
    at = 0;
    ASSERT_FALSE(kin__visit_header(visit, "Acc", &at, &value));

    ASSERT_TRUE(kin__visit_get_data(visit) == NULL);
    kin__visit_set_data(h->held[0], h);
    ASSERT_TRUE(kin__visit_get_data(visit) == h);
    guest_leave(&g);
    house_close(h);
}

TEST(visit, can_be_answered_after_its_client_is_gone)
{
    for (int i = 0; i < 3; i++) {
        house *h = house_open();
        guest g;
        h->has_no_gone = true;
        guest_connect(&g, h);
        guest_say(&g, h, GET_HOLD);
        house_await(h, 1);
        guest_vanish(&g);
        while (!house_is_empty(h)) {
            house_turn(h);
        }

        ASSERT_SLICE_EQ(kin__visit_get_request(h->held[0])->path, "/hold");
        long long blocks = live_blocks();
        if (i == 0) {
            house_answer(h, h->held[0], 200, "too late");
            ASSERT_OK(h->reply_code);
        } else if (i == 1) {
            kin__visit_drop(h->held[0], true);
        }
        ASSERT_EQ(live_blocks() < blocks, i != 2);
        house_close(h);
    }
}

/* What `gone` does with the visit has no effect. */
static void answer_in_vain(kin__visit *visit, void *context)
{
    house *h = context;
    h->gones++;
    house_answer(h, visit, 200, "in vain");
}

TEST(visit, may_be_answered_from_inside_gone)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);
    guest_say(&g, h, GET_HOLD);
    house_await(h, 1);
    kin__visit_on_gone(h->held[0], answer_in_vain, h);

    guest_vanish(&g);
    while (h->gones == 0) {
        house_turn(h);
    }

    ASSERT_OK(h->reply_code);
    ASSERT_TRUE(house_is_empty(h));
    house_close(h);
}

TEST(visit, ends_with_the_server)
{
    house *h = house_open();
    guest held;
    guest piped;
    guest_connect(&held, h);
    guest_connect(&piped, h);
    guest_say(&held, h, GET_HOLD);
    guest_say(&piped, h, GET_PIPE);
    house_await(h, 2);

    kin__httpd_free(h->httpd);
    h->httpd = NULL;

    ASSERT_EQ(h->gones, 1);
    ASSERT_EQ(h->pipes[0].released, 1);
    guest_leave(&held);
    guest_leave(&piped);
    house_close(h);
}

TEST(visit, is_not_resumed_before_its_answer)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);
    guest_say(&g, h, GET_HOLD GET_HELLO);
    house_await(h, 1);

    kin__visit_resume(h->held[0]);
    house_answer(h, h->held[0], 200, "late");
    guest_hear(&g, h, "hello");

    ASSERT_CONTAINS(g.heard, "late");
    guest_leave(&g);
    house_close(h);
}

/* A source that gives nothing and wants to be asked again. */
typedef struct idler {
    int asked;
    int released;
} idler;

static kin__body_state give_nothing(void *context, kin__body_pieces *out)
{
    (void) out;
    idler *i = context;
    i->asked++;
    return i->asked < 100000 ? KIN__BODY_MORE : KIN__BODY_END;
}

static void release_idler(void *context)
{
    idler *i = context;
    i->released++;
}

TEST(visit, holds_nobody_up_with_a_source_that_gives_nothing)
{
    house *h = house_open();
    guest g;
    idler i = { 0 };
    kin__body body = { .next = give_nothing, .release = release_idler, .context = &i };
    kin_error err;
    guest_connect(&g, h);
    guest_say(&g, h, GET_HOLD);
    house_await(h, 1);

    ASSERT_OK(kin__visit_reply(h->held[0], 200, NULL, 0, &body, &err));
    ASSERT_TRUE(i.asked < 5000);
    guest_hear(&g, h, "\r\n\r\n0\r\n\r\n");

    ASSERT_EQ(i.released, 1);
    guest_leave(&g);
    house_close(h);
}

/* The connection is closed, and the source is released, once. */
TEST_FAILING_ALLOC(visit, releases_its_source_when_a_reply_fails)
{
    static house h;
    kin_error err;
    guest g;
    h = (house){ 0 };
    kin_err code = house_try_open(&h, false, false, &err);
    if (code == KIN_OK) {
        guest_connect(&g, &h);
        (void) send(g.fd, GET_HOLD, strlen(GET_HOLD), MSG_NOSIGNAL);
        while (h.holds == 0 && !g.has_ended) {
            house_turn(&h);
            guest_listen(&g);
        }
        code = KIN_ERR_NO_MEMORY;
        if (h.holds != 0) {
            house_answer(&h, h.held[0], 200, "hello");
            code = h.reply_code;
        }
        guest_leave(&g);
    }
    kin__httpd_free(h.httpd);
    kin_loop_free(h.loop);
    return code;
}
