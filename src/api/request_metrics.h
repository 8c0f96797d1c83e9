/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/request_metrics.h - the numbers of a client's requests, in a registry.
 *
 * A series for a verb and a code is made when the first such answer comes; when there is no memory
 * for it that answer is not counted.  Clients with the same registry count together.
 *
 * Threading: confined.
 */
#ifndef KIN_API_REQUEST_METRICS_H
#define KIN_API_REQUEST_METRICS_H

#include "base/metrics.h"

#define KIN__REQUEST_VERBS 6
#define KIN__REQUEST_CODES 18

/* All zero: nothing is counted. */
typedef struct kin__request_metrics {
    kin_metrics *registry; /* NULL: none; kept by the series that are there from the beginning */
    kin__gauge under_way;
    kin__histogram seconds;
    kin__counter counters[KIN__REQUEST_VERBS][KIN__REQUEST_CODES];
} kin__request_metrics;

/* `registry` NULL: nothing is wanted.  Fails with NO_MEMORY; then kin__request_metrics_fini() is
 * still to be called. */
kin_err kin__request_metrics_init(kin__request_metrics *metrics, kin_metrics *registry,
                                  kin_error *err) KIN_MUST_CHECK;
void kin__request_metrics_fini(kin__request_metrics *metrics);

/* A request goes out; and it ends. */
void kin__request_metrics_begin(kin__request_metrics *metrics);
void kin__request_metrics_end(kin__request_metrics *metrics);

/* It was answered, after so long; `http_status` 0: it was not. */
void kin__request_metrics_answer(kin__request_metrics *metrics, const char *method, bool is_watch,
                                 int http_status, int64_t took_ms);

#endif /* KIN_API_REQUEST_METRICS_H */
