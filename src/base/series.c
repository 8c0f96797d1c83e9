/* SPDX-License-Identifier: Apache-2.0 */
/*
 * series.c - a family of series: its rules, its numbers, its text.
 *
 * The lists are sorted by insertion: there are few families, and rarely more than a hundred
 * series in one, so a walk is cheap and the text needs no sorting.
 */
#include "base/series.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/prometheus.h"
#include "base/str.h"
#include "base/utf8.h"

static kin_err check_label(const kin__label *label, kin__series_type type, kin_error *err);
static kin_err check_bounds(const kin__metric *metric, kin__series_type type, kin_error *err);
static bool has_twice(const kin__metric *metric, size_t index);
static char *copy_of(const void *bytes, size_t size);
static kin__series *series_new(kin__family *family, const char *labels);
static kin__series **place_of(kin__family *family, const char *labels);
static void write_histogram(const kin__series *series, kin__buf *buf);
static void write_bucket(const kin__series *series, size_t index, uint64_t count, kin__buf *buf);
static void write_plain(const kin__series *series, kin__buf *buf);
static void write_name(const kin__series *series, const char *suffix, kin__buf *buf);
static void write_number(kin__unit unit, bool is_negative, uint64_t number, kin__buf *buf);
static uint64_t number_at(const kin__series *series, size_t index);

kin_err kin__series_check(const kin__metric *metric, kin__series_type type, kin_error *err)
{
    if (!kin__prometheus_is_metric_name(metric->name)) {
        return kin__error_set(err, KIN_ERR_USAGE, "\"%s\" is no name for a metric", metric->name);
    }
    if (!kin__utf8_is_valid(kin_str_of(metric->help))) {
        return kin__error_set(err, KIN_ERR_USAGE, "the help is no UTF-8");
    }
    if (metric->label_count > KIN__LABELS_MAX) {
        return kin__error_set(err, KIN_ERR_USAGE, "more than %d labels", KIN__LABELS_MAX);
    }
    for (size_t i = 0; i < metric->label_count; i++) {
        if (check_label(&metric->labels[i], type, err) != KIN_OK) {
            return err->code;
        }
        if (has_twice(metric, i)) {
            return kin__error_set(err, KIN_ERR_USAGE, "label \"%s\" is given twice",
                                  metric->labels[i].name);
        }
    }
    return check_bounds(metric, type, err);
}

kin_err kin__series_labels(const kin__metric *metric, char **out, kin_error *err)
{
    kin__label sorted[KIN__LABELS_MAX];
    for (size_t i = 0; i < metric->label_count; i++) {
        size_t place = i;
        for (; place > 0 && strcmp(metric->labels[i].name, sorted[place - 1].name) < 0; place--) {
            sorted[place] = sorted[place - 1];
        }
        sorted[place] = metric->labels[i];
    }

    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    for (size_t i = 0; i < metric->label_count; i++) {
        if (i > 0) {
            kin__buf_append_byte(&buf, ',');
        }
        kin__prometheus_append_label(&buf, sorted[i].name, sorted[i].value);
    }
    size_t len;
    return kin__buf_take(&buf, out, &len, err);
}

kin__family *kin__family_new(kin_metrics *metrics, const kin__metric *metric, kin__series_type type)
{
    AUTO(kin__family_free) kin__family *family = kin__alloc_zero(1, sizeof *family);
    if (family == NULL) {
        return NULL;
    }
    family->metrics = metrics;
    family->type = type;
    family->unit = metric->unit;
    family->bound_count = metric->bound_count;
    family->name = copy_of(metric->name, strlen(metric->name) + 1);
    family->help = copy_of(metric->help, strlen(metric->help) + 1);
    family->bounds = (int64_t *) copy_of(metric->bounds, metric->bound_count * sizeof(int64_t));
    if (family->name == NULL || family->help == NULL || family->bounds == NULL) {
        return NULL;
    }
    return STEAL(family);
}

void kin__family_free(kin__family *family)
{
    if (family == NULL) {
        return;
    }
    kin__free(family->name);
    kin__free(family->help);
    kin__free(family->bounds);
    kin__free(family);
}

bool kin__family_fits(const kin__family *family, const kin__metric *metric, kin__series_type type)
{
    if (family->type != type || family->unit != metric->unit ||
        family->bound_count != metric->bound_count) {
        return false;
    }
    for (size_t i = 0; i < family->bound_count; i++) {
        if (family->bounds[i] != metric->bounds[i]) {
            return false;
        }
    }
    return true;
}

kin__series *kin__family_ref_series(kin__family *family, const char *labels)
{
    kin__series **place = place_of(family, labels);
    kin__series *series = *place;
    if (series == NULL || strcmp(series->labels, labels) != 0) {
        series = series_new(family, labels);
        if (series == NULL) {
            return NULL;
        }
        series->next = *place;
        *place = series;
    }
    series->ref_count++;
    return series;
}

void kin__family_unref_series(kin__family *family, kin__series *series)
{
    if (--series->ref_count > 0) {
        return;
    }
    *place_of(family, series->labels) = series->next;
    kin__free(series->labels);
    kin__free(series);
}

