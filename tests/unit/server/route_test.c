/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route_test.c - what a request is about, and whether that is served.
 *
 * The answers were seen on kube-apiserver 1.36.3.
 */
#include "server/route.h"

#include "shelves.h"

#define UNKNOWN "404 the server could not find the requested resource"
#define METHOD "405 the server does not allow this method on the requested resource"
#define TEXT "404 text 404 page not found\n"

static kin__route read_route(const shelved *s, const char *method, const char *path,
                             const char *query)
{
    kin__route route = { 0 };
    kin__refusal no = { 0 };

    ASSERT_TRUE(kin__route_read(s->shelf, kin_str_of(method), kin_str_of(path), kin_str_of(query),
                                &route, &no));
    return route;
}

/* Of the route: "verb group/version resource ns name sub", with * for a name that was selected. */
static void assert_route(const shelved *s, const char *method, const char *path, const char *query,
                         const char *want)
{
    AUTO(kin__route_fini) kin__route route = read_route(s, method, path, query);
    text got = { 0 };

    text_append(&got, "%s %.*s/%.*s %.*s ns=%.*s name=%.*s%s sub=%.*s", kin__deed_name(route.deed),
                KIN_STR_ARG(route.group), KIN_STR_ARG(route.version), KIN_STR_ARG(route.resource),
                KIN_STR_ARG(route.ns), KIN_STR_ARG(route.name), route.is_name_selected ? "*" : "",
                KIN_STR_ARG(route.sub));
    ASSERT_STR_EQ(got.chars, want);
}

/* "ok", or the code, "text " for plain text, and the message. */
static void assert_check(const shelved *s, const char *method, const char *path, const char *want)
{
    AUTO(kin__route_fini) kin__route route = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    text got = { 0 };

    if (kin__route_read(s->shelf, kin_str_of(method), kin_str_of(path), STR(""), &route, &no) &&
        kin__route_check(s->shelf, &route, &no)) {
        text_append(&got, "ok");
    } else {
        text_append(&got, "%d %s%.*s", no.code, no.is_text ? "text " : "", (int) no.message.len,
                    no.message.data);
    }
    if (strcmp(got.chars, want) != 0) {
        FAIL("%s %s: \"%s\", want \"%s\"", method, path, got.chars, want);
    }
}

TEST(route, of_the_core_and_of_groups)
{
    shelved s = shelved_new();

    assert_route(&s, "GET", "/api/v1/nodes", "", "list /v1 nodes ns= name= sub=");
    assert_route(&s, "GET", "/api/v1/nodes/a", "", "get /v1 nodes ns= name=a sub=");
    assert_route(&s, "GET", "/apis/apps/v1/deployments", "",
                 "list apps/v1 deployments ns= name= sub=");
    assert_route(&s, "PUT", "/apis/apps/v1/namespaces/x/deployments/d/status", "",
                 "update apps/v1 deployments ns=x name=d sub=status");
    shelved_free(&s);
}

TEST(route, finds_what_is_served)
{
    shelved s = shelved_new();
    AUTO(kin__route_fini)
    kin__route pods = read_route(&s, "GET", "/api/v1/namespaces/x/pods/p", "");
    AUTO(kin__route_fini) kin__route nopes = read_route(&s, "GET", "/api/v1/nopes", "");

    ASSERT_SLICE_EQ(pods.served->kind, "Pod");
    ASSERT_TRUE(nopes.is_resource);
    ASSERT_TRUE(nopes.served == NULL);
    ASSERT_SLICE_EQ(nopes.resource, "nopes");
    shelved_free(&s);
}

TEST(route, of_a_namespace_and_of_what_is_in_it)
{
    shelved s = shelved_new();

    assert_route(&s, "GET", "/api/v1/namespaces", "", "list /v1 namespaces ns= name= sub=");
    assert_route(&s, "GET", "/api/v1/namespaces/x", "", "get /v1 namespaces ns= name=x sub=");
    assert_route(&s, "PUT", "/api/v1/namespaces/x/finalize", "",
                 "update /v1 namespaces ns= name=x sub=finalize");
    assert_route(&s, "GET", "/api/v1/namespaces/x/status", "",
                 "get /v1 namespaces ns= name=x sub=status");
    assert_route(&s, "GET", "/api/v1/namespaces/x/pods", "", "list /v1 pods ns=x name= sub=");
    assert_route(&s, "GET", "/api/v1/namespaces//pods", "", "list /v1 pods ns= name= sub=");
    shelved_free(&s);
}

