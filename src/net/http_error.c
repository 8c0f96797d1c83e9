/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_error.c - codes of libcurl to errors.
 *
 * libcurl's codes are coarse: CURLE_SSL_CONNECT_ERROR is also a connection that is cut during the
 * handshake, CURLE_RECV_ERROR also an alert that refuses our certificate, which in TLS 1.3 comes
 * after the handshake.  Where the code does not tell, its sentence does.
 */
#include "net/http_error.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

/* X509_V_ERR_*, as in OpenSSL's x509_vfy.h, where they are fixed for ever. */
enum {
    VERIFY_NOT_YET_VALID = 9,
    VERIFY_EXPIRED = 10,
    VERIFY_SELF_SIGNED = 18,
    VERIFY_SELF_SIGNED_IN_CHAIN = 19,
    VERIFY_NO_ISSUER_LOCALLY = 20,
    VERIFY_LEAF_SIGNATURE = 21,
    VERIFY_REVOKED = 23,
    VERIFY_HOSTNAME_MISMATCH = 62,
    VERIFY_IP_MISMATCH = 64
};

static kin_err explain_connect(const kin__http_fault *fault, kin_error *err);
static kin_err explain_verify(const kin__http_fault *fault, kin_error *err);
static kin_err explain_handshake(const kin__http_fault *fault, kin_error *err);
static kin_err explain_closed(const kin__http_fault *fault, kin_error *err);
static kin_err explain_other(const kin__http_fault *fault, kin_error *err);
static bool is_alert(const kin__http_fault *fault);
static bool is_about_proxy(const kin__http_fault *fault);
static const char *sentence_of(const kin__http_fault *fault);
static bool says(const kin__http_fault *fault, const char *part);

kin_err kin__http_fault_explain(const kin__http_fault *fault, kin_error *err)
{
    switch (fault->code) {
    case CURLE_OUT_OF_MEMORY:
        return kin__error_no_memory(err);
    case CURLE_COULDNT_RESOLVE_HOST:
        return kin__error_set(err, KIN_ERR_CONNECT, "no such host: %s", fault->host);
    case CURLE_COULDNT_RESOLVE_PROXY:
        return kin__error_set(err, KIN_ERR_CONNECT, "the proxy's host cannot be found: %s",
                              sentence_of(fault));
    case CURLE_PROXY:
        return kin__error_set(err, KIN_ERR_CONNECT, "the proxy would not: %s", sentence_of(fault));
    case CURLE_COULDNT_CONNECT:
        return explain_connect(fault, err);
    case CURLE_OPERATION_TIMEDOUT:
        return kin__error_set(err, KIN_ERR_TIMEOUT, "%s", sentence_of(fault));
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
        return explain_verify(fault, err);
    case CURLE_SSL_CONNECT_ERROR:
        return explain_handshake(fault, err);
    case CURLE_SSL_CERTPROBLEM:
        return kin__error_set(err, KIN_ERR_TLS, "our certificate or its key cannot be used: %s",
                              sentence_of(fault));
    case CURLE_SSL_CACERT_BADFILE:
        return kin__error_set(err, KIN_ERR_TLS, "the authorities to trust cannot be read: %s",
                              sentence_of(fault));
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2_STREAM:
    case CURLE_HTTP2:
    case CURLE_ABORTED_BY_CALLBACK:
        return explain_closed(fault, err);
    default:
        return explain_other(fault, err);
    }
}

static kin_err explain_connect(const kin__http_fault *fault, kin_error *err)
{
    if (fault->os_error == ETIMEDOUT) {
        return kin__error_set(err, KIN_ERR_CONNECT, "%s does not answer", fault->host);
    }
    if (fault->os_error == 0) {
        return kin__error_set(err, KIN_ERR_CONNECT, "cannot connect to %s: %s", fault->host,
                              sentence_of(fault));
    }
    (void) kin__error_system(err, fault->os_error, "cannot connect to %s", fault->host);
    err->code = KIN_ERR_CONNECT;
    return err->code;
}

