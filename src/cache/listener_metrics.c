/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener_metrics.c - the numbers of a handler: kept, and in a registry.
 */
#include "cache/listener_metrics.h"

#include "base/registrar.h"

/* From a microsecond, which is a handler that puts a key into a queue, to one that waits. */
static const int64_t bounds[] = { 1000,      10000,      100000,      1000000,     10000000,
                                  100000000, 1000000000, 10000000000, 100000000000 };

static void add_told(kin__registrar *r, kin__label *type, kin__counter told[3]);

kin_err kin__listener_metrics_init(kin__listener_metrics *metrics,
                                   const kin__listener_counting *counting, const char *handler,
                                   kin_error *err)
{
    const char *informer = counting->informer != NULL ? counting->informer : "";
    kin__label labels[3] = { { "informer", informer }, { "handler", handler }, { "type", NULL } };
    kin__registrar r = { .registry = counting->registry,
                         .labels = labels,
                         .label_count = 2,
                         .bounds = bounds,
                         .bound_count = sizeof bounds / sizeof bounds[0],
                         .err = err };

    *metrics = (kin__listener_metrics){ 0 };
    metrics->clock = counting->clock != NULL ? counting->clock : kin__clock_real();
    kin__registrar_add_gauge(&r, &metrics->pending_gauge, KIN__UNIT_ONE, "kin_handler_pending",
                             "Notifications that wait to be told.");
    kin__registrar_add_gauge(&r, &metrics->blocking_gauge, KIN__UNIT_ONE, "kin_handler_blocking",
                             "Handlers that hold up their informer.");
    kin__registrar_add_gauge(&r, &metrics->active_gauge, KIN__UNIT_ONE, "kin_handler_active",
                             "Handlers that have not ended.");
    add_told(&r, &labels[2], metrics->told_counters);
    kin__registrar_add_counter(&r, &metrics->filtered_counter, "kin_handler_filtered_total",
                               "Notifications that the handler's filter kept out.");
    kin__registrar_add_counter(&r, &metrics->merged_counter, "kin_handler_merged_total",
                               "Notifications that went into another, or cancelled one.");
    kin__registrar_add_counter(&r, &metrics->dropped_counter, "kin_handler_dropped_total",
                               "Notifications that were pending when the handler ended.");
    kin__registrar_add_counter(&r, &metrics->failed_counter, "kin_handler_failures_total",
                               "Handlers that ended because too much was pending.");
    kin__registrar_add_histogram(&r, &metrics->call_seconds, "kin_handler_call_duration_seconds",
                                 "How long the calls of a handler take.");
    kin__registrar_add_histogram(&r, &metrics->lag_seconds, "kin_handler_lag_seconds",
                                 "How long notifications wait before they are told.");
    return r.code;
}

/* What it added to the gauges is taken back. */
void kin__listener_metrics_fini(kin__listener_metrics *metrics)
{
    kin__listener_metrics_note(metrics, &(kin__listener_facts){ .merged = metrics->merged });
    kin__gauge_fini(&metrics->pending_gauge);
    kin__gauge_fini(&metrics->blocking_gauge);
    kin__gauge_fini(&metrics->active_gauge);
    for (int i = 0; i < 3; i++) {
        kin__counter_fini(&metrics->told_counters[i]);
    }
    kin__counter_fini(&metrics->filtered_counter);
    kin__counter_fini(&metrics->merged_counter);
    kin__counter_fini(&metrics->dropped_counter);
    kin__counter_fini(&metrics->failed_counter);
    kin__histogram_fini(&metrics->call_seconds);
    kin__histogram_fini(&metrics->lag_seconds);
}

int64_t kin__listener_metrics_now_ns(const kin__listener_metrics *metrics)
{
    return kin__clock_now_ns(metrics->clock);
}

void kin__listener_metrics_call(kin__listener_metrics *metrics, kin_notification_type type,
                                bool is_told, int64_t waited_ns, int64_t took_ns)
{
    metrics->calls_ns += took_ns;
    metrics->longest_ns = took_ns > metrics->longest_ns ? took_ns : metrics->longest_ns;
    kin__histogram_observe(&metrics->call_seconds, took_ns);
    if (!is_told) {
        metrics->filtered++;
        kin__counter_add(&metrics->filtered_counter, 1);
        return;
    }
    metrics->told++;
    metrics->told_by_type[type - 1]++;
    kin__counter_add(&metrics->told_counters[type - 1], 1);
    kin__histogram_observe(&metrics->lag_seconds, waited_ns);
}

void kin__listener_metrics_drop(kin__listener_metrics *metrics, size_t count)
{
    metrics->dropped += count;
    kin__counter_add(&metrics->dropped_counter, count);
}

void kin__listener_metrics_fail(kin__listener_metrics *metrics)
{
    kin__counter_add(&metrics->failed_counter, 1);
}

void kin__listener_metrics_note(kin__listener_metrics *metrics, const kin__listener_facts *facts)
{
    if (facts->pending != metrics->pending) {
        kin__gauge_add(&metrics->pending_gauge,
                       (int64_t) facts->pending - (int64_t) metrics->pending);
    }
    if (facts->is_blocking != metrics->is_blocking) {
        kin__gauge_add(&metrics->blocking_gauge, facts->is_blocking ? 1 : -1);
    }
    if (facts->is_active != metrics->is_active) {
        kin__gauge_add(&metrics->active_gauge, facts->is_active ? 1 : -1);
    }
    if (facts->merged != metrics->merged) {
        kin__counter_add(&metrics->merged_counter, facts->merged - metrics->merged);
    }
    metrics->pending = facts->pending;
    metrics->is_blocking = facts->is_blocking;
    metrics->is_active = facts->is_active;
    metrics->merged = facts->merged;
}

/* They have one label more. */
static void add_told(kin__registrar *r, kin__label *type, kin__counter told[3])
{
    static const char *const types[] = { "added", "updated", "deleted" };

    r->label_count++;
    for (int i = 0; i < 3; i++) {
        type->value = types[i];
        kin__registrar_add_counter(r, &told[i], "kin_handler_told_total",
                                   "Notifications that were told.");
    }
    r->label_count--;
}
