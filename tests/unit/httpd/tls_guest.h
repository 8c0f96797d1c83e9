/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls_guest.h - a guest with TLS, who can speak HTTP/2 frame by frame.
 */
#ifndef TESTS_UNIT_HTTPD_TLS_GUEST_H
#define TESTS_UNIT_HTTPD_TLS_GUEST_H

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "unit/httpd/house.h"

typedef struct tls_guest {
    guest g; /* `heard`: what came through TLS */
    SSL_CTX *context;
    SSL *ssl;
    bool has_failed; /* TLS has: an alert, a reset */
} tls_guest;

static inline X509 *read_certificate(const kin__buf *pem)
{
    BIO *bio = BIO_new_mem_buf(pem->data, (int) pem->len);
    X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    (void) BIO_free(bio);
    ASSERT_TRUE(certificate != NULL);
    return certificate;
}

static inline void tls_shake_hands(tls_guest *t, house *h, const char *protocols)
{
    guest_connect(&t->g, h);
    t->ssl = SSL_new(t->context);
    ASSERT_TRUE(t->ssl != NULL);
    ASSERT_EQ(SSL_set1_host(t->ssl, "127.0.0.1"), 1);
    ASSERT_EQ(SSL_set_fd(t->ssl, t->g.fd), 1);
    if (protocols != NULL) {
        ASSERT_EQ(SSL_set_alpn_protos(t->ssl, (const unsigned char *) protocols,
                                      (unsigned) strlen(protocols)),
                  0);
    }
    int result;
    do {
        ERR_clear_error();
        result = SSL_connect(t->ssl);
        int error = SSL_get_error(t->ssl, result);
        t->has_failed =
            result != 1 && error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE;
        t->g.has_ended = t->has_failed;
        house_turn(h);
    } while (result != 1 && !t->has_failed);
}

/* Trusts everybody, speaks HTTP/2, and uses none of the library. */
static inline void tls_connect_bare(tls_guest *t, house *h)
{
    *t = (tls_guest){ .context = SSL_CTX_new(TLS_client_method()) };
    tls_shake_hands(t, h, "\x02h2");
}

/* Trusts `h`'s authority; shows a certificate that `signer` (NULL: nobody) has issued. */
static inline void tls_connect(tls_guest *t, house *h, const char *protocols,
                               const kin__authority *signer, const char *group)
{
    *t = (tls_guest){ .context = SSL_CTX_new(TLS_client_method()) };
    kin_str ca = kin__authority_pem(h->authority);
    kin__buf pem = { 0 };
    kin__buf key = { 0 };
    kin_error err;
    ASSERT_TRUE(kin__buf_append_str(&pem, ca));
    X509 *root = read_certificate(&pem);
    ASSERT_EQ(X509_STORE_add_cert(SSL_CTX_get_cert_store(t->context), root), 1);
    X509_free(root);
    SSL_CTX_set_verify(t->context, SSL_VERIFY_PEER, NULL);
    if (signer != NULL) {
        pem.len = 0;
        ASSERT_OK(kin__authority_issue(signer, "jane", group, &pem, &key, &err));
        X509 *certificate = read_certificate(&pem);
        BIO *bio = BIO_new_mem_buf(key.data, (int) key.len);
        EVP_PKEY *pair = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
        ASSERT_EQ(SSL_CTX_use_certificate(t->context, certificate), 1);
        ASSERT_EQ(SSL_CTX_use_PrivateKey(t->context, pair), 1);
        (void) BIO_free(bio);
        EVP_PKEY_free(pair);
        X509_free(certificate);
    }
    kin__buf_fini(&pem);
    kin__buf_fini(&key);
    tls_shake_hands(t, h, protocols);
}

static inline void tls_leave(tls_guest *t)
{
    SSL_free(t->ssl);
    SSL_CTX_free(t->context);
    guest_leave(&t->g);
}

static inline void tls_listen(tls_guest *t)
{
    guest *g = &t->g;
    for (;;) {
        if (g->len + (1 << 15) > g->capacity) {
            g->capacity *= 2;
            g->heard = realloc(g->heard, g->capacity);
            ASSERT_TRUE(g->heard != NULL);
        }
        size_t got = 0;
        ERR_clear_error();
        int result = SSL_read_ex(t->ssl, g->heard + g->len, g->capacity - g->len - 1, &got);
        if (result != 1) {
            int error = SSL_get_error(t->ssl, result);
            t->has_failed = t->has_failed || error == SSL_ERROR_SSL || error == SSL_ERROR_SYSCALL;
            g->has_ended = g->has_ended || t->has_failed || error == SSL_ERROR_ZERO_RETURN;
            return;
        }
        g->len += got;
        g->heard[g->len] = '\0';
    }
}

