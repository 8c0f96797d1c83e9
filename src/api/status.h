/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/status.h - what a server's refusal says.
 *
 * A refusal is a Status object in JSON or protobuf, most of the time; but also plain text (404 of
 * an unknown path, 429 of an overloaded server), HTML of a proxy in between, or nothing.  Whatever
 * it is, it becomes a kin_error with a code, the HTTP status, the reason and a sentence.
 *
 * Threading: pure functions.
 */
#ifndef KIN_API_STATUS_H
#define KIN_API_STATUS_H

#include "base/cleanup.h"
#include "kin/common.h"

/* More of a Status than fits a kin_error; strings owned, NULL when not told. */
typedef struct kin__status {
    char *cause;          /* the reason of its first cause */
    char *continue_token; /* its metadata.continue */
} kin__status;

/* Leaves it empty. */
void kin__status_fini(kin__status *status);
KIN__DEFINE_AUTO_FINI(kin__status, kin__status_fini)

/* The code of an HTTP status: 404 is KIN_ERR_NOT_FOUND; 2xx is KIN_OK; what is neither that nor a
 * 4xx or 5xx, PROTOCOL. */
kin_err kin__status_code(int http_status);

/* Whether an object of that apiVersion and kind is a Status. */
bool kin__status_is_kind(kin_str api_version, kin_str kind);

/*
 * Fills in `err` from the answer `http_status` with `body` (JSON and text may be cut at some
 * length: then what is there is used).  A body that is a Status gives reason, message,
 * retryAfterSeconds, causes; what it says of `code` is believed before `http_status` (a 200 with a
 * Failure inside is one), and its reason where it has no code.  `retry_after_ms` is the header's
 * and comes before the body's; 0: there was none.  Of a body that is no Status the message quotes
 * the first line of text, at most 200 bytes; HTML and bytes of other types are named as such and
 * not quoted.
 *
 * `out` may be NULL; otherwise it is set in any case.  Returns err->code, never KIN_OK; NO_MEMORY
 * only for `out`.
 */
kin_err kin__status_read(int http_status, kin_str content_type, kin_str body,
                         uint32_t retry_after_ms, kin__status *out, kin_error *err);

/*
 * The same of a Status that came with a 200 or inside a watch, in JSON (which may be anything) or
 * as a protobuf message without envelope.  A Status of success gives KIN_OK, and `err` is not
 * touched.
 */
kin_err kin__status_from_json(kin_str json, kin__status *out, kin_error *err) KIN_MUST_CHECK;
kin_err kin__status_from_protobuf(kin_str message, kin__status *out, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_API_STATUS_H */
