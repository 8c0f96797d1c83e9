/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener_metrics_test.c - the numbers of a handler.
 */
#include "cache/listener_metrics.h"

#include "support/exposition.h"

static kin_metrics *registry;
static kin__listener_metrics metrics;
static kin_error err;

static void begin(const char *informer, const char *handler)
{
    ASSERT_OK(kin_metrics_new(&registry, &err));
    kin__listener_counting counting = { .registry = registry, .informer = informer };
    ASSERT_OK(kin__listener_metrics_init(&metrics, &counting, handler, &err));
}

static void finish(void)
{
    kin__listener_metrics_fini(&metrics);
    kin_metrics_free(registry);
}

static void expect_line(const char *line)
{
    char *chars = NULL;
    size_t len = 0;

    ASSERT_OK(kin_metrics_text(registry, &chars, &len, &err));
    check_exposition(chars);
    ASSERT_CONTAINS(chars, line);
    kin_free(chars);
}

TEST(listener_metrics, count_calls_by_type)
{
    begin("pods", "web");

    kin__listener_metrics_call(&metrics, KIN_NOTIFICATION_ADDED, true, 5000000, 20000);
    kin__listener_metrics_call(&metrics, KIN_NOTIFICATION_DELETED, true, 0, 30000);
    kin__listener_metrics_call(&metrics, KIN_NOTIFICATION_UPDATED, false, 0, 1);

    ASSERT_EQ(metrics.told, 2);
    ASSERT_EQ(metrics.filtered, 1);
    ASSERT_EQ(metrics.calls_ns, 50001);
    ASSERT_EQ(metrics.longest_ns, 30000);
    expect_line("kin_handler_told_total{handler=\"web\",informer=\"pods\",type=\"added\"} 1\n");
    expect_line("kin_handler_told_total{handler=\"web\",informer=\"pods\",type=\"updated\"} 0\n");
    expect_line("kin_handler_filtered_total{handler=\"web\",informer=\"pods\"} 1\n");
    expect_line("kin_handler_lag_seconds_sum{handler=\"web\",informer=\"pods\"} 0.005\n");
    expect_line("kin_handler_lag_seconds_count{handler=\"web\",informer=\"pods\"} 2\n");
    expect_line("kin_handler_call_duration_seconds_count{handler=\"web\",informer=\"pods\"} 3\n");
    finish();
}

TEST(listener_metrics, follow_what_is_pending)
{
    begin("pods", "web");

    kin__listener_metrics_note(&metrics, &(kin__listener_facts){ 3, 2, true, true });
    expect_line("kin_handler_pending{handler=\"web\",informer=\"pods\"} 3\n");
    expect_line("kin_handler_blocking{handler=\"web\",informer=\"pods\"} 1\n");
    expect_line("kin_handler_active{handler=\"web\",informer=\"pods\"} 1\n");
    expect_line("kin_handler_merged_total{handler=\"web\",informer=\"pods\"} 2\n");
    kin__listener_metrics_note(&metrics, &(kin__listener_facts){ 1, 5, false, true });

    expect_line("kin_handler_pending{handler=\"web\",informer=\"pods\"} 1\n");
    expect_line("kin_handler_blocking{handler=\"web\",informer=\"pods\"} 0\n");
    expect_line("kin_handler_merged_total{handler=\"web\",informer=\"pods\"} 5\n");
    finish();
}

TEST(listener_metrics, of_one_that_goes_are_taken_out_of_the_gauges)
{
    kin__listener_metrics other;
    begin("pods", "web");
    kin__listener_counting counting = { .registry = registry, .informer = "pods" };
    ASSERT_OK(kin__listener_metrics_init(&other, &counting, "web", &err));
    kin__listener_metrics_note(&metrics, &(kin__listener_facts){ 3, 0, false, true });
    kin__listener_metrics_note(&other, &(kin__listener_facts){ 4, 1, false, true });
    kin__listener_metrics_drop(&other, 4);
    kin__listener_metrics_fail(&other);

    kin__listener_metrics_fini(&other);

    expect_line("kin_handler_pending{handler=\"web\",informer=\"pods\"} 3\n");
    expect_line("kin_handler_active{handler=\"web\",informer=\"pods\"} 1\n");
    expect_line("kin_handler_merged_total{handler=\"web\",informer=\"pods\"} 1\n");
    expect_line("kin_handler_dropped_total{handler=\"web\",informer=\"pods\"} 4\n");
    expect_line("kin_handler_failures_total{handler=\"web\",informer=\"pods\"} 1\n");
    finish();
}

TEST(listener_metrics, escape_the_names_of_handlers)
{
    begin("po\\ds", "a \"b\"\nc");

    expect_line("kin_handler_pending{handler=\"a \\\"b\\\"\\nc\",informer=\"po\\\\ds\"} 0\n");
    finish();
}

TEST(listener_metrics, are_kept_without_a_registry_too)
{
    ASSERT_OK(kin__listener_metrics_init(&metrics, &(kin__listener_counting){ 0 }, "web", &err));

    kin__listener_metrics_call(&metrics, KIN_NOTIFICATION_UPDATED, true, 1, 1);
    kin__listener_metrics_drop(&metrics, 2);

    ASSERT_EQ(metrics.told_by_type[1], 1);
    ASSERT_EQ(metrics.dropped, 2);
    ASSERT_TRUE(kin__listener_metrics_now_ns(&metrics) > 0);
    kin__listener_metrics_fini(&metrics);
}

TEST_FAILING_ALLOC(listener_metrics, are_made_or_say_that_there_is_no_memory)
{
    kin_err code = kin_metrics_new(&registry, &err);

    if (code == KIN_OK) {
        kin__listener_counting counting = { .registry = registry, .informer = "pods" };
        code = kin__listener_metrics_init(&metrics, &counting, "web", &err);
        finish();
    }
    return code;
}
