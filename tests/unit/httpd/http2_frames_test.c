/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2_frames_test.c - HTTP/2 with a client that writes frame by frame, well or ill.
 */
#include "unit/httpd/tls_guest.h"

enum { NO_ERROR = 0, INTERNAL_ERROR = 2, CANCEL = 8 };

static void ask(tls_guest *t, house *h, unsigned stream, const char *path)
{
    kin__buf frames = { 0 };
    int visits = h->visits;
    h2_append_request(&frames, stream, H2_END_STREAM, path);
    h2_say(t, h, &frames);
    house_await(h, visits + 1);
}

static void reset(tls_guest *t, house *h, unsigned stream)
{
    kin__buf frames = { 0 };
    h2_append(&frames, H2_RST, 0, stream, "\0\0\0\x08", 4);
    h2_say(t, h, &frames);
}

TEST(http2_frames, says_its_settings)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    h2_connect(&t, h);

    h2_frame settings = h2_hear(&t, h, H2_SETTINGS, 0);
    h2_frame window = h2_hear(&t, h, H2_WINDOW, 0);

    ASSERT_EQ(settings.payload.len, 24);
    ASSERT_EQ(settings.payload.data[1], 3);
    ASSERT_EQ(h2_number(settings.payload, 2), 100);
    ASSERT_EQ(settings.payload.data[7], 4);
    ASSERT_EQ(h2_number(settings.payload, 8), 256 << 10);
    ASSERT_EQ(settings.payload.data[13], 5);
    ASSERT_EQ(h2_number(settings.payload, 14), 256 << 10);
    ASSERT_EQ(h2_number(window.payload, 0), (25 << 20) - 65535);
    tls_leave(&t);
    house_close(h);
}

TEST(http2_frames, sends_a_piece_in_one_frame)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    h2_connect(&t, h);
    ask(&t, h, 1, "/pipe");
    h2_frame head = h2_hear(&t, h, H2_HEADERS, 1);
    ASSERT_EQ(head.flags, H2_END_HEADERS);
    pipe_body *p = &h->pipes[0];
    guest_forget(&t.g);

    p->pieces.pieces[1] = STR(" there");
    p->pieces.pieces[0] = STR("hello");
    p->pieces.count = 2;
    kin__visit_resume(p->visit);
    h2_frame first = h2_hear(&t, h, H2_DATA, 1);
    ASSERT_SLICE_EQ(first.payload, "hello there");
    ASSERT_EQ(first.flags, 0);
    guest_forget(&t.g);
    pipe_say(p, KIN__BODY_END, "bye");
    h2_frame last = h2_hear(&t, h, H2_DATA, 1);

    ASSERT_SLICE_EQ(last.payload, "bye");
    ASSERT_EQ(last.flags, H2_END_STREAM);
    ASSERT_EQ(p->released, 1);
    tls_leave(&t);
    house_close(h);
}

TEST(http2_frames, ends_with_an_empty_frame_when_nothing_is_left)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    h2_connect(&t, h);
    ask(&t, h, 1, "/pipe");

    pipe_say(&h->pipes[0], KIN__BODY_END, "");
    h2_frame last = h2_hear(&t, h, H2_DATA, 1);

    ASSERT_EQ(last.payload.len, 0);
    ASSERT_EQ(last.flags, H2_END_STREAM);
    tls_leave(&t);
    house_close(h);
}

TEST(http2_frames, resets_the_stream_where_a_body_is_cut)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    h2_connect(&t, h);
    ask(&t, h, 1, "/pipe");
    ask(&t, h, 3, "/pipe");

    pipe_say(&h->pipes[0], KIN__BODY_CUT, "half");
    h2_frame data = h2_hear(&t, h, H2_DATA, 1);
    ASSERT_SLICE_EQ(data.payload, "half");
    h2_frame rst = h2_hear(&t, h, H2_RST, 1);
    ASSERT_EQ(h2_number(rst.payload, 0), INTERNAL_ERROR);
    ASSERT_EQ(h->pipes[0].released, 1);
    pipe_say(&h->pipes[1], KIN__BODY_END, "whole");
    data = h2_hear(&t, h, H2_DATA, 3);

    ASSERT_SLICE_EQ(data.payload, "whole");
    tls_leave(&t);
    house_close(h);
}

