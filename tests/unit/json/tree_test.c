/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_test.c - a JSON document that can be changed.
 */
#include "json/tree.h"

#include <stdlib.h>
#include <string.h>

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

static kin__node *string(const char *chars)
{
    kin__node *node = NULL;
    kin_error err;
    ASSERT_OK(kin__node_string(kin_str_of(chars), &node, &err));
    return node;
}

static void set(kin__node *object, const char *name, kin__node *child)
{
    kin_error err;
    ASSERT_OK(kin__node_set_member(object, kin_str_of(name), child, &err));
}

static bool equal(const char *a, const char *b)
{
    AUTO(kin__node_free) kin__node *left = tree_of(a);
    AUTO(kin__node_free) kin__node *right = tree_of(b);
    bool is_equal = kin__node_equal(left, right);
    ASSERT_EQ(kin__node_equal(right, left), is_equal);
    return is_equal;
}

static kin_err read_code(kin_str bytes)
{
    kin__node *node = NULL;
    kin_error err;
    kin_err code = kin__node_from_json(kin__json_of(bytes), &node, &err);
    ASSERT_TRUE((node != NULL) == (code == KIN_OK));
    kin__node_free(node);
    return code;
}

/* `depth` arrays inside one another; at most 2,000. */
static const char *nested(size_t depth, text *out)
{
    text_clear(out);
    for (size_t i = 0; i < depth; i++) {
        text_append(out, "[");
    }
    for (size_t i = 0; i < depth; i++) {
        text_append(out, "]");
    }
    return out->chars;
}

TEST(tree, writes_what_it_read_without_white_space)
{
    text got;
    AUTO(kin__node_free)
    kin__node *node =
        tree_of(" { \"a\" : [ 1 , -0.50e+3 , true , false , null , \"x\" , [ ] , { } ] ,\n"
                "\t\"b\" : { \"c\" : \"\" , \"\" : 12345678901234567890123 } } \r\n");

    ASSERT_STR_EQ(json_of(node, &got), "{\"a\":[1,-0.50e+3,true,false,null,\"x\",[],{}],"
                                       "\"b\":{\"c\":\"\",\"\":12345678901234567890123}}");
}

TEST(tree, knows_the_type_and_the_text_of_a_scalar)
{
    AUTO(kin__node_free) kin__node *node = tree_of("[\"a\\u00e9\\n\",1.0,true,false,null,[1],{}]");

    ASSERT_EQ(kin__node_type(node), KIN_TYPE_ARRAY);
    ASSERT_EQ(kin__node_count(node), 7);
    ASSERT_SLICE_EQ(kin__node_text(kin__node_element(node, 0)), "a\xc3\xa9\n");
    ASSERT_SLICE_EQ(kin__node_text(kin__node_element(node, 1)), "1.0");
    ASSERT_SLICE_EQ(kin__node_text(kin__node_element(node, 2)), "true");
    ASSERT_SLICE_EQ(kin__node_text(kin__node_element(node, 3)), "false");
    ASSERT_SLICE_EQ(kin__node_text(kin__node_element(node, 4)), "null");
    ASSERT_SLICE_EQ(kin__node_text(kin__node_element(node, 5)), "");
    ASSERT_EQ(kin__node_type(kin__node_element(node, 0)), KIN_TYPE_STRING);
    ASSERT_EQ(kin__node_type(kin__node_element(node, 1)), KIN_TYPE_NUMBER);
    ASSERT_EQ(kin__node_type(kin__node_element(node, 3)), KIN_TYPE_BOOL);
    ASSERT_EQ(kin__node_type(kin__node_element(node, 4)), KIN_TYPE_NULL);
    ASSERT_EQ(kin__node_type(kin__node_element(node, 6)), KIN_TYPE_OBJECT);
    ASSERT_EQ(kin__node_count(kin__node_element(node, 0)), 0);
}

