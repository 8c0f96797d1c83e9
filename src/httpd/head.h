/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/head.h - the head of an HTTP/1.1 request: where it ends, and what it says.
 *
 * Strict where two readers could understand it differently (RFC 9112, section 11): lines end with
 * CR LF, names are tokens, lines are not folded, and a body has one length.  What Go's server says
 * to those it refuses is said here, too.
 *
 * Threading: pure functions.
 */
#ifndef KIN_HTTPD_HEAD_H
#define KIN_HTTPD_HEAD_H

#include "kin/common.h"

#define KIN__HEAD_MAX ((size_t) 1024 * 1024)

typedef enum kin__head_end {
    KIN__HEAD_PARTIAL, /* it goes on behind the bytes that are there */
    KIN__HEAD_WHOLE,
    KIN__HEAD_BROKEN /* a line ends with LF alone, or there is no first line */
} kin__head_end;

/* Looks for the empty line.  `*scanned`, 0 at first, says how far earlier calls with the same bytes
 * and fewer of them have looked.  WHOLE sets `*end` to the head's length, empty line included. */
kin__head_end kin__head_find_end(const char *bytes, size_t len, size_t *scanned, size_t *end);

typedef struct kin__head {
    kin_str method;
    kin_str path;   /* "/...", or "*" */
    kin_str query;  /* without its '?' */
    kin_str fields; /* the lines behind the first one, each with its end */
    unsigned minor; /* of HTTP/1.x: 0 or 1 */
    bool is_kept;   /* the connection may go on after the answer */
    bool is_chunked;
    bool has_length;
    bool expects_continue;
    uint64_t length; /* of the body; 0 where there is none or it is chunked */
} kin__head;

/* Why a request is refused: its status, and a few words (NULL: none). */
typedef struct kin__refusal {
    int status; /* 0: it is not */
    const char *words;
} kin__refusal;

/* Reads a head that is whole; its parts are borrowed from `bytes`. */
kin__refusal kin__head_parse(const char *bytes, size_t len, kin__head *out);

/* The next of such lines from `*at` on, which begins at 0; false when there are no more.  Any bytes
 * may be given; what is no line ends it. */
bool kin__field_next(kin_str fields, size_t *at, kin_str *name, kin_str *value);

/* Whether a name is this one, in lower or upper case. */
bool kin__field_is(kin_str name, kin_str wanted);

/* Path and query of a request's target; false when it is none. */
bool kin__target_split(kin_str target, kin_str *path, kin_str *query);

#endif /* KIN_HTTPD_HEAD_H */
