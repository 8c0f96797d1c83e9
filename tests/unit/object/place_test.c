/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place_test.c - where a path leads in a tree, and what is made there.
 */
#include "object/place.h"

#include <string.h>

#include "base/str.h"
#include "support/merge_patch.h"
#include "support/test.h"

static const char sample[] =
    "{\"a\":{\"b\":1,\"n\":null},\"l\":[{\"k\":\"x\",\"v\":1},null,"
    "{\"k\":\"y\",\"v\":20e-1,\"t\":true,\"z\":null}],\"s\":\"\",\"e\":[]}";

static kin__node *tree_of(const char *json)
{
    return merge_patch_tree(json, strlen(json));
}

static const char *json_of(const kin__node *node, text *out)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    ASSERT_TRUE(kin__node_append_json(node, &buf));
    text_clear(out);
    text_append(out, "%.*s", (int) buf.len, buf.data);
    return out->chars;
}

/* What a path leads to in the sample, as JSON; "absent" for a member that is not there. */
static const char *at(const char *path, text *out)
{
    AUTO(kin__node_free) kin__node *root = tree_of(sample);
    kin__place place;
    kin_error err;

    ASSERT_OK(kin__place_find(root, path, &place, &err));
    return place.child == NULL ? "absent" : json_of(place.child, out);
}

/* The sample after `json` was put at `path`. */
static const char *set(const char *path, const char *json, text *out)
{
    AUTO(kin__node_free) kin__node *root = tree_of(sample);
    AUTO(kin__node_free) kin__node *value = tree_of(json);
    kin__place place;
    kin_error err;

    ASSERT_OK(kin__place_find(root, path, &place, &err));
    ASSERT_OK(kin__place_set(&place, &value, &err));
    ASSERT_TRUE(value == NULL);
    return json_of(root, out);
}

static kin_err find_code(const char *path, kin_error *err)
{
    AUTO(kin__node_free) kin__node *root = tree_of(sample);
    kin__place place;
    return kin__place_find(root, path, &place, err);
}

TEST(place, is_found_by_members_and_elements)
{
    text got;

    ASSERT_STR_EQ(at("a.b", &got), "1");
    ASSERT_STR_EQ(at("[\"a\"][\"b\"]", &got), "1");
    ASSERT_STR_EQ(at("l[0].v", &got), "1");
    ASSERT_STR_EQ(at("l[-1].v", &got), "20e-1");
    ASSERT_STR_EQ(at("l[-3].k", &got), "\"x\"");
    ASSERT_STR_EQ(at("a.n", &got), "null");
    ASSERT_STR_EQ(at("a.nobody", &got), "absent");
    ASSERT_STR_EQ(at("nobody.at.all", &got), "absent");
}

TEST(place, is_found_by_a_filter)
{
    text got;

    ASSERT_STR_EQ(at("l[?k==\"y\"].v", &got), "20e-1");
    ASSERT_STR_EQ(at("l[?v==2].k", &got), "\"y\"");
    ASSERT_STR_EQ(at("l[?t==true].k", &got), "\"y\"");
    ASSERT_STR_EQ(at("l[?z==null].k", &got), "\"y\"");
    ASSERT_STR_EQ(at("l[?k!=\"x\"]", &got), "null");
    ASSERT_STR_EQ(at("l[?v!=1]", &got), "null");
    ASSERT_STR_EQ(at("l[?z!=null].k", &got), "\"x\"");
}

TEST(place, is_not_found_where_an_element_is_missing)
{
    static const char *const paths[] = {
        "l[3]",
        "l[-4]",
        "e[0]",
        "e[-1]",
        "l[9223372036854775807]",
        "nobody[0].x",
        "a.n[0]",
        "l[1].x[0]",
        "l[?k==\"z\"].v",
        "l[-9223372036854775808]",
        "l[?t==false]",
        "a.nobody[?k==1]",
        "l[?v==\"1\"]",
        "l[?t==\"true\"]",
        "l[?z==\"null\"]",
    };
    kin_error err;

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (find_code(paths[i], &err) != KIN_ERR_NOT_FOUND) {
            FAIL("%s was found", paths[i]);
        }
    }
    ASSERT_ERR(find_code("l[-4]", &err), KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&err, "there is no element [-4]");
    ASSERT_ERR(find_code("l[?k==\"z\"]", &err), KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&err, "no element has such a \"k\"");
}

TEST(place, is_refused_where_the_type_is_wrong)
{
    kin_error err;

    ASSERT_ERR(find_code("a.b.c", &err), KIN_ERR_TYPE);
    ASSERT_MESSAGE(&err, "step 3 wants an object and finds a value of type number");
    ASSERT_ERR(find_code("l.k", &err), KIN_ERR_TYPE);
    ASSERT_MESSAGE(&err, "step 2 wants an object and finds a value of type array");
    ASSERT_ERR(find_code("a[0]", &err), KIN_ERR_TYPE);
    ASSERT_MESSAGE(&err, "step 2 wants an array and finds a value of type object");
    ASSERT_ERR(find_code("s[?k==1]", &err), KIN_ERR_TYPE);
    ASSERT_ERR(find_code("[0]", &err), KIN_ERR_TYPE);
}

