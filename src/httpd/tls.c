/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls.c - TLS for connections.
 *
 * Sessions are not kept and tickets not given: a client's certificate is looked at anew each time.
 * OpenSSL writes with write(2); the loop keeps SIGPIPE away (kin/loop.h).
 */
#include "httpd/tls.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "base/error.h"
#include "httpd/authority_state.h"

static bool set_up(SSL_CTX *tls, const kin__authority *authority);
static int take_any_peer(int is_good, X509_STORE_CTX *store);
static int choose_any(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                      const unsigned char *offered, unsigned offered_len, void *context);
static int choose_http1(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                        const unsigned char *offered, unsigned offered_len, void *context);
static int choose(const char *ours, unsigned ours_len, const unsigned char **out,
                  unsigned char *out_len, const unsigned char *offered, unsigned offered_len);
static bool append_entry(const X509_NAME *subject, int place, kin__buf *out);

kin_err kin__tls_new(const kin__authority *authority, bool has_http2, SSL_CTX **out, kin_error *err)
{
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    if (tls == NULL || !set_up(tls, authority)) {
        SSL_CTX_free(tls);
        ERR_clear_error();
        return kin__error_set(err, KIN_ERR_TLS, "cannot set up TLS");
    }
    SSL_CTX_set_alpn_select_cb(tls, has_http2 ? choose_any : choose_http1, NULL);
    *out = tls;
    return KIN_OK;
}

void kin__tls_free(SSL_CTX *tls)
{
    SSL_CTX_free(tls);
}

bool kin__tls_attach(SSL_CTX *tls, kin__wire *wire)
{
    wire->ssl = SSL_new(tls);
    return wire->ssl != NULL && SSL_set_fd(wire->ssl, wire->fd) == 1;
}

bool kin__tls_is_http2(const kin__wire *wire)
{
    const unsigned char *name;
    unsigned len;
    SSL_get0_alpn_selected(wire->ssl, &name, &len);
    return len == 2 && memcmp(name, "h2", 2) == 0;
}

bool kin__tls_is_peer_foreign(const kin__wire *wire)
{
    return SSL_get0_peer_certificate(wire->ssl) != NULL &&
           SSL_get_verify_result(wire->ssl) != X509_V_OK;
}

bool kin__tls_read_peer(const kin__wire *wire, kin__buf *name, kin__buf *organizations)
{
    const X509 *certificate = SSL_get0_peer_certificate(wire->ssl);
    if (certificate == NULL || kin__tls_is_peer_foreign(wire)) {
        return true;
    }
    const X509_NAME *subject = X509_get_subject_name(certificate);
    int place = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (place >= 0 && !append_entry(subject, place, name)) {
        return false;
    }
    place = -1;
    while ((place = X509_NAME_get_index_by_NID(subject, NID_organizationName, place)) >= 0) {
        if (!append_entry(subject, place, organizations) ||
            !kin__buf_append_byte(organizations, '\n')) {
            return false;
        }
    }
    return true;
}

static bool set_up(SSL_CTX *tls, const kin__authority *authority)
{
    (void) SSL_CTX_set_mode(tls, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    (void) SSL_CTX_set_options(tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
                                        SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    (void) SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, take_any_peer);
    return SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_num_tickets(tls, 0) == 1 &&
           SSL_CTX_use_certificate(tls, authority->server_certificate) == 1 &&
           SSL_CTX_use_PrivateKey(tls, authority->server_key) == 1 &&
           X509_STORE_add_cert(SSL_CTX_get_cert_store(tls), authority->certificate) == 1 &&
           SSL_CTX_add_client_CA(tls, authority->certificate) == 1;
}

/* What is wrong stays in the result: kin__tls_is_peer_foreign(). */
static int take_any_peer(int is_good, X509_STORE_CTX *store)
{
    (void) is_good;
    (void) store;
    return 1;
}

static int choose_any(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                      const unsigned char *offered, unsigned offered_len, void *context)
{
    (void) ssl;
    (void) context;
    return choose("\x02h2\x08http/1.1", 12, out, out_len, offered, offered_len);
}

static int choose_http1(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                        const unsigned char *offered, unsigned offered_len, void *context)
{
    (void) ssl;
    (void) context;
    return choose("\x08http/1.1", 9, out, out_len, offered, offered_len);
}

/* The first of ours that is offered; with none of them it goes on, as HTTP/1.1. */
static int choose(const char *ours, unsigned ours_len, const unsigned char **out,
                  unsigned char *out_len, const unsigned char *offered, unsigned offered_len)
{
    unsigned char *chosen;
    if (SSL_select_next_proto(&chosen, out_len, (const unsigned char *) ours, ours_len, offered,
                              offered_len) != OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_NOACK;
    }
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

/* A name may have line breaks in it; an organization could then pass for two. */
static bool append_entry(const X509_NAME *subject, int place, kin__buf *out)
{
    unsigned char *utf8 = NULL;
    const ASN1_STRING *text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, place));
    int len = ASN1_STRING_to_UTF8(&utf8, text);
    if (len < 0) {
        ERR_clear_error();
        return true;
    }
    size_t begin = out->len;
    bool is_fine = kin__buf_append(out, (const char *) utf8, (size_t) len);
    OPENSSL_free(utf8);
    for (size_t i = begin; i < out->len; i++) {
        if (out->data[i] == '\n') {
            out->data[i] = ' ';
        }
    }
    return is_fine;
}
