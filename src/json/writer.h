/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/writer.h - writing compact JSON, commas included.
 *
 *     kin__json_writer w = { &buf, false };
 *     kin__json_begin(&w, '{');
 *     kin__json_key(&w, STR("kind"));
 *     kin__json_string(&w, STR("Pod"));
 *     kin__json_end(&w, '}');
 *
 * Writes what it is told: nesting is the caller's.  Memory failures stay in the buffer
 * (kin__buf_failed()).
 *
 * Threading: confined.
 */
#ifndef KIN_JSON_WRITER_H
#define KIN_JSON_WRITER_H

#include "base/buf.h"

typedef struct kin__json_writer {
    kin__buf *buf;    /* borrowed */
    bool wants_comma; /* something stands before the next value or key */
} kin__json_writer;

void kin__json_begin(kin__json_writer *w, char bracket); /* '{' or '[' */
void kin__json_end(kin__json_writer *w, char bracket);   /* '}' or ']' */
void kin__json_key(kin__json_writer *w, kin_str name);
void kin__json_string(kin__json_writer *w, kin_str text);
void kin__json_write_int64(kin__json_writer *w, int64_t value);
void kin__json_write_double(kin__json_writer *w, double value); /* finite */
void kin__json_bool(kin__json_writer *w, bool value);
void kin__json_null(kin__json_writer *w);

/* JSON text that is there already: one value, as it is. */
void kin__json_raw(kin__json_writer *w, kin_str json);

#endif /* KIN_JSON_WRITER_H */
