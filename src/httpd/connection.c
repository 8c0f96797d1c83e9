/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.c - a client's connection.
 *
 * The socket is waited for by what the protocol wants: the interest is compared when the last one
 * leaves, and the loop is told only where it has changed.
 */
#include "httpd/connection.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "httpd/http2.h"
#include "httpd/tls.h"

#define LINGER_MS 500 /* as Go's server: how long a client may take to read the last words */
#define OUT_KEPT ((size_t) 16 * 1024) /* a larger buffer is not kept by one that rests */

static void ready(kin__watched *watched, unsigned what, void *context);
static void go_on_writing(kin__connection *connection);
static void read_some(kin__connection *connection);
static void shake_hands(kin__connection *connection);
static void refuse_bare(kin__connection *connection);
static void feed(kin__connection *connection, const char *bytes, size_t len);
static void note_end(kin__connection *connection);
static void settle(kin__connection *connection);
static bool wants_input(const kin__connection *connection);
static void update_interest(kin__connection *connection);
static void finish_ending(kin__connection *connection);
static void stop_lingering(kin__timer *timer, void *context);
static void release(kin__connection *connection);

void kin__connection_open(kin__httpd *httpd, int fd, bool is_ignored)
{
    kin__connection *connection = kin__alloc_zero(1, sizeof *connection);
    if (connection == NULL) {
        (void) close(fd);
        return;
    }
    connection->httpd = httpd;
    connection->watched = (kin__watched){ .ready = ready, .context = connection, .fd = fd };
    connection->linger = (kin__timer){ .fire = stop_lingering, .context = connection };
    connection->wire.fd = fd;
    connection->stage = is_ignored           ? KIN__STAGE_IGNORED
                        : httpd->tls != NULL ? KIN__STAGE_HANDSHAKE
                                             : KIN__STAGE_HTTP1;
    kin__list_push(&httpd->connections, &connection->link);
    kin__connection_enter(connection);
    if (connection->stage == KIN__STAGE_HANDSHAKE &&
        !kin__tls_attach(httpd->tls, &connection->wire)) {
        kin__connection_close(connection, false);
    }
    kin__connection_leave(connection);
}

void kin__connection_leave(kin__connection *connection)
{
    if (connection->depth == 1 && kin__connection_is_open(connection)) {
        settle(connection);
    }
    connection->depth--;
    if (connection->depth == 0 && !kin__connection_is_open(connection)) {
        release(connection);
    }
}

bool kin__connection_send(kin__connection *connection, const struct iovec *parts, size_t count,
                          size_t *sent)
{
    if (connection->is_frozen) {
        connection->is_blocked = true;
        *sent = 0;
        return false;
    }
    switch (kin__wire_write(&connection->wire, parts, count, connection->httpd->record, sent)) {
    case KIN__WIRE_DONE:
        return true;
    case KIN__WIRE_WAIT:
        connection->is_blocked = true;
        return false;
    default:
        kin__connection_close(connection, false);
        return false;
    }
}

bool kin__connection_flush(kin__connection *connection)
{
    kin__buf *out = &connection->out;
    if (connection->out_at < out->len) {
        struct iovec part = { .iov_base = out->data + connection->out_at,
                              .iov_len = out->len - connection->out_at };
        size_t sent;
        bool is_done = kin__connection_send(connection, &part, 1, &sent);
        connection->out_at += sent;
        if (!is_done) {
            return false;
        }
    }
    connection->out_at = 0;
    kin__buf_clear(out);
    return true;
}

void kin__connection_end(kin__connection *connection)
{
    connection->stage = KIN__STAGE_ENDING;
    if (!connection->is_blocked && kin__connection_flush(connection)) {
        finish_ending(connection);
    }
}

void kin__connection_close(kin__connection *connection, bool with_reset)
{
    kin__httpd *httpd = connection->httpd;
    if (connection->stage == KIN__STAGE_CLOSED) {
        return;
    }
    connection->stage = KIN__STAGE_CLOSED;
    kin__list_remove(&connection->link);
    kin__httpd_unwatch(httpd, &connection->watched);
    kin__timer_clear(httpd->loop, &connection->linger);
    kin__wire_close(&connection->wire, with_reset);
    kin__httpd_note_closed(httpd);
    kin__http1_fini(&connection->http1);
    kin__http2_fini(connection);
}

static void ready(kin__watched *watched, unsigned what, void *context)
{
    (void) watched;
    kin__connection *connection = context;
    kin__connection_enter(connection);
    if ((what & KIN__WRITABLE) != 0) {
        connection->is_blocked = false;
        go_on_writing(connection);
    }
    bool must_read = (what & (KIN__READABLE | KIN__BROKEN)) != 0;
    if (must_read || connection->wire.is_waiting_to_write) {
        read_some(connection);
    }
    kin__connection_leave(connection);
}

static void go_on_writing(kin__connection *connection)
{
    if (connection->stage == KIN__STAGE_HTTP1) {
        kin__http1_pump(connection);
    } else if (connection->stage == KIN__STAGE_ENDING && kin__connection_flush(connection)) {
        finish_ending(connection);
    }
}

