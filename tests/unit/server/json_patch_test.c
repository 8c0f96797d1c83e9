/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_patch_test.c - JSON patches.  What they do was seen of evanphx/json-patch 4.13.
 */
#include "server/json_patch.h"

#include <stdio.h>
#include <stdlib.h>

#include "patching.h"

static const char *patch(const char *document, const char *operations, patched *out)
{
    return patch_as(kin__json_patch_apply, document, kin_str_of(operations), KIN__FIELDS_WARN, out);
}

/* That it fails with 422 and the words that the server has for all of them. */
static void assert_fails(const char *document, const char *operations)
{
    patched p;

    if (strcmp(patch(document, operations, &p),
               "the server rejected our request due to an error in our request") != 0) {
        FAIL("%s on %s: %s", operations, document, p.json.chars);
    }
    ASSERT_EQ(p.code, 422);
    ASSERT_STR_EQ(p.reason, "Invalid");
    ASSERT_TRUE(p.has_details);
}

TEST(json_patch, adds_members_and_elements)
{
    patched p;

    ASSERT_STR_EQ(
        patch("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/b\",\"value\":{\"c\":[1]}}]", &p),
        "{\"a\":1,\"b\":{\"c\":[1]}}");
    ASSERT_STR_EQ(patch("{\"a\":[1,2]}",
                        "[{\"op\":\"add\",\"path\":\"/a/1\",\"value\":9},"
                        "{\"op\":\"add\",\"path\":\"/a/-\",\"value\":8},"
                        "{\"op\":\"add\",\"path\":\"/a/4\",\"value\":7},"
                        "{\"op\":\"add\",\"path\":\"/a/-1\",\"value\":6},"
                        "{\"op\":\"add\",\"path\":\"/a/-7\",\"value\":5}]",
                        &p),
                  "{\"a\":[5,1,9,2,8,7,6]}");
    ASSERT_STR_EQ(patch("{}", "[{\"op\":\"add\",\"path\":\"/a\"}]", &p), "{\"a\":null}");
}

TEST(json_patch, decodes_the_parts_of_a_path)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"a/b\":{\"~\":1}}",
                        "[{\"op\":\"replace\",\"path\":\"/a~1b/~0\",\"value\":2},"
                        "{\"op\":\"add\",\"path\":\"x/~01\",\"value\":3}]",
                        &p),
                  "{\"a/b\":{\"~\":2},\"~1\":3}");
}

TEST(json_patch, replaces_what_is_there_and_members_that_are_not)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"a\":[1,2],\"b\":1}",
                        "[{\"op\":\"replace\",\"path\":\"/a/-1\",\"value\":9},"
                        "{\"op\":\"replace\",\"path\":\"/c\",\"value\":3}]",
                        &p),
                  "{\"a\":[1,9],\"b\":1,\"c\":3}");
    ASSERT_STR_EQ(
        patch("{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":{\"b\":2}}]", &p),
        "{\"b\":2}");
    assert_fails("{\"a\":[1]}", "[{\"op\":\"replace\",\"path\":\"/a/1\",\"value\":1}]");
    assert_fails("{\"a\":[1]}", "[{\"op\":\"replace\",\"path\":\"/a/-\",\"value\":1}]");
    assert_fails("{}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":5}]");
    assert_fails("{}", "[{\"op\":\"replace\",\"path\":\"\"}]");
}

TEST(json_patch, removes_and_moves)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"a\":{\"b\":[1,2,3]},\"c\":null}",
                        "[{\"op\":\"remove\",\"path\":\"/a/b/-2\"},"
                        "{\"op\":\"remove\",\"path\":\"/c\"},"
                        "{\"op\":\"move\",\"from\":\"/a/b\",\"path\":\"/d\"}]",
                        &p),
                  "{\"a\":{},\"d\":[1,3]}");
    assert_fails("{}", "[{\"op\":\"remove\",\"path\":\"/a\"}]");
    assert_fails("{\"a\":{}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/b\"}]");
    assert_fails("{}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/b\"}]");
}

TEST(json_patch, copies)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"a\":{\"b\":1}}",
                        "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/c\"},"
                        "{\"op\":\"add\",\"path\":\"/c/d\",\"value\":2},"
                        "{\"op\":\"copy\",\"from\":\"/x\",\"path\":\"/e\"}]",
                        &p),
                  "{\"a\":{\"b\":1},\"c\":{\"b\":1,\"d\":2},\"e\":null}");
}

