/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_value.c - single values of a message, checked as Go's decoder checks them.
 */
#include "base/base64.h"
#include "base/quantity.h"
#include "base/str.h"
#include "json/number.h"
#include "json/string.h"
#include "server/codec_read_state.h"

/* A quantity or a time is shorter; what is longer is none. */
#define TEXT_MAX 512

static bool is_empty_array(kin__json value);
static kin_err read_special(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                            kin__node **out);
static kin_err read_time(kin__codec_reader *r, bool has_micros, kin__json value, kin__node **out);
static kin_err read_quantity(kin__codec_reader *r, kin__json value, kin__node **out);
static bool has_form_of_quantity(kin_str text);
static size_t skip_any(kin_str text, size_t at, const char *characters);
static kin_err read_int_or_string(kin__codec_reader *r, kin__json value, kin__node **out);
static kin_err read_schema(kin__codec_reader *r, kin__pb_message message, uint32_t number,
                           kin__json value, kin__node **out);
static kin_err read_schema_or_list(kin__codec_reader *r, kin__pb_message message, kin__json value,
                                   kin__node **out);
static kin_err read_number(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                           kin__node **out);
static kin_err read_bytes(kin__codec_reader *r, kin__json value, kin__node **out);
static bool is_whole(kin_str text, int64_t *out);
static const char *number_words(kin__codec_reader *r, kin_str text);
static kin_str trimmed(kin_str text);

kin_err kin__codec_read_single(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                               kin__node **out)
{
    kin_type type = kin__json_type(value);
    kin_type wanted = KIN_TYPE_NUMBER;

    switch (row->type) {
    case KIN__PB_MESSAGE:
        if (kin__pb_special_of(row->message) != KIN__PB_PLAIN) {
            return read_special(r, row, value, out);
        }
        wanted = KIN_TYPE_OBJECT;
        break;
    case KIN__PB_STRING:
    case KIN__PB_BYTES:
        wanted = KIN_TYPE_STRING;
        break;
    case KIN__PB_BOOL:
        wanted = KIN_TYPE_BOOL;
        break;
    default:
        break;
    }
    if (row->type == KIN__PB_BYTES && type == KIN_TYPE_ARRAY && is_empty_array(value)) {
        return kin__node_string(STR(""), out, r->err);
    }
    if (type != wanted) {
        kin__codec_wrong_row(r, kin__codec_type_name(value), row, false);
        return KIN_OK;
    }
    if (wanted == KIN_TYPE_NUMBER) {
        return read_number(r, row, value, out);
    }
    if (row->type == KIN__PB_BYTES) {
        return read_bytes(r, value, out);
    }
    if (wanted != KIN_TYPE_OBJECT) {
        return kin__node_from_json(value, out, r->err);
    }
    if (kin__node_container(KIN_TYPE_OBJECT, out, r->err) != KIN_OK) {
        return r->err->code;
    }
    return kin__codec_read_struct(r, row->message, value, *out);
}

/* Which to Go is a list of bytes as well. */
static bool is_empty_array(kin__json value)
{
    kin__json_iter iter = kin__json_walk(value);

    return !kin__json_next(&iter);
}

/* Not null. */
static kin_err read_special(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                            kin__node **out)
{
    kin__pb_special special = kin__pb_special_of(row->message);
    kin_type type = kin__json_type(value);

    switch (special) {
    case KIN__PB_TIME:
    case KIN__PB_MICROTIME:
        return read_time(r, special == KIN__PB_MICROTIME, value, out);
    case KIN__PB_QUANTITY:
        return read_quantity(r, value, out);
    case KIN__PB_INTORSTR:
        return read_int_or_string(r, value, out);
    case KIN__PB_SCHEMA_OR_BOOL:
        if (type == KIN_TYPE_BOOL) {
            return kin__node_from_json(value, out, r->err);
        }
        if (type != KIN_TYPE_OBJECT) {
            kin__buf_clear(&r->reading->words);
            (void) kin__buf_append_str(&r->reading->words, STR("boolean or JSON schema expected"));
            return kin__codec_abort(r);
        }
        return read_schema(r, row->message, 2, value, out);
    case KIN__PB_SCHEMA_OR_ARRAY:
    case KIN__PB_SCHEMA_OR_STRINGS:
        return read_schema_or_list(r, row->message, value, out);
    case KIN__PB_STRINGS:
        return kin__codec_read_list(r, kin__pb_row_of(row->message, 1), value, out);
    case KIN__PB_RAW:
    case KIN__PB_FIELDSV1:
    case KIN__PB_JSON:
        return kin__node_from_json(value, out, r->err);
    default: /* runtime.Unknown, which no kind has */
        return KIN_OK;
    }
}

static kin_err read_time(kin__codec_reader *r, bool has_micros, kin__json value, kin__node **out)
{
    if (kin__json_type(value) != KIN_TYPE_STRING) {
        return kin__codec_abort_type(r, kin__codec_type_name(value), STR("string"));
    }
    if (kin__node_from_json(value, out, r->err) != KIN_OK) {
        return r->err->code;
    }
    kin__buf_clear(&r->scratch);
    if (!kin__codec_check_time(kin__node_text(*out), has_micros, &r->scratch)) {
        kin__buf_clear(&r->reading->words);
        (void) kin__buf_append(&r->reading->words, r->scratch.data, r->scratch.len);
        return kin__codec_abort(r);
    }
    return KIN_OK;
}

