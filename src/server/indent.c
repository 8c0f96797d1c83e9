/* SPDX-License-Identifier: Apache-2.0 */
/*
 * indent.c - compact JSON laid out for people.
 */
#include "server/indent.h"

#include "base/str.h"

static void new_line(size_t depth, kin__buf *out);
static size_t string_end(kin_str json, size_t at);

void kin__indent_append(kin_str json, kin__buf *out)
{
    size_t depth = 0;

    for (size_t at = 0; at < json.len; at++) {
        char c = json.data[at];
        char next = at + 1 < json.len ? json.data[at + 1] : '\0';
        if (c == '"') {
            size_t end = string_end(json, at);
            (void) kin__buf_append(out, json.data + at, end - at);
            at = end - 1;
        } else if ((c == '{' && next == '}') || (c == '[' && next == ']')) {
            (void) kin__buf_append(out, json.data + at, 2);
            at++;
        } else if (c == '{' || c == '[') {
            (void) kin__buf_append_byte(out, c);
            new_line(++depth, out);
        } else if (c == '}' || c == ']') {
            depth -= depth > 0;
            new_line(depth, out);
            (void) kin__buf_append_byte(out, c);
        } else if (c == ',') {
            (void) kin__buf_append_byte(out, c);
            new_line(depth, out);
        } else if (c == ':') {
            (void) kin__buf_append_str(out, STR(": "));
        } else {
            (void) kin__buf_append_byte(out, c);
        }
    }
}

static void new_line(size_t depth, kin__buf *out)
{
    (void) kin__buf_append_byte(out, '\n');
    for (size_t i = 0; i < depth; i++) {
        (void) kin__buf_append_str(out, STR("  "));
    }
}

/* Behind the closing quote of the string that begins at `at`; the end where there is none. */
static size_t string_end(kin_str json, size_t at)
{
    for (at++; at < json.len && json.data[at] != '"'; at++) {
        at += json.data[at] == '\\';
    }
    return at + 1 < json.len ? at + 1 : json.len;
}
