/* SPDX-License-Identifier: Apache-2.0 */
/*
 * note_test.c - the fields an object keeps at hand: what is taken, and what is refused.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "object/object.h"
#include "unit/object/making.h"

/* That the whole object `json` is refused with this message. */
static void check_refused(const char *json, kin_err code, const char *message)
{
    kin_object *object = NULL;
    kin_error err;
    text want = { 0 };

    text_append(&want, "object from JSON: %s", message);
    ASSERT_ERR(kin_object_from_json(json, strlen(json), NULL, &object, &err), code);
    ASSERT_MESSAGE(&err, want.chars);
    ASSERT_TRUE(object == NULL);
}

/* That metadata with this member is refused. */
static void check_member(const char *member, const char *message)
{
    text json = { 0 };

    text_append(&json, "{\"metadata\":{\"name\":\"n\",%s}}", member);
    check_refused(json.chars, KIN_ERR_MALFORMED, message);
}

/* An object with this member in its metadata. */
static kin_object *make_member(const char *member)
{
    text json = { 0 };

    text_append(&json, "{\"metadata\":{\"name\":\"n\",%s}}", member);
    return make(json.chars);
}

/* All labels, in their order. */
static const char *labels_of(const char *labels)
{
    static text got;
    text member = { 0 };
    kin_str key;
    kin_str value;

    text_append(&member, "\"labels\":%s", labels);
    kin_object *object = make_member(member.chars);
    text_clear(&got);
    for (size_t i = 0; kin_object_label_at(object, i, &key, &value); i++) {
        text_append(&got, "%.*s=%.*s;", KIN_STR_ARG(key), KIN_STR_ARG(value));
    }
    kin_object_unref(object);
    return got.chars;
}

TEST(note, wants_metadata)
{
    check_refused("{}", KIN_ERR_MALFORMED, "metadata: required value at byte 0");
    check_refused(" {\"meta\":1}", KIN_ERR_MALFORMED, "metadata: required value at byte 1");
    check_refused("{\"metadata\":null}", KIN_ERR_MALFORMED,
                  "metadata: expected an object, found null at byte 12");
    check_refused("{\"metadata\":[]}", KIN_ERR_MALFORMED,
                  "metadata: expected an object, found an array at byte 12");
    check_refused("{\"metadata\":false}", KIN_ERR_MALFORMED,
                  "metadata: expected an object, found a bool at byte 12");
}

TEST(note, wants_a_name)
{
    check_refused("{\"metadata\":{}}", KIN_ERR_MALFORMED,
                  "metadata.name: required value at byte 12");
    check_refused("{\"metadata\":{\"name\":null}}", KIN_ERR_MALFORMED,
                  "metadata.name: required value at byte 20");
    check_refused("{\"metadata\":{\"name\":\"\"}}", KIN_ERR_MALFORMED,
                  "metadata.name: required value at byte 20");
    check_refused("{\"metadata\":{\"name\":1}}", KIN_ERR_MALFORMED,
                  "metadata.name: expected a string, found a number at byte 20");
}

/* The key is "namespace/name" and must mean one object only. */
TEST(note, refuses_a_slash_in_name_or_namespace)
{
    check_refused("{\"metadata\":{\"name\":\"a/b\"}}", KIN_ERR_MALFORMED,
                  "metadata.name: invalid value \"a/b\": may not contain '/' at byte 20");
    check_refused("{\"metadata\":{\"name\":\"a\\u002fb\"}}", KIN_ERR_MALFORMED,
                  "metadata.name: invalid value \"a/b\": may not contain '/' at byte 20");
    check_member("\"namespace\":\"x/\"",
                 "metadata.namespace: invalid value \"x/\": may not contain '/' at byte 36");
}

