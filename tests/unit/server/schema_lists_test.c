/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_lists_test.c - lists that are sets or maps.
 */
#include "server/schema_lists.h"

#include "server/field.h"
#include "support/test.h"

#define OF(member) "{\"type\":\"object\",\"properties\":{\"l\":{\"type\":\"array\"," member "}}}"
#define SET OF("\"x-kubernetes-list-type\":\"set\",\"items\":{\"type\":\"string\"}")
#define MAP                                                                                        \
    OF("\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"n\",\"p\"],"          \
       "\"items\":{\"type\":\"object\"}")

static bool check(const char *schema, const char *object, const char *old, text *out)
{
    AUTO(kin__node_free) kin__node *rules = kin__tree_of(kin_str_of(schema));
    AUTO(kin__node_free) kin__node *node = kin__tree_of(kin_str_of(object));
    AUTO(kin__node_free) kin__node *before = old == NULL ? NULL : kin__tree_of(kin_str_of(old));
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    if (rules == NULL || node == NULL || (old != NULL && before == NULL)) {
        return false;
    }
    kin__refusal_begin_invalid(&no, STR(""), STR("K"), STR("n"));
    kin__schema_lists_check(rules, node, before, &no);
    if (!kin__refusal_end_invalid(&no) && !no.has_no_memory) {
        text_append(out, "%.*s", (int) no.message.len, no.message.data);
    }
    return !no.has_no_memory;
}

static void assert_says(const char *schema, const char *object, const char *old, const char *says)
{
    text got = { 0 };

    ASSERT_TRUE(check(schema, object, old, &got));
    ASSERT_STR_EQ(got.chars, says);
}

TEST(schema_lists, have_nothing_twice_that_are_sets)
{
    assert_says(SET, "{\"l\":[\"a\",\"b\"]}", NULL, "");
    assert_says(SET, "{\"l\":[]}", NULL, "");
    assert_says(SET, "{\"l\":[\"a\",\"a\"]}", NULL,
                "K \"n\" is invalid: l[1]: Duplicate value: \"a\"");
    assert_says(SET, "{\"l\":[\"c\",\"a\",\"c\",\"c\",\"b\",\"a\"]}", NULL,
                "K \"n\" is invalid: [l[2]: Duplicate value: \"c\", l[5]: Duplicate value: \"a\"]");
    assert_says(OF("\"items\":{\"type\":\"string\"}"), "{\"l\":[\"a\",\"a\"]}", NULL, "");
}

TEST(schema_lists, have_no_keys_twice_that_are_maps)
{
    assert_says(MAP, "{\"l\":[{\"n\":\"a\",\"p\":1},{\"n\":\"a\",\"p\":2},{\"n\":\"a\"}]}", NULL,
                "");
    assert_says(MAP, "{\"l\":[{\"n\":\"a\",\"p\":1,\"x\":1},{\"n\":\"a\",\"p\":1,\"x\":2}]}", NULL,
                "K \"n\" is invalid: l[1]: Duplicate value: {\"n\":\"a\",\"p\":1}");
}

TEST(schema_lists, may_stay_as_they_were)
{
    assert_says(SET, "{\"l\":[\"a\",\"a\"],\"x\":1}", "{\"l\":[\"a\",\"a\"]}", "");
    assert_says(SET, "{\"l\":[\"a\",\"a\"]}", "{\"l\":[\"a\"]}",
                "K \"n\" is invalid: l[1]: Duplicate value: \"a\"");
}

TEST(schema_lists, know_the_counterpart_by_its_keys)
{
    AUTO(kin__node_free) kin__node *schema = kin__tree_of(STR(MAP));
    AUTO(kin__node_free)
    kin__node *old = kin__tree_of(STR("[{\"n\":\"a\",\"p\":1},{\"n\":\"b\",\"p\":1,\"v\":7}]"));
    AUTO(kin__node_free) kin__node *b = kin__tree_of(STR("{\"n\":\"b\",\"p\":1}"));
    AUTO(kin__node_free) kin__node *c = kin__tree_of(STR("{\"n\":\"b\"}"));
    const kin__node *list = kin__field_at(schema, "properties", "l");

    ASSERT_TRUE(kin__schema_counterpart(list, b, old) == kin__node_element(old, 1));
    ASSERT_TRUE(kin__schema_counterpart(list, c, old) == NULL);
    ASSERT_TRUE(kin__schema_counterpart(schema, b, old) == NULL);
    ASSERT_TRUE(kin__schema_counterpart(list, b, NULL) == NULL);
}

TEST_FAILING_ALLOC(schema_lists, survive_every_lack_of_memory)
{
    text got = { 0 };

    return check(SET, "{\"l\":[\"a\",\"b\",\"a\"]}", NULL, &got) ? KIN_OK : KIN_ERR_NO_MEMORY;
}
