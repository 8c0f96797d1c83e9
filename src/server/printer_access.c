/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_access.c - cells of role bindings, certificates, admission policies and API services.
 */
#include "server/printer_kinds.h"

static void add_selector_dump(kin__printer *p, kin_value selector);

/* Service accounts with their namespace. */
void kin__print_subjects(kin__printer *p)
{
    kin_iter iter = kin_value_iter(kin_object_at(p->object, "subjects"));
    kin_str kind = kin__cell_otherwise(p);
    bool is_first = true;

    kin__cell_begin(p);
    while (kin_iter_next(&iter)) {
        if (!kin__value_is(kin_value_member(iter.value, STR("kind")), kind)) {
            continue;
        }
        kin__cell_add(p, is_first ? STR("") : STR(", "));
        if (kin__str_equal(kind, STR("ServiceAccount"))) {
            kin__cell_add_value(p, kin_value_member(iter.value, STR("namespace")));
            kin__cell_add(p, STR("/"));
        }
        kin__cell_add_value(p, kin_value_member(iter.value, STR("name")));
        is_first = false;
    }
    kin__cell_end(p);
}

void kin__print_request_duration(kin__printer *p)
{
    kin_value seconds = kin_object_at(p->object, "spec.expirationSeconds");
    kin_time span = { .seconds = kin__value_number(seconds) };

    kin__cell_begin(p);
    if (kin__value_is_there(seconds)) {
        kin__cell_add_span(p, (kin_time){ 0 }, span);
    } else {
        kin__cell_add(p, STR("<none>"));
    }
    kin__cell_end(p);
}

void kin__print_request_condition(kin__printer *p)
{
    kin_value conditions = kin_object_at(p->object, "status.conditions");
    bool is_denied = kin_value_exists(kin__value_last_of_type(conditions, STR("Denied")));
    bool is_approved = kin_value_exists(kin__value_last_of_type(conditions, STR("Approved")));
    bool is_failed = kin_value_exists(kin__value_last_of_type(conditions, STR("Failed")));

    kin__cell_begin(p);
    kin__cell_add(p, is_denied ? STR("Denied") : is_approved ? STR("Approved") : STR("Pending"));
    kin__cell_add(p, is_failed ? STR(",Failed") : STR(""));
    if (kin__value_is_filled(kin_object_at(p->object, "status.certificate"))) {
        kin__cell_add(p, STR(",Issued"));
    }
    kin__cell_end(p);
}

void kin__print_pod_request_state(kin__printer *p)
{
    kin_iter iter = kin_value_iter(kin_object_at(p->object, "status.conditions"));
    kin_str state = STR("Pending");

    while (kin_iter_next(&iter)) {
        kin_value type = kin_value_member(iter.value, STR("type"));
        state = kin__value_is(type, STR("Issued"))   ? STR("Issued")
                : kin__value_is(type, STR("Denied")) ? STR("Denied")
                : kin__value_is(type, STR("Failed")) ? STR("Failed")
                                                     : state;
    }
    kin__cell_write(p, state);
}

void kin__print_param_kind(kin__printer *p)
{
    kin_value kind = kin_object_at(p->object, "spec.paramKind");

    kin__cell_begin(p);
    if (kin__value_is_there(kind)) {
        kin__cell_add_value(p, kin_value_member(kind, STR("apiVersion")));
        kin__cell_add(p, STR("/"));
        kin__cell_add_value(p, kin_value_member(kind, STR("kind")));
    } else {
        kin__cell_add(p, STR("<unset>"));
    }
    kin__cell_end(p);
}

/* "NAMESPACE/NAME", and a star where there is no namespace; or a selector. */
void kin__print_param_ref(kin__printer *p)
{
    kin_value ref = kin_object_at(p->object, "spec.paramRef");
    kin_value name = kin_value_member(ref, STR("name"));
    kin_value space = kin_value_member(ref, STR("namespace"));
    kin_value selector = kin_value_member(ref, STR("selector"));

    kin__cell_begin(p);
    if (kin__value_is_filled(name)) {
        kin__cell_add_value(p, space);
        kin__cell_add(p, p->text.len > 0 ? STR("/") : STR("*/"));
        kin__cell_add_value(p, name);
    } else if (kin__value_is_there(selector)) {
        add_selector_dump(p, selector);
    } else {
        kin__cell_add(p, STR("<unset>"));
    }
    kin__cell_end(p);
}

