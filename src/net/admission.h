/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/admission.h - which request goes onto which connection, and which one waits.
 *
 * Decides only: it knows neither sockets nor libcurl.  A request is a ticket, a connection a lane;
 * both lie in structs of the caller.
 *
 *   - With HTTP/2 a lane carries up to `streams` requests.  Watches, reads and writes have lanes of
 *     their own, so that none of them waits for a place behind another kind.  Watches leave room
 *     for a lane of reads, and both for a lane of writes.  Where there are fewer than three
 *     connections, kinds share lanes, and some places on each are kept for writes, and some more
 *     for reads.
 *   - With HTTP/1.1 one lane, the pool, stands for any number of connections with one request each.
 *   - Which of the two it is shows on the first connection: as long as it is not known, a second
 *     request is tried on a lane; that it finds a place there means HTTP/2.
 *   - A server may allow fewer streams than we do, or want no more of them on a connection
 *     (GOAWAY): a request is refused there, the lane counts as full with those it has, and where
 *     that makes places fewer, more lanes are opened.
 *
 * Threading: confined.
 */
#ifndef KIN_NET_ADMISSION_H
#define KIN_NET_ADMISSION_H

#include "net/http.h"

#define KIN__HTTP_CLASSES 3
#define KIN__LANES_MAX 1024u
/* On a connection that has not answered yet: its server's limit of streams has not been read. */
#define KIN__STREAMS_EARLY 8u

typedef enum kin__protocol {
    KIN__PROTOCOL_UNKNOWN,
    KIN__PROTOCOL_HTTP1,
    KIN__PROTOCOL_HTTP2
} kin__protocol;

typedef struct kin__seats kin__seats;

/* A request.  All zero but for its class before it first waits. */
typedef struct kin__ticket {
    kin__http_class class_;
    bool is_waiting;
    bool is_placed;    /* on a connection that is up */
    kin__seats *seats; /* of its lane; NULL: it has none */
    struct kin__ticket *previous;
    struct kin__ticket *next;
} kin__ticket;

/* A lane.  All zero before it is added. */
struct kin__seats {
    bool is_pool;
    bool is_retired;  /* takes no more requests */
    bool is_draining; /* ... until it is empty */
    bool is_answered; /* since it was empty the last time */
    uint32_t group;   /* whose lane it is */
    uint32_t taken;
    uint32_t placed; /* of those, on a connection that is up */
    uint32_t capacity;
    uint32_t refusals;
    kin__seats *previous;
    kin__seats *next;
};

typedef struct kin__ticket_queue {
    kin__ticket *first;
    kin__ticket *last;
    uint32_t count;
} kin__ticket_queue;

typedef struct kin__admission {
    uint32_t streams;           /* on a lane */
    uint32_t http2_connections; /* lanes, as long as the server allows `streams` on each */
    uint32_t http1_connections;
    kin__protocol protocol;
    kin__seats *first_lane; /* the oldest */
    kin__seats *last_lane;
    uint32_t lane_count;
    kin__ticket_queue waiting[KIN__HTTP_CLASSES];
} kin__admission;

/* `streams` and `connections` as in kin__http_options: 0 is the default. */
void kin__admission_init(kin__admission *admission, uint32_t streams, uint32_t connections,
                         kin__protocol protocol);

/* At the end of its class's queue. */
void kin__admission_wait(kin__admission *admission, kin__ticket *ticket);

/* The request has ended, or is given up: leaves its queue or its place. */
void kin__admission_leave(kin__admission *admission, kin__ticket *ticket);

typedef enum kin__admission_step {
    KIN__ADMIT_NONE, /* all that wait have to */
    KIN__ADMIT_PUT,  /* `ticket` has got a place on the lane of `seats` */
    KIN__ADMIT_OPEN  /* a lane is wanted, for `ticket`, which waits on: add one and ask again */
} kin__admission_step;

typedef struct kin__admission_answer {
    kin__admission_step step;
    kin__ticket *ticket;
    kin__seats *seats;
    bool is_pool;   /* what to open */
    uint32_t group; /* for whom */
} kin__admission_answer;

/* What to do next; to be called until there is nothing to do. */
kin__admission_answer kin__admission_next(kin__admission *admission);

/* What was to be opened.  `seats` does not move until it is removed, which it may be when nothing
 * is taken. */
void kin__admission_add(kin__admission *admission, kin__seats *seats,
                        const kin__admission_answer *answer);
void kin__admission_remove(kin__admission *admission, kin__seats *seats);

/* The connection is up and the request goes out on it.  More than once does no harm. */
void kin__admission_placed(kin__admission *admission, kin__ticket *ticket);

/* There was no place for it on the connection that others of its lane are on, or it has lost the
 * one it had.  Waits again, as the first of its class. */
void kin__admission_refused(kin__admission *admission, kin__ticket *ticket);

/* An answer has begun. */
void kin__admission_answered(kin__admission *admission, kin__ticket *ticket, bool is_http2);

uint32_t kin__admission_count_waiting(const kin__admission *admission);

#endif /* KIN_NET_ADMISSION_H */
