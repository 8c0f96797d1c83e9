/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversion_autoscaler.c - metrics as members, and as annotations.
 *
 * v1 has members for one metric, the use of processors.  All the others, what was measured, the
 * conditions and the behavior stand in annotations there, so that nothing is lost on the way
 * through v1: as JSON of types that are flatter than v2's, and of Go's own names for the behavior.
 * An annotation that cannot be read is dropped without a word.
 *
 * After pkg/apis/autoscaling/v1/conversion.go of kubernetes 1.36.
 */
#include "server/conversion_autoscaler.h"

#include <string.h>

#include "json/scanner.h"
#include "server/codec.h"
#include "server/field.h"

#define NOTE "autoscaling.alpha.kubernetes.io/"
#define PERCENT_DEFAULT "80"

/* A member of a metric's source in v1, and where v2 has it. */
typedef struct part_row {
    const char *source;      /* "pods" */
    const char *flat;        /* in v1: "metricName" */
    const char *part, *name; /* in v2: "metric", "name"; without a part it stands in the source */
    bool is_always;          /* a quantity that v1 cannot leave out: "0" */
} part_row;

/* Each in the order of v1. */
static const part_row spec_parts[] = {
    { "object", "target", NULL, "describedObject", false },
    { "object", "metricName", "metric", "name", false },
    { "object", "targetValue", "target", "value", true },
    { "object", "selector", "metric", "selector", false },
    { "object", "averageValue", "target", "averageValue", false },
    { "pods", "metricName", "metric", "name", false },
    { "pods", "targetAverageValue", "target", "averageValue", true },
    { "pods", "selector", "metric", "selector", false },
    { "resource", "name", NULL, "name", false },
    { "resource", "targetAverageUtilization", "target", "averageUtilization", false },
    { "resource", "targetAverageValue", "target", "averageValue", false },
    { "containerResource", "name", NULL, "name", false },
    { "containerResource", "targetAverageUtilization", "target", "averageUtilization", false },
    { "containerResource", "targetAverageValue", "target", "averageValue", false },
    { "containerResource", "container", NULL, "container", false },
    { "external", "metricName", "metric", "name", false },
    { "external", "metricSelector", "metric", "selector", false },
    { "external", "targetValue", "target", "value", false },
    { "external", "targetAverageValue", "target", "averageValue", false },
    { NULL, NULL, NULL, NULL, false },
};

static const part_row state_parts[] = {
    { "object", "target", NULL, "describedObject", false },
    { "object", "metricName", "metric", "name", false },
    { "object", "currentValue", "current", "value", true },
    { "object", "selector", "metric", "selector", false },
    { "object", "averageValue", "current", "averageValue", false },
    { "pods", "metricName", "metric", "name", false },
    { "pods", "currentAverageValue", "current", "averageValue", true },
    { "pods", "selector", "metric", "selector", false },
    { "resource", "name", NULL, "name", false },
    { "resource", "currentAverageUtilization", "current", "averageUtilization", false },
    { "resource", "currentAverageValue", "current", "averageValue", true },
    { "containerResource", "name", NULL, "name", false },
    { "containerResource", "currentAverageUtilization", "current", "averageUtilization", false },
    { "containerResource", "currentAverageValue", "current", "averageValue", true },
    { "containerResource", "container", NULL, "container", false },
    { "external", "metricName", "metric", "name", false },
    { "external", "metricSelector", "metric", "selector", false },
    { "external", "currentValue", "current", "value", true },
    { "external", "currentAverageValue", "current", "averageValue", false },
    { NULL, NULL, NULL, NULL, false },
};

/* An annotation and the member of v2 that it stands for.  `shape` makes of its JSON what v2 has,
 * and leaves alone what makes no sense; NULL: no memory. */
typedef struct note_row {
    const char *annotation, *part, *member;
    kin__node *(*shape)(const kin__node *given);
} note_row;

static kin__node *deepen_specs(const kin__node *metrics);
static kin__node *deepen_states(const kin__node *metrics);
static kin__node *lower_names(const kin__node *given);

