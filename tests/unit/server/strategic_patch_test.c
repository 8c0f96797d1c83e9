/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategic_patch_test.c - strategic merge patches.  What they do was seen of
 * k8s.io/apimachinery 0.36.3, and the texts of a kube-apiserver 1.36.3.
 */
#include "server/strategic_patch.h"

#include <stdio.h>

#include "patching.h"

static kin__codec_kind pod(void)
{
    return (kin__codec_kind){ STR("v1"), STR("Pod"), kin__pb_message_of(STR("v1"), STR("Pod")) };
}

static bool apply_to_pod(kin__node **tree, kin_str patch, kin__field_validation validation,
                         kin__codec_warnings *warnings, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf shown = { 0 };
    kin__codec_kind kind = pod();

    return kin__strategic_patch_apply(&kind, tree, patch, validation, &shown, warnings, no);
}

static const char *patch(const char *document, const char *changes, patched *out)
{
    return patch_as(apply_to_pod, document, kin_str_of(changes), KIN__FIELDS_WARN, out);
}

TEST(strategic_patch, merges_objects_and_takes_the_rest)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"metadata\":{\"labels\":{\"a\":\"1\",\"b\":\"2\"},\"name\":\"x\"}}",
                        "{\"metadata\":{\"labels\":{\"a\":null,\"c\":\"3\"},\"name\":\"y\","
                        "\"annotations\":{\"d\":null,\"e\":\"f\"}}}",
                        &p),
                  "{\"metadata\":{\"labels\":{\"b\":\"2\",\"c\":\"3\"},\"name\":\"y\","
                  "\"annotations\":{\"e\":\"f\"}}}");
}

TEST(strategic_patch, replaces_and_empties_objects_on_demand)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"metadata\":{\"labels\":{\"a\":\"1\"}}}",
                        "{\"metadata\":{\"labels\":{\"$patch\":\"replace\",\"b\":\"2\"}}}", &p),
                  "{\"metadata\":{\"labels\":{\"b\":\"2\"}}}");
    ASSERT_STR_EQ(patch("{\"metadata\":{\"labels\":{\"a\":\"1\"}}}",
                        "{\"metadata\":{\"labels\":{\"$patch\":\"delete\"}}}", &p),
                  "{\"metadata\":{\"labels\":{}}}");
    ASSERT_STR_EQ(
        patch("{\"metadata\":{\"name\":\"a\"}}", "{\"$patch\":\"replace\",\"spec\":{}}", &p),
        "{\"spec\":{}}");
    ASSERT_STR_EQ(patch("{\"metadata\":{\"name\":\"a\"}}", "{\"$patch\":\"delete\"}", &p), "{}");
    ASSERT_STR_EQ(
        patch("{}", "{\"metadata\":{\"labels\":{\"$patch\":\"delete\"},\"name\":\"a\"}}", &p),
        "{\"metadata\":{\"name\":\"a\"}}");
}

TEST(strategic_patch, retains_only_the_keys_it_names)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"spec\":{\"volumes\":[{\"name\":\"a\",\"emptyDir\":{}}]}}",
                        "{\"spec\":{\"volumes\":[{\"name\":\"a\",\"hostPath\":{\"path\":\"/x\"},"
                        "\"$retainKeys\":[\"name\",\"hostPath\"]}]}}",
                        &p),
                  "{\"spec\":{\"volumes\":[{\"name\":\"a\",\"hostPath\":{\"path\":\"/x\"}}]}}");
    ASSERT_STR_EQ(patch("{\"spec\":{}}", "{\"$retainKeys\":5}", &p),
                  "invalid patch format of retainKeys");
    ASSERT_EQ(p.code, 400);
    ASSERT_STR_EQ(patch("{\"spec\":{}}", "{\"$retainKeys\":[\"a\"],\"spec\":{}}", &p),
                  "invalid patch format of retainKeys");
}

