/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selector_value_test.c - label selectors that are written in objects.
 *
 * Texts and words are those of metav1.LabelSelectorAsSelector() of k8s.io/apimachinery v0.37.2.
 */
#include "kin/selector.h"

#include <string.h>

#include "long_text.h"
#include "making.h"
#include "object/selector.h"
#include "support/test.h"

#define WANTED "read label selector: "

#define FIFTY "fifty-bytes-and-no-more-than-that-as-a-name-of-one"

/* What stands before a selector in an object. */
#define BEFORE "{\"metadata\":{\"name\":\"a\"},\"s\":"

typedef kin_err (*reader_fn)(kin_value value, kin_selector **out, kin_error *err);

/* An object that has `json` as its spec.selector. */
static kin_object *holding(const char *json)
{
    text t = { 0 };
    text_append(&t, "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"selector\":%s}}", json);
    return make(t.chars);
}

static void check_text(reader_fn read, const char *json, const char *want)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    kin_object *object = holding(json);
    kin_error err;

    if (read(kin_object_at(object, "spec.selector"), &selector, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    kin_object_unref(object); /* the selector keeps nothing of it */
    ASSERT_STR_EQ(kin_selector_text(selector), want);
    ASSERT_FALSE(kin_selector_is_nothing(selector));
}

static void check_nothing(reader_fn read, const char *json)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    kin_object *object = holding(json);

    ASSERT_OK(read(kin_object_at(object, "spec.selector"), &selector, NULL));
    ASSERT_TRUE(kin_selector_is_nothing(selector));
    ASSERT_FALSE(kin_selector_is_everything(selector));
    ASSERT_FALSE(kin_selector_matches(selector, object));
    ASSERT_STR_EQ(kin_selector_text(selector), "");
    kin_object_unref(object);
}

static void check_message(reader_fn read, const char *json, const char *want)
{
    kin_selector *selector = NULL;
    kin_object *object = holding(json);
    kin_error err;

    ASSERT_ERR(read(kin_object_at(object, "spec.selector"), &selector, &err), KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, want);
    ASSERT_TRUE(selector == NULL);
    kin_object_unref(object);
}

TEST(selector_value, reads_labels_and_expressions)
{
    check_text(kin_selector_from_value, "{\"matchLabels\":{\"b\":\"2\",\"a\":\"1\"}}", "a=1,b=2");
    check_text(kin_selector_from_value,
               "{\"matchExpressions\":["
               "{\"key\":\"d\",\"operator\":\"In\",\"values\":[\"y\",\"x\"]},"
               "{\"key\":\"c\",\"operator\":\"NotIn\",\"values\":[\"\"]},"
               "{\"key\":\"b\",\"operator\":\"Exists\"},"
               "{\"key\":\"a\",\"operator\":\"DoesNotExist\",\"values\":[]}]}",
               "!a,b,c notin (),d in (x,y)");
    check_text(kin_selector_from_value,
               "{\"matchExpressions\":[{\"operator\":\"Exists\",\"key\":\"b\"}],"
               "\"matchLabels\":{\"b\":\"1\",\"c\":\"\"},\"more\":[1]}",
               "b=1,b,c=");
}

TEST(selector_value, decodes_strings)
{
    check_text(kin_selector_from_value,
               "{\"matchL\\u0061bels\":{\"\\u0061pp\":\"w\\u0065b\"},\"matchExpressions\":"
               "[{\"key\":\"\\u0062\",\"oper\\u0061tor\":\"\\u0049n\",\"values\":[\"\\u0063\"]}]}",
               "app=web,b in (c)");
}

TEST(selector_value, matches_nothing_when_there_is_no_selector)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;

    ASSERT_OK(kin_selector_from_value((kin_value){ 0 }, &selector, NULL));
    ASSERT_TRUE(kin_selector_is_nothing(selector));
    check_nothing(kin_selector_from_value, "null");
}

TEST(selector_value, matches_everything_when_it_is_empty)
{
    check_text(kin_selector_from_value, "{}", "");
    check_text(kin_selector_from_value, "{\"matchLabels\":{},\"matchExpressions\":[]}", "");
    check_text(kin_selector_from_value, "{\"matchLabels\":null,\"matchExpressions\":null}", "");
}

/* JSON allows a name twice; there as here the last one counts. */
TEST(selector_value, takes_the_last_of_two_labels_with_one_name)
{
    check_text(kin_selector_from_value,
               "{\"matchLabels\":{\"a\":\"-bad-\",\"b\":\"2\",\"\\u0061\":\"1\"}}", "a=1,b=2");
}

