/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch_test.c - merge patches between two documents.
 */
#include "object/patch.h"

#include <string.h>

#include "base/str.h"
#include "support/merge_patch.h"
#include "support/random.h"
#include "support/test.h"

typedef struct patched {
    text json;
    bool replaces_array;
} patched;

static kin__node *tree_of(const char *json)
{
    return merge_patch_tree(json, strlen(json));
}

/* The patch between two documents, which has been seen to make the second of the first. */
static const char *patch_with(const char *before, const char *after,
                              const kin__patch_demand *demands, size_t count, patched *out)
{
    AUTO(kin__node_free) kin__node *a = tree_of(before);
    AUTO(kin__node_free) kin__node *b = tree_of(after);
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    ASSERT_TRUE(kin__patch_append(a, b, demands, count, &buf, &out->replaces_array));
    text_clear(&out->json);
    text_append(&out->json, "%.*s", (int) buf.len, buf.data);
    AUTO(kin__node_free) kin__node *patch = tree_of(out->json.chars);
    if (count == 0 && !merge_patch_makes(a, patch, b)) {
        FAIL("%s does not make %s of %s", out->json.chars, after, before);
    }
    return out->json.chars;
}

static const char *patch(const char *before, const char *after, patched *out)
{
    return patch_with(before, after, NULL, 0, out);
}

TEST(patch, is_empty_when_nothing_changed)
{
    patched p;

    ASSERT_STR_EQ(patch("{}", "{}", &p), "{}");
    ASSERT_STR_EQ(patch("{\"a\":{\"b\":[1,{\"c\":null}]},\"d\":null}",
                        "{\"d\":null,\"a\":{\"b\":[1.0,{\"c\":null}]}}", &p),
                  "{}");
    ASSERT_FALSE(p.replaces_array);
}

TEST(patch, holds_what_changed_and_what_is_new)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"a\":1,\"b\":{\"c\":1,\"d\":2},\"e\":\"x\"}",
                        "{\"a\":1,\"b\":{\"c\":1,\"d\":3},\"e\":\"y\",\"f\":{\"g\":true}}", &p),
                  "{\"b\":{\"d\":3},\"e\":\"y\",\"f\":{\"g\":true}}");
}

TEST(patch, removes_with_null)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"a\":1,\"b\":{\"c\":1,\"d\":2}}", "{\"b\":{\"d\":2}}", &p),
                  "{\"b\":{\"c\":null},\"a\":null}");
    ASSERT_STR_EQ(patch("{\"a\":{\"x\":1}}", "{\"a\":{}}", &p), "{\"a\":{\"x\":null}}");
    ASSERT_STR_EQ(patch("{\"a\":{\"x\":1}}", "{}", &p), "{\"a\":null}");
}

TEST(patch, takes_back_an_object_in_which_nothing_changed)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"a\":{\"x\":{\"y\":{}}},\"b\":1,\"c\":{\"d\":1}}",
                        "{\"a\":{\"x\":{\"y\":{}}},\"b\":2,\"c\":{\"d\":1}}", &p),
                  "{\"b\":2}");
    ASSERT_STR_EQ(patch("{\"b\":1,\"a\":{},\"c\":3}", "{\"b\":2,\"a\":{},\"c\":4}", &p),
                  "{\"b\":2,\"c\":4}");
    ASSERT_STR_EQ(patch("{\"a\":{\"b\":{},\"c\":1}}", "{\"a\":{\"b\":{},\"c\":2}}", &p),
                  "{\"a\":{\"c\":2}}");
}

TEST(patch, replaces_an_array_as_a_whole)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"a\":[1,2]}", "{\"a\":[2]}", &p), "{\"a\":[2]}");
    ASSERT_TRUE(p.replaces_array);
    ASSERT_STR_EQ(patch("{\"a\":{\"b\":[{\"x\":1},2]}}", "{\"a\":{\"b\":[{\"x\":null},2]}}", &p),
                  "{\"a\":{\"b\":[{\"x\":null},2]}}");
    ASSERT_TRUE(p.replaces_array);
}

/* Nothing of what a mask may have left out is lost with these. */
TEST(patch, tells_apart_an_array_that_is_new_or_gone)
{
    patched p;

    ASSERT_STR_EQ(patch("{}", "{\"a\":[null,1]}", &p), "{\"a\":[null,1]}");
    ASSERT_FALSE(p.replaces_array);
    ASSERT_STR_EQ(patch("{\"a\":[1]}", "{}", &p), "{\"a\":null}");
    ASSERT_FALSE(p.replaces_array);
    ASSERT_STR_EQ(patch("{\"a\":[1]}", "{\"a\":1}", &p), "{\"a\":1}");
    ASSERT_FALSE(p.replaces_array);
    ASSERT_STR_EQ(patch("{\"a\":[1],\"b\":1}", "{\"a\":[1],\"b\":2}", &p), "{\"b\":2}");
    ASSERT_FALSE(p.replaces_array);
}

