/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_test.c - JSON becomes the message that a Go API server would send.
 */
#include "proto/parse.h"

#include "proto/envelope.h"
#include "proto/render.h"
#include "unit/proto/parsing.h"

/* An ObjectMeta with nothing in it. */
#define EMPTY_META "0a 10 0a 00 12 00 1a 00 22 00 2a 00 32 00 38 00 42 00"

/* The JSON of a server and the protobuf of the same server for the same objects. */
TEST(parse, makes_the_servers_own_bytes_of_its_json)
{
    static const struct {
        const char *json;
        const char *proto;
    } pairs[] = {
        { "list-pods-20.json", "list-pods-20.pb" },
        { "list-pod-get.json", "list-pod-get.pb" },
        { "list-configmaps.json", "list-configmaps.pb" },
        { "metadata-widgets-crd.json", "metadata-widgets-crd.pb" },
        { "status-404-object.json", "status-404-object.pb" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        size_t json_len;
        size_t proto_len;
        char *json = read_fixture(pairs[i].json, &json_len);
        char *proto = read_fixture(pairs[i].proto, &proto_len);
        AUTO(kin__buf_fini) kin__buf buf = { 0 };
        kin_str api_version;
        kin_str kind;
        kin_str message;
        kin_error err;

        ASSERT_OK(
            kin__pb_envelope_read(kin__str(proto, proto_len), &api_version, &kind, &message, &err));
        ASSERT_OK(kin__pb_from_json(kin__pb_message_of(api_version, kind),
                                    kin__json_of(kin__str(json, json_len)), &buf, &err));

        ASSERT_EQ(buf.len, message.len);
        ASSERT_TRUE(memcmp(buf.data, message.data, message.len) == 0);
        free_fixture(json);
        free_fixture(proto);
    }
}

TEST(parse, always_writes_fields_that_go_has_by_value)
{
    expect_message("v1", "ConfigMap", "{}", "", EMPTY_META);
    expect_message("v1", "Secret", "{}", "", EMPTY_META " 1a 00");
    expect_message("policy/v1", "PodDisruptionBudget", "{}", "3", "08 00 18 00 20 00 28 00 30 00");
}

TEST(parse, writes_pointers_when_they_are_there_even_if_they_are_zero)
{
    expect_message("v1", "ConfigMap", "{\"immutable\":false}", "", EMPTY_META " 20 00");
    expect_message("v1", "ConfigMap", "{\"immutable\":null}", "", EMPTY_META);
    expect_message("v1", "ConfigMap", "{\"metadata\":{\"deletionGracePeriodSeconds\":0}}", "1",
                   "0a 00 12 00 1a 00 22 00 2a 00 32 00 38 00 42 00 50 00");
}

/* Bytes are no pointer, but Go tells nil from empty. */
TEST(parse, writes_bytes_only_when_they_are_there)
{
    expect_message("certificates.k8s.io/v1", "CertificateSigningRequest", "{}", "2",
                   "12 00 1a 00 3a 00");
    expect_message("certificates.k8s.io/v1", "CertificateSigningRequest",
                   "{\"spec\":{\"request\":\"\"}}", "2", "0a 00 12 00 1a 00 3a 00");
}

TEST(parse, orders_fields_by_number)
{
    expect_message("v1", "Secret", "{\"type\":\"t\",\"immutable\":true,\"data\":{\"k\":\"\"}}", "",
                   EMPTY_META " 12 05 0a 01 6b 12 00 1a 01 74 28 01");
}

TEST(parse, takes_the_last_of_two_equal_members)
{
    expect_message("v1", "Secret", "{\"type\":\"a\",\"type\":\"b\"}", "", EMPTY_META " 1a 01 62");
    expect_message("v1", "Secret", "{\"type\":\"a\",\"t\\u0079pe\":null}", "", EMPTY_META " 1a 00");
}

TEST(parse, skips_kind_and_api_version_where_the_type_has_them)
{
    expect_message("v1", "ConfigMap", "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\"}", "",
                   EMPTY_META);
    expect_parse_fault("v1", "ConfigMap", "{\"kind\":7}",
                       "kind: expected a string, found a number");
    expect_parse_fault("v1", "ConfigMap", "{\"metadata\":{\"kind\":\"x\"}}",
                       "metadata.kind: unknown member");
    /* Here kind is a member like any other. */
    expect_message("v1", "Event", "{\"involvedObject\":{\"kind\":\"Pod\"}}", "2",
                   "0a 03 50 6f 64 12 00 1a 00 22 00 2a 00 32 00 3a 00");
}

/* A volume's source has no name of its own in JSON, and neither has the reference in it. */
TEST(parse, gathers_the_members_of_inline_messages)
{
    expect_message("v1", "Pod",
                   "{\"spec\":{\"volumes\":[{\"configMap\":{\"name\":\"c\"},\"name\":\"v\"}]}}",
                   "2.1", "0a 01 76 12 08 9a 01 05 0a 03 0a 01 63");
    expect_message("v1", "Pod", "{\"spec\":{\"volumes\":[{\"name\":\"v\"}]}}", "2.1",
                   "0a 01 76 12 00");
    expect_parse_fault("v1", "Pod", "{\"spec\":{\"volumes\":[{},{\"configmap\":{}}]}}",
                       "spec.volumes[1].configmap: unknown member");
}

TEST(parse, writes_each_element_of_a_list_and_nothing_for_none)
{
    expect_message("v1", "ConfigMap", "{\"metadata\":{\"finalizers\":[\"a\",null,\"\"]}}", "1",
                   "0a 00 12 00 1a 00 22 00 2a 00 32 00 38 00 42 00 72 01 61 72 00 72 00");
    expect_message("v1", "ConfigMap", "{\"metadata\":{\"finalizers\":[],\"managedFields\":null}}",
                   "", EMPTY_META);
}

TEST(parse, writes_a_field_that_was_removed_only_when_it_is_there)
{
    /* PodResourceClaim.source, by value, until 1.30. */
    expect_message("v1", "Pod", "{\"spec\":{\"resourceClaims\":[{\"name\":\"c\"}]}}", "2.39",
                   "0a 01 63");
    expect_message("v1", "Pod", "{\"spec\":{\"resourceClaims\":[{\"name\":\"c\",\"source\":{}}]}}",
                   "2.39", "0a 01 63 12 00");
}

TEST(parse, writes_lengths_of_any_size)
{
    static char json[70000];
    static const size_t sizes[] = { 127, 128, 16383, 16384, 65536 };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        AUTO(kin__buf_fini) kin__buf buf = { 0 };
        kin_error err;
        size_t len = (size_t) snprintf(json, sizeof json, "{\"metadata\":{\"name\":\"");
        memset(json + len, 'x', sizes[i]);
        (void) snprintf(json + len + sizes[i], 10, "\"}}");

        ASSERT_OK(kin__pb_from_json(message_named("v1", "ConfigMap"),
                                    kin__json_of(kin_str_of(json)), &buf, &err));
        kin_str name = content_of(content_of(kin__str(buf.data, buf.len), 1), 1);
        ASSERT_EQ(name.len, sizes[i]);
    }
}