TEST(http2_frames, resets_the_connection_where_a_body_says_so)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    h2_connect(&t, h);
    ask(&t, h, 1, "/pipe");
    ask(&t, h, 3, "/pipe");
    ask(&t, h, 5, "/hold");

    pipe_say(&h->pipes[0], KIN__BODY_RESET, "half");
    h2_frame data;
    tls_hear_end(&t, h);

    ASSERT_TRUE(h2_find(&t, H2_DATA, 1, &data));
    ASSERT_TRUE(t.has_failed);
    ASSERT_EQ(h->pipes[0].released + h->pipes[1].released, 2);
    ASSERT_EQ(h->gones, 1);
    ASSERT_TRUE(house_is_empty(h));
    tls_leave(&t);
    house_close(h);
}

TEST(http2_frames, drops_a_stream_or_the_connection)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    h2_connect(&t, h);

    ask(&t, h, 1, "/drop");
    h2_frame rst = h2_hear(&t, h, H2_RST, 1);
    ASSERT_EQ(h2_number(rst.payload, 0), INTERNAL_ERROR);
    ask(&t, h, 3, "/reset");
    tls_hear_end(&t, h);

    ASSERT_TRUE(t.has_failed);
    tls_leave(&t);
    house_close(h);
}

TEST(http2_frames, ends_visits_whose_streams_are_reset)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    h2_connect(&t, h);
    ask(&t, h, 1, "/pipe");
    ask(&t, h, 3, "/hold");

    reset(&t, h, 1);
    reset(&t, h, 3);
    while (h->pipes[0].released + h->gones < 2) {
        house_turn(h);
    }

    ASSERT_EQ(h->pipes[0].released, 1);
    ASSERT_EQ(h->gones, 1);
    ASSERT_FALSE(house_is_empty(h));
    tls_leave(&t);
    house_close(h);
}

TEST(http2_frames, never_asks_about_a_request_that_is_taken_back_at_once)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    kin__buf frames = { 0 };
    h2_connect(&t, h);

    h2_append_request(&frames, 1, H2_END_STREAM, "/hello");
    h2_append(&frames, H2_RST, 0, 1, "\0\0\0\x08", 4);
    h2_append_request(&frames, 3, H2_END_STREAM, "/hello");
    h2_say(&t, h, &frames);
    (void) h2_hear(&t, h, H2_DATA, 3);

    ASSERT_EQ(h->visits, 1);
    tls_leave(&t);
    house_close(h);
}

/* CVE-2023-44487. */
TEST(http2_frames, ends_a_connection_that_only_resets)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    h2_connect(&t, h);

    unsigned stream = 1;
    while (!t.g.has_ended && stream < 200000) {
        kin__buf frames = { 0 };
        for (int i = 0; i < 100; i++, stream += 2) {
            h2_append_request(&frames, stream, H2_END_STREAM, "/hold");
            h2_append(&frames, H2_RST, 0, stream, "\0\0\0\x08", 4);
        }
        h2_say(&t, h, &frames);
    }

    ASSERT_TRUE(t.g.has_ended);
    tls_leave(&t);
    house_close(h);
}

TEST(http2_frames, ends_a_connection_with_endless_headers)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    kin__buf frames = { 0 };
    char *block = calloc(1, 16000);
    ASSERT_TRUE(block != NULL);
    h2_connect(&t, h);
    h2_append(&frames, H2_HEADERS, H2_END_STREAM, 1, "\x82\x87\x41\x01x\x04\x01/", 8);
    h2_say(&t, h, &frames);

    for (int i = 0; i < 1000 && !t.g.has_ended; i++) {
        /* Literals without indexing: "a" with 98 bytes, again and again. */
        size_t len = 0;
        while (len + 102 <= 16000) {
            memcpy(block + len,
                   "\x00\x01"
                   "a\x62",
                   4);
            memset(block + len + 4, 'x', 98);
            len += 102;
        }
        h2_append(&frames, H2_CONTINUATION, 0, 1, block, len);
        h2_say(&t, h, &frames);
    }

    ASSERT_TRUE(t.g.has_ended);
    ASSERT_EQ(h->visits, 0);
    tls_leave(&t);
    house_close(h);
    free(block);
}

TEST(http2_frames, refuses_heads_over_1_mib)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    kin__buf frames = { 0 };
    static char block[160000];
    h2_connect(&t, h);
    size_t len = 8;
    memcpy(block, "\x82\x87\x41\x01x\x04\x01/", 8);
    while (len + 8 <= sizeof block) { /* short ones: their number counts, too */
        memcpy(block + len,
               "\x00\x01"
               "a\x01"
               "b",
               5);
        len += 5;
    }

    h2_append(&frames, H2_SETTINGS, 1, 0, "", 0); /* so that frames may be as large */
    h2_append(&frames, H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 1, block, len);
    h2_say(&t, h, &frames);
    h2_frame head = h2_hear(&t, h, H2_HEADERS, 1);

    ASSERT_EQ(head.flags, H2_END_STREAM | H2_END_HEADERS);
    ASSERT_CONTAINS(head.payload.data, "431");
    ASSERT_EQ(h->visits, 0);
    ask(&t, h, 3, "/hello");
    (void) h2_hear(&t, h, H2_DATA, 3);
    tls_leave(&t);
    house_close(h);
}

