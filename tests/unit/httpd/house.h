/* SPDX-License-Identifier: Apache-2.0 */
/*
 * house.h - a server of the test on a loop whose time stands still, and guests who talk to it.
 *
 * The test is the loop's only thread: guests are sockets that never block, and whoever waits for
 * something turns the loop until it is there.
 */
#ifndef TESTS_UNIT_HTTPD_HOUSE_H
#define TESTS_UNIT_HTTPD_HOUSE_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "httpd/listener.h"
#include "support/test.h"

#define HOUSE_VISITS 300
#define HOUSE_LINES 100 /* of visits in the log */

/* A body the test decides about. */
typedef struct pipe_body {
    kin__visit *visit;
    kin__body_pieces pieces; /* what is said next; count 0: nothing */
    kin__body_state state;   /* and how: MORE stands for WAIT once it is said */
    int asked;
    int released;
} pipe_body;

typedef struct house {
    kin__virtual_clock clock;
    kin_loop *loop;
    kin__authority *authority;
    kin__httpd *httpd;
    int visits;
    kin__visit *held[HOUSE_VISITS]; /* of "/hold", in order; NULL: gone */
    int holds;
    int gones;
    bool has_no_gone;              /* "/hold" does not ask to be told */
    pipe_body pipes[HOUSE_VISITS]; /* of "/pipe", in order */
    int pipe_count;
    text log;           /* a line for each visit */
    size_t body_len;    /* of the last one */
    kin_err reply_code; /* of the last reply */
} house;

static inline kin__body_state pipe_next(void *context, kin__body_pieces *out)
{
    pipe_body *p = context;
    ASSERT_EQ(p->released, 0);
    ASSERT_EQ(out->count, 0);
    p->asked++;
    kin__body_state state = p->state == KIN__BODY_MORE ? KIN__BODY_WAIT : p->state;
    *out = p->pieces;
    p->pieces.count = 0;
    p->state = KIN__BODY_MORE;
    return state;
}

static inline void pipe_release(void *context)
{
    pipe_body *p = context;
    p->released++;
    p->visit = NULL;
}

/* Says it, at once. */
static inline void pipe_say_bytes(pipe_body *p, kin__body_state state, kin_str bytes)
{
    p->pieces.pieces[0] = bytes;
    p->pieces.count = bytes.len == 0 ? 0 : 1;
    p->state = state;
    kin__visit_resume(p->visit);
}

static inline void pipe_say(pipe_body *p, kin__body_state state, const char *words)
{
    pipe_say_bytes(p, state, kin_str_of(words));
}

static inline void house_note_gone(kin__visit *visit, void *context)
{
    house *h = context;
    h->gones++;
    for (int i = 0; i < h->holds; i++) {
        if (h->held[i] == visit) {
            h->held[i] = NULL;
        }
    }
}

static inline void house_answer(house *h, kin__visit *visit, int status, const char *words)
{
    kin__visit_field fields[] = { { STR("Content-Type"), STR("text/plain") } };
    kin__buf body = { 0 };
    kin_error err;
    if (!kin__buf_append_str(&body, kin_str_of(words))) {
        kin__visit_drop(visit, false);
        h->reply_code = KIN_ERR_NO_MEMORY;
        return;
    }
    h->reply_code = kin__visit_reply_bytes(visit, status, fields, 1, &body, &err);
    ASSERT_TRUE(body.data == NULL);
}

static inline void house_answer_and_close(house *h, kin__visit *visit, const char *words)
{
    kin__visit_field fields[] = { { STR("Connection"), STR("close") } };
    kin__buf body = { 0 };
    kin_error err;
    ASSERT_TRUE(kin__buf_append_str(&body, kin_str_of(words)));
    h->reply_code = kin__visit_reply_bytes(visit, 200, fields, 1, &body, &err);
}

static inline void house_open_pipe(house *h, kin__visit *visit)
{
    pipe_body *p = &h->pipes[h->pipe_count++];
    *p = (pipe_body){ .visit = visit };
    kin__body body = { .next = pipe_next, .release = pipe_release, .context = p };
    kin_error err;
    h->reply_code = kin__visit_reply(visit, 200, NULL, 0, &body, &err);
}