static const note_row metrics_note = { NOTE "metrics", "spec", "metrics", deepen_specs };
static const note_row behavior_note = { NOTE "behavior", "spec", "behavior", lower_names };
static const note_row states_note = { NOTE "current-metrics", "status", "currentMetrics",
                                      deepen_states };
static const note_row conditions_note = { NOTE "conditions", "status", "conditions",
                                          kin__tree_copy };

static bool gather_metrics(kin__node *tree);
static bool gather_states(kin__node *tree);
static bool gather(kin__node *tree, const note_row *note);
static bool read_note(const kin__node *tree, const note_row *note, kin__node **out);
static bool decode_note(const note_row *note, const kin__node *shaped, kin__node **out);
static bool append_cpu(kin__node *metrics, const char *part, const char *type, kin_str percent);
static kin__node *deepen(const kin__node *metrics, const part_row *parts);
static kin__node *deepen_metric(const kin__node *flat, const part_row *parts);
static bool deepen_member(kin__node *metric, const kin__node *flat, const part_row *row);
static bool set_target_type(kin__node *metric);
static bool is_zero(const kin__node *quantity);
static bool scatter_metrics(kin__node *tree);
static bool scatter_states(kin__node *tree);
static bool scatter_behavior(kin__node *tree);
static bool scatter_conditions(kin__node *tree);
static bool set_note(kin__node *tree, const note_row *note, const kin__node *list);
static bool set_note_text(kin__node *tree, const note_row *note, const kin__buf *text);
static const kin__node *cpu_percent(const kin__node *metric, const char *part);
static kin__node *flatten(const kin__node *metric, const part_row *parts);
static bool flatten_member(kin__node *flat, const kin__node *metric, const part_row *row);
static void write_rules(kin__json_writer *w, const char *go_name, const kin__node *rules);
static void write_policies(kin__json_writer *w, const kin__node *policies);
static void write_member(kin__json_writer *w, const char *go_name, const kin__node *value);

bool kin__autoscaler_to_stored(kin__node *tree)
{
    return gather_metrics(tree) && gather(tree, &behavior_note) && gather_states(tree) &&
           gather(tree, &conditions_note) && kin__autoscaler_drop_notes(tree);
}

bool kin__autoscaler_from_stored(kin__node *tree)
{
    return scatter_metrics(tree) && scatter_states(tree) && scatter_behavior(tree) &&
           scatter_conditions(tree);
}

bool kin__autoscaler_drop_notes(kin__node *tree)
{
    static const char *const notes[] = {
        NOTE "metrics",    NOTE "behavior",           NOTE "current-metrics",
        NOTE "conditions", NOTE "scale-up-tolerance", NOTE "scale-down-tolerance",
    };
    kin__node *annotations = kin__field_at(tree, "metadata", "annotations");

    for (size_t i = 0; annotations != NULL && i < sizeof notes / sizeof notes[0]; i++) {
        kin__field_remove(annotations, notes[i]);
    }
    return true;
}

/* ---- from v1 ----------------------------------------------------------------------------------
 */

/* Those of the annotation, then the one that v1 has a member for; when there are none at all, the
 * one that controllers have always assumed. */
static bool gather_metrics(kin__node *tree)
{
    kin__node *spec = kin__field_make(tree, "spec", KIN_TYPE_OBJECT);
    AUTO(kin__node_free) kin__node *metrics = NULL;
    AUTO(kin__node_free) kin__node *percent = NULL;
    kin_error err;

    if (spec == NULL || !read_note(tree, &metrics_note, &metrics)) {
        return false;
    }
    percent = kin__node_take_member(spec, STR("targetCPUUtilizationPercentage"));
    if (metrics == NULL && kin__node_container(KIN_TYPE_ARRAY, &metrics, &err) != KIN_OK) {
        return false;
    }
    if ((percent != NULL || kin__node_count(metrics) == 0) &&
        !append_cpu(metrics, "target", "\"type\":\"Utilization\",",
                    percent == NULL ? STR(PERCENT_DEFAULT) : kin__node_text(percent))) {
        return false;
    }
    return kin__field_set(spec, "metrics", STEAL(metrics));
}

