/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_encoding_field_test.c - from a field on the wire to a value: what no server sends
 * as well.
 */
#include "object/proto_encoding.h"
#include "unit/object/proto_making.h"

TEST(proto_encoding_field, a_value_of_the_wrong_wire_type_is_malformed)
{
    wire spec = { 0 };

    wire_number(&spec, 10, 1); /* nodeName */
    kin_object *object = pod_of(&spec);
    check_faulty(object, "spec.nodeName");
    check_at(object, "spec.restartPolicy", "missing");
    kin_object_unref(object);

    spec.len = 0;
    wire_text(&spec, 11, "x"); /* hostNetwork */
    object = pod_of(&spec);
    check_faulty(object, "spec.hostNetwork");
    kin_object_unref(object);

    spec.len = 0;
    wire_number(&spec, 2, 1); /* containers */
    object = pod_of(&spec);
    check_faulty(object, "spec.containers[0]");
    ASSERT_EQ(kin_value_count(kin_object_at(object, "spec.containers")), 1);
    kin_object_unref(object);
}

TEST(proto_encoding_field, a_message_that_cannot_be_read_is_malformed)
{
    wire spec = { 0 };

    wire_text(&spec, 1, "");
    wire_bytes(&spec, "\x52\x30node", 6);
    kin_object *object = pod_of(&spec);
    check_faulty(object, "spec.nodeName");
    check_faulty(object, "spec.containers");
    check_faulty(object, "spec.volumes[1]");
    ASSERT_EQ(kin_value_count(kin_object_at(object, "spec.volumes")), 2);
    kin_object_unref(object);
}

static void check_no_json(const kin_object *object, const char *why)
{
    kin_error err;
    size_t len;
    char *json;

    ASSERT_ERR(kin_object_json(object, &json, &len, &err), KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, why);
}

TEST(proto_encoding_field, a_message_in_parts_is_malformed)
{
    wire spec = { 0 };
    wire context = { 0 };

    wire_put(&spec, 14, &context);
    wire_number(&context, 2, 7);
    wire_put(&spec, 14, &context);
    kin_object *object = pod_of(&spec);

    check_faulty(object, "spec.securityContext.runAsUser");
    check_faulty(object, "spec.securityContext");
    check_no_json(object, "JSON of a value: field that comes twice at byte 9");
    kin_object_unref(object);
}

/* A path that has found its field does not look for more behind the next one. */
TEST(proto_encoding_field, a_scalar_that_comes_again_later_has_no_json)
{
    wire spec = { 0 };

    wire_text(&spec, 10, "a");
    wire_number(&spec, 11, 1);
    wire_text(&spec, 10, "b");
    kin_object *object = pod_of(&spec);

    check_at(object, "spec.nodeName", "\"a\"");
    check_no_json(object, "JSON of a value: field that comes twice at byte 12");
    kin_object_unref(object);
}

TEST(proto_encoding_field, of_a_scalar_that_comes_twice_the_last_counts)
{
    wire spec = { 0 };

    wire_text(&spec, 10, "a");
    wire_text(&spec, 10, "b");
    kin_object *object = pod_of(&spec);
    check_at(object, "spec.nodeName", "\"b\"");
    kin_object_unref(object);
}

TEST(proto_encoding_field, json_inside_that_is_none_is_malformed)
{
    static const char *const texts[] = { "", "{", "{\"a\":}", "nul", "[1,]", "\"\\x\"", "{}{}" };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        wire raw = { 0 };
        wire_text(&raw, 1, texts[i]);
        kin_object *object = object_of("apps/v1", "ControllerRevision", 2, &raw);
        check_faulty(object, "data");
        check_faulty(object, "data.a");
        kin_object_unref(object);
    }
}

