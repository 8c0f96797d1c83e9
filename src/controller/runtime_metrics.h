/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/runtime_metrics.h - the numbers of a controller in a registry.
 *
 * All zero counts nowhere.  Threading: counting is thread-safe, init and fini are confined.
 */
#ifndef KIN_CONTROLLER_RUNTIME_METRICS_H
#define KIN_CONTROLLER_RUNTIME_METRICS_H

#include "base/metrics.h"

/* How a reconcile ended. */
typedef enum kin__runtime_result {
    KIN__RESULT_SUCCESS,
    KIN__RESULT_ERROR,
    KIN__RESULT_REQUEUE,       /* to come again at once */
    KIN__RESULT_REQUEUE_AFTER, /* later */
    KIN__RESULTS
} kin__runtime_result;

typedef struct kin__runtime_metrics {
    kin__counter results[KIN__RESULTS];
    kin__counter errors;
    kin__histogram time;
    kin__gauge active;
    kin__gauge workers;
    uint32_t worker_count; /* that it has added to `workers` */
} kin__runtime_metrics;

/* `registry` may be NULL.  Fails with NO_MEMORY, USAGE; fini is to be called then, too. */
kin_err kin__runtime_metrics_init(kin__runtime_metrics *metrics, kin_metrics *registry,
                                  const char *controller, uint32_t workers,
                                  kin_error *err) KIN_MUST_CHECK;
void kin__runtime_metrics_fini(kin__runtime_metrics *metrics);

/* One has begun, or ended. */
void kin__runtime_metrics_begin(kin__runtime_metrics *metrics);
void kin__runtime_metrics_end(kin__runtime_metrics *metrics, int64_t took_ns);

/* What came of one, also of one that was not called. */
void kin__runtime_metrics_result(kin__runtime_metrics *metrics, kin__runtime_result result);

#endif /* KIN_CONTROLLER_RUNTIME_METRICS_H */
