/* SPDX-License-Identifier: Apache-2.0 */
/*
 * series_test.c - which series there may be, and what they are called.
 */
#include "base/series.h"

#include "base/alloc.h"
#include "support/test.h"

static const int64_t bounds[] = { 0, 10, 20 };

static kin__metric metric_with(const kin__label *labels, size_t count)
{
    return (kin__metric){ .name = "m", .help = "Help.", .labels = labels, .label_count = count };
}

static kin__metric histogram_with(const int64_t *its_bounds, size_t count)
{
    return (
        kin__metric){ .name = "m", .help = "Help.", .bounds = its_bounds, .bound_count = count };
}

/* That `metric` is refused, and why. */
#define ASSERT_REFUSED(metric, type, message)                                                      \
    do {                                                                                           \
        kin_error refused_err;                                                                     \
        ASSERT_ERR(kin__series_check(&(metric), (type), &refused_err), KIN_ERR_USAGE);             \
        ASSERT_MESSAGE(&refused_err, (message));                                                   \
    } while (0)

TEST(series, needs_a_proper_name)
{
    kin__metric metric = { .name = "a-b", .help = "Help." };

    ASSERT_REFUSED(metric, KIN__SERIES_COUNTER, "\"a-b\" is no name for a metric");
}

TEST(series, needs_help_in_utf8)
{
    kin__metric metric = { .name = "a", .help = "\xff" };

    ASSERT_REFUSED(metric, KIN__SERIES_COUNTER, "the help is no UTF-8");
}

TEST(series, needs_proper_labels)
{
    kin__label bad_name[] = { { "ok", "" }, { "a-b", "" } };
    kin__label bad_value[] = { { "a", "\xc3" } };
    kin__label twice[] = { { "a", "1" }, { "b", "2" }, { "a", "3" } };
    kin__label many[KIN__LABELS_MAX + 1] = { { "a", "" } };
    kin__metric metric;

    metric = metric_with(bad_name, 2);
    ASSERT_REFUSED(metric, KIN__SERIES_COUNTER, "\"a-b\" is no name for a label");
    metric = metric_with(bad_value, 1);
    ASSERT_REFUSED(metric, KIN__SERIES_GAUGE, "label \"a\": the value is no UTF-8");
    metric = metric_with(twice, 3);
    ASSERT_REFUSED(metric, KIN__SERIES_GAUGE, "label \"a\" is given twice");
    metric = metric_with(many, KIN__LABELS_MAX + 1);
    ASSERT_REFUSED(metric, KIN__SERIES_GAUGE, "more than 8 labels");
}

TEST(series, leaves_the_label_of_the_buckets_to_histograms)
{
    kin__label le[] = { { "le", "1" } };
    kin__metric gauge = metric_with(le, 1);
    kin__metric histogram = gauge;
    histogram.bounds = bounds;
    histogram.bound_count = 3;
    kin_error err;

    ASSERT_OK(kin__series_check(&gauge, KIN__SERIES_GAUGE, &err));
    ASSERT_REFUSED(histogram, KIN__SERIES_HISTOGRAM, "label \"le\" belongs to the buckets");
}

TEST(series, has_rising_bounds_when_it_is_a_histogram_and_else_none)
{
    static const int64_t equal[] = { 10, 10 };
    static const int64_t negative[] = { -1, 10 };
    kin__metric metric;
    kin_error err;

    metric = histogram_with(bounds, 3);
    ASSERT_OK(kin__series_check(&metric, KIN__SERIES_HISTOGRAM, &err));
    ASSERT_REFUSED(metric, KIN__SERIES_GAUGE, "bounds are for histograms, which have some");
    metric = histogram_with(NULL, 0);
    ASSERT_REFUSED(metric, KIN__SERIES_HISTOGRAM, "bounds are for histograms, which have some");
    metric = histogram_with(equal, 2);
    ASSERT_REFUSED(metric, KIN__SERIES_HISTOGRAM, "the bounds do not rise from 0 or more");
    metric = histogram_with(negative, 2);
    ASSERT_REFUSED(metric, KIN__SERIES_HISTOGRAM, "the bounds do not rise from 0 or more");
}

