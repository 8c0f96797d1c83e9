/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field_test.c - members of a tree by name.
 */
#include "server/field.h"

#include "support/test.h"

static void assert_json(const kin__node *node, const char *want)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };

    ASSERT_TRUE(kin__node_append_json(node, &json));
    ASSERT_SLICE_EQ(kin__str(json.data, json.len), want);
}

TEST(field, reads_what_is_there_and_nothing_else)
{
    AUTO(kin__node_free)
    kin__node *tree = kin__tree_of(STR("{\"t\":\"x\",\"n\":5,\"b\":true,\"o\":{\"t\":\"y\"}}"));
    int64_t number = 0;

    ASSERT_SLICE_EQ(kin__field_text(tree, "t"), "x");
    ASSERT_SLICE_EQ(kin__field_text(tree, "n"), "");
    ASSERT_SLICE_EQ(kin__field_text(tree, "none"), "");
    ASSERT_SLICE_EQ(kin__field_text(NULL, "t"), "");
    ASSERT_TRUE(kin__field_int64(tree, "n", &number));
    ASSERT_EQ(number, 5);
    ASSERT_FALSE(kin__field_int64(tree, "t", &number));
    ASSERT_TRUE(kin__field_is_true(tree, "b"));
    ASSERT_FALSE(kin__field_is_true(tree, "t"));
    ASSERT_TRUE(kin__field_at(tree, "o", "t") != NULL);
    ASSERT_TRUE(kin__field_at(tree, "t", "t") == NULL);
}

TEST(field, sets_defaults_only_where_nothing_is)
{
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(STR("{\"a\":\"x\",\"n\":null}"));

    ASSERT_TRUE(kin__field_default_text(tree, "a", "y"));
    ASSERT_TRUE(kin__field_default_text(tree, "b", "y"));
    ASSERT_TRUE(kin__field_default_json(tree, "n", "1"));
    assert_json(tree, "{\"a\":\"x\",\"n\":null,\"b\":\"y\"}");
}

TEST(field, copies_also_what_is_not_there)
{
    AUTO(kin__node_free) kin__node *from = kin__tree_of(STR("{\"a\":{\"b\":[1]}}"));
    AUTO(kin__node_free) kin__node *to = kin__tree_of(STR("{\"a\":1,\"c\":2}"));

    ASSERT_TRUE(kin__field_copy(to, from, "a"));
    ASSERT_TRUE(kin__field_copy(to, from, "c"));
    assert_json(to, "{\"a\":{\"b\":[1]}}");
    ASSERT_TRUE(kin__field_equal(to, from, "a"));
    ASSERT_TRUE(kin__field_equal(to, NULL, "c"));
    ASSERT_FALSE(kin__field_equal(to, NULL, "a"));
}

TEST_FAILING_ALLOC(field, leaves_the_tree_as_it_was_without_memory)
{
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(STR("{\"a\":1}"));

    if (tree == NULL) {
        return KIN_ERR_NO_MEMORY;
    }
    kin__node *made = kin__field_make(tree, "o", KIN_TYPE_OBJECT);
    bool is_done = made != NULL && kin__field_set_text(made, "t", STR("x")) &&
                   kin__field_set_int64(tree, "n", 7) && kin__field_set_json(tree, "a", "[]") &&
                   kin__field_append_text(kin__field(tree, "a"), STR("e")) &&
                   kin__field_copy(tree, made, "t");
    if (!is_done) {
        return KIN_ERR_NO_MEMORY;
    }
    ASSERT_EQ(kin__node_count(tree), 4);
    ASSERT_EQ(kin__node_count(kin__field(tree, "a")), 1);
    return KIN_OK;
}
