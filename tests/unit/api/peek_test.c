/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peek_test.c - what an object says of itself, before it is made.
 */
#include "api/peek.h"

#include "base/str.h"
#include "object/object.h"
#include "support/test.h"

#define END_ENTRY "\x62\x21\x0a\x19k8s.io/initial-events-end\x12\x04true"

static void expect(const kin__peek *got, const char *ns, const char *name, const char *uid,
                   const char *resource_version)
{
    ASSERT_SLICE_EQ(got->ns, ns);
    ASSERT_SLICE_EQ(got->name, name);
    ASSERT_SLICE_EQ(got->uid, uid);
    ASSERT_SLICE_EQ(got->resource_version, resource_version);
}

TEST(peek, finds_the_identity_in_json)
{
    kin__peek got;

    ASSERT_TRUE(kin__peek_from_json(
        STR("{\"spec\":{\"metadata\":{\"name\":\"no\"}},\"metadata\":{\"annotations\":{\"name\":"
            "\"no\"},\"name\":\"web\",\"namespace\":\"shop\",\"resourceVersion\":\"7\",\"uid\":"
            "\"u\"},\"status\":{}}"),
        &got));
    expect(&got, "shop", "web", "u", "7");
    ASSERT_TRUE(kin__peek_from_json(
        STR(" { \"metadata\" : { \"uid\" : \"u\" , \"resourceVersion\" : \"7\" , \"name\" : "
            "\"node\" } } "),
        &got));
    expect(&got, "", "node", "u", "7");
}

TEST(peek, finds_the_identity_in_protobuf)
{
    kin__peek got;

    ASSERT_TRUE(kin__peek_from_protobuf(
        STR("\x0a\x13\x0a\x03web\x12\x00\x1a\x04shop\x2a\x01u\x32\x01\x37\x12\x00"), &got));
    expect(&got, "shop", "web", "u", "7");
}

TEST(peek, says_the_same_of_a_real_pod_in_both_encodings)
{
    size_t json_len;
    size_t proto_len;
    char *json = read_fixture("list-pod-get.json", &json_len);
    char *proto = read_fixture("list-pod-get.pb", &proto_len);
    kin__pb_envelope envelope;
    kin__peek from_json;
    kin__peek from_proto;
    kin_object *pod;
    kin_error err;

    ASSERT_OK(kin__pb_envelope_parse(kin__str(proto, proto_len), 0, &envelope, &err));
    ASSERT_OK(kin_object_from_json(json, json_len, NULL, &pod, &err));
    ASSERT_TRUE(kin__peek_from_json(kin__str(json, json_len), &from_json));
    ASSERT_TRUE(kin__peek_from_protobuf(envelope.message, &from_proto));

    ASSERT_TRUE(kin_str_equal(from_json.name, kin_object_name(pod)));
    ASSERT_TRUE(kin_str_equal(from_json.ns, kin_object_namespace(pod)));
    ASSERT_TRUE(kin_str_equal(from_json.uid, kin_object_uid(pod)));
    ASSERT_TRUE(kin_str_equal(from_json.resource_version, kin_object_resource_version(pod)));
    ASSERT_TRUE(kin_str_equal(from_proto.name, from_json.name));
    ASSERT_TRUE(kin_str_equal(from_proto.ns, from_json.ns));
    ASSERT_TRUE(kin_str_equal(from_proto.uid, from_json.uid));
    ASSERT_TRUE(kin_str_equal(from_proto.resource_version, from_json.resource_version));
    kin_object_unref(pod);
    free_fixture(json);
    free_fixture(proto);
}

