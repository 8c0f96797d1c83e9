/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_build_test.c - objects out of protobuf bytes, with an envelope and without.
 */
#include "object/object.h"
#include "unit/object/proto_making.h"

TEST(proto_build, wants_a_kind_that_the_tables_know)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    kin_error err;

    options.api_version = "example.com/v1";
    options.kind = "Widget";
    ASSERT_ERR(kin_object_from_protobuf("\x0a", 1, &options, &object, &err), KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&err, "object from protobuf: no protobuf is known for kind \"Widget\" of "
                         "\"example.com/v1\": ask for JSON");
    ASSERT_ERR(kin_object_from_protobuf("\x0a", 1, NULL, &object, &err), KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err,
                   "object from protobuf: expected \"k8s\" and a zero at byte 0: without this "
                   "envelope the options have to say what it is");
    ASSERT_ERR(kin_object_from_protobuf(NULL, 0, NULL, &object, NULL), KIN_ERR_MALFORMED);
}

TEST(proto_build, what_an_envelope_says_comes_before_the_options)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    wire metadata = { 0 };
    wire envelope = { 0 };

    wire_text(&metadata, 1, "n");
    wire message = pod_with(&metadata);
    wire_envelope(&envelope, "v1", "ConfigMap", &message);
    options.api_version = "apps/v1";
    options.kind = "Deployment";
    ASSERT_OK(kin_object_from_protobuf(envelope.bytes, envelope.len, &options, &object, NULL));
    ASSERT_SLICE_EQ(kin_object_kind(object), "ConfigMap");
    ASSERT_SLICE_EQ(kin_object_api_version(object), "v1");
    kin_object_unref(object);

    envelope.len = 0;
    wire_envelope(&envelope, "", "", &message);
    ASSERT_OK(kin_object_from_protobuf(envelope.bytes, envelope.len, &options, &object, NULL));
    ASSERT_SLICE_EQ(kin_object_kind(object), "Deployment");
    kin_object_unref(object);
}

TEST(proto_build, faults_are_told_with_their_place_in_what_was_given)
{
    kin_object *object = NULL;
    wire metadata = { 0 };
    wire envelope = { 0 };
    kin_error err;

    wire_text(&metadata, 1, "a/b");
    wire message = pod_with(&metadata);
    wire_envelope(&envelope, "v1", "Pod", &message);
    ASSERT_ERR(kin_object_from_protobuf(envelope.bytes, envelope.len, NULL, &object, &err),
               KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "object from protobuf: metadata.name: invalid value \"a/b\": may not "
                         "contain '/' at byte 21");
    ASSERT_EQ(memcmp(envelope.bytes + 21, "a/b", 3), 0);
}

TEST(proto_build, refuses_lengths_past_the_end_at_once)
{
    wire message = { 0 };

    wire_bytes(&message, "\x0a\xff\xff\xff\xff\x07", 6); /* 2 GB */
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: length past the end of the message at byte 1");
    message.len = 0;
    wire_bytes(&message, "\x0a\x02\x0a\x05", 4);
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: metadata: length past the end of the message at byte 3");
    message.len = 0;
    wire_bytes(&message, "\x0a\x01\x80", 3);
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: metadata: the message ends inside a number at byte 2");
    message.len = 0;
    wire_bytes(&message, "\x0a\x03\x0a\x01n\x12\x05", 7);
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: length past the end of the message at byte 6");
}

TEST(proto_build, the_order_of_fields_does_not_matter)
{
    wire metadata = { 0 };
    wire spec = { 0 };
    wire message = { 0 };
    kin_str node;

    wire_text(&metadata, 5, "u");
    put_entry(&metadata, 12, "k", "v");
    wire_text(&metadata, 1, "n");
    wire_text(&spec, 19, "scheduler");
    wire_text(&spec, 10, "node");
    wire_put(&message, 2, &spec);
    wire_put(&message, 1, &metadata);
    kin_object *object = make_proto("v1", "Pod", kin__str(message.bytes, message.len), NULL);

    ASSERT_SLICE_EQ(kin_object_uid(object), "u");
    ASSERT_OK(kin_value_str(kin_object_at(object, "spec.nodeName"), NULL, 0, &node));
    ASSERT_SLICE_EQ(node, "node");
    ASSERT_OK(kin_value_str(kin_object_annotation(object, kin_str_of("k")), NULL, 0, &node));
    ASSERT_SLICE_EQ(node, "v");
    kin_object_unref(object);
}

TEST_FAILING_ALLOC(proto_build, survives_failing_allocations)
{
    static const char message[] = "\x0a\x0b\x0a\x01n\x62\x06\x0a\x01k\x12\x01v";
    const char *paths[] = { "metadata.annotations.k", "spec.containers[*].image" };
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    kin_mask *mask = NULL;
    char *json = NULL;
    size_t len;

    kin_err code = kin_mask_new(KIN_MASK_DROP, paths, 2, &mask, NULL);
    if (code == KIN_OK) {
        options.mask = mask;
        options.api_version = "v1";
        options.kind = "Pod";
        code = kin_object_from_protobuf(message, sizeof message - 1, &options, &object, NULL);
    }
    if (code == KIN_OK) {
        code = kin_object_json(object, &json, &len, NULL);
    }
    kin_free(json);
    kin_object_unref(object);
    kin_mask_free(mask);
    return code;
}

TEST(proto_build, accepts_an_object_without_a_name_where_it_is_allowed)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    wire metadata = { 0 };
    wire envelope = { 0 };

    wire_text(&metadata, 2, "web-");
    wire_text(&metadata, 3, "shop");
    wire message = pod_with(&metadata);
    wire_envelope(&envelope, "v1", "Pod", &message);
    ASSERT_ERR(kin_object_from_protobuf(envelope.bytes, envelope.len, NULL, &object, NULL),
               KIN_ERR_MALFORMED);
    options.allows_no_name = true;

    ASSERT_OK(kin_object_from_protobuf(envelope.bytes, envelope.len, &options, &object, NULL));

    ASSERT_SLICE_EQ(kin_object_name(object), "");
    ASSERT_SLICE_EQ(kin_object_namespace(object), "shop");
    kin_object_unref(object);
}

TEST(proto_build, accepts_an_object_without_metadata_where_it_needs_no_name)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;

    options.api_version = "v1";
    options.kind = "Pod";
    options.allows_no_name = true;

    ASSERT_OK(kin_object_from_protobuf("", 0, &options, &object, NULL));

    ASSERT_SLICE_EQ(kin_object_key(object), "");
    ASSERT_SLICE_EQ(kin_object_kind(object), "Pod");
    kin_object_unref(object);
}