static void assert_labels(const kin__label *labels, size_t count, const char *want)
{
    kin__metric metric = metric_with(labels, count);
    char *got = NULL;
    kin_error err;
    ASSERT_OK(kin__series_labels(&metric, &got, &err));
    ASSERT_STR_EQ(got, want);
    kin__free(got);
}

TEST(series, writes_its_labels_sorted_by_name)
{
    kin__label labels[] = { { "b", "2" }, { "c", "3" }, { "a", "1" } };

    assert_labels(NULL, 0, "");
    assert_labels(labels, 1, "b=\"2\"");
    assert_labels(labels, 3, "a=\"1\",b=\"2\",c=\"3\"");
}

/* A value that looks like the end of a label and the start of another. */
TEST(series, writes_no_two_sets_of_labels_alike)
{
    kin__label one[] = { { "a", "1\",b=\"2" } };
    kin__label two[] = { { "a", "1" }, { "b", "2" } };

    assert_labels(one, 1, "a=\"1\\\",b=\\\"2\"");
    assert_labels(two, 2, "a=\"1\",b=\"2\"");
}

TEST(family, takes_only_series_of_its_shape)
{
    static const int64_t others[] = { 0, 10, 21 };
    kin__metric metric = histogram_with(bounds, 3);
    AUTO(kin__family_free)
    kin__family *family = kin__family_new(NULL, &metric, KIN__SERIES_HISTOGRAM);
    kin__metric other_unit = metric;
    other_unit.unit = KIN__UNIT_SECONDS;
    kin__metric fewer = histogram_with(bounds, 2);
    kin__metric different = histogram_with(others, 3);

    ASSERT_TRUE(kin__family_fits(family, &metric, KIN__SERIES_HISTOGRAM));
    ASSERT_FALSE(kin__family_fits(family, &metric, KIN__SERIES_GAUGE));
    ASSERT_FALSE(kin__family_fits(family, &other_unit, KIN__SERIES_HISTOGRAM));
    ASSERT_FALSE(kin__family_fits(family, &fewer, KIN__SERIES_HISTOGRAM));
    ASSERT_FALSE(kin__family_fits(family, &different, KIN__SERIES_HISTOGRAM));
}

TEST(family, keeps_one_series_for_each_set_of_labels)
{
    kin__metric metric = metric_with(NULL, 0);
    AUTO(kin__family_free)
    kin__family *family = kin__family_new(NULL, &metric, KIN__SERIES_COUNTER);

    kin__series *b = kin__family_ref_series(family, "b=\"1\"");
    kin__series *a = kin__family_ref_series(family, "a=\"1\"");
    kin__series *again = kin__family_ref_series(family, "b=\"1\"");
    ASSERT_TRUE(again == b);
    ASSERT_TRUE(family->series == a);
    ASSERT_TRUE(a->next == b);

    kin__family_unref_series(family, b);
    ASSERT_TRUE(a->next == b);
    kin__family_unref_series(family, again);
    ASSERT_TRUE(a->next == NULL);
    kin__family_unref_series(family, a);
    ASSERT_TRUE(family->series == NULL);
}

TEST_FAILING_ALLOC(family, fails_without_a_leak)
{
    kin__metric metric = histogram_with(bounds, 3);
    AUTO(kin__family_free)
    kin__family *family = kin__family_new(NULL, &metric, KIN__SERIES_HISTOGRAM);
    kin__series *series = family == NULL ? NULL : kin__family_ref_series(family, "a=\"1\"");
    if (series == NULL) {
        return KIN_ERR_NO_MEMORY;
    }
    kin__family_unref_series(family, series);
    return KIN_OK;
}
