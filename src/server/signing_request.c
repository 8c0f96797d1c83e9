/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signing_request.c - what may be written to a CertificateSigningRequest.
 *
 * After pkg/registry/certificates/certificates/strategy.go and the validation of its group in
 * kubernetes 1.36.  Whether requests and certificates are such is not looked at.
 */
#include "server/signing_request.h"

#include <stdio.h>

#include "server/field.h"
#include "server/identity.h"
#include "server/metadata_check.h"
#include "server/quote.h"
#include "server/strategy.h"
#include "server/token_review.h"

#define FIELD_MAX 64
#define COMPARED 256 /* so that hostile lists take no time to speak of */

static bool is_approval(const kin__write *write);
static kin__node *conditions_of(const kin__node *request);
static bool fill_times(kin__write *write);
static kin_str transition_of(const kin__write *write, const kin__node *condition, kin_str now);
static bool keep_decisions(kin__write *write, const char *type);
static size_t count_of(const kin__node *conditions, const char *type);
static kin__node *nth_of(const kin__node *conditions, const char *type, size_t nth,
                         size_t *out_index);
static void check_condition(const kin__node *conditions, size_t index, kin__refusal *no);
static void check_status(const kin__node *condition, const char *field, kin__refusal *no);
static void check_exclusion(const kin__node *conditions, size_t index, kin__refusal *no);
static bool has_before(const kin__node *conditions, size_t index, kin_str type);
static bool is_decision(kin_str type);
static void check_removal(const kin__write *write, const char *type, kin__refusal *no);
static void check_addition(const kin__write *write, const char *type, kin__refusal *no);
static void forbid(kin__refusal *no, const char *what, const char *type);

bool kin__served_is_signing_request(const kin__served *served)
{
    return kin__served_is(served, "certificates.k8s.io", "certificatesigningrequests");
}

bool kin__signing_request_own(const kin__asked *asked, kin__node *request)
{
    static const char *const members[] = { "username", "uid", "groups", "extra" };
    kin__node *spec = kin__field_make(request, "spec", KIN_TYPE_OBJECT);
    AUTO(kin__node_free) kin__node *user = kin__token_user_of(asked);

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (user == NULL || spec == NULL || !kin__field_copy(spec, user, members[i])) {
            return false;
        }
    }
    return true;
}

bool kin__signing_request_prepare(kin__write *write)
{
    if (!is_approval(write)) {
        return keep_decisions(write, "Approved") && keep_decisions(write, "Denied") &&
               fill_times(write);
    }
    kin__node *given = kin__field(write->object, "status");
    AUTO(kin__node_free) kin__node *status = kin__tree_copy(kin__field(write->old, "status"));
    if (!fill_times(write) || status == NULL || !kin__field_copy(status, given, "conditions")) {
        return false;
    }
    return kin__field_set(write->object, "status", STEAL(status));
}

void kin__signing_request_check(const kin__write *write, kin__refusal *no)
{
    const kin__node *conditions = conditions_of(write->object);
    kin_str before = kin__field_text(kin__field(write->old, "status"), "certificate");

    for (size_t i = 0; conditions != NULL && i < kin__node_count(conditions); i++) {
        check_condition(conditions, i, no);
    }
    check_removal(write, "Approved", no);
    check_removal(write, "Denied", no);
    check_removal(write, "Failed", no);
    if (!is_approval(write)) {
        check_addition(write, "Approved", no);
        check_addition(write, "Denied", no);
    }
    if (before.len > 0 &&
        !kin__str_equal(before,
                        kin__field_text(kin__field(write->object, "status"), "certificate"))) {
        kin__refusal_add_invalid(no, "FieldValueForbidden", "status.certificate",
                                 "Forbidden: updates may not modify existing certificate content");
    }
}

static bool is_approval(const kin__write *write)
{
    return kin__str_equal(write->sub, STR("approval"));
}

/* NULL: none. */
static kin__node *conditions_of(const kin__node *request)
{
    kin__node *conditions = kin__field_at(request, "status", "conditions");

    return kin__node_is(conditions, KIN_TYPE_ARRAY) ? conditions : NULL;
}

static bool fill_times(kin__write *write)
{
    kin__node *conditions = conditions_of(write->object);
    kin__node_iter iter = { 0 };
    char text[KIN__PB_TIME_MAX];
    kin_str now = kin__identity_time(write->engine, 0, text);

    while (conditions != NULL && kin__node_next(conditions, &iter)) {
        if (kin__field_text(iter.value, "lastUpdateTime").len == 0 &&
            !kin__field_set_text(iter.value, "lastUpdateTime", now)) {
            return false;
        }
        if (kin__field_text(iter.value, "lastTransitionTime").len == 0 &&
            !kin__field_set_text(iter.value, "lastTransitionTime",
                                 transition_of(write, iter.value, now))) {
            return false;
        }
    }
    return true;
}

/* What says the same as before says it since then. */
static kin_str transition_of(const kin__write *write, const kin__node *condition, kin_str now)
{
    const kin__node *before = conditions_of(write->old);

    for (size_t i = 0; before != NULL && i < kin__node_count(before) && i < COMPARED; i++) {
        const kin__node *other = kin__node_element(before, i);
        kin_str since = kin__field_text(other, "lastTransitionTime");
        if (since.len > 0 && kin__field_equal(other, condition, "type") &&
            kin__field_equal(other, condition, "status")) {
            return since;
        }
    }
    return now;
}

