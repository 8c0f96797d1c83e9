/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics_test.c - what is counted, and how it is read.
 */
#include "base/metrics.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "support/allocator.h"
#include "support/test.h"

#define MS 1000000

static const int64_t second_bounds[] = { 5 * MS, 1000 * MS, (int64_t) 60000 * MS };

static kin__metric plain(const char *name)
{
    return (kin__metric){ .name = name, .help = "Help." };
}

static kin__metric labelled(const char *name, const kin__label *label)
{
    return (kin__metric){ .name = name, .help = "Help.", .labels = label, .label_count = 1 };
}

static kin__metric durations(const char *name)
{
    return (kin__metric){ .name = name,
                          .help = "Help.",
                          .unit = KIN__UNIT_SECONDS,
                          .bounds = second_bounds,
                          .bound_count = 3 };
}

static kin_metrics *new_metrics(void)
{
    kin_metrics *metrics = NULL;
    ASSERT_OK(kin_metrics_new(&metrics, NULL));
    return metrics;
}

static kin__counter counter_of(kin_metrics *metrics, kin__metric metric)
{
    kin__counter counter = { 0 };
    kin_error err;
    ASSERT_OK(kin__counter_init(&counter, metrics, &metric, &err));
    return counter;
}

static kin__gauge gauge_of(kin_metrics *metrics, kin__metric metric)
{
    kin__gauge gauge = { 0 };
    kin_error err;
    ASSERT_OK(kin__gauge_init(&gauge, metrics, &metric, &err));
    return gauge;
}

static kin__histogram histogram_of(kin_metrics *metrics, kin__metric metric)
{
    kin__histogram histogram = { 0 };
    kin_error err;
    ASSERT_OK(kin__histogram_init(&histogram, metrics, &metric, &err));
    return histogram;
}

static void assert_text(kin_metrics *metrics, const char *want)
{
    char *got = NULL;
    size_t len = 0;
    ASSERT_OK(kin_metrics_text(metrics, &got, &len, NULL));
    ASSERT_STR_EQ(got, want);
    ASSERT_EQ(len, strlen(want));
    kin_free(got);
}

TEST(metrics, are_empty_at_first)
{
    kin_metrics *metrics = new_metrics();

    assert_text(metrics, "");
    kin_metrics_free(metrics);
    kin_metrics_free(NULL);
}

TEST(metrics, show_counters)
{
    kin_metrics *metrics = new_metrics();
    kin__counter adds = counter_of(metrics, plain("adds_total"));
    assert_text(metrics, "# HELP adds_total Help.\n# TYPE adds_total counter\nadds_total 0\n");

    kin__counter_add(&adds, 1);
    kin__counter_add(&adds, 41);
    assert_text(metrics, "# HELP adds_total Help.\n# TYPE adds_total counter\nadds_total 42\n");

    kin__counter_add(&adds, UINT64_MAX - 42);
    assert_text(metrics, "# HELP adds_total Help.\n# TYPE adds_total counter\n"
                         "adds_total 18446744073709551615\n");
    kin__counter_fini(&adds);
    kin_metrics_free(metrics);
}

TEST(metrics, show_gauges_that_go_up_and_down)
{
    kin_metrics *metrics = new_metrics();
    kin__gauge depth = gauge_of(metrics, plain("depth"));

    kin__gauge_set(&depth, 7);
    kin__gauge_add(&depth, -10);
    assert_text(metrics, "# HELP depth Help.\n# TYPE depth gauge\ndepth -3\n");

    kin__gauge_set(&depth, INT64_MIN);
    assert_text(metrics, "# HELP depth Help.\n# TYPE depth gauge\ndepth -9223372036854775808\n");
    kin__gauge_fini(&depth);
    kin_metrics_free(metrics);
}

TEST(metrics, show_durations_in_seconds)
{
    kin_metrics *metrics = new_metrics();
    kin__metric metric = plain("unfinished_seconds");
    metric.unit = KIN__UNIT_SECONDS;
    kin__gauge unfinished = gauge_of(metrics, metric);

    kin__gauge_set(&unfinished, -1500 * MS);

    assert_text(metrics, "# HELP unfinished_seconds Help.\n# TYPE unfinished_seconds gauge\n"
                         "unfinished_seconds -1.5\n");
    kin__gauge_fini(&unfinished);
    kin_metrics_free(metrics);
}

