/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namespaces_test.c - namespaces that really go.
 */
#include "unit/server/writing.h"

#define NAMESPACES "/api/v1/namespaces"

static void open_with_namespace(scene *s)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    ASSERT_EQ(ask(s, "POST", NAMESPACES, JSON, "{\"metadata\":{\"name\":\"n1\"}}"), 201);
}

TEST(namespaces, are_made_with_label_finalizer_and_phase)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(
        &s, "POST", NAMESPACES, JSON,
        "{\"metadata\":{\"name\":\"demo\",\"labels\":{\"kubernetes.io/metadata.name\":"
        "\"zz\"}},\"status\":{\"phase\":\"Terminating\"}}",
        201,
        "\"resourceVersion\":\"3\",\"creationTimestamp\":\"2026-11-16T12:00:00Z\","
        "\"labels\":{\"kubernetes.io/metadata.name\":\"demo\"}},\"spec\":{\"finalizers\":["
        "\"kubernetes\"]},\"status\":{\"phase\":\"Active\"}}");
    scene_close(&s);
}

TEST(namespaces, keep_their_finalizers_in_an_update)
{
    scene s;

    open_with_namespace(&s);
    ASSERT_ANSWER(&s, "PATCH", NAMESPACES "/n1", MERGE,
                  "{\"spec\":{\"finalizers\":null},\"metadata\":{\"labels\":null}}", 200,
                  "\"labels\":{\"kubernetes.io/metadata.name\":\"n1\"}},\"spec\":{\"finalizers\":["
                  "\"kubernetes\"]}");
    scene_close(&s);
}

TEST(namespaces, are_marked_first)
{
    scene s;

    open_with_namespace(&s);
    ASSERT_ANSWER(&s, "DELETE", NAMESPACES "/n1", NULL, NULL, 200,
                  "\"resourceVersion\":\"4\",\"creationTimestamp\":\"2026-11-16T12:00:00Z\","
                  "\"deletionTimestamp\":\"2026-11-16T12:00:00Z\",\"labels\":{"
                  "\"kubernetes.io/metadata.name\":\"n1\"}},\"spec\":{\"finalizers\":["
                  "\"kubernetes\"]},\"status\":{\"phase\":\"Terminating\"}}");
    ASSERT_ANSWER(&s, "DELETE", NAMESPACES "/n1", NULL, NULL, 200, "\"resourceVersion\":\"4\"");
    scene_close(&s);
}

TEST(namespaces, are_emptied_and_go)
{
    scene s;
    char target[80];

    open_with_namespace(&s);
    for (int i = 0; i < 600; i++) {
        char body[64];
        snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"c%d\"}}", i);
        ASSERT_EQ(ask(&s, "POST", NAMESPACES "/n1/configmaps", JSON, body), 201);
    }
    ASSERT_EQ(ask(&s, "POST", NAMESPACES "/n1/pods", JSON,
                  "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"x\",\"containers\":[{"
                  "\"name\":\"c\",\"image\":\"i\"}]}}"),
              201);
    ASSERT_EQ(ask(&s, "POST", CONFIGMAPS, JSON, "{\"metadata\":{\"name\":\"stays\"}}"), 201);
    ASSERT_EQ(ask(&s, "DELETE", NAMESPACES "/n1", NULL, NULL), 200);

    ASSERT_TRUE(kin__upkeep_step(&s.engine));
    ASSERT_EQ(ask(&s, "GET", NAMESPACES "/n1", NULL, NULL), 200);
    kin__served *maps = kin__shelf_find(s.engine.shelf, STR(""), STR("v1"), STR("configmaps"));
    ASSERT_EQ(kin__collection_count(maps->collection), 602 - KIN__UPKEEP_STEP);
    settle(&s);

    ASSERT_EQ(ask(&s, "GET", NAMESPACES "/n1", NULL, NULL), 404);
    snprintf(target, sizeof target, "%s", CONFIGMAPS "/stays");
    ASSERT_EQ(ask(&s, "GET", target, NULL, NULL), 200);
    ASSERT_EQ(kin__collection_count(maps->collection), 1);
    scene_close(&s);
}