TEST(tree, keeps_each_name_once_with_its_last_value_at_its_first_place)
{
    text got;
    AUTO(kin__node_free) kin__node *node = tree_of("{\"a\":{\"x\":1},\"b\":2,\"\\u0061\":3}");

    ASSERT_STR_EQ(json_of(node, &got), "{\"a\":3,\"b\":2}");
    ASSERT_EQ(kin__node_count(node), 2);
}

/* The names of the inner object are decoded while the outer name is being read. */
TEST(tree, decodes_names_that_have_escapes_at_several_levels)
{
    text got;
    AUTO(kin__node_free)
    kin__node *node =
        tree_of("{\"\\u0061\\n\":{\"\\u0062\":{\"\\u0063\":1},\"\\u0064\":2},\"\\u0065\":3}");

    ASSERT_STR_EQ(json_of(node, &got), "{\"a\\n\":{\"b\":{\"c\":1},\"d\":2},\"e\":3}");
    ASSERT_TRUE(kin__node_member(node, STR("a\n")) != NULL);
}

TEST(tree, finds_members_and_elements)
{
    AUTO(kin__node_free) kin__node *node = tree_of("{\"a\":[10,11]}");
    const kin__node *array = kin__node_member(node, STR("a"));

    ASSERT_SLICE_EQ(kin__node_text(kin__node_element(array, 1)), "11");
    ASSERT_TRUE(kin__node_element(array, 2) == NULL);
    ASSERT_TRUE(kin__node_element(array, SIZE_MAX) == NULL);
    ASSERT_TRUE(kin__node_member(node, STR("b")) == NULL);
    ASSERT_TRUE(kin__node_member(array, STR("a")) == NULL);
    ASSERT_TRUE(kin__node_element(node, 0) == NULL);
    ASSERT_TRUE(kin__node_member(kin__node_element(array, 0), STR("a")) == NULL);
}

TEST(tree, walks_members_and_elements_in_their_order)
{
    AUTO(kin__node_free) kin__node *node = tree_of("{\"b\":1,\"a\":[2,3]}");
    kin__node_iter members = { 0 };
    kin__node_iter elements = { 0 };
    text got = { 0 };

    while (kin__node_next(node, &members)) {
        text_append(&got, "%.*s ", KIN_STR_ARG(members.name));
    }
    while (kin__node_next(kin__node_member(node, STR("a")), &elements)) {
        ASSERT_EQ(elements.name.len, 0);
        text_append(&got, "%.*s ", KIN_STR_ARG(kin__node_text(elements.value)));
    }

    ASSERT_STR_EQ(got.chars, "b a 2 3 ");
    ASSERT_FALSE(kin__node_next(node, &members));
    kin__node_iter none = { 0 };
    ASSERT_FALSE(kin__node_next(kin__node_member(node, STR("b")), &none));
}

TEST(tree, sets_and_removes_members)
{
    AUTO(kin__node_free) kin__node *node = tree_of("{\"a\":1,\"b\":{\"x\":[1]},\"c\":3}");
    text got;

    set(node, "b", string("new"));
    set(node, "d", string(""));
    kin__node_remove_member(node, STR("a"));
    kin__node_remove_member(node, STR("nobody"));

    ASSERT_STR_EQ(json_of(node, &got), "{\"b\":\"new\",\"c\":3,\"d\":\"\"}");
}

TEST(tree, sets_appends_and_removes_elements)
{
    AUTO(kin__node_free) kin__node *node = tree_of("[1,[2],3]");
    kin_error err;
    text got;

    kin__node_set_element(node, 1, string("two"));
    ASSERT_OK(kin__node_append(node, string("four"), &err));
    kin__node_remove_element(node, 0);
    kin__node_remove_element(node, 3);

    ASSERT_STR_EQ(json_of(node, &got), "[\"two\",3,\"four\"]");
    for (int i = 0; i < 20; i++) {
        ASSERT_OK(kin__node_append(node, string("more"), &err));
    }
    ASSERT_EQ(kin__node_count(node), 23);
    for (int i = 0; i < 23; i++) {
        kin__node_remove_element(node, 0);
    }
    ASSERT_STR_EQ(json_of(node, &got), "[]");
}

