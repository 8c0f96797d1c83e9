/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selector_value.c - label selectors that are written in objects.
 *
 * As in the API server's own reading of a LabelSelector, null stands for whatever is empty, unknown
 * members are passed over, and of two labels with one name the last one counts.
 */
#include "kin/selector.h"

#include <stdio.h>

#include "base/error.h"
#include "base/str.h"
#include "kin/value.h"
#include "object/fault.h"
#include "object/selector_check.h"
#include "object/selector_draft.h"

#define WANTED "read label selector"

typedef struct value_reader {
    kin__selector_draft draft;
    kin__buf scratch; /* for strings with escapes */
    size_t next;      /* numbers the requirements */
    char where[48];   /* what is being read, for the message */
} value_reader;

static void reader_fini(value_reader *reader);
KIN__DEFINE_AUTO_FINI(value_reader, reader_fini)

static kin_err check_path(kin_value value, kin_error *err);
static kin_err read_labels(value_reader *reader, kin_value labels, const char *where,
                           kin_error *err);
static kin_err read_label(value_reader *reader, const kin_iter *iter, kin_error *err);
static kin_err read_expressions(value_reader *reader, kin_value expressions, kin_error *err);
static kin_err read_expression(value_reader *reader, kin_value expression, kin_error *err);
static kin_err read_operator(value_reader *reader, kin_value value, kin__operator *out,
                             kin_error *err);
static kin_err read_values(value_reader *reader, kin_value values, kin_error *err);
static kin_err add_requirement(value_reader *reader, kin_value key, kin__operator op,
                               kin_error *err);
static kin_err add_value(value_reader *reader, kin_value value, kin_error *err);
static kin_err read_string(value_reader *reader, kin_value value, const char *member, kin_str *out,
                           kin_error *err);
static kin_err check_requirement(const value_reader *reader, size_t index, kin_error *err);
static kin_err too_long(kin_error *err);
static kin_err expect(const value_reader *reader, kin_value value, kin_type type,
                      const char *member, kin_error *err);
static bool is_absent(kin_value value);

kin_err kin_selector_from_value(kin_value label_selector, kin_selector **out, kin_error *err)
{
    AUTO(reader_fini) value_reader reader = { .where = "selector" };
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (check_path(label_selector, err) != KIN_OK) {
        return kin__error_prefix(err, WANTED);
    }
    if (is_absent(label_selector)) {
        return kin__selector_nothing(out, err);
    }
    kin_value labels = kin_value_member(label_selector, STR("matchLabels"));
    kin_value expressions = kin_value_member(label_selector, STR("matchExpressions"));
    if (expect(&reader, label_selector, KIN_TYPE_OBJECT, "", err) != KIN_OK ||
        read_labels(&reader, labels, "matchLabels", err) != KIN_OK ||
        read_expressions(&reader, expressions, err) != KIN_OK ||
        kin__selector_draft_finish(&reader.draft, out, err) != KIN_OK) {
        return kin__error_prefix(err, WANTED);
    }
    return KIN_OK;
}

kin_err kin_selector_from_labels(kin_value labels, kin_selector **out, kin_error *err)
{
    AUTO(reader_fini) value_reader reader = { 0 };
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (check_path(labels, err) != KIN_OK ||
        read_labels(&reader, labels, "labels", err) != KIN_OK) {
        return kin__error_prefix(err, WANTED);
    }
    if (kin__selector_draft_count(&reader.draft) == 0) {
        return kin__selector_nothing(out, err);
    }
    if (kin__selector_draft_finish(&reader.draft, out, err) != KIN_OK) {
        return kin__error_prefix(err, WANTED);
    }
    return KIN_OK;
}

static void reader_fini(value_reader *reader)
{
    kin__selector_draft_fini(&reader->draft);
    kin__buf_fini(&reader->scratch);
}

/* A selector that was looked for under a path that does not parse is not a missing one. */
static kin_err check_path(kin_value value, kin_error *err)
{
    bool unused;

    if (kin_value_bool(value, &unused) == KIN_ERR_USAGE) {
        return kin__error_set(err, KIN_ERR_USAGE, "the path of the value does not parse");
    }
    return KIN_OK;
}

static kin_err read_labels(value_reader *reader, kin_value labels, const char *where,
                           kin_error *err)
{
    (void) snprintf(reader->where, sizeof reader->where, "%s", where);
    if (is_absent(labels)) {
        return KIN_OK;
    }
    if (expect(reader, labels, KIN_TYPE_OBJECT, "", err) != KIN_OK) {
        return err->code;
    }
    kin_iter iter = kin_value_iter(labels);
    while (kin_iter_next(&iter)) {
        if (read_label(reader, &iter, err) != KIN_OK) {
            return err->code;
        }
    }
    kin__selector_draft_keep_last(&reader->draft);
    for (size_t i = 0; i < kin__selector_draft_count(&reader->draft); i++) {
        if (check_requirement(reader, i, err) != KIN_OK) {
            return err->code;
        }
    }
    return KIN_OK;
}

static kin_err read_label(value_reader *reader, const kin_iter *iter, kin_error *err)
{
    if (add_requirement(reader, iter->key, KIN__OPERATOR_EQUALS, err) != KIN_OK) {
        return err->code;
    }
    return add_value(reader, iter->value, err);
}