TEST(proto_encoding_field, json_inside_ends_where_it_ends)
{
    wire raw = { 0 };

    wire_text(&raw, 1, " { \"a\" : [ 1 , {\"b\":\"\\u0041\"} ] } ");
    kin_object *object = object_of("apps/v1", "ControllerRevision", 2, &raw);
    check_at(object, "data", "{\"a\":[1,{\"b\":\"\\u0041\"}]}");
    check_text_at(object, "data.a[1].b", "A");
    check_at(object, "data.a[2]", "missing");
    check_at(object, "data.b", "missing");
    ASSERT_EQ(kin_value_count(kin_object_at(object, "data.a")), 2);
    kin_object_unref(object);
}

TEST(proto_encoding_field, an_object_inside_in_an_envelope_is_an_object)
{
    wire metadata = { 0 };
    wire message = { 0 };
    wire envelope = { 0 };
    wire raw = { 0 };

    wire_text(&metadata, 1, "inner");
    wire_put(&message, 1, &metadata);
    wire_envelope(&envelope, "v1", "ConfigMap", &message);
    wire_put(&raw, 1, &envelope);
    kin_object *object = object_of("apps/v1", "ControllerRevision", 2, &raw);
    check_at(object, "data",
             "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
             "\"name\":\"inner\"}}");
    check_at(object, "data.kind", "\"ConfigMap\"");
    check_at(object, "data.metadata.name", "\"inner\"");
    ASSERT_EQ(kin_value_count(kin_object_at(object, "data")), 3);
    kin_object_unref(object);

    raw.len = 0;
    envelope.len = 0;
    wire_envelope(&envelope, "example.com/v1", "Widget", &message);
    wire_put(&raw, 1, &envelope);
    object = object_of("apps/v1", "ControllerRevision", 2, &raw);
    check_faulty(object, "data");
    kin_object_unref(object);
}

TEST(proto_encoding_field, doubles_that_json_cannot_write_are_malformed)
{
    wire schema = { 0 };
    wire validation = { 0 };
    wire version = { 0 };
    wire spec = { 0 };

    wire_varint(&schema, 9 << 3 | KIN__PB_FIXED64);
    wire_bytes(&schema, "\0\0\0\0\0\0\xf0\x7f", 8); /* maximum: infinite */
    wire_varint(&schema, 11 << 3 | KIN__PB_FIXED64);
    wire_bytes(&schema, "\0\0\0\0\0\0\xf8\x3f", 8); /* minimum: 1.5 */
    wire_put(&validation, 1, &schema);
    wire_put(&version, 4, &validation);
    wire_put(&spec, 7, &version);
    kin_object *object = object_of("apiextensions.k8s.io/v1", "CustomResourceDefinition", 2, &spec);
    double real = 0;
    int64_t integer;

    check_faulty(object, "spec.versions[0].schema.openAPIV3Schema.maximum");
    kin_value minimum = kin_object_at(object, "spec.versions[0].schema.openAPIV3Schema.minimum");
    ASSERT_OK(kin_value_double(minimum, &real));
    ASSERT_TRUE(real == 1.5);
    ASSERT_ERR(kin_value_int64(minimum, &integer), KIN_ERR_TYPE);
    ASSERT_OK(kin_value_quantity(minimum, -3, &integer));
    ASSERT_EQ(integer, 1500);
    kin_object_unref(object);
}

TEST(proto_encoding_field, an_int_or_string_that_is_neither_is_malformed)
{
    wire port = { 0 };
    wire number = { 0 };
    wire spec = { 0 };

    wire_number(&number, 1, 2);
    wire_put(&port, 4, &number); /* targetPort */
    wire_put(&spec, 1, &port);
    kin_object *object = object_of("v1", "Service", 2, &spec);
    check_faulty(object, "spec.ports[0].targetPort");
    kin_object_unref(object);
}

/* It would be null in 1.36, where a message without it says that its map is nil. */
TEST(proto_encoding_field, a_field_that_a_release_removed_is_missing_when_it_is_absent)
{
    wire status = { 0 };
    wire claim = { 0 };

    wire_text(&claim, 1, "c");
    wire_put(&status, 21, &claim);
    kin_object *object = object_of("v1", "Pod", 3, &status);
    check_at(object, "status.nodeAllocatableResourceClaimStatuses[0].resources", "missing");
    kin_object_unref(object);
}
