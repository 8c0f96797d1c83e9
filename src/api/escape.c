/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape.c - text as a part of a URL.
 */
#include "api/escape.h"

static bool is_unreserved(char c);

bool kin__escape_append(kin__buf *buf, kin_str text)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t plain = 0; /* from here on up to `i` nothing needs an escape */

    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char) text.data[i];
        if (is_unreserved(text.data[i])) {
            continue;
        }
        char escaped[3] = { '%', digits[byte >> 4], digits[byte & 15] };
        if (!kin__buf_append(buf, text.data + plain, i - plain) ||
            !kin__buf_append(buf, escaped, sizeof escaped)) {
            return false;
        }
        plain = i + 1;
    }
    return plain == text.len || kin__buf_append(buf, text.data + plain, text.len - plain);
}

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}
