/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_encoding_test.c - values of objects whose bytes are JSON.
 */
#include "base/str.h"
#include "object/encoding.h"
#include "object/object.h"
#include "unit/object/making.h"

/* The member of the object itself called `name`. */
static const char *top(const kin_object *object, kin_str name)
{
    static text got;

    text_clear(&got);
    append_value(&got, kin_value_member(kin__object_root(object), name));
    return got.chars;
}

TEST(json_encoding, finds_top_level_fields_by_their_places)
{
    kin_object *object = make("{\"a\":1, \"\" : 2 ,\"metadata\":{\"name\":\"n\"},\"ab\"\n:\t[3]}");

    ASSERT_EQ(object->place_count, 4);
    ASSERT_STR_EQ(top(object, STR("a")), "1");
    ASSERT_STR_EQ(top(object, STR("")), "2");
    ASSERT_STR_EQ(top(object, STR("ab")), "[3]");
    ASSERT_STR_EQ(top(object, STR("abc")), "missing");
    ASSERT_STR_EQ(top(object, STR("b")), "missing");
    kin_object_unref(object);
}

TEST(json_encoding, finds_the_last_of_equal_top_level_fields)
{
    kin_object *object = make("{\"a\":1,\"metadata\":{\"name\":\"n\"},\"a\":2,\"b\":0}");

    ASSERT_STR_EQ(top(object, STR("a")), "2");
    kin_object_unref(object);
}

/* The table compares bytes, so a name must not match across the end of a key. */
TEST(json_encoding, does_not_take_several_tokens_for_a_name)
{
    kin_object *object = make("{\"a\":\"b\",\"metadata\":{\"name\":\"n\"},\"z\":\"\"}");

    ASSERT_STR_EQ(top(object, STR("a\":\"b")), "missing");
    ASSERT_STR_EQ(top(object, STR("a\":\"b\",\"metadata")), "missing");
    ASSERT_STR_EQ(top(object, STR("z\":\"\"}")), "missing");
    ASSERT_STR_EQ(top(object, STR("z\":\"\"}..................................")), "missing");
    kin_object_unref(object);
}

TEST(json_encoding, finds_top_level_fields_with_escapes)
{
    kin_object *object = make("{\"\\u0061\":1,\"q\\\"q\":2,\"metadata\":{\"name\":\"n\"}}");

    ASSERT_EQ(object->place_count, 0);
    ASSERT_STR_EQ(top(object, STR("a")), "1");
    ASSERT_STR_EQ(top(object, STR("q\"q")), "2");
    ASSERT_STR_EQ(top(object, STR("\\u0061")), "missing");
    kin_object_unref(object);
}

TEST(json_encoding, finds_top_level_fields_that_are_too_many_for_a_table)
{
    text json = { 0 };

    text_append(&json, "{\"metadata\":{\"name\":\"n\"}");
    for (int i = 0; i < 31; i++) {
        text_append(&json, ",\"f%d\":%d", i, i);
    }
    text more = json;
    text_append(&json, "}");
    text_append(&more, ",\"f0\":\"again\"}");
    kin_object *full = make(json.chars);
    kin_object *over = make(more.chars);

    ASSERT_EQ(full->place_count, 32);
    ASSERT_EQ(over->place_count, 0);
    ASSERT_STR_EQ(top(full, STR("f0")), "0");
    ASSERT_STR_EQ(top(full, STR("f30")), "30");
    ASSERT_STR_EQ(top(over, STR("f0")), "\"again\"");
    ASSERT_STR_EQ(top(over, STR("f30")), "30");
    kin_object_unref(full);
    kin_object_unref(over);
}

TEST(json_encoding, finds_fields_below_the_top)
{
    kin_object *object =
        make("{\"metadata\":{\"name\":\"n\"},\"spec\":{\"x\":{\"y\":[0,{\"z\":1}]}}}");
    text got = { 0 };

    append_value(&got, kin_object_at(object, "spec.x.y[1].z"));
    append_value(&got, kin_object_at(object, "spec.metadata"));

    ASSERT_STR_EQ(got.chars, "1missing");
    kin_object_unref(object);
}

TEST(json_encoding, reads_without_an_allocation)
{
    kin_object *object = make("{\"metadata\":{\"name\":\"n\"},\"spec\":{\"nodeName\":\"x\\ny\"}}");
    long long before = live_blocks();
    char scratch[16];
    kin_str str;

    ASSERT_OK(kin_value_str(kin_object_at(object, "spec.nodeName"), scratch, sizeof scratch, &str));

    ASSERT_SLICE_EQ(str, "x\ny");
    ASSERT_EQ(live_blocks(), before);
    kin_object_unref(object);
}

/* Spaces inside strings stay; quotes inside strings do not end them. */
TEST(json_encoding, leaves_white_space_out_of_its_text)
{
    kin_object *object =
        make("{ \"metadata\" : {\"name\":\"n\"} , \"x\" : [ \" a \\\" b \" , { } , \t1.0 ] }");
    text got = { 0 };

    append_value(&got, kin_object_at(object, "x"));
    append_value(&got, kin_object_at(object, "x[0]"));
    append_value(&got, kin_object_at(object, "x[2]"));

    ASSERT_STR_EQ(got.chars, "[\" a \\\" b \",{},1.0]\" a \\\" b \"1.0");
    kin_object_unref(object);
}

TEST(json_encoding, walks_members_with_odd_names)
{
    kin_object *object =
        make("{\"metadata\":{\"name\":\"n\"},\"x\":{\"\":1, \"\\\"\" : 2,\"]\":3}}");
    kin_iter iter = kin_value_iter(kin_object_at(object, "x"));
    char scratch[8];
    kin_str key;
    text got = { 0 };

    while (kin_iter_next(&iter)) {
        ASSERT_OK(kin_value_str(iter.key, scratch, sizeof scratch, &key));
        text_append(&got, "<%.*s>", KIN_STR_ARG(key));
        append_value(&got, iter.value);
    }

    ASSERT_STR_EQ(got.chars, "<>1<\">2<]>3");
    ASSERT_FALSE(kin_value_exists(iter.key));
    ASSERT_FALSE(kin_value_exists(iter.value));
    kin_object_unref(object);
}

TEST(json_encoding, walks_nested_containers_side_by_side)
{
    kin_object *object = make("{\"metadata\":{\"name\":\"n\"},\"x\":[[1,2],[],[3,[4]]]}");
    kin_iter outer = kin_value_iter(kin_object_at(object, "x"));
    text got = { 0 };

    while (kin_iter_next(&outer)) {
        kin_iter inner = kin_value_iter(outer.value);
        text_append(&got, "(");
        while (kin_iter_next(&inner)) {
            append_value(&got, inner.value);
        }
        text_append(&got, ")");
    }

    ASSERT_STR_EQ(got.chars, "(12)()(3[4])");
    kin_object_unref(object);
}

TEST(json_encoding, reads_every_field_of_a_real_pod)
{
    char *bytes = read_fixture("list-pod-get.json", NULL);
    kin_object *object = make(bytes);
    kin_str node;
    kin_str image;

    ASSERT_OK(kin_value_str(kin_object_at(object, "spec.nodeName"), NULL, 0, &node));
    ASSERT_OK(kin_value_str(kin_object_at(object, "spec.containers[0].image"), NULL, 0, &image));
    ASSERT_TRUE(node.len > 0 && image.len > 0);
    ASSERT_EQ(object->place_count, 5);
    ASSERT_EQ(kin_value_count(kin_object_at(object, "")), 5);
    kin_object_unref(object);
    free_fixture(bytes);
}
