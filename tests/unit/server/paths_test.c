/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paths_test.c - what is served beside resources.
 *
 * The answers were seen on kube-apiserver 1.36.3.
 */
#include "server/deed.h"

#include <string.h>

#include "shelves.h"

#define ALL_V2 "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
#define PROTO "application/vnd.kubernetes.protobuf"
#define MEDIA "application/json, application/yaml, application/vnd.kubernetes.protobuf"
#define UNKNOWN "404 the server could not find the requested resource"
#define METHOD "405 the server does not allow this method on the requested resource"
#define TEXT "404 text 404 page not found\n"

typedef struct exchange {
    shelved shelved;
    kin__engine engine;
    kin__asked asked;
    kin__answer answer;
    kin__refusal no;
} exchange;

static exchange *new_exchange(void)
{
    static exchange e;

    memset(&e, 0, sizeof e);
    e.shelved = shelved_new();
    add_custom(&e.shelved);
    e.engine.shelf = e.shelved.shelf;
    e.engine.address = STR("127.0.0.1:26443");
    return &e;
}

static void end_request(exchange *e)
{
    kin__route_fini(&e->asked.route);
    kin__params_fini(&e->asked.params);
    kin__answer_fini(&e->answer);
    kin__refusal_fini(&e->no);
}

static void free_exchange(exchange *e)
{
    end_request(e);
    shelved_free(&e->shelved);
}

/* Whether it is answered. */
static bool request(exchange *e, const char *method, const char *path, const char *query,
                    const char *accept)
{
    end_request(e);
    e->answer = (kin__answer){ 0 };
    e->asked.engine = &e->engine;
    e->asked.method = kin_str_of(method);
    e->asked.query = kin_str_of(query);
    e->asked.accept = kin_str_of(accept);
    return kin__route_read(e->engine.shelf, e->asked.method, kin_str_of(path), e->asked.query,
                           &e->asked.route, &e->no) &&
           kin__params_read(e->asked.route.deed, e->asked.query, &e->asked.params, &e->no) &&
           kin__form_choose(NULL, KIN__DEED_PATH, e->asked.accept, STR(""), STR(""),
                            &e->asked.params, &e->asked.form, &e->no) &&
           kin__serve_path(&e->asked, &e->answer, &e->no);
}

static kin_str body(const exchange *e)
{
    return kin__str(e->answer.bytes.data, e->answer.bytes.len);
}

/* "ok TYPE", or the code and the message. */
static void assert_said(exchange *e, const char *method, const char *path, const char *accept,
                        const char *want)
{
    text got = { 0 };

    if (request(e, method, path, "", accept)) {
        text_append(&got, "%d %s", e->answer.status == 0 ? 200 : e->answer.status,
                    e->answer.content_type == NULL ? "-" : e->answer.content_type);
    } else {
        text_append(&got, "%d %s%.*s", e->no.code, e->no.is_text ? "text " : "",
                    (int) e->no.message.len, e->no.message.data);
    }
    if (strcmp(got.chars, want) != 0) {
        FAIL("%s %s: \"%s\", want \"%s\"", method, path, got.chars, want);
    }
}

static void assert_fixture(kin_str got, const char *name)
{
    size_t len;
    char *want = read_fixture(name, &len);

    ASSERT_EQ(got.len, len);
    ASSERT_EQ(memcmp(got.data, want, len), 0);
    free_fixture(want);
}

static const char *field(const exchange *e, const char *name)
{
    for (size_t i = 0; i < e->answer.field_count; i++) {
        if (kin__str_equal(e->answer.fields[i].name, kin_str_of(name))) {
            return e->answer.fields[i].value.data;
        }
    }
    return NULL;
}

TEST(paths, of_discovery_are_those_of_a_real_server)
{
    exchange *e = new_exchange();

    ASSERT_TRUE(request(e, "GET", "/api", "", ""));
    assert_fixture(body(e), "discovery-api.json");
    ASSERT_TRUE(request(e, "GET", "/api/v1/", "", "application/json"));
    assert_fixture(body(e), "discovery-api-v1.json");
    ASSERT_TRUE(request(e, "GET", "/apis/apps/v1", "", "*/*"));
    assert_fixture(body(e), "discovery-apis-apps-v1.json");
    ASSERT_STR_EQ(e->answer.content_type, "application/json");
    free_exchange(e);
}

