/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue/queue_metrics.h - the numbers of a queue in a registry, under client-go's names.
 *
 * Queues of the same name count together.
 *
 * Threading: confined, init and fini; counting is the queue's, with its lock held.
 */
#ifndef KIN_QUEUE_QUEUE_METRICS_H
#define KIN_QUEUE_QUEUE_METRICS_H

#include "base/metrics.h"

/* All zero counts nowhere. */
typedef struct kin__queue_metrics {
    bool is_on; /* else no time needs to be told */
    kin__gauge depth;
    kin__counter adds;
    kin__counter retries;
    kin__histogram waited;
    kin__histogram worked;
    kin__gauge unfinished;
    kin__gauge longest;
    /* What the gauges have of this queue. */
    int64_t depth_count;
    int64_t unfinished_ns;
    int64_t longest_ns;
} kin__queue_metrics;

/* `registry` NULL: nothing is wanted.  Fails with NO_MEMORY, USAGE (a name that is no label); then
 * kin__queue_metrics_fini() is still to be called. */
kin_err kin__queue_metrics_init(kin__queue_metrics *metrics, kin_metrics *registry,
                                const char *name, kin_error *err) KIN_MUST_CHECK;
void kin__queue_metrics_fini(kin__queue_metrics *metrics);

/* A key came to wait, at once or when its worker is done. */
void kin__queue_metrics_add(kin__queue_metrics *metrics);
/* It was to come later, or again after a failure. */
void kin__queue_metrics_retry(kin__queue_metrics *metrics);
void kin__queue_metrics_take(kin__queue_metrics *metrics, int64_t waited_ns);
void kin__queue_metrics_drop(kin__queue_metrics *metrics);
void kin__queue_metrics_done(kin__queue_metrics *metrics, int64_t worked_ns);

/* How long keys have been with workers: all together, and the longest. */
void kin__queue_metrics_times(kin__queue_metrics *metrics, int64_t unfinished_ns,
                              int64_t longest_ns);

#endif /* KIN_QUEUE_QUEUE_METRICS_H */
