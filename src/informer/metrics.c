/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.c - the numbers of an informer, in a registry.
 */
#include "informer/metrics.h"

#include "base/alloc.h"
#include "base/error.h"
#include "cache/failure.h"

#define SECOND 1000000000
#define MILLISECOND 1000000
#define VERSION_DIGITS 15

struct kin__informer_metrics {
    kin__counter failures[KIN__REASONS];
    kin__histogram list_seconds;
    kin__histogram watch_seconds;
    kin__gauge version;
    kin__gauge heard;
    kin__gauge gauges[KIN__INFORMER_GAUGES];
    kin__counter counters[KIN__INFORMER_NUMBERS - KIN__INFORMER_GAUGES];
    int64_t last[KIN__INFORMER_NUMBERS];
};

static const struct {
    const char *name;
    const char *help;
} rows[KIN__INFORMER_NUMBERS] = {
    { "kin_informer_objects", "Objects in the store." },
    { "kin_informer_object_bytes", "Bytes of the objects in the store." },
    { "kin_informer_synced", "Informers whose store has held the whole state." },
    { "kin_informer_following", "Informers that have an open watch." },
    { "kin_informer_blocked", "Informers that rest because a handler is behind." },
    { "kin_informer_queued_deltas", "Changes that came and are not in the store yet." },
    { "kin_informer_store_bytes", "Bytes of the store's own structures." },
    { "kin_informer_unreleased_parts",
      "Parts of the store that are gone and held by read sections or snapshots." },
    { "kin_informer_indexes", "Indexes of the store." },
    { "kin_informer_handlers", "Handlers that have not ended." },
    { "kin_informer_lists_total", "List requests." },
    { "kin_informer_watches_total", "Watch requests." },
    { "kin_informer_restarts_total", "Whole states that were fetched after the first." },
    { "kin_informer_events_total", "Objects that came, with lists and as changes." },
    { "kin_informer_bookmarks_total", "Bookmarks that came." },
    { "kin_informer_refused_total", "Objects that a function of the program refused." },
    { "kin_informer_stale_events_total", "Changes that were not newer than what was known." },
    { "kin_informer_unwanted_objects_total", "Objects of another kind that came." },
};

static const char *const reasons[KIN__REASONS] = { "unreachable", "denied", "missing", "expired",
                                                   "throttled",   "broken", "local" };

static const int64_t list_bounds[] = {
    SECOND / 100, SECOND / 20,   SECOND / 10,   SECOND / 2,     SECOND,
    5LL * SECOND, 10LL * SECOND, 60LL * SECOND, 600LL * SECOND,
};
static const int64_t watch_bounds[] = { SECOND,         10LL * SECOND,  60LL * SECOND,
                                        300LL * SECOND, 600LL * SECOND, 1800LL * SECOND };

static kin_err add_numbers(kin__informer_metrics *metrics, kin_metrics *registry,
                           const kin__label *label, kin_error *err);
static kin_err add_failures(kin__informer_metrics *metrics, kin_metrics *registry, const char *name,
                            kin_error *err);
static kin_err add_durations(kin__informer_metrics *metrics, kin_metrics *registry,
                             const kin__label *label, kin_error *err);
static kin_err add_stand(kin__informer_metrics *metrics, kin_metrics *registry,
                         const kin__label *label, kin_error *err);

kin_err kin__informer_metrics_new(kin_metrics *registry, const char *name,
                                  kin__informer_metrics **out, kin_error *err)
{
    kin__label label = { "informer", name };

    *out = NULL;
    if (registry == NULL) {
        return KIN_OK;
    }
    AUTO(kin__informer_metrics_free)
    kin__informer_metrics *metrics = kin__alloc_zero(1, sizeof *metrics);
    if (metrics == NULL) {
        return kin__error_no_memory(err);
    }
    if (add_numbers(metrics, registry, &label, err) != KIN_OK ||
        add_failures(metrics, registry, name, err) != KIN_OK ||
        add_durations(metrics, registry, &label, err) != KIN_OK ||
        add_stand(metrics, registry, &label, err) != KIN_OK) {
        return err->code;
    }
    *out = STEAL(metrics);
    return KIN_OK;
}

/* What it added to the gauges is taken back. */
void kin__informer_metrics_free(kin__informer_metrics *metrics)
{
    if (metrics == NULL) {
        return;
    }
    for (int i = 0; i < KIN__INFORMER_GAUGES; i++) {
        kin__gauge_add(&metrics->gauges[i], -metrics->last[i]);
        kin__gauge_fini(&metrics->gauges[i]);
    }
    for (int i = 0; i < KIN__INFORMER_NUMBERS - KIN__INFORMER_GAUGES; i++) {
        kin__counter_fini(&metrics->counters[i]);
    }
    for (int i = 0; i < KIN__REASONS; i++) {
        kin__counter_fini(&metrics->failures[i]);
    }
    kin__histogram_fini(&metrics->list_seconds);
    kin__histogram_fini(&metrics->watch_seconds);
    kin__gauge_fini(&metrics->version);
    kin__gauge_fini(&metrics->heard);
    kin__free(metrics);
}

