/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string.c - JSON strings: what they decode to, and how to write them.
 *
 * All that gives a raw text its meaning goes through read_escape(), so that decoding and
 * comparing cannot disagree.  An escape never means more bytes than it is written with; from
 * this follow the room that decoding needs and the quick answers of the comparisons.
 *
 * Texts that are not valid JSON are read without harm: what is no escape means the character
 * after the backslash, and half a surrogate pair means U+FFFD, as Go reads it.
 */
#include "json/string.h"

#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "json/hex.h"
#include "json/lanes.h"

/* "\u0061" is 6 bytes for 1; no escape is worse. */
#define RAW_PER_BYTE 6

#define REPLACEMENT 0xfffdu

/* A raw text on its way through its meaning, byte by byte. */
typedef struct reader {
    const char *at;
    const char *end;
    char pending[4]; /* what the last escape meant */
    size_t count;
    size_t next; /* of `pending` */
} reader;

static int next_byte(reader *r);
static size_t read_escape(const char *at, const char *end, char out[4], size_t *out_len);
static size_t read_unicode(const char *at, const char *end, char out[4], size_t *out_len);
static int32_t read_hex4(const char *at, const char *end);
static size_t put_utf8(uint32_t point, char out[4]);
static bool append_escaped(kin__buf *buf, kin_str text);
static bool append_escape(kin__buf *buf, const char *at, size_t len);
static const char *skip_unescaped(const char *at, const char *end);
static const char *skip_plain(const char *at, const char *end);
static bool is_plain(unsigned char c);
static bool is_line_separator(const char *at, size_t len);

bool kin__json_has_escapes(kin_str raw)
{
    return raw.len != 0 && memchr(raw.data, '\\', raw.len) != NULL;
}

size_t kin__json_decode(kin_str raw, char *out)
{
    const char *at = raw.data;
    size_t left = raw.len;
    size_t len = 0;

    while (left != 0) {
        const char *escape = memchr(at, '\\', left);
        size_t run = escape == NULL ? left : (size_t) (escape - at);
        memcpy(out + len, at, run);
        len += run;
        at += run;
        left -= run;
        if (escape != NULL) {
            char meaning[4];
            size_t count;
            size_t used = read_escape(at, at + left, meaning, &count);
            memcpy(out + len, meaning, count);
            len += count;
            at += used;
            left -= used;
        }
    }
    return len;
}

bool kin__json_string_equals(kin_str raw, kin_str text)
{
    if (raw.len < text.len || raw.len / RAW_PER_BYTE > text.len) {
        return false;
    }
    while (raw.len != 0) {
        const char *escape = memchr(raw.data, '\\', raw.len);
        size_t run = escape == NULL ? raw.len : (size_t) (escape - raw.data);
        char meaning[4];
        size_t used = 0;
        size_t count = 0;
        if (escape != NULL) {
            used = read_escape(escape, raw.data + raw.len, meaning, &count);
        }
        if (run + count > text.len || memcmp(raw.data, text.data, run) != 0 ||
            memcmp(meaning, text.data + run, count) != 0) {
            return false;
        }
        raw = kin__str(raw.data + run + used, raw.len - run - used);
        text = kin__str(text.data + run + count, text.len - run - count);
    }
    return text.len == 0;
}

bool kin__json_strings_equal(kin_str raw_a, kin_str raw_b)
{
    if (kin__str_equal(raw_a, raw_b)) {
        return true;
    }
    if (!kin__json_has_escapes(raw_a)) {
        return kin__json_string_equals(raw_b, raw_a);
    }
    if (!kin__json_has_escapes(raw_b)) {
        return kin__json_string_equals(raw_a, raw_b);
    }
    reader a = { .at = raw_a.data, .end = raw_a.data + raw_a.len };
    reader b = { .at = raw_b.data, .end = raw_b.data + raw_b.len };
    for (;;) {
        int byte = next_byte(&a);
        if (byte != next_byte(&b)) {
            return false;
        }
        if (byte < 0) {
            return true;
        }
    }
}

bool kin__json_append_string(kin__buf *buf, kin_str text)
{
    size_t before = buf->len;
    if (!kin__buf_append_byte(buf, '"') || !append_escaped(buf, text) ||
        !kin__buf_append_byte(buf, '"')) {
        buf->len = before;
        return false;
    }
    return true;
}

/* The next byte of the meaning, or -1 after the last. */
static int next_byte(reader *r)
{
    if (r->next == r->count) {
        if (r->at == r->end) {
            return -1;
        }
        if (*r->at != '\\') {
            return (unsigned char) *r->at++;
        }
        r->at += read_escape(r->at, r->end, r->pending, &r->count);
        r->next = 0;
    }
    return (unsigned char) r->pending[r->next++];
}

/* What the escape whose backslash is at `at` means: 1 to 4 bytes.  Returns how many bytes it
 * takes in the text, never fewer than it means. */