TEST(paths, of_discovery_can_be_asked_for_in_one_piece)
{
    exchange *e = new_exchange();

    ASSERT_TRUE(request(e, "GET", "/api", "", ALL_V2 ",application/json"));

    assert_fixture(body(e), "discovery-api-aggregated.json");
    ASSERT_STR_EQ(e->answer.content_type, ALL_V2);
    ASSERT_CONTAINS(field(e, "Cache-Control"), "public");
    ASSERT_CONTAINS(field(e, "Vary"), "Accept");
    ASSERT_CONTAINS(
        field(e, "Etag"),
        "\"4D7E1BED90B364BC86049DD9E636494980AEF65B7F8CFAA267616FA062B514A8A3CC2C2851CC9"
        "337B8D28B4C80960E2353DE5E0B152E87CC223E02EA3C5C37AC\"");
    free_exchange(e);
}

TEST(paths, of_discovery_are_not_sent_to_those_who_have_them)
{
    exchange *e = new_exchange();

    e->asked.if_none_match = STR(
        "\"4D7E1BED90B364BC86049DD9E636494980AEF65B7F8CFAA267616FA062B514A8A3CC2C2851CC9337B8D28"
        "B4C80960E2353DE5E0B152E87CC223E02EA3C5C37AC\"");
    ASSERT_TRUE(request(e, "GET", "/api", "", ALL_V2));
    ASSERT_EQ(e->answer.status, 304);
    ASSERT_EQ(e->answer.bytes.len, 0);
    ASSERT_TRUE(field(e, "Etag") != NULL);

    ASSERT_TRUE(request(e, "GET", "/apis", "", ALL_V2));
    ASSERT_EQ(e->answer.status, 0);
    ASSERT_TRUE(e->answer.bytes.len > 10000);
    free_exchange(e);
}

TEST(paths, of_discovery_change_with_what_is_served)
{
    exchange *e = new_exchange();
    text before = { 0 };

    ASSERT_TRUE(request(e, "GET", "/apis", "", ALL_V2));
    text_append(&before, "%.*s", KIN_STR_ARG(e->answer.fields[1].value));
    kin__shelf_remove(e->engine.shelf, STR("example.com"), STR("gadgets"));
    ASSERT_TRUE(request(e, "GET", "/apis", "", ALL_V2));

    ASSERT_FALSE(kin__str_equal(e->answer.fields[1].value, kin_str_of(before.chars)));
    free_exchange(e);
}

