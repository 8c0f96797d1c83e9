/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_special_test.c - messages whose JSON is their own.
 */
#include "unit/proto/rendering.h"

static void put_time(wire *w, uint32_t number, int64_t seconds, int32_t nanoseconds)
{
    wire time = { 0 };

    wire_number(&time, 1, (uint64_t) seconds);
    wire_number(&time, 2, (uint64_t) (int64_t) nanoseconds);
    wire_put(w, number, &time);
}

static kin__pb_message condition(void)
{
    return message_at("v1", "Pod", "status.conditions");
}

static kin__pb_message schema(void)
{
    return message_at("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                      "spec.versions.schema.openAPIV3Schema");
}

TEST(render_special, writes_times_in_whole_seconds)
{
    wire w = { 0 };
    put_time(&w, 3, 1763251199, 999999999);
    put_time(&w, 4, 0, 0);

    assert_renders(condition(), &w,
                   "{\"lastProbeTime\":\"2025-11-15T23:59:59Z\","
                   "\"lastTransitionTime\":\"1970-01-01T00:00:00Z\"}");
}

/* omitempty has no effect on a struct; a zero time says null of itself. */
TEST(render_special, writes_zero_times_as_null)
{
    wire w = { 0 };
    wire_text(&w, 3, "");
    put_time(&w, 4, -62135596800, 0);

    assert_renders(condition(), &w, "{\"lastProbeTime\":null,\"lastTransitionTime\":null}");
}

TEST(render_special, leaves_a_zero_time_out_only_where_told)
{
    wire zero = { 0 };
    wire set = { 0 };
    wire_text(&zero, 8, "");
    wire_text(&zero, 9, "");
    put_time(&set, 8, 1, 0);

    assert_renders(message_at("v1", "Pod", "metadata"), &zero, "{\"deletionTimestamp\":null}");
    assert_renders(message_at("v1", "Pod", "metadata"), &set,
                   "{\"creationTimestamp\":\"1970-01-01T00:00:01Z\"}");
}

TEST(render_special, writes_six_digits_of_a_micro_time)
{
    wire w = { 0 };
    put_time(&w, 3, 1, 0);
    put_time(&w, 4, 1, 123456789);

    assert_renders(message_at("coordination.k8s.io/v1", "Lease", "spec"), &w,
                   "{\"acquireTime\":\"1970-01-01T00:00:01.000000Z\","
                   "\"renewTime\":\"1970-01-01T00:00:01.123456Z\"}");
}

TEST(render_special, writes_zero_micro_times_as_null)
{
    wire w = { 0 };
    wire_text(&w, 3, "");
    put_time(&w, 4, -62135596800, 0);

    assert_renders(message_at("coordination.k8s.io/v1", "Lease", "spec"), &w,
                   "{\"acquireTime\":null,\"renewTime\":null}");
}

TEST(render_special, writes_quantities_as_they_are)
{
    wire quantity = { 0 };
    wire source = { 0 };
    wire bare = { 0 };
    wire_text(&quantity, 1, "1500m\"");
    wire_put(&source, 2, &quantity);
    wire_text(&bare, 2, "");

    assert_renders(message_at("v1", "Pod", "spec.volumes.emptyDir"), &source,
                   "{\"sizeLimit\":\"1500m\\\"\"}");
    assert_renders(message_at("v1", "Pod", "spec.volumes.emptyDir"), &bare,
                   "{\"sizeLimit\":\"0\"}");
}

static void assert_port(uint64_t type, const char *want)
{
    wire value = { 0 };
    wire port = { 0 };
    wire_number(&value, 1, type);
    wire_number(&value, 2, (uint64_t) INT64_C(-7));
    wire_text(&value, 3, "web<");
    wire_put(&port, 4, &value);

    assert_renders(message_at("v1", "Service", "spec.ports"), &port, want);
}

TEST(render_special, writes_int_or_string_by_its_type)
{
    assert_port(0, "{\"targetPort\":-7}");
    assert_port(1, "{\"targetPort\":\"web\\u003c\"}");
}

TEST(render_special, refuses_an_int_or_string_that_is_neither)
{
    wire value = { 0 };
    wire port = { 0 };
    wire_number(&value, 1, 2);
    wire_put(&port, 4, &value);

    assert_refused(message_at("v1", "Service", "spec.ports"), &port, KIN_ERR_MALFORMED,
                   "IntOrString that is neither at byte 2");
}

TEST(render_special, writes_an_int_or_string_of_nothing_as_0)
{
    wire port = { 0 };
    wire_text(&port, 4, "");

    assert_renders(message_at("v1", "Service", "spec.ports"), &port, "{\"targetPort\":0}");
}

TEST(render_special, writes_absent_json_as_null)
{
    wire revision = { 0 };
    wire entry = { 0 };
    wire value = { 0 };
    wire_text(&revision, 2, "");
    wire_text(&entry, 7, "");
    wire_text(&value, 8, "");

    assert_renders(message_at("apps/v1", "ControllerRevision", ""), &revision, "{\"data\":null}");
    assert_renders(message_at("v1", "Pod", "metadata.managedFields"), &entry,
                   "{\"fieldsV1\":null}");
    assert_renders(schema(), &value, "{\"default\":null}");
}

/* Go's FieldsV1 and JSON take empty for absent; RawExtension does not, and has no JSON then. */
TEST(render_special, writes_empty_json_as_null_but_for_raw_extensions)
{
    wire revision = { 0 };
    wire entry = { 0 };
    wire value = { 0 };
    wire_content(&revision, 2, "\x0a\0", 2);
    wire_content(&entry, 7, "\x0a\0", 2);
    wire_content(&value, 8, "\x0a\0", 2);

    assert_refused(message_at("apps/v1", "ControllerRevision", ""), &revision, KIN_ERR_MALFORMED,
                   "text at byte 4: JSON ends at byte 0, expected a value");
    assert_renders(message_at("v1", "Pod", "metadata.managedFields"), &entry,
                   "{\"fieldsV1\":null}");
    assert_renders(schema(), &value, "{\"default\":null}");
}

static wire event_with(const char *api_version, const char *kind)
{
    wire meta = { 0 };
    wire object = { 0 };
    wire envelope = { 0 };
    wire raw = { 0 };
    wire event = { 0 };
    wire_text(&meta, 1, "cm");
    wire_put(&object, 1, &meta);
    wire_envelope(&envelope, api_version, kind, &object);
    wire_put(&raw, 1, &envelope);
    wire_text(&event, 1, "ADDED");
    wire_put(&event, 2, &raw);
    return event;
}

TEST(render_special, writes_the_object_of_an_envelope)
{
    wire event = event_with("v1", "ConfigMap");

    assert_renders(message_at("v1", "WatchEvent", ""), &event,
                   "{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
                   "\"metadata\":{\"name\":\"cm\"}}}");
}

TEST(render_special, refuses_an_object_of_an_unknown_kind)
{
    wire event = event_with("example.com/v1", "Widget");

    assert_refused(message_at("v1", "WatchEvent", ""), &event, KIN_ERR_MALFORMED,
                   "object inside the message: the tables know no Widget of example.com/v1");
}

/* The schemas inside are "not" of another schema, so that their braces show. */
TEST(render_special, writes_a_schema_or_a_bool)
{
    wire is_true = { 0 };
    wire is_false = { 0 };
    wire with_schema = { 0 };
    wire_content(&is_true, 30, "\x08\x01", 2);
    wire_content(&is_false, 30, "\x08\0", 2);
    wire_content(&with_schema, 30, "\x08\x01\x12\x04\x2a\x02ok", 8);

    assert_renders(schema(), &is_true, "{\"additionalProperties\":true}");
    assert_renders(schema(), &is_false, "{\"additionalProperties\":false}");
    assert_renders(schema(), &with_schema, "{\"additionalProperties\":{\"type\":\"ok\"}}");
}

TEST(render_special, writes_a_schema_or_an_array)
{
    wire one = { 0 };
    wire many = { 0 };
    wire none = { 0 };
    wire_content(&one, 24, "\x0a\x04\x2a\x02ok", 6);
    wire_content(&many, 24, "\x12\x04\x2a\x02ok\x12\0", 8);
    wire_text(&none, 24, "");

    assert_renders(schema(), &one, "{\"items\":{\"type\":\"ok\"}}");
    assert_renders(schema(), &many, "{\"items\":[{\"type\":\"ok\"},{}]}");
    assert_renders(schema(), &none, "{\"items\":null}");
}

static void assert_dependency(const char *content, size_t len, const char *want)
{
    wire entry = { 0 };
    wire w = { 0 };
    text t = { 0 };
    wire_text(&entry, 1, "k");
    wire_content(&entry, 2, content, len);
    wire_put(&w, 32, &entry);
    text_append(&t, "{\"dependencies\":{\"k\":%s}}", want);

    assert_renders(schema(), &w, t.chars);
}

TEST(render_special, writes_a_schema_or_strings)
{
    assert_dependency("\x0a\x04\x2a\x02ok", 6, "{\"type\":\"ok\"}");
    assert_dependency("\x12\x01"
                      "a\x12\x01<",
                      6, "[\"a\",\"\\u003c\"]");
    assert_dependency("", 0, "null");
}

TEST(render_special, writes_a_list_of_strings_that_is_a_message)
{
    wire set = { 0 };
    wire empty = { 0 };
    wire absent = { 0 };
    wire_content(&set, 4, "\x0a\x03get\x0a\x04list", 11);
    wire_text(&empty, 4, "");

    assert_renders(message_at("v1", "APIResourceList", "resources"), &set,
                   "{\"verbs\":[\"get\",\"list\"]}");
    assert_renders(message_at("v1", "APIResourceList", "resources"), &empty, "{\"verbs\":[]}");
    assert_renders(message_at("v1", "APIResourceList", "resources"), &absent, "{\"verbs\":null}");
}

TEST(render_special, counts_fields_that_are_not_its_own)
{
    wire time = { 0 };
    wire w = { 0 };
    kin__buf out = { 0 };
    kin_error err;
    kin__pb_rendering rendering = { 0 };
    wire_number(&time, 1, 1);
    wire_number(&time, 3, 1);
    wire_number(&time, 60, 1);
    wire_put(&w, 3, &time);

    ASSERT_OK(kin__pb_render(condition(), bytes_of(&w), &rendering, &out, &err));

    ASSERT_SLICE_EQ(kin__str(out.data, out.len), "{\"lastProbeTime\":\"1970-01-01T00:00:01Z\"}");
    ASSERT_EQ(rendering.unknown_count, 2);
    kin__buf_fini(&out);
}

TEST(render_special, refuses_fields_of_the_wrong_wire_type)
{
    wire w = { 0 };
    wire cut = { 0 };
    wire_content(&w, 3, "\x0a\0", 2);
    wire_content(&cut, 3, "\x08", 1);

    assert_refused(condition(), &w, KIN_ERR_MALFORMED, "field of the wrong wire type at byte 2");
    assert_refused(condition(), &cut, KIN_ERR_MALFORMED,
                   "the message ends inside a number at byte 3");
}

/* No kind has one inside; only its message is in the tables. */
static kin__pb_message unknown(void)
{
    kin__pb_message message = 0;

    while (message != KIN__PB_NO_MESSAGE && kin__pb_special_of(message) != KIN__PB_UNKNOWN) {
        message++;
    }
    return message;
}

TEST(render_special, writes_the_object_of_an_envelope_without_its_magic)
{
    wire envelope = { 0 };
    wire other = { 0 };
    wire object = { 0 };
    wire_number(&object, 4, 1);
    wire_envelope(&other, "v1", "ConfigMap", &object);
    wire_bytes(&envelope, other.bytes + 4, other.len - 4);

    assert_renders(unknown(), &envelope,
                   "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"immutable\":true}");

    wire_text(&envelope, 4, "application/json");
    assert_refused(unknown(), &envelope, KIN_ERR_MALFORMED,
                   "object inside the message: it is not in protobuf");
}