TEST(parse, refuses_unknown_members_and_wrong_types)
{
    expect_parse_fault("v1", "Pod", "{\"sepc\":{}}", "sepc: unknown member");
    expect_parse_fault("v1", "Pod", "{\"spec\":[]}", "spec: expected an object, found an array");
    expect_parse_fault("v1", "Pod", "{\"spec\":{\"containers\":{}}}",
                       "spec.containers: expected an array, found an object");
    expect_parse_fault("v1", "Pod", "{\"spec\":{\"containers\":[{},{\"image\":true}]}}",
                       "spec.containers[1].image: expected a string, found a boolean");
    expect_parse_fault("v1", "Pod", "{\"spec\":{\"containers\":[3]}}",
                       "spec.containers[0]: expected an object, found a number");
    expect_parse_fault("v1", "Pod", "[]", "expected an object, found an array");
    expect_parse_fault("v1", "Pod", "", "expected an object, found nothing");
}

TEST(parse, does_not_know_every_kind)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_error err;

    ASSERT_ERR(kin__pb_from_json(KIN__PB_NO_MESSAGE, kin__json_of(STR("{}")), &buf, &err),
               KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&err, "no such kind in the protobuf tables");
}

/* A schema inside a schema inside a schema ... */
static kin_err parse_deep_schema(int depth, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    ASSERT_TRUE(kin__buf_append_format(&json, "%s",
                                       "{\"spec\":{\"versions\":[{\"schema\":"
                                       "{\"openAPIV3Schema\":{"));
    for (int i = 0; i < depth; i++) {
        ASSERT_TRUE(kin__buf_append_format(&json, "%s", "\"not\":{"));
    }
    for (int i = 0; i < depth + 3; i++) {
        ASSERT_TRUE(kin__buf_append_format(&json, "%s", "}"));
    }
    ASSERT_TRUE(kin__buf_append_format(&json, "%s", "]}}"));
    return kin__pb_from_json(message_named("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
                             kin__json_of(kin__str(json.data, json.len)), &buf, err);
}

TEST(parse, limits_how_deep_messages_are)
{
    kin_error err;

    /* Five messages are around the innermost schema but one. */
    ASSERT_OK(parse_deep_schema(KIN__PB_DEPTH_MAX - 5, &err));
    ASSERT_ERR(parse_deep_schema(KIN__PB_DEPTH_MAX - 4, &err), KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "more than 200 messages inside one another");
    ASSERT_ERR(parse_deep_schema(900, &err), KIN_ERR_LIMIT);
}

TEST_FAILING_ALLOC(parse, survives_without_memory)
{
    static const char json[] =
        "{\"metadata\":{\"labels\":{\"b\\n\":\"1\",\"a\":\"\\u00e4\"}},\"spec\":{\"containers\":[{"
        "\"name\":\"c\",\"resources\":{\"limits\":{\"cpu\":\"0.5\",\"memory\":\"1Gi\"}},"
        "\"env\":[{\"name\":\"a\"}]}],\"volumes\":[{\"name\":\"v\",\"secret\":{}}]}}";
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_error err;

    if (!kin__buf_append(&buf, "kept", 4)) {
        return KIN_ERR_NO_MEMORY;
    }
    kin_err code =
        kin__pb_from_json(message_named("v1", "Pod"), kin__json_of(kin_str_of(json)), &buf, &err);
    if (code != KIN_OK) {
        ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), "kept");
    }
    return code;
}
