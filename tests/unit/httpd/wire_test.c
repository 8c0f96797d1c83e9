/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_test.c - a socket without anything above it.
 */
#include "httpd/wire.h"

#include <openssl/err.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "httpd/authority.h"
#include "httpd/tls.h"
#include "support/test.h"

static void open_pair(kin__wire *wire, int *other)
{
    int fds[2];
    int size = 4096;
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    ASSERT_EQ(setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size), 0);
    *wire = (kin__wire){ .fd = fds[0] };
    *other = fds[1];
}

static struct iovec part(const char *bytes, size_t len)
{
    return (struct iovec){ .iov_base = (void *) (uintptr_t) bytes, .iov_len = len };
}

TEST(wire, reads_what_is_there)
{
    kin__wire wire;
    int other;
    char into[16];
    size_t got = 0;
    open_pair(&wire, &other);

    ASSERT_EQ(kin__wire_read(&wire, into, sizeof into, &got), KIN__WIRE_WAIT);
    ASSERT_EQ(write(other, "hello", 5), 5);
    ASSERT_EQ(kin__wire_read(&wire, into, sizeof into, &got), KIN__WIRE_DONE);
    ASSERT_EQ(got, 5);
    (void) close(other);
    ASSERT_EQ(kin__wire_read(&wire, into, sizeof into, &got), KIN__WIRE_END);

    kin__wire_close(&wire, false);
}

TEST(wire, says_how_much_was_sent)
{
    static char large[1 << 20];
    static char into[1 << 20];
    kin__wire wire;
    int other;
    size_t sent = 0;
    open_pair(&wire, &other);
    struct iovec parts[] = { part("ab", 2), part("", 0), part(large, sizeof large) };

    ASSERT_EQ(kin__wire_write(&wire, parts, 2, NULL, &sent), KIN__WIRE_DONE);
    ASSERT_EQ(sent, 2);
    ASSERT_EQ(kin__wire_write(&wire, parts, 3, NULL, &sent), KIN__WIRE_WAIT);
    ASSERT_TRUE(sent < sizeof large);
    ssize_t got = read(other, into, sizeof into);
    ASSERT_TRUE(got >= 2 && (size_t) got <= sent + 2);
    ASSERT_EQ(memcmp(into, "abab", (size_t) got < 4 ? (size_t) got : 4), 0);

    (void) close(other);
    kin__wire_close(&wire, false);
}

TEST(wire, breaks_without_a_signal)
{
    kin__wire wire;
    int other;
    size_t sent;
    struct iovec parts[] = { part("ab", 2) };
    open_pair(&wire, &other);
    (void) close(other);

    ASSERT_EQ(kin__wire_write(&wire, parts, 1, NULL, &sent), KIN__WIRE_BROKEN);

    kin__wire_close(&wire, true);
}

/* ---- with TLS ---- */

typedef struct ends {
    kin__authority *authority;
    SSL_CTX *tls;
    SSL_CTX *client_tls;
    SSL *client;
    kin__wire wire;
    int other;
} ends;

static void open_ends(ends *e)
{
    kin_error err;
    *e = (ends){ .client_tls = SSL_CTX_new(TLS_client_method()) };
    ASSERT_OK(kin__authority_new(NULL, &e->authority, &err));
    ASSERT_OK(kin__tls_new(e->authority, true, &e->tls, &err));
    open_pair(&e->wire, &e->other);
    ASSERT_TRUE(kin__tls_attach(e->tls, &e->wire));
    e->client = SSL_new(e->client_tls);
    ASSERT_EQ(SSL_set_fd(e->client, e->other), 1);
    kin__wire_state state = KIN__WIRE_WAIT;
    for (int result = 0; result != 1 || state != KIN__WIRE_DONE;) {
        ERR_clear_error();
        result = SSL_connect(e->client);
        if (state == KIN__WIRE_WAIT) {
            state = kin__wire_shake_hands(&e->wire);
        }
    }
}

static void close_ends(ends *e)
{
    kin__wire_close(&e->wire, false);
    SSL_free(e->client);
    SSL_CTX_free(e->client_tls);
    kin__tls_free(e->tls);
    (void) close(e->other);
    kin__authority_free(e->authority);
}

/* A record that could not be sent is made again of the same bytes, though more have come. */
TEST(wire, repeats_a_record_as_it_was)
{
    static char bytes[300000];
    static char heard[300000];
    char record[KIN__RECORD_MAX];
    ends e;
    size_t at = 0;
    size_t got = 0;
    int waits = 0;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char) (i % 251);
    }
    open_ends(&e);

    for (size_t ready = 1000; at < sizeof bytes;) {
        size_t half = (ready - at) / 2;
        struct iovec parts[] = { part(bytes + at, half), part("", 0),
                                 part(bytes + at + half, ready - at - half) };
        size_t sent = 0;
        kin__wire_state state = kin__wire_write(&e.wire, parts, 3, record, &sent);
        ASSERT_TRUE(state != KIN__WIRE_BROKEN);
        at += sent;
        ready = ready + 7777 < sizeof bytes ? ready + 7777 : sizeof bytes;
        waits += state == KIN__WIRE_WAIT;
        size_t more = 0;
        if (state == KIN__WIRE_WAIT &&
            SSL_read_ex(e.client, heard + got, sizeof heard - got, &more) == 1) {
            got += more;
        }
    }
    for (size_t more; got < sizeof heard; got += more) {
        ASSERT_EQ(SSL_read_ex(e.client, heard + got, sizeof heard - got, &more), 1);
    }

    ASSERT_TRUE(waits > 3);
    ASSERT_EQ(memcmp(heard, bytes, sizeof bytes), 0);
    close_ends(&e);
}

TEST(wire, says_when_it_is_not_tls)
{
    kin_error err;
    kin__authority *authority;
    SSL_CTX *tls;
    kin__wire wire;
    int other;
    ASSERT_OK(kin__authority_new(NULL, &authority, &err));
    ASSERT_OK(kin__tls_new(authority, true, &tls, &err));
    open_pair(&wire, &other);
    ASSERT_TRUE(kin__tls_attach(tls, &wire));

    ASSERT_EQ(kin__wire_shake_hands(&wire), KIN__WIRE_WAIT);
    ASSERT_EQ(write(other, "GET / HTTP/1.1\r\n", 16), 16);
    ASSERT_EQ(kin__wire_shake_hands(&wire), KIN__WIRE_NOT_TLS);

    kin__wire_close(&wire, false);
    kin__tls_free(tls);
    kin__authority_free(authority);
    (void) close(other);
}
