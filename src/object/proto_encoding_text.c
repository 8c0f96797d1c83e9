/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_encoding_text.c - strings that are not in the bytes as JSON shows them.
 *
 * Times and bytes are written into the caller's scratch.  So are strings that are not UTF-8: Go
 * checks none on the wire, and writes U+FFFD for each byte that is wrong when it makes JSON.
 */
#include "object/proto_encoding.h"

#include "base/base64.h"
#include "base/str.h"
#include "base/utf8.h"
#include "proto/render_time.h"

#define REPLACEMENT STR("\xef\xbf\xbd")

static size_t repaired_len(kin_str raw);
static kin_str next_char(kin_str *rest);
static kin_str write_repaired(kin_str raw, char *out);
static kin_str write_time(kin_value value, char out[KIN__PB_TIME_MAX]);
static bool is_base64_of(kin_str bytes, kin_str text);

kin_err kin__proto_str(kin_value value, char *scratch, size_t scratch_size, kin_str *out)
{
    kin_str bytes = kin__proto_bytes_of(value);
    char time[KIN__PB_TIME_MAX];

    switch (kin__proto_shape_of(value)) {
    case KIN__PROTO_BYTES:
        if (scratch_size < kin__base64_len(bytes.len)) {
            return KIN_ERR_RANGE;
        }
        kin__base64_write(bytes, scratch);
        *out = kin__str(scratch, kin__base64_len(bytes.len));
        return KIN_OK;
    case KIN__PROTO_TIME:
    case KIN__PROTO_MICROTIME:
        bytes = write_time(value, time);
        if (scratch_size < bytes.len) {
            return KIN_ERR_RANGE;
        }
        memcpy(scratch, bytes.data, bytes.len);
        *out = kin__str(scratch, bytes.len);
        return KIN_OK;
    default:
        break;
    }
    if (kin__proto_is_utf8(bytes)) {
        *out = bytes;
        return KIN_OK;
    }
    if (scratch_size < repaired_len(bytes)) {
        return KIN_ERR_RANGE;
    }
    *out = write_repaired(bytes, scratch);
    return KIN_OK;
}

size_t kin__proto_scratch_size(kin_value value)
{
    kin_str bytes = kin__proto_bytes_of(value);
    char time[KIN__PB_TIME_MAX];

    switch (kin__proto_shape_of(value)) {
    case KIN__PROTO_BYTES:
        return kin__base64_len(bytes.len);
    case KIN__PROTO_TIME:
    case KIN__PROTO_MICROTIME:
        return write_time(value, time).len;
    default:
        return kin__proto_is_utf8(bytes) ? 0 : repaired_len(bytes);
    }
}

bool kin__proto_is_str(kin_value value, kin_str text)
{
    char time[KIN__PB_TIME_MAX];

    switch (kin__proto_shape_of(value)) {
    case KIN__PROTO_BYTES:
        return is_base64_of(kin__proto_bytes_of(value), text);
    case KIN__PROTO_TIME:
    case KIN__PROTO_MICROTIME:
        return kin__str_equal(write_time(value, time), text);
    default:
        return kin__proto_reads_as(kin__proto_bytes_of(value), text);
    }
}

bool kin__proto_is_utf8_beyond_ascii(kin_str s)
{
    return kin__utf8_is_valid(s);
}

/* Never shorter than it is written: so only a longer text can be what it reads as otherwise. */
bool kin__proto_reads_as(kin_str raw, kin_str text)
{
    if (raw.len >= text.len) {
        return kin__str_equal(raw, text) && kin__proto_is_utf8(raw);
    }
    while (raw.len != 0) {
        kin_str c = next_char(&raw);
        if (!kin__str_starts_with(text, c)) {
            return false;
        }
        text = kin__str(text.data + c.len, text.len - c.len);
    }
    return text.len == 0;
}

static size_t repaired_len(kin_str raw)
{
    size_t len = 0;

    while (raw.len != 0) {
        len += next_char(&raw).len;
    }
    return len;
}

/* What the next character reads as. */
static kin_str next_char(kin_str *rest)
{
    size_t len = kin__utf8_char_len(rest->data, rest->len);
    kin_str c = len != 0 ? kin__str(rest->data, len) : REPLACEMENT;
    size_t used = len != 0 ? len : 1;

    *rest = kin__str(rest->data + used, rest->len - used);
    return c;
}

static kin_str write_repaired(kin_str raw, char *out)
{
    size_t len = 0;

    while (raw.len != 0) {
        kin_str c = next_char(&raw);
        memcpy(out + len, c.data, c.len);
        len += c.len;
    }
    return kin__str(out, len);
}

static kin_str write_time(kin_value value, char out[KIN__PB_TIME_MAX])
{
    bool has_micros = kin__proto_shape_of(value) == KIN__PROTO_MICROTIME;
    size_t len = kin__pb_write_time((int64_t) kin__proto_number_of(value), (int32_t) value.words[1],
                                    has_micros, out);
    return kin__str(out, len);
}

static bool is_base64_of(kin_str bytes, kin_str text)
{
    char group[4];

    if (text.len != kin__base64_len(bytes.len)) {
        return false;
    }
    for (size_t at = 0; at < bytes.len; at += 3) {
        size_t len = bytes.len - at < 3 ? bytes.len - at : 3;
        kin__base64_write(kin__str(bytes.data + at, len), group);
        if (memcmp(group, text.data + at / 3 * 4, sizeof group) != 0) {
            return false;
        }
    }
    return true;
}
