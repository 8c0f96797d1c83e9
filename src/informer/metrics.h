/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer/metrics.h - the numbers of an informer, in a registry.
 *
 * Informers of the same name count together.
 *
 * Threading: confined.
 */
#ifndef KIN_INFORMER_METRICS_H
#define KIN_INFORMER_METRICS_H

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/metrics.h"

/* Those before the first one that only goes up are gauges. */
typedef enum kin__informer_number {
    KIN__INFORMER_OBJECTS,
    KIN__INFORMER_OBJECT_BYTES,
    KIN__INFORMER_SYNCED,    /* 1: it is */
    KIN__INFORMER_FOLLOWING, /* 1: its state is that of its source, as far as known */
    KIN__INFORMER_BLOCKED,   /* 1: a handler holds it up */
    KIN__INFORMER_DELTAS,    /* that wait */
    KIN__INFORMER_STORE_BYTES,
    KIN__INFORMER_UNRELEASED,
    KIN__INFORMER_INDEXES,
    KIN__INFORMER_HANDLERS,
    KIN__INFORMER_LISTS,
    KIN__INFORMER_WATCHES,
    KIN__INFORMER_RESTARTS,
    KIN__INFORMER_EVENTS,
    KIN__INFORMER_BOOKMARKS,
    KIN__INFORMER_REFUSED,
    KIN__INFORMER_STALE,
    KIN__INFORMER_UNWANTED,
    KIN__INFORMER_NUMBERS
} kin__informer_number;

#define KIN__INFORMER_GAUGES KIN__INFORMER_LISTS

/* What attempts fail of. */
typedef enum kin__informer_reason {
    KIN__REASON_UNREACHABLE,
    KIN__REASON_DENIED,
    KIN__REASON_MISSING,
    KIN__REASON_EXPIRED,
    KIN__REASON_THROTTLED,
    KIN__REASON_BROKEN,
    KIN__REASON_LOCAL,
    KIN__REASONS
} kin__informer_reason;

kin__informer_reason kin__informer_reason_of(const kin_error *err);

typedef struct kin__informer_metrics kin__informer_metrics;

/* `registry` NULL: nothing is wanted, and `*out` is NULL.  Fails with NO_MEMORY, USAGE (a name that
 * is no label). */
kin_err kin__informer_metrics_new(kin_metrics *registry, const char *name,
                                  kin__informer_metrics **out, kin_error *err) KIN_MUST_CHECK;

/* NULL is ignored, as by the two that follow. */
void kin__informer_metrics_free(kin__informer_metrics *metrics);
KIN__DEFINE_AUTO(kin__informer_metrics, kin__informer_metrics_free)

void kin__informer_metrics_fail(kin__informer_metrics *metrics, kin__informer_reason reason);

/* A list or watch has ended. */
void kin__informer_metrics_call(kin__informer_metrics *metrics, bool is_watch, int64_t took_ms);

/* The numbers as they are now: how much they have changed is counted. */
void kin__informer_metrics_update(kin__informer_metrics *metrics,
                                  const int64_t now[KIN__INFORMER_NUMBERS]);

/* These two are not added up: of informers with one name, the last one's show.  `version`: the last
 * 15 digits count, which is what Prometheus can hold; `ago_ms` below 0: nothing is heard. */
void kin__informer_metrics_stand(kin__informer_metrics *metrics, kin_str version,
                                 const kin__clock *clock, int64_t ago_ms);

#endif /* KIN_INFORMER_METRICS_H */