/* The annotation has more to tell than the member. */
static bool gather_states(kin__node *tree)
{
    kin__node *status = kin__field(tree, "status");
    AUTO(kin__node_free) kin__node *percent = NULL;

    if (status == NULL) {
        return gather(tree, &states_note);
    }
    percent = kin__node_take_member(status, STR("currentCPUUtilizationPercentage"));
    if (percent != NULL) {
        kin__node *states = kin__field_make(status, "currentMetrics", KIN_TYPE_ARRAY);
        if (states == NULL || !append_cpu(states, "current", "", kin__node_text(percent))) {
            return false;
        }
    }
    return gather(tree, &states_note);
}

static bool gather(kin__node *tree, const note_row *note)
{
    AUTO(kin__node_free) kin__node *value = NULL;

    if (!read_note(tree, note, &value)) {
        return false;
    }
    if (value == NULL || kin__node_count(value) == 0) {
        return true;
    }
    kin__node *part = kin__field_make(tree, note->part, KIN_TYPE_OBJECT);
    return part != NULL && kin__field_set(part, note->member, STEAL(value));
}

/* What an annotation says, as v2's decoder takes it; NULL when that is nothing. */
static bool read_note(const kin__node *tree, const note_row *note, kin__node **out)
{
    kin_str said =
        kin__field_text(kin__field_at(tree, "metadata", "annotations"), note->annotation);
    AUTO(kin__node_free) kin__node *given = NULL;
    AUTO(kin__node_free) kin__node *shaped = NULL;
    kin_error err;

    if (said.len == 0) {
        return true;
    }
    if (kin__json_check(said, &err) != KIN_OK) {
        return err.code != KIN_ERR_NO_MEMORY;
    }
    given = kin__tree_of(said);
    shaped = given == NULL ? NULL : note->shape(given);
    return shaped != NULL && decode_note(note, shaped, out);
}

static bool decode_note(const note_row *note, const kin__node *shaped, kin__node **out)
{
    const kin_str api_version = STR("autoscaling/v2");
    const kin_str name = STR("HorizontalPodAutoscaler");
    const kin__codec_kind kind = { api_version, name, kin__pb_message_of(api_version, name) };
    AUTO(kin__node_free) kin__node *object = NULL;
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__json_writer w = { &text, false };

    kin__json_begin(&w, '{');
    kin__json_key(&w, kin_str_of(note->part));
    kin__json_begin(&w, '{');
    kin__json_key(&w, kin_str_of(note->member));
    kin__node_write(shaped, &w);
    kin__json_end(&w, '}');
    kin__json_end(&w, '}');
    if (kin__buf_failed(&text)) {
        return false;
    }
    const kin__codec_body body = { kin__str(text.data, text.len), false, KIN__FIELDS_IGNORE };
    if (!kin__codec_decode(&kind, &body, &object, &warnings, &no)) {
        return !no.has_no_memory;
    }
    kin__node *part = kin__field(object, note->part);
    *out = part == NULL ? NULL : kin__node_take_member(part, kin_str_of(note->member));
    return true;
}

static bool append_cpu(kin__node *metrics, const char *part, const char *type, kin_str percent)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    kin_error err;

    if (!kin__buf_append_format(&text,
                                "{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"%s\":"
                                "{%s\"averageUtilization\":%.*s}}}",
                                part, type, KIN_STR_ARG(percent))) {
        return false;
    }
    kin__node *metric = kin__tree_of(kin__str(text.data, text.len));
    if (metric == NULL || kin__node_append(metrics, metric, &err) != KIN_OK) {
        kin__node_free(metric);
        return false;
    }
    return true;
}

static kin__node *deepen_specs(const kin__node *metrics)
{
    AUTO(kin__node_free) kin__node *made = deepen(metrics, spec_parts);

    for (size_t i = 0; made != NULL && i < kin__node_count(made); i++) {
        if (!set_target_type(kin__node_element(made, i))) {
            return NULL;
        }
    }
    return STEAL(made);
}

static kin__node *deepen_states(const kin__node *metrics)
{
    return deepen(metrics, state_parts);
}

