/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_metrics.c - the numbers of a queue in a registry, under client-go's names.
 *
 * Names, labels and bounds: component-base, metrics/prometheus/workqueue.  The texts are ours.
 */
#include "queue/queue_metrics.h"

#include "base/registrar.h"

/* From 10 ns to 10 s. */
static const int64_t bounds[] = { 10,      100,      1000,      10000,      100000,
                                  1000000, 10000000, 100000000, 1000000000, 10000000000 };

static void change_depth(kin__queue_metrics *metrics, int64_t more);

kin_err kin__queue_metrics_init(kin__queue_metrics *metrics, kin_metrics *registry,
                                const char *name, kin_error *err)
{
    const kin__label label = { "name", name };
    kin__registrar r = { .registry = registry,
                         .labels = &label,
                         .label_count = 1,
                         .bounds = bounds,
                         .bound_count = sizeof bounds / sizeof bounds[0],
                         .err = err };

    *metrics = (kin__queue_metrics){ .is_on = registry != NULL };
    kin__registrar_add_gauge(&r, &metrics->depth, KIN__UNIT_ONE, "workqueue_depth",
                             "Keys that wait.");
    kin__registrar_add_counter(&r, &metrics->adds, "workqueue_adds_total",
                               "Keys that came to wait.");
    kin__registrar_add_counter(&r, &metrics->retries, "workqueue_retries_total",
                               "Keys that were added for later or after a failure.");
    kin__registrar_add_histogram(&r, &metrics->waited, "workqueue_queue_duration_seconds",
                                 "How long keys wait until a worker takes them.");
    kin__registrar_add_histogram(&r, &metrics->worked, "workqueue_work_duration_seconds",
                                 "How long workers take for a key.");
    kin__registrar_add_gauge(
        &r, &metrics->unfinished, KIN__UNIT_SECONDS, "workqueue_unfinished_work_seconds",
        "How long keys have been with workers that are not done, all together.");
    kin__registrar_add_gauge(&r, &metrics->longest, KIN__UNIT_SECONDS,
                             "workqueue_longest_running_processor_seconds",
                             "How long a key has been with a worker that is not done, at most.");
    return r.code;
}

void kin__queue_metrics_fini(kin__queue_metrics *metrics)
{
    change_depth(metrics, -metrics->depth_count);
    kin__queue_metrics_times(metrics, 0, 0);
    kin__gauge_fini(&metrics->depth);
    kin__counter_fini(&metrics->adds);
    kin__counter_fini(&metrics->retries);
    kin__histogram_fini(&metrics->waited);
    kin__histogram_fini(&metrics->worked);
    kin__gauge_fini(&metrics->unfinished);
    kin__gauge_fini(&metrics->longest);
    metrics->is_on = false;
}

void kin__queue_metrics_add(kin__queue_metrics *metrics)
{
    kin__counter_add(&metrics->adds, 1);
    change_depth(metrics, 1);
}

void kin__queue_metrics_retry(kin__queue_metrics *metrics)
{
    kin__counter_add(&metrics->retries, 1);
}

void kin__queue_metrics_take(kin__queue_metrics *metrics, int64_t waited_ns)
{
    kin__histogram_observe(&metrics->waited, waited_ns);
    change_depth(metrics, -1);
}

void kin__queue_metrics_drop(kin__queue_metrics *metrics)
{
    change_depth(metrics, -1);
}

void kin__queue_metrics_done(kin__queue_metrics *metrics, int64_t worked_ns)
{
    kin__histogram_observe(&metrics->worked, worked_ns);
}

void kin__queue_metrics_times(kin__queue_metrics *metrics, int64_t unfinished_ns,
                              int64_t longest_ns)
{
    kin__gauge_add(&metrics->unfinished, unfinished_ns - metrics->unfinished_ns);
    kin__gauge_add(&metrics->longest, longest_ns - metrics->longest_ns);
    metrics->unfinished_ns = unfinished_ns;
    metrics->longest_ns = longest_ns;
}

static void change_depth(kin__queue_metrics *metrics, int64_t more)
{
    kin__gauge_add(&metrics->depth, more);
    metrics->depth_count += more;
}
