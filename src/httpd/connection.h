/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/connection.h - a client's connection: its socket on the loop, and the protocol spoken on
 * it.
 *
 * Whoever calls into a connection enters it first and leaves it afterwards.  Functions of the layer
 * above may be called in between, and may do anything with this or other connections: one that is
 * closed meanwhile stays as a shell until the last has left it.  What has become possible in
 * between (the next request, sending what was put together) is done by the last who leaves.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_HTTPD_CONNECTION_H
#define KIN_HTTPD_CONNECTION_H

#include "base/list.h"
#include "httpd/http1.h"
#include "httpd/listener.h"
#include "httpd/wire.h"

typedef enum kin__stage {
    KIN__STAGE_HANDSHAKE,
    KIN__STAGE_HTTP1,
    KIN__STAGE_HTTP2,
    KIN__STAGE_ENDING,  /* what is left in `out` is sent */
    KIN__STAGE_LINGER,  /* all is said; what still comes is thrown away until the client closes */
    KIN__STAGE_IGNORED, /* nothing is ever read or said */
    KIN__STAGE_CLOSED
} kin__stage;

struct kin__connection {
    kin__httpd *httpd; /* borrowed */
    kin__link link;    /* on the httpd's connections, until it is closed */
    kin__watched watched;
    kin__timer linger;
    kin__wire wire;
    kin__stage stage;
    unsigned depth;  /* how many have entered */
    bool is_blocked; /* the socket takes no more: on when it is writable */
    bool is_frozen;  /* nothing is read or said: kin__httpd_freeze() */
    bool is_foreign; /* it came with a certificate that is not good */
    bool has_unread; /* more may come that nobody will read: closing at once could reset it */
    size_t out_at;   /* how much of `out` is sent */
    kin__buf out;    /* what goes out before anything else */
    kin__buf peer_name;
    kin__buf peer_organizations;
    kin__http1 http1;
    struct kin__http2 *http2; /* owned; NULL: none */
};

/* Takes over `fd`, also when it fails: then the client finds it closed. */
void kin__connection_open(kin__httpd *httpd, int fd, bool is_ignored);

static inline void kin__connection_enter(kin__connection *connection)
{
    connection->depth++;
}

/* May release the connection. */
void kin__connection_leave(kin__connection *connection);

static inline bool kin__connection_is_open(const kin__connection *connection)
{
    return connection->stage != KIN__STAGE_CLOSED;
}

/* Sends what goes; false when something is left, or the connection broke and is closed.  Inside. */
bool kin__connection_send(kin__connection *connection, const struct iovec *parts, size_t count,
                          size_t *sent);

/* Sends what is in `out`; false as above.  Inside. */
bool kin__connection_flush(kin__connection *connection);

/* Sends what is in `out`, then closes.  Inside. */
void kin__connection_end(kin__connection *connection);

/* Ends its visits and closes it, now.  Inside. */
void kin__connection_close(kin__connection *connection, bool with_reset);

#endif /* KIN_HTTPD_CONNECTION_H */
