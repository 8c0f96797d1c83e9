/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scale_test.c - the scale subresource.
 */
#include "unit/server/writing.h"

#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"

static void open_with(scene *s, const char *path, const char *body)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    ASSERT_EQ(ask(s, "POST", path, JSON, body), 201);
}

TEST(scale, is_read_and_written)
{
    scene s;

    open_with(
        &s, DEPLOYMENTS,
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
        "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{"
        "\"name\":\"c\",\"image\":\"i:1\"}]}}}}");
    ASSERT_ANSWER(&s, "PUT", DEPLOYMENTS "/d/scale", JSON,
                  "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":4}}", 200,
                  "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{\"name\":"
                  "\"d\",\"namespace\":\"default\",\"uid\":\"");
    ASSERT_CONTAINS(s.body, "\"resourceVersion\":\"4\",\"creationTimestamp\":"
                            "\"2026-11-16T12:00:00Z\"},\"spec\":{\"replicas\":4},\"status\":{"
                            "\"replicas\":0,\"selector\":\"a=b\"}}");
    ASSERT_ANSWER(&s, "PATCH", DEPLOYMENTS "/d/scale", MERGE, "{\"spec\":{\"replicas\":5}}", 200,
                  "\"spec\":{\"replicas\":5}");
    ASSERT_ANSWER(&s, "PATCH", DEPLOYMENTS "/d/scale", MERGE,
                  "{\"metadata\":{\"resourceVersion\":\"1\"},\"spec\":{\"replicas\":6}}", 409,
                  "the object has been modified");
    ASSERT_ANSWER(&s, "GET", DEPLOYMENTS "/d", NULL, NULL, 200, "\"generation\":3");
    scene_close(&s);
}

/* As seen on kube-apiserver 1.36.3. */
TEST(scale, comes_in_every_form)
{
    static const char table[] = "application/json;as=Table;g=meta.k8s.io;v=v1";
    scene s;

    open_with(&s, DEPLOYMENTS, "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":4}}");
    ASSERT_EQ(ask_as(&s, table, "GET", DEPLOYMENTS "/d/scale", NULL, STR("")), 200);
    ASSERT_CONTAINS(s.body, "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\"");
    ASSERT_CONTAINS(s.body, "{\"name\":\"Desired\"");
    ASSERT_CONTAINS(s.body, "{\"cells\":[\"d\",4,0,\"0s\"],\"object\":{\"kind\":"
                            "\"PartialObjectMetadata\"");
    ASSERT_EQ(ask_as(&s, table, "PUT", DEPLOYMENTS "/d/scale?includeObject=Object", JSON,
                     STR("{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":5}}")),
              200);
    ASSERT_CONTAINS(s.body, "{\"cells\":[\"d\",5,0,\"0s\"],\"object\":{\"kind\":\"Scale\","
                            "\"apiVersion\":\"autoscaling/v1\"");
    ASSERT_EQ(ask_as(&s, table, "GET", DEPLOYMENTS "/d/scale?includeObject=All", NULL, STR("")),
              400);
    ASSERT_EQ(ask_as(&s, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "GET",
                     DEPLOYMENTS "/d/scale", NULL, STR("")),
              200);
    ASSERT_CONTAINS(s.body, "{\"kind\":\"PartialObjectMetadata\"");
    ASSERT_TRUE(strstr(s.body, "replicas") == NULL);
    ASSERT_EQ(ask_as(&s, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "GET",
                     DEPLOYMENTS "/d/scale", NULL, STR("")),
              406);
    ASSERT_CONTAINS(s.body, "the requested object is not a list (*autoscaling.Scale)");
    ASSERT_EQ(ask_as(&s, "application/vnd.kubernetes.protobuf", "GET", DEPLOYMENTS "/d/scale", NULL,
                     STR("")),
              200);
    scene_close(&s);
}

/* As seen on kube-apiserver 1.36.3. */
TEST(scale, tells_the_whole_selector)
{
    static const struct {
        const char *selector, *want;
    } cases[] = {
        { "{\"matchLabels\":{\"z\":\"y\",\"a\":\"b\"}}", "a=b,z=y" },
        { "{\"matchLabels\":{\"a\":\"b\"},\"matchExpressions\":[{\"key\":\"env\",\"operator\":"
          "\"In\",\"values\":[\"prod\",\"dev\"]}]}",
          "a=b,env in (dev,prod)" },
        { "{\"matchExpressions\":[{\"key\":\"env\",\"operator\":\"NotIn\",\"values\":[\"x\"]}]}",
          "env notin (x)" },
        { "{\"matchExpressions\":[{\"key\":\"env\",\"operator\":\"Exists\"}]}", "env" },
        { "{\"matchExpressions\":[{\"key\":\"q\",\"operator\":\"DoesNotExist\"}]}", "!q" },
        { "{\"matchLabels\":{\"z\":\"y\",\"a\":\"b\"},\"matchExpressions\":[{\"key\":\"z\","
          "\"operator\":\"Exists\"},{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"z\",\"b\","
          "\"b\"]},{\"key\":\"k8s.io/x\",\"operator\":\"DoesNotExist\"},{\"key\":\"a\","
          "\"operator\":\"Exists\"},{\"key\":\"A\",\"operator\":\"DoesNotExist\"}]}",
          "!A,a=b,a in (b,b,z),a,!k8s.io/x,z=y,z" },
    };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[1024];
        char target[128];
        char want[128];
        snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"d%zu\"},\"spec\":{\"selector\":%s}}",
                 i, cases[i].selector);
        snprintf(target, sizeof target, DEPLOYMENTS "/d%zu/scale", i);
        snprintf(want, sizeof want, "\"status\":{\"replicas\":0,\"selector\":\"%s\"}}",
                 cases[i].want);
        ASSERT_EQ(ask(&s, "POST", DEPLOYMENTS, JSON, body), 201);
        ASSERT_ANSWER(&s, "GET", target, NULL, NULL, 200, want);
    }
    ASSERT_EQ(ask(&s, "POST", DEFAULT "/replicationcontrollers", JSON,
                  "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"selector\":{\"z\":\"y\",\"a\":"
                  "\"b\"}}}"),
              201);
    ASSERT_ANSWER(&s, "GET", DEFAULT "/replicationcontrollers/r/scale", NULL, NULL, 200,
                  "\"selector\":\"a=b,z=y\"");
    scene_close(&s);
}

TEST_FAILING_ALLOC(scale, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        bool is_done = ask(&s, "POST", DEPLOYMENTS, JSON,
                           "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"selector\":{"
                           "\"matchLabels\":{\"a\":\"b\"}}}}") != 0 &&
                       ask(&s, "PUT", DEPLOYMENTS "/a/scale", JSON,
                           "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"replicas\":2}}") != 0;
        code = is_done ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    scene_close(&s);
    return code;
}
