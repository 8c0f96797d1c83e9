/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/authority.h - a certificate authority made up on the spot, and the server's certificate.
 *
 * Keys are P-256, made in well under a millisecond each; certificates are valid from an hour ago
 * for ten years.
 *
 * Threading: immutable once made.
 */
#ifndef KIN_HTTPD_AUTHORITY_H
#define KIN_HTTPD_AUTHORITY_H

#include "base/buf.h"
#include "base/cleanup.h"
#include "kin/common.h"

typedef struct kin__authority kin__authority;

/* With a certificate for the server: localhost, kubernetes.default.svc and its shorter forms,
 * 127.0.0.1, ::1, and `address` when it is another.  Fails with TLS and NO_MEMORY. */
kin_err kin__authority_new(const char *address, kin__authority **out,
                           kin_error *err) KIN_MUST_CHECK;
void kin__authority_free(kin__authority *authority);
KIN__DEFINE_AUTO(kin__authority, kin__authority_free)

/* An authority that was made before, from what kin__authority_write() wrote; the server's
 * certificate is a new one.  Fails with MALFORMED (no certificate of an authority, no key, or not
 * the key of that certificate), TLS and NO_MEMORY. */
kin_err kin__authority_read(kin_str pem, const char *address, kin__authority **out,
                            kin_error *err) KIN_MUST_CHECK;

/* The authority's own certificate and its private key, PEM, appended. */
kin_err kin__authority_write(const kin__authority *authority, kin__buf *out,
                             kin_error *err) KIN_MUST_CHECK;

/* The authority's own certificate, PEM, for those who are to trust it.  Borrowed. */
kin_str kin__authority_pem(const kin__authority *authority);

/* A client's certificate and key, PEM, appended: CN `user`, O `group` (NULL: none). */
kin_err kin__authority_issue(const kin__authority *authority, const char *user, const char *group,
                             kin__buf *certificate, kin__buf *key, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_HTTPD_AUTHORITY_H */
