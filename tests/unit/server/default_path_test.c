/* SPDX-License-Identifier: Apache-2.0 */
/*
 * default_path_test.c - where defaults go.
 */
#include "server/default_path.h"

#include "base/str.h"
#include "server/field.h"
#include "support/test.h"

static void becomes(const char *object, const char *path, const char *json, const char *want)
{
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(kin_str_of(object));
    AUTO(kin__buf_fini) kin__buf made = { 0 };

    ASSERT_TRUE(kin__default_at(tree, path, json));

    ASSERT_TRUE(kin__node_append_json(tree, &made));
    ASSERT_SLICE_EQ(kin__str(made.data, made.len), want);
}

TEST(default_path, makes_what_is_on_the_way)
{
    becomes("{}", "a.b.c", "1", "{\"a\":{\"b\":{\"c\":1}}}");
    becomes("{\"a\":{\"b\":2}}", "a.b", "1", "{\"a\":{\"b\":2}}");
    becomes("{\"a\":null}", "a", "1", "{\"a\":1}");
    becomes("{\"a\":0}", "a", "1", "{\"a\":0}");
}

TEST(default_path, goes_only_where_something_is)
{
    becomes("{}", "a?.b", "1", "{}");
    becomes("{\"a\":{}}", "a?.b", "1", "{\"a\":{\"b\":1}}");
    becomes("{\"a\":\"text\"}", "a?.b", "1", "{\"a\":\"text\"}");
}

TEST(default_path, goes_into_each_element)
{
    becomes("{}", "a[].b", "1", "{}");
    becomes("{\"a\":[{},7,{\"b\":2}]}", "a[].b", "1", "{\"a\":[{\"b\":1},7,{\"b\":2}]}");
    becomes("{\"a\":[{\"c\":[{}]}]}", "a[].c[].b", "1", "{\"a\":[{\"c\":[{\"b\":1}]}]}");
}

TEST(default_path, takes_zeros_for_nothing_when_it_is_told_so)
{
    becomes("{\"a\":0}", "a~", "1", "{\"a\":1}");
    becomes("{\"a\":\"\"}", "a~", "1", "{\"a\":1}");
    becomes("{\"a\":2}", "a~", "1", "{\"a\":2}");
    becomes("{\"a\":false}", "a~", "1", "{\"a\":false}");
}

TEST(default_path, finds_what_is_at_plain_names)
{
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(STR("{\"a\":{\"b\":[7]}}"));

    ASSERT_TRUE(kin__default_find(tree, "") == tree);
    ASSERT_TRUE(kin__node_is(kin__default_find(tree, "a.b"), KIN_TYPE_ARRAY));
    ASSERT_TRUE(kin__default_find(tree, "a.c") == NULL);
    ASSERT_TRUE(kin__default_find(tree, "a.b.c") == NULL);
}

TEST_FAILING_ALLOC(default_path, survives_every_lack_of_memory)
{
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(STR("{\"a\":[{}]}"));

    return tree != NULL && kin__default_at(tree, "a[].b.c", "1") ? KIN_OK : KIN_ERR_NO_MEMORY;
}