TEST(namespaces, keep_the_rest_until_their_pods_are_gone)
{
    scene s;

    open_with_namespace(&s);
    ASSERT_EQ(ask(&s, "POST", NAMESPACES "/n1/configmaps", JSON,
                  "{\"metadata\":{\"name\":\"c\",\"finalizers\":[\"a.b/c\"]}}"),
              201);
    ASSERT_EQ(ask(&s, "POST", NAMESPACES "/n1/pods", JSON,
                  "{\"metadata\":{\"name\":\"p\",\"finalizers\":[\"a.b/p\"]},\"spec\":{"
                  "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"),
              201);
    ASSERT_EQ(ask(&s, "DELETE", NAMESPACES "/n1", NULL, NULL), 200);
    settle(&s);
    ASSERT_ANSWER(&s, "GET", NAMESPACES "/n1/pods/p", NULL, NULL, 200, "deletionTimestamp");
    ASSERT_EQ(ask(&s, "GET", NAMESPACES "/n1/configmaps/c", NULL, NULL), 200);
    ASSERT_TRUE(strstr(s.body, "deletionTimestamp") == NULL);
    ASSERT_ANSWER(&s, "GET", NAMESPACES "/n1", NULL, NULL, 200,
                  "{\"type\":\"NamespaceDeletionContentFailure\",\"status\":\"False\"");
    ASSERT_CONTAINS(s.body, "{\"type\":\"NamespaceContentRemaining\",\"status\":\"False\"");

    ASSERT_EQ(
        ask(&s, "PATCH", NAMESPACES "/n1/pods/p", MERGE, "{\"metadata\":{\"finalizers\":null}}"),
        200);
    settle(&s);
    ASSERT_EQ(ask(&s, "GET", NAMESPACES "/n1/pods/p", NULL, NULL), 404);
    ASSERT_ANSWER(&s, "GET", NAMESPACES "/n1", NULL, NULL, 200,
                  "\"message\":\"Some resources are remaining: configmaps. has 1 resource "
                  "instances\"");
    ASSERT_CONTAINS(s.body, "\"message\":\"Some content in the namespace has finalizers remaining: "
                            "a.b/c in 1 resource instances\"");
    ASSERT_EQ(ask(&s, "PATCH", NAMESPACES "/n1/configmaps/c", MERGE,
                  "{\"metadata\":{\"finalizers\":null}}"),
              200);
    settle(&s);
    ASSERT_EQ(ask(&s, "GET", NAMESPACES "/n1", NULL, NULL), 404);
    scene_close(&s);
}

TEST(namespaces, can_be_finalized_by_hand)
{
    scene s;

    open_with_namespace(&s);
    ASSERT_ANSWER(
        &s, "PUT", NAMESPACES "/n1/finalize", JSON,
        "{\"metadata\":{\"name\":\"n1\"},\"spec\":{\"finalizers\":[\"kubernetes\",\"a.b/c\"]"
        "}}",
        200,
        "\"spec\":{\"finalizers\":[\"kubernetes\",\"a.b/c\"]},\"status\":{\"phase\":"
        "\"Active\"}}");
    ASSERT_EQ(ask(&s, "DELETE", NAMESPACES "/n1", NULL, NULL), 200);
    settle(&s);
    ASSERT_ANSWER(&s, "GET", NAMESPACES "/n1", NULL, NULL, 200, "\"finalizers\":[\"a.b/c\"]");
    ASSERT_ANSWER(&s, "PUT", NAMESPACES "/n1/finalize", JSON,
                  "{\"metadata\":{\"name\":\"n1\"},\"spec\":{\"finalizers\":[]}}", 200,
                  "\"spec\":{},\"status\":{\"phase\":\"Terminating\"}}");
    ASSERT_EQ(ask(&s, "GET", NAMESPACES "/n1", NULL, NULL), 404);
    scene_close(&s);
}

TEST_FAILING_ALLOC(namespaces, survive_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);
    kin__served *served = NULL;

    if (code == KIN_OK) {
        bool is_made = ask(&s, "POST", NAMESPACES, JSON, "{\"metadata\":{\"name\":\"n\"}}") != 0 &&
                       ask(&s, "POST", NAMESPACES "/n/configmaps", JSON,
                           "{\"metadata\":{\"name\":\"c\"}}") != 0 &&
                       ask(&s, "DELETE", NAMESPACES "/n", NULL, NULL) != 0;
        served = kin__shelf_find(s.engine.shelf, STR(""), STR("v1"), STR("namespaces"));
        (void) kin__upkeep_step(&s.engine);
        bool is_gone = kin__collection_get(served->collection, STR("n")) == NULL;
        code = is_made && is_gone ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    scene_close(&s);
    return code;
}
