/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/series.h - a family of series: its rules, its numbers, its text.
 *
 * The inside of base/metrics.h, which holds the families of a registry and their lock.
 *
 * Threading: confined, save for the numbers, which are atomics of their own.
 */
#ifndef KIN_BASE_SERIES_H
#define KIN_BASE_SERIES_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/metrics.h"

typedef enum kin__series_type {
    KIN__SERIES_COUNTER,
    KIN__SERIES_GAUGE,
    KIN__SERIES_HISTOGRAM
} kin__series_type;

typedef struct kin__family {
    kin_metrics *metrics;     /* borrowed: the registry it is in */
    struct kin__family *next; /* by name, no name twice */
    char *name;               /* owned, as all below */
    char *help;
    kin__series_type type;
    kin__unit unit;
    int64_t *bounds;
    size_t bound_count;
    kin__series *series; /* the first; by labels, none twice */
} kin__family;

struct kin__series {
    struct kin__series *next;
    char *labels; /* owned: as they are written, without braces, sorted by name */
    kin__family *family;
    size_t ref_count;
    /* The one number of a counter, or of a gauge as two's complement.  Of a histogram, how many
     * values fell into each bucket, the one without a bound last, and then their sum. */
    _Atomic uint64_t numbers[];
};

/* Fails with USAGE when the metric breaks a rule of base/metrics.h. */
kin_err kin__series_check(const kin__metric *metric, kin__series_type type,
                          kin_error *err) KIN_MUST_CHECK;

/* The labels as they are written, which no two sets of labels share; release with kin__free(). */
kin_err kin__series_labels(const kin__metric *metric, char **out, kin_error *err) KIN_MUST_CHECK;

/* Without series; NULL when there is no memory.  The metric was checked. */
kin__family *kin__family_new(kin_metrics *metrics, const kin__metric *metric,
                             kin__series_type type);

/* It has no series any more.  NULL is ignored. */
void kin__family_free(kin__family *family);
KIN__DEFINE_AUTO(kin__family, kin__family_free)

/* Whether a series of that type, unit and bounds fits in. */
bool kin__family_fits(const kin__family *family, const kin__metric *metric, kin__series_type type);

/* The series with these labels and one more reference; made when it does not exist.  NULL when
 * there is no memory. */
kin__series *kin__family_ref_series(kin__family *family, const char *labels);

/* Gives one reference back; with the last one the series is gone. */
void kin__family_unref_series(kin__family *family, kin__series *series);

/* Head and samples; series in their order. */
void kin__family_write(const kin__family *family, kin__buf *buf);

#endif /* KIN_BASE_SERIES_H */
