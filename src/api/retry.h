/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/retry.h - whether a request that failed goes out again.
 *
 * As client-go does (rest/with_retry.go): an answer of 429 or 5xx that says when to come back is
 * tried again then, up to ten times; a read whose connection was cut before an answer came, one
 * second later.  Beyond it: after a 401 once, when credentials could be renewed.
 */
#ifndef KIN_API_RETRY_H
#define KIN_API_RETRY_H

#include "kin/common.h"

#define KIN__RETRIES_MAX 10

typedef struct kin__retry {
    uint32_t attempts; /* that have failed */
    bool has_renewed;  /* credentials, after a 401 */
} kin__retry;

typedef enum kin__retry_kind {
    KIN__RETRY_NO,
    KIN__RETRY_RENEWED, /* at once, if there are other credentials now */
    KIN__RETRY_LATER    /* after `wait_ms` */
} kin__retry_kind;

typedef struct kin__retry_answer {
    kin__retry_kind kind;
    uint32_t wait_ms;
} kin__retry_answer;

/* Counts the attempt that ended with `err` and says what follows.  `is_read`: it changes nothing on
 * the server.  `has_begun`: part of a good answer has been handed on. */
kin__retry_answer kin__retry_next(kin__retry *retry, const kin_error *err, bool is_read,
                                  bool has_begun);

#endif /* KIN_API_RETRY_H */
