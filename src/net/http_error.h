/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/http_error.h - what libcurl says went wrong, in our words.
 *
 * Threading: a pure function.
 */
#ifndef KIN_NET_HTTP_ERROR_H
#define KIN_NET_HTTP_ERROR_H

#include <curl/curl.h>

#include "kin/common.h"

typedef struct kin__http_fault {
    CURLcode code;
    int os_error;       /* an errno; 0: none */
    long verify_result; /* of OpenSSL, when the server's certificate was looked at; 0: fine */
    const char *detail; /* libcurl's sentence; "": none */
    const char *host;   /* that was to be connected to */
    const char *name;   /* that the certificate should have */
    uint64_t received;  /* bytes of the body */
    bool is_placed;     /* there was a connection ready for use */
    bool has_head;      /* the head of the answer has come */
    uint32_t dead_host_ms;
} kin__http_fault;

/* CONNECT, TLS, TIMEOUT, CLOSED, PROTOCOL or NO_MEMORY, with a sentence; returns the code. */
kin_err kin__http_fault_explain(const kin__http_fault *fault, kin_error *err);

#endif /* KIN_NET_HTTP_ERROR_H */
