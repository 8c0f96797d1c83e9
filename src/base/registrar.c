/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registrar.c - several metrics of one thing, entered into a registry one after the other.
 */
#include "base/registrar.h"

static kin__metric metric_of(const kin__registrar *r, kin__unit unit, const char *name,
                             const char *help);

void kin__registrar_add_counter(kin__registrar *r, kin__counter *counter, const char *name,
                                const char *help)
{
    const kin__metric metric = metric_of(r, KIN__UNIT_ONE, name, help);

    if (r->code == KIN_OK) {
        r->code = kin__counter_init(counter, r->registry, &metric, r->err);
    }
}

void kin__registrar_add_gauge(kin__registrar *r, kin__gauge *gauge, kin__unit unit,
                              const char *name, const char *help)
{
    const kin__metric metric = metric_of(r, unit, name, help);

    if (r->code == KIN_OK) {
        r->code = kin__gauge_init(gauge, r->registry, &metric, r->err);
    }
}

void kin__registrar_add_histogram(kin__registrar *r, kin__histogram *histogram, const char *name,
                                  const char *help)
{
    kin__metric metric = metric_of(r, KIN__UNIT_SECONDS, name, help);

    metric.bounds = r->bounds;
    metric.bound_count = r->bound_count;
    if (r->code == KIN_OK) {
        r->code = kin__histogram_init(histogram, r->registry, &metric, r->err);
    }
}

static kin__metric metric_of(const kin__registrar *r, kin__unit unit, const char *name,
                             const char *help)
{
    return (kin__metric){
        .name = name, .help = help, .unit = unit, .labels = r->labels, .label_count = r->label_count
    };
}
