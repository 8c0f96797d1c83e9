/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/render_state.h - one rendering, shared by the files that do it.
 *
 * Text goes to the buffer without asking each time: the buffer remembers that memory ran out, and
 * each message asks once.
 */
#ifndef KIN_PROTO_RENDER_STATE_H
#define KIN_PROTO_RENDER_STATE_H

#include "base/buf.h"
#include "proto/meaning.h"
#include "proto/reader.h"
#include "proto/schema.h"

typedef struct kin__pb_renderer {
    kin__buf *buf;
    kin_error *err;
    const uint8_t *base;  /* of the outermost message; places in error messages count from here */
    uint32_t depth;       /* messages that are open */
    bool is_list_answer;  /* the outermost `items` are [] when there are none */
    bool is_partial;      /* what is absent is not called null */
    unsigned release;     /* whose fields are shown; 0: all */
    size_t unknown_count; /* fields that the tables do not know */
} kin__pb_renderer;

/* The kind and apiVersion that an object says of itself; empty ones are left out. */
typedef struct kin__pb_typemeta {
    kin_str kind;
    kin_str api_version;
} kin__pb_typemeta;

/* What is said of a single field that comes again: next to itself if it is a message, elsewhere
 * whatever it is.  See render.h. */
#define KIN__PB_TWICE "field that comes twice"

/* Fails with MALFORMED: "`what` at byte N". */
kin_err kin__pb_refuse(kin__pb_renderer *r, const void *at, const char *what);

/* One value: an element, the value of a map, or a field that is neither. */
kin_err kin__pb_render_field(kin__pb_renderer *r, const kin__pb_row *row,
                             const kin__pb_field *field);

/* A whole message; `type` NULL: it says nothing of its kind. */
kin_err kin__pb_render_message(kin__pb_renderer *r, kin__pb_message message, kin_str bytes,
                               const kin__pb_typemeta *type);

/* A list, from its `count` fields among `fields`. */
kin_err kin__pb_render_list(kin__pb_renderer *r, const kin__pb_row *row, kin_str fields,
                            size_t count);

/* A map, from its `count` entries among the fields in `bytes`. */
kin_err kin__pb_render_map(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes,
                           size_t count);

/* A message whose JSON is its own. */
kin_err kin__pb_render_special(kin__pb_renderer *r, kin__pb_message message,
                               kin__pb_special special, kin_str bytes);

/* JSON that lies inside a message, in the form Go gives it: compact, and with < > & U+2028 U+2029
 * escaped.  Fails with MALFORMED when it is none, LIMIT when it is too deep. */
kin_err kin__pb_render_json(kin__pb_renderer *r, kin_str json);

#endif /* KIN_PROTO_RENDER_STATE_H */
