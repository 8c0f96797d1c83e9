/* SPDX-License-Identifier: Apache-2.0 */
/*
 * create_test.c - what POST makes, and what it refuses.
 */
#include "unit/server/writing.h"

TEST(create, gives_what_only_a_server_can_give)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", CONFIGMAPS, JSON,
                  "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c-1\","
                  "\"uid\":\"mine\",\"creationTimestamp\":\"2020-01-01T00:00:00Z\",\"selfLink\":"
                  "\"x\",\"deletionTimestamp\":\"2020-01-01T00:00:00Z\","
                  "\"deletionGracePeriodSeconds\":4},\"data\":{\"k\":\"v\"}}"),
              201);

    const char *uid = strstr(s.body, "\"uid\":\"") + 7;
    ASSERT_EQ(uid[8], '-');
    ASSERT_EQ(uid[14], '4');
    ASSERT_EQ(uid[23], '-');
    char want[512];
    snprintf(want, sizeof want,
             "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c-1\","
             "\"namespace\":\"default\",\"uid\":\"%.36s\",\"resourceVersion\":\"3\","
             "\"creationTimestamp\":\"2026-11-16T12:00:00Z\"},\"data\":{\"k\":\"v\"}}",
             uid);
    ASSERT_STR_EQ(s.body, want);
    scene_close(&s);
}

TEST(create, is_told_by_a_change_of_the_storage)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    uint64_t before = revision(&s);
    ASSERT_ANSWER(&s, "POST", CONFIGMAPS, JSON, "{\"metadata\":{\"name\":\"a\"}}", 201, "\"a\"");
    ASSERT_EQ(revision(&s), before + 1);
    ASSERT_ANSWER(&s, "GET", CONFIGMAPS "/a", NULL, NULL, 200, "\"resourceVersion\":\"3\"");
    scene_close(&s);
}

TEST(create, takes_kind_and_namespace_from_the_path)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"a\"}}", 201,
                  "\"namespace\":\"default\"");
    ASSERT_ANSWER(&s, "POST", CONFIGMAPS, JSON,
                  "{\"metadata\":{\"name\":\"a\",\"namespace\":\"other\"}}", 400,
                  "\"message\":\"the namespace of the provided object does not match the namespace "
                  "sent on the request\",\"reason\":\"BadRequest\",\"code\":400}");
    ASSERT_ANSWER(&s, "POST", "/api/v1/nodes", JSON,
                  "{\"metadata\":{\"name\":\"a\",\"namespace\":\"other\"}}", 201,
                  "{\"name\":\"a\",\"uid\"");
    scene_close(&s);
}

TEST(create, refuses_a_resource_version_with_500)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", CONFIGMAPS, JSON,
                  "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"5\"}}"),
              500);
    ASSERT_STR_EQ(s.body, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                          "\"Failure\",\"message\":\"resourceVersion should not be set on objects "
                          "to be created\",\"code\":500}");
    scene_close(&s);
}

TEST(create, refuses_what_is_there)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", CONFIGMAPS, JSON,
                  "{\"metadata\":{\"name\":\"f-1\",\"finalizers\":[\"example.com/hold\"]}}"),
              201);
    ASSERT_EQ(ask(&s, "POST", CONFIGMAPS, JSON, "{\"metadata\":{\"name\":\"f-1\"}}"), 409);
    ASSERT_STR_EQ(s.body,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                  "\"Failure\",\"message\":\"configmaps \\\"f-1\\\" already exists\",\"reason\":"
                  "\"AlreadyExists\",\"details\":{\"name\":\"f-1\",\"kind\":\"configmaps\"},"
                  "\"code\":409}");
    ASSERT_EQ(ask(&s, "DELETE", CONFIGMAPS "/f-1", NULL, NULL), 200);
    ASSERT_ANSWER(&s, "POST", CONFIGMAPS, JSON, "{\"metadata\":{\"name\":\"f-1\"}}", 409,
                  "\"message\":\"object is being deleted: configmaps \\\"f-1\\\" already exists\","
                  "\"reason\":\"AlreadyExists\",\"details\":{\"name\":\"f-1\",\"kind\":"
                  "\"configmaps\"},\"code\":409}");
    scene_close(&s);
}

TEST(create, generates_names)
{
    scene s;
    kin_error err;
    char first[16];

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", CONFIGMAPS, JSON, "{\"metadata\":{\"generateName\":\"gen-\"}}", 201,
                  "\"generateName\":\"gen-\",\"namespace\"");
    snprintf(first, sizeof first, "%.9s", strstr(s.body, "\"name\":\"") + 8);
    ASSERT_EQ(strspn(first + 4, "bcdfghjklmnpqrstvwxz2456789"), 5);
    ASSERT_ANSWER(&s, "POST", CONFIGMAPS, JSON, "{\"metadata\":{\"generateName\":\"gen-\"}}", 201,
                  "\"name\":\"gen-");
    ASSERT_TRUE(strncmp(first, strstr(s.body, "\"name\":\"") + 8, 9) != 0);
    ASSERT_ANSWER(
        &s, "POST", CONFIGMAPS, JSON,
        "{\"metadata\":{\"generateName\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}}",
        201, "\"name\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    ASSERT_EQ(strcspn(strstr(s.body, "\"name\":\"") + 8, "\""), 63);
    scene_close(&s);
}