/* A value on a bound belongs below it; the buckets add up; a clock that went back counts as 0. */
TEST(metrics, show_histograms_with_buckets_that_add_up)
{
    kin_metrics *metrics = new_metrics();
    kin__label label = { "name", "q" };
    kin__metric metric = durations("work_seconds");
    metric.labels = &label;
    metric.label_count = 1;
    kin__histogram work = histogram_of(metrics, metric);

    kin__histogram_observe(&work, -1);
    kin__histogram_observe(&work, 5 * MS);
    kin__histogram_observe(&work, 5 * MS + 1);
    kin__histogram_observe(&work, (int64_t) 60000 * MS);
    kin__histogram_observe(&work, (int64_t) 90000 * MS);

    assert_text(metrics, "# HELP work_seconds Help.\n# TYPE work_seconds histogram\n"
                         "work_seconds_bucket{name=\"q\",le=\"0.005\"} 2\n"
                         "work_seconds_bucket{name=\"q\",le=\"1\"} 3\n"
                         "work_seconds_bucket{name=\"q\",le=\"60\"} 4\n"
                         "work_seconds_bucket{name=\"q\",le=\"+Inf\"} 5\n"
                         "work_seconds_sum{name=\"q\"} 150.010000001\n"
                         "work_seconds_count{name=\"q\"} 5\n");
    kin__histogram_fini(&work);
    kin_metrics_free(metrics);
}

TEST(metrics, show_histograms_of_plain_numbers_without_labels)
{
    static const int64_t bounds[] = { 1024 };
    kin_metrics *metrics = new_metrics();
    kin__metric metric = plain("size_bytes");
    metric.bounds = bounds;
    metric.bound_count = 1;
    kin__histogram size = histogram_of(metrics, metric);

    kin__histogram_observe(&size, 1000);

    assert_text(metrics, "# HELP size_bytes Help.\n# TYPE size_bytes histogram\n"
                         "size_bytes_bucket{le=\"1024\"} 1\n"
                         "size_bytes_bucket{le=\"+Inf\"} 1\n"
                         "size_bytes_sum 1000\n"
                         "size_bytes_count 1\n");
    kin__histogram_fini(&size);
    kin_metrics_free(metrics);
}

TEST(metrics, are_sorted_and_have_one_head_for_each_family)
{
    kin_metrics *metrics = new_metrics();
    kin__label z = { "name", "z" };
    kin__label y = { "name", "y\n" };
    kin__gauge b_z = gauge_of(metrics, labelled("b", &z));
    kin__counter c = counter_of(metrics, plain("c_total"));
    kin__gauge a = gauge_of(metrics, plain("a"));
    kin__gauge b_y = gauge_of(metrics, labelled("b", &y));

    assert_text(metrics, "# HELP a Help.\n# TYPE a gauge\na 0\n"
                         "# HELP b Help.\n# TYPE b gauge\n"
                         "b{name=\"y\\n\"} 0\n"
                         "b{name=\"z\"} 0\n"
                         "# HELP c_total Help.\n# TYPE c_total counter\nc_total 0\n");
    kin__gauge_fini(&a);
    kin__gauge_fini(&b_y);
    kin__gauge_fini(&b_z);
    kin__counter_fini(&c);
    kin_metrics_free(metrics);
}

/* Two work queues with one name, say: one number, until both are gone. */
TEST(metrics, count_into_one_series_under_one_name)
{
    kin_metrics *metrics = new_metrics();
    kin__label ab[] = { { "a", "1" }, { "b", "2" } };
    kin__label ba[] = { { "b", "2" }, { "a", "1" } };
    kin__metric metric = { .name = "n_total", .help = "Help.", .labels = ab, .label_count = 2 };
    kin__metric turned = metric;
    turned.labels = ba;
    kin__counter first = counter_of(metrics, metric);
    kin__counter second = counter_of(metrics, turned);

    kin__counter_add(&first, 1);
    kin__counter_add(&second, 2);
    kin__counter_fini(&first);
    kin__counter_fini(&first);

    assert_text(metrics, "# HELP n_total Help.\n# TYPE n_total counter\n"
                         "n_total{a=\"1\",b=\"2\"} 3\n");
    kin__counter_fini(&second);
    assert_text(metrics, "");
    kin_metrics_free(metrics);
}

TEST(metrics, forget_a_series_whose_last_holder_is_gone)
{
    kin_metrics *metrics = new_metrics();
    kin__label x = { "name", "x" };
    kin__label y = { "name", "y" };
    kin__gauge in_x = gauge_of(metrics, labelled("depth", &x));
    kin__gauge in_y = gauge_of(metrics, labelled("depth", &y));
    kin__gauge_set(&in_x, 7);

    kin__gauge_fini(&in_x);
    assert_text(metrics, "# HELP depth Help.\n# TYPE depth gauge\ndepth{name=\"y\"} 0\n");

    in_x = gauge_of(metrics, labelled("depth", &x));
    assert_text(metrics, "# HELP depth Help.\n# TYPE depth gauge\ndepth{name=\"x\"} 0\n"
                         "depth{name=\"y\"} 0\n");
    kin__gauge_fini(&in_x);
    kin__gauge_fini(&in_y);
    kin_metrics_free(metrics);
}

