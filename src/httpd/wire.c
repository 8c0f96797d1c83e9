/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.c - a socket, bare or with TLS.
 *
 * TLS writes one record at a time, all of it or nothing (partial writes are not enabled).  One that
 * would block is made again with the same bytes: the caller goes on where it stopped, and retry_len
 * holds back what has come behind them.
 */
#include "httpd/wire.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static kin__wire_state state_of_ssl(kin__wire *wire, int result);
static kin__wire_state write_bare(kin__wire *wire, const struct iovec *parts, size_t count,
                                  size_t *sent);
static kin__wire_state write_tls(kin__wire *wire, const struct iovec *parts, size_t count,
                                 char *record, size_t *sent);
static size_t gather(const struct iovec *parts, size_t count, size_t skip, size_t max, char *record,
                     const char **out);

kin__wire_state kin__wire_shake_hands(kin__wire *wire)
{
    ERR_clear_error();
    int result = SSL_accept(wire->ssl);
    if (result == 1) {
        wire->is_waiting_to_write = false;
        return KIN__WIRE_DONE;
    }
    unsigned long error = ERR_peek_error();
    if (ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_HTTP_REQUEST) {
        ERR_clear_error();
        return KIN__WIRE_NOT_TLS;
    }
    return state_of_ssl(wire, result);
}

kin__wire_state kin__wire_read(kin__wire *wire, char *into, size_t capacity, size_t *got)
{
    if (wire->ssl != NULL) {
        ERR_clear_error();
        int result = SSL_read_ex(wire->ssl, into, capacity, got);
        wire->is_waiting_to_write = false;
        return result == 1 ? KIN__WIRE_DONE : state_of_ssl(wire, result);
    }
    ssize_t count = recv(wire->fd, into, capacity, 0);
    if (count > 0) {
        *got = (size_t) count;
        return KIN__WIRE_DONE;
    }
    if (count == 0) {
        return KIN__WIRE_END;
    }
    return errno == EAGAIN || errno == EINTR ? KIN__WIRE_WAIT : KIN__WIRE_BROKEN;
}

kin__wire_state kin__wire_write(kin__wire *wire, const struct iovec *parts, size_t count,
                                char *record, size_t *sent)
{
    return wire->ssl == NULL ? write_bare(wire, parts, count, sent)
                             : write_tls(wire, parts, count, record, sent);
}

void kin__wire_end(kin__wire *wire)
{
    if (wire->ssl != NULL) {
        ERR_clear_error();
        (void) SSL_shutdown(wire->ssl);
        ERR_clear_error();
    }
    (void) shutdown(wire->fd, SHUT_WR);
}

void kin__wire_close(kin__wire *wire, bool with_reset)
{
    if (wire->ssl != NULL) {
        if (!with_reset && SSL_is_init_finished(wire->ssl)) {
            ERR_clear_error();
            (void) SSL_shutdown(wire->ssl);
        }
        SSL_free(wire->ssl);
        ERR_clear_error();
        wire->ssl = NULL;
    }
    if (wire->fd >= 0) {
        if (with_reset) {
            struct linger now = { .l_onoff = 1, .l_linger = 0 };
            (void) setsockopt(wire->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        }
        (void) close(wire->fd);
        wire->fd = -1;
    }
}

static kin__wire_state state_of_ssl(kin__wire *wire, int result)
{
    int error = SSL_get_error(wire->ssl, result);
    ERR_clear_error();
    wire->is_waiting_to_write = error == SSL_ERROR_WANT_WRITE;
    switch (error) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return KIN__WIRE_WAIT;
    case SSL_ERROR_ZERO_RETURN:
        return KIN__WIRE_END;
    default:
        return KIN__WIRE_BROKEN;
    }
}

static kin__wire_state write_bare(kin__wire *wire, const struct iovec *parts, size_t count,
                                  size_t *sent)
{
    struct msghdr message = { .msg_iov = (struct iovec *) (uintptr_t) parts, .msg_iovlen = count };
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        len += parts[i].iov_len;
    }
    ssize_t done;
    do {
        done = sendmsg(wire->fd, &message, MSG_NOSIGNAL);
    } while (done < 0 && errno == EINTR);
    *sent = done < 0 ? 0 : (size_t) done;
    if (done < 0) {
        return errno == EAGAIN ? KIN__WIRE_WAIT : KIN__WIRE_BROKEN;
    }
    return *sent == len ? KIN__WIRE_DONE : KIN__WIRE_WAIT;
}

static kin__wire_state write_tls(kin__wire *wire, const struct iovec *parts, size_t count,
                                 char *record, size_t *sent)
{
    *sent = 0;
    for (;;) {
        size_t max = wire->retry_len != 0 ? wire->retry_len : KIN__RECORD_MAX;
        const char *bytes;
        size_t len = gather(parts, count, *sent, max, record, &bytes);
        if (len == 0) {
            return KIN__WIRE_DONE;
        }
        size_t written;
        ERR_clear_error();
        int result = SSL_write_ex(wire->ssl, bytes, len, &written);
        if (result != 1) {
            wire->retry_len = len;
            bool was_waiting = wire->is_waiting_to_write;
            kin__wire_state state = state_of_ssl(wire, result);
            wire->is_waiting_to_write = was_waiting;
            return state == KIN__WIRE_WAIT ? state : KIN__WIRE_BROKEN;
        }
        wire->retry_len = 0;
        *sent += written;
    }
}

/* Up to `max` bytes behind the first `skip`: in place when they lie in one part, else copied. */
static size_t gather(const struct iovec *parts, size_t count, size_t skip, size_t max, char *record,
                     const char **out)
{
    size_t i = 0;
    size_t begin = skip;
    while (i < count && begin >= parts[i].iov_len) {
        begin -= parts[i++].iov_len;
    }
    if (i == count) {
        return 0;
    }
    const char *bytes = (const char *) parts[i].iov_base + begin;
    size_t len = parts[i].iov_len - begin;
    if (len >= max || i + 1 == count) {
        *out = bytes;
        return len < max ? len : max;
    }
    memcpy(record, bytes, len);
    for (i++; i < count && len < max; i++) {
        size_t more = parts[i].iov_len < max - len ? parts[i].iov_len : max - len;
        memcpy(record + len, parts[i].iov_base, more);
        len += more;
    }
    *out = record;
    return len;
}
