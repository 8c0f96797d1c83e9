/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/envelope.h - what stands around each protobuf object: its type, and that it is one.
 *
 *     "k8s" 00                                     the magic
 *     1 { 1 apiVersion, 2 kind }                   of the object
 *     2 the object's message
 *     3 contentEncoding, 4 contentType             both empty
 *
 * Threading: pure functions.
 */
#ifndef KIN_PROTO_ENVELOPE_H
#define KIN_PROTO_ENVELOPE_H

#include "base/buf.h"
#include "kin/common.h"

#define KIN__PB_MAGIC "k8s" /* with the zero that ends it */
#define KIN__PB_MAGIC_LEN 4

/* The fields of an envelope, and those of its type. */
enum {
    KIN__PB_ENVELOPE_TYPE = 1,
    KIN__PB_ENVELOPE_RAW = 2,
    KIN__PB_ENVELOPE_ENCODING = 3,
    KIN__PB_ENVELOPE_CONTENT_TYPE = 4,
};

/* What an envelope says, borrowed from its bytes. */
typedef struct kin__pb_envelope {
    kin_str api_version; /* "v1", "apps/v1"; empty for some answers of discovery */
    kin_str kind;        /* empty where the receiver knows it: in some requests */
    kin_str message;
} kin__pb_envelope;

/*
 * Reads an envelope in one piece.  `offset` is that of its first byte, for messages.  Fields may
 * come in any order, be absent and unknown; of one that comes twice the last counts.  Fails with
 * MALFORMED ("... at byte N"): no magic, no message, a contentEncoding or contentType.
 */
kin_err kin__pb_envelope_parse(kin_str bytes, uint64_t offset, kin__pb_envelope *out,
                               kin_error *err) KIN_MUST_CHECK;

/* The same, for bytes that lie by themselves. */
kin_err kin__pb_envelope_read(kin_str bytes, kin_str *out_api_version, kin_str *out_kind,
                              kin_str *out_message, kin_error *err) KIN_MUST_CHECK;

/* Reads the type alone: the content of field 1.  What it lacks is left as it is in `out`. */
kin_err kin__pb_envelope_parse_type(kin_str bytes, uint64_t offset, kin__pb_envelope *out,
                                    kin_error *err) KIN_MUST_CHECK;

/* Appends the envelope of a message that is there already; false when there is no memory, and then
 * `buf` is as it was. */
bool kin__pb_envelope_append(kin_str api_version, kin_str kind, kin_str message, kin__buf *buf);

#endif /* KIN_PROTO_ENVELOPE_H */