static kin__node *deepen(const kin__node *metrics, const part_row *parts)
{
    AUTO(kin__node_free) kin__node *made = NULL;
    kin__node_iter iter = { 0 };
    kin_error err;

    if (kin__node_type(metrics) != KIN_TYPE_ARRAY) {
        return kin__tree_copy(metrics);
    }
    if (kin__node_container(KIN_TYPE_ARRAY, &made, &err) != KIN_OK) {
        return NULL;
    }
    while (kin__node_next(metrics, &iter)) {
        kin__node *metric = deepen_metric(iter.value, parts);
        if (metric == NULL || kin__node_append(made, metric, &err) != KIN_OK) {
            kin__node_free(metric);
            return NULL;
        }
    }
    return STEAL(made);
}

static kin__node *deepen_metric(const kin__node *flat, const part_row *parts)
{
    AUTO(kin__node_free) kin__node *metric = NULL;
    kin_error err;

    if (kin__node_type(flat) != KIN_TYPE_OBJECT) {
        return kin__tree_copy(flat);
    }
    if (kin__node_container(KIN_TYPE_OBJECT, &metric, &err) != KIN_OK ||
        !kin__field_copy(metric, flat, "type")) {
        return NULL;
    }
    for (const part_row *row = parts; row->source != NULL; row++) {
        if (!deepen_member(metric, flat, row)) {
            return NULL;
        }
    }
    return STEAL(metric);
}

static bool deepen_member(kin__node *metric, const kin__node *flat, const part_row *row)
{
    const kin__node *source = kin__field(flat, row->source);

    if (source == NULL || kin__node_type(source) != KIN_TYPE_OBJECT) {
        return kin__field_copy(metric, flat,
                               row->source); /* nothing, or for the decoder to refuse */
    }
    const kin__node *value = kin__field(source, row->flat);
    kin__node *place = kin__field_make(metric, row->source, KIN_TYPE_OBJECT);
    if (place != NULL && row->part != NULL) {
        place = kin__field_make(place, row->part, KIN_TYPE_OBJECT);
    }
    if (place == NULL) {
        return false;
    }
    if (value == NULL || kin__node_type(value) == KIN_TYPE_NULL) {
        return !row->is_always || kin__field_set_text(place, row->name, STR("0"));
    }
    return kin__field_set(place, row->name, kin__tree_copy(value));
}

/* v1 does not say what a target is: its values do. */
static bool set_target_type(kin__node *metric)
{
    static const char *const sources[] = { "object", "pods", "resource", "containerResource",
                                           "external" };

    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        kin__node *target = kin__field_at(metric, sources[i], "target");
        bool has_average = kin__field(target, "averageValue") != NULL;
        bool has_value = kin__field(target, "value") != NULL;
        if (target == NULL || kin__node_type(target) != KIN_TYPE_OBJECT) {
            continue;
        }
        if (i == 0 && has_average && is_zero(kin__field(target, "value"))) {
            kin__field_remove(target, "value");
        }
        kin_str type = kin__field(target, "averageUtilization") != NULL ? STR("Utilization")
                       : has_value && !(i == 0 && has_average)          ? STR("Value")
                                                                        : STR("AverageValue");
        if (!kin__field_set_text(target, "type", type)) {
            return false;
        }
    }
    return true;
}

static bool is_zero(const kin__node *quantity)
{
    kin_str text = quantity == NULL ? STR("") : kin__node_text(quantity);
    size_t i = 0;

    while (i < text.len && strchr("+-0.", text.data[i]) != NULL) {
        i++;
    }
    return i == text.len || text.data[i] < '1' || text.data[i] > '9';
}