kin__informer_reason kin__informer_reason_of(const kin_error *err)
{
    switch (kin__failure_of(err, NULL)) {
    case KIN__FAILURE_EXPIRED:
    case KIN__FAILURE_TOO_LARGE:
        return KIN__REASON_EXPIRED;
    case KIN__FAILURE_AWAY:
        return KIN__REASON_UNREACHABLE;
    case KIN__FAILURE_THROTTLED:
        return KIN__REASON_THROTTLED;
    case KIN__FAILURE_DENIED:
        return err->code == KIN_ERR_NOT_FOUND ? KIN__REASON_MISSING : KIN__REASON_DENIED;
    case KIN__FAILURE_LOCAL:
        return KIN__REASON_LOCAL;
    case KIN__FAILURE_UNFIT:
    case KIN__FAILURE_BROKEN:
        break;
    }
    return KIN__REASON_BROKEN;
}

void kin__informer_metrics_fail(kin__informer_metrics *metrics, kin__informer_reason reason)
{
    if (metrics != NULL) {
        kin__counter_add(&metrics->failures[reason], 1);
    }
}

void kin__informer_metrics_call(kin__informer_metrics *metrics, bool is_watch, int64_t took_ms)
{
    if (metrics != NULL) {
        kin__histogram_observe(is_watch ? &metrics->watch_seconds : &metrics->list_seconds,
                               took_ms * MILLISECOND);
    }
}

void kin__informer_metrics_stand(kin__informer_metrics *metrics, kin_str version,
                                 const kin__clock *clock, int64_t ago_ms)
{
    kin_time wall = kin__clock_wall(clock);
    int64_t number = 0;

    for (size_t i = version.len > VERSION_DIGITS ? version.len - VERSION_DIGITS : 0;
         i < version.len && version.data[i] >= '0' && version.data[i] <= '9'; i++) {
        number = number * 10 + (version.data[i] - '0');
    }
    kin__gauge_set(&metrics->version, number);
    if (ago_ms >= 0) {
        kin__gauge_set(&metrics->heard,
                       wall.seconds * SECOND + wall.nanoseconds - ago_ms * MILLISECOND);
    }
}

void kin__informer_metrics_update(kin__informer_metrics *metrics,
                                  const int64_t now[KIN__INFORMER_NUMBERS])
{
    for (int i = 0; i < KIN__INFORMER_NUMBERS; i++) {
        int64_t more = now[i] - metrics->last[i];

        if (more != 0 && i < KIN__INFORMER_GAUGES) {
            kin__gauge_add(&metrics->gauges[i], more);
        } else if (more > 0) {
            kin__counter_add(&metrics->counters[i - KIN__INFORMER_GAUGES], (uint64_t) more);
        }
        metrics->last[i] = now[i];
    }
}

static kin_err add_numbers(kin__informer_metrics *metrics, kin_metrics *registry,
                           const kin__label *label, kin_error *err)
{
    kin_err code = KIN_OK;

    for (int i = 0; i < KIN__INFORMER_NUMBERS && code == KIN_OK; i++) {
        kin__metric metric = {
            .name = rows[i].name, .help = rows[i].help, .labels = label, .label_count = 1
        };
        code = i < KIN__INFORMER_GAUGES
                   ? kin__gauge_init(&metrics->gauges[i], registry, &metric, err)
                   : kin__counter_init(&metrics->counters[i - KIN__INFORMER_GAUGES], registry,
                                       &metric, err);
    }
    return code;
}

static kin_err add_failures(kin__informer_metrics *metrics, kin_metrics *registry, const char *name,
                            kin_error *err)
{
    kin_err code = KIN_OK;

    for (int i = 0; i < KIN__REASONS && code == KIN_OK; i++) {
        kin__label labels[] = { { "informer", name }, { "reason", reasons[i] } };
        kin__metric metric = { .name = "kin_informer_failures_total",
                               .help = "Attempts that failed, those that are part of the protocol "
                                       "included (an expired version).",
                               .labels = labels,
                               .label_count = 2 };
        code = kin__counter_init(&metrics->failures[i], registry, &metric, err);
    }
    return code;
}

static kin_err add_durations(kin__informer_metrics *metrics, kin_metrics *registry,
                             const kin__label *label, kin_error *err)
{
    kin__metric list = { .name = "kin_informer_list_duration_seconds",
                         .help = "How long list requests take, each page by itself.",
                         .unit = KIN__UNIT_SECONDS,
                         .labels = label,
                         .label_count = 1,
                         .bounds = list_bounds,
                         .bound_count = sizeof list_bounds / sizeof list_bounds[0] };
    kin__metric watch = { .name = "kin_informer_watch_duration_seconds",
                          .help = "How long watches last, streaming lists included.",
                          .unit = KIN__UNIT_SECONDS,
                          .labels = label,
                          .label_count = 1,
                          .bounds = watch_bounds,
                          .bound_count = sizeof watch_bounds / sizeof watch_bounds[0] };
    kin_err code = kin__histogram_init(&metrics->list_seconds, registry, &list, err);

    return code == KIN_OK ? kin__histogram_init(&metrics->watch_seconds, registry, &watch, err)
                          : code;
}

static kin_err add_stand(kin__informer_metrics *metrics, kin_metrics *registry,
                         const kin__label *label, kin_error *err)
{
    kin__metric version = { .name = "kin_informer_resource_version",
                            .help = "The resource version that the store stands at, its last 15 "
                                    "digits.",
                            .labels = label,
                            .label_count = 1 };
    kin__metric heard = { .name = "kin_informer_heard_timestamp_seconds",
                          .help = "When the last thing came on an open watch, bookmarks included.",
                          .unit = KIN__UNIT_SECONDS,
                          .labels = label,
                          .label_count = 1 };
    kin_err code = kin__gauge_init(&metrics->version, registry, &version, err);

    return code == KIN_OK ? kin__gauge_init(&metrics->heard, registry, &heard, err) : code;
}
