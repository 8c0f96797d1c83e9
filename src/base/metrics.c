/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.c - the registry of families, and counting into their series.
 *
 *     kin_metrics -- families by name -- series by labels -- numbers
 *
 * Locking: `lock` guards the registry, its families, and the reference counts of their series.
 * The numbers are atomics of their own, all relaxed: each is read by itself, nothing else
 * depends on them, and a text shows each as it was at some moment of its writing.
 */
#include "base/metrics.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/series.h"

struct kin_metrics {
    kin__mutex lock;
    kin__family *families GUARDED_BY(lock); /* owned, the first; each has at least one series */
    kin__list refreshers GUARDED_BY(lock);
    bool is_freed GUARDED_BY(lock); /* the last series takes the registry with it */
};

static kin_err series_init(kin__series **out, kin_metrics *metrics, const kin__metric *metric,
                           kin__series_type type, kin_error *err);
static void series_fini(kin__series **series);
static kin_err add_series_locked(kin__series **out, kin_metrics *metrics, const kin__metric *metric,
                                 kin__series_type type, const char *labels, kin_error *err)
    REQUIRES(metrics->lock);
static void remove_if_empty_locked(kin_metrics *metrics, kin__family *family)
    REQUIRES(metrics->lock);
static kin__family **place_of_locked(kin_metrics *metrics, const char *name)
    REQUIRES(metrics->lock);
static void refresh_locked(kin_metrics *metrics) REQUIRES(metrics->lock);
static bool is_done_locked(const kin_metrics *metrics) REQUIRES(metrics->lock);
static void release(kin_metrics *metrics);
static void count(kin__series *series, size_t index, uint64_t more);

kin_err kin_metrics_new(kin_metrics **out, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);

    kin_metrics *metrics = kin__alloc_zero(1, sizeof *metrics);
    if (metrics == NULL) {
        return kin__error_no_memory(err);
    }
    kin__mutex_init(&metrics->lock);
    *out = metrics;
    return KIN_OK;
}

void kin_metrics_free(kin_metrics *metrics)
{
    if (metrics == NULL) {
        return;
    }
    kin__mutex_lock(&metrics->lock);
    metrics->is_freed = true;
    bool is_done = is_done_locked(metrics);
    kin__mutex_unlock(&metrics->lock);
    if (is_done) {
        release(metrics);
    }
}

kin_err kin_metrics_text(kin_metrics *metrics, char **out, size_t *out_len, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    kin__mutex_lock(&metrics->lock);
    refresh_locked(metrics);
    for (const kin__family *family = metrics->families; family != NULL; family = family->next) {
        kin__family_write(family, &buf);
    }
    kin__mutex_unlock(&metrics->lock);
    if (kin__buf_take(&buf, out, out_len, err) != KIN_OK) {
        return kin__error_prefix(err, "write the metrics");
    }
    return KIN_OK;
}

kin_err kin__counter_init(kin__counter *counter, kin_metrics *metrics, const kin__metric *metric,
                          kin_error *err)
{
    return series_init(&counter->series, metrics, metric, KIN__SERIES_COUNTER, err);
}

void kin__counter_fini(kin__counter *counter)
{
    series_fini(&counter->series);
}

void kin__counter_add(kin__counter *counter, uint64_t more)
{
    count(counter->series, 0, more);
}

kin_err kin__gauge_init(kin__gauge *gauge, kin_metrics *metrics, const kin__metric *metric,
                        kin_error *err)
{
    return series_init(&gauge->series, metrics, metric, KIN__SERIES_GAUGE, err);
}

void kin__gauge_fini(kin__gauge *gauge)
{
    series_fini(&gauge->series);
}

void kin__gauge_set(kin__gauge *gauge, int64_t value)
{
    if (gauge->series != NULL) {
        atomic_store_explicit(&gauge->series->numbers[0], (uint64_t) value, memory_order_relaxed);
    }
}

void kin__gauge_add(kin__gauge *gauge, int64_t more)
{
    count(gauge->series, 0, (uint64_t) more);
}

kin_err kin__histogram_init(kin__histogram *histogram, kin_metrics *metrics,
                            const kin__metric *metric, kin_error *err)
{
    return series_init(&histogram->series, metrics, metric, KIN__SERIES_HISTOGRAM, err);
}

void kin__histogram_fini(kin__histogram *histogram)
{
    series_fini(&histogram->series);
}

