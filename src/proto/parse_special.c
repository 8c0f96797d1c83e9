/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_special.c - messages that have a JSON of their own: times, quantities, raw JSON and others.
 */
#include "base/quantity.h"
#include "base/str.h"
#include "base/time.h"
#include "json/string.h"
#include "proto/parse_state.h"

/* Times and quantities in JSON, escapes included; what is longer is neither. */
#define TEXT_MAX 512

/* The first moment of year 1, which Go has for no time. */
#define ZERO_TIME INT64_C(-62135596800)

static kin_err parse_time(kin__pb_parser *p, bool has_micros, kin__json value);
static kin_err parse_quantity(kin__pb_parser *p, kin__json value);
static kin_err parse_int_or_string(kin__pb_parser *p, kin__json value);
static kin_err parse_raw(kin__pb_parser *p, kin__json value);
static kin_err parse_schema_or_bool(kin__pb_parser *p, kin__pb_message message, kin__json value);
static kin_err parse_schema_or_list(kin__pb_parser *p, kin__pb_message message, kin__json value);
static kin_err parse_strings(kin__pb_parser *p, kin__pb_message message, kin__json value);

kin_err kin__pb_parse_special(kin__pb_parser *p, kin__pb_special special, kin__pb_message message,
                              kin__json value)
{
    switch (special) {
    case KIN__PB_TIME:
    case KIN__PB_MICROTIME:
        return parse_time(p, special == KIN__PB_MICROTIME, value);
    case KIN__PB_QUANTITY:
        return parse_quantity(p, value);
    case KIN__PB_INTORSTR:
        return parse_int_or_string(p, value);
    case KIN__PB_RAW:
    case KIN__PB_FIELDSV1:
    case KIN__PB_JSON:
        return parse_raw(p, value);
    case KIN__PB_SCHEMA_OR_BOOL:
        return parse_schema_or_bool(p, message, value);
    case KIN__PB_SCHEMA_OR_ARRAY:
    case KIN__PB_SCHEMA_OR_STRINGS:
        return parse_schema_or_list(p, message, value);
    case KIN__PB_STRINGS:
        return parse_strings(p, message, value);
    case KIN__PB_UNKNOWN:
    case KIN__PB_PLAIN:
    default:
        return kin__pb_parse_fault(p, "value that JSON cannot say");
    }
}

/* { 1 seconds, 2 nanoseconds }; nothing for the zero time. */
static kin_err parse_time(kin__pb_parser *p, bool has_micros, kin__json value)
{
    char decoded[TEXT_MAX];
    kin_str raw = kin__json_raw_string(value);
    kin_time time;

    if (kin__pb_is_null(value)) {
        return KIN_OK;
    }
    if (kin__json_type(value) != KIN_TYPE_STRING) {
        return kin__pb_wrong_type(p, "a time in a string", value);
    }
    if (raw.len > sizeof decoded ||
        kin__time_parse(kin__str(decoded, kin__json_decode(raw, decoded)), &time) != KIN_OK) {
        return kin__pb_parse_fault(p, "string that is no time (RFC 3339)");
    }
    if (time.seconds == ZERO_TIME && time.nanoseconds == 0) {
        return KIN_OK;
    }
    kin__pb_put_tag(p, 1, KIN__PB_VARINT);
    kin__pb_put_number(p, (uint64_t) time.seconds);
    kin__pb_put_tag(p, 2, KIN__PB_VARINT);
    kin__pb_put_number(p, has_micros ? (uint64_t) (time.nanoseconds / 1000 * 1000) : 0);
    return KIN_OK;
}

/* { 1 its canonical text }. */
static kin_err parse_quantity(kin__pb_parser *p, kin__json value)
{
    kin_type type = kin__json_type(value);
    kin_str text = type == KIN_TYPE_STRING ? kin__json_raw_string(value) : kin__json_text(value);

    if (!kin__pb_is_null(value) && type != KIN_TYPE_STRING && type != KIN_TYPE_NUMBER) {
        return kin__pb_wrong_type(p, "a quantity", value);
    }
    kin__pb_put_tag(p, 1, KIN__PB_LEN);
    if (kin__pb_is_null(value)) {
        kin__pb_put_content(p, STR("0"));
        return KIN_OK;
    }
    size_t place = kin__pb_begin_length(p);
    if (text.len > TEXT_MAX || kin__quantity_append(text, p->buf) == KIN_ERR_MALFORMED) {
        return kin__pb_parse_fault(p, "value that is no quantity");
    }
    kin__pb_end_length(p, place);
    return KIN_OK;
}

/* { 1 type: 0 a number, 1 a string; 2 number, 3 string }, all of them always. */
static kin_err parse_int_or_string(kin__pb_parser *p, kin__json value)
{
    kin__json none = { 0 };
    kin_type type = kin__json_type(value);
    bool is_string = type == KIN_TYPE_STRING;

    if (!kin__pb_is_null(value) && !is_string && type != KIN_TYPE_NUMBER) {
        return kin__pb_wrong_type(p, "a number or a string", value);
    }
    kin__pb_put_tag(p, 1, KIN__PB_VARINT);
    kin__pb_put_number(p, is_string);
    kin__pb_put_tag(p, 2, KIN__PB_VARINT);
    kin_err code = kin__pb_parse_scalar(p, KIN__PB_INT32, is_string ? none : value);
    if (code != KIN_OK) {
        return code;
    }
    kin__pb_put_tag(p, 3, KIN__PB_LEN);
    return kin__pb_parse_scalar(p, KIN__PB_STRING, is_string ? value : none);
}

/* { 1 JSON }, any value as it is written. */
static kin_err parse_raw(kin__pb_parser *p, kin__json value)
{
    if (!kin__pb_is_null(value)) {
        kin__pb_put_tag(p, 1, KIN__PB_LEN);
        kin__pb_put_content(p, kin__json_text(value));
    }
    return KIN_OK;
}

/* { 1 allows, 2 schema }; a schema allows. */
static kin_err parse_schema_or_bool(kin__pb_parser *p, kin__pb_message message, kin__json value)
{
    kin_type type = kin__json_type(value);

    if (!kin__pb_is_null(value) && type != KIN_TYPE_BOOL && type != KIN_TYPE_OBJECT) {
        return kin__pb_wrong_type(p, "a boolean or a schema", value);
    }
    kin__pb_put_tag(p, 1, KIN__PB_VARINT);
    kin__pb_put_number(p, type == KIN_TYPE_OBJECT || (type == KIN_TYPE_BOOL && value.at[0] == 't'));
    if (type != KIN_TYPE_OBJECT) {
        return KIN_OK;
    }
    return kin__pb_parse_single(p, 2, kin__pb_row_of(message, 2), value);
}

/* { 1 schema, 2 schemas or strings }. */
static kin_err parse_schema_or_list(kin__pb_parser *p, kin__pb_message message, kin__json value)
{
    if (kin__pb_is_null(value)) {
        return KIN_OK;
    }
    switch (kin__json_type(value)) {
    case KIN_TYPE_OBJECT:
        return kin__pb_parse_single(p, 1, kin__pb_row_of(message, 1), value);
    case KIN_TYPE_ARRAY:
        return kin__pb_parse_list(p, 2, kin__pb_row_of(message, 2), value);
    default:
        return kin__pb_wrong_type(p, "a schema or an array", value);
    }
}

/* { 1 each }. */
static kin_err parse_strings(kin__pb_parser *p, kin__pb_message message, kin__json value)
{
    return kin__pb_is_null(value) ? KIN_OK
                                  : kin__pb_parse_list(p, 1, kin__pb_row_of(message, 1), value);
}