TEST(place, is_refused_when_the_path_does_not_lead_to_one)
{
    kin_error err;

    ASSERT_ERR(find_code("", &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "the path is empty");
    ASSERT_ERR(find_code(NULL, &err), KIN_ERR_USAGE);
    ASSERT_ERR(find_code("l[*].k", &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "[*] does not lead to one place");
    ASSERT_ERR(find_code("nobody.x[*]", &err), KIN_ERR_USAGE);
    ASSERT_ERR(find_code("a..b", &err), KIN_ERR_MALFORMED);
    ASSERT_ERR(find_code("a.\xff", &err), KIN_ERR_MALFORMED);
}

TEST(place, gets_a_value_and_the_objects_on_the_way)
{
    text got;

    ASSERT_CONTAINS(set("a.b", "2", &got), "{\"a\":{\"b\":2,\"n\":null},");
    ASSERT_CONTAINS(set("a.c.d.e", "[2]", &got),
                    "{\"a\":{\"b\":1,\"n\":null,\"c\":{\"d\":{\"e\":[2]}}},");
    ASSERT_CONTAINS(set("a.n.x", "2", &got), "{\"a\":{\"b\":1,\"n\":{\"x\":2}},");
    ASSERT_CONTAINS(set("l[1].x.y", "2", &got), "},{\"x\":{\"y\":2}},{");
    ASSERT_CONTAINS(set("l[1]", "2", &got), "},2,{");
    ASSERT_CONTAINS(set("l[?v==2].k", "{}", &got), "{\"k\":{},\"v\":20e-1,");
    ASSERT_CONTAINS(set("l[?v!=1]", "\"w\"", &got), "},\"w\",{");
}

TEST(place, gets_an_array_to_append_to)
{
    static const char *const cases[][2] = {
        { "e", "\"e\":[7]}" },
        { "a.n", "\"n\":[7]}" },
        { "a.x.y", "\"x\":{\"y\":[7]}}" },
        { "a.n.y", "\"n\":{\"y\":[7]}}" },
        { "l", ",\"z\":null},7]" },
        { "l[1]", "},[7],{" },
    };
    text got;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(kin__node_free) kin__node *root = tree_of(sample);
        AUTO(kin__node_free) kin__node *value = tree_of("7");
        kin__place place;
        kin_error err;
        ASSERT_OK(kin__place_find(root, cases[i][0], &place, &err));
        ASSERT_OK(kin__place_append(&place, &value, &err));
        ASSERT_TRUE(value == NULL);
        ASSERT_CONTAINS(json_of(root, &got), cases[i][1]);
    }
}

TEST(place, is_appended_to_only_when_an_array_is_there)
{
    AUTO(kin__node_free) kin__node *root = tree_of(sample);
    AUTO(kin__node_free) kin__node *value = tree_of("7");
    kin__place place;
    kin_error err;
    text got;

    ASSERT_OK(kin__place_find(root, "s", &place, &err));
    ASSERT_ERR(kin__place_append(&place, &value, &err), KIN_ERR_TYPE);
    ASSERT_MESSAGE(&err, "the value is of type string and not an array");
    ASSERT_TRUE(value != NULL);
    ASSERT_STR_EQ(json_of(root, &got), sample);
}

TEST(place, is_emptied)
{
    static const char *const cases[][2] = {
        { "a.b", "{\"a\":{\"n\":null}," },
        { "l[1]", "\"v\":1},{\"k\"" },
        { "l[?k==\"y\"]", "\"v\":1},null]" },
        { "s", "}],\"e\":[]}" },
    };
    static const char *const absent[] = { "nobody", "a.x", "a.n.x", "nobody.at.all", "l[1].x" };
    kin__place place;
    kin_error err;
    text got;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(kin__node_free) kin__node *root = tree_of(sample);
        ASSERT_OK(kin__place_find(root, cases[i][0], &place, &err));
        kin__place_remove(&place);
        ASSERT_CONTAINS(json_of(root, &got), cases[i][1]);
    }
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        AUTO(kin__node_free) kin__node *root = tree_of(sample);
        ASSERT_OK(kin__place_find(root, absent[i], &place, &err));
        kin__place_remove(&place);
        ASSERT_STR_EQ(json_of(root, &got), sample);
    }
}

TEST_FAILING_ALLOC(place, leaves_no_trace_of_a_value_that_could_not_be_set)
{
    AUTO(kin__node_free) kin__node *root = NULL;
    AUTO(kin__node_free) kin__node *value = NULL;
    kin__place place;
    kin_error err;

    if (kin__node_from_json(kin__json_of(STR("{\"a\":{\"b\":null}}")), &root, &err) != KIN_OK ||
        kin__node_string(STR("x"), &value, &err) != KIN_OK) {
        return err.code;
    }
    ASSERT_OK(kin__place_find(root, "a.c.d.e.f", &place, &err));
    if (kin__place_append(&place, &value, &err) != KIN_OK) {
        ASSERT_TRUE(value != NULL);
        ASSERT_EQ(kin__node_count(kin__node_member(root, STR("a"))), 1);
        return err.code;
    }
    ASSERT_EQ(kin__node_count(kin__node_member(root, STR("a"))), 2);
    return KIN_OK;
}

/* Four elements fill the table that an array begins with. */
TEST_FAILING_ALLOC(place, leaves_an_array_as_it_was_when_it_cannot_grow)
{
    AUTO(kin__node_free) kin__node *root = NULL;
    AUTO(kin__node_free) kin__node *value = NULL;
    kin__place place;
    kin_error err;

    if (kin__node_from_json(kin__json_of(STR("{\"a\":[1,2,3,4]}")), &root, &err) != KIN_OK ||
        kin__node_string(STR("x"), &value, &err) != KIN_OK) {
        return err.code;
    }
    ASSERT_OK(kin__place_find(root, "a", &place, &err));
    if (kin__place_append(&place, &value, &err) != KIN_OK) {
        ASSERT_TRUE(value != NULL);
        ASSERT_EQ(kin__node_count(place.child), 4);
        return err.code;
    }
    ASSERT_EQ(kin__node_count(place.child), 5);
    return KIN_OK;
}
