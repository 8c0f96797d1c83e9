/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/reply.h - the head of an answer, as Go's server writes it.
 *
 * Threading: pure functions.
 */
#ifndef KIN_HTTPD_REPLY_H
#define KIN_HTTPD_REPLY_H

#include "httpd/head.h"
#include "httpd/visit.h"

typedef struct kin__reply {
    int status;
    const kin__visit_field *fields;
    size_t count;
    kin_str date;
    kin__framing framing;
    bool has_length; /* `length` is said */
    size_t length;
    bool is_kept;   /* the connection goes on */
    unsigned minor; /* of the request's HTTP/1.x */
} kin__reply;

/* Appends it.  Line breaks within a value become spaces.  False: no memory. */
bool kin__reply_write(const kin__reply *reply, kin__buf *out);

/* Appends a line.  Whether there was memory the buffer says. */
void kin__reply_write_field(kin__buf *out, kin_str name, kin_str value);

/* Appends a whole answer to a request that is refused.  False: no memory. */
bool kin__reply_write_refusal(kin__refusal refusal, kin__buf *out);

/* "Not Found"; NULL for a status that has no words. */
const char *kin__status_text(int status);

#endif /* KIN_HTTPD_REPLY_H */
