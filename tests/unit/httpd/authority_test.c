/* SPDX-License-Identifier: Apache-2.0 */
/*
 * authority_test.c - certificates, as OpenSSL sees them.
 */
#include "httpd/authority.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "httpd/authority_state.h"
#include "support/test.h"

static kin__authority *make(const char *address)
{
    kin__authority *authority;
    kin_error err;
    ASSERT_OK(kin__authority_new(address, &authority, &err));
    return authority;
}

static X509 *read_pem(const char *data, size_t len)
{
    BIO *bio = BIO_new_mem_buf(data, (int) len);
    X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    (void) BIO_free(bio);
    ASSERT_TRUE(certificate != NULL);
    return certificate;
}

/* Verifies it for what it is meant for. */
static bool is_trusted(const kin__authority *authority, X509 *certificate, int purpose)
{
    kin_str pem = kin__authority_pem(authority);
    X509 *root = read_pem(pem.data, pem.len);
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    ASSERT_EQ(X509_STORE_add_cert(store, root), 1);
    ASSERT_EQ(X509_STORE_CTX_init(context, store, certificate, NULL), 1);
    ASSERT_EQ(X509_STORE_CTX_set_purpose(context, purpose), 1);
    X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(context), X509_V_FLAG_X509_STRICT);
    bool is_fine = X509_verify_cert(context) == 1;
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    X509_free(root);
    return is_fine;
}

TEST(authority, signs_the_server_for_its_names)
{
    static const char *const names[] = { "localhost", "kubernetes", "kubernetes.default",
                                         "kubernetes.default.svc" };
    kin__authority *authority = make("10.1.2.3");
    X509 *server = authority->server_certificate;

    ASSERT_TRUE(is_trusted(authority, server, X509_PURPOSE_SSL_SERVER));
    ASSERT_FALSE(is_trusted(authority, server, X509_PURPOSE_SSL_CLIENT));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ASSERT_EQ(X509_check_host(server, names[i], 0, 0, NULL), 1);
    }
    ASSERT_EQ(X509_check_ip_asc(server, "127.0.0.1", 0), 1);
    ASSERT_EQ(X509_check_ip_asc(server, "::1", 0), 1);
    ASSERT_EQ(X509_check_ip_asc(server, "10.1.2.3", 0), 1);
    ASSERT_EQ(X509_check_ip_asc(server, "10.1.2.4", 0), 0);
    kin__authority_free(authority);
}

TEST(authority, may_sign_for_a_name_or_no_other_address)
{
    kin__authority *named = make("api.test");
    kin__authority *bare = make(NULL);

    ASSERT_EQ(X509_check_host(named->server_certificate, "api.test", 0, 0, NULL), 1);
    ASSERT_EQ(X509_check_host(bare->server_certificate, "api.test", 0, 0, NULL), 0);
    kin__authority_free(named);
    kin__authority_free(bare);
}

TEST(authority, is_valid_from_an_hour_ago_for_ten_years)
{
    kin__authority *authority = make("::1");
    X509 *all[] = { authority->certificate, authority->server_certificate };
    for (size_t i = 0; i < 2; i++) {
        int days;
        int seconds;
        ASSERT_EQ(ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(all[i]), NULL), 1);
        ASSERT_EQ(days, 0);
        ASSERT_TRUE(seconds >= 3600 && seconds < 3700);
        ASSERT_EQ(ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(all[i])), 1);
        ASSERT_TRUE(days >= 3649 && days <= 3650);
    }
    kin__authority_free(authority);
}

TEST(authority, issues_certificates_to_clients)
{
    kin__authority *authority = make(NULL);
    kin__authority *other = make(NULL);
    kin__buf certificate = { 0 };
    kin__buf key = { 0 };
    kin_error err;
    char line[128];

    ASSERT_OK(kin__authority_issue(authority, "admin", "system:masters", &certificate, &key, &err));
    X509 *client = read_pem(certificate.data, certificate.len);
    BIO *bio = BIO_new_mem_buf(key.data, (int) key.len);
    EVP_PKEY *pair = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);

    (void) X509_NAME_oneline(X509_get_subject_name(client), line, sizeof line);
    ASSERT_STR_EQ(line, "/O=system:masters/CN=admin");
    ASSERT_EQ(X509_check_private_key(client, pair), 1);
    ASSERT_TRUE(is_trusted(authority, client, X509_PURPOSE_SSL_CLIENT));
    ASSERT_FALSE(is_trusted(authority, client, X509_PURPOSE_SSL_SERVER));
    ASSERT_FALSE(is_trusted(other, client, X509_PURPOSE_SSL_CLIENT));
    (void) BIO_free(bio);
    EVP_PKEY_free(pair);
    X509_free(client);
    kin__buf_fini(&certificate);
    kin__buf_fini(&key);
    kin__authority_free(authority);
    kin__authority_free(other);
}

