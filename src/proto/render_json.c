/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_json.c - JSON that lies inside a message.
 *
 * Whoever made the message may have put anything there, so it goes through the scanner first.  What
 * the server stores is nearly always compact and escaped, and then one copy does it.
 */
#include "base/error.h"
#include "base/str.h"
#include "json/lanes.h"
#include "json/scanner.h"
#include "proto/render_state.h"

static size_t skip_settled(kin_str json);
static bool is_settled(unsigned char c);
static void write_compact(kin__buf *buf, const char *at, const char *end);
static size_t replace(kin__buf *buf, const char *at, const char *end, bool is_in_string);

kin_err kin__pb_render_json(kin__pb_renderer *r, kin_str json)
{
    if (kin__json_check(json, r->err) != KIN_OK) {
        return kin__error_prefix(r->err, "text at byte %zu",
                                 (size_t) ((uintptr_t) json.data - (uintptr_t) r->base));
    }
    if (skip_settled(json) == json.len) {
        (void) kin__buf_append_str(r->buf, json);
    } else {
        write_compact(r->buf, json.data, json.data + json.len);
    }
    return KIN_OK;
}

/* How far the text is as Go would write it, at least. */
static size_t skip_settled(kin_str json)
{
    size_t at = 0;

    while (json.len - at >= KIN__LANES) {
        kin__lanes v = kin__lanes_load(json.data + at);
        kin__lanes hits =
            (kin__lanes) ((v <= ' ') | (v == '<') | (v == '>') | (v == '&') | (v == 0xe2));
        unsigned run = kin__lanes_first(hits);
        at += run;
        if (run != KIN__LANES) {
            return at;
        }
    }
    while (at != json.len && is_settled((unsigned char) json.data[at])) {
        at++;
    }
    return at;
}

static bool is_settled(unsigned char c)
{
    return c > ' ' && c != '<' && c != '>' && c != '&' && c != 0xe2;
}

static void write_compact(kin__buf *buf, const char *at, const char *end)
{
    bool is_in_string = false;
    const char *run = at; /* what is not written yet, and stays as it is */

    while (at != end) {
        if (is_in_string && *at == '\\') {
            at += 2; /* the scanner has seen that something follows */
            continue;
        }
        is_in_string ^= *at == '"';
        if (is_settled((unsigned char) *at)) {
            at++;
            continue;
        }
        (void) kin__buf_append(buf, run, (size_t) (at - run));
        at += replace(buf, at, end, is_in_string);
        run = at;
    }
    (void) kin__buf_append(buf, run, (size_t) (at - run));
}

/* Writes what stands for the character at `at`; returns how long that is. */
static size_t replace(kin__buf *buf, const char *at, const char *end, bool is_in_string)
{
    switch (*at) {
    case '<':
        (void) kin__buf_append_str(buf, STR("\\u003c"));
        return 1;
    case '>':
        (void) kin__buf_append_str(buf, STR("\\u003e"));
        return 1;
    case '&':
        (void) kin__buf_append_str(buf, STR("\\u0026"));
        return 1;
    case '\xe2':
        if (end - at >= 3 && at[1] == '\x80' && (at[2] == '\xa8' || at[2] == '\xa9')) {
            (void) kin__buf_append_str(buf, at[2] == '\xa8' ? STR("\\u2028") : STR("\\u2029"));
            return 3;
        }
        break;
    default:
        if (!is_in_string) {
            return 1; /* white space */
        }
    }
    (void) kin__buf_append_byte(buf, *at);
    return 1;
}
