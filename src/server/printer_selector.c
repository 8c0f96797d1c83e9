/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_selector.c - labels and selectors, as apimachinery's labels package writes them.
 */
#include "object/label_name.h"
#include "server/printer.h"

static bool add_labels(kin__pairs *pairs, kin_value labels, bool is_checked);
static bool add_requirement(kin__pairs *pairs, kin_value expression);
static bool add_values(kin__pairs *pairs, kin_value values);

void kin__print_labels(kin__printer *p)
{
    AUTO(kin__pairs_fini) kin__pairs pairs = { 0 };

    (void) add_labels(&pairs, kin__cell_value(p), false);
    kin__cell_begin(p);
    kin__cell_add_pairs(p, &pairs, STR(","));
    if (p->text.len == 0) {
        kin__cell_add(p, STR("<none>"));
    }
    kin__cell_end(p);
}

void kin__print_selector(kin__printer *p)
{
    kin__cell_begin(p);
    if (!kin__cell_add_selector(p, kin__cell_value(p))) {
        kin__cell_add(p, STR("<error>"));
    } else if (p->text.len == 0) {
        kin__cell_add(p, STR("<none>"));
    }
    kin__cell_end(p);
}

bool kin__cell_add_selector(kin__printer *p, kin_value selector)
{
    AUTO(kin__pairs_fini) kin__pairs pairs = { 0 };
    kin_iter iter = kin_value_iter(kin_value_member(selector, STR("matchExpressions")));

    if (!add_labels(&pairs, kin_value_member(selector, STR("matchLabels")), true)) {
        return false;
    }
    while (kin_iter_next(&iter)) {
        if (!add_requirement(&pairs, iter.value)) {
            return false;
        }
    }
    p->has_failed |= pairs.has_failed;
    kin__pairs_sort(&pairs);
    for (size_t i = 0; i < pairs.count; i++) {
        kin__cell_add(p, i == 0 ? STR("") : STR(","));
        kin__cell_add(p, kin__pairs_text(&pairs, i));
    }
    return true;
}

/* NAME=VALUE for each.  False, when that is asked for, if one of them can be no label. */
static bool add_labels(kin__pairs *pairs, kin_value labels, bool is_checked)
{
    kin_iter iter = kin_value_iter(labels);

    if (kin_value_type(labels) != KIN_TYPE_OBJECT) {
        return true;
    }
    while (kin_iter_next(&iter)) {
        kin__pairs_open(pairs, iter.key);
        size_t start = pairs->bytes.len;
        (void) kin__value_append(iter.key, &pairs->bytes);
        (void) kin__buf_append_byte(&pairs->bytes, '=');
        size_t value = pairs->bytes.len;
        (void) kin__value_append(iter.value, &pairs->bytes);
        kin__pairs_close(pairs);
        if (is_checked && !pairs->has_failed &&
            !(kin__label_key_is_valid(kin__str(pairs->bytes.data + start, value - 1 - start)) &&
              kin__label_value_is_valid(
                  kin__str(pairs->bytes.data + value, pairs->bytes.len - value)))) {
            return false;
        }
    }
    return true;
}

/* "name in (a,b)", "name notin (a)", "name", "!name". */
static bool add_requirement(kin__pairs *pairs, kin_value expression)
{
    kin_value key = kin_value_member(expression, STR("key"));
    kin_value operation = kin_value_member(expression, STR("operator"));
    kin_value values = kin_value_member(expression, STR("values"));
    bool is_in = kin__value_is(operation, STR("In"));
    bool is_absent = kin__value_is(operation, STR("DoesNotExist"));
    bool has_values = is_in || kin__value_is(operation, STR("NotIn"));

    if (!(has_values || is_absent || kin__value_is(operation, STR("Exists"))) ||
        has_values != (kin_value_count(values) > 0)) {
        return false;
    }
    kin__pairs_open(pairs, key);
    if (pairs->has_failed) {
        return true;
    }
    bool is_valid = kin__label_key_is_valid(kin__pairs_name(pairs, pairs->count - 1));
    (void) kin__buf_append_str(&pairs->bytes, is_absent ? STR("!") : STR(""));
    (void) kin__value_append(key, &pairs->bytes);
    if (has_values) {
        (void) kin__buf_append_str(&pairs->bytes, is_in ? STR(" in (") : STR(" notin ("));
        is_valid &= add_values(pairs, values);
        (void) kin__buf_append_byte(&pairs->bytes, ')');
    }
    kin__pairs_close(pairs);
    return is_valid;
}

/* Sorted, but each as often as it is there. */
static bool add_values(kin__pairs *pairs, kin_value values)
{
    AUTO(kin__pairs_fini) kin__pairs sorted = { 0 };
    kin_iter iter = kin_value_iter(values);
    bool is_valid = true;

    while (kin_iter_next(&iter)) {
        kin__pairs_open(&sorted, iter.value);
        kin__pairs_close(&sorted);
    }
    pairs->has_failed |= sorted.has_failed;
    kin__pairs_sort(&sorted);
    for (size_t i = 0; i < sorted.count; i++) {
        (void) kin__buf_append_str(&pairs->bytes, i == 0 ? STR("") : STR(","));
        (void) kin__buf_append_str(&pairs->bytes, kin__pairs_name(&sorted, i));
        is_valid &= kin__label_value_is_valid(kin__pairs_name(&sorted, i));
    }
    return is_valid;
}
