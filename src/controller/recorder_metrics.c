/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_metrics.c - the numbers of a recorder in a registry.
 */
#include "controller/recorder_metrics.h"

static const char *const results[KIN__RECORDER_RESULTS] = {
    [KIN__RECORDER_CREATED] = "created", [KIN__RECORDER_REPEATED] = "repeated",
    [KIN__RECORDER_MERGED] = "merged",   [KIN__RECORDER_LIMITED] = "limited",
    [KIN__RECORDER_DROPPED] = "dropped",
};

kin_err kin__recorder_metrics_init(kin__recorder_metrics *metrics, kin_metrics *registry,
                                   const char *controller, kin_error *err)
{
    const kin__label waiting_labels[] = { { "controller", controller } };
    const kin__metric waiting = {
        .name = "kin_events_waiting",
        .help = "Events that are not written yet.",
        .labels = waiting_labels,
        .label_count = 1,
    };

    *metrics = (kin__recorder_metrics){ 0 };
    for (int i = 0; i < KIN__RECORDER_RESULTS; i++) {
        const kin__label labels[] = { { "controller", controller }, { "result", results[i] } };
        const kin__metric metric = {
            .name = "kin_events_total",
            .help = "Events by what became of them: written as a new object or as a repetition, "
                    "merged into one that waited, or dropped.",
            .labels = labels,
            .label_count = 2,
        };

        if (kin__counter_init(&metrics->results[i], registry, &metric, err) != KIN_OK) {
            return err->code;
        }
    }
    return kin__gauge_init(&metrics->waiting, registry, &waiting, err);
}

void kin__recorder_metrics_fini(kin__recorder_metrics *metrics)
{
    kin__recorder_metrics_wait(metrics, 0);
    for (int i = 0; i < KIN__RECORDER_RESULTS; i++) {
        kin__counter_fini(&metrics->results[i]);
    }
    kin__gauge_fini(&metrics->waiting);
}

void kin__recorder_metrics_count(kin__recorder_metrics *metrics, kin__recorder_result result)
{
    kin__counter_add(&metrics->results[result], 1);
}

void kin__recorder_metrics_wait(kin__recorder_metrics *metrics, size_t waiting)
{
    kin__gauge_add(&metrics->waiting, (int64_t) waiting - metrics->waiting_count);
    metrics->waiting_count = (int64_t) waiting;
}