TEST(note, refuses_strings_that_are_none)
{
    check_member("\"namespace\":{}",
                 "metadata.namespace: expected a string, found an object at byte 36");
    check_member("\"uid\":1", "metadata.uid: expected a string, found a number at byte 30");
    check_member("\"resourceVersion\":1",
                 "metadata.resourceVersion: expected a string, found a number at byte 42");
    check_refused("{\"kind\":true,\"metadata\":{\"name\":\"n\"}}", KIN_ERR_MALFORMED,
                  "kind: expected a string, found a bool at byte 8");
    check_refused("{\"apiVersion\":[],\"metadata\":{\"name\":\"n\"}}", KIN_ERR_MALFORMED,
                  "apiVersion: expected a string, found an array at byte 14");
}

TEST(note, takes_null_for_nothing)
{
    kin_object *object = make("{\"kind\":null,\"apiVersion\":null,\"metadata\":{\"name\":\"n\","
                              "\"namespace\":null,\"uid\":null,\"resourceVersion\":null,"
                              "\"generation\":null,\"creationTimestamp\":null,"
                              "\"deletionTimestamp\":null,\"labels\":null,\"annotations\":null,"
                              "\"ownerReferences\":null}}");
    kin_time time;

    ASSERT_SLICE_EQ(kin_object_key(object), "n");
    ASSERT_SLICE_EQ(kin_object_kind(object), "");
    ASSERT_SLICE_EQ(kin_object_api_version(object), "");
    ASSERT_SLICE_EQ(kin_object_uid(object), "");
    ASSERT_SLICE_EQ(kin_object_resource_version(object), "");
    ASSERT_EQ(kin_object_generation(object), 0);
    ASSERT_FALSE(kin_object_creation_time(object, &time));
    ASSERT_FALSE(kin_object_deletion_time(object, &time));
    ASSERT_EQ(kin_object_label_count(object), 0);
    ASSERT_FALSE(kin_value_exists(kin_object_annotations(object)));
    ASSERT_FALSE(kin_value_exists(kin_object_owners(object)));
    kin_object_unref(object);
}

TEST(note, takes_an_empty_namespace_for_none)
{
    kin_object *object = make_member("\"namespace\":\"\"");

    ASSERT_SLICE_EQ(kin_object_key(object), "n");
    ASSERT_SLICE_EQ(kin_object_namespace(object), "");
    kin_object_unref(object);
}

TEST(note, wants_an_integer_for_the_generation)
{
    check_member("\"generation\":\"1\"",
                 "metadata.generation: expected an integer, found a string at byte 37");
    check_member("\"generation\":1.5", "metadata.generation: invalid value 1.5: expected an "
                                       "integer of 64 bits at byte 37");
    check_member("\"generation\":9223372036854775808",
                 "metadata.generation: invalid value 9223372036854775808: expected an integer of "
                 "64 bits at byte 37");
    kin_object *object = make_member("\"generation\": -9223372036854775808 ");
    ASSERT_EQ(kin_object_generation(object), INT64_MIN);
    kin_object_unref(object);
}

TEST(note, wants_times_that_are_times)
{
    kin_time time = { 0 };

    check_member("\"creationTimestamp\":\"yesterday\"",
                 "metadata.creationTimestamp: invalid value \"yesterday\": expected an RFC 3339 "
                 "time at byte 44");
    check_member("\"deletionTimestamp\":\"\"", "metadata.deletionTimestamp: invalid value \"\": "
                                               "expected an RFC 3339 time at byte 44");
    check_member("\"deletionTimestamp\":5",
                 "metadata.deletionTimestamp: expected a time, found a number at byte 44");
    kin_object *object = make_member("\"creationTimestamp\":\"1970\\u002d01-01T00:00:01Z\"");
    ASSERT_TRUE(kin_object_creation_time(object, &time));
    ASSERT_EQ(time.seconds, 1);
    kin_object_unref(object);
}

TEST(note, refuses_a_time_of_escapes_without_end)
{
    text member = { 0 };
    kin_object *object = NULL;

    text_append(&member, "{\"metadata\":{\"name\":\"n\",\"creationTimestamp\":\"");
    for (int i = 0; i < 1000; i++) {
        text_append(&member, "\\u0030");
    }
    text_append(&member, "\"}}");

    ASSERT_ERR(kin_object_from_json(member.chars, member.len, NULL, &object, NULL),
               KIN_ERR_MALFORMED);
}