void kin__histogram_observe(kin__histogram *histogram, int64_t value)
{
    if (histogram->series == NULL) {
        return;
    }
    const kin__family *family = histogram->series->family;
    int64_t counted = value < 0 ? 0 : value;
    size_t bucket = 0;
    while (bucket < family->bound_count && counted > family->bounds[bucket]) {
        bucket++;
    }
    count(histogram->series, bucket, 1);
    count(histogram->series, family->bound_count + 1, (uint64_t) counted);
}

void kin__refresher_init(kin__refresher *refresher, kin_metrics *metrics,
                         void (*refresh)(void *context), void *context)
{
    *refresher = (kin__refresher){ .metrics = metrics, .refresh = refresh, .context = context };
    if (metrics != NULL) {
        kin__mutex_lock(&metrics->lock);
        kin__list_push(&metrics->refreshers, &refresher->link);
        kin__mutex_unlock(&metrics->lock);
    }
}

void kin__refresher_fini(kin__refresher *refresher)
{
    kin_metrics *metrics = refresher->metrics;

    if (metrics != NULL) {
        kin__mutex_lock(&metrics->lock);
        kin__list_remove(&refresher->link);
        kin__mutex_unlock(&metrics->lock);
        refresher->metrics = NULL;
    }
}

static void refresh_locked(kin_metrics *metrics)
{
    const kin__list *all = &metrics->refreshers;

    for (kin__link *l = kin__list_first(all); l != NULL; l = kin__list_next(all, l)) {
        kin__refresher *refresher = KIN__OWNER(l, kin__refresher, link);
        refresher->refresh(refresher->context);
    }
}

static kin_err series_init(kin__series **out, kin_metrics *metrics, const kin__metric *metric,
                           kin__series_type type, kin_error *err)
{
    if (metrics == NULL) {
        *out = NULL;
        return KIN_OK;
    }
    if (kin__series_check(metric, type, err) != KIN_OK) {
        return kin__error_prefix(err, "metric %s", metric->name);
    }
    char *labels = NULL;
    if (kin__series_labels(metric, &labels, err) != KIN_OK) {
        return kin__error_prefix(err, "metric %s", metric->name);
    }
    kin__mutex_lock(&metrics->lock);
    kin_err code = add_series_locked(out, metrics, metric, type, labels, err);
    kin__mutex_unlock(&metrics->lock);
    kin__free(labels);
    return code == KIN_OK ? KIN_OK : kin__error_prefix(err, "metric %s", metric->name);
}

static void series_fini(kin__series **series)
{
    if (*series == NULL) {
        return;
    }
    kin__family *family = (*series)->family;
    kin_metrics *metrics = family->metrics;

    kin__mutex_lock(&metrics->lock);
    kin__family_unref_series(family, *series);
    remove_if_empty_locked(metrics, family);
    bool is_done = is_done_locked(metrics);
    kin__mutex_unlock(&metrics->lock);
    if (is_done) {
        release(metrics);
    }
    *series = NULL;
}

static kin_err add_series_locked(kin__series **out, kin_metrics *metrics, const kin__metric *metric,
                                 kin__series_type type, const char *labels, kin_error *err)
{
    kin__family **place = place_of_locked(metrics, metric->name);
    kin__family *family = *place;
    if (family == NULL || strcmp(family->name, metric->name) != 0) {
        family = kin__family_new(metrics, metric, type);
        if (family == NULL) {
            return kin__error_no_memory(err);
        }
        family->next = *place;
        *place = family;
    } else if (!kin__family_fits(family, metric, type)) {
        return kin__error_set(err, KIN_ERR_USAGE, "exists with another type, unit or bounds");
    }

    kin__series *series = kin__family_ref_series(family, labels);
    if (series == NULL) {
        remove_if_empty_locked(metrics, family);
        return kin__error_no_memory(err);
    }
    *out = series;
    return KIN_OK;
}

static void remove_if_empty_locked(kin_metrics *metrics, kin__family *family)
{
    if (family->series == NULL) {
        *place_of_locked(metrics, family->name) = family->next;
        kin__family_free(family);
    }
}

/* Where the family of that name hangs, or would. */
static kin__family **place_of_locked(kin_metrics *metrics, const char *name)
{
    kin__family **place = &metrics->families;
    while (*place != NULL && strcmp((*place)->name, name) < 0) {
        place = &(*place)->next;
    }
    return place;
}

static bool is_done_locked(const kin_metrics *metrics)
{
    return metrics->is_freed && metrics->families == NULL;
}

static void release(kin_metrics *metrics)
{
    kin__mutex_fini(&metrics->lock);
    kin__free(metrics);
}

static void count(kin__series *series, size_t index, uint64_t more)
{
    if (series != NULL) {
        atomic_fetch_add_explicit(&series->numbers[index], more, memory_order_relaxed);
    }
}
