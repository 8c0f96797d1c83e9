/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_metrics_test.c - the numbers of a queue.
 */
#include "queue/queue_metrics.h"

#include "support/exposition.h"
#include "unit/queue/support.h"

#define HOUR_MS 3600000

static kin_metrics *registry;
static kin_error err;

static void open_counted(desk *d)
{
    kin_queue_options options = KIN_QUEUE_OPTIONS_INIT;
    options.name = "pods";
    options.metrics = registry;
    desk_open(d, &options);
}

static void begin(desk *d)
{
    ASSERT_OK(kin_metrics_new(&registry, &err));
    open_counted(d);
}

static void finish(desk *d)
{
    desk_close(d);
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

TEST(queue_metrics, count_additions_and_what_waits)
{
    desk d;
    begin(&d);

    add(&d, "a");
    add(&d, "a");
    add(&d, "b");
    expect_line("workqueue_adds_total{name=\"pods\"} 2\n");
    expect_line("workqueue_depth{name=\"pods\"} 2\n");
    kin_queue_item a = take(&d, "a");
    expect_line("workqueue_depth{name=\"pods\"} 1\n");

    kin_queue_done(d.queue, &a);
    finish(&d);
}

/* As client-go's depth does; its Len(), and kin_queue_length(), do not. */
TEST(queue_metrics, count_what_is_added_while_a_worker_has_it)
{
    desk d;
    begin(&d);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");

    add(&d, "a");
    add(&d, "a");
    expect_line("workqueue_adds_total{name=\"pods\"} 2\n");
    expect_line("workqueue_depth{name=\"pods\"} 1\n");
    ASSERT_EQ(kin_queue_length(d.queue), 0);
    kin_queue_done(d.queue, &a);
    expect_line("workqueue_depth{name=\"pods\"} 1\n");
    a = take(&d, "a");
    expect_line("workqueue_depth{name=\"pods\"} 0\n");

    kin_queue_done(d.queue, &a);
    finish(&d);
}

TEST(queue_metrics, say_how_long_keys_wait_and_are_worked_on)
{
    desk d;
    begin(&d);

    add(&d, "a");
    pass(&d, 50);
    kin_queue_item a = take(&d, "a");
    pass(&d, 25);
    add(&d, "a");
    pass(&d, 25);
    kin_queue_done(d.queue, &a);
    pass(&d, 1);
    a = take(&d, "a");
    kin_queue_done(d.queue, &a);

    expect_line("workqueue_queue_duration_seconds_sum{name=\"pods\"} 0.076\n");
    expect_line("workqueue_queue_duration_seconds_count{name=\"pods\"} 2\n");
    expect_line("workqueue_queue_duration_seconds_bucket{name=\"pods\",le=\"0.01\"} 0\n");
    expect_line("workqueue_queue_duration_seconds_bucket{name=\"pods\",le=\"0.1\"} 2\n");
    expect_line("workqueue_work_duration_seconds_sum{name=\"pods\"} 0.05\n");
    expect_line("workqueue_work_duration_seconds_bucket{name=\"pods\",le=\"0.00000001\"} 1\n");
    expect_line("workqueue_work_duration_seconds_count{name=\"pods\"} 2\n");
    finish(&d);
}

/* A worker that is stuck calls nothing: the numbers are worked out when they are read. */
TEST(queue_metrics, show_workers_that_are_stuck)
{
    desk d;
    begin(&d);
    add(&d, "a");
    add(&d, "b");
    kin_queue_item a = take(&d, "a");
    pass(&d, 1000);
    kin_queue_item b = take(&d, "b");
    pass(&d, 500);

    expect_line("workqueue_unfinished_work_seconds{name=\"pods\"} 2\n");
    expect_line("workqueue_longest_running_processor_seconds{name=\"pods\"} 1.5\n");
    pass(&d, HOUR_MS);
    expect_line("workqueue_longest_running_processor_seconds{name=\"pods\"} 3601.5\n");
    kin_queue_done(d.queue, &a);
    expect_line("workqueue_unfinished_work_seconds{name=\"pods\"} 3600.5\n");
    kin_queue_done(d.queue, &b);

    expect_line("workqueue_unfinished_work_seconds{name=\"pods\"} 0\n");
    finish(&d);
}

TEST(queue_metrics, count_what_comes_later_or_again)
{
    desk d;
    begin(&d);

    add_later(&d, "a", 10);
    add_limited(&d, "b");
    add(&d, "c");
    kin_queue_item c = take(&d, "c");
    kin_queue_retry(d.queue, &c);

    expect_line("workqueue_retries_total{name=\"pods\"} 3\n");
    expect_line("workqueue_adds_total{name=\"pods\"} 1\n");
    pass(&d, HOUR_MS);
    expect_keys(&d, "b c a");
    expect_line("workqueue_adds_total{name=\"pods\"} 4\n");
    finish(&d);
}

TEST(queue_metrics, of_queues_of_one_name_count_together_and_go_one_by_one)
{
    desk d;
    desk other;
    begin(&d);
    open_counted(&other);
    add(&d, "a");
    add(&other, "a");
    add(&other, "b");
    (void) take(&other, "a");
    pass(&other, 2000);

    expect_line("workqueue_depth{name=\"pods\"} 2\n");
    expect_line("workqueue_unfinished_work_seconds{name=\"pods\"} 2\n");
    desk_close(&other);

    expect_line("workqueue_depth{name=\"pods\"} 1\n");
    expect_line("workqueue_adds_total{name=\"pods\"} 3\n");
    expect_line("workqueue_unfinished_work_seconds{name=\"pods\"} 0\n");
    finish(&d);
}

TEST(queue_metrics, follow_a_queue_that_is_shut_down)
{
    desk d;
    begin(&d);
    add(&d, "a");
    add(&d, "b");
    kin_queue_item a = take(&d, "a");
    add(&d, "a");

    kin_queue_shut_down_now(d.queue);
    expect_line("workqueue_depth{name=\"pods\"} 0\n");
    kin_queue_done(d.queue, &a);

    expect_line("workqueue_unfinished_work_seconds{name=\"pods\"} 0\n");
    finish(&d);
}

TEST_FAILING_ALLOC(queue_metrics, are_made_or_say_that_there_is_no_memory)
{
    kin__queue_metrics metrics = { 0 };
    kin_err code = kin_metrics_new(&registry, &err);

    if (code == KIN_OK) {
        code = kin__queue_metrics_init(&metrics, registry, "pods", &err);
        kin__queue_metrics_fini(&metrics);
        kin_metrics_free(registry);
    }
    return code;
}
