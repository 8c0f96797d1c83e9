/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_patch_test.c - JSON merge patches.  Texts are those of a kube-apiserver 1.36.3.
 */
#include "server/merge_patch.h"

#include <stdio.h>

#include "patching.h"

static const char *patch(const char *document, const char *changes, patched *out)
{
    return patch_as(kin__merge_patch_apply, document, kin_str_of(changes), KIN__FIELDS_WARN, out);
}

static const char *patch_ignoring(const char *document, const char *changes, patched *out)
{
    return patch_as(kin__merge_patch_apply, document, kin_str_of(changes), KIN__FIELDS_IGNORE, out);
}

/* The table of RFC 7386, appendix A, as far as it is about objects. */
TEST(merge_patch, does_what_the_rfc_says)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"a\":\"b\"}", "{\"a\":\"c\"}", &p), "{\"a\":\"c\"}");
    ASSERT_STR_EQ(patch("{\"a\":\"b\"}", "{\"b\":\"c\"}", &p), "{\"a\":\"b\",\"b\":\"c\"}");
    ASSERT_STR_EQ(patch("{\"a\":\"b\"}", "{\"a\":null}", &p), "{}");
    ASSERT_STR_EQ(patch("{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", &p), "{\"b\":\"c\"}");
    ASSERT_STR_EQ(patch("{\"a\":[\"b\"]}", "{\"a\":\"c\"}", &p), "{\"a\":\"c\"}");
    ASSERT_STR_EQ(patch("{\"a\":\"c\"}", "{\"a\":[\"b\"]}", &p), "{\"a\":[\"b\"]}");
    ASSERT_STR_EQ(patch("{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", &p),
                  "{\"a\":{\"b\":\"d\"}}");
    ASSERT_STR_EQ(patch("{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", &p), "{\"a\":[1]}");
    ASSERT_STR_EQ(patch("{\"e\":null}", "{\"a\":1}", &p), "{\"e\":null,\"a\":1}");
    ASSERT_STR_EQ(patch("{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", &p), "{\"a\":{\"bb\":{}}}");
}

TEST(merge_patch, drops_nulls_inside_arrays_unless_they_replace_an_object)
{
    patched p;

    ASSERT_STR_EQ(patch("{}", "{\"a\":[null,{\"b\":null,\"c\":1}]}", &p),
                  "{\"a\":[null,{\"c\":1}]}");
    ASSERT_STR_EQ(patch("{\"a\":1}", "{\"a\":[{\"b\":null}]}", &p), "{\"a\":[{}]}");
    ASSERT_STR_EQ(patch("{\"a\":{}}", "{\"a\":[{\"b\":null}]}", &p), "{\"a\":[{\"b\":null}]}");
}

TEST(merge_patch, refuses_what_is_no_object)
{
    patched p;

    ASSERT_STR_EQ(patch("{}", "[]", &p),
                  "error decoding patch: json: cannot unmarshal array into Go value of type "
                  "map[string]interface {}");
    ASSERT_EQ(p.code, 400);
    ASSERT_STR_EQ(p.reason, "BadRequest");
    ASSERT_STR_EQ(patch("{}", "null", &p), "Invalid JSON Patch");
    ASSERT_EQ(p.code, 400);
    ASSERT_STR_EQ(patch("{}", "{\"a\"", &p), "error decoding patch: unexpected end of JSON input");
    ASSERT_STR_EQ(patch_ignoring("{}", "{\"a\"", &p), "Invalid JSON Patch");
    ASSERT_STR_EQ(patch_ignoring("{}", "5", &p), "Invalid JSON Patch");
    ASSERT_STR_EQ(patch_ignoring("{}", "[{\"a\":null}]", &p), "[{}]");
}

TEST(merge_patch, warns_of_duplicate_fields)
{
    patched p;

    ASSERT_STR_EQ(patch("{}", "{\"a\":{\"b\":1,\"b\":2}}", &p), "{\"a\":{\"b\":2}}");
    ASSERT_STR_EQ(p.warnings.chars, "duplicate field \"a.b\"\n");
    (void) patch_ignoring("{}", "{\"a\":1,\"a\":2}", &p);
    ASSERT_STR_EQ(p.warnings.chars, "");
}

TEST(merge_patch, takes_a_time_that_grows_with_the_patch)
{
    static char changes[4 << 20];
    size_t len = 0;
    patched p;

    for (int i = 0; i < 150000; i++) {
        len += (size_t) snprintf(changes + len, sizeof changes - len, "%s\"%d\":{\"n\":null}",
                                 i == 0 ? "{\"x\":{" : ",", i);
    }
    (void) snprintf(changes + len, sizeof changes - len, "},\"x\":null}");

    ASSERT_STR_EQ(patch("{}", changes, &p), "{}");
}

TEST_FAILING_ALLOC(merge_patch, survives_without_memory)
{
    return patch_once(kin__merge_patch_apply, "{\"a\":{\"b\":1},\"c\":2}",
                      "{\"a\":{\"b\":{\"x\":null,\"y\":[{\"z\":null}]},\"d\":{}},\"c\":null,"
                      "\"c\":null}");
}