#define BYTES(text)                                                                                \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

/* Neither by the extended CONNECT of RFC 8441, which Go's server does not offer either, nor by
 * headers of HTTP/1.1. */
TEST(http2_frames, has_no_websockets)
{
    static const kin_str blocks[] = {
        BYTES("\x02\x07"
              "CONNECT\x87\x41\x01x\x04\x07/socket\x00\x09:protocol\x09websocket"),
        BYTES("\x82\x87\x41\x01x\x04\x07/socket\x00\x07upgrade\x09websocket"),
        BYTES("\x82\x87\x41\x01x\x04\x07/socket\x00\x0a"
              "connection\x07Upgrade"),
    };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        house *h = house_open_with(true, false);
        tls_guest t;
        kin__buf frames = { 0 };
        h2_connect(&t, h);

        h2_append(&frames, H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 1, blocks[i].data,
                  blocks[i].len);
        h2_say(&t, h, &frames);
        h2_frame reset = h2_hear(&t, h, H2_RST, 1);

        ASSERT_EQ(h2_number(reset.payload, 0), 1); /* PROTOCOL_ERROR */
        ASSERT_EQ(h->visits, 0);
        tls_leave(&t);
        house_close(h);
    }
}

TEST(http2_frames, closes_on_what_is_no_http2)
{
    static const char *const said[] = { "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                                        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense and more of it",
                                        "PRI * HTTP/2.0\r\n\r\nSM\r\n" };
    for (size_t i = 0; i < 3; i++) {
        house *h = house_open_with(true, false);
        tls_guest t;
        tls_connect(&t, h, "\x02h2", NULL, NULL);

        tls_say(&t, h, said[i]);
        if (i == 2) {
            tls_leave(&t);
            while (!house_is_empty(h)) {
                house_turn(h);
            }
        } else {
            tls_hear_end(&t, h);
            tls_leave(&t);
        }

        ASSERT_EQ(h->visits, 0);
        house_close(h);
    }
}

TEST(http2_frames, says_when_a_body_is_too_large_and_stops_it_after_the_answer)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    kin__buf frames = { 0 };
    char *body = calloc(1, 16000);
    ASSERT_TRUE(body != NULL);
    h2_connect(&t, h);

    h2_append_request(&frames, 1, 0, "/hello");
    for (int i = 0; i < 7; i++) {
        h2_append(&frames, H2_DATA, 0, 1, body, 16000);
    }
    h2_say(&t, h, &frames);
    h2_frame data = h2_hear(&t, h, H2_DATA, 1);
    ASSERT_EQ(data.flags, H2_END_STREAM);
    h2_frame rst = h2_hear(&t, h, H2_RST, 1);

    ASSERT_EQ(h2_number(rst.payload, 0), NO_ERROR);
    ASSERT_STR_EQ(h->log.chars, "POST /hello too large h2\n");
    tls_leave(&t);
    house_close(h);
    free(body);
}

TEST(http2_frames, waits_for_the_window)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    kin__buf frames = { 0 };
    char *words = calloc(1, 100001);
    ASSERT_TRUE(words != NULL);
    memset(words, 'w', 100000);
    h2_connect(&t, h);
    ask(&t, h, 1, "/pipe");
    ask(&t, h, 3, "/pipe");

    pipe_say(&h->pipes[0], KIN__BODY_END, words);
    size_t before = t.g.len;
    while (t.g.len < before + 65535) {
        house_turn(h);
        tls_listen(&t);
    }
    house_turn(h);
    tls_listen(&t);
    ASSERT_EQ(h->pipes[0].released, 0);
    ASSERT_TRUE(t.g.len < before + 66000);
    h2_append(&frames, H2_WINDOW, 0, 1, "\0\1\0\0", 4);
    h2_append(&frames, H2_WINDOW, 0, 0, "\0\1\0\0", 4);
    h2_say(&t, h, &frames);
    while (h->pipes[0].released == 0) {
        house_turn(h);
    }
    tls_listen(&t);

    ASSERT_TRUE(t.g.len >= before + 100000);
    tls_leave(&t);
    house_close(h);
    free(words);
}

