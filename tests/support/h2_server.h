/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/h2_server.h - HTTP/2 on a raw server's connections: h2_serve() is its `serve`, an
 * h2_plan its context.
 *
 * What it answers depends on the path:
 *
 *   /hold      200 and "tick\n", and the stream stays open
 *   /tick      200, and a "tick\n" on all streams of this connection that are held
 *   /big/N     200 and N bytes
 *   /last/N    200; and when the door is open, N bytes on the first stream of this connection that
 *              is held, and behind them the ends of all such streams, as frames of their own: all
 *              in one piece
 *   /silent    nothing
 *   /refuse    the stream is refused, the first time this connection or another sees it
 *   /reset     200, a few bytes, and the stream is reset
 *   /ignored/N  as /hold; but the first N get no answer, and with the Nth the connection says that
 *              it takes no more streams and has seen none but its first
 *   /goaway    200, and the connection takes no more streams
 *   /denied    the connection takes no more streams, and 401
 *   /cut       200, a few bytes, and the connection is cut
 *   all else   200 and "hello"
 */
#ifndef TESTS_SUPPORT_H2_SERVER_H
#define TESTS_SUPPORT_H2_SERVER_H

#include <stdatomic.h>

#include "support/raw_server.h"

typedef struct h2_plan {
    unsigned streams_max; /* 0: 100 */
    size_t record_max;    /* bytes of /last in a record of TLS; 0: as many as there can be */
    atomic_int requests;
    atomic_int open;      /* streams */
    atomic_int cancelled; /* streams that the client reset */
    atomic_int refused;
    atomic_int ignored;
    atomic_int at_door;
    atomic_int lasts; /* that were sent */
} h2_plan;

void h2_serve(raw_connection *connection);

#endif /* TESTS_SUPPORT_H2_SERVER_H */
