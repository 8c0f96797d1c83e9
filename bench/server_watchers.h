/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_watchers.h - a process of its own in which the library's client has many watches open.
 */
#ifndef KIN_BENCH_SERVER_WATCHERS_H
#define KIN_BENCH_SERVER_WATCHERS_H

#include <stddef.h>

#include "server_child.h"

typedef bench_child bench_watchers;

/* Forks: before there are threads, and before there is memory that others share then. */
bench_watchers bench_watchers_start(void);
void bench_watchers_stop(bench_watchers *watching);

/* Opens that many watches on all pods, once; returns when the server has accepted them. */
void bench_watchers_open(const bench_watchers *watching, const char *kubeconfig, size_t count);

/* How many changes they were told of, over all of them. */
size_t bench_watchers_told(const bench_watchers *watching);

#endif /* KIN_BENCH_SERVER_WATCHERS_H */
