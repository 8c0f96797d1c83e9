/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl.c - is it ours, and how it ends.
 */
#include "net/openssl.h"

#include <curl/curl.h>
#include <openssl/crypto.h>
#include <openssl/opensslv.h>
#include <string.h>

#define TEXT_OF(number) #number
#define VERSION_OF(major) "OpenSSL/" TEXT_OF(major) "."

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
