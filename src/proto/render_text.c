/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_text.c - strings of a message as JSON strings.
 *
 * A text is copied while it is looked at, in pieces of 16, 8 or 4 bytes; the last piece reaches
 * back into the one before it, so that nothing outside the text is read.  Where a byte turns up
 * that is not ASCII or has to be escaped, the copy is given up and json/string.h does it all.
 */
#include "proto/render_text.h"

#include <string.h>

#include "json/lanes.h"
#include "json/string.h"

typedef uint64_t words __attribute__((vector_size(KIN__LANES)));
typedef int8_t signed_lanes __attribute__((vector_size(KIN__LANES)));

static bool copy_plain(const char *text, size_t len, char *out);
static bool copy_lanes(const char *text, size_t len, char *out);
static bool copy_words(const char *text, size_t len, char *out);
static bool copy_halves(const char *text, size_t len, char *out);
static inline bool are_plain(kin__lanes v);
static bool is_plain_byte(unsigned char c);

void kin__pb_put_text(kin__buf *buf, kin_str text)
{
    if (!kin__buf_reserve(buf, text.len + 2)) {
        return;
    }
    char *out = buf->data + buf->len;
    if (!copy_plain(text.data, text.len, out + 1)) {
        (void) kin__json_append_string(buf, text);
        return;
    }
    out[0] = '"';
    out[text.len + 1] = '"';
    buf->len += text.len + 2;
}

/* False when the text has to be escaped. */
static bool copy_plain(const char *text, size_t len, char *out)
{
    if (len >= KIN__LANES) {
        return copy_lanes(text, len, out);
    }
    if (len >= 8) {
        return copy_words(text, len, out);
    }
    if (len >= 4) {
        return copy_halves(text, len, out);
    }
    for (size_t i = 0; i < len; i++) {
        if (!is_plain_byte((unsigned char) text[i])) {
            return false;
        }
        out[i] = text[i];
    }
    return true;
}

static bool copy_lanes(const char *text, size_t len, char *out)
{
    size_t last = len - KIN__LANES;

    for (size_t at = 0;; at = at + KIN__LANES < last ? at + KIN__LANES : last) {
        kin__lanes v = kin__lanes_load(text + at);
        if (!are_plain(v)) {
            return false;
        }
        memcpy(out + at, &v, sizeof v);
        if (at == last) {
            return true;
        }
    }
}

static bool copy_words(const char *text, size_t len, char *out)
{
    uint64_t first;
    uint64_t last;

    memcpy(&first, text, 8);
    memcpy(&last, text + len - 8, 8);
    memcpy(out, &first, 8);
    memcpy(out + len - 8, &last, 8);
    return are_plain((kin__lanes) (words){ first, last });
}

static bool copy_halves(const char *text, size_t len, char *out)
{
    uint32_t first;
    uint32_t last;

    memcpy(&first, text, 4);
    memcpy(&last, text + len - 4, 4);
    memcpy(out, &first, 4);
    memcpy(out + len - 4, &last, 4);
    uint64_t both = (uint64_t) first << 32 | last;
    return are_plain((kin__lanes) (words){ both, both });
}

/* Signed, a byte that is not ASCII is below a space, too.  One bit is between '"' and '&', and
 * between '<' and '>'. */
static inline bool are_plain(kin__lanes v)
{
    signed_lanes low = (signed_lanes) ((signed_lanes) v < ' ');
    kin__lanes marks = (kin__lanes) (((v & 0xfb) == '"') | ((v & 0xfd) == '<') | (v == '\\'));
    words hits = (words) low | (words) marks;

    return (hits[0] | hits[1]) == 0;
}

static bool is_plain_byte(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}
