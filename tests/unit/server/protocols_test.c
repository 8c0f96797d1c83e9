/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protocols_test.c - sub-protocols of WebSockets, and tokens among them.
 */
#include "server/protocols.h"

#include <stdio.h>

#include "base/str.h"
#include "httpd/visit.h"
#include "serving.h"

#define FIELD "Sec-WebSocket-Protocol: "
#define TOKEN "base64url.bearer.authorization.k8s.io."
#define SECRET TOKEN "c2VjcmV0" /* "secret" */
#define WATCH "/api/v1/configmaps?watch=1"
#define SOCKET                                                                                     \
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"                   \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://x\r\n"

TEST(protocols, are_told_apart_from_the_token)
{
    static const struct {
        const char *fields, *others, *bearer;
        bool is_wrong;
    } cases[] = {
        { "", "", "", false },
        { FIELD "a\r\n", "a", "", false },
        { FIELD "a, b ,c\r\nAccept: x\r\n" FIELD "d\r\n", "a,b,c,d", "", false },
        { FIELD SECRET ", a\r\n", "a", "Bearer secret", false },
        { FIELD "a\r\n" FIELD SECRET "\r\n", "a", "Bearer secret", false },
        { FIELD "a," TOKEN "_-8\r\n", "a", "Bearer \xff\xef", true },
        { FIELD "a," TOKEN "w7_Dv8O_\r\n", "a", "Bearer \xc3\xbf\xc3\xbf\xc3\xbf", false },
        { FIELD "a," TOKEN "\r\n", "a", "Bearer ", false },
        { FIELD SECRET "\r\n", "", "Bearer secret", true },
        { FIELD SECRET "," SECRET ",a\r\n", "a", "Bearer secret", true },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kin__visit visit = { .fields = kin_str_of(cases[i].fields) };
        AUTO(kin__protocols_fini) kin__protocols got = { 0 };

        ASSERT_TRUE(kin__protocols_read(&visit, &got));

        ASSERT_SLICE_EQ(kin__str(got.others.data, got.others.len), cases[i].others);
        ASSERT_SLICE_EQ(kin__str(got.bearer.data, got.bearer.len), cases[i].bearer);
        ASSERT_EQ(got.is_wrong, cases[i].is_wrong);
    }
}

TEST(protocols, are_wrong_with_what_is_no_base64)
{
    static const char *const tokens[] = { "?", "c2VjcmV0=", "c2Vj+A", "c2Vj/A", "c2VjA", "a b" };

    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
        char fields[200];
        snprintf(fields, sizeof fields, FIELD "a," TOKEN "%s\r\n", tokens[i]);
        kin__visit visit = { .fields = kin_str_of(fields) };
        AUTO(kin__protocols_fini) kin__protocols got = { 0 };

        ASSERT_TRUE(kin__protocols_read(&visit, &got));

        ASSERT_TRUE(got.is_wrong);
    }
}

/* The token counts for whoever is not known otherwise, and is then no protocol. */
TEST(protocols, let_in_by_their_token)
{
    static const struct {
        const char *headers;
        int status;
        const char *protocol; /* that is answered; NULL: none */
    } cases[] = {
        { SOCKET FIELD SECRET ", v1\r\n", 101, "v1" },
        { SOCKET FIELD TOKEN "b3RoZXI, v1\r\n", 401, NULL },
        { SOCKET FIELD SECRET "\r\n", 401, NULL },
        { SOCKET FIELD "v1\r\n", 403, NULL },
        { SOCKET FIELD SECRET ", v1, v2\r\n", 400, NULL },
        { FIELD SECRET ", v1\r\n", 403, NULL }, /* no WebSocket */
        { SOCKET FIELD SECRET ", v1\r\nAuthorization: Bearer other\r\n", 101, "v1" },
        { SOCKET FIELD SECRET ", v1\r\nAuthorization: Bearer secret\r\n", 400, NULL },
        { SOCKET FIELD SECRET "\r\nAuthorization: Bearer secret\r\n", 101, SECRET },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kin_server_options options = KIN_SERVER_OPTIONS_INIT;
        serving s;
        visitor v;
        char want[200];
        options.has_no_tls = true;
        options.token = "secret";
        serving_start(&s, &options);

        visitor_ask(&v, &s, "GET", WATCH, cases[i].headers, NULL);

        ASSERT_EQ(v.status, cases[i].status);
        snprintf(want, sizeof want, FIELD "%s\r\n\r\n", cases[i].protocol);
        if (cases[i].protocol != NULL) {
            ASSERT_CONTAINS(v.head.chars, want);
        }
        visitor_leave(&v);
        serving_stop(&s);
    }
}

TEST_FAILING_ALLOC(protocols, say_when_there_is_no_memory)
{
    kin__visit visit = { .fields = STR(FIELD "a, b," SECRET "\r\n") };
    AUTO(kin__protocols_fini) kin__protocols got = { 0 };

    return kin__protocols_read(&visit, &got) ? KIN_OK : KIN_ERR_NO_MEMORY;
}
