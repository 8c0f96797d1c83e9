/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_metrics.c - the numbers of a controller, under controller-runtime's names.
 *
 * Names, labels and bounds: controller-runtime, pkg/internal/controller/metrics.  The texts are
 * ours.
 */
#include "controller/runtime_metrics.h"

#define MS INT64_C(1000000)

static const int64_t bounds[] = {
    5 * MS,     10 * MS,    25 * MS,    50 * MS,    100 * MS,   150 * MS,   200 * MS,   250 * MS,
    300 * MS,   350 * MS,   400 * MS,   450 * MS,   500 * MS,   600 * MS,   700 * MS,   800 * MS,
    900 * MS,   1000 * MS,  1250 * MS,  1500 * MS,  1750 * MS,  2000 * MS,  2500 * MS,  3000 * MS,
    3500 * MS,  4000 * MS,  4500 * MS,  5000 * MS,  6000 * MS,  7000 * MS,  8000 * MS,  9000 * MS,
    10000 * MS, 15000 * MS, 20000 * MS, 25000 * MS, 30000 * MS, 40000 * MS, 50000 * MS, 60000 * MS,
};

static kin_err add_results(kin__runtime_metrics *metrics, kin_metrics *registry,
                           const char *controller, kin_error *err);

kin_err kin__runtime_metrics_init(kin__runtime_metrics *metrics, kin_metrics *registry,
                                  const char *controller, uint32_t workers, kin_error *err)
{
    kin__label label = { "controller", controller };
    const kin__metric errors = { .name = "controller_runtime_reconcile_errors_total",
                                 .help = "Reconciles that failed.",
                                 .labels = &label,
                                 .label_count = 1 };
    const kin__metric active = { .name = "controller_runtime_active_workers",
                                 .help = "Reconciles that run.",
                                 .labels = &label,
                                 .label_count = 1 };
    const kin__metric most = { .name = "controller_runtime_max_concurrent_reconciles",
                               .help = "Workers: how many reconciles run at most.",
                               .labels = &label,
                               .label_count = 1 };
    const kin__metric time = { .name = "controller_runtime_reconcile_time_seconds",
                               .help = "How long reconciles take.",
                               .unit = KIN__UNIT_SECONDS,
                               .labels = &label,
                               .label_count = 1,
                               .bounds = bounds,
                               .bound_count = sizeof bounds / sizeof bounds[0] };

    *metrics = (kin__runtime_metrics){ 0 };
    if (add_results(metrics, registry, controller, err) != KIN_OK ||
        kin__counter_init(&metrics->errors, registry, &errors, err) != KIN_OK ||
        kin__gauge_init(&metrics->active, registry, &active, err) != KIN_OK ||
        kin__gauge_init(&metrics->workers, registry, &most, err) != KIN_OK ||
        kin__histogram_init(&metrics->time, registry, &time, err) != KIN_OK) {
        return err->code;
    }
    kin__gauge_add(&metrics->workers, workers);
    metrics->worker_count = workers;
    return KIN_OK;
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

static kin_err add_results(kin__runtime_metrics *metrics, kin_metrics *registry,
                           const char *controller, kin_error *err)
{
    static const char *const names[KIN__RESULTS] = { "success", "error", "requeue",
                                                     "requeue_after" };

    for (int i = 0; i < KIN__RESULTS; i++) {
        kin__label labels[] = { { "controller", controller }, { "result", names[i] } };
        const kin__metric metric = { .name = "controller_runtime_reconcile_total",
                                     .help = "Reconciles, by what came of them.",
                                     .labels = labels,
                                     .label_count = 2 };

        if (kin__counter_init(&metrics->results[i], registry, &metric, err) != KIN_OK) {
            return err->code;
        }
    }
    return KIN_OK;
}
