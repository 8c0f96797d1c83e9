/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_error_test.c - codes of libcurl, and the errors they become.
 *
 * What can be provoked is in http_fault_test.c; here is the rest.
 */
#include "net/http_error.h"

#include <errno.h>

#include "support/test.h"

static kin_error explain(kin__http_fault fault)
{
    kin_error err;
    fault.detail = fault.detail != NULL ? fault.detail : "";
    fault.host = "api.test";
    fault.name = "name.test";
    fault.dead_host_ms = 45000;
    kin_err code = kin__http_fault_explain(&fault, &err);
    ASSERT_ERR(code, err.code);
    return err;
}

static void expect(kin__http_fault fault, kin_err code, const char *message)
{
    kin_error err = explain(fault);
    ASSERT_MESSAGE(&err, message);
    ASSERT_ERR(err.code, code);
}

TEST(http_error, says_which_host_does_not_exist_or_answer)
{
    expect((kin__http_fault){ .code = CURLE_COULDNT_RESOLVE_HOST }, KIN_ERR_CONNECT,
           "no such host: api.test");
    expect((kin__http_fault){ .code = CURLE_COULDNT_CONNECT, .os_error = ECONNREFUSED },
           KIN_ERR_CONNECT, "cannot connect to api.test: Connection refused");
    expect((kin__http_fault){ .code = CURLE_COULDNT_CONNECT, .os_error = ETIMEDOUT },
           KIN_ERR_CONNECT, "api.test does not answer");
    expect((kin__http_fault){ .code = CURLE_COULDNT_CONNECT, .detail = "because" }, KIN_ERR_CONNECT,
           "cannot connect to api.test: because");
}

TEST(http_error, tells_the_proxy_from_the_server)
{
    expect((kin__http_fault){ .code = CURLE_COULDNT_RESOLVE_PROXY, .detail = "x" }, KIN_ERR_CONNECT,
           "the proxy's host cannot be found: x");
    expect((kin__http_fault){ .code = CURLE_PROXY, .detail = "x" }, KIN_ERR_CONNECT,
           "the proxy would not: x");
    expect((kin__http_fault){ .code = CURLE_RECV_ERROR,
                              .detail = "CONNECT tunnel failed, response 403" },
           KIN_ERR_CONNECT, "the proxy would not: CONNECT tunnel failed, response 403");
}

TEST(http_error, says_what_is_wrong_with_a_certificate)
{
    static const struct {
        long result;
        const char *message;
    } faults[] = {
        { 0, "the server's certificate is not for name.test" },
        { 62, "the server's certificate is not for name.test" },
        { 64, "the server's certificate is not for name.test" },
        { 9, "the server's certificate is not valid yet" },
        { 10, "the server's certificate has expired" },
        { 23, "the server's certificate was revoked" },
        { 18, "the server's certificate is signed by an authority that is not trusted" },
        { 19, "the server's certificate is signed by an authority that is not trusted" },
        { 20, "the server's certificate is signed by an authority that is not trusted" },
        { 21, "the server's certificate is signed by an authority that is not trusted" },
        { 7, "the server's certificate is not accepted: bad" },
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        expect((kin__http_fault){ .code = CURLE_PEER_FAILED_VERIFICATION,
                                  .verify_result = faults[i].result,
                                  .detail = "bad" },
               KIN_ERR_TLS, faults[i].message);
    }
}

TEST(http_error, tells_alerts_from_cuts)
{
    expect((kin__http_fault){ .code = CURLE_RECV_ERROR,
                              .is_placed = true,
                              .detail = "OpenSSL SSL_read: x alert certificate required, errno 0" },
           KIN_ERR_TLS,
           "the server refuses us: OpenSSL SSL_read: x alert certificate required, errno 0");
    expect((kin__http_fault){ .code = CURLE_SSL_CONNECT_ERROR, .detail = "x alert handshake" },
           KIN_ERR_TLS, "x alert handshake");
    expect((kin__http_fault){ .code = CURLE_SSL_CONNECT_ERROR, .os_error = ECONNRESET },
           KIN_ERR_CLOSED, "the connection was cut during the handshake");
}

TEST(http_error, says_where_a_connection_was_cut)
{
    expect((kin__http_fault){ .code = CURLE_RECV_ERROR }, KIN_ERR_CLOSED,
           "the connection was cut while it was set up");
    expect((kin__http_fault){ .code = CURLE_GOT_NOTHING, .is_placed = true }, KIN_ERR_CLOSED,
           "the connection was cut before the answer");
    expect(
        (kin__http_fault){
            .code = CURLE_PARTIAL_FILE, .is_placed = true, .has_head = true, .received = 12 },
        KIN_ERR_CLOSED, "the connection was cut inside the answer, after 12 bytes of its body");
    expect((kin__http_fault){ .code = CURLE_RECV_ERROR, .is_placed = true, .os_error = ETIMEDOUT },
           KIN_ERR_CLOSED, "the host has not answered for 45 s");
}

TEST(http_error, has_words_for_all_codes)
{
    for (int code = 1; code < CURL_LAST; code++) {
        kin_error err = explain((kin__http_fault){ .code = (CURLcode) code });
        ASSERT_TRUE(err.code != KIN_OK);
        ASSERT_TRUE(err.message[0] != '\0');
    }
    expect((kin__http_fault){ .code = CURLE_OUT_OF_MEMORY }, KIN_ERR_NO_MEMORY, "out of memory");
    expect((kin__http_fault){ .code = CURLE_OPERATION_TIMEDOUT, .detail = "late" }, KIN_ERR_TIMEOUT,
           "late");
}