TEST(peek, knows_nothing_of_what_lacks_a_part_or_has_escapes)
{
    kin__peek got;

    ASSERT_FALSE(
        kin__peek_from_json(STR("{\"metadata\":{\"uid\":\"u\",\"resourceVersion\":\"7\"}}"), &got));
    ASSERT_FALSE(kin__peek_from_json(STR("{\"metadata\":{\"uid\":\"u\",\"name\":\"web\"}}"), &got));
    ASSERT_FALSE(kin__peek_from_json(
        STR("{\"metadata\":{\"name\":\"web\",\"resourceVersion\":\"7\"}}"), &got));
    ASSERT_FALSE(kin__peek_from_json(
        STR("{\"metadata\":{\"name\":\"w\\u0065b\",\"uid\":\"u\",\"resourceVersion\":\"7\"}}"),
        &got));
    ASSERT_FALSE(kin__peek_from_json(STR("{}"), &got));
    ASSERT_FALSE(kin__peek_from_json(STR("[[{\"metadata"), &got));
    ASSERT_FALSE(kin__peek_from_json(kin__str(NULL, 0), &got));
    ASSERT_FALSE(kin__peek_from_protobuf(STR("\x0a\x07\x0a\x03web\x2a\x00"), &got));
    ASSERT_FALSE(kin__peek_from_protobuf(STR("\x0a\x7fweb"), &got));
    ASSERT_FALSE(kin__peek_from_protobuf(kin__str(NULL, 0), &got));
}

TEST(peek, knows_nothing_of_a_message_that_is_faulty_further_on)
{
    kin__peek got;

    ASSERT_FALSE(
        kin__peek_from_protobuf(STR("\x0a\x0d\x0a\x03web\x2a\x01u\x32\x01\x37\xff\xff"), &got));
}

TEST(peek, reads_a_bookmark_in_json)
{
    kin__bookmark got;

    ASSERT_TRUE(kin__bookmark_from_json(
        STR("{\"metadata\":{\"resourceVersion\":\"9\",\"creationTimestamp\":null}}"), &got));
    ASSERT_SLICE_EQ(got.resource_version, "9");
    ASSERT_FALSE(got.is_initial_end);
    ASSERT_TRUE(kin__bookmark_from_json(
        STR("{\"metadata\":{\"annotations\":{\"k8s.io/initial-events-end\":\"true\"},"
            "\"resourceVersion\":\"9\"}}"),
        &got));
    ASSERT_TRUE(got.is_initial_end);
    ASSERT_TRUE(kin__bookmark_from_json(
        STR("{\"metadata\":{\"annotations\":{\"k8s.io/initial-events-end\":\"false\"},"
            "\"resourceVersion\":\"9\"}}"),
        &got));
    ASSERT_FALSE(got.is_initial_end);
    ASSERT_TRUE(kin__bookmark_from_json(
        STR("{\"metadata\":{\"annotations\":{\"k8s.io/initial-events-end\":true},"
            "\"resourceVersion\":\"9\"}}"),
        &got));
    ASSERT_FALSE(got.is_initial_end);
    ASSERT_FALSE(kin__bookmark_from_json(STR("{\"metadata\":{\"resourceVersion\":9}}"), &got));
    ASSERT_FALSE(kin__bookmark_from_json(STR("{\"metadata\":{}}"), &got));
}

TEST(peek, reads_a_bookmark_in_protobuf)
{
    kin__bookmark got;

    ASSERT_TRUE(kin__bookmark_from_protobuf(STR("\x0a\x03\x32\x01\x39"), &got));
    ASSERT_SLICE_EQ(got.resource_version, "9");
    ASSERT_FALSE(got.is_initial_end);
    ASSERT_TRUE(kin__bookmark_from_protobuf(STR("\x0a\x26\x32\x01\x39" END_ENTRY), &got));
    ASSERT_TRUE(got.is_initial_end);
    ASSERT_TRUE(kin__bookmark_from_protobuf(
        STR("\x0a\x25\x32\x01\x39\x62\x20\x0a\x19k8s.io/initial-events-end\x12\x03yes"), &got));
    ASSERT_FALSE(got.is_initial_end);
    ASSERT_FALSE(kin__bookmark_from_protobuf(STR("\x0a\x23" END_ENTRY), &got));
    ASSERT_FALSE(kin__bookmark_from_protobuf(STR(""), &got));
}
