/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selector_draft.c - a label selector while it is put together.
 *
 * Strings are copied one after the other into a buffer and known by their place in it.  To finish,
 * requirements are sorted, the length of the canonical text is added up, and the selector is
 * written into one allocation: its text in order, and beside it where each key and value stands.
 */
#include "object/selector_draft.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/str.h"
#include "object/label_name.h"

typedef struct operator_form {
    const char *before; /* what stands around the key and the values */
    const char *between;
    const char *after;
    bool needs_label;
} operator_form;

static const operator_form forms[] = {
    [KIN__OPERATOR_EXISTS] = { "", "", "", true },
    [KIN__OPERATOR_NOT_EXISTS] = { "!", "", "", false },
    [KIN__OPERATOR_EQUALS] = { "", "=", "", true },
    [KIN__OPERATOR_DOUBLE_EQUALS] = { "", "==", "", true },
    [KIN__OPERATOR_IN] = { "", " in (", ")", true },
    [KIN__OPERATOR_NOT_EQUALS] = { "", "!=", "", false },
    [KIN__OPERATOR_NOT_IN] = { "", " notin (", ")", false },
    [KIN__OPERATOR_GREATER] = { "", ">", "", true },
    [KIN__OPERATOR_LESS] = { "", "<", "", true },
};

/* A selector while it is written. */
typedef struct draft_writer {
    const kin__selector_draft *draft;
    kin_selector *selector;
    kin__requirement_value *values; /* these two lie in the selector */
    char *text;
    uint32_t value_count;
    uint32_t text_len;
} draft_writer;

static kin__draft_requirement *requirements_of(const kin__selector_draft *draft);
static kin__draft_value *values_of(const kin__selector_draft *draft);
static kin__draft_requirement *last_of(const kin__selector_draft *draft);
static kin_str string_at(const kin__selector_draft *draft, uint32_t place, uint32_t len);
static int compare_requirements(const void *context, const void *a, const void *b);
static int compare_values(const void *context, const void *a, const void *b);
static int compare_positions(uint32_t a, uint32_t b);
static size_t measure(const kin__selector_draft *draft);
static kin_err new_selector(size_t count, size_t value_count, size_t text_len, draft_writer *out,
                            kin_error *err) KIN_MUST_CHECK;
static void write_requirement(draft_writer *writer, const kin__draft_requirement *draft);
static uint32_t write_text(draft_writer *writer, kin_str text);

void kin__selector_draft_fini(kin__selector_draft *draft)
{
    kin__buf_fini(&draft->strings);
    kin__buf_fini(&draft->requirements);
    kin__buf_fini(&draft->values);
}

bool kin__selector_draft_add(kin__selector_draft *draft, kin_str key, kin__operator op, size_t at)
{
    kin__draft_requirement requirement = {
        .key = (uint32_t) draft->strings.len,
        .key_len = (uint32_t) key.len,
        .first_value = (uint32_t) (draft->values.len / sizeof(kin__draft_value)),
        .at = (uint32_t) at,
        .op = op,
    };
    return kin__buf_append_str(&draft->strings, key) &&
           kin__buf_append(&draft->requirements, (const char *) &requirement, sizeof requirement);
}

bool kin__selector_draft_add_value(kin__selector_draft *draft, kin_str value, size_t at)
{
    kin__draft_value added = {
        .place = (uint32_t) draft->strings.len,
        .len = (uint32_t) value.len,
        .at = (uint32_t) at,
    };
    if (!kin__buf_append_str(&draft->strings, value) ||
        !kin__buf_append(&draft->values, (const char *) &added, sizeof added)) {
        return false;
    }
    last_of(draft)->value_count++;
    return true;
}