static void read_some(kin__connection *connection)
{
    if (connection->stage == KIN__STAGE_HANDSHAKE) {
        shake_hands(connection);
        return;
    }
    if (!kin__connection_is_open(connection) || !wants_input(connection)) {
        return;
    }
    char *scratch = connection->httpd->scratch;
    size_t got = 0;
    switch (kin__wire_read(&connection->wire, scratch, KIN__READ_MAX, &got)) {
    case KIN__WIRE_DONE:
        feed(connection, scratch, got);
        break;
    case KIN__WIRE_WAIT:
        break;
    case KIN__WIRE_END:
        note_end(connection);
        break;
    default:
        kin__connection_close(connection, false);
        break;
    }
}

static void shake_hands(kin__connection *connection)
{
    kin__wire *wire = &connection->wire;
    switch (kin__wire_shake_hands(wire)) {
    case KIN__WIRE_DONE:
        connection->stage = KIN__STAGE_HTTP1;
        connection->is_foreign = kin__tls_is_peer_foreign(wire);
        if (!kin__tls_read_peer(wire, &connection->peer_name, &connection->peer_organizations) ||
            (kin__tls_is_http2(wire) && !kin__http2_begin(connection))) {
            kin__connection_close(connection, false);
        }
        break;
    case KIN__WIRE_WAIT:
        break;
    case KIN__WIRE_NOT_TLS:
        refuse_bare(connection);
        break;
    default:
        kin__connection_close(connection, false);
        break;
    }
}

/* In Go's words. */
static void refuse_bare(kin__connection *connection)
{
    SSL_free(connection->wire.ssl);
    connection->wire.ssl = NULL;
    connection->has_unread = true;
    if (!kin__buf_append_str(&connection->out,
                             STR("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to "
                                 "an HTTPS server.\n"))) {
        kin__connection_close(connection, false);
        return;
    }
    kin__connection_end(connection);
}

static void feed(kin__connection *connection, const char *bytes, size_t len)
{
    if (connection->stage == KIN__STAGE_HTTP1) {
        kin__http1_feed(connection, bytes, len);
    } else if (connection->stage == KIN__STAGE_HTTP2) {
        kin__http2_feed(connection, bytes, len);
    }
}

static void note_end(kin__connection *connection)
{
    if (connection->stage == KIN__STAGE_HTTP1) {
        kin__http1_note_end(connection);
    } else {
        kin__connection_close(connection, false);
    }
}

/* What the last one who leaves does. */
static void settle(kin__connection *connection)
{
    if (connection->is_frozen) {
        update_interest(connection);
        return;
    }
    if (connection->stage == KIN__STAGE_HTTP1) {
        kin__http1_run(connection);
    } else if (connection->stage == KIN__STAGE_HTTP2) {
        kin__http2_run(connection);
    }
    if (!kin__connection_is_open(connection)) {
        return;
    }
    if (connection->out.len == 0 && connection->out.capacity > OUT_KEPT) {
        kin__buf_fini(&connection->out);
        connection->out = (kin__buf){ 0 };
    }
    update_interest(connection);
}

static bool wants_input(const kin__connection *connection)
{
    if (connection->is_frozen) {
        return false;
    }
    switch (connection->stage) {
    case KIN__STAGE_HTTP1:
        return kin__http1_wants_input(connection);
    case KIN__STAGE_ENDING:
    case KIN__STAGE_IGNORED:
        return false;
    default:
        return true;
    }
}

static void update_interest(kin__connection *connection)
{
    bool waits_to_write =
        !connection->is_frozen && (connection->is_blocked || connection->wire.is_waiting_to_write);
    unsigned wanted = (wants_input(connection) ? (unsigned) KIN__READABLE : 0u) |
                      (waits_to_write ? (unsigned) KIN__WRITABLE : 0u);
    kin_error ignored;
    if (wanted != connection->watched.wanted &&
        kin__watch(connection->httpd->loop, &connection->watched, wanted, &ignored) != KIN_OK) {
        kin__connection_close(connection, false);
    }
}

static void finish_ending(kin__connection *connection)
{
    kin_loop *loop = connection->httpd->loop;
    kin_error ignored;
    if (!connection->has_unread ||
        kin__timer_set(loop, &connection->linger, kin__loop_now_ms(loop) + LINGER_MS, &ignored) !=
            KIN_OK) {
        kin__connection_close(connection, false);
        return;
    }
    kin__wire_end(&connection->wire);
    connection->stage = KIN__STAGE_LINGER;
}

static void stop_lingering(kin__timer *timer, void *context)
{
    (void) timer;
    kin__connection *connection = context;
    kin__connection_enter(connection);
    kin__connection_close(connection, false);
    kin__connection_leave(connection);
}

static void release(kin__connection *connection)
{
    kin__buf_fini(&connection->out);
    kin__buf_fini(&connection->peer_name);
    kin__buf_fini(&connection->peer_organizations);
    kin__buf_fini(&connection->http1.in);
    kin__free(connection->http1.upgrade);
    kin__http2_free(connection->http2);
    kin__free(connection);
}
