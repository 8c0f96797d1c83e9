/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certificates.c - keys on P-256, which take no time to make.
 */
#include "support/certificates.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static void must(bool is_fine)
{
    if (!is_fine) {
        FAIL("cannot make a certificate");
    }
}

static void add_extension(X509 *certificate, int nid, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);
    must(extension != NULL && X509_add_ext(certificate, extension, -1) == 1);
    X509_EXTENSION_free(extension);
}

static char *take_text(BIO *bio)
{
    char *data;
    long len = BIO_get_mem_data(bio, &data);
    char *copy = calloc(1, (size_t) len + 1);
    must(copy != NULL);
    memcpy(copy, data, (size_t) len);
    (void) BIO_free(bio);
    return copy;
}

identity *identity_new(const char *name, const identity_options *options)
{
    static long serial = 1;
    identity *id = calloc(1, sizeof *id);
    must(id != NULL);
    id->key = EVP_EC_gen("P-256");
    id->certificate = X509_new();
    must(id->key != NULL && id->certificate != NULL);
    const identity *issuer = options->issuer != NULL ? options->issuer : id;
    long until = options->valid_until_s != 0 ? options->valid_until_s : 3600;

    X509_NAME *subject = X509_get_subject_name(id->certificate);
    must(X509_set_version(id->certificate, 2) == 1 &&
         ASN1_INTEGER_set(X509_get_serialNumber(id->certificate), serial++) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(id->certificate), options->valid_from_s) != NULL &&
         X509_gmtime_adj(X509_getm_notAfter(id->certificate), until) != NULL &&
         X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *) name, -1,
                                    -1, 0) == 1 &&
         X509_set_issuer_name(id->certificate, X509_get_subject_name(issuer->certificate)) == 1 &&
         X509_set_pubkey(id->certificate, id->key) == 1);
    if (options->issuer == NULL) {
        add_extension(id->certificate, NID_basic_constraints, "critical,CA:TRUE");
    }
    if (options->names != NULL) {
        add_extension(id->certificate, NID_subject_alt_name, options->names);
    }
    must(X509_sign(id->certificate, issuer->key, EVP_sha256()) > 0);

    BIO *certificate = BIO_new(BIO_s_mem());
    BIO *key = BIO_new(BIO_s_mem());
    must(PEM_write_bio_X509(certificate, id->certificate) == 1 &&
         PEM_write_bio_PrivateKey(key, id->key, NULL, NULL, 0, NULL, NULL) == 1);
    id->certificate_pem = take_text(certificate);
    id->key_pem = take_text(key);
    return id;
}

void identity_free(identity *id)
{
    if (id == NULL) {
        return;
    }
    X509_free(id->certificate);
    EVP_PKEY_free(id->key);
    free(id->certificate_pem);
    free(id->key_pem);
    free(id);
}