void kin__selector_draft_sort_values(kin__selector_draft *draft)
{
    kin__draft_requirement *requirement = last_of(draft);
    uint32_t kept = 0;

    if (requirement->value_count == 0) {
        return;
    }
    kin__draft_value *values = values_of(draft) + requirement->first_value;
    kin__sort(values, requirement->value_count, sizeof *values, compare_values, draft);
    for (uint32_t i = 0; i < requirement->value_count; i++) {
        if (i == 0 || !kin__str_equal(kin__selector_draft_text(draft, &values[kept - 1]),
                                      kin__selector_draft_text(draft, &values[i]))) {
            values[kept] = values[i];
            kept++;
        }
    }
    draft->values.len -= (requirement->value_count - kept) * sizeof *values;
    requirement->value_count = kept;
}

void kin__selector_draft_keep_last(kin__selector_draft *draft)
{
    kin__draft_requirement *requirements = requirements_of(draft);
    size_t count = kin__selector_draft_count(draft);
    size_t kept = 0;

    kin__sort(requirements, count, sizeof *requirements, compare_requirements, draft);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 == count ||
            !kin__str_equal(kin__selector_draft_key(draft, &requirements[i]),
                            kin__selector_draft_key(draft, &requirements[i + 1]))) {
            requirements[kept] = requirements[i];
            kept++;
        }
    }
    draft->requirements.len = kept * sizeof *requirements;
}

size_t kin__selector_draft_count(const kin__selector_draft *draft)
{
    return draft->requirements.len / sizeof(kin__draft_requirement);
}

const kin__draft_requirement *kin__selector_draft_at(const kin__selector_draft *draft, size_t index)
{
    return &requirements_of(draft)[index];
}

const kin__draft_value *kin__selector_draft_value_at(const kin__selector_draft *draft,
                                                     const kin__draft_requirement *requirement,
                                                     size_t index)
{
    return &values_of(draft)[requirement->first_value + index];
}

kin_str kin__selector_draft_key(const kin__selector_draft *draft,
                                const kin__draft_requirement *requirement)
{
    return string_at(draft, requirement->key, requirement->key_len);
}

kin_str kin__selector_draft_text(const kin__selector_draft *draft, const kin__draft_value *value)
{
    return string_at(draft, value->place, value->len);
}

bool kin__selector_draft_is_too_long(const kin__selector_draft *draft)
{
    size_t separator_count =
        kin__selector_draft_count(draft) + draft->values.len / sizeof(kin__draft_value);
    return draft->strings.len + separator_count > KIN__SELECTOR_TEXT_MAX;
}

kin_err kin__selector_draft_finish(kin__selector_draft *draft, kin_selector **out, kin_error *err)
{
    kin__draft_requirement *requirements = requirements_of(draft);
    size_t count = kin__selector_draft_count(draft);
    draft_writer writer = { .draft = draft };

    if (kin__buf_failed(&draft->strings) || kin__buf_failed(&draft->requirements) ||
        kin__buf_failed(&draft->values)) {
        return kin__error_no_memory(err);
    }
    size_t text_len = measure(draft);
    if (text_len > KIN__SELECTOR_TEXT_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "longer than %d bytes", KIN__SELECTOR_TEXT_MAX);
    }
    if (new_selector(count, draft->values.len / sizeof(kin__draft_value), text_len, &writer, err) !=
        KIN_OK) {
        return err->code;
    }
    kin__sort(requirements, count, sizeof *requirements, compare_requirements, draft);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            (void) write_text(&writer, STR(","));
        }
        write_requirement(&writer, &requirements[i]);
    }
    *out = writer.selector;
    return KIN_OK;
}

kin_err kin__selector_nothing(kin_selector **out, kin_error *err)
{
    draft_writer writer = { 0 };

    if (new_selector(0, 0, 0, &writer, err) != KIN_OK) {
        return err->code;
    }
    writer.selector->is_nothing = true;
    *out = writer.selector;
    return KIN_OK;
}

static kin__draft_requirement *requirements_of(const kin__selector_draft *draft)
{
    return (kin__draft_requirement *) (void *) draft->requirements.data;
}

static kin__draft_value *values_of(const kin__selector_draft *draft)
{
    return (kin__draft_value *) (void *) draft->values.data;
}

static kin__draft_requirement *last_of(const kin__selector_draft *draft)
{
    return &requirements_of(draft)[kin__selector_draft_count(draft) - 1];
}