TEST(tree, inserts_and_takes_elements)
{
    AUTO(kin__node_free) kin__node *node = tree_of("[1]");
    kin_error err;
    text t;

    for (int i = 0; i < 5; i++) {
        ASSERT_OK(kin__node_insert(node, 1, tree_of("2"), &err));
    }
    ASSERT_OK(kin__node_insert(node, 6, tree_of("3"), &err));
    ASSERT_OK(kin__node_insert(node, 0, tree_of("0"), &err));
    ASSERT_STR_EQ(json_of(node, &t), "[0,1,2,2,2,2,2,3]");
    AUTO(kin__node_free) kin__node *taken = kin__node_take_element(node, 1);
    ASSERT_SLICE_EQ(kin__node_text(taken), "1");
    ASSERT_TRUE(kin__node_take_element(node, 7) == NULL);
    ASSERT_STR_EQ(json_of(node, &t), "[0,2,2,2,2,2,3]");
}

TEST(tree, takes_and_swaps_members)
{
    AUTO(kin__node_free) kin__node *node = tree_of("{\"a\":1,\"b\":2}");
    text t;

    AUTO(kin__node_free) kin__node *swapped = kin__node_swap_member(node, STR("a"), tree_of("3"));
    ASSERT_SLICE_EQ(kin__node_text(swapped), "1");
    AUTO(kin__node_free) kin__node *unused = tree_of("4");
    ASSERT_TRUE(kin__node_swap_member(node, STR("c"), unused) == NULL);
    AUTO(kin__node_free) kin__node *taken = kin__node_take_member(node, STR("b"));
    ASSERT_SLICE_EQ(kin__node_text(taken), "2");
    ASSERT_TRUE(kin__node_take_member(node, STR("b")) == NULL);
    ASSERT_STR_EQ(json_of(node, &t), "{\"a\":3}");
}

TEST(tree, makes_single_nodes)
{
    kin__node *yes = NULL;
    kin__node *no = NULL;
    kin__node *ten = NULL;
    AUTO(kin__node_free) kin__node *node = NULL;
    kin_error err;
    text got;

    ASSERT_OK(kin__node_container(KIN_TYPE_OBJECT, &node, &err));
    ASSERT_OK(kin__node_bool(true, &yes, &err));
    ASSERT_OK(kin__node_bool(false, &no, &err));
    ASSERT_OK(kin__node_number(STR("1e1"), &ten, &err));
    set(node, "yes", yes);
    set(node, "no", no);
    set(node, "ten", ten);
    set(node, "text", string("a\"<\x01"));

    ASSERT_STR_EQ(json_of(node, &got),
                  "{\"yes\":true,\"no\":false,\"ten\":1e1,\"text\":\"a\\\"\\u003c\\u0001\"}");
}

TEST(tree, compares_members_in_any_order_and_numbers_by_value)
{
    ASSERT_TRUE(equal("{\"a\":1,\"b\":[1,2]}", "{\"b\":[1.0,20e-1],\"a\":1}"));
    ASSERT_TRUE(equal("\"a\\u0062\"", "\"ab\""));
    ASSERT_TRUE(equal("{}", "{}"));
    ASSERT_TRUE(equal("null", "null"));
    ASSERT_FALSE(equal("{\"a\":1}", "{\"a\":2}"));
    ASSERT_FALSE(equal("{\"a\":1}", "{\"b\":1}"));
    ASSERT_FALSE(equal("{\"a\":1}", "{\"a\":1,\"b\":1}"));
    ASSERT_FALSE(equal("{\"a\":null}", "{}"));
    ASSERT_FALSE(equal("[1,2]", "[2,1]"));
    ASSERT_FALSE(equal("[1,2]", "[1]"));
    ASSERT_FALSE(equal("[]", "{}"));
    ASSERT_FALSE(equal("1", "\"1\""));
    ASSERT_FALSE(equal("true", "false"));
    ASSERT_FALSE(equal("0.1", "0.10000000000000000001"));
}

