/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/recorder_metrics.h - the numbers of a recorder in a registry.
 *
 * Recorders of the same controller count together.
 *
 * Threading: confined, init and fini; counting is thread-safe.
 */
#ifndef KIN_CONTROLLER_RECORDER_METRICS_H
#define KIN_CONTROLLER_RECORDER_METRICS_H

#include "base/metrics.h"

typedef enum kin__recorder_result {
    KIN__RECORDER_CREATED,
    KIN__RECORDER_REPEATED,
    KIN__RECORDER_MERGED,
    KIN__RECORDER_LIMITED,
    KIN__RECORDER_DROPPED,
    KIN__RECORDER_RESULTS
} kin__recorder_result;

/* All zero counts nowhere. */
typedef struct kin__recorder_metrics {
    kin__counter results[KIN__RECORDER_RESULTS];
    kin__gauge waiting;
    int64_t waiting_count; /* what the gauge has of this recorder */
} kin__recorder_metrics;

/* `registry` NULL: nothing is wanted.  Fails with NO_MEMORY, USAGE; then
 * kin__recorder_metrics_fini() is still to be called. */
kin_err kin__recorder_metrics_init(kin__recorder_metrics *metrics, kin_metrics *registry,
                                   const char *controller, kin_error *err) KIN_MUST_CHECK;
void kin__recorder_metrics_fini(kin__recorder_metrics *metrics);

void kin__recorder_metrics_count(kin__recorder_metrics *metrics, kin__recorder_result result);

/* Confined. */
void kin__recorder_metrics_wait(kin__recorder_metrics *metrics, size_t waiting);

#endif /* KIN_CONTROLLER_RECORDER_METRICS_H */
