/* SPDX-License-Identifier: Apache-2.0 */
/*
 * direct_test.c - objects put and removed without a request.
 */
#include "server/direct.h"

#include "unit/server/writing.h"

static bool put(scene *s, const char *json, uint64_t *out)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    bool is_done = kin__put_direct(&s->engine, kin_str_of(json), out, &no);

    s->status = no.code;
    return is_done;
}

TEST(direct, writes_an_object_as_it_stands)
{
    scene s;
    kin_error err;
    uint64_t version = 0;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_TRUE(put(&s,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\","
                    "\"namespace\":\"made\",\"uid\":\"my-uid\",\"creationTimestamp\":"
                    "\"2020-01-01T00:00:00Z\"},\"spec\":{\"nodeName\":\"n\",\"containers\":null},"
                    "\"status\":{\"phase\":\"Running\"}}",
                    &version));
    ASSERT_EQ(version, 4);
    ASSERT_EQ(ask(&s, "GET", "/api/v1/namespaces/made/pods/p", NULL, NULL), 200);
    ASSERT_STR_EQ(s.body,
                  "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\","
                  "\"namespace\":\"made\",\"uid\":\"my-uid\",\"resourceVersion\":\"4\","
                  "\"generation\":1,\"creationTimestamp\":\"2020-01-01T00:00:00Z\"},\"spec\":{"
                  "\"containers\":null,\"nodeName\":\"n\"},\"status\":{\"phase\":\"Running\"}}");
    scene_close(&s);
}

TEST(direct, gives_what_is_missing_and_keeps_it)
{
    static const char first[] = "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{"
                                "\"name\":\"d\"},\"spec\":{\"replicas\":1}}";
    static const char second[] =
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{"
        "\"name\":\"d\"},\"spec\":{\"replicas\":2},\"status\":{"
        "\"replicas\":7}}";
    scene s;
    kin_error err;
    uint64_t version = 0;
    char uid[40];

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_TRUE(put(&s, first, &version));
    ASSERT_EQ(version, 3);
    ASSERT_ANSWER(&s, "GET", "/apis/apps/v1/namespaces/default/deployments/d", NULL, NULL, 200,
                  "\"generation\":1,\"creationTimestamp\":\"2026-11-16T12:00:00Z\"");
    snprintf(uid, sizeof uid, "%.36s", strstr(s.body, "\"uid\":\"") + 7);
    ASSERT_TRUE(put(&s, first, &version));
    ASSERT_EQ(version, 3);
    ASSERT_TRUE(put(&s, second, &version));
    ASSERT_EQ(version, 4);
    ASSERT_ANSWER(&s, "GET", "/apis/apps/v1/namespaces/default/deployments/d", NULL, NULL, 200,
                  "\"status\":{\"replicas\":7}");
    ASSERT_CONTAINS(s.body, "\"generation\":2");
    ASSERT_CONTAINS(s.body, uid);
    scene_close(&s);
}

TEST(direct, changes_nothing_when_the_same_is_put_again_though_the_server_added_to_it)
{
    static const char *const objects[] = {
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"x\"}}",
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
        "\"metadata\":{\"name\":\"things.x.io\"},\"spec\":{\"group\":\"x.io\",\"scope\":"
        "\"Cluster\",\"names\":{\"plural\":\"things\",\"kind\":\"Thing\"},\"versions\":[{\"name\":"
        "\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"
        "\"object\"}}}]}}",
    };
    scene s;
    kin_error err;
    uint64_t version = 0;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < 2; i++) {
        ASSERT_TRUE(put(&s, objects[i], &version));
        settle(&s);
        uint64_t last = revision(&s);
        ASSERT_TRUE(put(&s, objects[i], &version));
        settle(&s);
        ASSERT_EQ(version, last);
        ASSERT_EQ(revision(&s), last);
    }
    ASSERT_ANSWER(&s, "GET", "/api/v1/namespaces/x", NULL, NULL, 200,
                  "\"spec\":{\"finalizers\":[\"kubernetes\"]},\"status\":{\"phase\":\"Active\"}");
    scene_close(&s);
}

TEST(direct, refuses_what_it_does_not_know)
{
    scene s;
    kin_error err;
    uint64_t version = 0;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_FALSE(put(&s, "{", &version));
    ASSERT_EQ(s.status, 400);
    ASSERT_FALSE(put(&s, "{\"metadata\":{\"name\":\"a\"}}", &version));
    ASSERT_EQ(s.status, 400);
    ASSERT_FALSE(put(&s, "{\"apiVersion\":\"v1\",\"kind\":\"Nope\"}", &version));
    ASSERT_EQ(s.status, 404);
    ASSERT_FALSE(put(&s, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"A\"}}",
                     &version));
    ASSERT_EQ(s.status, 422);
    scene_close(&s);
}

TEST(direct, removes_whatever_finalizers_there_are)
{
    scene s;
    kin_error err;
    uint64_t version = 0;
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_TRUE(put(&s,
                    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\","
                    "\"finalizers\":[\"a.b/c\"]}}",
                    &version));
    ASSERT_TRUE(kin__remove_direct(&s.engine, STR("v1"), STR("ConfigMap"), STR("default"), STR("a"),
                                   &version, &no));
    ASSERT_EQ(version, 4);
    ASSERT_FALSE(kin__remove_direct(&s.engine, STR("v1"), STR("ConfigMap"), STR("default"),
                                    STR("a"), &version, &no));
    ASSERT_EQ(no.code, 404);
    scene_close(&s);
}

TEST_FAILING_ALLOC(direct, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);
    uint64_t version = 0;
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    if (code == KIN_OK) {
        bool is_done =
            kin__put_direct(&s.engine,
                            STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                                "\"name\":\"a\",\"namespace\":\"other\"}}"),
                            &version, &no) &&
            kin__remove_direct(&s.engine, STR("v1"), STR("ConfigMap"), STR("other"), STR("a"),
                               &version, &no);
        code = is_done ? KIN_OK : no.has_no_memory ? KIN_ERR_NO_MEMORY : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
