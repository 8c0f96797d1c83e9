/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_autoscaler.c - what horizontal pod autoscalers aim at, and how far they are.
 *
 * autoscaling/v2 has all in spec.metrics and status.currentMetrics.  autoscaling/v1 has only the
 * use of CPU in fields of its own; the rest lies as JSON in two annotations, in words of its own.
 */
#include "object/object.h"
#include "server/printer_kinds.h"

#define SHOWN_MAX 2

/* One metric and its state, whichever version they come from. */
typedef struct metric {
    kin_value spec;
    kin_value status;
    bool is_old; /* in the words of v1 */
} metric;

/* Where the members of a metric are, in v2 and in v1. */
typedef struct member_paths {
    const char *paths[2];
} member_paths;

typedef struct metric_kind {
    kin_str type;
    kin_str member;
    bool has_name;
    bool is_average_only;
    bool is_utilization;         /* where there is no average there is a percentage, not a value */
    bool is_average_told_always; /* a state without an average says "<nil>", not "<unknown>" */
    member_paths target_value, target_average, value, average;
} metric_kind;

#define TARGET_UTILIZATION                                                                         \
    {                                                                                              \
        {                                                                                          \
            "target.averageUtilization", "targetAverageUtilization"                                \
        }                                                                                          \
    }
#define UTILIZATION                                                                                \
    {                                                                                              \
        {                                                                                          \
            "current.averageUtilization", "currentAverageUtilization"                              \
        }                                                                                          \
    }
#define TARGET_AVERAGE                                                                             \
    {                                                                                              \
        {                                                                                          \
            "target.averageValue", "targetAverageValue"                                            \
        }                                                                                          \
    }
#define AVERAGE                                                                                    \
    {                                                                                              \
        {                                                                                          \
            "current.averageValue", "currentAverageValue"                                          \
        }                                                                                          \
    }

static const metric_kind kinds[] = {
    { TEXT("Resource"), TEXT("resource"), true, false, true, true, TARGET_UTILIZATION,
      TARGET_AVERAGE, UTILIZATION, AVERAGE },
    { TEXT("ContainerResource"), TEXT("containerResource"), true, false, true, true,
      TARGET_UTILIZATION, TARGET_AVERAGE, UTILIZATION, AVERAGE },
    { TEXT("Pods"), TEXT("pods"), false, true, false, true, TARGET_AVERAGE, TARGET_AVERAGE, AVERAGE,
      AVERAGE },
    { TEXT("Object"),
      TEXT("object"),
      false,
      false,
      false,
      false,
      { { "target.value", "targetValue" } },
      { { "target.averageValue", "averageValue" } },
      { { "current.value", "currentValue" } },
      { { "current.averageValue", "averageValue" } } },
    { TEXT("External"),
      TEXT("external"),
      false,
      false,
      false,
      false,
      { { "target.value", "targetValue" } },
      TARGET_AVERAGE,
      { { "current.value", "currentValue" } },
      AVERAGE },
};

static int64_t print_new(kin__printer *p);
static int64_t print_old(kin__printer *p);
static bool print_old_cpu(kin__printer *p, kin_iter *statuses, bool has_statuses, int64_t index);
static kin_err parse_annotation(kin__printer *p, const char *name, kin_object **out);
static int64_t print_array(kin__printer *p, kin_value specs, kin_iter *statuses, bool is_old);
static void print_metric(kin__printer *p, const metric *m, int64_t index);
static void print_metric_of(kin__printer *p, const metric *m, const metric_kind *kind);
static void add_amount(kin__printer *p, kin_value value);
static void add_percent(kin__printer *p, kin_value value, kin_str otherwise);

void kin__print_metrics(kin__printer *p)
{
    bool is_old = kin__str_equal(kin_object_api_version(p->object), STR("autoscaling/v1"));

    kin__cell_begin(p);
    int64_t count = is_old ? print_old(p) : print_new(p);
    if (count == 0) {
        kin__cell_add(p, STR("<none>"));
    } else if (count > SHOWN_MAX) {
        kin__cell_add(p, STR(" + "));
        kin__cell_add_number(p, count - SHOWN_MAX);
        kin__cell_add(p, STR(" more..."));
    }
    kin__cell_end(p);
}

static int64_t print_new(kin__printer *p)
{
    kin_iter statuses = kin_value_iter(kin_object_at(p->object, "status.currentMetrics"));

    return print_array(p, kin_object_at(p->object, "spec.metrics"), &statuses, false);
}

/* Those of the annotation come first, then CPU. */
static int64_t print_old(kin__printer *p)
{
    AUTO(kin_object_unref) const kin_object *specs = NULL;
    AUTO(kin_object_unref) const kin_object *states = NULL;
    kin_object *parsed = NULL;

    if (parse_annotation(p, "autoscaling.alpha.kubernetes.io/metrics", &parsed) == KIN_OK) {
        specs = parsed;
    }
    if (parse_annotation(p, "autoscaling.alpha.kubernetes.io/current-metrics", &parsed) == KIN_OK) {
        states = parsed;
    }
    kin_iter statuses =
        kin_value_iter(states == NULL ? (kin_value){ 0 } : kin_object_at(states, "list"));
    kin_value list = specs == NULL ? (kin_value){ 0 } : kin_object_at(specs, "list");
    int64_t count = print_array(p, list, &statuses, true);
    return count + print_old_cpu(p, &statuses, states != NULL, count);
}

