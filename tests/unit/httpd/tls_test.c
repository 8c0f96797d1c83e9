/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls_test.c - handshakes, certificates, and HTTP/1.1 through TLS.
 */
#include "unit/httpd/tls_guest.h"

#define GET_HELLO "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"
#define GET_PIPE "GET /pipe HTTP/1.1\r\nHost: x\r\n\r\n"
#define HTTP1 "\x08http/1.1"
#define BOTH "\x02h2" HTTP1

static const char *protocol_of(const tls_guest *t, char *into, size_t size)
{
    const unsigned char *name;
    unsigned len;
    SSL_get0_alpn_selected(t->ssl, &name, &len);
    (void) snprintf(into, size, "%.*s", (int) len, len == 0 ? "" : (const char *) name);
    return into;
}

TEST(tls, chooses_the_protocol)
{
    static const struct {
        const char *offered;
        bool has_no_http2;
        const char *want;
    } cases[] = {
        { BOTH, false, "h2" }, { HTTP1, false, "http/1.1" }, { BOTH, true, "http/1.1" },
        { NULL, false, "" },   { "\x02h3", false, "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        house *h = house_open_with(true, cases[i].has_no_http2);
        tls_guest t;
        char name[16];

        tls_connect(&t, h, cases[i].offered, NULL, NULL);

        ASSERT_FALSE(t.has_failed);
        ASSERT_STR_EQ(protocol_of(&t, name, sizeof name), cases[i].want);
        if (strcmp(cases[i].want, "h2") != 0) {
            tls_say(&t, h, GET_HELLO);
            tls_hear(&t, h, "hello");
        }
        tls_leave(&t);
        house_close(h);
    }
}

TEST(tls, knows_a_client_by_its_certificate)
{
    house *h = house_open_with(true, false);
    tls_guest nobody;
    tls_guest jane;
    tls_guest alone;

    tls_connect(&nobody, h, HTTP1, NULL, NULL);
    tls_say(&nobody, h, GET_HELLO);
    tls_hear(&nobody, h, "hello");
    tls_connect(&jane, h, HTTP1, h->authority, "system:masters");
    tls_say(&jane, h, GET_HELLO);
    tls_hear(&jane, h, "hello");
    tls_connect(&alone, h, HTTP1, h->authority, NULL);
    tls_say(&alone, h, GET_HELLO);
    tls_hear(&alone, h, "hello");

    ASSERT_STR_EQ(h->log.chars, "GET /hello\nGET /hello by jane of system:masters\n\n"
                                "GET /hello by jane of \n");
    tls_leave(&nobody);
    tls_leave(&jane);
    tls_leave(&alone);
    house_close(h);
}

/* Its owner may have a token, too: who is let in is judged by the layer above. */
TEST(tls, takes_no_name_from_a_certificate_of_another_authority)
{
    house *h = house_open_with(true, false);
    kin__authority *other;
    kin_error err;
    tls_guest t;
    ASSERT_OK(kin__authority_new("127.0.0.1", &other, &err));

    tls_connect(&t, h, HTTP1, other, "system:masters");
    tls_say(&t, h, GET_HELLO);
    tls_hear(&t, h, "hello");

    ASSERT_FALSE(t.has_failed);
    ASSERT_STR_EQ(h->log.chars, "GET /hello foreign\n");
    tls_leave(&t);
    kin__authority_free(other);
    house_close(h);
}

TEST(tls, tells_who_speaks_bare_http)
{
    house *h = house_open_with(true, false);
    guest g;
    guest_connect(&g, h);

    guest_say(&g, h, GET_HELLO);
    guest_hear_end(&g, h);

    ASSERT_STR_EQ(g.heard, "HTTP/1.0 400 Bad Request\r\n\r\n"
                           "Client sent an HTTP request to an HTTPS server.\n");
    guest_leave(&g);
    house_close(h);
}

TEST(tls, survives_a_client_that_goes_in_the_handshake)
{
    static const char *const said[] = { "", "\x16\x03\x01", "\x16\x03\x01\x40\x01nonsense",
                                        "nonsense of another kind" };
    for (size_t i = 0; i < 8; i++) {
        house *h = house_open_with(true, false);
        guest g;
        guest_connect(&g, h);

        guest_say(&g, h, said[i / 2]);
        while (kin__httpd_get_counts(h->httpd).connections == 0) {
            house_turn(h);
        }
        if (i % 2 == 0) {
            guest_leave(&g);
        } else {
            guest_vanish(&g);
        }
        while (!house_is_empty(h)) {
            house_turn(h);
        }

        house_close(h);
    }
}

TEST(tls, sends_many_small_pieces_in_one_record)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    tls_connect(&t, h, HTTP1, NULL, NULL);
    tls_say(&t, h, GET_PIPE);
    tls_hear(&t, h, "\r\n\r\n");
    pipe_body *p = &h->pipes[0];
    guest_forget(&t.g);

    for (size_t i = 0; i < KIN__BODY_PIECES; i++) {
        p->pieces.pieces[i] = STR("0123456789");
    }
    p->pieces.count = KIN__BODY_PIECES;
    p->state = KIN__BODY_END;
    kin__visit_resume(p->visit);
    size_t got = 0;
    ASSERT_EQ(SSL_read_ex(t.ssl, t.g.heard, 10000, &got), 1);

    ASSERT_EQ(got, 5 + 640 + 2 + 5);
    tls_leave(&t);
    house_close(h);
}

/* A body whose pieces are of any size, over many records and writes that stop anywhere. */
typedef struct long_body {
    char bytes[100003];
    size_t at;
    size_t len;
    unsigned turn;
} long_body;

static kin__body_state next_of_long(void *context, kin__body_pieces *out)
{
    static const size_t sizes[] = { 1, 70000, 16384, 3, 16383, 16385, 500, 40000 };
    long_body *b = context;
    while (out->count < 1 + b->turn % KIN__BODY_PIECES && b->at < b->len) {
        size_t len = sizes[(b->turn + out->count) % 8];
        size_t left = b->len - b->at;
        size_t place = b->at % 23;
        len = len < left ? len : left;
        out->pieces[out->count++] = kin__str(b->bytes + place, len);
        b->at += len;
    }
    b->turn++;
    return b->at == b->len ? KIN__BODY_END : KIN__BODY_MORE;
}

static void release_long(void *context)
{
    (void) context;
}

TEST(tls, goes_on_where_a_write_stopped)
{
    house *h = house_open_with(true, false);
    tls_guest t;
    long_body *b = calloc(1, sizeof *b);
    kin_error err;
    ASSERT_TRUE(b != NULL);
    for (size_t i = 0; i < sizeof b->bytes; i++) {
        b->bytes[i] = (char) ('a' + i % 23);
    }
    b->len = 30000000;
    kin__visit_field fields[] = { { STR("Content-Length"), STR("30000000") } };
    kin__body body = { .next = next_of_long, .release = release_long, .context = b };
    tls_connect(&t, h, HTTP1, NULL, NULL);

    tls_say(&t, h, "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n" GET_HELLO);
    house_await(h, 1);
    ASSERT_OK(kin__visit_reply(h->held[0], 200, fields, 1, &body, &err));
    ASSERT_TRUE(b->at < b->len);
    tls_hear(&t, h, "hello");

    const char *start = strstr(t.g.heard, "\r\n\r\n") + 4;
    for (size_t i = 0; i < b->len; i++) {
        if (start[i] != (char) ('a' + i % 23)) {
            FAIL("byte %zu is wrong", i);
        }
    }
    tls_leave(&t);
    house_close(h);
    free(b);
}