static inline void house_open_socket(house *h, kin__visit *visit)
{
    pipe_body *p = &h->pipes[h->pipe_count++];
    *p = (pipe_body){ .visit = visit };
    kin__body body = { .next = pipe_next, .release = pipe_release, .context = p };
    size_t at = 0;
    kin_str protocols;
    kin_error err;
    (void) kin__visit_header(visit, "Sec-WebSocket-Protocol", &at, &protocols);
    h->reply_code = kin__visit_upgrade(visit, protocols, &body, &err);
}

static inline void house_log(house *h, const kin__visit_request *request)
{
    text_append(&h->log, "%.*s %.*s", KIN_STR_ARG(request->method), KIN_STR_ARG(request->path));
    if (request->query.len != 0) {
        text_append(&h->log, " ?%.*s", KIN_STR_ARG(request->query));
    }
    if (request->body.len != 0 && request->body.len < 1000) {
        text_append(&h->log, " [%.*s]", KIN_STR_ARG(request->body));
    }
    if (request->peer_name.len != 0) {
        text_append(&h->log, " by %.*s of %.*s", KIN_STR_ARG(request->peer_name),
                    KIN_STR_ARG(request->peer_organizations));
    }
    text_append(&h->log, "%s%s%s\n", request->is_foreign ? " foreign" : "",
                request->is_too_large ? " too large" : "", request->is_http2 ? " h2" : "");
}

static inline void house_serve(kin__visit *visit, void *context)
{
    house *h = context;
    const kin__visit_request *request = kin__visit_get_request(visit);
    kin_str path = request->path;
    h->visits++;
    h->body_len = request->body.len;
    if (h->visits <= HOUSE_LINES) {
        house_log(h, request);
    }
    if (kin__str_equal(path, STR("/hold"))) {
        h->held[h->holds++] = visit;
        if (!h->has_no_gone) {
            kin__visit_on_gone(visit, house_note_gone, h);
        }
    } else if (kin__str_equal(path, STR("/pipe"))) {
        house_open_pipe(h, visit);
    } else if (kin__str_equal(path, STR("/socket")) && kin__visit_wants_websocket(visit)) {
        house_open_socket(h, visit);
    } else if (kin__str_equal(path, STR("/drop"))) {
        kin__visit_drop(visit, false);
    } else if (kin__str_equal(path, STR("/reset"))) {
        kin__visit_drop(visit, true);
    } else if (kin__str_equal(path, STR("/close"))) {
        house_answer_and_close(h, visit, "bye");
    } else if (kin__str_equal(path, STR("/cut_all"))) {
        h->held[h->holds++] = visit;
        kin__visit_on_gone(visit, house_note_gone, h);
        kin__httpd_cut_all(h->httpd);
    } else {
        house_answer(h, visit, request->is_too_large ? 413 : 200, "hello");
    }
}

static inline kin_err house_try_open(house *h, bool has_tls, bool has_no_http2, kin_error *err)
{
    kin__virtual_clock_init(&h->clock, 1000000, (kin_time){ .seconds = 1792000000 });
    if (kin__loop_new_with_clock(NULL, &h->clock.clock, &h->loop, err) != KIN_OK ||
        (has_tls && kin__authority_new("127.0.0.1", &h->authority, err) != KIN_OK)) {
        return err->code;
    }
    kin__httpd_options options = { .loop = h->loop,
                                   .address = "127.0.0.1",
                                   .authority = h->authority,
                                   .has_no_http2 = has_no_http2,
                                   .body_max = 100000,
                                   .on_request = house_serve,
                                   .context = h };
    return kin__httpd_new(&options, &h->httpd, err);
}

/* On the heap: it is large. */
static inline house *house_open_with(bool has_tls, bool has_no_http2)
{
    house *h = calloc(1, sizeof *h);
    kin_error err;
    ASSERT_TRUE(h != NULL);
    ASSERT_OK(house_try_open(h, has_tls, has_no_http2, &err));
    return h;
}