/* libcurl compares names before it asks OpenSSL for a result, which then is not set. */
static kin_err explain_verify(const kin__http_fault *fault, kin_error *err)
{
    bool is_name = says(fault, "subject name") || fault->verify_result == 0;
    switch (is_name ? (long) VERIFY_HOSTNAME_MISMATCH : fault->verify_result) {
    case VERIFY_HOSTNAME_MISMATCH:
    case VERIFY_IP_MISMATCH:
        return kin__error_set(err, KIN_ERR_TLS, "the server's certificate is not for %s",
                              fault->name);
    case VERIFY_EXPIRED:
        return kin__error_set(err, KIN_ERR_TLS, "the server's certificate has expired");
    case VERIFY_NOT_YET_VALID:
        return kin__error_set(err, KIN_ERR_TLS, "the server's certificate is not valid yet");
    case VERIFY_REVOKED:
        return kin__error_set(err, KIN_ERR_TLS, "the server's certificate was revoked");
    case VERIFY_SELF_SIGNED:
    case VERIFY_SELF_SIGNED_IN_CHAIN:
    case VERIFY_NO_ISSUER_LOCALLY:
    case VERIFY_LEAF_SIGNATURE:
        return kin__error_set(err, KIN_ERR_TLS,
                              "the server's certificate is signed by an authority that is not "
                              "trusted");
    default:
        return kin__error_set(err, KIN_ERR_TLS, "the server's certificate is not accepted: %s",
                              sentence_of(fault));
    }
}

static kin_err explain_handshake(const kin__http_fault *fault, kin_error *err)
{
    if (fault->os_error == ECONNRESET || fault->os_error == EPIPE || says(fault, "SYSCALL") ||
        says(fault, "unexpected eof")) {
        return kin__error_set(err, KIN_ERR_CLOSED, "the connection was cut during the handshake");
    }
    if (says(fault, "wrong version number") || says(fault, "packet length too long") ||
        says(fault, "http request")) {
        return kin__error_set(err, KIN_ERR_TLS, "the server does not speak TLS");
    }
    return kin__error_set(err, KIN_ERR_TLS, "%s", sentence_of(fault));
}

static kin_err explain_closed(const kin__http_fault *fault, kin_error *err)
{
    if (is_about_proxy(fault)) {
        return kin__error_set(err, KIN_ERR_CONNECT, "the proxy would not: %s", sentence_of(fault));
    }
    if (says(fault, "chunked-encoding") || says(fault, "hexadecimal")) {
        return kin__error_set(err, KIN_ERR_PROTOCOL, "the answer is not HTTP: %s",
                              sentence_of(fault));
    }
    if (is_alert(fault)) {
        return kin__error_set(err, KIN_ERR_TLS, "the server refuses us: %s", sentence_of(fault));
    }
    if (fault->os_error == ETIMEDOUT) {
        return kin__error_set(err, KIN_ERR_CLOSED, "the host has not answered for %u s",
                              fault->dead_host_ms / 1000);
    }
    if (!fault->is_placed) {
        return kin__error_set(err, KIN_ERR_CLOSED, "the connection was cut while it was set up");
    }
    if (!fault->has_head) {
        return kin__error_set(err, KIN_ERR_CLOSED, "the connection was cut before the answer");
    }
    return kin__error_set(err, KIN_ERR_CLOSED,
                          "the connection was cut inside the answer, after %llu bytes of its body",
                          (unsigned long long) fault->received);
}

static kin_err explain_other(const kin__http_fault *fault, kin_error *err)
{
    switch (fault->code) {
    case CURLE_UNSUPPORTED_PROTOCOL: /* HTTP/0.9: no status line */
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
        return kin__error_set(err, KIN_ERR_PROTOCOL, "the answer is not HTTP: %s",
                              sentence_of(fault));
    case CURLE_URL_MALFORMAT:
        return kin__error_set(err, KIN_ERR_USAGE, "not a URL: %s", sentence_of(fault));
    default:
        return kin__error_set(err, fault->is_placed ? KIN_ERR_PROTOCOL : KIN_ERR_CONNECT, "%s",
                              sentence_of(fault));
    }
}

/* "OpenSSL SSL_read: error:...:tlsv13 alert certificate required" */
static bool is_alert(const kin__http_fault *fault)
{
    return says(fault, "SSL") && says(fault, " alert ");
}

/* "CONNECT tunnel failed, response 403", "Received HTTP code 403 from proxy after CONNECT" */
static bool is_about_proxy(const kin__http_fault *fault)
{
    return !fault->is_placed && (says(fault, "CONNECT") || says(fault, "roxy"));
}

static const char *sentence_of(const kin__http_fault *fault)
{
    return fault->detail[0] != '\0' ? fault->detail : curl_easy_strerror(fault->code);
}

static bool says(const kin__http_fault *fault, const char *part)
{
    return strstr(fault->detail, part) != NULL;
}
