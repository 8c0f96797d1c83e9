/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve_test.c - of two things that are wrong, the first one is told; and bodies as sources.
 */
#include "server/serve.h"

#include <stdio.h>

#include "base/str.h"
#include "serving.h"

/* What comes first when several things are wrong, as seen on a kube-apiserver 1.36.3. */
TEST(serve, tells_the_first_of_what_is_wrong)
{
    static const struct {
        const char *path, *accept;
        int status;
    } cases[] = {
        { "/api/v1/nopes?limit=abc", "Accept: text/xml\r\n", 404 },
        { "/api/v1/pods?limit=abc", "Accept: text/xml\r\n", 406 },
        { "/api/v1/pods?limit=abc&labelSelector=%3D", "", 400 },
    };
    serving s;

    serving_start(&s, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        visitor v;
        visitor_ask(&v, &s, "GET", cases[i].path, cases[i].accept, NULL);
        ASSERT_EQ(v.status, cases[i].status);
        visitor_leave(&v);
    }
    serving_stop(&s);
}

TEST(serve, answers_a_refusal_in_the_form_that_was_asked_for)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    visitor_ask(&v, &s, "GET", "/api/v1/namespaces/none",
                "Accept: application/vnd.kubernetes.protobuf\r\n", NULL);
    ASSERT_EQ(v.status, 404);
    ASSERT_CONTAINS(v.head.chars, "Content-Type: application/vnd.kubernetes.protobuf\r\n");
    visitor_leave(&v);
    visitor_ask(&v, &s, "GET", "/api/v1/namespaces/none", "User-Agent: curl/8\r\n", NULL);
    ASSERT_CONTAINS(visitor_read_all(&v), "{\n  \"kind\": \"Status\",\n");
    visitor_leave(&v);
    visitor_ask(&v, &s, "GET", "/nowhere", "", NULL);
    ASSERT_CONTAINS(v.head.chars, "Content-Type: text/plain; charset=utf-8\r\n");
    ASSERT_CONTAINS(v.head.chars, "X-Content-Type-Options: nosniff\r\n");
    ASSERT_STR_EQ(visitor_read_all(&v), "404 page not found\n");
    visitor_leave(&v);
    serving_stop(&s);
}

/* However early: by the query alone, before the program's name; what cannot be told in any form
 * that was asked for is indented in any case.  As seen on a kube-apiserver 1.36.3. */
TEST(serve, indents_a_refusal_as_it_was_asked_to)
{
    static const struct {
        const char *method, *path;
        int status;
    } cases[] = {
        { "GET", "/api/v1/nopes", 404 },
        { "GET", "/apis/apps/v9/x", 404 },
        { "GET", "/api/v1/namespaces/default/pods/x/log2", 404 },
        { "PUT", "/api/v1/pods", 405 },
        { "GET", "/api/v1/secrets", 403 },
        { "GET", "/api/v1/pods?limit=abc", 400 },
        { "DELETE", "/api/v1/namespaces/default/pods/x?gracePeriodSeconds=abc", 400 },
    };
    serving s;
    visitor v;
    kin_error err;

    serving_start(&s, NULL);
    ASSERT_OK(kin_server_forbid(s.server, STR("[{\"resources\":[\"secrets\"]}]"), &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[128];
        const char *mark = strchr(cases[i].path, '?') == NULL ? "?" : "&";
        snprintf(path, sizeof path, "%s%spretty=1", cases[i].path, mark);
        visitor_ask(&v, &s, cases[i].method, path, "", NULL);
        ASSERT_EQ(v.status, cases[i].status);
        ASSERT_CONTAINS(visitor_read_all(&v), "{\n  \"kind\": \"Status\",\n");
        visitor_leave(&v);
        snprintf(path, sizeof path, "%s%spretty=0", cases[i].path, mark);
        visitor_ask(&v, &s, cases[i].method, path, "User-Agent: Mozilla/5.0\r\n", NULL);
        ASSERT_CONTAINS(visitor_read_all(&v), "{\"kind\":\"Status\",");
        visitor_leave(&v);
    }
    ASSERT_OK(kin_server_set_token(s.server, "secret", &err));
    visitor_ask(&v, &s, "GET", "/api/v1/pods?pretty=true", "Authorization: Bearer x\r\n", NULL);
    ASSERT_EQ(v.status, 401);
    ASSERT_CONTAINS(visitor_read_all(&v), "{\n  \"kind\": \"Status\",\n");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(serve, makes_a_source_of_bytes)
{
    kin__answer answer = { 0 };
    kin__body_pieces pieces = { .count = 0 };
    kin__body body;

    ASSERT_TRUE(kin__buf_append_str(&answer.bytes, STR("abc")));
    ASSERT_TRUE(kin__answer_take_body(&answer, &body));
    ASSERT_TRUE(answer.bytes.data == NULL);
    ASSERT_EQ(body.next(body.context, &pieces), KIN__BODY_END);
    ASSERT_EQ(pieces.count, 1);
    ASSERT_SLICE_EQ(pieces.pieces[0], "abc");
    body.release(body.context);
}
