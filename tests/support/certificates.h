/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/certificates.h - certificates for tests, made while they run.
 */
#ifndef TESTS_SUPPORT_CERTIFICATES_H
#define TESTS_SUPPORT_CERTIFICATES_H

#include <openssl/ssl.h>

/* A certificate and its key.  Release with identity_free(). */
typedef struct identity {
    X509 *certificate;
    EVP_PKEY *key;
    char *certificate_pem; /* terminated */
    char *key_pem;
} identity;

typedef struct identity_options {
    const char *names;      /* as OpenSSL spells them: "DNS:localhost,IP:127.0.0.1"; NULL: none */
    long valid_from_s;      /* from now */
    long valid_until_s;     /* from now; 0: an hour */
    const identity *issuer; /* NULL: an authority that signs itself */
} identity_options;

identity *identity_new(const char *name, const identity_options *options);
void identity_free(identity *id);

#endif /* TESTS_SUPPORT_CERTIFICATES_H */
