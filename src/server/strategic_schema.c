/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategic_schema.c - what the Go types say to a strategic merge patch, and how it is refused.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "json/number.h"
#include "server/go_print.h"
#include "server/go_type.h"
#include "server/strategic_state.h"

static kin__strategic_schema schema_of(const kin__pb_row *row, bool is_element);

kin_err kin__strategic_lookup(kin__strategic *s, kin__strategic_schema schema, kin_str name,
                              bool is_list, kin__strategic_field *out)
{
    kin__pb_inlines inlines = { 0 };

    if (schema.message == KIN__PB_NO_MESSAGE) {
        return kin__strategic_refuse(
            s, 500, "merging an object in json but data type is not struct, instead is: %s",
            schema.kind);
    }
    const kin__pb_row *row = kin__pb_row_named(schema.message, name, &inlines);
    if (row == NULL) {
        kin_str type = kin__go_struct(schema.message);
        return kin__strategic_refuse(
            s, 500, "unable to find api field in struct %.*s for the json field \"%.*s\"",
            KIN_STR_ARG(type), KIN_STR_ARG(name));
    }
    if (is_list && (row->flags & KIN__PB_LIST) == 0) {
        return kin__strategic_refuse(s, 500, "expected slice or array type, but got: %s",
                                     schema.kind);
    }
    kin__pb_message owner =
        inlines.count == 0 ? schema.message : inlines.rows[inlines.count - 1]->message;
    out->schema = schema_of(row, is_list);
    out->key = kin__merge_key_of(owner, row->number);
    return KIN_OK;
}

static kin__strategic_schema schema_of(const kin__pb_row *row, bool is_element)
{
    static const char *const kinds[] = {
        [KIN__PB_STRING] = "string",  [KIN__PB_BOOL] = "bool",       [KIN__PB_INT32] = "int32",
        [KIN__PB_INT64] = "int64",    [KIN__PB_DOUBLE] = "float64",  [KIN__PB_BYTES] = "slice",
        [KIN__PB_MESSAGE] = "struct", [KIN__PB_TYPEMETA] = "struct",
    };
    kin__strategic_schema schema = { KIN__PB_NO_MESSAGE, kinds[row->type] };

    if (!is_element && (row->flags & (KIN__PB_LIST | KIN__PB_MAP)) != 0) {
        schema.kind = (row->flags & KIN__PB_LIST) != 0 ? "slice" : "map";
    } else if (row->type == KIN__PB_MESSAGE) {
        schema.message = row->message;
    }
    return schema;
}

kin__strategic_type kin__strategic_type_of(const kin__node *node)
{
    int64_t whole;

    switch (kin__node_type(node)) {
    case KIN_TYPE_BOOL:
        return KIN__STRATEGIC_BOOL;
    case KIN_TYPE_NUMBER: {
        kin_str text = kin__node_text(node);
        bool is_plain = memchr(text.data, '.', text.len) == NULL &&
                        memchr(text.data, 'e', text.len) == NULL &&
                        memchr(text.data, 'E', text.len) == NULL;
        return is_plain && kin__json_int64(text, &whole) == KIN_OK ? KIN__STRATEGIC_INT
                                                                   : KIN__STRATEGIC_FLOAT;
    }
    case KIN_TYPE_STRING:
        return KIN__STRATEGIC_STRING;
    case KIN_TYPE_ARRAY:
        return KIN__STRATEGIC_LIST;
    case KIN_TYPE_OBJECT:
        return KIN__STRATEGIC_MAP;
    default:
        return KIN__STRATEGIC_NULL;
    }
}

const char *kin__strategic_type_name(kin__strategic_type type)
{
    static const char *const names[] = {
        [KIN__STRATEGIC_NULL] = "%!s(<nil>)",
        [KIN__STRATEGIC_BOOL] = "bool",
        [KIN__STRATEGIC_INT] = "int64",
        [KIN__STRATEGIC_FLOAT] = "float64",
        [KIN__STRATEGIC_STRING] = "string",
        [KIN__STRATEGIC_LIST] = "[]interface {}",
        [KIN__STRATEGIC_MAP] = "map[string]interface {}",
    };

    return names[type];
}

kin_err kin__strategic_refuse(kin__strategic *s, int code, const char *format, ...)
{
    AUTO(kin__buf_fini) kin__buf words = { 0 };
    va_list list;
    va_list again;

    va_start(list, format);
    va_copy(again, list);
    int len = vsnprintf(NULL, 0, format, list);
    va_end(list);
    bool has_room = len >= 0 && kin__buf_reserve(&words, (size_t) len + 1);
    if (has_room) {
        (void) vsnprintf(words.data, (size_t) len + 1, format, again);
        (void) kin__refuse(s->no, code, code == 400 ? "BadRequest" : "", "%s", words.data);
    }
    va_end(again);
    return has_room ? kin__error_set(&s->err, KIN_ERR_INVALID, "refused")
                    : kin__error_no_memory(&s->err);
}

kin_err kin__strategic_refuse_generic(kin__strategic *s)
{
    (void) kin__refuse(s->no, 422, "Invalid",
                       "the server rejected our request due to an error in our request");
    kin__refusal_set_details(s->no, STR(""), STR(""), STR(""));
    return kin__error_set(&s->err, KIN_ERR_INVALID, "refused");
}

kin_err kin__strategic_no_key(kin__strategic *s, const kin__node *element, kin_str key)
{
    AUTO(kin__buf_fini) kin__buf map = { 0 };

    kin__go_print(element, &map);
    if (kin__buf_failed(&map)) {
        return kin__error_no_memory(&s->err);
    }
    return kin__strategic_refuse(s, 500, "map: %.*s does not contain declared merge key: %.*s",
                                 (int) map.len, map.data, KIN_STR_ARG(key));
}

kin_err kin__strategic_bad_type(kin__strategic *s, kin__strategic_type wanted,
                                const kin__node *found)
{
    return kin__strategic_refuse(s, 500, "expected a %s, but received a %s",
                                 kin__strategic_type_name(wanted),
                                 kin__strategic_type_name(kin__strategic_type_of(found)));
}