TEST(http2_frames, sends_large_frames_to_those_who_allow_them)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    kin__buf frames = { 0 };
    char *words = calloc(1, 200001);
    ASSERT_TRUE(words != NULL);
    memset(words, 'w', 200000);
    h2_connect(&t, h);
    h2_append(&frames, H2_SETTINGS, 0, 0, "\0\4\0\x10\0\0\0\5\0\4\0\0", 12);
    h2_append(&frames, H2_WINDOW, 0, 0, "\0\x10\0\0", 4);
    h2_say(&t, h, &frames);
    ask(&t, h, 1, "/pipe");

    pipe_say(&h->pipes[0], KIN__BODY_END, words);
    h2_frame data = h2_hear(&t, h, H2_DATA, 1);

    ASSERT_EQ(data.payload.len, 200000);
    ASSERT_EQ(data.payload.data[199999], 'w');
    ASSERT_EQ(data.flags, H2_END_STREAM);
    tls_leave(&t);
    house_close(h);
    free(words);
}

TEST(http2_frames, goes_away_when_it_is_told)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    kin__buf frames = { 0 };
    h2_connect(&t, h);
    ask(&t, h, 1, "/pipe");

    kin__httpd_go_away(h->httpd);
    h2_frame bye = h2_hear(&t, h, H2_GOAWAY, 0);
    ASSERT_EQ(h2_number(bye.payload, 0), 1);
    ASSERT_EQ(h2_number(bye.payload, 4), NO_ERROR);
    h2_append_request(&frames, 3, H2_END_STREAM, "/hello");
    h2_say(&t, h, &frames);
    pipe_say(&h->pipes[0], KIN__BODY_MORE, "still here");
    (void) h2_hear(&t, h, H2_DATA, 1);
    pipe_say(&h->pipes[0], KIN__BODY_END, "bye");
    tls_hear_end(&t, h);

    ASSERT_FALSE(t.has_failed);
    ASSERT_EQ(h->visits, 1);
    tls_leave(&t);
    house_close(h);
}

/* As of a host that is gone: not even a ping is answered. */
TEST(http2_frames, freezes_and_goes_on_when_it_thaws)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    tls_guest other;
    kin__buf frames = { 0 };
    h2_frame frame;
    h2_connect(&t, h);
    ask(&t, h, 1, "/pipe");
    (void) h2_hear(&t, h, H2_HEADERS, 1);
    guest_forget(&t.g);

    kin__httpd_freeze(h->httpd);
    h2_append(&frames, H2_PING, 0, 0, "01234567", 8);
    h2_append_request(&frames, 3, H2_END_STREAM, "/hello");
    h2_say(&t, h, &frames);
    pipe_say(&h->pipes[0], KIN__BODY_MORE, "in time");
    h2_connect(&other, h);
    ask(&other, h, 1, "/hello");
    (void) h2_hear(&other, h, H2_DATA, 1);
    ASSERT_EQ(t.g.len, 0);
    ASSERT_EQ(h->visits, 2);

    kin__httpd_thaw(h->httpd);
    frame = h2_hear(&t, h, H2_DATA, 1);
    ASSERT_SLICE_EQ(frame.payload, "in time");
    frame = h2_hear(&t, h, H2_PING, 0);
    ASSERT_SLICE_EQ(frame.payload, "01234567");
    (void) h2_hear(&t, h, H2_DATA, 3);
    tls_leave(&other);
    tls_leave(&t);
    house_close(h);
}

/* As Go's server does it: what is open goes on, and nothing new comes. */
TEST(http2_frames, goes_away_before_an_answer_that_closes)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    size_t at = 0;
    h2_frame frame = { 0 };
    h2_connect(&t, h);
    ask(&t, h, 1, "/pipe");
    (void) h2_hear(&t, h, H2_HEADERS, 1);
    guest_forget(&t.g);

    ask(&t, h, 3, "/close");
    (void) h2_hear(&t, h, H2_DATA, 3);
    while (h2_next(&t, &at, &frame) && frame.type != H2_GOAWAY && frame.type != H2_HEADERS) {
    }
    ASSERT_EQ(frame.type, H2_GOAWAY);
    ASSERT_EQ(h2_number(frame.payload, 0), 3);
    ASSERT_EQ(h2_number(frame.payload, 4), NO_ERROR);
    pipe_say(&h->pipes[0], KIN__BODY_END, "still here");
    frame = h2_hear(&t, h, H2_DATA, 1);
    ASSERT_SLICE_EQ(frame.payload, "still here");
    tls_hear_end(&t, h);

    ASSERT_FALSE(t.has_failed);
    tls_leave(&t);
    house_close(h);
}

