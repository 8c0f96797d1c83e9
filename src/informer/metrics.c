/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.c - the numbers of an informer, in a registry.
 */
#include "informer/metrics.h"

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
    { "kin_informer_lists_total", "List requests." },
    { "kin_informer_watches_total", "Watch requests." },
    { "kin_informer_restarts_total", "Whole states that were fetched after the first." },
    { "kin_informer_events_total", "Objects that came, with lists and as changes." },
    { "kin_informer_bookmarks_total", "Bookmarks that came." },
    { "kin_informer_failures_total", "Attempts that failed." },
    { "kin_informer_refused_total", "Objects that a function of the program refused." },
};

kin_err kin__informer_metrics_init(kin__informer_metrics *metrics, kin_metrics *registry,
                                   const char *name, kin_error *err)
{
    kin__label label = { "informer", name };
    kin_err code = KIN_OK;

    metrics->is_wanted = registry != NULL;
    for (int i = 0; i < KIN__INFORMER_NUMBERS && code == KIN_OK; i++) {
        kin__metric metric = {
            .name = rows[i].name, .help = rows[i].help, .labels = &label, .label_count = 1
        };
        code = i < KIN__INFORMER_GAUGES
                   ? kin__gauge_init(&metrics->gauges[i], registry, &metric, err)
                   : kin__counter_init(&metrics->counters[i - KIN__INFORMER_GAUGES], registry,
                                       &metric, err);
    }
    return code;
}

/* What it added to the gauges is taken back. */
void kin__informer_metrics_fini(kin__informer_metrics *metrics)
{
    for (int i = 0; i < KIN__INFORMER_GAUGES; i++) {
        kin__gauge_add(&metrics->gauges[i], -metrics->last[i]);
        kin__gauge_fini(&metrics->gauges[i]);
    }
    for (int i = 0; i < KIN__INFORMER_NUMBERS - KIN__INFORMER_GAUGES; i++) {
        kin__counter_fini(&metrics->counters[i]);
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