TEST(authority, leaves_the_buffers_alone_when_it_cannot)
{
    kin__authority *authority = make(NULL);
    kin__buf certificate = { 0 };
    kin__buf key = { 0 };
    kin_error err;
    char name[100] = { 0 };
    memset(name, 'x', sizeof name - 1); /* over 64, the limit of X.520 */
    ASSERT_TRUE(kin__buf_append(&certificate, "a", 1));

    ASSERT_ERR(kin__authority_issue(authority, name, NULL, &certificate, &key, &err), KIN_ERR_TLS);

    ASSERT_EQ(certificate.len, 1);
    ASSERT_EQ(key.len, 0);
    kin__buf_fini(&certificate);
    kin__authority_free(authority);
}

TEST_FAILING_ALLOC(authority, fails_without_a_leak)
{
    kin__authority *authority;
    kin__buf certificate = { 0 };
    kin__buf key = { 0 };
    kin_error err;
    if (kin__authority_new("10.1.2.3", &authority, &err) != KIN_OK) {
        return err.code;
    }
    kin_err code = kin__authority_issue(authority, "a", "b", &certificate, &key, &err);
    kin__buf_fini(&certificate);
    kin__buf_fini(&key);
    kin__authority_free(authority);
    return code;
}

/* Written to be read again, with what is left of it after a cut. */
static kin_str written(const kin__authority *authority, kin__buf *out)
{
    kin_error err;

    ASSERT_OK(kin__authority_write(authority, out, &err));
    return (kin_str){ out->data, out->len };
}

TEST(authority, is_the_same_when_it_is_read_again)
{
    kin__authority *first = make("10.1.2.3");
    kin__authority *second = NULL;
    AUTO(kin__buf_fini) kin__buf pem = { 0 };
    kin_error err;

    ASSERT_OK(kin__authority_read(written(first, &pem), "10.1.2.4", &second, &err));
    ASSERT_EQ(X509_cmp(first->certificate, second->certificate), 0);
    ASSERT_TRUE(is_trusted(first, second->server_certificate, X509_PURPOSE_SSL_SERVER));
    ASSERT_TRUE(is_trusted(second, first->server_certificate, X509_PURPOSE_SSL_SERVER));
    ASSERT_EQ(X509_check_ip_asc(second->server_certificate, "10.1.2.4", 0), 1);
    ASSERT_EQ(kin__authority_pem(first).len, kin__authority_pem(second).len);
    kin__authority_free(first);
    kin__authority_free(second);
}

TEST(authority, is_not_read_from_what_is_none)
{
    kin__authority *first = make(NULL);
    kin__authority *other = make(NULL);
    kin__authority *out = NULL;
    AUTO(kin__buf_fini) kin__buf pem = { 0 };
    AUTO(kin__buf_fini) kin__buf foreign = { 0 };
    AUTO(kin__buf_fini) kin__buf client = { 0 };
    kin_error err;
    kin_str whole = written(first, &pem);
    kin_str certificate = kin__authority_pem(first);
    kin_str key = { whole.data + certificate.len, whole.len - certificate.len };

    ASSERT_ERR(kin__authority_read(certificate, NULL, &out, &err), KIN_ERR_MALFORMED);
    ASSERT_ERR(kin__authority_read(key, NULL, &out, &err), KIN_ERR_MALFORMED);
    ASSERT_ERR(kin__authority_read((kin_str){ "", 0 }, NULL, &out, &err), KIN_ERR_MALFORMED);
    ASSERT_TRUE(kin__buf_append_str(&foreign, kin__authority_pem(other)));
    ASSERT_TRUE(kin__buf_append_str(&foreign, key));
    ASSERT_ERR(kin__authority_read((kin_str){ foreign.data, foreign.len }, NULL, &out, &err),
               KIN_ERR_MALFORMED);
    ASSERT_OK(kin__authority_issue(first, "me", NULL, &client, &client, &err));
    ASSERT_ERR(kin__authority_read((kin_str){ client.data, client.len }, NULL, &out, &err),
               KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "no authority's certificate with its key");
    kin__authority_free(first);
    kin__authority_free(other);
}

/* A key with a password would be asked for at the terminal. */
TEST(authority, asks_nobody_for_a_password)
{
    kin__authority *first = make(NULL);
    kin__authority *out = NULL;
    BIO *bio = BIO_new(BIO_s_mem());
    char *data;
    kin_error err;

    ASSERT_EQ(PEM_write_bio_X509(bio, first->certificate), 1);
    ASSERT_EQ(
        PEM_write_bio_PKCS8PrivateKey(bio, first->key, EVP_aes_128_cbc(), "word", 4, NULL, NULL),
        1);
    long len = BIO_get_mem_data(bio, &data);
    ASSERT_ERR(kin__authority_read((kin_str){ data, (size_t) len }, NULL, &out, &err),
               KIN_ERR_MALFORMED);
    (void) BIO_free(bio);
    kin__authority_free(first);
}