TEST(http2_frames, may_be_cut_from_inside_a_request)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    kin__buf frames = { 0 };
    h2_connect(&t, h);
    ask(&t, h, 1, "/pipe");

    h2_append_request(&frames, 3, H2_END_STREAM, "/cut_all");
    h2_append_request(&frames, 5, H2_END_STREAM, "/hello");
    h2_say(&t, h, &frames);
    tls_hear_end(&t, h);

    ASSERT_EQ(h->visits, 2);
    ASSERT_EQ(h->gones, 1);
    tls_leave(&t);
    house_close(h);
}

/* ---- what the layer above may do while a visit ends ---- */

typedef struct nosy {
    house *h;
    int released;
    bool cuts;
} nosy;

static kin__body_state wait_on(void *context, kin__body_pieces *out)
{
    (void) context;
    (void) out;
    return KIN__BODY_WAIT;
}

/* A watch that ends makes others say something, or everything end. */
static void meddle(void *context)
{
    nosy *n = context;
    n->released++;
    if (n->cuts) {
        kin__httpd_cut_all(n->h->httpd);
    } else {
        pipe_say(&n->h->pipes[0], KIN__BODY_MORE, "it has left");
    }
}

TEST(http2_frames, may_be_meddled_with_when_a_visit_ends)
{
    for (int cuts = 0; cuts < 2; cuts++) {
        house *h = house_open_with(true, false);
        tls_guest t;
        nosy n = { .h = h, .cuts = cuts != 0 };
        kin__body body = { .next = wait_on, .release = meddle, .context = &n };
        kin__buf frames = { 0 };
        kin_error err;
        h2_connect(&t, h);
        ask(&t, h, 1, "/pipe");
        ask(&t, h, 3, "/hold");
        ASSERT_OK(kin__visit_reply(h->held[0], 200, NULL, 0, &body, &err));

        if (cuts != 0) {
            /* Behind what closes the connection there is more to read. */
            h2_append(&frames, H2_RST, 0, 3, "\0\0\0\x08", 4);
            h2_append(&frames, H2_RST, 0, 1, "\0\0\0\x08", 4);
            h2_append_request(&frames, 5, H2_END_STREAM, "/hello");
            h2_say(&t, h, &frames);
        } else {
            reset(&t, h, 3);
        }
        if (cuts == 0) {
            h2_frame data = h2_hear(&t, h, H2_DATA, 1);
            ASSERT_SLICE_EQ(data.payload, "it has left");
        } else {
            tls_hear_end(&t, h);
            ASSERT_TRUE(t.has_failed);
        }

        ASSERT_EQ(n.released, 1);
        tls_leave(&t);
        house_close(h);
    }
}

/* ---- memory ---- */

TEST_FAILING_ALLOC(http2_frames, closes_or_resets_what_it_has_no_memory_for)
{
    static house h;
    static tls_guest t;
    kin_error err;
    h = (house){ 0 };
    kin__authority *authority;
    if (kin__authority_new("127.0.0.1", &authority, &err) != KIN_OK) {
        return err.code;
    }
    kin__virtual_clock_init(&h.clock, 1000000, (kin_time){ .seconds = 1792000000 });
    kin_err code = kin__loop_new_with_clock(NULL, &h.clock.clock, &h.loop, &err);
    kin__httpd_options options = { .loop = h.loop,
                                   .address = "127.0.0.1",
                                   .authority = authority,
                                   .body_max = 1000,
                                   .on_request = house_serve,
                                   .context = &h };
    if (code == KIN_OK) {
        code = kin__httpd_new(&options, &h.httpd, &err);
    }
    if (code == KIN_OK) {
        code = KIN_ERR_NO_MEMORY;
        h2_frame frame;
        /* Whole frames, made without the library's allocator. */
        static const char said[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
                                   "\0\0\x0c\1\4\0\0\0\1\x83\x87\x41\1x\4\5/pipe"
                                   "\0\0\2\0\1\0\0\0\1ab";
        tls_connect_bare(&t, &h);
        tls_say_bytes(&t, &h, said, sizeof said - 1);
        for (int i = 0; i < 5 && !t.g.has_ended; i++) {
            house_turn(&h);
            tls_listen(&t);
        }
        if (h.pipe_count == 1 && h.pipes[0].visit != NULL) {
            pipe_say(&h.pipes[0], KIN__BODY_END, "hello");
            tls_listen(&t);
            if (h2_find(&t, H2_DATA, 1, &frame) && frame.flags == H2_END_STREAM) {
                code = KIN_OK;
            }
        }
        tls_leave(&t);
    }
    kin__httpd_free(h.httpd);
    kin__authority_free(authority);
    kin_loop_free(h.loop);
    return code;
}
