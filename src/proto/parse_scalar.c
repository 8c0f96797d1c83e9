/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_scalar.c - single JSON values as fields of a message.
 */
#include <string.h>

#include "base/base64.h"
#include "base/str.h"
#include "json/number.h"
#include "json/string.h"
#include "proto/parse_state.h"

static kin_err parse_integer(kin__pb_parser *p, kin__pb_type type, kin__json value);
static kin_err parse_double(kin__pb_parser *p, kin__json value);
static kin_err parse_string(kin__pb_parser *p, kin__json value);
static kin_err parse_bytes(kin__pb_parser *p, kin__json value);
static bool append_decoded(kin__buf *buf, kin_str raw);

kin_err kin__pb_parse_scalar(kin__pb_parser *p, kin__pb_type type, kin__json value)
{
    switch (type) {
    case KIN__PB_STRING:
        return parse_string(p, value);
    case KIN__PB_BYTES:
        return parse_bytes(p, value);
    case KIN__PB_INT32:
    case KIN__PB_INT64:
        return parse_integer(p, type, value);
    case KIN__PB_DOUBLE:
        return parse_double(p, value);
    case KIN__PB_BOOL:
    default:
        if (!kin__pb_is_null(value) && kin__json_type(value) != KIN_TYPE_BOOL) {
            return kin__pb_wrong_type(p, "a boolean", value);
        }
        kin__pb_put_number(p, kin__json_type(value) == KIN_TYPE_BOOL && value.at[0] == 't');
        return KIN_OK;
    }
}

bool kin__pb_is_null(kin__json value)
{
    return kin__json_type(value) <= KIN_TYPE_NULL;
}

void kin__pb_put_tag(kin__pb_parser *p, uint32_t number, kin__pb_wire wire)
{
    kin__pb_put_number(p, (uint64_t) number << 3 | wire);
}

void kin__pb_put_number(kin__pb_parser *p, uint64_t value)
{
    uint8_t bytes[10];

    (void) kin__buf_append(p->buf, (const char *) bytes, kin__pb_put_varint(value, bytes));
}

void kin__pb_put_content(kin__pb_parser *p, kin_str content)
{
    kin__pb_put_number(p, content.len);
    (void) kin__buf_append_str(p->buf, content);
}

size_t kin__pb_begin_length(kin__pb_parser *p)
{
    (void) kin__buf_append_byte(p->buf, 0);
    return p->buf->len;
}

void kin__pb_end_length(kin__pb_parser *p, size_t place)
{
    if (kin__buf_failed(p->buf)) {
        return;
    }
    size_t len = p->buf->len - place;
    size_t more = kin__pb_varint_size(len) - 1;
    if (more != 0) {
        if (!kin__buf_reserve(p->buf, more)) {
            return;
        }
        memmove(p->buf->data + place + more, p->buf->data + place, len);
        p->buf->len += more;
    }
    (void) kin__pb_put_varint(len, (uint8_t *) p->buf->data + place - 1);
}

static kin_err parse_integer(kin__pb_parser *p, kin__pb_type type, kin__json value)
{
    int64_t number = 0;

    if (!kin__pb_is_null(value)) {
        if (kin__json_type(value) != KIN_TYPE_NUMBER) {
            return kin__pb_wrong_type(p, "a number", value);
        }
        kin_err code = kin__json_int64(kin__json_text(value), &number);
        if (code == KIN_ERR_TYPE) {
            return kin__pb_parse_fault(p, "expected a whole number");
        }
        if (code != KIN_OK || (type == KIN__PB_INT32 && number != (int32_t) number)) {
            return kin__pb_parse_fault(p, "number that does not fit %d bits",
                                       type == KIN__PB_INT32 ? 32 : 64);
        }
    }
    kin__pb_put_number(p, (uint64_t) number);
    return KIN_OK;
}

static kin_err parse_double(kin__pb_parser *p, kin__json value)
{
    double number = 0;
    uint64_t bits;
    char bytes[sizeof bits];

    if (!kin__pb_is_null(value)) {
        if (kin__json_type(value) != KIN_TYPE_NUMBER) {
            return kin__pb_wrong_type(p, "a number", value);
        }
        if (kin__json_double(kin__json_text(value), &number) != KIN_OK) {
            return kin__pb_parse_fault(p, "number that does not fit 64 bits");
        }
    }
    memcpy(&bits, &number, sizeof bits);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char) (bits >> (8 * i));
    }
    (void) kin__buf_append(p->buf, bytes, sizeof bytes);
    return KIN_OK;
}

static kin_err parse_string(kin__pb_parser *p, kin__json value)
{
    kin_str raw = kin__json_raw_string(value);

    if (!kin__pb_is_null(value) && kin__json_type(value) != KIN_TYPE_STRING) {
        return kin__pb_wrong_type(p, "a string", value);
    }
    if (!kin__json_has_escapes(raw)) {
        kin__pb_put_content(p, raw);
        return KIN_OK;
    }
    size_t place = kin__pb_begin_length(p);
    (void) append_decoded(p->buf, raw); /* the buffer remembers */
    kin__pb_end_length(p, place);
    return KIN_OK;
}

static kin_err parse_bytes(kin__pb_parser *p, kin__json value)
{
    kin_str raw = kin__json_raw_string(value);

    if (!kin__pb_is_null(value) && kin__json_type(value) != KIN_TYPE_STRING) {
        return kin__pb_wrong_type(p, "a string in base64", value);
    }
    size_t place = kin__pb_begin_length(p);
    if (!append_decoded(p->buf, raw)) {
        return kin__error_no_memory(p->err);
    }
    /* In place: bytes are fewer than their digits. */
    size_t len = p->buf->len - place;
    char *digits = p->buf->data + place;
    if (!kin__base64_decode(kin__str(digits, len), digits, &len)) {
        return kin__pb_parse_fault(p, "string that is no base64");
    }
    p->buf->len = place + len;
    kin__pb_end_length(p, place);
    return KIN_OK;
}

/* What a JSON string means. */
static bool append_decoded(kin__buf *buf, kin_str raw)
{
    if (!kin__buf_reserve(buf, raw.len)) {
        return false;
    }
    if (raw.len != 0) {
        buf->len += kin__json_decode(raw, buf->data + buf->len);
    }
    return true;
}
