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