static kin_err read_expressions(value_reader *reader, kin_value expressions, kin_error *err)
{
    (void) snprintf(reader->where, sizeof reader->where, "matchExpressions");
    if (is_absent(expressions)) {
        return KIN_OK;
    }
    if (expect(reader, expressions, KIN_TYPE_ARRAY, "", err) != KIN_OK) {
        return err->code;
    }
    kin_iter iter = kin_value_iter(expressions);
    for (size_t i = 0; kin_iter_next(&iter); i++) {
        (void) snprintf(reader->where, sizeof reader->where, "matchExpressions[%zu]", i);
        if (read_expression(reader, iter.value, err) != KIN_OK) {
            return err->code;
        }
        size_t last = kin__selector_draft_count(&reader->draft) - 1;
        if (check_requirement(reader, last, err) != KIN_OK) {
            return err->code;
        }
        kin__selector_draft_sort_values(&reader->draft);
    }
    return KIN_OK;
}

static kin_err read_expression(value_reader *reader, kin_value expression, kin_error *err)
{
    kin__operator op = KIN__OPERATOR_EXISTS;
    kin_value operator_value = kin_value_member(expression, STR("operator"));
    kin_value key = kin_value_member(expression, STR("key"));
    kin_value values = kin_value_member(expression, STR("values"));

    if ((!is_absent(expression) &&
         expect(reader, expression, KIN_TYPE_OBJECT, "", err) != KIN_OK) ||
        read_operator(reader, operator_value, &op, err) != KIN_OK ||
        add_requirement(reader, key, op, err) != KIN_OK) {
        return err->code;
    }
    return read_values(reader, values, err);
}

static kin_err read_operator(value_reader *reader, kin_value value, kin__operator *out,
                             kin_error *err)
{
    static const struct {
        const char *name;
        kin__operator op;
    } operators[] = {
        { "In", KIN__OPERATOR_IN },
        { "NotIn", KIN__OPERATOR_NOT_IN },
        { "Exists", KIN__OPERATOR_EXISTS },
        { "DoesNotExist", KIN__OPERATOR_NOT_EXISTS },
    };
    kin_str name;

    if (read_string(reader, value, ".operator", &name, err) != KIN_OK) {
        return err->code;
    }
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (kin__str_equal(name, kin_str_of(operators[i].name))) {
            *out = operators[i].op;
            return KIN_OK;
        }
    }
    kin__fault fault = { 0 };
    kin__fault_quote(&fault, name);
    return kin__error_set(err, KIN_ERR_MALFORMED, "%s: %s is not a valid label selector operator",
                          reader->where, fault.words);
}

static kin_err read_values(value_reader *reader, kin_value values, kin_error *err)
{
    if (is_absent(values)) {
        return KIN_OK;
    }
    if (expect(reader, values, KIN_TYPE_ARRAY, ".values", err) != KIN_OK) {
        return err->code;
    }
    kin_iter iter = kin_value_iter(values);
    while (kin_iter_next(&iter)) {
        if (add_value(reader, iter.value, err) != KIN_OK) {
            return err->code;
        }
    }
    return KIN_OK;
}

static kin_err add_requirement(value_reader *reader, kin_value key, kin__operator op,
                               kin_error *err)
{
    kin_str text;

    if (read_string(reader, key, " key", &text, err) != KIN_OK) {
        return err->code;
    }
    if (!kin__selector_draft_add(&reader->draft, text, op, reader->next)) {
        return kin__error_no_memory(err);
    }
    reader->next++;
    return kin__selector_draft_is_too_long(&reader->draft) ? too_long(err) : KIN_OK;
}

static kin_err add_value(value_reader *reader, kin_value value, kin_error *err)
{
    kin_str text;

    if (read_string(reader, value, " value", &text, err) != KIN_OK) {
        return err->code;
    }
    if (!kin__selector_draft_add_value(&reader->draft, text, reader->next)) {
        return kin__error_no_memory(err);
    }
    return kin__selector_draft_is_too_long(&reader->draft) ? too_long(err) : KIN_OK;
}

/* `out` is valid until the next call.  An escape has six bytes at most for one of its meaning, so
 * what needs more scratch than that is too long whatever it says. */
static kin_err read_string(value_reader *reader, kin_value value, const char *member, kin_str *out,
                           kin_error *err)
{
    kin_str text = STR("");

    if (!is_absent(value)) {
        size_t size = kin_value_scratch_size(value);
        if (size > (size_t) KIN__SELECTOR_TEXT_MAX * 6) {
            return too_long(err);
        }
        kin__buf_clear(&reader->scratch);
        if (!kin__buf_reserve(&reader->scratch, size)) {
            return kin__error_no_memory(err);
        }
        if (kin_value_str(value, reader->scratch.data, size, &text) != KIN_OK) {
            return expect(reader, value, KIN_TYPE_STRING, member, err);
        }
        if (text.len > KIN__SELECTOR_TEXT_MAX) {
            return too_long(err);
        }
    }
    *out = text;
    return KIN_OK;
}

static kin_err check_requirement(const value_reader *reader, size_t index, kin_error *err)
{
    kin__fault fault = { 0 };

    if (!kin__selector_check(&reader->draft, index, &fault)) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "%s: %s", reader->where, fault.words);
    }
    return KIN_OK;
}

static kin_err too_long(kin_error *err)
{
    return kin__error_set(err, KIN_ERR_LIMIT, "longer than %d bytes", KIN__SELECTOR_TEXT_MAX);
}

static kin_err expect(const value_reader *reader, kin_value value, kin_type type,
                      const char *member, kin_error *err)
{
    if (kin_value_type(value) != type) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "%s%s: expected %s, found %s", reader->where,
                              member, kin_type_name(type), kin_type_name(kin_value_type(value)));
    }
    return KIN_OK;
}

static bool is_absent(kin_value value)
{
    kin_type type = kin_value_type(value);
    return type == KIN_TYPE_MISSING || type == KIN_TYPE_NULL;
}