/* Stops when the server has closed. */
static inline void tls_say_bytes(tls_guest *t, house *h, const char *bytes, size_t len)
{
    for (size_t at = 0; at < len && !t->g.has_ended;) {
        size_t sent = 0;
        size_t some = len - at < 16000 ? len - at : 16000;
        ERR_clear_error();
        if (SSL_write_ex(t->ssl, bytes + at, some, &sent) == 1) {
            at += sent;
        }
        house_turn(h);
        tls_listen(t);
    }
}

static inline void tls_say(tls_guest *t, house *h, const char *words)
{
    tls_say_bytes(t, h, words, strlen(words));
}

static inline void tls_hear(tls_guest *t, house *h, const char *words)
{
    while (strstr(t->g.heard, words) == NULL) {
        ASSERT_FALSE(t->g.has_ended);
        house_turn(h);
        tls_listen(t);
    }
}

static inline void tls_hear_end(tls_guest *t, house *h)
{
    while (!t->g.has_ended) {
        house_turn(h);
        tls_listen(t);
    }
}

/* ---- HTTP/2 ---- */

enum {
    H2_DATA = 0,
    H2_HEADERS = 1,
    H2_RST = 3,
    H2_SETTINGS = 4,
    H2_PING = 6,
    H2_GOAWAY = 7,
    H2_WINDOW = 8,
    H2_CONTINUATION = 9
};
enum { H2_END_STREAM = 1, H2_END_HEADERS = 4 };

static inline void h2_append(kin__buf *out, unsigned type, unsigned flags, unsigned stream,
                             const char *payload, size_t len)
{
    const char head[9] = { (char) (len >> 16),    (char) (len >> 8),    (char) len,
                           (char) type,           (char) flags,         (char) (stream >> 24),
                           (char) (stream >> 16), (char) (stream >> 8), (char) stream };
    ASSERT_TRUE(kin__buf_append(out, head, 9));
    ASSERT_TRUE(kin__buf_append(out, payload, len));
}

/* A GET or POST, by indexes of HPACK's static table. */
static inline void h2_append_request(kin__buf *out, unsigned stream, unsigned flags,
                                     const char *path)
{
    char block[256];
    int len = snprintf(block, sizeof block, "%c\x87\x41\x01x\x04%c%s",
                       (flags & H2_END_STREAM) != 0 ? '\x82' : '\x83', (char) strlen(path), path);
    h2_append(out, H2_HEADERS, flags | H2_END_HEADERS, stream, block, (size_t) len);
}

static inline void h2_say(tls_guest *t, house *h, kin__buf *frames)
{
    tls_say_bytes(t, h, frames->data, frames->len);
    kin__buf_fini(frames);
    *frames = (kin__buf){ 0 };
}

static inline void h2_connect(tls_guest *t, house *h)
{
    kin__buf frames = { 0 };
    tls_connect(t, h, "\x02h2", NULL, NULL);
    ASSERT_FALSE(t->has_failed);
    ASSERT_TRUE(kin__buf_append_str(&frames, STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")));
    h2_append(&frames, H2_SETTINGS, 0, 0, "", 0);
    h2_say(t, h, &frames);
}

/* A frame the server has sent. */
typedef struct h2_frame {
    unsigned type;
    unsigned flags;
    unsigned stream;
    kin_str payload;
} h2_frame;

static inline bool h2_next(const tls_guest *t, size_t *at, h2_frame *out)
{
    const unsigned char *p = (const unsigned char *) t->g.heard + *at;
    size_t left = t->g.len - *at;
    if (left < 9) {
        return false;
    }
    size_t len = (size_t) p[0] << 16 | (size_t) p[1] << 8 | p[2];
    if (left < 9 + len) {
        return false;
    }
    *out = (h2_frame){ .type = p[3],
                       .flags = p[4],
                       .stream = (unsigned) p[5] << 24 | (unsigned) p[6] << 16 |
                                 (unsigned) p[7] << 8 | p[8],
                       .payload = { (const char *) p + 9, len } };
    *at += 9 + len;
    return true;
}

/* The first frame of that type on that stream; false when there is none. */
static inline bool h2_find(const tls_guest *t, unsigned type, unsigned stream, h2_frame *out)
{
    for (size_t at = 0; h2_next(t, &at, out);) {
        if (out->type == type && out->stream == stream) {
            return true;
        }
    }
    return false;
}

static inline h2_frame h2_hear(tls_guest *t, house *h, unsigned type, unsigned stream)
{
    h2_frame frame;
    while (!h2_find(t, type, stream, &frame)) {
        ASSERT_FALSE(t->g.has_ended);
        house_turn(h);
        tls_listen(t);
    }
    return frame;
}

static inline unsigned h2_number(kin_str payload, size_t at)
{
    const unsigned char *p = (const unsigned char *) payload.data + at;
    return (unsigned) p[0] << 24 | (unsigned) p[1] << 16 | (unsigned) p[2] << 8 | p[3];
}

#endif /* TESTS_UNIT_HTTPD_TLS_GUEST_H */
