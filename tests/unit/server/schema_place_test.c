/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_place_test.c - where a walk along a schema is.
 */
#include "server/schema_place.h"

#include "support/test.h"

TEST(schema_place, is_told_as_a_path)
{
    kin__schema_place at = { 0 };

    size_t root = kin__schema_enter(&at, STR("spec"));
    size_t spec = kin__schema_enter(&at, STR("list"));
    size_t list = kin__schema_enter_element(&at, 2);
    ASSERT_TRUE(kin__str_equal(kin__str(at.path.data, at.path.len), STR("spec.list[2]")));
    kin__schema_leave(&at, list);
    kin__schema_leave(&at, spec);
    ASSERT_TRUE(kin__str_equal(kin__str(at.path.data, at.path.len), STR("spec")));
    kin__schema_leave(&at, root);
    ASSERT_EQ(at.path.len, 0);
    kin__buf_fini(&at.path);
}

TEST(schema_place, knows_what_a_schema_says_of_a_member)
{
    AUTO(kin__node_free)
    kin__node *schema = kin__tree_of(STR("{\"properties\":{\"a\":{\"type\":\"string\"}},"
                                         "\"x-kubernetes-embedded-resource\":true}"));
    AUTO(kin__node_free)
    kin__node *open = kin__tree_of(STR("{\"x-kubernetes-preserve-unknown-fields\":true}"));
    AUTO(kin__node_free)
    kin__node *map = kin__tree_of(STR("{\"additionalProperties\":{\"type\":\"integer\"}}"));
    bool is_known = false;

    ASSERT_TRUE(kin__schema_member(schema, STR("a"), &is_known) != NULL && is_known);
    ASSERT_TRUE(kin__schema_member(schema, STR("b"), &is_known) == NULL && !is_known);
    ASSERT_TRUE(kin__schema_member(open, STR("b"), &is_known) == NULL && is_known);
    ASSERT_TRUE(kin__schema_member(map, STR("b"), &is_known) != NULL && is_known);
    ASSERT_TRUE(kin__schema_is_own(schema, false, STR("metadata")));
    ASSERT_TRUE(kin__schema_is_own(open, true, STR("kind")));
    ASSERT_TRUE(!kin__schema_is_own(open, false, STR("kind")));
    ASSERT_TRUE(!kin__schema_is_own(open, true, STR("spec")));
}

TEST(schema_place, takes_out_what_was_noted)
{
    AUTO(kin__node_free)
    kin__node *node = kin__tree_of(STR("{\"a\":1,\"b\":2,\"\":3,\"c\":4}"));
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__buf_fini) kin__buf told = { 0 };
    AUTO(kin__buf_fini) kin__buf untold = { 0 };
    AUTO(kin__buf_fini) kin__buf left = { 0 };
    kin__schema_place at = { 0 };

    (void) kin__schema_enter(&at, STR("spec"));
    kin__schema_note(&told, STR("a"));
    kin__schema_note(&told, STR("c"));
    kin__schema_note(&untold, STR(""));
    kin__schema_drop(&at, node, &told, &warnings);
    kin__schema_drop(&at, node, &untold, NULL);

    ASSERT_TRUE(kin__node_append_json(node, &left));
    ASSERT_TRUE(kin__str_equal(kin__str(left.data, left.len), STR("{\"b\":2}")));
    ASSERT_EQ(warnings.count, 2);
    ASSERT_TRUE(kin__str_equal(kin__codec_warning(&warnings, 0), STR("unknown field \"spec.a\"")));
    ASSERT_TRUE(kin__str_equal(kin__codec_warning(&warnings, 1), STR("unknown field \"spec.c\"")));
    ASSERT_TRUE(kin__str_equal(kin__str(at.path.data, at.path.len), STR("spec")));
    kin__buf_fini(&at.path);
}
