/* SPDX-License-Identifier: Apache-2.0 */
/*
 * persona_test.c - requests that want to be taken for somebody else's.  Texts are those of a
 * kube-apiserver 1.36.3.
 */
#include "server/persona.h"

#include "httpd/visit.h"
#include "serving.h"

#define REVIEWS "/apis/authentication.k8s.io/v1/selfsubjectreviews"
#define ACCESS "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
#define TOKEN "Authorization: Bearer secret\r\n"

static void start(serving *s, const char *rules)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_error err;

    options.has_no_tls = true;
    options.token = "secret";
    serving_start(s, &options);
    ASSERT_OK(kin_server_forbid(s->server, kin_str_of(rules), &err));
}

/* Asks with the token and these headers; what is answered. */
static const char *ask(serving *s, visitor *v, const char *method, const char *path,
                       const char *headers, const char *body, int status)
{
    text all = { 0 };

    text_append(&all, TOKEN "Content-Type: application/json\r\n%s", headers);
    visitor_ask(v, s, method, path, all.chars, body);
    const char *answer = visitor_read_all(v);
    visitor_leave(v);
    if (v->status != status) {
        FAIL("%s %s %s: %d %s", method, path, headers, v->status, answer);
    }
    return answer;
}

TEST(persona, is_who_the_headers_say)
{
    static const struct {
        const char *headers, *info;
    } cases[] = {
        { "Impersonate-User: bob\r\n",
          "{\"username\":\"bob\",\"groups\":[\"system:authenticated\"]}" },
        { "impersonate-user: bob\r\nIMPERSONATE-GROUP: a\r\nImpersonate-Group: b\r\n",
          "{\"username\":\"bob\",\"groups\":[\"a\",\"b\",\"system:authenticated\"]}" },
        { "Impersonate-User: bob\r\nImpersonate-Uid: 7\r\nImpersonate-Extra-Some%2fKey: x\r\n"
          "Impersonate-Extra-Some%2fKey: y\r\n",
          "{\"username\":\"bob\",\"uid\":\"7\",\"groups\":[\"system:authenticated\"],"
          "\"extra\":{\"some/key\":[\"x\",\"y\"]}}" },
        { "Impersonate-User: system:serviceaccount:n:a\r\n",
          "{\"username\":\"system:serviceaccount:n:a\",\"groups\":[\"system:serviceaccounts\","
          "\"system:serviceaccounts:n\",\"system:authenticated\"]}" },
        { "Impersonate-User: system:serviceaccount:n:a\r\nImpersonate-Group: g\r\n",
          "{\"username\":\"system:serviceaccount:n:a\",\"groups\":[\"g\","
          "\"system:authenticated\"]}" },
        { "Impersonate-User: bob\r\nImpersonate-Group: system:unauthenticated\r\n",
          "{\"username\":\"bob\",\"groups\":[\"system:unauthenticated\"]}" },
        { "Impersonate-Other: x\r\n",
          "{\"username\":\"kin\",\"groups\":[\"system:masters\",\"system:authenticated\"]}" },
    };
    serving s;
    visitor v;

    start(&s, "[]");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_CONTAINS(ask(&s, &v, "POST", REVIEWS, cases[i].headers, "{}", 201), cases[i].info);
    }
    serving_stop(&s);
}

TEST(persona, has_a_name_or_is_refused)
{
    static const struct {
        const char *headers, *message;
    } cases[] = {
        { "Impersonate-Group: a\r\nImpersonate-Group: b\r\n",
          "requested \\u0026user.DefaultInfo{Name:\\\"\\\", UID:\\\"\\\", "
          "Groups:[]string{\\\"a\\\", "
          "\\\"b\\\"}, Extra:map[string][]string(nil)} without impersonating a user name" },
        { "Impersonate-Uid: 7\r\nImpersonate-Extra-K: x\r\n",
          "requested \\u0026user.DefaultInfo{Name:\\\"\\\", UID:\\\"7\\\", Groups:[]string(nil), "
          "Extra:map[string][]string{\\\"k\\\":[]string{\\\"x\\\"}}} without impersonating a user "
          "name" },
    };
    serving s;
    visitor v;

    start(&s, "[]");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_CONTAINS(ask(&s, &v, "GET", "/version", cases[i].headers, NULL, 400),
                        cases[i].message);
    }
    serving_stop(&s);
}

