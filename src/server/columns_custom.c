/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns_custom.c - the columns of custom resources, made of their definition.
 */
#include "server/columns_custom.h"

#include "base/alloc.h"
#include "server/columns_jsonpath.h"
#include "server/columns_row.h"

/* What kin__columns_from_crd() hands out begins with the columns. */
typedef struct custom_columns {
    kin__columns head;
    size_t capacity;
    kin__column columns[];
} custom_columns;

static kin_value columns_of_version(const kin_object *crd, kin_str version);
static kin_err fill(custom_columns *custom, kin_value definitions, kin_error *err);
static kin_err fill_age(kin__column *column, kin_error *err);
static kin_err fill_column(kin__column *column, kin_value definition, kin_error *err);
static kin_err fill_description(kin__column *column, kin_value definition, kin_error *err);
static kin_err own_value(kin_value value, kin_str *out, kin_error *err);
static kin_err own_buf(kin__buf *buf, kin_str *out, kin_error *err);
static kin_err compile(kin_value jsonpath, kin_path **out, kin_error *err);
static void column_fini(kin__column *column);

kin_err kin__columns_from_crd(const kin_object *crd, kin_str version, kin__columns **out,
                              kin_error *err)
{
    static const kin__column name = COLUMN_NAME;
    kin_value definitions = columns_of_version(crd, version);
    size_t count = kin_value_count(definitions);
    size_t capacity = 1 + (count == 0 ? 1 : count);
    custom_columns *custom =
        kin__alloc_zero(1, sizeof *custom + capacity * sizeof custom->columns[0]);

    if (custom == NULL) {
        return kin__error_no_memory(err);
    }
    AUTO(kin__columns_free) kin__columns *guard = &custom->head;
    custom->head.columns = custom->columns;
    custom->capacity = capacity;
    custom->columns[0] = name;
    custom->head.count = 1;
    kin_err code = count == 0 ? fill_age(&custom->columns[custom->head.count++], err)
                              : fill(custom, definitions, err);
    if (code != KIN_OK) {
        return code;
    }
    *out = STEAL(guard);
    return KIN_OK;
}

void kin__columns_free(kin__columns *columns)
{
    custom_columns *custom = (custom_columns *) columns;

    if (custom == NULL) {
        return;
    }
    for (size_t i = 1; i < custom->head.count; i++) {
        column_fini(&custom->columns[i]);
    }
    kin__free(custom);
}

/* The additionalPrinterColumns of the version. */
static kin_value columns_of_version(const kin_object *crd, kin_str version)
{
    kin_iter iter = kin_value_iter(kin_object_at(crd, "spec.versions"));

    while (kin_iter_next(&iter)) {
        if (kin__value_is(kin_value_member(iter.value, STR("name")), version)) {
            kin_value columns = kin_value_member(iter.value, STR("additionalPrinterColumns"));
            return kin_value_type(columns) == KIN_TYPE_ARRAY ? columns : (kin_value){ 0 };
        }
    }
    return (kin_value){ 0 };
}

static kin_err fill(custom_columns *custom, kin_value definitions, kin_error *err)
{
    kin_iter iter = kin_value_iter(definitions);

    while (custom->head.count < custom->capacity && kin_iter_next(&iter)) {
        kin_err code = fill_column(&custom->columns[custom->head.count++], iter.value, err);
        if (code != KIN_OK) {
            return code;
        }
    }
    return KIN_OK;
}

/* What a definition without columns gets. */
static kin_err fill_age(kin__column *column, kin_error *err)
{
    static const kin_str values[] = { TEXT("Age"), TEXT("date"), TEXT(DESCRIBES_AGE) };
    kin_str *const texts[] = { &column->name, &column->type, &column->description };

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        AUTO(kin__buf_fini) kin__buf text = { 0 };
        (void) kin__buf_append_str(&text, values[i]);
        kin_err code = own_buf(&text, texts[i], err);
        if (code != KIN_OK) {
            return code;
        }
    }
    column->print = kin__custom_print_of(column->type);
    return kin_path_new("metadata.creationTimestamp", &column->compiled, err);
}

static kin_err fill_column(kin__column *column, kin_value definition, kin_error *err)
{
    int64_t priority = kin__value_number(kin_value_member(definition, STR("priority")));
    kin_err code = own_value(kin_value_member(definition, STR("name")), &column->name, err);

    if (code == KIN_OK) {
        code = own_value(kin_value_member(definition, STR("type")), &column->type, err);
    }
    if (code == KIN_OK) {
        code = own_value(kin_value_member(definition, STR("format")), &column->format, err);
    }
    if (code == KIN_OK) {
        code = fill_description(column, definition, err);
    }
    if (code == KIN_OK) {
        code = compile(kin_value_member(definition, STR("jsonPath")), &column->compiled, err);
    }
    column->priority = priority < INT32_MIN || priority > INT32_MAX ? 0 : (int32_t) priority;
    column->print = kin__custom_print_of(column->type);
    return code;
}

static kin_err fill_description(kin__column *column, kin_value definition, kin_error *err)
{
    kin_value description = kin_value_member(definition, STR("description"));
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    if (kin__value_is_filled(description)) {
        return own_value(description, &column->description, err);
    }
    (void) kin__buf_append_str(&text,
                               STR("Custom resource definition column (in JSONPath format): "));
    (void) kin__value_append(kin_value_member(definition, STR("jsonPath")), &text);
    return own_buf(&text, &column->description, err);
}

/* A copy of what a string says; of anything else, of nothing. */
static kin_err own_value(kin_value value, kin_str *out, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    (void) kin__value_append(value, &text);
    return own_buf(&text, out, err);
}

static kin_err own_buf(kin__buf *buf, kin_str *out, kin_error *err)
{
    char *data;
    size_t len;
    kin_err code = kin__buf_take(buf, &data, &len, err);

    if (code == KIN_OK) {
        *out = kin__str(data, len);
    }
    return code;
}

/* NULL for what is no path, or none that is known. */
static kin_err compile(kin_value jsonpath, kin_path **out, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    AUTO(kin__buf_fini) kin__buf path = { 0 };

    (void) kin__value_append(jsonpath, &text);
    bool is_known = kin_value_type(jsonpath) == KIN_TYPE_STRING &&
                    kin__jsonpath_translate(kin__str(text.data, text.len), &path);
    if (kin__buf_failed(&text) || kin__buf_failed(&path)) {
        return kin__error_no_memory(err);
    }
    if (!is_known || memchr(path.data, '\0', path.len) != path.data + path.len - 1) {
        return KIN_OK;
    }
    return kin_path_new(path.data, out, err) == KIN_ERR_NO_MEMORY ? KIN_ERR_NO_MEMORY : KIN_OK;
}

static void column_fini(kin__column *column)
{
    kin_free((void *) (uintptr_t) column->name.data);
    kin_free((void *) (uintptr_t) column->type.data);
    kin_free((void *) (uintptr_t) column->format.data);
    kin_free((void *) (uintptr_t) column->description.data);
    kin_path_free(column->compiled);
}