/* True when there is such a metric. */
static bool print_old_cpu(kin__printer *p, kin_iter *statuses, bool has_statuses, int64_t index)
{
    kin_value target = kin_object_at(p->object, "spec.targetCPUUtilizationPercentage");
    kin_value current = { 0 };

    if (!kin__value_is_there(target)) {
        return false;
    }
    if (has_statuses) {
        current = kin_iter_next(statuses)
                      ? kin_value_at(statuses->value, "resource.currentAverageUtilization")
                      : current;
    } else if (index == 0) {
        current = kin_object_at(p->object, "status.currentCPUUtilizationPercentage");
    }
    if (index < SHOWN_MAX) {
        kin__cell_add(p, index == 0 ? STR("cpu: ") : STR(", cpu: "));
        add_percent(p, current, STR("<unknown>"));
        kin__cell_add(p, STR("/"));
        add_percent(p, target, STR("<auto>"));
    }
    return true;
}

/* An object whose member "list" is the JSON of an annotation. */
static kin_err parse_annotation(kin__printer *p, const char *name, kin_object **out)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_value annotation = kin_object_annotation(p->object, kin_str_of(name));
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin_error ignored;

    if (!kin__value_is_filled(annotation)) {
        return KIN_ERR_NOT_FOUND;
    }
    options.allows_no_name = true;
    (void) kin__buf_append_str(&json, STR("{\"list\":"));
    (void) kin__value_append(annotation, &json);
    (void) kin__buf_append_byte(&json, '}');
    p->has_failed |= kin__buf_failed(&json);
    kin_err code = kin_object_from_json(json.data, json.len, &options, out, &ignored);
    p->has_failed |= code == KIN_ERR_NO_MEMORY;
    return code;
}

/* The states are told in the order of the metrics.  Returns how many metrics there are. */
static int64_t print_array(kin__printer *p, kin_value specs, kin_iter *statuses, bool is_old)
{
    kin_iter iter = kin_value_iter(specs);
    int64_t count = 0;

    for (; kin_iter_next(&iter); count++) {
        metric m = { .spec = iter.value, .is_old = is_old };
        if (kin_iter_next(statuses)) {
            m.status = statuses->value;
        }
        if (count < SHOWN_MAX) {
            print_metric(p, &m, count);
        }
    }
    return count;
}

static void print_metric(kin__printer *p, const metric *m, int64_t index)
{
    kin_value type = kin_value_member(m->spec, STR("type"));

    kin__cell_add(p, index == 0 ? STR("") : STR(", "));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kin__value_is(type, kinds[i].type)) {
            print_metric_of(p, m, &kinds[i]);
            return;
        }
    }
    kin__cell_add(p, STR("<unknown type>"));
}

/* CURRENT/TARGET, with the name of a resource before it. */
static void print_metric_of(kin__printer *p, const metric *m, const metric_kind *kind)
{
    kin_value spec = kin_value_member(m->spec, kind->member);
    kin_value status = kin_value_member(m->status, kind->member);
    kin_value average = kin_value_at(spec, kind->target_average.paths[m->is_old]);
    bool is_average = kind->is_average_only || kin__value_is_there(average);
    const member_paths *now = is_average ? &kind->average : &kind->value;
    kin_value current = kin_value_at(status, now->paths[m->is_old]);
    bool is_told = kin__value_is_there(current);

    if (is_average ? kind->is_average_told_always : !kind->is_utilization) {
        is_told = kin__value_is_there(status);
    }
    if (kind->has_name) {
        kin__cell_add_value(p, kin_value_member(spec, STR("name")));
        kin__cell_add(p, STR(": "));
    }
    if (!is_average && kind->is_utilization) {
        add_percent(p, current, STR("<unknown>"));
        kin__cell_add(p, STR("/"));
        add_percent(p, kin_value_at(spec, kind->target_value.paths[m->is_old]), STR("<auto>"));
        return;
    }
    if (is_told) {
        add_amount(p, current);
    } else {
        kin__cell_add(p, STR("<unknown>"));
    }
    kin__cell_add(p, STR("/"));
    add_amount(p, is_average ? average : kin_value_at(spec, kind->target_value.paths[m->is_old]));
    if (is_average && !kind->is_average_told_always) {
        kin__cell_add(p, STR(" (avg)"));
    }
}

/* Go prints a quantity that is not there like this. */
static void add_amount(kin__printer *p, kin_value value)
{
    if (kin__value_is_there(value)) {
        kin__cell_add_quantity(p, value);
    } else {
        kin__cell_add(p, STR("<nil>"));
    }
}

static void add_percent(kin__printer *p, kin_value value, kin_str otherwise)
{
    if (!kin__value_is_there(value)) {
        kin__cell_add(p, otherwise);
        return;
    }
    kin__cell_add_number(p, kin__value_number(value));
    kin__cell_add(p, STR("%"));
}
