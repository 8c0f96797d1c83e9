/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch_test.c - patches, from the request to the object.
 */
#include "unit/server/writing.h"

static void open_with_map(scene *s)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    ASSERT_EQ(ask(s, "POST", CONFIGMAPS, JSON,
                  "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":"
                  "\"v\",\"l\":\"w\"}}"),
              201);
}

TEST(patch, knows_three_kinds_of_patches)
{
    scene s;

    open_with_map(&s);
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a", MERGE, "{\"data\":{\"k\":null,\"m\":\"x\"}}", 200,
                  "\"data\":{\"l\":\"w\",\"m\":\"x\"}");
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a", "application/json-patch+json",
                  "[{\"op\":\"replace\",\"path\":\"/data/l\",\"value\":\"y\"}]", 200,
                  "\"data\":{\"l\":\"y\",\"m\":\"x\"}");
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a", "application/strategic-merge-patch+json",
                  "{\"data\":{\"n\":\"z\"}}", 200,
                  "\"data\":{\"l\":\"y\",\"m\":\"x\",\"n\":\"z\"}");
    ASSERT_EQ(revision(&s), 6);
    scene_close(&s);
}

TEST(patch, refuses_other_types)
{
    scene s;

    open_with_map(&s);
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a", JSON, "{}", 415,
                  "\"message\":\"415: Unsupported Media Type\",\"reason\":\"UnsupportedMediaType\","
                  "\"details\":{},\"code\":415}");
    ASSERT_EQ(
        ask(&s, "PATCH", CONFIGMAPS "/a?fieldManager=x", "application/apply-patch+yaml", "{}"),
        415);
    scene_close(&s);
}

TEST(patch, has_options_of_its_own)
{
    scene s;

    open_with_map(&s);
    ASSERT_ANSWER(
        &s, "PATCH", CONFIGMAPS "/a?force=true", MERGE, "{}", 422,
        "\"message\":\"PatchOptions.meta.k8s.io \\\"\\\" is invalid: force: Forbidden: may "
        "not be specified for non-apply patch\"");
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a?dryRun=All", MERGE, "{\"data\":null}", 200,
                  "\"resourceVersion\":\"3\"");
    ASSERT_TRUE(strstr(s.body, "\"data\"") == NULL);
    ASSERT_EQ(revision(&s), 3);
    scene_close(&s);
}

TEST(patch, cannot_change_who_it_is)
{
    scene s;

    open_with_map(&s);
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a", MERGE, "{\"metadata\":{\"name\":\"x\"}}", 400,
                  "the name of the object (x) does not match the name on the URL (a)");
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a", MERGE, "{\"metadata\":{\"namespace\":\"x\"}}", 400,
                  "the namespace of the provided object does not match");
    ASSERT_ANSWER(
        &s, "PATCH", CONFIGMAPS "/a", MERGE, "{\"metadata\":{\"uid\":\"x\"}}", 422,
        "\"message\":\"ConfigMap \\\"a\\\" is invalid: metadata.uid: Invalid value: "
        "\\\"x\\\": field is immutable\",\"reason\":\"Invalid\",\"details\":{\"name\":\"a\","
        "\"kind\":\"ConfigMap\",\"causes\":[{\"reason\":\"FieldValueInvalid\",\"message\":"
        "\"Invalid value: \\\"x\\\": field is immutable\",\"field\":\"metadata.uid\"},{"
        "\"reason\":\"FieldValueInvalid\",\"message\":\"Invalid value: \\\"x\\\": field is "
        "immutable\",\"field\":\"metadata.uid\"}]},\"code\":422}");
    scene_close(&s);
}

TEST(patch, with_a_version_is_for_that_version)
{
    scene s;

    open_with_map(&s);
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a", MERGE, "{\"metadata\":{\"resourceVersion\":\"2\"}}",
                  409, "the object has been modified");
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a", MERGE,
                  "{\"metadata\":{\"resourceVersion\":\"3\"},\"data\":{\"k\":\"2\"}}", 200,
                  "\"resourceVersion\":\"4\"");
    scene_close(&s);
}

TEST(patch, warns_of_unknown_fields)
{
    scene s;

    open_with_map(&s);
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a", MERGE, "{\"foo\":5}", 200,
                  "\"resourceVersion\":\"3\"");
    ASSERT_STR_EQ(s.warnings, "unknown field \"foo\"");
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a?fieldValidation=Strict", MERGE, "{\"foo\":5}", 422,
                  "strict decoding error: unknown field \\\"foo\\\"");
    scene_close(&s);
}

TEST(patch, of_what_is_missing_is_refused)
{
    scene s;

    open_with_map(&s);
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/b", MERGE, "{}", 404, "configmaps \\\"b\\\" not found");
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a", "application/json-patch+json",
                  "[{\"op\":\"test\",\"path\":\"/data/k\",\"value\":\"zz\"}]", 422,
                  "\"message\":\"the server rejected our request due to an error in our request\","
                  "\"reason\":\"Invalid\",\"details\":{},\"code\":422}");
    scene_close(&s);
}

TEST_FAILING_ALLOC(patch, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int made = ask(&s, "POST", CONFIGMAPS, JSON, "{\"metadata\":{\"name\":\"a\"}}");
        int status = made == 0 ? 0
                               : ask(&s, "PATCH", CONFIGMAPS "/a", MERGE,
                                     "{\"data\":{\"k\":\"v\"},\"foo\":1}");
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 200 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