/* Go's names begin with a capital letter. */
static kin__node *lower_names(const kin__node *given)
{
    AUTO(kin__node_free) kin__node *made = NULL;
    kin__node_iter iter = { 0 };
    kin_error err;

    if (kin__node_type(given) != KIN_TYPE_OBJECT && kin__node_type(given) != KIN_TYPE_ARRAY) {
        return kin__tree_copy(given);
    }
    if (kin__node_container(kin__node_type(given), &made, &err) != KIN_OK) {
        return NULL;
    }
    while (kin__node_next(given, &iter)) {
        char name[64] = "";
        size_t len = iter.name.len < sizeof name ? iter.name.len : 0;
        kin__node *value = lower_names(iter.value);
        if (value == NULL) {
            return NULL;
        }
        if (len > 0) {
            memcpy(name, iter.name.data, len);
        }
        name[0] = (char) (name[0] >= 'A' && name[0] <= 'Z' ? name[0] - 'A' + 'a' : name[0]);
        if ((kin__node_type(given) == KIN_TYPE_ARRAY
                 ? kin__node_append(made, value, &err)
                 : kin__node_set_member(made, kin__str(name, len), value, &err)) != KIN_OK) {
            kin__node_free(value);
            return NULL;
        }
    }
    return STEAL(made);
}

/* ---- to v1 ------------------------------------------------------------------------------------
 */

static bool scatter_metrics(kin__node *tree)
{
    kin__node *spec = kin__field(tree, "spec");
    AUTO(kin__node_free)
    kin__node *metrics = spec == NULL ? NULL : kin__node_take_member(spec, STR("metrics"));
    AUTO(kin__node_free) kin__node *others = NULL;
    kin__node_iter iter = { 0 };
    kin_error err;

    if (kin__node_container(KIN_TYPE_ARRAY, &others, &err) != KIN_OK) {
        return false;
    }
    while (metrics != NULL && kin__node_next(metrics, &iter)) {
        const kin__node *percent = cpu_percent(iter.value, "target");
        if (percent != NULL) {
            if (kin__field(spec, "targetCPUUtilizationPercentage") == NULL &&
                !kin__field_set(spec, "targetCPUUtilizationPercentage", kin__tree_copy(percent))) {
                return false;
            }
            continue;
        }
        kin__node *flat = flatten(iter.value, spec_parts);
        if (flat == NULL || kin__node_append(others, flat, &err) != KIN_OK) {
            kin__node_free(flat);
            return false;
        }
    }
    return set_note(tree, &metrics_note, others);
}

/* That of processors is told twice: the member has no room for the value. */
static bool scatter_states(kin__node *tree)
{
    kin__node *status = kin__field(tree, "status");
    AUTO(kin__node_free)
    kin__node *metrics =
        status == NULL ? NULL : kin__node_take_member(status, STR("currentMetrics"));
    AUTO(kin__node_free) kin__node *states = NULL;
    kin__node_iter iter = { 0 };
    kin_error err;

    if (kin__node_container(KIN_TYPE_ARRAY, &states, &err) != KIN_OK) {
        return false;
    }
    while (metrics != NULL && kin__node_next(metrics, &iter)) {
        const kin__node *percent = cpu_percent(iter.value, "current");
        kin__node *flat = flatten(iter.value, state_parts);
        if (flat == NULL || kin__node_append(states, flat, &err) != KIN_OK) {
            kin__node_free(flat);
            return false;
        }
        if (percent != NULL &&
            !kin__field_set(status, "currentCPUUtilizationPercentage", kin__tree_copy(percent))) {
            return false;
        }
    }
    return set_note(tree, &states_note, states);
}

/* What is not there is null, as in Go without tags. */
static bool scatter_behavior(kin__node *tree)
{
    kin__node *spec = kin__field(tree, "spec");
    AUTO(kin__node_free)
    kin__node *behavior = spec == NULL ? NULL : kin__node_take_member(spec, STR("behavior"));
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    kin__json_writer w = { &text, false };

    if (behavior == NULL) {
        return true;
    }
    kin__json_begin(&w, '{');
    write_rules(&w, "ScaleUp", kin__field(behavior, "scaleUp"));
    write_rules(&w, "ScaleDown", kin__field(behavior, "scaleDown"));
    kin__json_end(&w, '}');
    return set_note_text(tree, &behavior_note, &text);
}