/* As RequestInfo has it, whatever the verb. */
TEST(route, of_a_namespace_is_authorized_in_that_namespace)
{
    static const struct {
        const char *method, *path, *query, *scope;
    } cases[] = {
        { "GET", "/api/v1/namespaces/x", "", "x" },
        { "PUT", "/api/v1/namespaces/x", "", "x" },
        { "PATCH", "/api/v1/namespaces/x", "", "x" },
        { "DELETE", "/api/v1/namespaces/x", "", "x" },
        { "GET", "/api/v1/namespaces/x/status", "", "x" },
        { "PUT", "/api/v1/namespaces/x/finalize", "", "x" },
        { "GET", "/api/v1/watch/namespaces/x", "", "x" },
        { "GET", "/api/v1/namespaces", "", "" },
        { "POST", "/api/v1/namespaces", "", "" },
        { "GET", "/api/v1/namespaces", "fieldSelector=metadata.name%3Dx", "" },
        { "GET", "/api/v1/namespaces/x/pods", "", "x" },
        { "GET", "/api/v1/namespaces/x/namespaces/y", "", "x" },
        { "GET", "/api/v1/nodes/x", "", "" },
    };
    shelved s = shelved_new();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO(kin__route_fini)
        kin__route route = read_route(&s, cases[i].method, cases[i].path, cases[i].query);
        ASSERT_SLICE_EQ(kin__route_scope(&route), cases[i].scope);
    }
    shelved_free(&s);
}

TEST(route, knows_verbs_by_method_and_path)
{
    shelved s = shelved_new();

    assert_route(&s, "POST", "/api/v1/namespaces/x/pods", "", "create /v1 pods ns=x name= sub=");
    assert_route(&s, "PATCH", "/api/v1/namespaces/x/pods/p", "", "patch /v1 pods ns=x name=p sub=");
    assert_route(&s, "DELETE", "/api/v1/namespaces/x/pods/p", "",
                 "delete /v1 pods ns=x name=p sub=");
    assert_route(&s, "DELETE", "/api/v1/namespaces/x/pods", "",
                 "deletecollection /v1 pods ns=x name= sub=");
    assert_route(&s, "HEAD", "/api/v1/pods", "", "list /v1 pods ns= name= sub=");
    assert_route(&s, "FOO", "/api/v1/pods", "", " /v1 pods ns= name= sub=");
    shelved_free(&s);
}

TEST(route, is_a_watch_only_without_a_name)
{
    shelved s = shelved_new();

    assert_route(&s, "GET", "/api/v1/pods", "watch=1", "watch /v1 pods ns= name= sub=");
    assert_route(&s, "GET", "/api/v1/pods", "limit=x&watch", "watch /v1 pods ns= name= sub=");
    assert_route(&s, "GET", "/api/v1/pods", "watch=False", "list /v1 pods ns= name= sub=");
    assert_route(&s, "GET", "/api/v1/pods", "watch=0&watch=1", "list /v1 pods ns= name= sub=");
    assert_route(&s, "GET", "/api/v1/namespaces/x/pods/p", "watch=true",
                 "get /v1 pods ns=x name=p sub=");
    shelved_free(&s);
}