static inline house *house_open(void)
{
    return house_open_with(false, false);
}

static inline void house_close(house *h)
{
    kin__httpd_free(h->httpd);
    kin__authority_free(h->authority);
    kin_loop_free(h->loop);
    for (int i = 0; i < h->pipe_count; i++) {
        ASSERT_EQ(h->pipes[i].released, 1);
    }
    free(h);
}

static inline void house_turn(house *h)
{
    kin_error err;
    ASSERT_OK(kin_loop_dispatch(h->loop, 2, &err));
}

/* Until so many have come. */
static inline void house_await(house *h, int visits)
{
    while (h->visits < visits) {
        house_turn(h);
    }
}

/* Whether nobody is connected. */
static inline bool house_is_empty(const house *h)
{
    return kin__list_first(&h->httpd->connections) == NULL;
}

/* ---- guests ---- */

typedef struct guest {
    int fd;
    char *heard; /* terminated */
    size_t len;
    size_t capacity;
    bool has_ended; /* the server has closed */
    bool was_reset;
} guest;

static inline void guest_connect_to(guest *g, uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr = { .s_addr = htonl(INADDR_LOOPBACK) } };
    *g = (guest){ .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .capacity = 1 << 16 };
    g->heard = calloc(1, g->capacity);
    ASSERT_TRUE(g->fd >= 0 && g->heard != NULL);
    ASSERT_EQ(connect(g->fd, (const struct sockaddr *) &address, sizeof address), 0);
    ASSERT_EQ(fcntl(g->fd, F_SETFL, O_NONBLOCK), 0);
}

static inline void guest_connect(guest *g, house *h)
{
    guest_connect_to(g, kin__httpd_port(h->httpd));
}

static inline void guest_leave(guest *g)
{
    if (g->fd >= 0) {
        (void) close(g->fd);
        g->fd = -1;
    }
    free(g->heard);
    g->heard = NULL;
}

/* With a RST. */
static inline void guest_vanish(guest *g)
{
    struct linger now = { .l_onoff = 1 };
    ASSERT_EQ(setsockopt(g->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now), 0);
    guest_leave(g);
}

static inline void guest_say_bytes(guest *g, house *h, const char *bytes, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t sent = send(g->fd, bytes + at, len - at, MSG_NOSIGNAL);
        if (sent > 0) {
            at += (size_t) sent;
        } else {
            ASSERT_TRUE(errno == EAGAIN);
        }
        house_turn(h);
    }
}

static inline void guest_say(guest *g, house *h, const char *words)
{
    guest_say_bytes(g, h, words, strlen(words));
}

/* Takes what has come. */
static inline void guest_listen(guest *g)
{
    for (;;) {
        if (g->len + (1 << 15) > g->capacity) {
            g->capacity *= 2;
            g->heard = realloc(g->heard, g->capacity);
            ASSERT_TRUE(g->heard != NULL);
        }
        ssize_t got = recv(g->fd, g->heard + g->len, g->capacity - g->len - 1, 0);
        if (got <= 0) {
            g->was_reset = got < 0 && errno == ECONNRESET;
            g->has_ended = g->has_ended || got == 0 || g->was_reset;
            return;
        }
        g->len += (size_t) got;
        g->heard[g->len] = '\0';
    }
}

static inline void guest_forget(guest *g)
{
    g->len = 0;
    g->heard[0] = '\0';
}

static inline void guest_hear(guest *g, house *h, const char *words)
{
    while (strstr(g->heard, words) == NULL) {
        ASSERT_FALSE(g->has_ended);
        house_turn(h);
        guest_listen(g);
    }
}

static inline void guest_hear_len(guest *g, house *h, size_t len)
{
    while (g->len < len) {
        ASSERT_FALSE(g->has_ended);
        house_turn(h);
        guest_listen(g);
    }
}

static inline void guest_hear_end(guest *g, house *h)
{
    while (!g->has_ended) {
        house_turn(h);
        guest_listen(g);
    }
}

#endif /* TESTS_UNIT_HTTPD_HOUSE_H */
