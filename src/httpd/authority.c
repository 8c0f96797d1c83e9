/* SPDX-License-Identifier: Apache-2.0 */
/*
 * authority.c - a certificate authority made up on the spot.
 *
 * OpenSSL has its own memory; only what is handed out comes from base/alloc.h.
 */
#include "httpd/authority.h"

#include <arpa/inet.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "httpd/authority_state.h"

#define BEFORE_S (-3600L)
#define AFTER_S (10L * 365 * 24 * 3600)
#define SERIAL_BYTES 16
#define NAMES                                                                                      \
    "DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,"              \
    "DNS:kubernetes.default.svc.cluster.local,IP:127.0.0.1,IP:::1"

/* What a certificate is to say. */
typedef struct request {
    const char *name;  /* CN */
    const char *group; /* O; NULL: none */
    const char *constraints;
    const char *usage;
    const char *extended_usage; /* NULL: none */
    const char *names;          /* NULL: none */
} request;

static kin_err complete(kin__authority *authority, const char *address, kin_error *err);
static bool make_own(kin__authority *authority);
static bool read_own(kin__authority *authority, kin_str pem);
static int give_no_password(char *out, int size, int rwflag, void *context);
static bool make_server(kin__authority *authority, const char *address, kin_error *err);
static X509 *make(const request *wish, EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key);
static bool fill(X509 *certificate, const request *wish, EVP_PKEY *key, X509 *issuer);
static bool set_serial(X509 *certificate);
static bool add_name(X509_NAME *subject, const char *kind, const char *text);
static bool extend(X509 *certificate, X509 *issuer, int nid, const char *value);
static bool append_pem(BIO *pem, kin__buf *out);
static bool append_certificate(X509 *certificate, kin__buf *out);
static bool append_key(EVP_PKEY *key, kin__buf *out);
static kin_err fail(kin_error *err);

kin_err kin__authority_new(const char *address, kin__authority **out, kin_error *err)
{
    AUTO(kin__authority_free) kin__authority *authority = kin__alloc_zero(1, sizeof *authority);
    if (authority == NULL) {
        return kin__error_no_memory(err);
    }
    if (!make_own(authority)) {
        return fail(err);
    }
    if (complete(authority, address, err)) {
        return err->code;
    }
    *out = STEAL(authority);
    return KIN_OK;
}

kin_err kin__authority_read(kin_str pem, const char *address, kin__authority **out, kin_error *err)
{
    AUTO(kin__authority_free) kin__authority *authority = kin__alloc_zero(1, sizeof *authority);
    if (authority == NULL) {
        return kin__error_no_memory(err);
    }
    if (!read_own(authority, pem)) {
        ERR_clear_error();
        return kin__error_set(err, KIN_ERR_MALFORMED, "no authority's certificate with its key");
    }
    if (complete(authority, address, err)) {
        return err->code;
    }
    *out = STEAL(authority);
    return KIN_OK;
}

kin_err kin__authority_write(const kin__authority *authority, kin__buf *out, kin_error *err)
{
    size_t len = out->len;
    if (append_certificate(authority->certificate, out) && append_key(authority->key, out)) {
        return KIN_OK;
    }
    bool lacks_memory = kin__buf_failed(out);
    out->len = len;
    return lacks_memory ? kin__error_no_memory(err) : fail(err);
}

void kin__authority_free(kin__authority *authority)
{
    if (authority == NULL) {
        return;
    }
    EVP_PKEY_free(authority->key);
    X509_free(authority->certificate);
    EVP_PKEY_free(authority->server_key);
    X509_free(authority->server_certificate);
    kin__buf_fini(&authority->pem);
    kin__free(authority);
}

kin_str kin__authority_pem(const kin__authority *authority)
{
    return (kin_str){ authority->pem.data, authority->pem.len };
}

kin_err kin__authority_issue(const kin__authority *authority, const char *user, const char *group,
                             kin__buf *certificate, kin__buf *key, kin_error *err)
{
    const request client = {
        .name = user,
        .group = group,
        .constraints = "critical,CA:FALSE",
        .usage = "critical,digitalSignature",
        .extended_usage = "clientAuth",
    };
    EVP_PKEY *pair = EVP_EC_gen("P-256");
    X509 *made = pair == NULL ? NULL : make(&client, pair, authority->certificate, authority->key);
    kin_err code = KIN_OK;
    size_t certificate_len = certificate->len;
    size_t key_len = key->len;
    if (made == NULL || !append_certificate(made, certificate) || !append_key(pair, key)) {
        bool lacks_memory = kin__buf_failed(certificate) || kin__buf_failed(key);
        certificate->len = certificate_len;
        key->len = key_len;
        code = lacks_memory ? kin__error_no_memory(err) : fail(err);
    }
    X509_free(made);
    EVP_PKEY_free(pair);
    return code;
}

/* One that has its certificate and key. */
static kin_err complete(kin__authority *authority, const char *address, kin_error *err)
{
    if (!make_server(authority, address, err)) {
        return err->code;
    }
    if (!append_certificate(authority->certificate, &authority->pem)) {
        return kin__buf_failed(&authority->pem) ? kin__error_no_memory(err) : fail(err);
    }
    return KIN_OK;
}

static bool make_own(kin__authority *authority)
{
    const request own = {
        .name = "kinformer",
        .constraints = "critical,CA:TRUE",
        .usage = "critical,digitalSignature,keyCertSign,cRLSign",
    };
    authority->key = EVP_EC_gen("P-256");
    if (authority->key == NULL) {
        return false;
    }
    authority->certificate = make(&own, authority->key, NULL, authority->key);
    return authority->certificate != NULL;
}

