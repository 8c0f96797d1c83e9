/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printing.h - objects out of texts, and what is printed of them.
 */
#ifndef TESTS_UNIT_SERVER_PRINTING_H
#define TESTS_UNIT_SERVER_PRINTING_H

#include <string.h>

#include "base/str.h"
#include "json/cursor.h"
#include "proto/parse.h"
#include "server/table.h"
#include "support/test.h"

/* 2026-11-16T15:00:00Z */
#define PRINTING_NOW ((kin_time){ 1794841200, 0 })

static inline kin_object *printing_make(const char *api_version, const char *kind, kin_str json)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    kin_error err;

    options.api_version = api_version;
    options.kind = kind;
    options.allows_no_name = true;
    if (kin_object_from_json(json.data, json.len, &options, &object, &err) != KIN_OK) {
        FAIL("%s: of %.*s", err.message, KIN_STR_ARG(json));
    }
    return object;
}

/* The same object in protobuf. */
static inline kin_object *printing_make_proto(const char *api_version, const char *kind,
                                              kin_str json)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin__pb_message message = kin__pb_message_of(kin_str_of(api_version), kin_str_of(kind));
    kin_object *object = NULL;
    AUTO(kin__buf_fini) kin__buf bytes = { 0 };
    kin_error err;

    options.api_version = api_version;
    options.kind = kind;
    options.allows_no_name = true;
    if (kin__pb_from_json(message, kin__json_of(json), &bytes, &err) != KIN_OK ||
        kin_object_from_protobuf(bytes.data, bytes.len, &options, &object, &err) != KIN_OK) {
        FAIL("%s: of %.*s", err.message, KIN_STR_ARG(json));
    }
    return object;
}

/* Appends the row of `object`, terminated; its object is left out. */
static inline kin_err printing_row(const kin__columns *columns, const kin_object *object,
                                   kin_time now, kin__buf *out)
{
    kin__json_writer w = { out, false };
    kin__table table = {
        .w = &w,
        .columns = columns,
        .api_version = STR(KIN__META_V1),
        .include = KIN__TABLE_NOTHING,
        .now = now,
        .has_rows = true,
    };
    kin_error err;
    kin_err code = kin__table_row(&table, object, &err);

    if (code == KIN_OK && !kin__buf_append_byte(out, '\0')) {
        return KIN_ERR_NO_MEMORY;
    }
    return code;
}

/* That the cells of the object are `want`, as JSON without the brackets, in both encodings. `group`
 * is NULL where only JSON is to be tried, of the default group and kind. */
static inline void check_cells(const char *group, const char *api_version, const char *kind,
                               const char *json, const char *want)
{
    const kin__columns *columns = kin__columns_of(kin_str_of(group), kin_str_of(kind));
    static text expected;

    text_clear(&expected);
    text_append(&expected, "{\"cells\":[%s],\"object\":null}", want);
    for (int is_proto = 0; is_proto < 2; is_proto++) {
        kin_object *object = is_proto ? printing_make_proto(api_version, kind, kin_str_of(json))
                                      : printing_make(api_version, kind, kin_str_of(json));
        AUTO(kin__buf_fini) kin__buf row = { 0 };
        ASSERT_OK(printing_row(columns, object, PRINTING_NOW, &row));
        ASSERT_STR_EQ(row.data, expected.chars);
        kin_object_unref(object);
    }
}

/* The same of the one cell in the column called `name`; `want` is its text. */
static inline void check_cell_named(const char *group, const char *api_version, const char *kind,
                                    const char *json, const char *name, const char *want)
{
    const kin__columns *columns = kin__columns_of(kin_str_of(group), kin_str_of(kind));
    char scratch[256];
    size_t index = 0;
    kin_str got;

    while (index < columns->count &&
           !kin__str_equal(columns->columns[index].name, kin_str_of(name))) {
        index++;
    }
    ASSERT_TRUE(index < columns->count);
    for (int is_proto = 0; is_proto < 2; is_proto++) {
        kin_object *object = is_proto ? printing_make_proto(api_version, kind, kin_str_of(json))
                                      : printing_make(api_version, kind, kin_str_of(json));
        AUTO(kin__buf_fini) kin__buf row = { 0 };
        ASSERT_OK(printing_row(columns, object, PRINTING_NOW, &row));
        kin_object *parsed = printing_make("v1", "Row", kin_str_of(row.data));
        kin_value cell = kin_value_element(kin_object_at(parsed, "cells"), index);
        ASSERT_OK(kin_value_str(cell, scratch, sizeof scratch, &got));
        ASSERT_SLICE_EQ(got, want);
        kin_object_unref(parsed);
        kin_object_unref(object);
    }
}

#endif /* TESTS_UNIT_SERVER_PRINTING_H */