TEST(paths, of_discovery_have_protobuf)
{
    static const char versions[] = "k8s\0\n\x0f\n\0\x12\x0b"
                                   "APIVersions\x12\"\n\x02v1\x12\x1c\n\t0.0.0.0/0\x12\x0f"
                                   "127.0.0.1:26443\x1a\0\"";
    static const char group[] = "k8s\0\n\x0e\n\x02v1\x12\x08"
                                "APIGroup\x12$\n\x04"
                                "apps\x12\r\n\x07"
                                "apps/v1\x12\x02v1\x1a\r\n\x07"
                                "apps/v1\x12\x02v1\x1a\0\"";
    exchange *e = new_exchange();

    ASSERT_TRUE(request(e, "GET", "/api", "", PROTO));
    ASSERT_EQ(e->answer.bytes.len, sizeof versions);
    ASSERT_EQ(memcmp(e->answer.bytes.data, versions, sizeof versions), 0);
    ASSERT_STR_EQ(e->answer.content_type, PROTO);
    ASSERT_TRUE(request(e, "GET", "/apis/apps", "", PROTO));
    ASSERT_EQ(e->answer.bytes.len, sizeof group);
    ASSERT_EQ(memcmp(e->answer.bytes.data, group, sizeof group), 0);
    assert_said(e, "GET", "/apis", PROTO, "200 " PROTO);
    assert_said(e, "GET", "/apis/apps/v1", PROTO, "200 " PROTO);
    assert_said(e, "GET", "/apis", PROTO ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
                "200 " PROTO ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    free_exchange(e);
}

TEST(paths, of_discovery_can_be_pretty)
{
    exchange *e = new_exchange();

    ASSERT_TRUE(request(e, "GET", "/apis/apps", "pretty=1", ""));

    ASSERT_SLICE_EQ(body(e), "{\n  \"kind\": \"APIGroup\",\n  \"apiVersion\": \"v1\",\n  \"name\": "
                             "\"apps\",\n  \"versions\": [\n    {\n      \"groupVersion\": "
                             "\"apps/v1\",\n      \"version\": \"v1\"\n    }\n  ],\n  "
                             "\"preferredVersion\": {\n    \"groupVersion\": \"apps/v1\",\n    "
                             "\"version\": \"v1\"\n  }\n}");
    free_exchange(e);
}

TEST(paths, that_are_not_there_are_refused_in_two_ways)
{
    exchange *e = new_exchange();

    assert_said(e, "GET", "/foo", "", TEXT);
    assert_said(e, "GET", "", "", TEXT);
    assert_said(e, "GET", "//version", "", TEXT);
    assert_said(e, "GET", "//api/v1/pods", "", TEXT);
    assert_said(e, "GET", "/apis/nope", "", TEXT);
    assert_said(e, "GET", "/apis/nope/v1", "", TEXT);
    assert_said(e, "GET", "/apis//", "", TEXT);
    assert_said(e, "GET", "/apis//v1", "", TEXT);
    assert_said(e, "GET", "/apis/example.com/v9", "", TEXT);
    assert_said(e, "GET", "/healthz/", "", TEXT);
    assert_said(e, "GET", "/openapi/v2/", "", TEXT);
    assert_said(e, "GET", "/metrics", "", TEXT);
    assert_said(e, "GET", "/apis/apps/v9", "", UNKNOWN);
    assert_said(e, "GET", "/apis/apps//v1", "", UNKNOWN);
    assert_said(e, "GET", "/api/v2", "", UNKNOWN);
    assert_said(e, "GET", "/api//v1", "", UNKNOWN);
    free_exchange(e);
}

TEST(paths, take_slashes_at_their_end_here_and_there)
{
    exchange *e = new_exchange();

    assert_said(e, "GET", "/api/", "", "200 application/json");
    assert_said(e, "GET", "/api//", "", "200 application/json");
    assert_said(e, "GET", "/apis/", "", "200 application/json");
    assert_said(e, "GET", "/apis/apps//", "", "200 application/json");
    assert_said(e, "GET", "/version///", "", "200 application/json");
    free_exchange(e);
}

TEST(paths, look_at_the_method_here_and_there)
{
    static const char *const strict[] = { "/api", "/api/v1", "/apis/apps/v1", "/version" };
    static const char *const lax[] = { "/apis",    "/apis/apps", "/apis/example.com/v1",
                                       "/healthz", "/",          "/openapi/v2" };
    exchange *e = new_exchange();

    for (size_t i = 0; i < sizeof strict / sizeof strict[0]; i++) {
        assert_said(e, "POST", strict[i], "", METHOD);
        assert_said(e, "HEAD", strict[i], "", METHOD);
    }
    for (size_t i = 0; i < sizeof lax / sizeof lax[0]; i++) {
        ASSERT_TRUE(request(e, "POST", lax[i], "", ""));
    }
    assert_said(e, "POST", "/api/v2", "", UNKNOWN);
    free_exchange(e);
}

TEST(paths, refuse_media_types_in_their_own_words)
{
    static const char only[] = "406 only the following media types are accepted: " MEDIA;
    static const char router[] = "406 406: Not Acceptable\n\nAvailable representations: " MEDIA;
    exchange *e = new_exchange();

    assert_said(e, "GET", "/api", "application/xml", router);
    assert_said(e, "GET", "/api/v1", "application/xml", router);
    assert_said(e, "GET", "/apis", "application/xml", only);
    assert_said(e, "GET", "/apis/apps", "application/xml", only);
    assert_said(e, "GET", "/apis/apps/v1", "application/xml", router);
    assert_said(e, "GET", "/apis/example.com/v1", "application/xml", only);
    assert_said(e, "GET", "/apis/apps", ALL_V2, only);
    assert_said(e, "GET", "/apis/apps/v1", ALL_V2, only);
    assert_said(e, "GET", "/api", "application/json;as=Foo;g=a;v=v1", only);
    assert_said(e, "GET", "/apis",
                "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList", only);
    assert_said(e, "GET", "/version", PROTO,
                "406 406: Not Acceptable\n\nAvailable representations: application/json");
    assert_said(e, "GET", "/version", "application/json;as=Foo", "200 application/json");
    assert_said(e, "GET", "/apis/apps/v9", "application/xml", UNKNOWN);
    free_exchange(e);
}

TEST(paths, tell_the_version)
{
    exchange *e = new_exchange();

    ASSERT_TRUE(request(e, "GET", "/version", "", ""));

    ASSERT_SLICE_EQ(body(e),
                    "{\n  \"major\": \"1\",\n  \"minor\": \"36\",\n  \"emulationMajor\": \"1\",\n"
                    "  \"emulationMinor\": \"36\",\n  \"minCompatibilityMajor\": \"1\",\n"
                    "  \"minCompatibilityMinor\": \"35\",\n  \"gitVersion\": \"v1.36.3\",\n"
                    "  \"gitCommit\": \"$Format:%H$\",\n  \"gitTreeState\": \"\",\n"
                    "  \"buildDate\": \"1970-01-01T00:00:00Z\",\n  \"goVersion\": \"go1.26.8\",\n"
                    "  \"compiler\": \"gc\",\n  \"platform\": \"linux/amd64\"\n}");
    free_exchange(e);
}

TEST(paths, tell_of_health)
{
    exchange *e = new_exchange();

    assert_said(e, "GET", "/livez", "application/xml", "200 text/plain; charset=utf-8");
    ASSERT_SLICE_EQ(body(e), "ok");
    ASSERT_CONTAINS(field(e, "X-Content-Type-Options"), "nosniff");
    assert_said(e, "GET", "/readyz/ping", "", "200 text/plain; charset=utf-8");
    ASSERT_TRUE(field(e, "X-Content-Type-Options") == NULL);
    free_exchange(e);
}

TEST(paths, of_openapi_have_what_kubectl_needs)
{
    exchange *e = new_exchange();

    assert_said(e, "GET", "/openapi/v2",
                "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
                "200 application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    ASSERT_SLICE_EQ(body(e), "\n\x03"
                             "2.0");
    assert_said(e, "GET", "/openapi/v2", "", "200 application/json");
    ASSERT_SLICE_EQ(body(e), "{\"swagger\":\"2.0\",\"info\":{\"title\":\"Kubernetes\",\"version\":"
                             "\"1.36\"},\"paths\":{}}");
    assert_said(e, "GET", "/openapi/v2", "text/plain, application/json", "200 application/json");
    assert_said(e, "GET", "/openapi/v2", "application/*", "200 application/json");
    assert_said(e, "GET", "/openapi/v2", "application/xml", "406 ");
    ASSERT_EQ(e->answer.bytes.len, 0);
    assert_said(e, "GET", "/openapi/v3", "application/json", "200 text/plain; charset=utf-8");
    ASSERT_SLICE_EQ(body(e), "{\"paths\":{}}");
    assert_said(e, "GET", "/openapi/v3/api/v1", "", "404 ");
    free_exchange(e);
}

TEST(paths, are_listed_in_order_and_once)
{
    exchange *e = new_exchange();

    ASSERT_TRUE(request(e, "GET", "/", "", ""));
    kin__buf_append_byte(&e->answer.bytes, '\0');

    ASSERT_CONTAINS(e->answer.bytes.data, "{\n  \"paths\": [\n    \"/api\",\n    \"/api/v1\",\n    "
                                          "\"/apis\",\n    \"/apis/\",\n    "
                                          "\"/apis/admissionregistration.k8s.io\",\n");
    ASSERT_CONTAINS(e->answer.bytes.data,
                    "    \"/apis/example.com\",\n    \"/apis/example.com/v1\","
                    "\n    \"/apis/example.com/v1beta1\",\n");
    ASSERT_CONTAINS(e->answer.bytes.data, "\"/readyz/shutdown\",\n    \"/version\"\n  ]\n}");
    ASSERT_TRUE(request(e, "GET", "/index.html", "", ""));
    free_exchange(e);
}

TEST_FAILING_ALLOC(paths, without_memory_are_refused)
{
    static const char *const wanted[][2] = {
        { "/api", "" },     { "/api", ALL_V2 }, { "/apis/apps/v1", PROTO },
        { "/version", "" }, { "/", "" },        { "/healthz", "" },
    };
    exchange e = { 0 };
    kin_error err;
    kin_err code = KIN_OK;

    if (shelved_try(&e.shelved, &err) != KIN_OK) {
        return err.code;
    }
    e.engine.shelf = e.shelved.shelf;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && code == KIN_OK; i++) {
        if (!request(&e, "GET", wanted[i][0], "pretty=1", wanted[i][1])) {
            ASSERT_TRUE(e.no.has_no_memory);
            code = KIN_ERR_NO_MEMORY;
        }
    }
    free_exchange(&e);
    return code;
}
