/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/http2.h - HTTP/2 on a connection: many requests at once, on nghttp2.
 *
 * Threading: confined to the loop; the connection is entered.
 */
#ifndef KIN_HTTPD_HTTP2_H
#define KIN_HTTPD_HTTP2_H

#include "httpd/visit.h"

typedef struct kin__http2 kin__http2;

/* After the handshake; the connection's stage is then HTTP2.  False: no memory. */
bool kin__http2_begin(kin__connection *connection);

/* Ends its visits.  Without HTTP/2 nothing. */
void kin__http2_fini(kin__connection *connection);

/* When nobody is inside any more.  NULL is ignored. */
void kin__http2_free(kin__http2 *http2);

/* Bytes that have arrived. */
void kin__http2_feed(kin__connection *connection, const char *bytes, size_t len);

/* Hands over requests that are whole, and sends what there is to send. */
void kin__http2_run(kin__connection *connection);

void kin__http2_go_away(kin__connection *connection);

/* The source has been asked for the first time.  Fails with NO_MEMORY. */
kin_err kin__http2_reply(kin__visit *visit, int status, const kin__visit_field *fields,
                         size_t count, kin_error *err) KIN_MUST_CHECK;
void kin__http2_resume(kin__visit *visit);

/* Resets the stream; the visit ends. */
void kin__http2_drop(kin__visit *visit);

#endif /* KIN_HTTPD_HTTP2_H */
