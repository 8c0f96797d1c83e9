/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_encoding_test.c - editing and comparing objects whose bytes are a protobuf message.
 */
#include "object/proto_encoding.h"

#include "kin/edit.h"
#include "unit/object/proto_making.h"

TEST(proto_encoding, an_edit_makes_an_object_and_a_patch)
{
    wire spec = { 0 };
    kin_edit *edit = NULL;
    kin_object *edited = NULL;
    char *patch = NULL;
    size_t len;

    wire_text(&spec, 10, "node");
    kin_object *object = pod_of(&spec);
    ASSERT_OK(kin_object_edit(object, &edit, NULL));
    ASSERT_OK(kin_edit_set_str(edit, "metadata.labels.a", kin_str_of("b"), NULL));
    ASSERT_OK(kin_edit_merge_patch(edit, 0, &patch, &len, NULL));
    ASSERT_STR_EQ(patch, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    ASSERT_OK(kin_edit_object(edit, &edited, NULL));
    check_json(edited,
               "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\","
               "\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":null,\"nodeName\":\"node\"}}");
    kin_free(patch);
    kin_edit_free(edit);
    kin_object_unref(object);
}

TEST(proto_encoding, objects_are_equal_when_they_say_the_same)
{
    wire spec = { 0 };
    bool is_equal = true;

    wire_text(&spec, 10, "node");
    kin_object *a = pod_of(&spec);
    kin_object *b = pod_of(&spec);
    ASSERT_OK(kin_object_equal(a, b, &is_equal));
    ASSERT_TRUE(is_equal);
    kin_object_unref(b);

    wire_number(&spec, 11, 0); /* a zero that JSON does not show */
    b = pod_of(&spec);
    ASSERT_OK(kin_object_equal(a, b, &is_equal));
    ASSERT_TRUE(is_equal);
    kin_object_unref(b);

    wire_number(&spec, 11, 1);
    b = pod_of(&spec);
    ASSERT_OK(kin_object_equal(a, b, &is_equal));
    ASSERT_FALSE(is_equal);
    kin_object_unref(b);
    kin_object_unref(a);

    /* The same bytes mean another thing in another kind. */
    a = object_of("v1", "Namespace", 2, NULL);
    b = object_of("v1", "Node", 2, NULL);
    ASSERT_OK(kin_object_equal(a, b, &is_equal));
    ASSERT_FALSE(is_equal);
    kin_object_unref(a);
    kin_object_unref(b);

    /* The same message may be that of two kinds. */
    a = object_of("meta.k8s.io/v1", "PartialObjectMetadata", 2, NULL);
    b = object_of("meta.k8s.io/v1beta1", "PartialObjectMetadata", 2, NULL);
    ASSERT_OK(kin_object_equal(a, b, &is_equal));
    ASSERT_FALSE(is_equal);
    kin_object_unref(a);
    kin_object_unref(b);
}

TEST_FAILING_ALLOC(proto_encoding, survives_failing_allocations)
{
    static const char message[] = "\x0a\x0b\x0a\x01n\x62\x06\x0a\x01k\x12\x01v"
                                  "\x12\x06\x52\x04node";
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *a = NULL;
    kin_object *b = NULL;
    kin_edit *edit = NULL;
    char *json = NULL;
    size_t len;
    bool is_equal = false;

    options.api_version = "v1";
    options.kind = "Pod";
    kin_err code = kin_object_from_protobuf(message, sizeof message - 1, &options, &a, NULL);
    if (code == KIN_OK) {
        code = kin_value_json(kin_object_at(a, "metadata.annotations"), &json, &len, NULL);
    }
    if (code == KIN_OK) {
        kin_free(json);
        json = NULL;
        code = kin_object_json(a, &json, &len, NULL);
    }
    if (code == KIN_OK) {
        code = kin_object_from_json(json, len, NULL, &b, NULL);
    }
    if (code == KIN_OK) {
        code = kin_object_equal(a, b, &is_equal);
    }
    if (code == KIN_OK) {
        ASSERT_TRUE(is_equal);
        code = kin_object_edit(a, &edit, NULL);
    }
    kin_edit_free(edit);
    kin_free(json);
    kin_object_unref(a);
    kin_object_unref(b);
    return code;
}