TEST(tree, tells_how_deep_it_is)
{
    static const struct {
        const char *json;
        size_t depth;
    } cases[] = {
        { "1", 0 }, { "[]", 1 }, { "{}", 1 }, { "[[],1,{\"a\":[[]]}]", 4 }, { "{\"a\":{}}", 2 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(kin__node_free) kin__node *node = tree_of(cases[i].json);
        ASSERT_EQ(kin__node_depth(node), cases[i].depth);
    }
}

TEST(tree, reads_compares_and_frees_a_thousand_levels)
{
    static text json;
    static text got;
    AUTO(kin__node_free) kin__node *a = tree_of(nested(1000, &json));
    AUTO(kin__node_free) kin__node *b = tree_of(json.chars);

    ASSERT_EQ(kin__node_depth(a), 1000);
    ASSERT_TRUE(kin__node_equal(a, b));
    ASSERT_STR_EQ(json_of(a, &got), json.chars);
}

TEST(tree, refuses_more_than_a_thousand_levels)
{
    static text json;
    kin__node *node = NULL;
    kin_error err;

    ASSERT_ERR(kin__node_from_json(kin__json_of(kin_str_of(nested(1001, &json))), &node, &err),
               KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "nested deeper than 1000");
    ASSERT_TRUE(node == NULL);
}

/* The bytes have been through the scanner, so this cannot happen; all the same nothing is read
 * beyond their end. */
TEST(tree, fails_on_every_beginning_of_a_document)
{
    const char *json = "{\"a\":[1,\"x\\u0061\",{\"b\\n\":true}], \"c\" : null }";
    size_t len = strlen(json);

    for (size_t cut = 0; cut < len; cut++) {
        char *bytes = malloc(cut == 0 ? 1 : cut); /* of the exact size, for AddressSanitizer */
        ASSERT_TRUE(bytes != NULL);
        memcpy(bytes, json, cut);
        ASSERT_ERR(read_code(kin__str(bytes, cut)), KIN_ERR_MALFORMED);
        free(bytes);
    }
    ASSERT_OK(read_code(kin__str(json, len)));
}

TEST(tree, fails_on_what_is_no_json)
{
    static const char *const texts[] = { "",           "  ",      "[,]",      "[1,]",
                                         "{1:2}",      "{\"a\"}", "{\"a\":}", "{\"a\" 1}",
                                         "{\"a\":1,}", "}",       "x",        "[1}" };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (read_code(kin_str_of(texts[i])) != KIN_ERR_MALFORMED) {
            FAIL("%s was read", texts[i]);
        }
    }
}

/* Deep, and with all its bytes at the bottom: work that grew with depth times size would run over
 * the time limit. */
TEST(tree, reads_each_byte_once)
{
    enum { DEPTH = 999, ELEMENTS = 1000000 };
    AUTO(kin__buf_fini) kin__buf json = { 0 };

    for (int i = 0; i < DEPTH; i++) {
        ASSERT_TRUE(kin__buf_append(&json, "{\"a\":", 5));
    }
    ASSERT_TRUE(kin__buf_append(&json, "[0", 2));
    for (int i = 1; i < ELEMENTS; i++) {
        ASSERT_TRUE(kin__buf_append(&json, ",0", 2));
    }
    ASSERT_TRUE(kin__buf_append(&json, "]", 1));
    for (int i = 0; i < DEPTH; i++) {
        ASSERT_TRUE(kin__buf_append(&json, "}", 1));
    }

    ASSERT_OK(read_code(kin__str(json.data, json.len)));
}

