/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/parse.h - JSON as protobuf messages: the way back from proto/render.h.
 *
 * The message is, byte for byte, what a Go API server of release KIN__PB_LAST_RELEASE encodes after
 * it has read the same JSON: fields in the order of their numbers, by-value ones always, pointers
 * when they are there, maps sorted by key, quantities in their canonical form, raw JSON as it was
 * written.  Fields that this release no longer has are written when they are there.
 *
 * It is stricter than such a server in what it takes: members that the tables do not know are
 * refused.  And it is less strict: a whole number may be written as 1e3 or 3.0, and a MicroTime
 * with any number of digits.  Of two members with one name the last counts, where Go merges
 * objects.
 *
 * Threading: a pure function.
 */
#ifndef KIN_PROTO_PARSE_H
#define KIN_PROTO_PARSE_H

#include "base/buf.h"
#include "json/cursor.h"
#include "proto/schema.h"

/*
 * Appends the message of a JSON object that the scanner has passed, without an envelope.  `kind`
 * and `apiVersion` are skipped where the type has them.  null is as good as nothing: a by-value
 * field is then zero, a pointer absent.
 *
 * Fails with MALFORMED (an unknown member, a value of the wrong type or that does not fit, bytes
 * that are no base64, no time or no quantity; the message begins with the path of the member),
 * NOT_FOUND (KIN__PB_NO_MESSAGE: ask the server for JSON instead), LIMIT (messages nested deeper
 * than KIN__PB_DEPTH_MAX) and NO_MEMORY; then `buf` has the content it had.
 */
kin_err kin__pb_from_json(kin__pb_message message, kin__json value, kin__buf *buf,
                          kin_error *err) KIN_MUST_CHECK;

/* The same as a server of that minor release encodes it, 36 for Kubernetes 1.36: of fields that its
 * types do not have nothing is written but what JSON has. */
kin_err kin__pb_from_json_in(unsigned release, kin__pb_message message, kin__json value,
                             kin__buf *buf, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_PROTO_PARSE_H */
