/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8.c - text that is UTF-8, and text that has to become it.
 *
 * Table 3-7 of the Unicode standard: the first byte gives the length and the range of the
 * second; all others are 0x80 to 0xBF.
 */
#include "base/utf8.h"

#include <string.h>

/* What may follow a first byte; `len` 0 where it starts no character. */
typedef struct lead {
    size_t len;
    unsigned char second_min;
    unsigned char second_max;
} lead;

static lead lead_of(unsigned char byte);
static bool is_control(const unsigned char *bytes, size_t char_len);

size_t kin__utf8_char_len(const char *bytes, size_t len)
{
    if (len == 0) {
        return 0;
    }
    const unsigned char *at = (const unsigned char *) bytes;
    lead first = lead_of(at[0]);
    if (first.len > len) {
        return 0;
    }
    if (first.len > 1 && (at[1] < first.second_min || at[1] > first.second_max)) {
        return 0;
    }
    for (size_t i = 2; i < first.len; i++) {
        if (at[i] < 0x80 || at[i] > 0xBF) {
            return 0;
        }
    }
    return first.len;
}

bool kin__utf8_is_valid(kin_str s)
{
    size_t at = 0;
    while (at < s.len) {
        size_t char_len = kin__utf8_char_len(s.data + at, s.len - at);
        if (char_len == 0) {
            return false;
        }
        at += char_len;
    }
    return true;
}

void kin__utf8_clean_line(char *text)
{
    size_t len = strlen(text);
    size_t at = 0;
    while (at < len) {
        size_t char_len = kin__utf8_char_len(text + at, len - at);
        if (char_len == 0) {
            text[at++] = '?';
            continue;
        }
        if (is_control((const unsigned char *) text + at, char_len)) {
            memset(text + at, '?', char_len);
        }
        at += char_len;
    }
}

static lead lead_of(unsigned char byte)
{
    if (byte < 0x80) {
        return (lead){ 1, 0, 0 };
    }
    if (byte < 0xC2) {
        return (lead){ 0, 0, 0 };
    }
    if (byte < 0xE0) {
        return (lead){ 2, 0x80, 0xBF };
    }
    if (byte < 0xF0) {
        return (lead){ 3, byte == 0xE0 ? 0xA0 : 0x80, byte == 0xED ? 0x9F : 0xBF };
    }
    if (byte < 0xF5) {
        return (lead){ 4, byte == 0xF0 ? 0x90 : 0x80, byte == 0xF4 ? 0x8F : 0xBF };
    }
    return (lead){ 0, 0, 0 };
}

/* A C1 control is U+0080 to U+009F: 0xC2 and the number itself.  Terminals obey those too. */
static bool is_control(const unsigned char *bytes, size_t char_len)
{
    if (char_len == 1) {
        return bytes[0] < 0x20 || bytes[0] == 0x7F;
    }
    return bytes[0] == 0xC2 && bytes[1] < 0xA0;
}