TEST(persona, is_who_messages_and_reviews_speak_of)
{
    serving s;
    visitor v;

    start(&s, "[{\"resources\":[\"pods\"]}]");
    ASSERT_CONTAINS(
        ask(&s, &v, "GET", "/api/v1/pods", "Impersonate-User: bob\r\n", NULL, 403),
        "pods is forbidden: User \\\"bob\\\" cannot list resource \\\"pods\\\" in API group "
        "\\\"\\\" at the cluster scope");
    ASSERT_CONTAINS(
        ask(&s, &v, "GET", "/api/v1/secrets", "Impersonate-User: system:anonymous\r\n", NULL, 403),
        "User \\\"system:anonymous\\\" cannot list");
    ASSERT_CONTAINS(ask(&s, &v, "POST", ACCESS, "Impersonate-User: bob\r\n",
                        "{\"spec\":{\"resourceAttributes\":{\"verb\":\"get\",\"resource\":"
                        "\"pods\"}}}",
                        201),
                    "\"allowed\":false");
    serving_stop(&s);
}

TEST(persona, may_be_forbidden)
{
    static const struct {
        const char *rules, *headers;
        int status;
        const char *message;
    } cases[] = {
        { "[{\"verbs\":[\"impersonate\"]}]", "Impersonate-User: bob\r\n", 403,
          "configmaps is forbidden: User \\\"kin\\\" cannot impersonate-on:user-info:list resource "
          "\\\"configmaps\\\" in API group \\\"\\\" at the cluster scope" },
        { "[{\"verbs\":[\"impersonate\"],\"resources\":[\"users\"]}]",
          "Impersonate-User: system:serviceaccount:n:a\r\n", 200, "ConfigMapList" },
        { "[{\"verbs\":[\"impersonate\"],\"namespaces\":[\"n\"]}]",
          "Impersonate-User: system:serviceaccount:n:a\r\n", 403,
          "cannot impersonate-on:serviceaccount:list resource" },
        { "[{\"verbs\":[\"impersonate\"],\"resources\":[\"groups\"]}]", "Impersonate-User: b\r\n",
          200, "ConfigMapList" },
        { "[{\"verbs\":[\"impersonate\"],\"resources\":[\"groups\"]}]",
          "Impersonate-User: b\r\nImpersonate-Group: g\r\n", 403, "impersonate-on:user-info:list" },
        { "[{\"verbs\":[\"impersonate\"],\"resources\":[\"uids\"]}]",
          "Impersonate-User: b\r\nImpersonate-Uid: g\r\n", 403, "impersonate-on:user-info:list" },
        { "[{\"verbs\":[\"impersonate\"],\"resources\":[\"userextras/k\"]}]",
          "Impersonate-User: system:node:b\r\nImpersonate-Extra-K: g\r\n", 403,
          "userextras.authentication.k8s.io \\\"g\\\" is forbidden: User \\\"kin\\\" cannot "
          "impersonate resource \\\"userextras/k\\\" in API group "
          "\\\"authentication.k8s.io\\\" at the cluster scope" },
        { "[{\"verbs\":[\"impersonate\"]}]", "Impersonate-User: system:node:b\r\n", 403,
          "impersonate-on:arbitrary-node:list" },
        { "[{\"verbs\":[\"impersonate\"]}]",
          "Impersonate-User: system:serviceaccount:n:a\r\nImpersonate-Group: g\r\n", 403,
          "serviceaccounts \\\"a\\\" is forbidden: User \\\"kin\\\" cannot impersonate resource "
          "\\\"serviceaccounts\\\" in API group \\\"\\\" in the namespace \\\"n\\\"" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        serving s;
        visitor v;
        start(&s, cases[i].rules);
        ASSERT_CONTAINS(
            ask(&s, &v, "GET", "/api/v1/configmaps", cases[i].headers, NULL, cases[i].status),
            cases[i].message);
        serving_stop(&s);
    }
}

TEST(persona, is_none_that_a_stranger_may_be)
{
    serving s;
    visitor v;

    start(&s, "[]");
    visitor_ask(&v, &s, "GET", "/version", "Impersonate-User: bob\r\n", NULL);
    ASSERT_EQ(v.status, 403);
    ASSERT_CONTAINS(visitor_read_all(&v), "forbidden: User \\\"system:anonymous\\\" cannot "
                                          "impersonate-on:user-info:get path \\\"/version\\\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST_FAILING_ALLOC(persona, survives_without_memory)
{
    kin__visit visit = { .fields = STR("Impersonate-User: system:serviceaccount:n:a\r\n"
                                       "Impersonate-Extra-K: x\r\n") };
    kin__route route = { .path = STR("/version") };
    kin__guard guard = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__node_free) kin__node *info = NULL;
    bool is_done = kin__persona_read(&visit, &info, &no) && info != NULL &&
                   kin__persona_assume(info, &guard, STR("kin"), STR("GET"), &route, &no);

    return is_done ? KIN_OK : no.has_no_memory ? KIN_ERR_NO_MEMORY : KIN_ERR_USAGE;
}
