/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - a text that grows, and what may be shown of texts that others wrote.
 */
#include "cli/text.h"

#include <stdarg.h>
#include <string.h>

#include "cli/memory.h"

static void reserve(kin__cli_text *text, size_t more);
static void append_safe(kin__cli_text *text, kin_str s, bool has_lines);
static size_t decode(const char *bytes, size_t len, uint32_t *out);
static bool is_shown(uint32_t c);

void kin__cli_text_fini(kin__cli_text *text)
{
    kin__cli_free(text->chars);
    memset(text, 0, sizeof *text);
}

void kin__cli_text_clear(kin__cli_text *text)
{
    text->len = 0;
    if (text->chars != NULL) {
        text->chars[0] = '\0';
    }
}

void kin__cli_text_append(kin__cli_text *text, kin_str s)
{
    reserve(text, s.len);
    if (s.len > 0) {
        memcpy(text->chars + text->len, s.data, s.len);
    }
    text->len += s.len;
    text->chars[text->len] = '\0';
}

void kin__cli_text_say(kin__cli_text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int len = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (len < 0) {
        return;
    }
    reserve(text, (size_t) len);
    va_start(arguments, format);
    vsnprintf(text->chars + text->len, (size_t) len + 1, format, arguments);
    va_end(arguments);
    text->len += (size_t) len;
}

void kin__cli_text_safe(kin__cli_text *text, kin_str s)
{
    append_safe(text, s, false);
}

void kin__cli_text_safe_lines(kin__cli_text *text, kin_str s)
{
    append_safe(text, s, true);
}

void kin__cli_text_json(kin__cli_text *text, kin_str json)
{
    size_t i = 0;

    while (i < json.len) {
        uint32_t c = 0xfffd;
        size_t len = decode(json.data + i, json.len - i, &c);
        if (len > 0 && is_shown(c)) {
            kin__cli_text_append(text, (kin_str){ json.data + i, len });
        } else {
            kin__cli_text_say(text, "\\u%04x", c);
        }
        i += len > 0 ? len : 1;
    }
}

kin_str kin__cli_text_str(const kin__cli_text *text)
{
    return (kin_str){ kin__cli_text_chars(text), text->len };
}

const char *kin__cli_text_chars(const kin__cli_text *text)
{
    return text->chars != NULL ? text->chars : "";
}

size_t kin__cli_text_width(kin_str s)
{
    size_t width = 0;

    for (size_t i = 0; i < s.len; i++) {
        width += (s.data[i] & 0xc0) != 0x80;
    }
    return width;
}

size_t kin__cli_text_cut(kin_str s, size_t width)
{
    size_t i = 0;

    while (i < s.len && ((s.data[i] & 0xc0) == 0x80 || width > 0)) {
        width -= (s.data[i] & 0xc0) != 0x80;
        i++;
    }
    return i;
}

/* One byte more than that, for the end. */
static void reserve(kin__cli_text *text, size_t more)
{
    size_t wanted = text->len + more + 1;

    if (wanted > text->capacity) {
        text->capacity = wanted + wanted / 2 + 32;
        text->chars = kin__cli_grow(text->chars, text->capacity, 1);
    }
}

static void append_safe(kin__cli_text *text, kin_str s, bool has_lines)
{
    size_t i = 0;

    while (i < s.len) {
        uint32_t c = 0;
        size_t len = decode(s.data + i, s.len - i, &c);
        bool is_kept = len > 0 && (is_shown(c) || (has_lines && (c == '\n' || c == '\t')));
        kin_str part = is_kept ? (kin_str){ s.data + i, len } : kin_str_of("?");
        kin__cli_text_append(text, part);
        i += len > 0 ? len : 1;
    }
}

/* The length of the character at `bytes`; 0 when it is none that UTF-8 allows. */
static size_t decode(const char *bytes, size_t len, uint32_t *out)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint8_t first = (uint8_t) bytes[0];

    if (first < 0x80) {
        *out = first;
        return 1;
    }
    size_t count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc0 || first > 0xf7 || count > len) {
        return 0;
    }
    uint32_t c = first & (0xffu >> (count + 1));
    for (size_t i = 1; i < count; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
        c = c << 6 | ((uint8_t) bytes[i] & 0x3fu);
    }
    if (c < least[count] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) {
        return 0;
    }
    *out = c;
    return count;
}

static bool is_shown(uint32_t c)
{
    bool is_control = c < 0x20 || (c >= 0x7f && c < 0xa0);
    bool turns_direction = c == 0x61c || c == 0x200e || c == 0x200f ||
                           (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    bool ends_line = c == 0x2028 || c == 0x2029;

    return !is_control && !turns_direction && !ends_line;
}