TEST(selector_value, keeps_each_value_once)
{
    check_text(kin_selector_from_value,
               "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\","
               "\"values\":[\"y\",\"x\",\"y\",\"x\"]}]}",
               "a in (x,y)");
}

TEST(selector_value, refuses_what_the_server_refuses_in_its_words)
{
    check_message(kin_selector_from_value,
                  "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"},"
                  "{\"key\":\"a\",\"operator\":\"in\"}]}",
                  WANTED "matchExpressions[1]: \"in\" is not a valid label selector operator");
    check_message(kin_selector_from_value, "{\"matchExpressions\":[null]}",
                  WANTED "matchExpressions[0]: \"\" is not a valid label selector operator");
    check_message(kin_selector_from_value,
                  "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\"}]}",
                  WANTED "matchExpressions[0]: values: Invalid value: null: for 'in', 'notin' "
                         "operators, values set can't be empty");
    check_message(kin_selector_from_value,
                  "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\","
                  "\"values\":[\"z\",null,\"b\"]}]}",
                  WANTED "matchExpressions[0]: values: Invalid value: [\"z\",\"\",\"b\"]: values "
                         "set must be empty for exists and does not exist");
    check_message(kin_selector_from_value, "{\"matchLabels\":{\"/a\":\"b\"}}",
                  WANTED "matchLabels: key: Invalid value: \"/a\": prefix part must be non-empty");
    check_message(kin_selector_from_value,
                  "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\","
                  "\"values\":[\"x\",\"-\"]}]}",
                  WANTED "matchExpressions[0]: values[1][a]: Invalid value: \"-\": a valid label "
                         "must be an empty string or consist of alphanumeric characters, '-', '_' "
                         "or '.', and must start and end with an alphanumeric character (e.g. "
                         "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                         "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
    check_message(kin_selector_from_value, "{\"matchExpressions\":[{\"operator\":\"Exists\"}]}",
                  WANTED "matchExpressions[0]: key: Invalid value: \"\": name part must be "
                         "non-empty; name part must consist of alphanumeric characters, '-', '_' "
                         "or '.', and must start and end with an alphanumeric character (e.g. "
                         "'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
                         "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
}

TEST(selector_value, says_where_a_type_is_wrong)
{
    check_message(kin_selector_from_value, "[]", WANTED "selector: expected object, found array");
    check_message(kin_selector_from_value, "\"a=b\"",
                  WANTED "selector: expected object, found string");
    check_message(kin_selector_from_value, "{\"matchLabels\":[]}",
                  WANTED "matchLabels: expected object, found array");
    check_message(kin_selector_from_value, "{\"matchLabels\":{\"a\":1}}",
                  WANTED "matchLabels value: expected string, found number");
    check_message(kin_selector_from_value, "{\"matchExpressions\":{}}",
                  WANTED "matchExpressions: expected array, found object");
    check_message(kin_selector_from_value, "{\"matchExpressions\":[1]}",
                  WANTED "matchExpressions[0]: expected object, found number");
    check_message(kin_selector_from_value, "{\"matchExpressions\":[{\"operator\":[]}]}",
                  WANTED "matchExpressions[0].operator: expected string, found array");
    check_message(kin_selector_from_value,
                  "{\"matchExpressions\":[{\"operator\":\"In\",\"key\":true}]}",
                  WANTED "matchExpressions[0] key: expected string, found bool");
    check_message(kin_selector_from_value,
                  "{\"matchExpressions\":[{\"operator\":\"In\",\"key\":\"a\",\"values\":\"b\"}]}",
                  WANTED "matchExpressions[0].values: expected array, found string");
    check_message(kin_selector_from_value,
                  "{\"matchExpressions\":[{\"operator\":\"In\",\"key\":\"a\",\"values\":[{}]}]}",
                  WANTED "matchExpressions[0] value: expected string, found object");
}

/* A selector that matches nothing because of a typing error in the program would never be seen. */
TEST(selector_value, refuses_a_value_whose_path_does_not_parse)
{
    kin_object *object = holding("{}");
    kin_selector *selector = NULL;
    kin_error err;

    kin_value value = kin_object_at(object, "spec..selector");
    ASSERT_ERR(kin_selector_from_value(value, &selector, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, WANTED "the path of the value does not parse");
    ASSERT_ERR(kin_selector_from_labels(value, &selector, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, WANTED "the path of the value does not parse");
    ASSERT_TRUE(selector == NULL);
    kin_object_unref(object);
}

TEST(selector_value, reads_plain_labels)
{
    check_text(kin_selector_from_labels, "{\"tier\":\"db\",\"app\":\"web\"}", "app=web,tier=db");
    check_message(kin_selector_from_labels, "{\"a/\\u002f\":\"web\"}",
                  WANTED "labels: key: Invalid value: \"a//\": a valid label key must consist of "
                         "alphanumeric characters, '-', '_' or '.', and must start and end with "
                         "an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
                         "'123-abc', regex used for validation is "
                         "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS "
                         "subdomain prefix and '/' (e.g. 'example.com/MyName')");
    check_message(kin_selector_from_labels, "7", WANTED "labels: expected object, found number");
}

/* A Service without a selector selects no pods. */
TEST(selector_value, matches_nothing_without_plain_labels)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;

    ASSERT_OK(kin_selector_from_labels((kin_value){ 0 }, &selector, NULL));
    ASSERT_TRUE(kin_selector_is_nothing(selector));
    check_nothing(kin_selector_from_labels, "null");
    check_nothing(kin_selector_from_labels, "{}");
}

/* Reads a selector that has `count` times `piece`. */
static kin_err read_large(const char *first, const char *piece, size_t count, const char *last,
                          kin_error *err)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    char *json = repeat(first, piece, count, last);
    kin_object *object = make(json);

    kin_free(json);
    kin_err code = kin_selector_from_value(kin_object_at(object, "s"), &selector, err);
    kin_object_unref(object);
    return code;
}

TEST(selector_value, refuses_more_than_a_server_would_read)
{
    static const char label[] = BEFORE "{\"matchLabels\":{\"";
    static const char values[] = BEFORE "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\","
                                        "\"values\":[\"";
    kin_error err;

    ASSERT_OK(read_large(values, FIFTY "\",\"", 20000, "\"]}]}}", &err));
    ASSERT_ERR(read_large(values, FIFTY "\",\"", 22000, "\"]}]}}", &err), KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, WANTED "longer than 1048576 bytes");
    ASSERT_ERR(read_large(values, "\",\"", 1050000, "\"]}]}}", &err), KIN_ERR_LIMIT);
    ASSERT_ERR(read_large(label, "x", 1050000, "\":\"\"}}}", &err), KIN_ERR_LIMIT);
    ASSERT_ERR(read_large(label, "\\u0078", 1050000, "\":\"\"}}}", &err), KIN_ERR_LIMIT);
    ASSERT_ERR(read_large(BEFORE "{\"matchExpressions\":[",
                          "{\"key\":\"" FIFTY "\",\"operator\":\"Exists\"},", 22000, "null]}}",
                          &err),
               KIN_ERR_LIMIT);
}

TEST_FAILING_ALLOC(selector_value, survives_without_memory)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    kin_object *object = NULL;
    kin_error err;
    static const char json[] =
        "{\"metadata\":{\"name\":\"a\"},\"s\":{\"matchLabels\":{\"\\u0061\":\"1\",\"b\":\"2\"},"
        "\"matchExpressions\":[{\"key\":\"c\",\"operator\":\"In\",\"values\":[\"v\\u0031\","
        "\"v2\",\"v3\",\"v4\",\"v5\",\"v6\",\"v7\"]},{\"key\":\"d\",\"operator\":\"Exists\"}]}}";

    kin_err code = kin_object_from_json(json, sizeof json - 1, NULL, &object, &err);
    if (code == KIN_OK) {
        code = kin_selector_from_value(kin_object_at(object, "s"), &selector, &err);
    }
    if (code == KIN_OK) {
        ASSERT_STR_EQ(kin_selector_text(selector), "a=1,b=2,c in (v1,v2,v3,v4,v5,v6,v7),d");
    }
    kin_object_unref(object);
    return code;
}

TEST_FAILING_ALLOC(selector_value, survives_without_memory_for_plain_labels)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    kin_object *object = NULL;
    kin_error err;
    static const char json[] = "{\"metadata\":{\"name\":\"a\"},\"s\":{\"a\":\"1\",\"b\":\"2\"}}";

    kin_err code = kin_object_from_json(json, sizeof json - 1, NULL, &object, &err);
    if (code == KIN_OK) {
        code = kin_selector_from_labels(kin_object_at(object, "s"), &selector, &err);
    }
    if (code == KIN_OK) {
        ASSERT_STR_EQ(kin_selector_text(selector), "a=1,b=2");
    }
    kin_object_unref(object);
    return code;
}

TEST_FAILING_ALLOC(selector_value, survives_without_memory_for_nothing)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;

    return kin_selector_from_labels((kin_value){ 0 }, &selector, NULL);
}
