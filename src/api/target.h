/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/target.h - a request as HTTP has it: method, path and query, headers, body.
 *
 * Names and query values are escaped; a name that no object can have ("", ".", "..", with a slash
 * or a percent sign) is refused before it is sent.
 *
 * All functions but the first take a request that kin__target_check() has passed.
 *
 * Threading: pure functions.
 */
#ifndef KIN_API_TARGET_H
#define KIN_API_TARGET_H

#include "base/buf.h"
#include "kin/client.h"

/* What the request asks for, checked as far as it can be without a server: a verb that is one, what
 * it needs is there, what it cannot have is not.  Fails with USAGE: which field, and why. */
kin_err kin__target_check(const kin_request *request, kin_error *err) KIN_MUST_CHECK;

/* "GET", "POST", ... */
const char *kin__target_method(const kin_request *request);

/*
 * The path and query, terminated, into `out` (which is cleared; its `len` is without the end).
 * `default_ns` is the configuration's; NULL: it has none.  Fails with USAGE (a name or namespace
 * that is none, a namespace that is needed), NO_MEMORY.
 */
kin_err kin__target_write(const kin_request *request, const kin_resource *resource,
                          const char *default_ns, kin__buf *out, kin_error *err) KIN_MUST_CHECK;

/* Whether an answer in protobuf is wanted, for the request's encoding and the resource's kind.
 * Metadata alone can be had in protobuf of every kind.  Fails with USAGE when it was asked for and
 * cannot be had. */
kin_err kin__target_wants_protobuf(const kin_request *request, const kin_resource *resource,
                                   bool *out, kin_error *err) KIN_MUST_CHECK;

/* The value of Accept: protobuf first if wanted, JSON always, both "as" metadata if that is asked:
 * then a server that cannot do it says so (406) rather than send whole objects. */
const char *kin__target_accept(const kin_request *request, bool wants_protobuf);

/* The value of Content-Type of the body; NULL when there is none. */
const char *kin__target_content_type(const kin_request *request);

/*
 * The body into `out` (which is cleared): the object's JSON, the bytes as they are, the options of
 * a delete; nothing for other requests.  Fails with PARTIAL (an object that is partial and would
 * take the place of a whole one), as kin_object_json(), NO_MEMORY.
 */
kin_err kin__target_body(const kin_request *request, kin__buf *out, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_API_TARGET_H */
