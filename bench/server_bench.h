/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_bench.h - what the figures of the embedded server share.
 */
#ifndef KIN_BENCH_SERVER_BENCH_H
#define KIN_BENCH_SERVER_BENCH_H

#include "kin/testing/server.h"
#include "server_pods.h"

/* Holding and listing 100,000 pods. */
void bench_server_lists(void);

/* 500 watches. */
void bench_server_watches(const bench_single_pods *single);

/* From a write to an informer's handler; and from the start to the first answer. */
void bench_server_delays(const bench_single_pods *single);
void bench_server_starts(void);

/* A server with TLS or, plain, HTTP/1.1 for everybody.  What fails ends the program. */
kin_server *bench_server_start(bool is_plain);
uint16_t bench_server_port(const kin_server *server);
void bench_must(kin_err code, const kin_error *err);

double bench_wall_s(void);
double bench_process_s(void); /* the processor's time of this process, all threads */
void bench_sleep_until(double wall_s);

/* Sorts; then the value that `part` of them are below. */
double bench_quantile(double *values, size_t count, double part);

/* A bare server on a free port of 127.0.0.1. */
int bench_listen(uint16_t *out_port);

#endif /* KIN_BENCH_SERVER_BENCH_H */