/* As many as there were are those that were there; else the check says what is wrong. */
static bool keep_decisions(kin__write *write, const char *type)
{
    kin__node *now = conditions_of(write->object);
    const kin__node *before = conditions_of(write->old);
    size_t count = count_of(before, type);

    for (size_t i = 0; count == count_of(now, type) && i < count; i++) {
        size_t index = 0;
        kin__node *kept = kin__tree_copy(nth_of(before, type, i, &index));
        if (kept == NULL) {
            return false;
        }
        (void) nth_of(now, type, i, &index);
        kin__node_set_element(now, index, kept);
    }
    return true;
}

static size_t count_of(const kin__node *conditions, const char *type)
{
    size_t count = 0;

    for (size_t i = 0; conditions != NULL && i < kin__node_count(conditions); i++) {
        kin_str own = kin__field_text(kin__node_element(conditions, i), "type");
        count += kin__str_equal(own, kin_str_of(type)) ? 1 : 0;
    }
    return count;
}

/* It is there. */
static kin__node *nth_of(const kin__node *conditions, const char *type, size_t nth,
                         size_t *out_index)
{
    for (size_t i = 0; i < kin__node_count(conditions); i++) {
        kin__node *condition = kin__node_element(conditions, i);
        if (kin__str_equal(kin__field_text(condition, "type"), kin_str_of(type)) && nth-- == 0) {
            *out_index = i;
            return condition;
        }
    }
    return NULL;
}

static void check_condition(const kin__node *conditions, size_t index, kin__refusal *no)
{
    const kin__node *condition = kin__node_element(conditions, index);
    kin_str type = kin__field_text(condition, "type");
    AUTO(kin__buf_fini) kin__buf quoted = { 0 };
    char field[FIELD_MAX];

    (void) snprintf(field, sizeof field, "status.conditions[%zu].type", index);
    if (type.len == 0) {
        kin__refusal_add_invalid(no, "FieldValueRequired", field, "Required value");
    }
    (void) snprintf(field, sizeof field, "status.conditions[%zu].status", index);
    check_status(condition, field, no);
    check_exclusion(conditions, index, no);
    if (has_before(conditions, index, type)) {
        kin__quote_append(type, &quoted);
        (void) snprintf(field, sizeof field, "status.conditions[%zu].type", index);
        kin__refusal_add_invalid(no, "FieldValueDuplicate", field, "Duplicate value: %.*s",
                                 (int) quoted.len, quoted.data);
    }
}

static void check_status(const kin__node *condition, const char *field, kin__refusal *no)
{
    kin_str type = kin__field_text(condition, "type");
    kin_str status = kin__field_text(condition, "status");
    bool is_only_true = is_decision(type) || kin__str_equal(type, STR("Failed"));
    bool is_known = kin__str_equal(status, STR("True")) ||
                    (!is_only_true && (kin__str_equal(status, STR("False")) ||
                                       kin__str_equal(status, STR("Unknown"))));
    AUTO(kin__buf_fini) kin__buf quoted = { 0 };

    if (status.len == 0) {
        kin__refusal_add_invalid(no, "FieldValueRequired", field, "Required value");
    } else if (!is_known) {
        kin__quote_append(status, &quoted);
        kin__refusal_add_invalid(no, "FieldValueNotSupported", field,
                                 "Unsupported value: %.*s: supported values: %s", (int) quoted.len,
                                 quoted.data,
                                 is_only_true ? "\"True\"" : "\"False\", \"True\", \"Unknown\"");
    }
}

static void check_exclusion(const kin__node *conditions, size_t index, kin__refusal *no)
{
    kin_str type = kin__field_text(kin__node_element(conditions, index), "type");
    kin_str other = kin__str_equal(type, STR("Approved")) ? STR("Denied") : STR("Approved");

    if (is_decision(type) && has_before(conditions, index, other)) {
        kin__invalid_text(no, "status.conditions", type,
                          "Approved and Denied conditions are mutually exclusive");
    }
}

static bool has_before(const kin__node *conditions, size_t index, kin_str type)
{
    for (size_t i = 0; i < index && i < COMPARED; i++) {
        if (kin__str_equal(kin__field_text(kin__node_element(conditions, i), "type"), type)) {
            return true;
        }
    }
    return false;
}

static bool is_decision(kin_str type)
{
    return kin__str_equal(type, STR("Approved")) || kin__str_equal(type, STR("Denied"));
}

static void check_removal(const kin__write *write, const char *type, kin__refusal *no)
{
    if (count_of(conditions_of(write->object), type) < count_of(conditions_of(write->old), type)) {
        forbid(no, "remove", type);
    }
}

static void check_addition(const kin__write *write, const char *type, kin__refusal *no)
{
    if (count_of(conditions_of(write->object), type) > count_of(conditions_of(write->old), type)) {
        forbid(no, "add", type);
    }
}

static void forbid(kin__refusal *no, const char *what, const char *type)
{
    kin__refusal_add_invalid(no, "FieldValueForbidden", "status.conditions",
                             "Forbidden: updates may not %s a condition of type \"%s\"", what,
                             type);
}