static bool scatter_conditions(kin__node *tree)
{
    kin__node *status = kin__field(tree, "status");
    AUTO(kin__node_free)
    kin__node *conditions =
        status == NULL ? NULL : kin__node_take_member(status, STR("conditions"));

    return conditions == NULL || set_note(tree, &conditions_note, conditions);
}

static bool set_note(kin__node *tree, const note_row *note, const kin__node *list)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    return kin__node_count(list) == 0 ||
           (kin__node_append_json(list, &text) && set_note_text(tree, note, &text));
}

static bool set_note_text(kin__node *tree, const note_row *note, const kin__buf *text)
{
    kin__node *metadata = kin__field_make(tree, "metadata", KIN_TYPE_OBJECT);
    kin__node *annotations =
        metadata == NULL ? NULL : kin__field_make(metadata, "annotations", KIN_TYPE_OBJECT);

    return annotations != NULL && !kin__buf_failed(text) &&
           kin__field_set_text(annotations, note->annotation, kin__str(text->data, text->len));
}

/* The number of a metric that v1 has a member for; NULL for another one. */
static const kin__node *cpu_percent(const kin__node *metric, const char *part)
{
    const kin__node *resource = kin__field(metric, "resource");

    return kin__str_equal(kin__field_text(metric, "type"), STR("Resource")) &&
                   kin__str_equal(kin__field_text(resource, "name"), STR("cpu"))
               ? kin__field_at(resource, part, "averageUtilization")
               : NULL;
}

static kin__node *flatten(const kin__node *metric, const part_row *parts)
{
    AUTO(kin__node_free) kin__node *flat = NULL;
    kin_error err;

    if (kin__node_container(KIN_TYPE_OBJECT, &flat, &err) != KIN_OK ||
        !kin__field_copy(flat, metric, "type")) {
        return NULL;
    }
    for (const part_row *row = parts; row->source != NULL; row++) {
        if (!flatten_member(flat, metric, row)) {
            return NULL;
        }
    }
    return STEAL(flat);
}

static bool flatten_member(kin__node *flat, const kin__node *metric, const part_row *row)
{
    const kin__node *source = kin__field(metric, row->source);

    if (source == NULL) {
        return true;
    }
    const kin__node *value = row->part == NULL ? kin__field(source, row->name)
                                               : kin__field_at(source, row->part, row->name);
    kin__node *place = kin__field_make(flat, row->source, KIN_TYPE_OBJECT);
    if (place == NULL) {
        return false;
    }
    if (value == NULL) {
        return !row->is_always || kin__field_set_text(place, row->flat, STR("0"));
    }
    return kin__field_set(place, row->flat, kin__tree_copy(value));
}

static void write_rules(kin__json_writer *w, const char *go_name, const kin__node *rules)
{
    kin__json_key(w, kin_str_of(go_name));
    if (rules == NULL) {
        kin__json_null(w);
        return;
    }
    kin__json_begin(w, '{');
    write_member(w, "StabilizationWindowSeconds", kin__field(rules, "stabilizationWindowSeconds"));
    write_member(w, "SelectPolicy", kin__field(rules, "selectPolicy"));
    write_policies(w, kin__field(rules, "policies"));
    write_member(w, "Tolerance", kin__field(rules, "tolerance"));
    kin__json_end(w, '}');
}

static void write_policies(kin__json_writer *w, const kin__node *policies)
{
    kin__node_iter iter = { 0 };

    kin__json_key(w, STR("Policies"));
    if (policies == NULL) {
        kin__json_null(w);
        return;
    }
    kin__json_begin(w, '[');
    while (kin__node_next(policies, &iter)) {
        kin__json_begin(w, '{');
        write_member(w, "Type", kin__field(iter.value, "type"));
        write_member(w, "Value", kin__field(iter.value, "value"));
        write_member(w, "PeriodSeconds", kin__field(iter.value, "periodSeconds"));
        kin__json_end(w, '}');
    }
    kin__json_end(w, ']');
}

static void write_member(kin__json_writer *w, const char *go_name, const kin__node *value)
{
    kin__json_key(w, kin_str_of(go_name));
    if (value == NULL) {
        kin__json_null(w);
    } else {
        kin__node_write(value, w);
    }
}