TEST(note, wants_containers_where_they_belong)
{
    check_member("\"annotations\":[]",
                 "metadata.annotations: expected an object, found an array at byte 38");
    check_member("\"ownerReferences\":{}",
                 "metadata.ownerReferences: expected an array, found an object at byte 42");
    check_member("\"labels\":[]", "metadata.labels: expected an object, found an array at byte 33");
}

TEST(note, keeps_labels_in_the_order_of_their_keys)
{
    ASSERT_STR_EQ(labels_of("{}"), "");
    ASSERT_STR_EQ(labels_of("{\"a\":\"1\",\"b\":\"2\"}"), "a=1;b=2;");
    ASSERT_STR_EQ(labels_of("{ \"c\" : \"3\" , \"a\":\"1\",\"b\" :\"2\" }"), "a=1;b=2;c=3;");
}

TEST(note, takes_the_last_of_labels_with_one_key)
{
    ASSERT_STR_EQ(labels_of("{\"a\":\"1\",\"b\":\"2\",\"a\":\"3\"}"), "a=3;b=2;");
    ASSERT_STR_EQ(labels_of("{\"a\":\"1\",\"\\u0061\":\"2\"}"), "a=2;");
    ASSERT_STR_EQ(labels_of("{\"\\u0061\":\"1\",\"a\":\"2\",\"\\u0061\":\"3\",\"b\":\"\"}"),
                  "a=3;b=;");
}

TEST(note, takes_a_label_that_is_null_for_an_empty_one)
{
    ASSERT_STR_EQ(labels_of("{\"a\":null,\"b\":\"2\"}"), "a=;b=2;");
}

TEST(note, decodes_escapes_in_labels)
{
    ASSERT_STR_EQ(labels_of("{\"a\\/b\":\"\\\"x\\\"\",\"\\u00e4\":\"\\n\"}"),
                  "a/b=\"x\";\xc3\xa4=\n;");
}

TEST(note, names_the_label_that_is_no_string)
{
    check_member("\"labels\":{\"a\":\"\",\"app\":{\"x\":1}}",
                 "metadata.labels[\"app\"]: expected a string, found an object at byte 47");
    check_member("\"labels\":{\"n\":0}",
                 "metadata.labels[\"n\"]: expected a string, found a number at byte 38");
    /* The label at hand is not part of what is said later. */
    check_member("\"labels\":{\"n\":\"\"},\"uid\":1",
                 "metadata.uid: expected a string, found a number at byte 48");
}

TEST(note, decodes_escapes_in_what_identifies_the_object)
{
    kin_object *object =
        make("{\"k\\u0069nd\":\"P\\u006fd\",\"apiVersion\":\"apps\\/v1\",\"m\\u0065tadata\":{"
             "\"n\\u0061me\":\"\\u006e\",\"namespace\":\"a\\u0062\",\"uid\":\"\\\\\","
             "\"resourceVersion\":\"\\u0031\"}}");
    text got = { 0 };

    append_value(&got, kin_object_at(object, "metadata.name"));

    ASSERT_SLICE_EQ(kin_object_key(object), "ab/n");
    ASSERT_SLICE_EQ(kin_object_kind(object), "Pod");
    ASSERT_SLICE_EQ(kin_object_api_version(object), "apps/v1");
    ASSERT_SLICE_EQ(kin_object_uid(object), "\\");
    ASSERT_SLICE_EQ(kin_object_resource_version(object), "1");
    ASSERT_STR_EQ(got.chars, "\"\\u006e\"");
    kin_object_unref(object);
}