TEST(patch, changes_the_type_of_a_member)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"a\":{\"b\":1}}", "{\"a\":\"x\"}", &p), "{\"a\":\"x\"}");
    ASSERT_STR_EQ(patch("{\"a\":\"x\"}", "{\"a\":{\"b\":1}}", &p), "{\"a\":{\"b\":1}}");
    ASSERT_STR_EQ(patch("{\"a\":\"x\"}", "{\"a\":{}}", &p), "{\"a\":{}}");
    ASSERT_STR_EQ(patch("{\"a\":[1]}", "{\"a\":{}}", &p), "{\"a\":{}}");
    ASSERT_STR_EQ(patch("{\"a\":{\"b\":1}}", "{\"a\":[{\"b\":1}]}", &p), "{\"a\":[{\"b\":1}]}");
    ASSERT_STR_EQ(patch("{\"a\":1}", "{\"a\":\"1\"}", &p), "{\"a\":\"1\"}");
    ASSERT_STR_EQ(patch("{\"a\":null}", "{\"a\":0}", &p), "{\"a\":0}");
    ASSERT_STR_EQ(patch("{\"a\":null}", "{}", &p), "{\"a\":null}");
}

/* Null says that the member is to go, also where it was not there: whoever set it meant so. */
TEST(patch, cannot_set_a_member_to_null)
{
    patched p;

    ASSERT_STR_EQ(patch("{\"a\":1}", "{\"a\":null}", &p), "{\"a\":null}");
    ASSERT_STR_EQ(patch("{}", "{\"a\":null}", &p), "{\"a\":null}");
    ASSERT_STR_EQ(patch("{}", "{\"a\":{\"b\":null,\"c\":{\"d\":null}}}", &p),
                  "{\"a\":{\"b\":null,\"c\":{\"d\":null}}}");
    ASSERT_STR_EQ(patch("{\"a\":1}", "{\"a\":{\"b\":null,\"c\":[{\"d\":null}]}}", &p),
                  "{\"a\":{\"b\":null,\"c\":[{\"d\":null}]}}");
}

/* The examples of RFC 7386, appendix A, that lead from one object to another. */
TEST(patch, makes_the_documents_of_the_rfc)
{
    static const char *const pairs[][2] = {
        { "{\"a\":\"b\"}", "{\"a\":\"c\"}" },
        { "{\"a\":\"b\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
        { "{\"a\":\"b\"}", "{}" },
        { "{\"a\":\"b\",\"b\":\"c\"}", "{\"b\":\"c\"}" },
        { "{\"a\":[\"b\"]}", "{\"a\":\"c\"}" },
        { "{\"a\":\"c\"}", "{\"a\":[\"b\"]}" },
        { "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\"}}" },
        { "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}" },
        { "{\"e\":null}", "{\"e\":null,\"a\":1}" },
        { "{}", "{\"a\":{\"bb\":{}}}" },
    };
    patched p;

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        (void) patch(pairs[i][0], pairs[i][1], &p);
        (void) patch(pairs[i][1], pairs[i][0], &p);
    }
}

TEST(patch, writes_the_demands_into_metadata)
{
    const kin__patch_demand demands[] = { { STR("resourceVersion"), STR("7") },
                                          { STR("uid"), STR("u\"1") } };
    const char *object = "{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"7\"},\"a\":1}";
    patched p;

    ASSERT_STR_EQ(patch_with(object, object, demands, 1, &p),
                  "{\"metadata\":{\"resourceVersion\":\"7\"}}");
    ASSERT_STR_EQ(patch_with(object, object, demands, 2, &p),
                  "{\"metadata\":{\"resourceVersion\":\"7\",\"uid\":\"u\\\"1\"}}");
    ASSERT_STR_EQ(patch_with(object, "{\"metadata\":{\"name\":\"m\"},\"a\":2}", demands, 1, &p),
                  "{\"metadata\":{\"resourceVersion\":\"7\",\"name\":\"m\"},\"a\":2}");
}

TEST(patch, puts_the_demands_above_what_was_edited)
{
    const kin__patch_demand version = { STR("resourceVersion"), STR("7") };
    const char *object = "{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"7\"}}";
    patched p;

    ASSERT_STR_EQ(patch_with(object, "{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"8\"}}",
                             &version, 1, &p),
                  "{\"metadata\":{\"resourceVersion\":\"7\"}}");
    ASSERT_STR_EQ(patch_with(object, "{}", &version, 1, &p),
                  "{\"metadata\":{\"resourceVersion\":\"7\",\"name\":null}}");
    ASSERT_STR_EQ(patch_with(object, "{\"metadata\":[1]}", &version, 1, &p),
                  "{\"metadata\":{\"resourceVersion\":\"7\",\"name\":null}}");
}

