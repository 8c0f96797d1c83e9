/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.c - writing compact JSON, commas included.
 *
 * Each value and key begins with separate(); only an opening bracket and a key leave no comma
 * behind them.  Results of appending are not looked at: the buffer remembers.
 */
#include "json/writer.h"

#include "base/str.h"
#include "json/number.h"
#include "json/string.h"

static void separate(kin__json_writer *w);

void kin__json_begin(kin__json_writer *w, char bracket)
{
    separate(w);
    (void) kin__buf_append_byte(w->buf, bracket);
    w->wants_comma = false;
}

void kin__json_end(kin__json_writer *w, char bracket)
{
    (void) kin__buf_append_byte(w->buf, bracket);
    w->wants_comma = true;
}

void kin__json_key(kin__json_writer *w, kin_str name)
{
    separate(w);
    (void) kin__json_append_string(w->buf, name);
    (void) kin__buf_append_byte(w->buf, ':');
    w->wants_comma = false;
}

void kin__json_string(kin__json_writer *w, kin_str text)
{
    separate(w);
    (void) kin__json_append_string(w->buf, text);
}

void kin__json_write_int64(kin__json_writer *w, int64_t value)
{
    separate(w);
    (void) kin__json_append_int64(w->buf, value);
}

void kin__json_write_double(kin__json_writer *w, double value)
{
    separate(w);
    (void) kin__json_append_double(w->buf, value);
}

void kin__json_bool(kin__json_writer *w, bool value)
{
    kin__json_raw(w, value ? STR("true") : STR("false"));
}

void kin__json_null(kin__json_writer *w)
{
    kin__json_raw(w, STR("null"));
}

void kin__json_raw(kin__json_writer *w, kin_str json)
{
    separate(w);
    (void) kin__buf_append_str(w->buf, json);
}

/* Before a value or key; leaves the state for a value behind it. */
static void separate(kin__json_writer *w)
{
    if (w->wants_comma) {
        (void) kin__buf_append_byte(w->buf, ',');
    }
    w->wants_comma = true;
}