TEST(create, wants_the_namespace_to_be_there_and_to_stay)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", "/api/v1/namespaces/missing/configmaps", JSON,
                  "{\"metadata\":{\"name\":\"c-9\"}}", 404,
                  "\"message\":\"namespaces \\\"missing\\\" not found\",\"reason\":\"NotFound\","
                  "\"details\":{\"name\":\"missing\",\"kind\":\"namespaces\"},\"code\":404}");
    ASSERT_EQ(ask(&s, "POST", "/api/v1/namespaces", JSON, "{\"metadata\":{\"name\":\"gone\"}}"),
              201);
    ASSERT_EQ(ask(&s, "DELETE", "/api/v1/namespaces/gone", NULL, NULL), 200);
    ASSERT_ANSWER(
        &s, "POST", "/api/v1/namespaces/gone/configmaps", JSON, "{\"metadata\":{\"name\":\"x\"}}",
        403,
        "\"message\":\"configmaps \\\"x\\\" is forbidden: unable to create new content in "
        "namespace gone because it is being terminated\",\"reason\":\"Forbidden\","
        "\"details\":{\"name\":\"x\",\"kind\":\"configmaps\",\"causes\":[{\"reason\":"
        "\"NamespaceTerminating\",\"message\":\"namespace gone is being terminated\","
        "\"field\":\"metadata.namespace\"}]},\"code\":403}");
    scene_close(&s);
}

TEST(create, keeps_nothing_of_a_dry_run)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    uint64_t before = revision(&s);
    ASSERT_ANSWER(&s, "POST", CONFIGMAPS "?dryRun=All", JSON, "{\"metadata\":{\"name\":\"a\"}}",
                  201, "\"creationTimestamp\":\"2026-11-16T12:00:00Z\"");
    ASSERT_TRUE(strstr(s.body, "resourceVersion") == NULL);
    ASSERT_EQ(revision(&s), before);
    ASSERT_EQ(ask(&s, "GET", CONFIGMAPS "/a", NULL, NULL), 404);
    ASSERT_ANSWER(
        &s, "POST", CONFIGMAPS "?dryRun=x", JSON, "{\"metadata\":{\"name\":\"a\"}}", 422,
        "\"message\":\"CreateOptions.meta.k8s.io \\\"\\\" is invalid: dryRun: Unsupported "
        "value: [\\\"x\\\"]: supported values: \\\"All\\\"\"");
    scene_close(&s);
}

TEST(create, warns_of_unknown_fields_or_refuses_them)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(
        ask(&s, "POST", CONFIGMAPS, JSON, "{\"metadata\":{\"name\":\"a\"},\"foo\":1,\"b\":2}"),
        201);
    ASSERT_STR_EQ(s.warnings, "unknown field \"foo\"\nunknown field \"b\"");
    ASSERT_EQ(ask(&s, "POST", CONFIGMAPS "?fieldValidation=Ignore", JSON,
                  "{\"metadata\":{\"name\":\"b\"},\"foo\":1}"),
              201);
    ASSERT_STR_EQ(s.warnings, "");
    ASSERT_ANSWER(&s, "POST", CONFIGMAPS "?fieldValidation=Strict", JSON,
                  "{\"metadata\":{\"name\":\"c\"},\"foo\":1}", 400,
                  "strict decoding error: unknown field \\\"foo\\\"");
    scene_close(&s);
}

TEST(create, refuses_bodies_of_other_types)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", CONFIGMAPS, "text/plain", "{}", 415,
                  "\"message\":\"the body of the request was in an unknown format - accepted media "
                  "types include: application/json, application/yaml, "
                  "application/vnd.kubernetes.protobuf\",\"reason\":\"UnsupportedMediaType\","
                  "\"code\":415}");
    ASSERT_EQ(ask(&s, "POST", CONFIGMAPS, "application/json; charset=utf-8",
                  "{\"metadata\":{\"name\":\"a\"}}"),
              201);
    scene_close(&s);
}

TEST(create, clears_the_status_where_that_is_written_apart)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", DEFAULT "/pods", JSON,
                  "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                  "\"image\":\"i\"}]},\"status\":{\"phase\":\"Running\"}}",
                  201, "\"status\":{\"phase\":\"Pending\",\"qosClass\":\"BestEffort\"}}");
    ASSERT_CONTAINS(s.body, "\"generation\":1");
    ASSERT_ANSWER(&s, "POST", "/api/v1/nodes", JSON,
                  "{\"metadata\":{\"name\":\"n\"},\"status\":{\"phase\":\"x\"}}", 201,
                  "\"status\":{\"phase\":\"x\"");
    scene_close(&s);
}

TEST(create, makes_services_and_secrets_whole)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", DEFAULT "/services", JSON,
                  "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"ports\":[{\"port\":80}],\"selector\":"
                  "{\"a\":\"b\"}}}",
                  201,
                  "\"spec\":{\"ports\":[{\"protocol\":\"TCP\",\"port\":80,\"targetPort\":80}],"
                  "\"selector\":{\"a\":\"b\"},\"clusterIP\":\"10.");
    ASSERT_CONTAINS(s.body, "\"type\":\"ClusterIP\",\"sessionAffinity\":\"None\",\"ipFamilies\":"
                            "[\"IPv4\"],\"ipFamilyPolicy\":\"SingleStack\","
                            "\"internalTrafficPolicy\":\"Cluster\"},\"status\":{\"loadBalancer\":"
                            "{}}}");
    ASSERT_ANSWER(&s, "POST", DEFAULT "/secrets", JSON,
                  "{\"metadata\":{\"name\":\"s\"},\"stringData\":{\"a\":\"b\"}}", 201,
                  "\"data\":{\"a\":\"Yg==\"},\"type\":\"Opaque\"}");
    scene_close(&s);
}

TEST_FAILING_ALLOC(create, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int status = ask(&s, "POST", CONFIGMAPS, JSON,
                         "{\"metadata\":{\"generateName\":\"a-\",\"labels\":{\"a\":\"b\"}},\"foo\":"
                         "1,\"data\":{\"k\":\"v\"}}");
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 201 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
