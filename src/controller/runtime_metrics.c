/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_metrics.c - the numbers of a controller, under controller-runtime's names.
 *
 * Names, labels and bounds: controller-runtime, pkg/internal/controller/metrics.  The texts are
 * ours.
 */
#include "controller/runtime_metrics.h"

#include "base/registrar.h"

#define MS INT64_C(1000000)

static const int64_t bounds[] = {
    5 * MS,     10 * MS,    25 * MS,    50 * MS,    100 * MS,   150 * MS,   200 * MS,   250 * MS,
    300 * MS,   350 * MS,   400 * MS,   450 * MS,   500 * MS,   600 * MS,   700 * MS,   800 * MS,
    900 * MS,   1000 * MS,  1250 * MS,  1500 * MS,  1750 * MS,  2000 * MS,  2500 * MS,  3000 * MS,
    3500 * MS,  4000 * MS,  4500 * MS,  5000 * MS,  6000 * MS,  7000 * MS,  8000 * MS,  9000 * MS,
    10000 * MS, 15000 * MS, 20000 * MS, 25000 * MS, 30000 * MS, 40000 * MS, 50000 * MS, 60000 * MS,
};

static void add_results(kin__registrar *r, kin__label *result, kin__counter *counters);

kin_err kin__runtime_metrics_init(kin__runtime_metrics *metrics, kin_metrics *registry,
                                  const char *controller, uint32_t workers, kin_error *err)
{
    kin__label labels[] = { { "controller", controller }, { "result", NULL } };
    kin__registrar r = { .registry = registry,
                         .labels = labels,
                         .label_count = 1,
                         .bounds = bounds,
                         .bound_count = sizeof bounds / sizeof bounds[0],
                         .err = err };

    *metrics = (kin__runtime_metrics){ 0 };
    add_results(&r, &labels[1], metrics->results);
    kin__registrar_add_counter(&r, &metrics->errors, "controller_runtime_reconcile_errors_total",
                               "Reconciles that failed.");
    kin__registrar_add_gauge(&r, &metrics->active, KIN__UNIT_ONE,
                             "controller_runtime_active_workers", "Reconciles that run.");
    kin__registrar_add_gauge(&r, &metrics->workers, KIN__UNIT_ONE,
                             "controller_runtime_max_concurrent_reconciles",
                             "Workers: how many reconciles run at most.");
    kin__registrar_add_histogram(&r, &metrics->time, "controller_runtime_reconcile_time_seconds",
                                 "How long reconciles take.");
    if (r.code == KIN_OK) {
        kin__gauge_add(&metrics->workers, workers);
        metrics->worker_count = workers;
    }
    return r.code;
}

void kin__runtime_metrics_fini(kin__runtime_metrics *metrics)
{
    kin__gauge_add(&metrics->workers, -(int64_t) metrics->worker_count);
    metrics->worker_count = 0;
    for (int i = 0; i < KIN__RESULTS; i++) {
        kin__counter_fini(&metrics->results[i]);
    }
    kin__counter_fini(&metrics->errors);
    kin__gauge_fini(&metrics->active);
    kin__gauge_fini(&metrics->workers);
    kin__histogram_fini(&metrics->time);
}

void kin__runtime_metrics_begin(kin__runtime_metrics *metrics)
{
    kin__gauge_add(&metrics->active, 1);
}

void kin__runtime_metrics_end(kin__runtime_metrics *metrics, int64_t took_ns)
{
    kin__gauge_add(&metrics->active, -1);
    kin__histogram_observe(&metrics->time, took_ns);
}

void kin__runtime_metrics_result(kin__runtime_metrics *metrics, kin__runtime_result result)
{
    kin__counter_add(&metrics->results[result], 1);
    if (result == KIN__RESULT_ERROR) {
        kin__counter_add(&metrics->errors, 1);
    }
}

/* They have one label more. */
static void add_results(kin__registrar *r, kin__label *result, kin__counter *counters)
{
    static const char *const names[KIN__RESULTS] = { "success", "error", "requeue",
                                                     "requeue_after" };

    r->label_count++;
    for (int i = 0; i < KIN__RESULTS; i++) {
        result->value = names[i];
        kin__registrar_add_counter(r, &counters[i], "controller_runtime_reconcile_total",
                                   "Reconciles, by what came of them.");
    }
    r->label_count--;
}