void kin__print_api_service(kin__printer *p)
{
    kin_value service = kin_object_at(p->object, "spec.service");

    kin__cell_begin(p);
    if (kin__value_is_there(service)) {
        kin__cell_add_value(p, kin_value_member(service, STR("namespace")));
        kin__cell_add(p, STR("/"));
        kin__cell_add_value(p, kin_value_member(service, STR("name")));
    } else {
        kin__cell_add(p, STR("Local"));
    }
    kin__cell_end(p);
}

/* "True", or "False (MissingEndpoints)". */
void kin__print_api_available(kin__printer *p)
{
    kin_value condition = kin_object_at(p->object, "status.conditions[?type==\"Available\"]");
    kin_value status = kin_value_member(condition, STR("status"));
    kin_value reason = kin_value_member(condition, STR("reason"));

    kin__cell_begin(p);
    if (kin__value_is_there(condition)) {
        kin__cell_add_value(p, status);
    } else {
        kin__cell_add(p, STR("Unknown"));
    }
    if (kin__value_is_filled(reason) && !kin__value_is(status, STR("True"))) {
        kin__cell_add(p, STR(" ("));
        kin__cell_add_value(p, reason);
        kin__cell_add(p, STR(")"));
    }
    kin__cell_end(p);
}

void kin__print_distinguisher(kin__printer *p)
{
    kin_value method = kin_object_at(p->object, "spec.distinguisherMethod");

    if (kin__value_is_there(method)) {
        kin__cell_write_value(p, kin_value_member(method, STR("type")), STR(""));
    } else {
        kin__cell_write(p, STR("<none>"));
    }
}

int kin__flow_schema_order(const kin_object *a, const kin_object *b)
{
    int64_t left = kin__value_number(kin_object_at(a, "spec.matchingPrecedence"));
    int64_t right = kin__value_number(kin_object_at(b, "spec.matchingPrecedence"));

    if (left != right) {
        return left < right ? -1 : 1;
    }
    return kin__str_compare(kin_object_name(a), kin_object_name(b));
}

/* A selector as Go's generated code dumps a message. */
static void add_selector_dump(kin__printer *p, kin_value selector)
{
    AUTO(kin__pairs_fini) kin__pairs labels = { 0 };
    kin_value match_labels = kin_value_member(selector, STR("matchLabels"));
    kin_iter iter = kin_value_iter(match_labels);

    while (kin_value_type(match_labels) == KIN_TYPE_OBJECT && kin_iter_next(&iter)) {
        kin__pairs_open(&labels, iter.key);
        (void) kin__value_append(iter.key, &labels.bytes);
        (void) kin__buf_append_str(&labels.bytes, STR(": "));
        (void) kin__value_append(iter.value, &labels.bytes);
        (void) kin__buf_append_byte(&labels.bytes, ',');
        kin__pairs_close(&labels);
    }
    kin__cell_add(p, STR("&LabelSelector{MatchLabels:map[string]string{"));
    kin__cell_add_pairs(p, &labels, STR(""));
    kin__cell_add(p, STR("},MatchExpressions:[]LabelSelectorRequirement{"));
    iter = kin_value_iter(kin_value_member(selector, STR("matchExpressions")));
    while (kin_iter_next(&iter)) {
        kin_iter values = kin_value_iter(kin_value_member(iter.value, STR("values")));
        kin__cell_add(p, STR("LabelSelectorRequirement{Key:"));
        kin__cell_add_value(p, kin_value_member(iter.value, STR("key")));
        kin__cell_add(p, STR(",Operator:"));
        kin__cell_add_value(p, kin_value_member(iter.value, STR("operator")));
        kin__cell_add(p, STR(",Values:["));
        for (bool is_first = true; kin_iter_next(&values); is_first = false) {
            kin__cell_add(p, is_first ? STR("") : STR(" "));
            kin__cell_add_value(p, values.value);
        }
        kin__cell_add(p, STR("],},"));
    }
    kin__cell_add(p, STR("},}"));
}
