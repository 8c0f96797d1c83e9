/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/lane.h - a multi handle of libcurl on the loop.
 *
 * Each has a cache of connections of its own, so what is put onto one lane goes over that lane's
 * connection: one with HTTP/2, one for each request in the pool.  (A second one is there for a
 * while when the server wants no more requests on the first.)
 *
 * libcurl allows no call to itself from inside its callbacks.  So nothing is driven by the lane
 * itself: it tells its owner what the loop has seen, and the owner calls kin__lane_drive().
 *
 * libcurl 7.88 reads 32 KB of an HTTP/2 connection at once, for all of its streams.  When there is
 * more for one of them than its buffer takes, it stops there, hands out that buffer and the rest in
 * pieces, and forgets to go on (lib/http2.c, cf_h2_recv: it marks the stream and sets no timer):
 * what it has read behind, ends of streams too, stays with it until the next byte comes from the
 * server. The same when the stream it stopped at is taken off.  So after both a lane looks at its
 * sockets again, as if they were readable, until nothing comes.
 *
 * One thing no look brings forth: the end of a stream that came in the very frame at which libcurl
 * stopped.  It is seen with the next byte from the server, or the transfer's time is up.  A stream
 * with a buffer of 32 KB or more is never stopped by what it reads itself, but may be by what
 * others read for it.
 */
#ifndef KIN_NET_LANE_H
#define KIN_NET_LANE_H

#include <curl/curl.h>

#include "base/cleanup.h"
#include "net/admission.h"

typedef struct kin__lane kin__lane;
typedef struct kin__lane_wait kin__lane_wait;
typedef struct kin__lane_socket kin__lane_socket;

typedef struct kin__lane_owner {
    void *context;
    /* There is something to do: drive `lane` with these two. */
    void (*on_ready)(void *context, kin__lane *lane, curl_socket_t fd, int what);
    /* It has been empty for the time of kin__lane_rest(). */
    void (*on_rested)(void *context, kin__lane *lane);
} kin__lane_owner;

struct kin__lane {
    kin__seats seats; /* first */
    kin_loop *loop;
    CURLM *multi;
    kin__lane_owner owner;
    void *material; /* the owner's */
    uint32_t dead_host_ms;
    kin__timer timer; /* libcurl's */
    kin__timer rest;
    kin__job look;             /* at all sockets */
    kin__lane_wait *waits;     /* what libcurl waits for */
    kin__lane_socket *sockets; /* its connections */
    uint64_t drives;           /* how often it was driven */
    bool may_hold;             /* libcurl may have bytes that it does not hand out */
    bool must_look;            /* in the next drive */
    bool is_looking;
    bool is_driven;    /* since its messages were read */
    bool is_inside;    /* libcurl is running: no call to it */
    bool is_severed;   /* in a forked child */
    kin_error failure; /* code other than OK: it can do no more */
};

/* `lane->seats` are not touched.  Fails with NO_MEMORY. */
kin_err kin__lane_new(kin_loop *loop, const kin__lane_owner *owner, uint32_t streams,
                      uint32_t dead_host_ms, kin__lane **out, kin_error *err) KIN_MUST_CHECK;

/* All transfers have been removed.  Closes its connections; in a forked child without a word to the
 * other side.  NULL is ignored. */
void kin__lane_free(kin__lane *lane);
KIN__DEFINE_AUTO(kin__lane, kin__lane_free)

/*
 * A transfer's way to a connection.  What a connection has not seen when its server closes it
 * (GOAWAY) libcurl would begin again by itself, each transfer with a new connection: one that has
 * been on the lane's connection is refused another, and says so here.
 */
typedef struct kin__lane_way {
    kin__lane *lane;
    bool is_placed; /* it has been on a connection; set by the owner */
    bool is_lost;   /* it would have needed another one */
    bool is_whole;  /* it has come to its end; set by the owner */
    /* Private. */
    size_t buffer;
    size_t received; /* in this drive */
    uint64_t drive;
} kin__lane_way;

/* Sockets are opened and closed by the lane, and `buffer` bytes are read at once.  `way`, all zero,
 * stays where it is as long as the transfer is on the lane. */
CURLcode kin__lane_prepare(kin__lane *lane, CURL *easy, kin__lane_way *way, size_t buffer);

/* Adds a transfer and lets libcurl begin with it.  False when there is no memory. */
bool kin__lane_add(kin__lane *lane, CURL *easy);

/* Takes a transfer off. */
void kin__lane_remove(kin__lane *lane, CURL *easy, const kin__lane_way *way);

/* To be called from the transfer's callbacks, with all bytes of head and body. */
void kin__lane_received(kin__lane_way *way, size_t len);

/* How many connections it keeps without a request on them. */
void kin__lane_keep(kin__lane *lane, uint32_t connections);

/* Connections that are open, or being opened. */
uint32_t kin__lane_count_connections(kin__lane *lane);

/* Lets libcurl work: on a socket, or with CURL_SOCKET_TIMEOUT on what is due. */
void kin__lane_drive(kin__lane *lane, curl_socket_t fd, int what);

/* In a forked child: the connections are the parent's, and what is written to them from here on
 * goes nowhere. */
void kin__lane_sever(kin__lane *lane);

/* Calls on_rested() at `due_ms`, unless it is called with 0 before. */
void kin__lane_rest(kin__lane *lane, int64_t due_ms);

#endif /* KIN_NET_LANE_H */
