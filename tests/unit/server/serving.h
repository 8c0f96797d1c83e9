/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serving.h - a server to be asked, over connections of plain HTTP/1.1 that a test reads byte by
 * byte.  Time is virtual: only serving_pass() makes it go on.
 */
#ifndef TESTS_UNIT_SERVER_SERVING_H
#define TESTS_UNIT_SERVER_SERVING_H

#include "base/clock.h"
#include "server/server_state.h"
#include "support/test.h"

typedef struct serving {
    kin__virtual_clock clock;
    kin_server *server;
} serving;

/* NULL options: plain HTTP, no token. */
void serving_start(serving *s, const kin_server_options *options);
void serving_stop(serving *s);

/* Time goes on, and the server has done what was due. */
void serving_pass(serving *s, int64_t ms);

/* Writes an object straight into the server; returns its version. */
uint64_t serving_put(serving *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint64_t serving_put_config(serving *s, const char *name, const char *labels, const char *value);
void serving_remove_config(serving *s, const char *name);
void serving_fault(serving *s, const char *fault);

/* Asks without a connection; the body, borrowed until the next call. */
const char *serving_ask(serving *s, const char *method, const char *path, const char *body,
                        int *out_status);

/* A connection with one request on it. */
typedef struct visitor {
    int fd;
    int status;      /* of the answer */
    text head;       /* of the answer, as it came */
    text body;       /* what was read of it by the last call, chunks put together */
    char raw[65536]; /* bytes that were read and not used yet */
    size_t raw_len;
    size_t chunk_left;
    bool is_chunked;
    bool is_over;   /* the body has ended as it should */
    bool is_closed; /* the connection has */
} visitor;

/* Sends a request and reads the head of its answer.  `headers` are whole lines, or "". */
void visitor_ask(visitor *v, serving *s, const char *method, const char *path, const char *headers,
                 const char *body);

/* The same in two steps. */
void visitor_send(visitor *v, serving *s, const char *method, const char *path, const char *headers,
                  const char *body);
void visitor_read_head(visitor *v);

/* -1 at the end. */
int visitor_read_byte(visitor *v);

/* Reads until the body has ended or the connection is closed. */
const char *visitor_read_all(visitor *v);

/* Reads one line of the body, an event; NULL when it has ended. */
const char *visitor_read_line(visitor *v);

/* Whether nothing at all has come: the server was asked something meanwhile and has answered. */
bool visitor_is_silent(visitor *v, serving *s);

void visitor_leave(visitor *v);

#endif /* TESTS_UNIT_SERVER_SERVING_H */
