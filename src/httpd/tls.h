/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/tls.h - TLS for connections: versions, certificates, which protocol.
 *
 * A client may show a certificate, which is judged when the handshake is over: whoever brings one
 * that the authority did not sign may have other credentials.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_HTTPD_TLS_H
#define KIN_HTTPD_TLS_H

#include "base/buf.h"
#include "httpd/authority.h"
#include "httpd/wire.h"

/* `out` is owned; release with kin__tls_free().  Fails with TLS. */
kin_err kin__tls_new(const kin__authority *authority, bool has_http2, SSL_CTX **out,
                     kin_error *err) KIN_MUST_CHECK;
void kin__tls_free(SSL_CTX *tls);

/* Puts TLS on a bare wire; false: no memory. */
bool kin__tls_attach(SSL_CTX *tls, kin__wire *wire);

/* After the handshake: whether HTTP/2 was chosen. */
bool kin__tls_is_http2(const kin__wire *wire);

/* After the handshake: whether the client has shown a certificate that is not good: of another
 * authority, or out of date. */
bool kin__tls_is_peer_foreign(const kin__wire *wire);

/* After the handshake: CN and O's of the client's certificate, each O ended by '\n', appended;
 * nothing without a good one.  False: no memory. */
bool kin__tls_read_peer(const kin__wire *wire, kin__buf *name, kin__buf *organizations);

#endif /* KIN_HTTPD_TLS_H */
