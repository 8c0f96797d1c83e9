/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query.c - the query of a URL, name by name.
 */
#include "server/query.h"

#include "base/str.h"

static bool is_sound(kin_str escaped);
static int take_byte(kin_str *rest, bool plus_is_blank);
static int hex_digit(char c);

bool kin__query_next(kin_str *rest, kin__query_pair *out)
{
    while (rest->len > 0) {
        const char *end = memchr(rest->data, '&', rest->len);
        size_t len = end == NULL ? rest->len : (size_t) (end - rest->data);
        kin_str pair = kin__str(rest->data, len);
        size_t step = end == NULL ? len : len + 1;
        *rest = kin__str(rest->data + step, rest->len - step);
        if (len == 0 || memchr(pair.data, ';', len) != NULL || !is_sound(pair)) {
            continue;
        }
        const char *equals = memchr(pair.data, '=', len);
        size_t name_len = equals == NULL ? len : (size_t) (equals - pair.data);
        size_t value_at = equals == NULL ? len : name_len + 1;
        out->name = kin__str(pair.data, name_len);
        out->value = kin__str(pair.data + value_at, len - value_at);
        return true;
    }
    return false;
}

bool kin__query_find(kin_str query, kin_str name, kin__query_pair *out)
{
    kin__query_pair pair;

    while (kin__query_next(&query, &pair)) {
        if (kin__query_equals(pair.name, name)) {
            *out = pair;
            return true;
        }
    }
    return false;
}

bool kin__query_equals(kin_str escaped, kin_str plain)
{
    for (size_t i = 0; i < plain.len; i++) {
        if (escaped.len == 0 || take_byte(&escaped, true) != (unsigned char) plain.data[i]) {
            return false;
        }
    }
    return escaped.len == 0;
}

void kin__query_unescape(kin_str escaped, kin__buf *out)
{
    while (escaped.len > 0) {
        (void) kin__buf_append_byte(out, (char) take_byte(&escaped, true));
    }
}

bool kin__path_unescape(kin_str escaped, kin__buf *out)
{
    if (!is_sound(escaped)) {
        return false;
    }
    while (escaped.len > 0) {
        (void) kin__buf_append_byte(out, (char) take_byte(&escaped, false));
    }
    return true;
}

static bool is_sound(kin_str escaped)
{
    for (size_t i = 0; i < escaped.len; i++) {
        if (escaped.data[i] != '%') {
            continue;
        }
        if (escaped.len - i < 3 || hex_digit(escaped.data[i + 1]) < 0 ||
            hex_digit(escaped.data[i + 2]) < 0) {
            return false;
        }
        i += 2;
    }
    return true;
}

/* The byte that a sound text begins with; moves behind it. */
static int take_byte(kin_str *rest, bool plus_is_blank)
{
    char c = rest->data[0];
    size_t step = c == '%' ? 3 : 1;
    int byte = (unsigned char) c;

    if (c == '%') {
        byte = hex_digit(rest->data[1]) << 4 | hex_digit(rest->data[2]);
    } else if (c == '+' && plus_is_blank) {
        byte = ' ';
    }
    *rest = kin__str(rest->data + step, rest->len - step);
    return byte;
}

/* -1: none. */
static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}