/* Go looks at the text between the quotes as it stands, escapes and all. */
static kin_err read_quantity(kin__codec_reader *r, kin__json value, kin__node **out)
{
    bool is_string = kin__json_type(value) == KIN_TYPE_STRING;
    kin_str text = trimmed(is_string ? kin__json_raw_string(value) : kin__json_text(value));

    kin__buf_clear(&r->scratch);
    kin_err code = text.len == 0 || text.len > TEXT_MAX ? KIN_ERR_MALFORMED
                                                        : kin__quantity_append(text, &r->scratch);
    if (code == KIN_ERR_NO_MEMORY) {
        return kin__error_no_memory(r->err);
    }
    if (code != KIN_OK) {
        kin__buf_clear(&r->reading->words);
        (void) kin__buf_append_str(&r->reading->words,
                                   text.len != 0 && has_form_of_quantity(text)
                                       ? STR("unable to parse quantity's suffix")
                                       : STR("quantities must match the regular expression "
                                             "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"));
        return kin__codec_abort(r);
    }
    return is_string ? kin__node_string(text, out, r->err) : kin__node_number(text, out, r->err);
}

/* A number, then something that might be a suffix. */
static bool has_form_of_quantity(kin_str text)
{
    size_t at = text.data[0] == '+' || text.data[0] == '-';

    at = skip_any(text, at, "0123456789");
    if (at < text.len && text.data[at] == '.') {
        at = skip_any(text, at + 1, "0123456789");
    }
    at = skip_any(text, at, "eEinumkKMGTP");
    at += at < text.len && (text.data[at] == '+' || text.data[at] == '-');
    return skip_any(text, at, "0123456789") == text.len;
}

static size_t skip_any(kin_str text, size_t at, const char *characters)
{
    while (at < text.len && text.data[at] != '\0' && strchr(characters, text.data[at]) != NULL) {
        at++;
    }
    return at;
}

static kin_err read_int_or_string(kin__codec_reader *r, kin__json value, kin__node **out)
{
    int64_t number;
    kin_type type = kin__json_type(value);

    if (type != KIN_TYPE_STRING && type != KIN_TYPE_NUMBER) {
        return kin__codec_abort_type(r, kin__codec_type_name(value), STR("int32"));
    }
    if (type == KIN_TYPE_NUMBER &&
        (!is_whole(kin__json_text(value), &number) || number != (int32_t) number)) {
        return kin__codec_abort_type(r, number_words(r, kin__json_text(value)), STR("int32"));
    }
    return kin__node_from_json(value, out, r->err);
}

/* The schema in field `number` of a message that reads itself. */
static kin_err read_schema(kin__codec_reader *r, kin__pb_message message, uint32_t number,
                           kin__json value, kin__node **out)
{
    const kin__pb_row *row = kin__pb_row_of(message, number);

    r->quiet++;
    kin_err code = kin__codec_read_single(r, row, value, out);
    r->quiet--;
    return code;
}

/* Anything but an object or an array leaves it empty, in Go. */
static kin_err read_schema_or_list(kin__codec_reader *r, kin__pb_message message, kin__json value,
                                   kin__node **out)
{
    kin_type type = kin__json_type(value);

    if (type == KIN_TYPE_OBJECT) {
        return read_schema(r, message, 1, value, out);
    }
    if (type != KIN_TYPE_ARRAY) {
        return KIN_OK;
    }
    r->quiet++;
    kin_err code = kin__codec_read_list(r, kin__pb_row_of(message, 2), value, out);
    r->quiet--;
    return code;
}

static kin_err read_number(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                           kin__node **out)
{
    kin_str text = kin__json_text(value);
    int64_t whole = 0;
    double real;

    bool fits =
        row->type == KIN__PB_DOUBLE
            ? kin__json_double(text, &real) == KIN_OK
            : is_whole(text, &whole) && (row->type != KIN__PB_INT32 || whole == (int32_t) whole);
    if (!fits) {
        kin__codec_wrong_row(r, number_words(r, text), row, false);
        return KIN_OK;
    }
    return kin__node_number(text, out, r->err);
}

static kin_err read_bytes(kin__codec_reader *r, kin__json value, kin__node **out)
{
    size_t len;

    if (kin__node_from_json(value, out, r->err) != KIN_OK) {
        return r->err->code;
    }
    kin_str text = kin__node_text(*out);
    kin__buf_clear(&r->scratch);
    if (!kin__buf_reserve(&r->scratch, text.len + 3)) {
        return kin__error_no_memory(r->err);
    }
    if (!kin__base64_decode(text, r->scratch.data, &len) && !r->is_faulty) {
        r->is_faulty = true;
        (void) kin__buf_append_format(&r->reading->words, "illegal base64 data at input byte %zu",
                                      kin__codec_base64_fault(text));
    }
    return KIN_OK;
}

/* As Go's ParseInt() takes it: digits and a sign, no fraction, no exponent. */
static bool is_whole(kin_str text, int64_t *out)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '.' || text.data[i] == 'e' || text.data[i] == 'E') {
            return false;
        }
    }
    return kin__json_int64(text, out) == KIN_OK;
}

/* "number 1.5", until the scratch is used again. */
static const char *number_words(kin__codec_reader *r, kin_str text)
{
    kin__buf_clear(&r->scratch);
    (void) kin__buf_append_str(&r->scratch, STR("number "));
    (void) kin__buf_append_str(&r->scratch, text);
    (void) kin__buf_append_byte(&r->scratch, '\0');
    return kin__buf_failed(&r->scratch) ? "number" : r->scratch.data;
}

static kin_str trimmed(kin_str text)
{
    while (text.len > 0 && text.data[0] == ' ') {
        text = kin__str(text.data + 1, text.len - 1);
    }
    while (text.len > 0 && text.data[text.len - 1] == ' ') {
        text.len--;
    }
    return text;
}
