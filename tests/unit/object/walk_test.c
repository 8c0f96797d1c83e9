/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk_test.c - from a value along the steps of a path.
 */
#include <string.h>

#include "kin/object.h"
#include "object/object.h"
#include "object/path.h"
#include "support/allocator.h"
#include "support/test.h"

static const char sample[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\",\"labels\":{"
    "\"app.kubernetes.io/name\":\"nginx\"}},"
    "\"spec\":{\"nodeName\":\"n1\",\"containers\":["
    "{\"name\":\"a\",\"image\":\"x\",\"ports\":[{\"port\":80},{\"port\":443}]},"
    "{\"name\":\"b\",\"ports\":[]},"
    "{\"name\":\"c\",\"image\":\"z\",\"ports\":[{\"port\":8080,\"name\":\"http\"}]}]},"
    "\"status\":{\"empty\":[],\"text\":\"[0]\",\"null\":null,\"conditions\":["
    "7,"
    "{\"type\":\"Initialized\",\"n\":1,\"ok\":true,\"gone\":null},"
    "{\"type\":\"Re\\u0061dy\",\"n\":1.50e1,\"ok\":false},"
    "{\"type\":5,\"n\":\"15\",\"big\":18446744073709551615},"
    "{\"n\":0.1,\"last\":true}]}}";

static kin_object *make(const char *chars)
{
    kin_object *object = NULL;
    kin_error err;
    if (kin_object_from_json(chars, strlen(chars), NULL, &object, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    return object;
}

/* The JSON of a value, or "missing". */
static void append_json(text *t, kin_value value)
{
    char *json = NULL;
    size_t len = 0;
    if (!kin_value_exists(value)) {
        text_append(t, "missing");
        return;
    }
    ASSERT_OK(kin_value_json(value, &json, &len, NULL));
    text_append(t, "%s", json);
    kin_free(json);
}

static bool append_match(void *context, kin_value match)
{
    text *t = context;
    text_append(t, "|");
    append_json(t, match);
    return true;
}

/* What a path leads to in the sample: by text, compiled, and from the root value. */
static void check_at(const char *chars, const char *want)
{
    AUTO(kin_object_unref) const kin_object *object = make(sample);
    AUTO(kin_path_free) kin_path *path = NULL;
    text got = { 0 };

    ASSERT_OK(kin_path_new(chars, &path, NULL));
    append_json(&got, kin_object_at(object, chars));
    ASSERT_STR_EQ(got.chars, want);
    text_clear(&got);
    append_json(&got, kin_object_at_path(object, path));
    ASSERT_STR_EQ(got.chars, want);
    text_clear(&got);
    append_json(&got, kin_value_at(kin_object_at(object, ""), chars));
    ASSERT_STR_EQ(got.chars, want);
}

/* All that a path leads to in the sample, each after a bar. */
static void check_each(const char *chars, size_t calls, const char *want)
{
    AUTO(kin_object_unref) const kin_object *object = make(sample);
    AUTO(kin_path_free) kin_path *path = NULL;
    text got = { 0 };

    ASSERT_OK(kin_path_new(chars, &path, NULL));
    ASSERT_EQ(kin_object_each(object, path, append_match, &got), calls);
    ASSERT_STR_EQ(got.chars, want);
}

TEST(walk, follows_members)
{
    check_at("spec.nodeName", "\"n1\"");
    check_at("metadata.labels[\"app.kubernetes.io/name\"]", "\"nginx\"");
    check_at("status.null", "null");
    check_at("spec.nothing", "missing");
    check_at("spec.nothing.at.all", "missing");
    check_at("spec.nodeName.x", "missing");
    check_at("spec.containers.name", "missing");
}

TEST(walk, ends_at_the_whole_object_along_an_empty_path)
{
    AUTO(kin_object_unref) const kin_object *object = make("{\"metadata\":{\"name\":\"a\"}}");
    AUTO(kin_path_free) kin_path *path = NULL;
    text got = { 0 };

    ASSERT_OK(kin_path_new("", &path, NULL));
    ASSERT_EQ(kin_value_type(kin_object_at(object, "")), KIN_TYPE_OBJECT);
    append_json(&got, kin_object_at_path(object, path));
    ASSERT_STR_EQ(got.chars, "{\"metadata\":{\"name\":\"a\"}}");
    ASSERT_EQ(kin_object_each(object, path, append_match, &got), 1u);
}

TEST(walk, counts_elements_from_either_end)
{
    check_at("spec.containers[0].name", "\"a\"");
    check_at("spec.containers[2].name", "\"c\"");
    check_at("spec.containers[3].name", "missing");
    check_at("spec.containers[-1].name", "\"c\"");
    check_at("spec.containers[-3].name", "\"a\"");
    check_at("spec.containers[-4].name", "missing");
    check_at("spec.containers[9223372036854775807]", "missing");
    check_at("spec.containers[-9223372036854775808]", "missing");
    check_at("status.empty[0]", "missing");
    check_at("status.empty[-1]", "missing");
}

TEST(walk, finds_elements_only_in_arrays)
{
    check_at("spec[0]", "missing");
    check_at("spec[-1]", "missing");
    check_at("status.text[0]", "missing");
    check_at("status.text[-1]", "missing");
}

TEST(walk, takes_the_first_element_that_a_filter_lets_through)
{
    check_at("status.conditions[?type==\"Initialized\"].n", "1");
    check_at("status.conditions[?type==\"Ready\"].n", "1.50e1");
    check_at("status.conditions[?type==\"Nothing\"].n", "missing");
    check_at("spec.containers[?name!=\"a\"].name", "\"b\"");
    check_at("spec.containers[?name!=\"a\"].image", "missing");
}

TEST(walk, compares_numbers_by_their_value)
{
    check_at("status.conditions[?n==15].ok", "false");
    check_at("status.conditions[?n==0.15e2].ok", "false");
    check_at("status.conditions[?n==1e-1].last", "true");
    check_at("status.conditions[?type==5.0].n", "\"15\"");
    check_at("status.conditions[?big==18446744073709551615].type", "5");
    check_at("status.conditions[?big==18446744073709551614].type", "missing");
    check_at("status.conditions[?n==0.10000000000000000001]", "missing");
}

TEST(walk, tells_types_apart)
{
    check_at("status.conditions[?n==\"15\"].type", "5");
    check_at("status.conditions[?type==\"5\"]", "missing");
    check_at("status.conditions[?ok==\"true\"]", "missing");
    check_at("status.conditions[?ok==true].type", "\"Initialized\"");
    check_at("status.conditions[?ok==false].n", "1.50e1");
}

TEST(walk, matches_an_element_without_the_member_only_with_an_unequal_filter)
{
    check_at("status.conditions[?gone==null].type", "\"Initialized\"");
    check_at("status.conditions[?gone!=null]", "7");
    check_at("status.conditions[?last!=false]", "7");
    check_at("status.conditions[?last==true].n", "0.1");
    check_at("status.conditions[?nothing==null]", "missing");
}

TEST(walk, filters_only_arrays)
{
    check_at("spec[?name==\"a\"]", "missing");
    check_at("spec.containers[0][?port!=1]", "missing");
    check_at("status.text[?x!=1]", "missing");
}

/* The member's text is longer than its meaning, and longer than what fits on a stack. */
TEST(walk, filters_by_strings_of_any_length)
{
    static text json;
    static text chars;
    text_append(&json, "{\"metadata\":{\"name\":\"a\"},\"list\":[{\"id\":\"\\u0062");
    text_append(&chars, "list[?id==\"b");
    for (size_t i = 0; i < 10000; i++) {
        text_append(&json, "x");
        text_append(&chars, "x");
    }
    text_append(&json, "\",\"found\":1}]}");
    text_append(&chars, "\"].found");
    AUTO(kin_object_unref) const kin_object *object = make(json.chars);
    int64_t found = 0;

    ASSERT_OK(kin_value_int64(kin_object_at(object, chars.chars), &found));

    ASSERT_EQ(found, 1);
}

TEST(walk, visits_each_element)
{
    check_each("spec.containers[*].name", 3, "|\"a\"|\"b\"|\"c\"");
    check_each("spec.containers[*].image", 2, "|\"x\"|\"z\"");
    check_each("status.empty[*]", 0, "");
    check_each("status.text[*]", 0, "");
    check_each("spec.nothing[*]", 0, "");
}

TEST(walk, visits_each_member_of_an_object)
{
    check_each("spec.containers[0].ports[0][*]", 1, "|80");
    check_each("spec.containers[2].ports[*][*]", 2, "|8080|\"http\"");
    check_each("metadata[*]", 2, "|\"web\"|{\"app.kubernetes.io/name\":\"nginx\"}");
}

TEST(walk, branches_at_every_star)
{
    check_each("spec.containers[*].ports[*].port", 3, "|80|443|8080");
    check_each("spec.containers[*].ports[-1].port", 2, "|443|8080");
    check_each("spec.containers[*].ports[?port!=80].port", 2, "|443|8080");
    check_each("[*][*][*].name", 3, "|\"a\"|\"b\"|\"c\"");
}

TEST(walk, visits_one_match_of_a_path_without_a_star)
{
    check_each("spec.nodeName", 1, "|\"n1\"");
    check_each("spec.nothing", 0, "");
    check_each("status.null", 1, "|null");
}

TEST(walk, leads_to_the_first_match_of_a_path_with_a_star)
{
    check_at("spec.containers[*].name", "\"a\"");
    check_at("spec.containers[*].ports[*].name", "\"http\"");
    check_at("spec.containers[*].nothing", "missing");
    check_at("status.empty[*]", "missing");
}

typedef struct some {
    size_t wanted;
    size_t calls;
} some;

static bool take_some(void *context, kin_value match)
{
    some *s = context;
    ASSERT_TRUE(kin_value_exists(match));
    s->calls++;
    return s->calls < s->wanted;
}

TEST(walk, stops_when_it_is_told_to)
{
    AUTO(kin_object_unref) const kin_object *object = make(sample);
    AUTO(kin_path_free) kin_path *path = NULL;
    ASSERT_OK(kin_path_new("spec.containers[*].ports[*].port", &path, NULL));

    for (size_t wanted = 1; wanted <= 4; wanted++) {
        some s = { .wanted = wanted };
        size_t want = wanted < 3 ? wanted : 3;
        ASSERT_EQ(kin_object_each(object, path, take_some, &s), want);
        ASSERT_EQ(s.calls, want);
    }
}

TEST(walk, answers_usage_for_a_path_that_does_not_parse)
{
    AUTO(kin_object_unref) const kin_object *object = make(sample);
    text chars = { 0 };
    bool b;
    kin_str s;
    text_append(&chars, "a");
    for (size_t i = 0; i < KIN_PATH_TEXT_STEPS; i++) {
        text_append(&chars, ".a");
    }

    ASSERT_FALSE(kin_value_exists(kin_object_at(object, "spec.")));
    ASSERT_ERR(kin_value_bool(kin_object_at(object, "spec."), &b), KIN_ERR_USAGE);
    ASSERT_ERR(kin_value_bool(kin_object_at(object, NULL), &b), KIN_ERR_USAGE);
    ASSERT_ERR(kin_value_bool(kin_object_at(object, chars.chars), &b), KIN_ERR_USAGE);
    ASSERT_ERR(kin_value_bool(kin_value_at(kin_object_at(object, "spec"), "["), &b), KIN_ERR_USAGE);
    ASSERT_ERR(kin_value_bool(kin_value_at(kin_object_at(object, "spec"), NULL), &b),
               KIN_ERR_USAGE);
    ASSERT_ERR(kin_value_str(kin_object_at(object, "spec.nothing"), NULL, 0, &s),
               KIN_ERR_NOT_FOUND);
}

/* So that look-ups can be chained and checked once. */
TEST(walk, keeps_the_answer_of_the_first_path_that_did_not_parse)
{
    AUTO(kin_object_unref) const kin_object *object = make(sample);
    bool b;

    kin_value value = kin_value_at(kin_value_at(kin_object_at(object, "a..b"), "c"), "d[*]");

    ASSERT_ERR(kin_value_bool(value, &b), KIN_ERR_USAGE);
}

TEST(walk, takes_the_last_of_members_with_one_name)
{
    AUTO(kin_object_unref)
    const kin_object *object =
        make("{\"metadata\":{\"name\":\"a\"},\"x\":{\"y\":1},\"x\":{\"y\":2,\"y\":3}}");
    int64_t y = 0;

    ASSERT_OK(kin_value_int64(kin_object_at(object, "x.y"), &y));

    ASSERT_EQ(y, 3);
}

/* As deep as an object may be, with a star at every level. */
TEST(walk, goes_as_deep_as_a_path_has_steps)
{
    static text json;
    static text chars;
    AUTO(kin_path_free) kin_path *path = NULL;
    int64_t found = 0;
    text_append(&json, "{\"metadata\":{\"name\":\"a\"},\"x\":");
    text_append(&chars, "x");
    for (size_t i = 0; i < 990; i++) {
        text_append(&json, "[");
        text_append(&chars, "[*]");
    }
    text_append(&json, "5");
    for (size_t i = 0; i < 990; i++) {
        text_append(&json, "]");
    }
    text_append(&json, "}");
    AUTO(kin_object_unref) const kin_object *object = make(json.chars);
    ASSERT_OK(kin_path_new(chars.chars, &path, NULL));

    ASSERT_OK(kin_value_int64(kin_object_at_path(object, path), &found));

    ASSERT_EQ(found, 5);
}

TEST(walk, allocates_nothing)
{
    AUTO(kin_object_unref) const kin_object *object = make(sample);
    AUTO(kin_path_free) kin_path *path = NULL;
    some s = { .wanted = 100 };
    ASSERT_OK(kin_path_new("status.conditions[?type==\"Ready\"].n", &path, NULL));
    test_allocator_plan((alloc_failure){ 0 });

    (void) kin_object_at(object, "spec.containers[*].ports[-1].name");
    (void) kin_object_at_path(object, path);
    (void) kin_object_each(object, path, take_some, &s);

    ASSERT_EQ(test_allocator_requests(), 0);
}