static size_t read_escape(const char *at, const char *end, char out[4], size_t *out_len)
{
    if (end - at < 2) {
        *out_len = 1;
        out[0] = *at;
        return 1;
    }
    *out_len = 1;
    switch (at[1]) {
    case 'b':
        out[0] = '\b';
        return 2;
    case 'f':
        out[0] = '\f';
        return 2;
    case 'n':
        out[0] = '\n';
        return 2;
    case 'r':
        out[0] = '\r';
        return 2;
    case 't':
        out[0] = '\t';
        return 2;
    case 'u':
        return read_unicode(at, end, out, out_len);
    default:
        out[0] = at[1];
        return 2;
    }
}

static size_t read_unicode(const char *at, const char *end, char out[4], size_t *out_len)
{
    int32_t unit = read_hex4(at + 2, end);
    if (unit < 0) {
        *out_len = 1;
        out[0] = 'u';
        return 2;
    }
    uint32_t point = (uint32_t) unit;
    size_t used = 6;
    if (unit >= 0xd800 && unit <= 0xdfff) {
        bool has_second = unit <= 0xdbff && end - at >= 12 && at[6] == '\\' && at[7] == 'u';
        int32_t second = has_second ? read_hex4(at + 8, end) : -1;
        bool is_pair = second >= 0xdc00 && second <= 0xdfff;
        point = is_pair ? 0x10000 + ((point - 0xd800) << 10) + ((uint32_t) second - 0xdc00)
                        : REPLACEMENT;
        used = is_pair ? 12 : 6;
    }
    *out_len = put_utf8(point, out);
    return used;
}

/* The number that four hexadecimal digits make, or -1. */
static int32_t read_hex4(const char *at, const char *end)
{
    if (end - at < 4) {
        return -1;
    }
    int32_t number = 0;
    for (int i = 0; i < 4; i++) {
        int digit = kin__hex_digit((unsigned char) at[i]);
        if (digit < 0) {
            return -1;
        }
        number = number * 16 + digit;
    }
    return number;
}

static size_t put_utf8(uint32_t point, char out[4])
{
    if (point < 0x80) {
        out[0] = (char) point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char) (0xc0 | point >> 6);
        out[1] = (char) (0x80 | (point & 0x3f));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char) (0xe0 | point >> 12);
        out[1] = (char) (0x80 | (point >> 6 & 0x3f));
        out[2] = (char) (0x80 | (point & 0x3f));
        return 3;
    }
    out[0] = (char) (0xf0 | point >> 18);
    out[1] = (char) (0x80 | (point >> 12 & 0x3f));
    out[2] = (char) (0x80 | (point >> 6 & 0x3f));
    out[3] = (char) (0x80 | (point & 0x3f));
    return 4;
}

static bool append_escaped(kin__buf *buf, kin_str text)
{
    const char *at = text.data;
    const char *end = text.len == 0 ? at : at + text.len;

    while (at != end) {
        const char *special = skip_unescaped(at, end);
        if (!kin__buf_append(buf, at, (size_t) (special - at))) {
            return false;
        }
        at = special;
        if (at != end) {
            size_t len = kin__utf8_char_len(at, (size_t) (end - at));
            if (!append_escape(buf, at, len)) {
                return false;
            }
            at += len == 0 ? 1 : len;
        }
    }
    return true;
}

/* The escape for a character that is `len` bytes long; 0: a byte that belongs to none. */
static bool append_escape(kin__buf *buf, const char *at, size_t len)
{
    static const char hex[] = "0123456789abcdef";
    static const char letters[32] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'
    };
    unsigned char c = (unsigned char) *at;
    if (len == 0) {
        return kin__buf_append(buf, "\\ufffd", 6);
    }
    if (len > 1) {
        return kin__buf_append(buf, at[2] == '\xa8' ? "\\u2028" : "\\u2029", 6);
    }
    if (c == '"' || c == '\\' || (c < 32 && letters[c] != 0)) {
        char escape[2] = { '\\', c < 32 ? letters[c] : (char) c };
        return kin__buf_append(buf, escape, sizeof escape);
    }
    char escape[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };
    return kin__buf_append(buf, escape, sizeof escape);
}

/* The first character that has to be escaped, or the first byte that is not UTF-8. */
static const char *skip_unescaped(const char *at, const char *end)
{
    for (;;) {
        at = skip_plain(at, end);
        if (at == end || (unsigned char) *at < 0x80) {
            return at;
        }
        size_t len = kin__utf8_char_len(at, (size_t) (end - at));
        if (len == 0 || is_line_separator(at, len)) {
            return at;
        }
        at += len;
    }
}

/* The first byte that is not ASCII or has to be escaped. */
static const char *skip_plain(const char *at, const char *end)
{
    while (end - at >= KIN__LANES) {
        kin__lanes v = kin__lanes_load(at);
        kin__lanes hits = (kin__lanes) ((v < 0x20) | (v >= 0x80) | (v == '"') | (v == '\\') |
                                        (v == '<') | (v == '>') | (v == '&'));
        unsigned run = kin__lanes_first(hits);
        at += run;
        if (run != KIN__LANES) {
            return at;
        }
    }
    while (at != end && is_plain((unsigned char) *at)) {
        at++;
    }
    return at;
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

/* U+2028 or U+2029, which end a line in JavaScript. */
static bool is_line_separator(const char *at, size_t len)
{
    return len == 3 && at[0] == '\xe2' && at[1] == '\x80' && (at[2] == '\xa8' || at[2] == '\xa9');
}