/* `depth` objects inside one another, and at the bottom many members and `last`. */
static kin__node *deep_tree(int depth, int members, int last)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };

    for (int i = 0; i < depth; i++) {
        ASSERT_TRUE(kin__buf_append(&json, "{\"a\":", 5));
    }
    ASSERT_TRUE(kin__buf_append(&json, "{", 1));
    for (int i = 0; i < members; i++) {
        ASSERT_TRUE(kin__buf_append_format(&json, "\"n%d\":{},", i));
    }
    ASSERT_TRUE(kin__buf_append_format(&json, "\"last\":%d}", last));
    for (int i = 0; i < depth; i++) {
        ASSERT_TRUE(kin__buf_append(&json, "}", 1));
    }
    return merge_patch_tree(json.data, json.len);
}

/* Different only at the very end: comparing at every level would run over the time limit. */
TEST(patch, looks_at_each_value_once)
{
    enum { DEPTH = 998, MEMBERS = 100000 };
    AUTO(kin__node_free) kin__node *before = deep_tree(DEPTH, MEMBERS, 1);
    AUTO(kin__node_free) kin__node *after = deep_tree(DEPTH, MEMBERS, 2);
    AUTO(kin__buf_fini) kin__buf same = { 0 };
    AUTO(kin__buf_fini) kin__buf changed = { 0 };
    bool replaces_array;

    ASSERT_TRUE(kin__patch_append(before, before, NULL, 0, &same, &replaces_array));
    ASSERT_TRUE(kin__patch_append(before, after, NULL, 0, &changed, &replaces_array));

    ASSERT_EQ(same.len, strlen("{}"));
    ASSERT_EQ(changed.len, strlen("{\"a\":}") * DEPTH + strlen("{\"last\":2}"));
}

/* A document of up to `depth` levels with few names, so that two of them have much in common. */
static void append_random(uint64_t *random, size_t depth, bool is_object, text *out)
{
    static const char *const scalars[] = { "null", "0", "1", "1.0", "\"\"", "\"x\"", "true" };
    size_t kind = is_object ? 9 : random_below(random, depth == 0 ? 7 : 11);

    if (kind < 7) {
        text_append(out, "%s", scalars[kind]);
        return;
    }
    bool is_array = kind == 7;
    text_append(out, is_array ? "[" : "{");
    bool is_first = true;
    for (char name = 'a'; name < 'e'; name++) {
        if (random_below(random, 3) != 0) {
            text_append(out, is_first ? "" : ",");
            if (!is_array) {
                text_append(out, "\"%c\":", name);
            }
            append_random(random, depth - 1, false, out);
            is_first = false;
        }
    }
    text_append(out, is_array ? "]" : "}");
}

TEST(patch, makes_any_document_of_any_other)
{
    uint64_t random = random_start(7386);
    static text before;
    static text after;
    static patched p;

    for (int i = 0; i < 3000; i++) {
        text_clear(&before);
        text_clear(&after);
        append_random(&random, 4, true, &before);
        append_random(&random, 4, true, &after);
        (void) patch(before.chars, after.chars, &p);
    }
}

TEST(patch, fails_when_there_is_no_memory)
{
    AUTO(kin__node_free) kin__node *before = tree_of("{\"a\":1}");
    AUTO(kin__node_free) kin__node *after = tree_of("{\"a\":2}");
    AUTO(kin__buf_fini) kin__buf buf = { .has_failed = true };
    bool replaces_array;

    ASSERT_FALSE(kin__patch_append(before, after, NULL, 0, &buf, &replaces_array));
}

TEST_FAILING_ALLOC(patch, is_written_with_failing_allocations)
{
    AUTO(kin__node_free) kin__node *before = NULL;
    AUTO(kin__node_free) kin__node *after = NULL;
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    const kin__patch_demand version = { STR("resourceVersion"), STR("7") };
    kin__json old =
        kin__json_of(STR("{\"metadata\":{\"name\":\"n\"},\"a\":{\"b\":[1],\"c\":1},\"d\":1}"));
    kin__json new =
        kin__json_of(STR("{\"metadata\":{\"name\":\"n\"},\"a\":{\"b\":[2,3,4],\"c\":1},"
                         "\"e\":\"a text that is longer than a first buffer would be, and "
                         "longer than a second one as well, so that there are several\"}"));
    bool replaces_array;
    kin_error err;

    if (kin__node_from_json(old, &before, &err) != KIN_OK ||
        kin__node_from_json(new, &after, &err) != KIN_OK) {
        return err.code;
    }
    bool is_written = kin__patch_append(before, after, &version, 1, &buf, &replaces_array);
    return is_written ? KIN_OK : KIN_ERR_NO_MEMORY;
}
