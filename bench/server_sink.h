/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_sink.h - a process of its own that reads what sockets bring and throws it away.
 *
 * The client of a server that is measured, whose own time is not to count.  What goes wrong ends
 * the program.
 */
#ifndef KIN_BENCH_SERVER_SINK_H
#define KIN_BENCH_SERVER_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "server_child.h"

typedef bench_child bench_sink;

#define BENCH_SINK_REQUEST 256

/* Forks: before there are threads, and before there is memory that others share then. */
bench_sink bench_sink_start(void);
void bench_sink_stop(bench_sink *sink);

typedef struct bench_taken {
    uint64_t bytes;
    double first_s; /* from the request to the first byte of an answer */
    double all_s;   /* and to the end of the connection */
} bench_taken;

/* One connection to 127.0.0.1: sends `request`, which asks for the connection to be closed, and
 * reads to its end.  Between the two a bare writer may accept it. */
void bench_sink_begin(const bench_sink *sink, uint16_t port, const char *request);
bench_taken bench_sink_end(const bench_sink *sink);

/* Connections that stay open and are read from.  Returns when each has had the beginning of an
 * answer; where `request` is empty, when all are connected. */
void bench_sink_open(const bench_sink *sink, uint16_t port, size_t count, const char *request);

/* What they have brought since they were opened. */
uint64_t bench_sink_bytes(const bench_sink *sink);
void bench_sink_close(const bench_sink *sink);

#endif /* KIN_BENCH_SERVER_SINK_H */
