/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_tree_test.c - JSON from outside.
 */
#include "server/text_tree.h"

#include "base/str.h"
#include "support/test.h"

TEST(text_tree, is_made_of_a_document_of_the_right_type)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    kin_error err;

    ASSERT_OK(kin__text_tree(STR(" {\"a\":[1]} "), KIN_TYPE_OBJECT, &tree, &err));
    ASSERT_EQ(kin__node_count(kin__node_member(tree, STR("a"))), 1);
}

TEST(text_tree, is_refused_with_what_is_wrong)
{
    kin__node *tree = NULL;
    kin_error err;

    ASSERT_ERR(kin__text_tree(STR("[]"), KIN_TYPE_OBJECT, &tree, &err), KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "not an object");
    ASSERT_ERR(kin__text_tree(STR("{}"), KIN_TYPE_ARRAY, &tree, &err), KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "not an array");
    ASSERT_ERR(kin__text_tree(STR("{} {}"), KIN_TYPE_OBJECT, &tree, &err), KIN_ERR_MALFORMED);
    ASSERT_CONTAINS(err.message, "at byte 3");
    ASSERT_ERR(kin__text_tree(STR(""), KIN_TYPE_OBJECT, &tree, &err), KIN_ERR_MALFORMED);
    ASSERT_TRUE(tree == NULL);
}

TEST_FAILING_ALLOC(text_tree, survives_without_memory)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    kin_error err;

    return kin__text_tree(STR("{\"a\":[1,\"b\"]}"), KIN_TYPE_OBJECT, &tree, &err);
}
