/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/render.h - protobuf messages as the JSON the API server sends for them.
 *
 * Rendering equals, byte for byte, the compact JSON of the server: order of fields, omitted and
 * kept zero values, times, quantities, IntOrString, raw extensions, base64, order of maps, escapes.
 *
 * Threading: pure functions.
 */
#ifndef KIN_PROTO_RENDER_H
#define KIN_PROTO_RENDER_H

#include "base/buf.h"
#include "proto/schema.h"

/* Nested messages beyond this depth are refused: only CRD schemas recurse. */
#define KIN__PB_DEPTH_MAX 200

/* What stands before the fields of the outermost object, and what was found beside the tables. */
typedef struct kin__pb_rendering {
    kin_str kind;         /* empty: left out */
    kin_str api_version;  /* empty: left out */
    bool is_list_answer;  /* the `items` of a list are [] rather than null when there are none */
    bool is_partial;      /* fields may have been left out: what is absent is not called null */
    size_t unknown_count; /* out: fields that the tables do not know, left out of the JSON */
} kin__pb_rendering;

/* Appends the JSON of a whole message.  Fails with MALFORMED (message: what is wrong and at which
 * byte of the message), LIMIT (too deep), NO_MEMORY; then `buf` is as it was. */
kin_err kin__pb_render(kin__pb_message message, kin_str bytes, kin__pb_rendering *rendering,
                       kin__buf *buf, kin_error *err) KIN_MUST_CHECK;

/* Appends the JSON of one value: a field's content on the wire, by its row, as an element or map
 * value would be written (lists and maps are written by whoever walks them). */
kin_err kin__pb_render_value(const kin__pb_row *row, kin_str content, uint64_t varint,
                             kin__buf *buf, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_PROTO_RENDER_H */
