/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selector_check.c - whether the API server would take a requirement.
 *
 * The words are those of labels.NewRequirement() in k8s.io/apimachinery: one fault stands for
 * itself, several make a list, [one, two].
 */
#include "object/selector_check.h"

#include <inttypes.h>

#include "object/label_name.h"

typedef struct requirement_check {
    const kin__selector_draft *draft;
    const kin__draft_requirement *requirement;
    kin__fault *fault;
    size_t told_count; /* faults that were told */
} requirement_check;

static void check_key(requirement_check *check);
static void check_value_count(requirement_check *check);
static const char *value_count_fault(const kin__draft_requirement *requirement);
static void check_value(requirement_check *check, uint32_t index);
static void tell(requirement_check *check, uint32_t at);
static void show_values(const requirement_check *check);

bool kin__selector_check(const kin__selector_draft *draft, size_t index, kin__fault *fault)
{
    requirement_check check = {
        .draft = draft,
        .requirement = kin__selector_draft_at(draft, index),
        .fault = fault,
    };
    size_t from = fault->len;

    check_key(&check);
    check_value_count(&check);
    for (uint32_t i = 0; i < check.requirement->value_count; i++) {
        if (check.told_count < 2 || !kin__fault_is_full(fault)) {
            check_value(&check, i);
        }
    }
    if (check.told_count > 1) {
        kin__fault_enclose(fault, from);
    }
    return check.told_count == 0;
}

static void check_key(requirement_check *check)
{
    kin_str key = kin__selector_draft_key(check->draft, check->requirement);

    if (!kin__label_key_is_valid(key)) {
        tell(check, check->requirement->at);
        kin__fault_say(check->fault, "key: Invalid value: ");
        kin__fault_quote(check->fault, key);
        kin__fault_say(check->fault, ": ");
        kin__label_key_explain(key, check->fault);
    }
}

static void check_value_count(requirement_check *check)
{
    const char *words = value_count_fault(check->requirement);

    if (words != NULL) {
        tell(check, check->requirement->at);
        kin__fault_say(check->fault, "values: Invalid value: ");
        show_values(check);
        kin__fault_say(check->fault, ": %s", words);
    }
}

/* NULL when the number is right.  The operators that are symbols always have their one value: there
 * is no other way to write them. */
static const char *value_count_fault(const kin__draft_requirement *requirement)
{
    switch (requirement->op) {
    case KIN__OPERATOR_IN:
    case KIN__OPERATOR_NOT_IN:
        return requirement->value_count > 0
                   ? NULL
                   : "for 'in', 'notin' operators, values set can't be empty";
    case KIN__OPERATOR_EXISTS:
    case KIN__OPERATOR_NOT_EXISTS:
        return requirement->value_count == 0
                   ? NULL
                   : "values set must be empty for exists and does not exist";
    case KIN__OPERATOR_EQUALS:
    case KIN__OPERATOR_DOUBLE_EQUALS:
    case KIN__OPERATOR_NOT_EQUALS:
    case KIN__OPERATOR_GREATER:
    case KIN__OPERATOR_LESS:
        break;
    }
    return NULL;
}

static void check_value(requirement_check *check, uint32_t index)
{
    kin__operator op = check->requirement->op;
    const kin__draft_value *value =
        kin__selector_draft_value_at(check->draft, check->requirement, index);
    kin_str text = kin__selector_draft_text(check->draft, value);
    int64_t number;

    if ((op == KIN__OPERATOR_GREATER || op == KIN__OPERATOR_LESS) &&
        !kin__label_value_int64(text, &number)) {
        tell(check, value->at);
        kin__fault_say(check->fault, "values[%" PRIu32 "]: Invalid value: ", index);
        kin__fault_quote(check->fault, text);
        kin__fault_say(check->fault, ": for 'Gt', 'Lt' operators, the value must be an integer");
    }
    if (!kin__label_value_is_valid(text)) {
        tell(check, value->at);
        kin__fault_say(check->fault, "values[%" PRIu32 "][", index);
        kin__fault_show(check->fault, kin__selector_draft_key(check->draft, check->requirement));
        kin__fault_say(check->fault, "]: Invalid value: ");
        kin__fault_quote(check->fault, text);
        kin__fault_say(check->fault, ": ");
        kin__label_value_explain(text, check->fault);
    }
}

/* Before the words of each fault. */
static void tell(requirement_check *check, uint32_t at)
{
    if (check->told_count == 0) {
        check->fault->at = at;
    } else {
        kin__fault_say(check->fault, ", ");
    }
    check->told_count++;
}

/* As JSON: null when there are none. */
static void show_values(const requirement_check *check)
{
    const kin__draft_requirement *requirement = check->requirement;

    if (requirement->value_count == 0) {
        kin__fault_say(check->fault, "null");
        return;
    }
    for (uint32_t i = 0; i < requirement->value_count && !kin__fault_is_full(check->fault); i++) {
        const kin__draft_value *value = kin__selector_draft_value_at(check->draft, requirement, i);
        kin__fault_say(check->fault, i == 0 ? "[" : ",");
        kin__fault_quote(check->fault, kin__selector_draft_text(check->draft, value));
    }
    kin__fault_say(check->fault, "]");
}
