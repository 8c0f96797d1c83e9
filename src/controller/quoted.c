/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quoted.c - text of any bytes as a JSON string.
 */
#include "controller/quoted.h"

#include "base/str.h"
#include "base/utf8.h"

static void append_ascii(kin__buf *buf, char c);

void kin__quoted_append(kin__buf *buf, kin_str text)
{
    (void) kin__buf_append_byte(buf, '"');
    for (size_t at = 0; at < text.len;) {
        size_t len = kin__utf8_char_len(text.data + at, text.len - at);

        if (len > 1) {
            (void) kin__buf_append(buf, text.data + at, len);
        } else {
            append_ascii(buf, len == 0 ? '?' : text.data[at]);
        }
        at += len == 0 ? 1 : len;
    }
    (void) kin__buf_append_byte(buf, '"');
}

static void append_ascii(kin__buf *buf, char c)
{
    if ((unsigned char) c < 0x20) {
        (void) kin__buf_append_format(buf, "\\u%04x", (unsigned) c);
        return;
    }
    if (c == '"' || c == '\\') {
        (void) kin__buf_append_byte(buf, '\\');
    }
    (void) kin__buf_append_byte(buf, c);
}
