/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pretty.c - JSON on many lines, for people.
 */
#include "cli/pretty.h"

#include <string.h>

static size_t string_length(kin_str json, size_t at);
static void begin_line(size_t depth, kin__cli_text *out);

void kin__cli_pretty(kin_str json, size_t depth, kin__cli_text *out)
{
    size_t at = 0;

    while (at < json.len) {
        char c = json.data[at];
        size_t len = c == '"' ? string_length(json, at) : 1;
        bool is_open = c == '{' || c == '[';
        bool is_close = c == '}' || c == ']';
        bool is_empty = is_open && at + 1 < json.len && json.data[at + 1] == c + 2;

        if (is_empty) {
            kin__cli_text_append(out, (kin_str){ json.data + at, 2 });
            at += 2;
            continue;
        }
        depth -= is_close && depth > 0 ? 1 : 0;
        if (is_close) {
            begin_line(depth, out);
        }
        kin__cli_text_json(out, (kin_str){ json.data + at, len });
        depth += is_open ? 1 : 0;
        if (is_open || c == ',') {
            begin_line(depth, out);
        } else if (c == ':') {
            kin__cli_text_append(out, kin_str_of(" "));
        }
        at += len;
    }
}

/* Of the string that begins at `at`, quotes included; the rest where it has no end. */
static size_t string_length(kin_str json, size_t at)
{
    size_t i = at + 1;

    while (i < json.len && json.data[i] != '"') {
        i += json.data[i] == '\\' ? 2 : 1;
    }
    return (i < json.len ? i + 1 : json.len) - at;
}

static void begin_line(size_t depth, kin__cli_text *out)
{
    kin__cli_text_append(out, kin_str_of("\n"));
    for (size_t i = 0; i < depth; i++) {
        kin__cli_text_append(out, kin_str_of("    "));
    }
}
