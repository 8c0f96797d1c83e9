/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mend.c - JSON whose strings are no text, made text as Go does it.
 *
 * What is right is seen in two passes over the bytes, and not copied.
 */
#include "server/mend.h"

#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

#define ESCAPE_LEN 6 /* of \uXXXX */

static bool may_have_halves(kin_str json);
static size_t mend_string(kin_str json, size_t at, kin__buf *out);
static size_t mend_escape(kin_str rest, kin__buf *out);
static unsigned code_unit(kin_str rest);

kin_str kin__mend(kin_str json, kin__buf *out)
{
    size_t at = 0;

    if (kin__utf8_is_valid(json) && !may_have_halves(json)) {
        return json;
    }
    while (at < json.len) {
        char c = json.data[at++];
        (void) kin__buf_append_byte(out, c);
        if (c == '"') {
            at = mend_string(json, at, out);
        }
    }
    return kin__str(out->data, out->len);
}

static bool may_have_halves(kin_str json)
{
    for (size_t at = 0; at < json.len; at += 2) {
        const char *escape = memchr(json.data + at, '\\', json.len - at);
        if (escape == NULL) {
            break;
        }
        at = (size_t) (escape - json.data);
        if (json.len - at > 2 && escape[1] == 'u' && (escape[2] == 'd' || escape[2] == 'D')) {
            return true;
        }
    }
    return false;
}

/* From behind the quote to behind the one that ends it; returns that place. */
static size_t mend_string(kin_str json, size_t at, kin__buf *out)
{
    while (at < json.len) {
        kin_str rest = kin__str(json.data + at, json.len - at);
        size_t len = kin__utf8_char_len(rest.data, rest.len);
        if (*rest.data == '\\') {
            at += mend_escape(rest, out);
            continue;
        }
        (void) kin__buf_append_str(out, len == 0 ? STR("\xef\xbf\xbd") : kin__str(rest.data, len));
        at += len == 0 ? 1 : len;
        if (*rest.data == '"') {
            break;
        }
    }
    return at;
}

/* Returns how much of it was read. */
static size_t mend_escape(kin_str rest, kin__buf *out)
{
    unsigned first = code_unit(rest);
    bool is_high = first >= 0xd800 && first < 0xdc00;
    bool is_low = first >= 0xdc00 && first < 0xe000;
    size_t len = rest.len < 2 ? rest.len : 2;

    if (is_high) {
        unsigned second = code_unit(kin__str(rest.data + ESCAPE_LEN, rest.len - ESCAPE_LEN));
        if (second >= 0xdc00 && second < 0xe000) {
            (void) kin__buf_append(out, rest.data, (size_t) 2 * ESCAPE_LEN);
            return (size_t) 2 * ESCAPE_LEN;
        }
    }
    if (is_high || is_low) {
        (void) kin__buf_append_str(out, STR("\\ufffd"));
        return ESCAPE_LEN;
    }
    if (len == 2 && (rest.data[1] & 0x80) != 0) {
        len = 1; /* what follows is looked at by itself */
    }
    (void) kin__buf_append(out, rest.data, len);
    return len;
}

/* That of the escape with which `rest` begins; 0 for another beginning. */
static unsigned code_unit(kin_str rest)
{
    unsigned unit = 0;

    if (rest.len < ESCAPE_LEN || rest.data[0] != '\\' || rest.data[1] != 'u') {
        return 0;
    }
    for (size_t i = 2; i < ESCAPE_LEN; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = memchr(digits, rest.data[i], sizeof digits - 1);
        if (digit == NULL) {
            return 0;
        }
        unit = unit << 4 | (unsigned) ((digit - digits) & 15);
    }
    return unit;
}
