/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_pods.h - single pods of the list, to be written and changed one by one.
 */
#ifndef KIN_BENCH_SERVER_PODS_H
#define KIN_BENCH_SERVER_PODS_H

#include "pods.h"

#define BENCH_SINGLE_PODS 1000

/* Each as a list has it, without kind and apiVersion; borrowed from the list. */
typedef struct bench_single_pods {
    kin_str texts[BENCH_SINGLE_PODS];
} bench_single_pods;

void bench_single_pods_init(bench_single_pods *single, const bench_pods *pods);

/* The annotation that says when the change was made: an int64_t as the caller gives it. */
#define BENCH_MARK "bench/mark"

/* A whole pod with that annotation; in `scratch` until the next call. */
kin_str bench_marked_pod(const bench_single_pods *single, size_t number, int64_t mark,
                         kin__buf *scratch);

#endif /* KIN_BENCH_SERVER_PODS_H */
