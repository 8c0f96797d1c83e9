/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/openssl.h - the OpenSSL that libcurl uses, as far as it is ours too.
 *
 * Threading: thread-safe.
 */
#ifndef KIN_NET_OPENSSL_H
#define KIN_NET_OPENSSL_H

#include <curl/curl.h>
#include <stdbool.h>

/* Whether libcurl has the OpenSSL that we are linked with: of another one, or another library,
 * nothing may be asked. */
bool kin__openssl_is_shared(void);

/*
 * Before OpenSSL is used for the first time: at exit() it is to stay as it is.  By itself it
 * takes itself down there, while the thread of a loop may be inside it.  What it holds goes with
 * the process anyway.  Without effect when somebody has used OpenSSL before.
 */
void kin__openssl_stay(void);

/* Of the connection that `easy` may open: its buffers stay with it.  By itself libcurl has OpenSSL
 * give its buffer of 17 KB back after each record and take another one for the next, and of a watch
 * each event is a record. */
CURLcode kin__openssl_keep_buffers(CURL *easy);

#endif /* KIN_NET_OPENSSL_H */
