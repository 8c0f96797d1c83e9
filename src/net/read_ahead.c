/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_ahead.c - settings of OpenSSL that libcurl has no option for.
 *
 * OpenSSL tells of each record's head as it reads it, with the connection.  That one is kept until
 * libcurl is through with the socket; should it be freed before, OpenSSL tells that too, by the
 * release of what we have attached to it.
 */
#include "net/read_ahead.h"

#include <openssl/ssl.h>
#include <pthread.h>

#include "net/openssl.h"

static CURLcode keep_buffers(CURL *easy, void *settings, void *context);
static CURLcode keep_and_read_ahead(CURL *easy, void *settings, void *context);
static void on_message(int is_sent, int version, int type, const void *bytes, size_t len, SSL *tls,
                       void *context);
static void on_freed(void *tls, void *attached, CRYPTO_EX_DATA *all, int index, long number,
                     void *unused);
static int place(void);
static void make_place(void);
static void drop_place(void) __attribute__((destructor));

/* Where a connection keeps whose it is; less than 0: there is no such place. */
static int made_place = -1;

CURLcode kin__read_ahead_apply(kin__read_ahead *ahead, CURL *easy, bool is_wanted)
{
    if (!kin__openssl_is_shared()) {
        return CURLE_OK;
    }
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION,
                                     is_wanted ? keep_and_read_ahead : keep_buffers);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, ahead);
}

bool kin__read_ahead_has_more(const kin__read_ahead *ahead)
{
    return ahead->tls != NULL && SSL_has_pending(ahead->tls) == 1;
}

static CURLcode keep_buffers(CURL *easy, void *settings, void *context)
{
    (void) easy;
    (void) context;
    (void) SSL_CTX_clear_mode((SSL_CTX *) settings, SSL_MODE_RELEASE_BUFFERS);
    return CURLE_OK;
}

static CURLcode keep_and_read_ahead(CURL *easy, void *settings, void *context)
{
    SSL_CTX *ctx = settings;

    if (place() >= 0) {
        SSL_CTX_set_read_ahead(ctx, 1);
        SSL_CTX_set_msg_callback(ctx, on_message);
        SSL_CTX_set_msg_callback_arg(ctx, context);
    }
    return keep_buffers(easy, settings, context);
}

/* The first records are those of the handshake, which OpenSSL reads to its end by itself: a
 * connection that has no memory for the place does not read ahead from then on. */
static void on_message(int is_sent, int version, int type, const void *bytes, size_t len, SSL *tls,
                       void *context)
{
    kin__read_ahead *ahead = context;
    (void) version;
    (void) bytes;
    (void) len;

    if (is_sent != 0 || type != SSL3_RT_HEADER) {
        return;
    }
    if (SSL_get_ex_data(tls, made_place) == NULL && SSL_set_ex_data(tls, made_place, ahead) != 1) {
        SSL_set_read_ahead(tls, 0);
        return;
    }
    ahead->tls = tls;
}

/* Called for every connection of the process: those of others have nothing attached. */
static void on_freed(void *tls, void *attached, CRYPTO_EX_DATA *all, int index, long number,
                     void *unused)
{
    kin__read_ahead *ahead = attached;
    (void) all;
    (void) index;
    (void) number;
    (void) unused;

    if (ahead != NULL && ahead->tls == tls) {
        ahead->tls = NULL;
    }
}

static int place(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void) pthread_once(&once, make_place);
    return made_place;
}

static void make_place(void)
{
    made_place = SSL_get_ex_new_index(0, NULL, NULL, NULL, on_freed);
}

/* A program may unload us and go on. */
static void drop_place(void)
{
    if (made_place >= 0) {
        (void) CRYPTO_free_ex_index(CRYPTO_EX_INDEX_SSL, made_place);
    }
}