TEST(strategic_patch, replaces_lists_that_have_no_strategy)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"spec\":{\"tolerations\":[{\"key\":\"a\"}]}}",
                        "{\"spec\":{\"tolerations\":[{\"key\":\"b\"}]}}", &p),
                  "{\"spec\":{\"tolerations\":[{\"key\":\"b\"}]}}");
}

TEST(strategic_patch, takes_null_for_no_change)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"spec\":{}}", "null", &p), "{\"spec\":{}}");
}

TEST(strategic_patch, refuses_what_is_no_patch)
{
    patched p;

    ASSERT_STR_EQ(patch("{}", "[]", &p),
                  "json: cannot unmarshal array into Go value of type map[string]interface {}");
    ASSERT_EQ(p.code, 400);
    ASSERT_STR_EQ(patch("{}", "{", &p), "unexpected end of JSON input");
    ASSERT_STR_EQ(patch("{\"metadata\":{}}", "{\"metadata\":{\"$patch\":\"foo\"}}", &p),
                  "unknown patch type: foo in map: map[$patch:foo]");
    ASSERT_EQ(p.code, 500);
    ASSERT_STR_EQ(p.reason, "");
    ASSERT_STR_EQ(patch("{\"spec\":{}}", "{\"$deleteFromPrimitiveListX\":[]}", &p),
                  "invalid patch format of primitive list");
    ASSERT_EQ(p.code, 400);
    ASSERT_STR_EQ(patch("{\"spec\":{}}", "{\"$setElementOrderX\":[]}", &p),
                  "invalid patch format of setElementOrder list");
    ASSERT_EQ(p.code, 400);
    ASSERT_STR_EQ(patch("{\"spec\":{}}", "{\"$setElementOrder/spec\":5}", &p),
                  "expected a []interface {}, but received a int64");
    ASSERT_EQ(p.code, 500);
}

TEST(strategic_patch, shows_the_patch_as_go_prints_it)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__buf_fini) kin__buf shown = { 0 };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__codec_kind kind = pod();
    kin_error err;

    ASSERT_OK(kin__node_from_json(kin__json_of(STR("{}")), &tree, &err));
    ASSERT_TRUE(kin__strategic_patch_apply(&kind, &tree,
                                           STR("{\"foo\":1,\"data\":{\"a\":[\"x\"]}}"),
                                           KIN__FIELDS_WARN, &shown, &warnings, &no));
    ASSERT_SLICE_EQ(kin__str(shown.data, shown.len), "map[data:map[a:[x]] foo:1]");
}

TEST_FAILING_ALLOC(strategic_patch, survives_without_memory)
{
    return patch_once(
        apply_to_pod,
        "{\"metadata\":{\"labels\":{\"a\":\"1\"},\"finalizers\":[\"a\",\"b\"]},"
        "\"spec\":{\"containers\":[{\"name\":\"a\",\"env\":[{\"name\":\"x\"}]},"
        "{\"name\":\"b\"}],\"nodeName\":\"n\"}}",
        "{\"metadata\":{\"labels\":{\"$retainKeys\":[\"b\"],\"b\":\"2\"},"
        "\"annotations\":{\"c\":null,\"d\":\"e\"},"
        "\"$deleteFromPrimitiveList/finalizers\":[\"a\"]},"
        "\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"b\"},{\"name\":\"c\"},"
        "{\"name\":\"a\"}],\"containers\":[{\"name\":\"c\"},{\"name\":\"a\",\"env\":"
        "[{\"name\":\"x\",\"$patch\":\"delete\"},{\"name\":\"y\",\"value\":\"z\"}]}],"
        "\"volumes\":[{\"name\":\"v\",\"$patch\":\"delete\"}],\"nodeName\":\"m\"},"
        "\"status\":{\"podIPs\":[{\"ip\":\"1\"}]},\"kind\":\"a\",\"kind\":\"b\"}");
}

TEST_FAILING_ALLOC(strategic_patch, survives_without_memory_for_a_refusal)
{
    return patch_once(apply_to_pod, "{\"spec\":{\"containers\":[{\"name\":\"a\"}]}}",
                      "{\"spec\":{\"containers\":[{\"image\":\"a\"}]}}");
}
