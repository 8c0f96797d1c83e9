/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch_tree_test.c - merge patches as trees.
 */
#include "server/patch_tree.h"

#include "base/str.h"
#include "support/test.h"

static kin__node *tree_of(const char *json)
{
    kin__node *node = NULL;
    kin_error err;
    ASSERT_OK(kin__node_from_json(kin__json_of(kin_str_of(json)), &node, &err));
    return node;
}

static const char *json_of(const kin__node *node, text *out)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    ASSERT_TRUE(kin__node_append_json(node, &buf));
    text_clear(out);
    text_append(out, "%.*s", (int) buf.len, buf.data);
    return out->chars;
}

TEST(patch_tree, drops_null_members_at_any_depth)
{
    AUTO(kin__node_free)
    kin__node *node =
        tree_of("{\"a\":null,\"b\":{\"c\":null,\"d\":[null,{\"e\":null,\"f\":1}]},\"g\":null}");
    kin_error err;
    text t;

    ASSERT_OK(kin__patch_drop_nulls(node, &err));
    ASSERT_STR_EQ(json_of(node, &t), "{\"b\":{\"d\":[null,{\"f\":1}]}}");
}

TEST(patch_tree, leaves_null_where_it_takes_a_member)
{
    AUTO(kin__node_free) kin__node *from = tree_of("{\"a\":{\"b\":1},\"c\":2}");
    AUTO(kin__node_free) kin__node *to = tree_of("{\"x\":0}");
    AUTO(kin__node_free) kin__node *taken = NULL;
    kin_error err;
    text t;

    ASSERT_OK(kin__patch_take(from, STR("c"), &taken, &err));
    ASSERT_SLICE_EQ(kin__node_text(taken), "2");
    ASSERT_OK(kin__patch_move(from, STR("a"), to, STR("x"), &err));
    ASSERT_STR_EQ(json_of(from, &t), "{\"a\":null,\"c\":null}");
    ASSERT_STR_EQ(json_of(to, &t), "{\"x\":{\"b\":1}}");
}

TEST(patch_tree, reads_an_object_and_refuses_the_rest)
{
    AUTO(kin__node_free) kin__node *node = NULL;
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__patch_words words = { .prefix = "here: " };
    text t;

    ASSERT_TRUE(kin__patch_tree(STR(" {\"a\":1e3,\"a\":2}"), KIN__FIELDS_WARN, &words, &node,
                                &warnings, &no));
    ASSERT_STR_EQ(json_of(node, &t), "{\"a\":2}");
    ASSERT_EQ(warnings.count, 1);
    kin__node *none = NULL;
    ASSERT_FALSE(kin__patch_tree(STR("[]"), KIN__FIELDS_IGNORE, &words, &none, &warnings, &no));
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len),
                    "here: json: cannot unmarshal array into Go value of type "
                    "map[string]interface {}");
    ASSERT_FALSE(
        kin__patch_tree(STR("{\"a\":1e999}"), KIN__FIELDS_WARN, &words, &none, &warnings, &no));
    ASSERT_EQ(no.code, 400);
}

TEST_FAILING_ALLOC(patch_tree, survives_without_memory)
{
    AUTO(kin__node_free) kin__node *node = NULL;
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__patch_words words = { .prefix = "" };
    kin_error err;

    if (!kin__patch_tree(STR("{\"a\":null,\"b\":[{\"c\":null}],\"b\":{\"d\":null}}"),
                         KIN__FIELDS_WARN, &words, &node, &warnings, &no)) {
        return no.has_no_memory ? KIN_ERR_NO_MEMORY : KIN_ERR_USAGE;
    }
    return kin__patch_drop_nulls(node, &err);
}