static bool read_own(kin__authority *authority, kin_str pem)
{
    if (pem.len > INT_MAX) {
        return false;
    }
    BIO *certificate = BIO_new_mem_buf(pem.data, (int) pem.len);
    BIO *key = BIO_new_mem_buf(pem.data, (int) pem.len);
    if (certificate != NULL && key != NULL) {
        authority->certificate = PEM_read_bio_X509(certificate, NULL, give_no_password, NULL);
        authority->key = PEM_read_bio_PrivateKey(key, NULL, give_no_password, NULL);
    }
    (void) BIO_free(certificate);
    (void) BIO_free(key);
    return authority->certificate != NULL && authority->key != NULL &&
           X509_check_private_key(authority->certificate, authority->key) == 1 &&
           X509_check_ca(authority->certificate) == 1;
}

/* Else OpenSSL would ask for one at the terminal. */
static int give_no_password(char *out, int size, int rwflag, void *context)
{
    (void) out;
    (void) size;
    (void) rwflag;
    (void) context;
    return -1;
}

static bool make_server(kin__authority *authority, const char *address, kin_error *err)
{
    unsigned char binary[sizeof(struct in6_addr)];
    bool is_ip = address != NULL && (inet_pton(AF_INET, address, binary) == 1 ||
                                     inet_pton(AF_INET6, address, binary) == 1);
    AUTO(kin__buf_fini) kin__buf names = { 0 };
    kin__buf_append_format(&names, "%s", NAMES);
    if (address != NULL && *address != '\0') {
        kin__buf_append_format(&names, ",%s:%s", is_ip ? "IP" : "DNS", address);
    }
    kin__buf_append_byte(&names, '\0');
    if (kin__buf_failed(&names)) {
        kin__error_no_memory(err);
        return false;
    }
    const request server = {
        .name = "kube-apiserver",
        .constraints = "critical,CA:FALSE",
        .usage = "critical,digitalSignature",
        .extended_usage = "serverAuth",
        .names = names.data,
    };
    authority->server_key = EVP_EC_gen("P-256");
    if (authority->server_key != NULL) {
        authority->server_certificate =
            make(&server, authority->server_key, authority->certificate, authority->key);
    }
    if (authority->server_certificate == NULL) {
        (void) fail(err);
        return false;
    }
    return true;
}

/* Signed by itself when `issuer` is NULL. */
static X509 *make(const request *wish, EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key)
{
    X509 *certificate = X509_new();
    if (certificate == NULL || !fill(certificate, wish, key, issuer) ||
        X509_sign(certificate, issuer_key, EVP_sha256()) <= 0) {
        X509_free(certificate);
        return NULL;
    }
    return certificate;
}

static bool fill(X509 *certificate, const request *wish, EVP_PKEY *key, X509 *issuer)
{
    X509 *signer = issuer == NULL ? certificate : issuer;
    X509_NAME *subject = X509_get_subject_name(certificate);
    return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), BEFORE_S) != NULL &&
           X509_gmtime_adj(X509_getm_notAfter(certificate), AFTER_S) != NULL &&
           (wish->group == NULL || add_name(subject, "O", wish->group)) &&
           add_name(subject, "CN", wish->name) &&
           X509_set_issuer_name(certificate, X509_get_subject_name(signer)) == 1 &&
           X509_set_pubkey(certificate, key) == 1 &&
           extend(certificate, signer, NID_basic_constraints, wish->constraints) &&
           extend(certificate, signer, NID_key_usage, wish->usage) &&
           extend(certificate, signer, NID_ext_key_usage, wish->extended_usage) &&
           extend(certificate, signer, NID_subject_alt_name, wish->names) &&
           extend(certificate, signer, NID_subject_key_identifier, "hash") &&
           extend(certificate, signer, NID_authority_key_identifier,
                  issuer == NULL ? NULL : "keyid");
}

/* Random: of two authorities with one name, the same number could be given twice. */
static bool set_serial(X509 *certificate)
{
    unsigned char bytes[SERIAL_BYTES];
    if (RAND_bytes(bytes, sizeof bytes) != 1) {
        return false;
    }
    bytes[0] = (unsigned char) ((bytes[0] & 0x7f) | 0x40);
    BIGNUM *number = BN_bin2bn(bytes, sizeof bytes, NULL);
    bool is_set =
        number != NULL && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
    BN_free(number);
    return is_set;
}

static bool add_name(X509_NAME *subject, const char *kind, const char *text)
{
    return X509_NAME_add_entry_by_txt(subject, kind, MBSTRING_UTF8, (const unsigned char *) text,
                                      -1, -1, 0) == 1;
}

/* Without a value nothing. */
static bool extend(X509 *certificate, X509 *issuer, int nid, const char *value)
{
    if (value == NULL) {
        return true;
    }
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    bool is_added = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return is_added;
}

static bool append_pem(BIO *pem, kin__buf *out)
{
    char *data;
    long len = BIO_get_mem_data(pem, &data);
    return len > 0 && kin__buf_append(out, data, (size_t) len);
}

static bool append_certificate(X509 *certificate, kin__buf *out)
{
    BIO *pem = BIO_new(BIO_s_mem());
    bool is_done = pem != NULL && PEM_write_bio_X509(pem, certificate) == 1 && append_pem(pem, out);
    (void) BIO_free(pem);
    return is_done;
}

static bool append_key(EVP_PKEY *key, kin__buf *out)
{
    BIO *pem = BIO_new(BIO_s_secmem());
    bool is_done = pem != NULL &&
                   PEM_write_bio_PrivateKey(pem, key, NULL, NULL, 0, NULL, NULL) == 1 &&
                   append_pem(pem, out);
    (void) BIO_free(pem);
    return is_done;
}

static kin_err fail(kin_error *err)
{
    ERR_clear_error();
    return kin__error_set(err, KIN_ERR_TLS, "cannot make a certificate");
}