TEST(metrics, are_not_kept_where_there_is_no_registry)
{
    kin__metric bad = plain("not a name");
    kin__counter counter = { 0 };
    kin__gauge gauge = { 0 };
    kin__histogram histogram = { 0 };
    kin_error err;

    ASSERT_OK(kin__counter_init(&counter, NULL, &bad, &err));
    ASSERT_OK(kin__gauge_init(&gauge, NULL, &bad, &err));
    ASSERT_OK(kin__histogram_init(&histogram, NULL, &bad, &err));
    kin__counter_add(&counter, 1);
    kin__gauge_set(&gauge, 1);
    kin__gauge_add(&gauge, 1);
    kin__histogram_observe(&histogram, 1);

    kin__counter_fini(&counter);
    kin__gauge_fini(&gauge);
    kin__histogram_fini(&histogram);
}

TEST(metrics, refuse_a_bad_name_and_say_which)
{
    kin_metrics *metrics = new_metrics();
    kin__label label = { "a-b", "x" };
    kin__metric metric = labelled("depth", &label);
    kin__gauge gauge = { 0 };
    kin_error err;

    ASSERT_ERR(kin__gauge_init(&gauge, metrics, &metric, &err), KIN_ERR_USAGE);

    ASSERT_MESSAGE(&err, "metric depth: \"a-b\" is no name for a label");
    ASSERT_TRUE(gauge.series == NULL);
    assert_text(metrics, "");
    kin_metrics_free(metrics);
}

TEST(metrics, refuse_one_name_for_two_types)
{
    kin_metrics *metrics = new_metrics();
    kin__gauge gauge = gauge_of(metrics, plain("depth"));
    kin__metric metric = plain("depth");
    kin__counter counter = { 0 };
    kin_error err;

    ASSERT_ERR(kin__counter_init(&counter, metrics, &metric, &err), KIN_ERR_USAGE);

    ASSERT_MESSAGE(&err, "metric depth: exists with another type, unit or bounds");
    assert_text(metrics, "# HELP depth Help.\n# TYPE depth gauge\ndepth 0\n");
    kin__gauge_fini(&gauge);
    kin_metrics_free(metrics);
}

/* The program frees its registry too early: what counts goes on, and cleans up at the end. */
TEST(metrics, live_on_unseen_while_something_counts)
{
    kin_metrics *metrics = new_metrics();
    kin__counter counter = counter_of(metrics, plain("a_total"));
    kin__gauge gauge = gauge_of(metrics, plain("b"));

    kin_metrics_free(metrics);
    kin__counter_add(&counter, 1);
    kin__counter_fini(&counter);
    kin__gauge_set(&gauge, 1);
    kin__gauge_fini(&gauge);

    ASSERT_EQ(live_blocks(), 0);
}

TEST_FAILING_ALLOC(metrics, fail_without_a_leak)
{
    kin_metrics *metrics = NULL;
    kin__label label = { "name", "a long value, so that the labels do not fit into 64 bytes ..." };
    kin__metric a = labelled("a", &label);
    kin__metric b = durations("b");
    kin__gauge gauge = { 0 };
    kin__gauge same = { 0 };
    kin__histogram histogram = { 0 };
    char *got = NULL;
    size_t len;
    kin_error err;

    kin_err code = kin_metrics_new(&metrics, &err);
    code = code != KIN_OK ? code : kin__gauge_init(&gauge, metrics, &a, &err);
    code = code != KIN_OK ? code : kin__gauge_init(&same, metrics, &a, &err);
    code = code != KIN_OK ? code : kin__histogram_init(&histogram, metrics, &b, &err);
    code = code != KIN_OK ? code : kin_metrics_text(metrics, &got, &len, &err);

    kin_free(got);
    kin__gauge_fini(&gauge);
    kin__gauge_fini(&same);
    kin__histogram_fini(&histogram);
    kin_metrics_free(metrics);
    return code;
}

