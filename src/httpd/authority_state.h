/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/authority_state.h - an authority from the inside, for those who show its certificates.
 */
#ifndef KIN_HTTPD_AUTHORITY_STATE_H
#define KIN_HTTPD_AUTHORITY_STATE_H

#include <openssl/x509.h>

#include "base/buf.h"
#include "httpd/authority.h"

struct kin__authority {
    EVP_PKEY *key;            /* owned */
    X509 *certificate;        /* owned */
    EVP_PKEY *server_key;     /* owned */
    X509 *server_certificate; /* owned */
    kin__buf pem;             /* of `certificate` */
};

#endif /* KIN_HTTPD_AUTHORITY_STATE_H */
