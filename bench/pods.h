/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pods.h - a large, realistic list of pods to measure with.
 *
 * One PodList document in compact JSON, with managedFields, in the form and order in which an API
 * server writes it.  The same seed always gives the same bytes.
 */
#ifndef KIN_BENCH_PODS_H
#define KIN_BENCH_PODS_H

#include "base/buf.h"

typedef struct bench_pods {
    kin__buf document; /* followed by BENCH_PADDING bytes that may be read */
    size_t count;
    double bytes_each; /* on average, the comma not counted */
} bench_pods;

/* As many bytes as any of the parsers wants to find after a document. */
#define BENCH_PADDING 64

/* Writes pods until the document has at least `bytes` bytes.  False when there is no memory. */
bool bench_pods_init(bench_pods *pods, size_t bytes, uint64_t seed);
void bench_pods_fini(bench_pods *pods);

#endif /* KIN_BENCH_PODS_H */
