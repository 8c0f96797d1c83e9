/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quote.c - text in double quotes, as Go's %q has it.
 */
#include "server/quote.h"

#include "base/utf8.h"

static void append_ascii(char c, kin__buf *out);
static void append_character(const char *bytes, size_t len, kin__buf *out);
static uint32_t code_point(const char *bytes, size_t len);
static bool is_printable(uint32_t point);

void kin__quote_append(kin_str text, kin__buf *out)
{
    (void) kin__buf_append_byte(out, '"');
    for (size_t at = 0; at < text.len;) {
        size_t len = kin__utf8_char_len(text.data + at, text.len - at);
        if (len == 1) {
            append_ascii(text.data[at], out);
        } else if (len > 1) {
            append_character(text.data + at, len, out);
        } else {
            (void) kin__buf_append_format(out, "\\x%02x", (unsigned char) text.data[at]);
            len = 1;
        }
        at += len;
    }
    (void) kin__buf_append_byte(out, '"');
}

static void append_ascii(char c, kin__buf *out)
{
    static const char controls[] = "abtnvfr"; /* from 0x07 on */

    if (c == '"' || c == '\\') {
        (void) kin__buf_append_byte(out, '\\');
        (void) kin__buf_append_byte(out, c);
    } else if (c >= 0x07 && c <= 0x0d) {
        (void) kin__buf_append_byte(out, '\\');
        (void) kin__buf_append_byte(out, controls[c - 0x07]);
    } else if (c < 0x20 || c == 0x7f) {
        (void) kin__buf_append_format(out, "\\x%02x", (unsigned char) c);
    } else {
        (void) kin__buf_append_byte(out, c);
    }
}

static void append_character(const char *bytes, size_t len, kin__buf *out)
{
    uint32_t point = code_point(bytes, len);

    if (is_printable(point)) {
        (void) kin__buf_append(out, bytes, len);
    } else if (point < 0x10000) {
        (void) kin__buf_append_format(out, "\\u%04x", (unsigned) point);
    } else {
        (void) kin__buf_append_format(out, "\\U%08x", (unsigned) point);
    }
}

/* Of a valid sequence of 2 to 4 bytes. */
static uint32_t code_point(const char *bytes, size_t len)
{
    uint32_t point = (unsigned char) bytes[0] & (0xffu >> (len + 1));

    for (size_t i = 1; i < len; i++) {
        point = point << 6 | ((unsigned char) bytes[i] & 0x3fu);
    }
    return point;
}

static bool is_printable(uint32_t point)
{
    if (point <= 0xa0 || point == 0xad || point == 0xfeff) {
        return false;
    }
    if (point >= 0x2000 && point <= 0x200f) {
        return false; /* spaces and marks of direction */
    }
    if ((point >= 0x2028 && point <= 0x202f) || (point >= 0x205f && point <= 0x206f)) {
        return false;
    }
    return !(point >= 0xe000 && point <= 0xf8ff) && point < 0xe0000 && point != 0x3000;
}
