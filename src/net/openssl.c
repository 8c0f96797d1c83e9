/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl.c - settings of OpenSSL that libcurl has no option for.
 */
#include "net/openssl.h"

#include <openssl/opensslv.h>
#include <openssl/ssl.h>
#include <string.h>

#define TEXT_OF(number) #number
#define VERSION_OF(major) "OpenSSL/" TEXT_OF(major) "."

static CURLcode on_settings(CURL *easy, void *settings, void *context);

bool kin__openssl_is_shared(void)
{
    const char *ours = VERSION_OF(OPENSSL_VERSION_MAJOR);
    const char *theirs = curl_version_info(CURLVERSION_NOW)->ssl_version;

    return theirs != NULL && strncmp(theirs, ours, strlen(ours)) == 0;
}

void kin__openssl_stay(void)
{
    if (kin__openssl_is_shared()) {
        (void) OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    }
}

CURLcode kin__openssl_keep_buffers(CURL *easy)
{
    if (!kin__openssl_is_shared()) {
        return CURLE_OK;
    }
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_settings);
}

static CURLcode on_settings(CURL *easy, void *settings, void *context)
{
    (void) easy;
    (void) context;
    (void) SSL_CTX_clear_mode((SSL_CTX *) settings, SSL_MODE_RELEASE_BUFFERS);
    return CURLE_OK;
}
