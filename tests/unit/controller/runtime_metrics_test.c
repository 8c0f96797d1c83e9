/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_metrics_test.c - the numbers of a controller.
 */
#include "controller/runtime_metrics.h"

#include "unit/controller/workshop.h"

static void expect_line(kin_metrics *metrics, const char *line)
{
    char *all = NULL;
    size_t len = 0;

    ASSERT_OK(kin_metrics_text(metrics, &all, &len, NULL));
    ASSERT_CONTAINS(all, line);
    kin_free(all);
}

static kin_err act_by_name(void *context, kin_reconcile *r, kin_error *err)
{
    (void) context;
    switch (kin_reconcile_name(r).data[0]) {
    case 'f':
        err->message[0] = '\0';
        return KIN_ERR_SERVER;
    case 'l':
        kin_reconcile_again(r, 1000);
        return KIN_OK;
    default:
        return KIN_OK;
    }
}

TEST(runtime_metrics, count_reconciles_by_what_came_of_them)
{
    kin_metrics *metrics = NULL;
    workshop w;

    ASSERT_OK(kin_metrics_new(&metrics, NULL));
    workshop_open(&w);
    w.options.reconcile = act_by_name;
    w.options.metrics = metrics;
    w.options.workers = 3;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    put_map(&w, "b", "1");
    put_map(&w, "f", "1");
    put_map(&w, "l", "1");
    start(&w);
    await_idle(&w);

#define ROW(result, count)                                                                         \
    "controller_runtime_reconcile_total{controller=\"test\",result=\"" result "\"} " count "\n"
    expect_line(metrics, ROW("success", "2"));
    expect_line(metrics, ROW("error", "1"));
    expect_line(metrics, ROW("requeue", "0"));
    expect_line(metrics, ROW("requeue_after", "1"));
    expect_line(metrics, "controller_runtime_reconcile_errors_total{controller=\"test\"} 1\n");
    expect_line(metrics, "controller_runtime_active_workers{controller=\"test\"} 0\n");
    expect_line(metrics, "controller_runtime_max_concurrent_reconciles{controller=\"test\"} 3\n");
    expect_line(metrics,
                "controller_runtime_reconcile_time_seconds_count{controller=\"test\"} 4\n");
    expect_line(metrics, "controller_runtime_reconcile_time_seconds_bucket{controller=\"test\",le="
                         "\"0.005\"} 4\n");
    expect_line(metrics, "workqueue_adds_total{name=\"test\"} 4\n");
    workshop_close(&w);
    kin_metrics_free(metrics);
}

TEST_FAILING_ALLOC(runtime_metrics, survive_every_failed_allocation)
{
    kin__runtime_metrics counts;
    kin_metrics *metrics = NULL;
    kin_error err;
    kin_err code = kin_metrics_new(&metrics, &err);

    if (code == KIN_OK) {
        code = kin__runtime_metrics_init(&counts, metrics, "test", 1, &err);
        kin__runtime_metrics_fini(&counts);
    }
    kin_metrics_free(metrics);
    return code;
}
