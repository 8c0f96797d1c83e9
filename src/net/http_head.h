/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/http_head.h - the head of an answer, read line by line.
 *
 * Each status line begins anew, so that what is left at the end is the final answer: what came
 * before it (1xx, a proxy's) is forgotten.
 *
 * Threading: confined.
 */
#ifndef KIN_NET_HTTP_HEAD_H
#define KIN_NET_HTTP_HEAD_H

#include "base/buf.h"
#include "kin/value.h"
#include "net/http.h"

#define KIN__RETRY_AFTER_MAX_MS 3600000u

typedef struct kin__head_reader {
    int status; /* 0: no status line yet */
    bool is_http2;
    bool is_complete; /* the final answer's head is whole; lines after that are ignored */
    bool is_gzip;
    uint32_t retry_after_ms;
    kin__buf content_type;
    kin__buf content_encoding; /* as it was spelt */
    kin__buf location;
    kin__buf etag;
    kin__buf warnings;
} kin__head_reader;

void kin__head_reader_fini(kin__head_reader *reader);
KIN__DEFINE_AUTO_FINI(kin__head_reader, kin__head_reader_fini)

/* One line, with or without its end; an empty one ends the head.  `now` is the wall time, for a
 * Retry-After that is a date.  Fails with NO_MEMORY. */
kin_err kin__head_reader_line(kin__head_reader *reader, kin_str line, kin_time now,
                              kin_error *err) KIN_MUST_CHECK;

/* Borrowed from the reader. */
kin__http_head kin__head_reader_get(const kin__head_reader *reader);

#endif /* KIN_NET_HTTP_HEAD_H */