/* A series that could not be made leaves no family without series behind. */
TEST(metrics, show_nothing_of_what_failed)
{
    kin_metrics *metrics = new_metrics();
    kin__metric metric = durations("b_seconds");
    kin__histogram histogram = { 0 };
    kin_error err;
    kin_err code = KIN_ERR_NO_MEMORY;

    for (long long first = 1; code != KIN_OK; first++) {
        test_allocator_plan((alloc_failure){ .first = first });
        code = kin__histogram_init(&histogram, metrics, &metric, &err);
        test_allocator_plan((alloc_failure){ 0 });
        if (code != KIN_OK) {
            ASSERT_MESSAGE(&err, "metric b_seconds: out of memory");
            ASSERT_TRUE(histogram.series == NULL);
            assert_text(metrics, "");
        }
    }

    kin__histogram_fini(&histogram);
    kin_metrics_free(metrics);
}

#define THREAD_COUNT 4
#define ROUND_COUNT 2000

typedef struct crowd {
    kin_metrics *metrics;
    atomic_int running;
} crowd;

/* Counts through handles of its own, which come and go; one with its family. */
/* Sets a gauge to how often it was called. */
typedef struct called {
    kin__refresher refresher;
    kin__gauge gauge;
    int64_t times;
} called;

static void count_call(void *context)
{
    called *c = context;
    kin__gauge_set(&c->gauge, ++c->times);
}

TEST(metrics, are_refreshed_when_they_are_read)
{
    kin_metrics *metrics = new_metrics();
    called c = { .gauge = gauge_of(metrics, plain("calls")) };
    char *got = NULL;
    size_t len;
    kin__refresher_init(&c.refresher, metrics, count_call, &c);

    for (int i = 1; i <= 3; i++) {
        ASSERT_OK(kin_metrics_text(metrics, &got, &len, NULL));
        ASSERT_EQ(c.times, i);
        ASSERT_CONTAINS(got, i == 3 ? "calls 3\n" : "calls ");
        kin_free(got);
    }
    kin__refresher_fini(&c.refresher);
    kin__refresher_fini(&c.refresher);
    ASSERT_OK(kin_metrics_text(metrics, &got, &len, NULL));
    kin_free(got);

    ASSERT_EQ(c.times, 3);
    kin__gauge_fini(&c.gauge);
    kin_metrics_free(metrics);
}

TEST(metrics, are_refreshed_by_nobody_without_a_registry)
{
    called c = { 0 };

    kin__refresher_init(&c.refresher, NULL, count_call, &c);
    kin__refresher_fini(&c.refresher);

    ASSERT_EQ(c.times, 0);
}

static void count_in_a_crowd(void *context)
{
    crowd *c = context;
    for (int i = 0; i < ROUND_COUNT; i++) {
        kin__counter counter = counter_of(c->metrics, plain("a_total"));
        kin__histogram histogram = histogram_of(c->metrics, durations("b_seconds"));
        kin__gauge gauge = gauge_of(c->metrics, plain("c"));
        kin__counter_add(&counter, 1);
        kin__gauge_add(&gauge, 1);
        kin__gauge_fini(&gauge);
        kin__histogram_observe(&histogram, i * MS);
        kin__histogram_fini(&histogram);
        kin__counter_fini(&counter);
    }
    atomic_fetch_sub(&c->running, 1);
}

/* The number behind `name ` in a text; -1 when there is none. */
static long long number_in(const char *chars, const char *name)
{
    text line = { 0 };
    text_append(&line, "\n%s ", name);
    const char *at = strstr(chars, line.chars);
    return at == NULL ? -1 : strtoll(at + line.len, NULL, 10);
}

TEST(metrics, are_read_while_many_count)
{
    crowd c = { .metrics = new_metrics(), .running = THREAD_COUNT };
    kin__thread threads[THREAD_COUNT];
    kin_error err;
    kin__counter kept = counter_of(c.metrics, plain("a_total"));
    kin__histogram kept_too = histogram_of(c.metrics, durations("b_seconds"));

    for (size_t i = 0; i < THREAD_COUNT; i++) {
        ASSERT_OK(kin__thread_start(&threads[i], "test", count_in_a_crowd, &c, &err));
    }
    long long before = 0;
    bool is_running = true;
    while (is_running) {
        is_running = atomic_load(&c.running) > 0;
        char *got = NULL;
        size_t len;
        ASSERT_OK(kin_metrics_text(c.metrics, &got, &len, NULL));
        long long now = number_in(got, "a_total");
        ASSERT_TRUE(now >= before);
        ASSERT_EQ(number_in(got, "b_seconds_bucket{le=\"+Inf\"}"),
                  number_in(got, "b_seconds_count"));
        before = now;
        kin_free(got);
    }
    for (size_t i = 0; i < THREAD_COUNT; i++) {
        kin__thread_join(&threads[i]);
    }

    ASSERT_EQ(before, THREAD_COUNT * ROUND_COUNT);
    kin__counter_fini(&kept);
    kin__histogram_fini(&kept_too);
    kin_metrics_free(c.metrics);
}
