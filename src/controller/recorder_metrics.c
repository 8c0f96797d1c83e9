/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_metrics.c - the numbers of a recorder in a registry.
 */
#include "controller/recorder_metrics.h"

#include "base/registrar.h"

static const char *const results[KIN__RECORDER_RESULTS] = {
    [KIN__RECORDER_CREATED] = "created", [KIN__RECORDER_REPEATED] = "repeated",
    [KIN__RECORDER_MERGED] = "merged",   [KIN__RECORDER_LIMITED] = "limited",
    [KIN__RECORDER_DROPPED] = "dropped",
};

kin_err kin__recorder_metrics_init(kin__recorder_metrics *metrics, kin_metrics *registry,
                                   const char *controller, kin_error *err)
{
    kin__label labels[] = { { "controller", controller }, { "result", NULL } };
    kin__registrar r = { .registry = registry, .labels = labels, .label_count = 2, .err = err };

    *metrics = (kin__recorder_metrics){ 0 };
    for (int i = 0; i < KIN__RECORDER_RESULTS; i++) {
        labels[1].value = results[i];
        kin__registrar_add_counter(
            &r, &metrics->results[i], "kin_events_total",
            "Events by what became of them: written as a new object or as a repetition, merged "
            "into one that waited, or dropped.");
    }
    r.label_count = 1;
    kin__registrar_add_gauge(&r, &metrics->waiting, KIN__UNIT_ONE, "kin_events_waiting",
                             "Events that are not written yet.");
    return r.code;
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
