/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/listener_metrics.h - the numbers of a handler: kept, and in a registry.
 *
 * Handlers of the same name at informers of the same name count together in a registry.
 *
 * Threading: confined, init and fini; counting is the listener's, with its lock held.
 */
#ifndef KIN_CACHE_LISTENER_METRICS_H
#define KIN_CACHE_LISTENER_METRICS_H

#include "base/clock.h"
#include "base/metrics.h"
#include "kin/registration.h"

/* What a listener counts with.  All zero: for itself only, on the system's clock. */
typedef struct kin__listener_counting {
    kin_metrics *registry;   /* NULL: none */
    const char *informer;    /* borrowed for the call */
    const kin__clock *clock; /* outlives the listener */
} kin__listener_counting;

typedef struct kin__listener_metrics {
    const kin__clock *clock;
    /* As the program sees them. */
    uint64_t told;
    uint64_t told_by_type[3]; /* kin_notification_type - 1 */
    uint64_t filtered;
    uint64_t dropped;
    int64_t calls_ns;
    int64_t longest_ns;
    /* In the registry, and what was counted there before. */
    uint64_t merged;
    size_t pending;
    bool is_blocking;
    bool is_active;
    kin__gauge pending_gauge;
    kin__gauge blocking_gauge;
    kin__gauge active_gauge;
    kin__counter told_counters[3];
    kin__counter filtered_counter;
    kin__counter merged_counter;
    kin__counter dropped_counter;
    kin__counter failed_counter;
    kin__histogram call_seconds;
    kin__histogram lag_seconds;
} kin__listener_metrics;

/* How a listener stands. */
typedef struct kin__listener_facts {
    size_t pending;
    uint64_t merged;
    bool is_blocking;
    bool is_active;
} kin__listener_facts;

/* Fails with NO_MEMORY, USAGE (a name that is no label); then kin__listener_metrics_fini() is still
 * to be called. */
kin_err kin__listener_metrics_init(kin__listener_metrics *metrics,
                                   const kin__listener_counting *counting, const char *handler,
                                   kin_error *err) KIN_MUST_CHECK;
void kin__listener_metrics_fini(kin__listener_metrics *metrics);

int64_t kin__listener_metrics_now_ns(const kin__listener_metrics *metrics);

/* A call has been made: for `type`, which the filter let through or not, and which had waited. */
void kin__listener_metrics_call(kin__listener_metrics *metrics, kin_notification_type type,
                                bool is_told, int64_t waited_ns, int64_t took_ns);
void kin__listener_metrics_drop(kin__listener_metrics *metrics, size_t count);
void kin__listener_metrics_fail(kin__listener_metrics *metrics);

/* What the gauges show. */
void kin__listener_metrics_note(kin__listener_metrics *metrics, const kin__listener_facts *facts);

#endif /* KIN_CACHE_LISTENER_METRICS_H */