void kin__family_write(const kin__family *family, kin__buf *buf)
{
    static const char *const type_names[] = {
        [KIN__SERIES_COUNTER] = "counter",
        [KIN__SERIES_GAUGE] = "gauge",
        [KIN__SERIES_HISTOGRAM] = "histogram",
    };

    kin__prometheus_append_head(buf, family->name, type_names[family->type], family->help);
    for (const kin__series *series = family->series; series != NULL; series = series->next) {
        if (family->type == KIN__SERIES_HISTOGRAM) {
            write_histogram(series, buf);
        } else {
            write_plain(series, buf);
        }
    }
}

static kin_err check_label(const kin__label *label, kin__series_type type, kin_error *err)
{
    if (!kin__prometheus_is_label_name(label->name)) {
        return kin__error_set(err, KIN_ERR_USAGE, "\"%s\" is no name for a label", label->name);
    }
    if (type == KIN__SERIES_HISTOGRAM && strcmp(label->name, "le") == 0) {
        return kin__error_set(err, KIN_ERR_USAGE, "label \"le\" belongs to the buckets");
    }
    if (!kin__utf8_is_valid(kin_str_of(label->value))) {
        return kin__error_set(err, KIN_ERR_USAGE, "label \"%s\": the value is no UTF-8",
                              label->name);
    }
    return KIN_OK;
}

static kin_err check_bounds(const kin__metric *metric, kin__series_type type, kin_error *err)
{
    if ((metric->bound_count != 0) != (type == KIN__SERIES_HISTOGRAM)) {
        return kin__error_set(err, KIN_ERR_USAGE, "bounds are for histograms, which have some");
    }
    for (size_t i = 0; i < metric->bound_count; i++) {
        if (metric->bounds[i] <= (i == 0 ? -1 : metric->bounds[i - 1])) {
            return kin__error_set(err, KIN_ERR_USAGE, "the bounds do not rise from 0 or more");
        }
    }
    return KIN_OK;
}

static bool has_twice(const kin__metric *metric, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(metric->labels[i].name, metric->labels[index].name) == 0) {
            return true;
        }
    }
    return false;
}

static char *copy_of(const void *bytes, size_t size)
{
    char *copy = kin__alloc(size);
    if (copy != NULL && size != 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

static kin__series *series_new(kin__family *family, const char *labels)
{
    size_t number_count = family->type == KIN__SERIES_HISTOGRAM ? family->bound_count + 2 : 1;
    kin__series *series =
        kin__alloc_zero(1, sizeof *series + number_count * sizeof series->numbers[0]);
    char *copy = copy_of(labels, strlen(labels) + 1);
    if (series == NULL || copy == NULL) {
        kin__free(series);
        kin__free(copy);
        return NULL;
    }
    series->labels = copy;
    series->family = family;
    for (size_t i = 0; i < number_count; i++) {
        atomic_init(&series->numbers[i], 0);
    }
    return series;
}

/* Where the series with these labels hangs, or would. */
static kin__series **place_of(kin__family *family, const char *labels)
{
    kin__series **place = &family->series;
    while (*place != NULL && strcmp((*place)->labels, labels) < 0) {
        place = &(*place)->next;
    }
    return place;
}

/* The count is the sum of the buckets as they were read, so that the two always agree. */
static void write_histogram(const kin__series *series, kin__buf *buf)
{
    size_t bound_count = series->family->bound_count;
    uint64_t count = 0;

    for (size_t i = 0; i <= bound_count; i++) {
        count += number_at(series, i);
        write_bucket(series, i, count, buf);
    }
    write_name(series, "_sum", buf);
    write_number(series->family->unit, false, number_at(series, bound_count + 1), buf);
    kin__buf_append_byte(buf, '\n');
    write_name(series, "_count", buf);
    kin__buf_append_format(buf, "%" PRIu64 "\n", count);
}

static void write_bucket(const kin__series *series, size_t index, uint64_t count, kin__buf *buf)
{
    const kin__family *family = series->family;

    kin__buf_append_format(buf, "%s_bucket{%s%sle=\"", family->name, series->labels,
                           series->labels[0] == '\0' ? "" : ",");
    if (index == family->bound_count) {
        kin__buf_append_str(buf, STR("+Inf"));
    } else {
        write_number(family->unit, false, (uint64_t) family->bounds[index], buf);
    }
    kin__buf_append_format(buf, "\"} %" PRIu64 "\n", count);
}

static void write_plain(const kin__series *series, kin__buf *buf)
{
    uint64_t number = number_at(series, 0);
    bool is_negative = series->family->type == KIN__SERIES_GAUGE && number > INT64_MAX;

    write_name(series, "", buf);
    write_number(series->family->unit, is_negative, is_negative ? 0 - number : number, buf);
    kin__buf_append_byte(buf, '\n');
}

static void write_name(const kin__series *series, const char *suffix, kin__buf *buf)
{
    bool has_labels = series->labels[0] != '\0';
    kin__buf_append_format(buf, "%s%s%s%s%s ", series->family->name, suffix, has_labels ? "{" : "",
                           series->labels, has_labels ? "}" : "");
}

static void write_number(kin__unit unit, bool is_negative, uint64_t number, kin__buf *buf)
{
    if (unit == KIN__UNIT_SECONDS) {
        kin__prometheus_append_seconds(buf, is_negative, number);
    } else {
        kin__buf_append_format(buf, "%s%" PRIu64, is_negative ? "-" : "", number);
    }
}

/* Relaxed, as all counting: each number is read by itself and nothing else depends on it. */
static uint64_t number_at(const kin__series *series, size_t index)
{
    return atomic_load_explicit(&series->numbers[index], memory_order_relaxed);
}
