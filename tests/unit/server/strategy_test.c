/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy_test.c - what is particular to kinds.
 */
#include "unit/server/writing.h"

#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"

static void open_with(scene *s, const char *path, const char *body)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    ASSERT_EQ(ask(s, "POST", path, JSON, body), 201);
}

TEST(strategy, counts_generations_of_the_spec)
{
    scene s;

    open_with(
        &s, DEPLOYMENTS,
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
        "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{"
        "\"name\":\"c\",\"image\":\"i:1\"}]}}}}");
    ASSERT_CONTAINS(s.body, "\"generation\":1");
    ASSERT_ANSWER(&s, "PATCH", DEPLOYMENTS "/d", MERGE, "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}",
                  200, "\"generation\":1");
    ASSERT_ANSWER(&s, "PATCH", DEPLOYMENTS "/d", MERGE, "{\"spec\":{\"replicas\":3}}", 200,
                  "\"generation\":2");
    ASSERT_ANSWER(&s, "PATCH", DEPLOYMENTS "/d", MERGE,
                  "{\"metadata\":{\"annotations\":{\"x\":\"y\"}}}", 200, "\"generation\":3");
    ASSERT_ANSWER(&s, "PATCH", DEPLOYMENTS "/d", MERGE, "{\"metadata\":{\"generation\":9}}", 200,
                  "\"generation\":3");
    ASSERT_ANSWER(&s, "PATCH", DEPLOYMENTS "/d/status", MERGE, "{\"status\":{\"replicas\":10}}",
                  200, "\"generation\":3");
    scene_close(&s);
}

#define DAEMON_SETS "/apis/apps/v1/namespaces/default/daemonsets"
#define DAEMON_SET(metadata)                                                                       \
    "{\"metadata\":{" metadata "},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"         \
    "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{"            \
    "\"name\":\"c\",\"image\":\"i:1\"}]}}}}"
#define COUNT(number) "\"deprecated.daemonset.template.generation\":\"" number "\""

TEST(strategy, counts_the_templates_of_a_daemon_set_in_an_annotation)
{
    scene s;

    open_with(&s, DAEMON_SETS, DAEMON_SET("\"name\":\"d\""));
    ASSERT_CONTAINS(s.body, "\"generation\":1,");
    ASSERT_CONTAINS(s.body, "\"annotations\":{" COUNT("1") "}");
    ASSERT_ANSWER(&s, "PATCH", DAEMON_SETS "/d", MERGE,
                  "{\"metadata\":{\"annotations\":{" COUNT("99") "}}}", 200, COUNT("1"));
    ASSERT_ANSWER(&s, "PATCH", DAEMON_SETS "/d", MERGE, "{\"spec\":{\"minReadySeconds\":1}}", 200,
                  COUNT("1"));
    ASSERT_ANSWER(&s, "PATCH", DAEMON_SETS "/d", MERGE,
                  "{\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"c\":\"d\"}}}}}", 200,
                  COUNT("2"));
    ASSERT_ANSWER(&s, "PATCH", DAEMON_SETS "/d/status", MERGE,
                  "{\"metadata\":{\"annotations\":null},\"status\":{\"numberReady\":1}}", 200,
                  COUNT("2"));
    ASSERT_ANSWER(&s, "POST", DAEMON_SETS, JSON,
                  DAEMON_SET("\"name\":\"e\",\"annotations\":{" COUNT("7") "}"), 201, COUNT("7"));
    scene_close(&s);
}

TEST(strategy, of_the_object_keeps_the_status_and_of_the_status_the_object)
{
    scene s;

    open_with(&s, DEFAULT "/pods",
              "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
              "\"i\"}]}}");
    ASSERT_ANSWER(&s, "PATCH", DEFAULT "/pods/p/status", MERGE,
                  "{\"status\":{\"phase\":\"Running\"},\"spec\":{\"nodeName\":\"x\"},\"metadata\":{"
                  "\"labels\":{\"x\":\"y\"}}}",
                  200, "\"phase\":\"Running\"");
    ASSERT_TRUE(strstr(s.body, "nodeName") == NULL);
    ASSERT_CONTAINS(s.body, "\"labels\":{\"x\":\"y\"}");
    uint64_t before = revision(&s);
    ASSERT_ANSWER(&s, "PATCH", DEFAULT "/pods/p", MERGE, "{\"status\":{\"phase\":\"Failed\"}}", 200,
                  "\"phase\":\"Running\"");
    ASSERT_EQ(revision(&s), before);
    scene_close(&s);
}

TEST(strategy, of_a_pods_status_keeps_its_owners)
{
    scene s;

    open_with(&s, DEFAULT "/pods",
              "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
              "\"i\"}]}}");
    ASSERT_ANSWER(&s, "PATCH", DEFAULT "/pods/p/status", MERGE,
                  "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\","
                  "\"name\":\"n\",\"uid\":\"1\"}]}}",
                  200, "\"resourceVersion\":\"3\"");
    ASSERT_TRUE(strstr(s.body, "ownerReferences") == NULL);
    scene_close(&s);
}

TEST(strategy, of_a_namespace_lets_no_phase_lie)
{
    scene s;

    open_with(&s, "/api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}");
    ASSERT_ANSWER(&s, "PUT", "/api/v1/namespaces/n/status", JSON,
                  "{\"metadata\":{\"name\":\"n\"},\"status\":{\"phase\":\"Terminating\"}}", 422,
                  "status.Phase: Invalid value: \\\"Terminating\\\": may only be 'Active' if "
                  "`deletionTimestamp` is empty");
    scene_close(&s);
}

TEST(strategy, of_a_priority_class_keeps_its_value)
{
    scene s;

    open_with(&s, "/apis/scheduling.k8s.io/v1/priorityclasses",
              "{\"metadata\":{\"name\":\"c\"},\"value\":5}");
    ASSERT_ANSWER(&s, "PATCH", "/apis/scheduling.k8s.io/v1/priorityclasses/c", MERGE,
                  "{\"value\":6,\"preemptionPolicy\":\"Never\"}", 422,
                  "[value: Forbidden: may not be changed in an update., preemptionPolicy: Invalid "
                  "value: \\\"Never\\\": field is immutable]");
    ASSERT_ANSWER(&s, "PATCH", "/apis/scheduling.k8s.io/v1/priorityclasses/c", MERGE,
                  "{\"description\":\"d\"}", 200, "\"description\":\"d\"");
    scene_close(&s);
}

TEST_FAILING_ALLOC(strategy, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        bool is_done =
            ask(&s, "POST", DEFAULT "/secrets", JSON,
                "{\"metadata\":{\"name\":\"a\"},\"stringData\":{\"b\":\"c\"}}") != 0 &&
            ask(&s, "POST", DEPLOYMENTS, JSON,
                "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"replicas\":1}}") != 0 &&
            ask(&s, "PATCH", DEPLOYMENTS "/a", MERGE, "{\"spec\":{\"replicas\":2}}") != 0 &&
            ask(&s, "PATCH", DEPLOYMENTS "/a/status", MERGE, "{\"status\":{\"replicas\":2}}") != 0;
        code = is_done ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    scene_close(&s);
    return code;
}