TEST(route, of_the_old_paths_is_a_watch)
{
    shelved s = shelved_new();

    assert_route(&s, "GET", "/api/v1/watch/pods", "", "watch /v1 pods ns= name= sub=");
    assert_route(&s, "GET", "/apis/apps/v1/watch/namespaces/x/deployments/d", "watch=0",
                 "watch apps/v1 deployments ns=x name=d sub=");
    assert_route(&s, "GET", "/api/v1/watch/namespaces/x", "",
                 "watch /v1 namespaces ns= name=x sub=");
    assert_check(&s, "GET", "/api/v1/watch",
                 "500 text Internal Server Error: \"/api/v1/watch\": failed to create RequestInfo: "
                 "unable to determine kind and namespace from url, /api/v1/watch\n");
    assert_check(&s, "GET", "/api/v1/watch/namespaces/x/pods/p", "ok");
    assert_check(&s, "GET", "/api/v1/watch/nodes/n", "ok");
    assert_check(&s, "GET", "/api/v1/watch/pods/p", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/watch/namespaces/x/pods/p/status", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/watch/nopes", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/watch/componentstatuses", UNKNOWN);
    assert_check(&s, "POST", "/api/v1/watch/pods", METHOD);
    shelved_free(&s);
}

TEST(route, takes_a_name_from_the_field_selector)
{
    shelved s = shelved_new();

    assert_route(&s, "GET", "/api/v1/pods", "fieldSelector=metadata.name%3Da",
                 "list /v1 pods ns= name=a* sub=");
    assert_route(&s, "GET", "/api/v1/pods", "watch=1&fieldSelector=a=b,metadata.name==c",
                 "watch /v1 pods ns= name=c* sub=");
    assert_route(&s, "GET", "/api/v1/pods", "fieldSelector=metadata.name%3Da%5C%2Cb,x=y",
                 "list /v1 pods ns= name=a,b* sub=");
    assert_route(&s, "GET", "/api/v1/pods", "fieldSelector=metadata.name!=a",
                 "list /v1 pods ns= name= sub=");
    assert_route(&s, "GET", "/api/v1/pods", "fieldSelector=metadata.name=..",
                 "list /v1 pods ns= name= sub=");
    assert_route(&s, "GET", "/api/v1/pods",
                 "fieldSelector=metadata.name=", "list /v1 pods ns= name= sub=");
    assert_route(&s, "DELETE", "/api/v1/namespaces/x/pods", "fieldSelector=metadata.name=a",
                 "deletecollection /v1 pods ns=x name= sub=");
    assert_check(&s, "GET", "/api/v1/pods", "ok");
    shelved_free(&s);
}

TEST(route, with_a_name_from_the_field_selector_is_that_of_the_collection)
{
    shelved s = shelved_new();
    add_custom(&s);
    static const char *const paths[] = { "/api/v1/pods", "/apis/example.com/v1/widgets" };

    for (size_t i = 0; i < 2; i++) {
        AUTO(kin__route_fini)
        kin__route route = read_route(&s, "GET", paths[i], "fieldSelector=metadata.name=a");
        kin__refusal no = { 0 };
        ASSERT_TRUE(kin__route_check(s.shelf, &route, &no));
    }
    shelved_free(&s);
}

TEST(route, undoes_escapes)
{
    shelved s = shelved_new();

    assert_route(&s, "GET", "/api/v1/n%6fdes/a%20b", "", "get /v1 nodes ns= name=a b sub=");
    assert_route(&s, "GET", "/api/v1/nodes/a+b", "", "get /v1 nodes ns= name=a+b sub=");
    assert_check(&s, "GET", "/api/v1/namespaces/x/pods/a%2Fb", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/pods/%zz", "400 text 400 Bad Request");
    shelved_free(&s);
}

TEST(route, with_a_name_that_cannot_be_is_refused)
{
    shelved s = shelved_new();
    add_custom(&s);

    assert_check(&s, "GET", "/api/v1/namespaces/x/pods/a%25b",
                 "400 Name parameter invalid: \"a%b\": may not contain '%'");
    assert_check(&s, "GET", "/api/v1/namespaces/x/pods/..",
                 "400 Name parameter invalid: \"..\": may not be '..'");
    assert_check(&s, "DELETE", "/api/v1/nodes/%2e",
                 "400 Name parameter invalid: \".\": may not be '.'");
    assert_check(&s, "GET", "/api/v1/namespaces/x/pods/a%25b/status",
                 "400 Name parameter invalid: \"a%b\": may not contain '%'");
    assert_check(&s, "GET", "/apis/example.com/v1/namespaces/x/widgets/a%25b",
                 "400 Name parameter invalid: \"a%b\": may not contain '%'");
    shelved_free(&s);
}

TEST(route, takes_slashes_at_the_end_and_nowhere_else)
{
    shelved s = shelved_new();

    assert_check(&s, "GET", "/api/v1/namespaces/x/pods/", "ok");
    assert_check(&s, "GET", "/api/v1/pods//", "ok");
    assert_check(&s, "GET", "/api/v1//pods", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/namespaces/x/pods//p", UNKNOWN);
    shelved_free(&s);
}

TEST(route, to_what_is_not_served_is_refused)
{
    shelved s = shelved_new();

    assert_check(&s, "GET", "/api/v1/nopes", UNKNOWN);
    assert_check(&s, "GET", "/api/v2/pods", UNKNOWN);
    assert_check(&s, "FOO", "/apis/apps/v9/deployments", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/namespaces/x/nopes", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/namespaces/x/nodes", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/namespaces/x/nodes/n", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/namespaces/x/namespaces", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/pods/p", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/pods/p/status", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/bindings", UNKNOWN);
    assert_check(&s, "POST", "/apis/authentication.k8s.io/v1/tokenreviews/x", UNKNOWN);
    assert_check(&s, "GET", "/apis/nope/v1/x", TEXT);
    shelved_free(&s);
}

TEST(route, to_a_subresource_that_is_not_there_is_refused)
{
    shelved s = shelved_new();

    assert_check(&s, "GET", "/api/v1/namespaces/x/pods/p/status", "ok");
    assert_check(&s, "POST", "/api/v1/namespaces/x/pods/p/eviction", "ok");
    assert_check(&s, "POST", "/api/v1/namespaces/x/pods/p/nosub", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/namespaces/x/configmaps/c/status", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/namespaces/x/pods/p/status/z", UNKNOWN);
    assert_check(&s, "GET", "/api/v1/namespaces/x/finalize", METHOD);
    assert_check(&s, "POST", "/api/v1/namespaces/x/pods/p/status", METHOD);
    assert_check(&s, "DELETE", "/api/v1/namespaces/x/pods/p/log", METHOD);
    shelved_free(&s);
}

TEST(route, with_a_method_that_cannot_be_used_is_refused)
{
    shelved s = shelved_new();

    assert_check(&s, "POST", "/api/v1/pods", METHOD);
    assert_check(&s, "DELETE", "/api/v1/pods", METHOD);
    assert_check(&s, "HEAD", "/api/v1/pods", METHOD);
    assert_check(&s, "HEAD", "/api/v1/nopes", UNKNOWN);
    assert_check(&s, "OPTIONS", "/api/v1/namespaces/x/pods", METHOD);
    assert_check(&s, "PUT", "/api/v1/namespaces/x/pods", METHOD);
    assert_check(&s, "POST", "/api/v1/namespaces/x/pods/p", METHOD);
    assert_check(&s, "FOO", "/api/v1/namespaces/x/pods/p", METHOD);
    assert_check(&s, "DELETE", "/api/v1/namespaces", METHOD);
    assert_check(&s, "GET", "/apis/authentication.k8s.io/v1/tokenreviews", METHOD);
    assert_check(&s, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", "ok");
    assert_check(&s, "PATCH", "/api/v1/namespaces/x/pods/p", "ok");
    shelved_free(&s);
}

TEST(route, through_a_pod_leads_nowhere_and_not_to_the_pod)
{
    static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
    shelved s = shelved_new();

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        assert_check(&s, methods[i], "/api/v1/namespaces/x/pods/p/proxy", UNKNOWN);
        assert_check(&s, methods[i], "/api/v1/namespaces/x/services/p/proxy", UNKNOWN);
        assert_check(&s, methods[i], "/api/v1/nodes/n/proxy", UNKNOWN);
    }
    assert_check(&s, "DELETE", "/api/v1/namespaces/x/pods/p/log", METHOD);
    shelved_free(&s);
}

TEST(route, to_watch_what_cannot_be_watched_is_refused)
{
    shelved s = shelved_new();
    AUTO(kin__route_fini)
    kin__route route = read_route(&s, "GET", "/api/v1/componentstatuses", "watch=1");
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    ASSERT_FALSE(kin__route_check(s.shelf, &route, &no));

    ASSERT_EQ(no.code, 405);
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len),
                    "watch is not supported on resources of kind \"componentstatuses\"");
    shelved_free(&s);
}

TEST(route, to_custom_resources_is_refused_in_plain_text)
{
    shelved s = shelved_new();
    add_custom(&s);

    assert_check(&s, "GET", "/apis/example.com/v1/widgets", "ok");
    assert_check(&s, "HEAD", "/apis/example.com/v1/widgets", "ok");
    assert_check(&s, "GET", "/apis/example.com/v1/watch/widgets", "ok");
    assert_check(&s, "GET", "/apis/example.com/v1/gadgets/g", "ok");
    assert_check(&s, "DELETE", "/apis/example.com/v1/gadgets", "ok");
    assert_check(&s, "GET", "/apis/example.com/v9/widgets", TEXT);
    assert_check(&s, "GET", "/apis/example.com/v1/nopes", TEXT);
    assert_check(&s, "GET", "/apis/example.com/v1//widgets", TEXT);
    assert_check(&s, "GET", "/apis/example.com/v1/widgets/w", TEXT);
    assert_check(&s, "POST", "/apis/example.com/v1/widgets", TEXT);
    assert_check(&s, "FOO", "/apis/example.com/v1/widgets", TEXT);
    assert_check(&s, "GET", "/apis/example.com/v1/namespaces/x/gadgets", TEXT);
    assert_check(&s, "GET", "/apis/example.com/v1/namespaces/x/status", TEXT);
    shelved_free(&s);
}

TEST(route, to_custom_resources_is_refused_in_words_of_its_own)
{
    static const char none[] = "405  is not supported on resources of kind \"widgets.example.com\"";
    static const char missing[] = "404 widgets.example.com \"w\" not found";
    shelved s = shelved_new();
    add_custom(&s);

    assert_check(&s, "FOO", "/apis/example.com/v1/namespaces/x/widgets", none);
    assert_check(&s, "OPTIONS", "/apis/example.com/v1/namespaces/x/widgets/w", none);
    assert_check(&s, "PUT", "/apis/example.com/v1/namespaces/x/widgets",
                 "400 name must be provided");
    assert_check(&s, "POST", "/apis/example.com/v1/namespaces/x/widgets/w", "ok");
    assert_check(&s, "GET", "/apis/example.com/v1/namespaces/x/widgets/w/status", "ok");
    assert_check(&s, "GET", "/apis/example.com/v1/namespaces/x/widgets/w/status/z", "ok");
    assert_check(&s, "DELETE", "/apis/example.com/v1/namespaces/x/widgets/w/status",
                 "405 delete is not supported on resources of kind \"widgets.example.com\"");
    assert_check(&s, "GET", "/apis/example.com/v1/namespaces/x/widgets/w/scale", missing);
    assert_check(&s, "POST", "/apis/example.com/v1/namespaces/x/widgets/w/nosub", missing);
    assert_check(&s, "GET", "/apis/example.com/v1beta1/namespaces/x/widgets/w/status", missing);
    shelved_free(&s);
}

TEST(route, of_anything_else_is_a_path)
{
    static const char *const paths[] = {
        "",
        "/",
        "/api",
        "/api/v1",
        "/api/v1/",
        "/apis",
        "/apis/",
        "/apis/a",
        "/apis/a/b",
        "/version",
        "//api/v1/pods",
        "/apis//v1/x",
        "/apix/v1/pods",
    };
    shelved s = shelved_new();

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        AUTO(kin__route_fini) kin__route route = read_route(&s, "GET", paths[i], "watch=1");
        kin__refusal no = { 0 };
        ASSERT_FALSE(route.is_resource);
        ASSERT_EQ(route.deed, KIN__DEED_PATH);
        ASSERT_SLICE_EQ(route.path, paths[i]);
        ASSERT_TRUE(kin__route_check(s.shelf, &route, &no));
    }
    shelved_free(&s);
}

TEST_FAILING_ALLOC(route, without_memory_is_refused)
{
    shelved s;
    kin_error err;
    kin_err code = KIN_OK;
    AUTO(kin__route_fini) kin__route route = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    if (shelved_try(&s, &err) != KIN_OK) {
        return err.code;
    }
    if (!kin__route_read(s.shelf, STR("GET"), STR("/api/v1/pods/%25"),
                         STR("fieldSelector=metadata.name=x"), &route, &no)) {
        code = KIN_ERR_NO_MEMORY;
    } else {
        ASSERT_FALSE(kin__route_check(s.shelf, &route, &no));
        code = no.has_no_memory ? KIN_ERR_NO_MEMORY : KIN_OK;
    }
    shelved_free(&s);
    return code;
}
