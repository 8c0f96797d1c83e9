/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/render.h - protobuf messages as the JSON the API server sends for them.
 *
 * Rendering equals, byte for byte, the compact JSON of the server: order of fields, omitted and
 * kept zero values, times, quantities, IntOrString, raw extensions, base64, order of maps, escapes.
 *
 * Fields may come in any order.  Of a single number, string or bytes that is repeated on the spot
 * the last one counts, as in Go.  Go would also take one that comes again after other fields, and
 * put together a single message that comes in parts; no server writes either, and both are refused,
 * so that whoever finds a field of a message need not look at what follows it.
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
    unsigned release;     /* the sender's, 36 for Kubernetes 1.36: fields that its types do not have
                             are left out; 0: not known, all fields of the tables may be there */
    size_t unknown_count; /* out: fields that the tables do not know, left out of the JSON */
} kin__pb_rendering;

/* Appends the JSON of a whole message.  Fails with MALFORMED (message: what is wrong and at which
 * byte of the message), LIMIT (too deep), NO_MEMORY; then `buf` is as it was. */
kin_err kin__pb_render(kin__pb_message message, kin_str bytes, kin__pb_rendering *rendering,
                       kin__buf *buf, kin_error *err) KIN_MUST_CHECK;

/* The same for a list or a map alone: its fields, which the row describes, are among `fields`.  Of
 * other fields there nothing is looked at but where they end. */
kin_err kin__pb_render_many(const kin__pb_row *row, kin_str fields, bool is_partial, kin__buf *buf,
                            kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_PROTO_RENDER_H */