TEST(json_patch, tests_values_as_they_are_written)
{
    patched p;
    const char *document = "{\"a\":\"<\",\"b\":1,\"c\":{\"d\":[1,{\"e\":true}],\"f\":2}}";

    ASSERT_EQ(strcmp(patch(document,
                           "[{\"op\":\"test\",\"path\":\"/a\",\"value\":\"\\u003c\"},"
                           "{\"op\":\"test\",\"path\":\"/b\",\"value\":1},"
                           "{\"op\":\"test\",\"path\":\"/x\",\"value\":null},"
                           "{\"op\":\"test\",\"path\":\"/c\",\"value\":{\"f\":2,\"d\":[1,"
                           "{\"e\":true}]}}]",
                           &p),
                     "{\"a\":\"\\u003c\",\"b\":1,\"c\":{\"d\":[1,{\"e\":true}],\"f\":2}}"),
              0);
    assert_fails(document, "[{\"op\":\"test\",\"path\":\"/a\",\"value\":\"<\"}]");
    assert_fails(document, "[{\"op\":\"test\",\"path\":\"/b\",\"value\":1.0}]");
    assert_fails(document, "[{\"op\":\"test\",\"path\":\"/b\"}]");
    assert_fails(document, "[{\"op\":\"test\",\"path\":\"/c\",\"value\":{\"f\":2}}]");
    assert_fails(document, "[{\"op\":\"test\",\"path\":\"/c/d\",\"value\":[1]}]");
    assert_fails(document, "[{\"op\":\"test\",\"path\":\"/c/d\",\"value\":[1,{\"e\":true},2]}]");
}

TEST(json_patch, fails_where_a_path_leads_nowhere)
{
    assert_fails("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"\",\"value\":1}]");
    assert_fails("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]");
    assert_fails("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/b/c\",\"value\":1}]");
    assert_fails("{\"a\":[]}", "[{\"op\":\"add\",\"path\":\"/a/1\",\"value\":1}]");
    assert_fails("{\"a\":[]}", "[{\"op\":\"add\",\"path\":\"/a/x\",\"value\":1}]");
    assert_fails("{\"a\":[]}", "[{\"op\":\"add\",\"path\":\"/a/-2\",\"value\":1}]");
    assert_fails("{\"a\":[]}",
                 "[{\"op\":\"add\",\"path\":\"/a/99999999999999999999\",\"value\":1}]");
    assert_fails("{}", "[{\"op\":\"add\",\"value\":1}]");
    assert_fails("{}", "[{\"op\":\"nope\",\"path\":\"/a\"}]");
    assert_fails("{}", "[null]");
}

TEST(json_patch, refuses_copies_beyond_three_megabytes)
{
    static char document[1200 * 1024];
    static char operations[256];
    int len = snprintf(document, sizeof document, "{\"a\":\"%0*d\"}", 1024 * 1024, 0);
    patched p;

    ASSERT_TRUE(len > 0);
    (void) snprintf(operations, sizeof operations,
                    "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"},"
                    "{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"},"
                    "{\"op\":\"remove\",\"path\":\"/a\"},{\"op\":\"remove\",\"path\":\"/b\"}]");
    ASSERT_STR_EQ(patch(document, operations, &p), "{}");
    (void) snprintf(operations, sizeof operations,
                    "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"},"
                    "{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"},"
                    "{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"}]");
    assert_fails(document, operations);
}

/* `count` times the same operation. */
static char *repeated(const char *operation, size_t count)
{
    size_t len = strlen(operation);
    char *all = malloc((len + 1) * count + 2);
    size_t at = 0;

    ASSERT_TRUE(all != NULL);
    for (size_t i = 0; i < count; i++) {
        all[at++] = i == 0 ? '[' : ',';
        memcpy(all + at, operation, len);
        at += len;
    }
    all[at++] = ']';
    all[at] = '\0';
    return all;
}

TEST(json_patch, makes_no_tree_deeper_than_the_limit)
{
    static char document[4096];
    size_t at = 0;

    for (int i = 0; i < 600; i++) {
        at += (size_t) snprintf(document + at, sizeof document - at, "{\"a\":");
    }
    at += (size_t) snprintf(document + at, sizeof document - at, "1");
    memset(document + at, '}', 600);
    document[at + 600] = '\0';
    char path[2048] = "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"";
    size_t end = strlen(path);
    for (int i = 0; i < 500; i++) {
        end += (size_t) snprintf(path + end, sizeof path - end, "/a");
    }
    (void) snprintf(path + end, sizeof path - end, "\"}]");
    assert_fails(document, path);
}

TEST(json_patch, gives_up_when_it_takes_too_long)
{
    char *document = repeated("0", 200 * 1000);
    char *operations = repeated("{\"op\":\"add\",\"path\":\"/0\",\"value\":1}", 10000);

    assert_fails(document, operations);
    free(document);
    free(operations);
}

static kin_err fail(const char *document, const char *operations)
{
    return patch_once(kin__json_patch_apply, document, operations);
}

TEST_FAILING_ALLOC(json_patch, survives_without_memory)
{
    return fail("{\"a\":[1,{\"b\":\"c\"}]}",
                "[{\"op\":\"add\",\"path\":\"/x\",\"value\":{\"y\":[1],\"y\":2},\"z\":1},"
                "{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"},"
                "{\"op\":\"test\",\"path\":\"/a/1\",\"value\":{\"b\":\"c\"}},"
                "{\"op\":\"replace\",\"path\":\"/a/0\",\"value\":\"z\"},"
                "{\"op\":\"move\",\"from\":\"/a/1\",\"path\":\"/c~0\"},"
                "{\"op\":\"copy\",\"from\":\"/none\",\"path\":\"/b/-\"},"
                "{\"op\":\"remove\",\"path\":\"/b/0\"}]");
}

TEST_FAILING_ALLOC(json_patch, survives_without_memory_for_a_refusal)
{
    return fail("{}", "[{\"op\":\"remove\",\"path\":\"/b/0\"}]");
}