/* While there are only empty strings the buffer has no memory. */
static kin_str string_at(const kin__selector_draft *draft, uint32_t place, uint32_t len)
{
    return len == 0 ? STR("") : kin__str(draft->strings.data + place, len);
}

/* By key; with the same key in the order they were added. */
static int compare_requirements(const void *context, const void *a, const void *b)
{
    const kin__draft_requirement *one = a;
    const kin__draft_requirement *two = b;

    int order = kin__str_compare(kin__selector_draft_key(context, one),
                                 kin__selector_draft_key(context, two));
    return order != 0 ? order : compare_positions(one->at, two->at);
}

static int compare_values(const void *context, const void *a, const void *b)
{
    const kin__draft_value *one = a;
    const kin__draft_value *two = b;

    int order = kin__str_compare(kin__selector_draft_text(context, one),
                                 kin__selector_draft_text(context, two));
    return order != 0 ? order : compare_positions(one->at, two->at);
}

static int compare_positions(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

/* The length of the canonical text. */
static size_t measure(const kin__selector_draft *draft)
{
    size_t count = kin__selector_draft_count(draft);
    size_t len = count > 0 ? count - 1 : 0;

    for (size_t i = 0; i < count; i++) {
        const kin__draft_requirement *requirement = kin__selector_draft_at(draft, i);
        const operator_form *form = &forms[requirement->op];
        len += strlen(form->before) + requirement->key_len + strlen(form->between) +
               strlen(form->after);
        for (size_t v = 0; v < requirement->value_count; v++) {
            len += kin__selector_draft_value_at(draft, requirement, v)->len + (v > 0 ? 1 : 0);
        }
    }
    return len;
}

static kin_err new_selector(size_t count, size_t value_count, size_t text_len, draft_writer *out,
                            kin_error *err)
{
    size_t requirement_bytes = count * sizeof(kin__requirement);
    size_t value_bytes = value_count * sizeof(kin__requirement_value);

    kin_selector *selector =
        kin__alloc_zero(1, sizeof *selector + requirement_bytes + value_bytes + text_len + 1);
    if (selector == NULL) {
        return kin__error_no_memory(err);
    }
    out->selector = selector;
    out->values = (kin__requirement_value *) (void *) (selector->requirements + count);
    out->text = (char *) (out->values + value_count);
    selector->values = out->values;
    selector->text = out->text;
    return KIN_OK;
}

static void write_requirement(draft_writer *writer, const kin__draft_requirement *draft)
{
    kin_selector *selector = writer->selector;
    kin__requirement *requirement = &selector->requirements[selector->count];
    const operator_form *form = &forms[draft->op];

    (void) write_text(writer, kin_str_of(form->before));
    *requirement = (kin__requirement){
        .key = write_text(writer, kin__selector_draft_key(writer->draft, draft)),
        .key_len = (uint16_t) draft->key_len,
        .op = (uint8_t) draft->op,
        .needs_label = form->needs_label,
        .first_value = writer->value_count,
        .value_count = draft->value_count,
    };
    (void) write_text(writer, kin_str_of(form->between));
    for (uint32_t i = 0; i < draft->value_count; i++) {
        kin_str value = kin__selector_draft_text(
            writer->draft, kin__selector_draft_value_at(writer->draft, draft, i));
        (void) write_text(writer, i > 0 ? STR(",") : STR(""));
        writer->values[writer->value_count] =
            (kin__requirement_value){ write_text(writer, value), (uint32_t) value.len };
        writer->value_count++;
        if (draft->op == KIN__OPERATOR_GREATER || draft->op == KIN__OPERATOR_LESS) {
            (void) kin__label_value_int64(value, &requirement->number); /* was checked */
        }
    }
    (void) write_text(writer, kin_str_of(form->after));
    selector->count++;
}

/* Where it was written. */
static uint32_t write_text(draft_writer *writer, kin_str text)
{
    uint32_t place = writer->text_len;

    if (text.len != 0) {
        memcpy(writer->text + place, text.data, text.len);
        writer->text_len += (uint32_t) text.len;
    }
    return place;
}