TEST(tree, reads_many_members_in_a_time_that_grows_with_their_number)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__node_free) kin__node *a = NULL;
    AUTO(kin__node_free) kin__node *b = NULL;
    kin_error err;

    ASSERT_TRUE(kin__buf_append(&json, "{\"last\":0", 9));
    for (int i = 0; i < 200000; i++) {
        ASSERT_TRUE(kin__buf_append_format(&json, ",\"n%d\":0", i % 150000));
    }
    ASSERT_TRUE(kin__buf_append(&json, "}", 1));
    kin__json value = kin__json_of(kin__str(json.data, json.len));

    ASSERT_OK(kin__node_from_json(value, &a, &err));
    ASSERT_OK(kin__node_from_json(value, &b, &err));
    ASSERT_EQ(kin__node_count(a), 150001);
    ASSERT_TRUE(kin__node_equal(a, b));
}

TEST_FAILING_ALLOC(tree, reads_and_writes_with_failing_allocations)
{
    AUTO(kin__node_free) kin__node *node = NULL;
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_error err;
    kin_str json =
        STR("{\"\\u0061\":[1,2,3,4,5,\"\\n\"],\"b\":{\"c\":true,\"c\":[null]},\"d\":0,\"e\":0,"
            "\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,\"k\":0,\"l\":0,\"m\":0,\"n\":0,"
            "\"o\":0,\"p\":0}");

    if (kin__node_from_json(kin__json_of(json), &node, &err) != KIN_OK) {
        ASSERT_TRUE(node == NULL);
        ASSERT_MESSAGE(&err, "out of memory");
        return err.code;
    }
    return kin__node_append_json(node, &buf) ? KIN_OK : KIN_ERR_NO_MEMORY;
}

/* One change after another; the tree must always be as the last one that worked has left it, and
 * the child of the one that failed is still the caller's. */
TEST_FAILING_ALLOC(tree, stays_as_it_was_when_a_change_fails)
{
    AUTO(kin__node_free) kin__node *root = NULL;
    AUTO(kin__node_free) kin__node *child = NULL;
    kin__node *array = NULL;
    kin_error err;
    kin_err code = KIN_OK;
    size_t done = 0;

    if (kin__node_container(KIN_TYPE_OBJECT, &root, &err) != KIN_OK ||
        kin__node_container(KIN_TYPE_ARRAY, &child, &err) != KIN_OK ||
        kin__node_set_member(root, STR("array"), child, &err) != KIN_OK) {
        return err.code;
    }
    array = STEAL(child);
    for (; code == KIN_OK && done < 40; done++) {
        char name[2] = { (char) ('A' + done), '\0' };
        code = kin__node_number(STR("1"), &child, &err);
        if (code == KIN_OK) {
            code = done % 2 == 0 ? kin__node_append(array, child, &err)
                                 : kin__node_set_member(root, kin_str_of(name), child, &err);
        }
        if (code != KIN_OK) {
            break;
        }
        child = NULL;
    }
    ASSERT_EQ(kin__node_count(array), (done + 1) / 2);
    ASSERT_EQ(kin__node_count(root), 1 + done / 2);
    ASSERT_TRUE(kin__node_member(root, STR("array")) == array);
    return code;
}

TEST_FAILING_ALLOC(tree, makes_single_nodes_with_failing_allocations)
{
    AUTO(kin__node_free) kin__node *string_node = NULL;
    AUTO(kin__node_free) kin__node *number_node = NULL;
    AUTO(kin__node_free) kin__node *bool_node = NULL;
    kin_error err;

    if (kin__node_string(STR("a"), &string_node, &err) != KIN_OK ||
        kin__node_number(STR("1"), &number_node, &err) != KIN_OK ||
        kin__node_bool(true, &bool_node, &err) != KIN_OK) {
        return err.code;
    }
    return KIN_OK;
}
