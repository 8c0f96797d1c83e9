/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deprecation_test.c - warnings of versions that are on their way out.
 */
#include "server/deprecation.h"

#include "server/builtin_table.h"
#include "unit/server/writing.h"

#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define SCHEMA "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}"
#define DEFINITION                                                                                 \
    "{\"metadata\":{\"name\":\"foos.ex.io\"},\"spec\":{\"group\":\"ex.io\",\"scope\":"             \
    "\"Cluster\",\"names\":{\"plural\":\"foos\",\"kind\":\"Foo\"},\"versions\":["                  \
    "{\"name\":\"v1\",\"served\":true,\"storage\":true," SCHEMA "},"                               \
    "{\"name\":\"v2\",\"served\":true,\"storage\":false,\"deprecated\":true," SCHEMA "},"          \
    "{\"name\":\"v1beta1\",\"served\":true,\"storage\":false,\"deprecated\":true," SCHEMA "},"     \
    "{\"name\":\"v1alpha1\",\"served\":true,\"storage\":false,\"deprecated\":true,"                \
    "\"deprecationWarning\":\"leave\"," SCHEMA "}]}}"

static void open_with_foos(scene *s)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    ASSERT_EQ(ask(s, "POST", DEFINITIONS, JSON, DEFINITION), 201);
    settle(s);
}

TEST(deprecation, of_a_custom_version_is_in_every_answer)
{
    scene s;

    open_with_foos(&s);
    ASSERT_EQ(ask(&s, "GET", "/apis/ex.io/v1/foos", NULL, NULL), 200);
    ASSERT_STR_EQ(s.warnings, "");
    ASSERT_EQ(ask(&s, "GET", "/apis/ex.io/v1beta1/foos", NULL, NULL), 200);
    ASSERT_STR_EQ(s.warnings, "ex.io/v1beta1 Foo is deprecated; use ex.io/v1 Foo");
    ASSERT_EQ(ask(&s, "POST", "/apis/ex.io/v1beta1/foos", JSON,
                  "{\"apiVersion\":\"ex.io/v1beta1\",\"kind\":\"Foo\",\"metadata\":{\"name\":"
                  "\"a\"}}"),
              201);
    ASSERT_STR_EQ(s.warnings, "ex.io/v1beta1 Foo is deprecated; use ex.io/v1 Foo");
    ASSERT_EQ(ask(&s, "GET", "/apis/ex.io/v1alpha1/foos/a", NULL, NULL), 200);
    ASSERT_STR_EQ(s.warnings, "leave");
    ASSERT_EQ(ask(&s, "GET", "/apis/ex.io/v2/foos/a", NULL, NULL), 200);
    ASSERT_STR_EQ(s.warnings, "ex.io/v2 Foo is deprecated"); /* no other is newer */
    scene_close(&s);
}

TEST(deprecation, is_told_with_a_refusal_too)
{
    scene s;

    open_with_foos(&s);
    ASSERT_EQ(ask(&s, "GET", "/apis/ex.io/v1alpha1/foos/none", NULL, NULL), 404);
    ASSERT_STR_EQ(s.warnings, "leave");
    ASSERT_EQ(ask(&s, "GET", DEFAULT "/endpoints?limit=x", NULL, NULL), 400);
    ASSERT_CONTAINS(s.warnings, "v1 Endpoints is deprecated in v1.33+");
    scene_close(&s);
}

TEST(deprecation, ends_when_the_definition_says_so)
{
    scene s;

    open_with_foos(&s);
    ASSERT_EQ(ask(&s, "PATCH", DEFINITIONS "/foos.ex.io", "application/json-patch+json",
                  "[{\"op\":\"remove\",\"path\":\"/spec/versions/2/deprecated\"}]"),
              200);
    settle(&s);
    ASSERT_EQ(ask(&s, "GET", "/apis/ex.io/v1beta1/foos", NULL, NULL), 200);
    ASSERT_STR_EQ(s.warnings, "");
    scene_close(&s);
}

TEST(deprecation, of_built_in_versions_has_the_words_of_a_real_server)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "GET", "/apis/resource.k8s.io/v1beta1/resourceslices", NULL, NULL), 200);
    ASSERT_STR_EQ(s.warnings, "resource.k8s.io/v1beta1 ResourceSlice is deprecated in v1.35+, "
                              "unavailable in v1.38+");
    ASSERT_EQ(ask(&s, "GET", "/apis/storage.k8s.io/v1beta1/volumeattributesclasses", NULL, NULL),
              200);
    ASSERT_STR_EQ(s.warnings,
                  "storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, "
                  "unavailable in v1.37+; use storage.k8s.io/v1 VolumeAttributesClass");
    scene_close(&s);
}

TEST_FAILING_ALLOC(deprecation, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        bool is_done = ask(&s, "GET", DEFAULT "/endpoints", NULL, NULL) != 0;
        code = is_done ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    scene_close(&s);
    return code;
}
