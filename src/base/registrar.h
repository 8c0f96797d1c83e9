/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/registrar.h - several metrics of one thing, entered into a registry one after the other.
 *
 *     kin__registrar r = { .registry = registry, .labels = &label, .label_count = 1, .err = err };
 *     kin__registrar_add_gauge(&r, &waiting, KIN__UNIT_ONE, "kin_waiting", "Those that wait.");
 *     kin__registrar_add_counter(&r, &told, "kin_told_total", "Those that were told.");
 *     return r.code;
 *
 * The first failure stays: what comes after it is not tried, and not touched.
 */
#ifndef KIN_BASE_REGISTRAR_H
#define KIN_BASE_REGISTRAR_H

#include "base/metrics.h"

/* May be changed between two calls; all borrowed. */
typedef struct kin__registrar {
    kin_metrics *registry; /* NULL: what is added counts nowhere */
    const kin__label *labels;
    size_t label_count;
    const int64_t *bounds; /* of histograms, in nanoseconds */
    size_t bound_count;
    kin_error *err;
    kin_err code; /* KIN_OK: nothing has failed */
} kin__registrar;

/* They fail as kin__counter_init() and its like do. */
void kin__registrar_add_counter(kin__registrar *r, kin__counter *counter, const char *name,
                                const char *help);
void kin__registrar_add_gauge(kin__registrar *r, kin__gauge *gauge, kin__unit unit,
                              const char *name, const char *help);

/* Of durations. */
void kin__registrar_add_histogram(kin__registrar *r, kin__histogram *histogram, const char *name,
                                  const char *help);

#endif /* KIN_BASE_REGISTRAR_H */