TEST(note, takes_the_last_of_members_with_one_name)
{
    kin_object *object =
        make("{\"kind\":\"A\",\"metadata\":{\"name\":\"first\",\"uid\":\"u\",\"generation\":1,"
             "\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"labels\":{\"x\":\"1\"},"
             "\"annotations\":{},\"ownerReferences\":[]},"
             "\"kind\":\"B\",\"metadata\":{\"name\":\"second\",\"name\":\"third\","
             "\"labels\":{\"y\":\"1\"},\"labels\":{\"z\":\"1\"}}}");
    kin_time time;
    kin_str value;

    ASSERT_SLICE_EQ(kin_object_kind(object), "B");
    ASSERT_SLICE_EQ(kin_object_key(object), "third");
    ASSERT_SLICE_EQ(kin_object_uid(object), "");
    ASSERT_EQ(kin_object_generation(object), 0);
    ASSERT_FALSE(kin_object_creation_time(object, &time));
    ASSERT_EQ(kin_object_label_count(object), 1);
    ASSERT_TRUE(kin_object_label(object, STR("z"), &value));
    ASSERT_FALSE(kin_value_exists(kin_object_annotations(object)));
    ASSERT_FALSE(kin_value_exists(kin_object_owners(object)));
    kin_object_unref(object);
}

TEST(note, forgets_the_labels_of_metadata_that_comes_again)
{
    kin_object *object = make("{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"1\"}},"
                              "\"metadata\":{\"name\":\"m\"}}");

    ASSERT_EQ(kin_object_label_count(object), 0);
    kin_object_unref(object);
}

/* {"metadata":{`before` `len` times x `after`}} */
static char *make_long(const char *before, size_t len, const char *after)
{
    char *json = malloc(len + 256);
    size_t at = (size_t) snprintf(json, 256, "{\"metadata\":{%s", before);

    memset(json + at, 'x', len);
    (void) snprintf(json + at + len, 200, "%s}}", after);
    return json;
}

static void check_long(const char *before, const char *after, const char *message)
{
    kin_object *object = NULL;
    kin_error err;
    char *fits = make_long(before, 65535, after);
    char *does_not_fit = make_long(before, 65536, after);

    ASSERT_OK(kin_object_from_json(fits, strlen(fits), NULL, &object, &err));
    kin_object_unref(object);
    object = NULL;
    ASSERT_ERR(kin_object_from_json(does_not_fit, strlen(does_not_fit), NULL, &object, &err),
               KIN_ERR_LIMIT);
    ASSERT_CONTAINS(err.message, message);
    ASSERT_TRUE(object == NULL);
    free(fits);
    free(does_not_fit);
}

TEST(note, refuses_strings_of_64_kilobytes)
{
    check_long("\"name\":\"n\",\"uid\":\"", "\"",
               "metadata.uid: longer than 65535 bytes at byte 30");
    check_long("\"name\":\"n\",\"resourceVersion\":\"", "\"", "metadata.resourceVersion: longer");
    check_long("\"name\":\"n\",\"labels\":{\"", "\":\"\"}",
               "]: longer than 65535 bytes at byte 34");
    check_long("\"name\":\"n\",\"labels\":{\"key\":\"", "\"}",
               "metadata.labels[\"key\"]: longer than 65535 bytes at byte 40");
}

TEST(note, refuses_a_key_of_64_kilobytes)
{
    kin_object *object = NULL;
    kin_error err;
    char *alone = make_long("\"name\":\"", 65535, "\"");
    char *with_namespace = make_long("\"namespace\":\"n\",\"name\":\"", 65534, "\"");

    ASSERT_OK(kin_object_from_json(alone, strlen(alone), NULL, &object, &err));
    ASSERT_EQ(kin_object_key(object).len, 65535);
    kin_object_unref(object);
    ASSERT_ERR(kin_object_from_json(with_namespace, strlen(with_namespace), NULL, &object, &err),
               KIN_ERR_LIMIT);
    ASSERT_CONTAINS(err.message, "namespace and name are longer than 65535 bytes at byte 12");
    free(alone);
    free(with_namespace);
}
