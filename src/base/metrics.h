/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/metrics.h - counting into a kin_metrics.
 *
 * A family is a name with its help and its type; a series is a family with particular labels.
 * The structs below are embedded where something is counted, and each holds one reference to a
 * series: two that are called the same count into the same series.  It is part of the output
 * until the last of them is gone.
 *
 * All zero counts nowhere, and init without a registry (`metrics` NULL) leaves it at that: nobody
 * who counts has to ask whether the numbers are wanted.
 *
 * Durations are counted in nanoseconds and written in seconds (KIN__UNIT_SECONDS).
 *
 * Threading: counting is thread-safe, one relaxed atomic addition without a lock; init and fini
 * of one struct are confined.
 */
#ifndef KIN_BASE_METRICS_H
#define KIN_BASE_METRICS_H

#include "base/list.h"
#include "kin/metrics.h"

typedef enum kin__unit {
    KIN__UNIT_ONE = 0,    /* written as it was counted */
    KIN__UNIT_SECONDS = 1 /* counted in nanoseconds */
} kin__unit;

typedef struct kin__label {
    const char *name;  /* [a-zA-Z_][a-zA-Z0-9_]*, not beginning with "__"; "le" in no histogram */
    const char *value; /* UTF-8 */
} kin__label;

#define KIN__LABELS_MAX 8

/* What a series is called; all borrowed for the call. */
typedef struct kin__metric {
    const char *name; /* [a-zA-Z_:][a-zA-Z0-9_:]* */
    const char *help; /* UTF-8; the first to name a family decides */
    kin__unit unit;
    const kin__label *labels; /* in any order; no name twice */
    size_t label_count;
    const int64_t *bounds; /* histograms: the largest value of each bucket but the last, rising */
    size_t bound_count;
} kin__metric;

typedef struct kin__series kin__series;

/* Only goes up.  Names end in "_total". */
typedef struct kin__counter {
    kin__series *series; /* reference */
} kin__counter;

/* Goes up and down. */
typedef struct kin__gauge {
    kin__series *series; /* reference */
} kin__gauge;

/* How many values lie where. */
typedef struct kin__histogram {
    kin__series *series; /* reference */
} kin__histogram;

/*
 * The three init functions fail with NO_MEMORY and with USAGE: names, labels or bounds that break
 * the rules above, or a family that exists with another type, unit or bounds.
 */
kin_err kin__counter_init(kin__counter *counter, kin_metrics *metrics, const kin__metric *metric,
                          kin_error *err) KIN_MUST_CHECK;
void kin__counter_fini(kin__counter *counter);
void kin__counter_add(kin__counter *counter, uint64_t more);

kin_err kin__gauge_init(kin__gauge *gauge, kin_metrics *metrics, const kin__metric *metric,
                        kin_error *err) KIN_MUST_CHECK;
void kin__gauge_fini(kin__gauge *gauge);
void kin__gauge_set(kin__gauge *gauge, int64_t value);
void kin__gauge_add(kin__gauge *gauge, int64_t more);

kin_err kin__histogram_init(kin__histogram *histogram, kin_metrics *metrics,
                            const kin__metric *metric, kin_error *err) KIN_MUST_CHECK;
void kin__histogram_fini(kin__histogram *histogram);

/* A negative value counts as 0. */
void kin__histogram_observe(kin__histogram *histogram, int64_t value);

/*
 * Brings gauges up to date whenever the registry is read: for what changes while nobody counts, as
 * how long something has been going on.  All zero does nothing, as one without a registry.
 *
 * `refresh` runs with the registry locked: it counts, and may take a lock under which nobody calls
 * an init or fini of this header.
 */
typedef struct kin__refresher {
    kin__link link;       /* in the registry */
    kin_metrics *metrics; /* borrowed: whoever refreshes has a series in it */
    void (*refresh)(void *context);
    void *context;
} kin__refresher;

/* Does not move until fini, which is called before that of its last series and never from
 * `refresh`; `refresh` is not running afterwards. */
void kin__refresher_init(kin__refresher *refresher, kin_metrics *metrics,
                         void (*refresh)(void *context), void *context);
void kin__refresher_fini(kin__refresher *refresher);

#endif /* KIN_BASE_METRICS_H */
