/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_test.c - bodies and objects.  Texts are those of a kube-apiserver 1.36.3.
 */
#include "server/codec.h"

#include <string.h>
#include <time.h>

#include "decoding.h"
#include "proto/envelope.h"
#include "proto/parse.h"

TEST(codec, writes_a_built_in_kind_in_the_order_of_go)
{
    decoded d;

    ASSERT_STR_EQ(decode("v1", "ConfigMap",
                         "{\"data\":{\"b\":\"<x>\",\"a\":\"1\"},\"metadata\":{\"labels\":{},"
                         "\"name\":\"c\",\"namespace\":\"n\",\"creationTimestamp\":null}}",
                         &d),
                  "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c\","
                  "\"namespace\":\"n\"},\"data\":{\"a\":\"1\",\"b\":\"\\u003cx\\u003e\"}}");
    ASSERT_STR_EQ(d.warnings.chars, "");
}

TEST(codec, makes_quantities_and_times_canonical)
{
    decoded d;

    ASSERT_CONTAINS(decode("v1", "Pod",
                           "{\"metadata\":{\"creationTimestamp\":\"2020-01-01T02:00:00+02:00\"},"
                           "\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":"
                           "{\"cpu\":\"1000m\",\"memory\":1024}}}]}}",
                           &d),
                    "\"limits\":{\"cpu\":\"1\",\"memory\":\"1024\"}");
    ASSERT_CONTAINS(d.json.chars, "\"creationTimestamp\":\"2020-01-01T00:00:00Z\"");
}

TEST(codec, takes_what_the_body_does_not_say_from_the_url)
{
    decoded d;

    ASSERT_STR_EQ(decode("apps/v1", "Deployment", "{\"kind\":\"Deployment\"}", &d),
                  decode("apps/v1", "Deployment", "{\"apiVersion\":\"apps/v1\"}", &(decoded){ 0 }));
    ASSERT_CONTAINS(d.json.chars, "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\",");
    ASSERT_CONTAINS(decode("v1", "ConfigMap", "null", &d),
                    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{}}");
}

TEST(codec, warns_of_unknown_and_duplicate_fields)
{
    decoded d;

    ASSERT_CONTAINS(decode("v1", "ConfigMap",
                           "{\"metadata\":{\"name\":\"a\"},\"foo\":1,"
                           "\"data\":{\"a\":\"1\",\"a\":\"2\"}}",
                           &d),
                    "\"data\":{\"a\":\"2\"}");
    ASSERT_STR_EQ(d.warnings.chars, "unknown field \"foo\"\nduplicate field \"data.a\"\n");
    (void) decode("v1", "Pod",
                  "{\"spec\":{\"containers\":[{\"Name\":\"x\",\"foo\":{\"a\":1,\"a\":2},"
                  "\"name\":\"c\",\"name\":\"d\"}]}}",
                  &d);
    ASSERT_STR_EQ(d.warnings.chars, "unknown field \"spec.containers[0].Name\"\n"
                                    "unknown field \"spec.containers[0].foo\"\n"
                                    "duplicate field \"spec.containers[0].name\"\n");
}

TEST(codec, refuses_unknown_and_duplicate_fields_when_strict)
{
    kin__codec_body body = { .bytes = STR("{\"metadata\":{\"name\":\"b\",\"x\":1},\"foo\":1,"
                                          "\"data\":{\"a\":\"1\",\"a\":\"2\"}}"),
                             .validation = KIN__FIELDS_STRICT };
    decoded d;

    ASSERT_STR_EQ(decode_as(kind_of("v1", "ConfigMap"), body, &d),
                  "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding "
                  "error: unknown field \"metadata.x\", unknown field \"foo\", duplicate field "
                  "\"data.a\"");
    ASSERT_EQ(d.code, 400);
    body.validation = KIN__FIELDS_IGNORE;
    ASSERT_CONTAINS(decode_as(kind_of("v1", "ConfigMap"), body, &d), "\"data\":{\"a\":\"2\"}");
    ASSERT_STR_EQ(d.warnings.chars, "");
}

TEST(codec, refuses_another_kind_or_version)
{
    decoded d;

    ASSERT_STR_EQ(refusal_of("v1", "ConfigMap", "{\"kind\":\"Pod\"}", &d),
                  "Pod in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Pod) to "
                  "(core.ConfigMap): unknown conversion");
    ASSERT_STR_EQ(refusal_of("v1", "ConfigMap", "{\"Kind\":\"Pod\"}", &d),
                  "Pod in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Pod) to "
                  "(core.ConfigMap): unknown conversion");
    ASSERT_STR_EQ(refusal_of("v1", "ConfigMap", "{\"apiVersion\":\"v2\"}", &d),
                  "ConfigMap in version \"v2\" cannot be handled as a ConfigMap: no kind "
                  "\"ConfigMap\" is registered for version \"v2\" in scheme "
                  "\"pkg/runtime/scheme.go:111\"");
    ASSERT_STR_EQ(refusal_of("autoscaling/v2", "HorizontalPodAutoscaler",
                             "{\"apiVersion\":\"autoscaling/v1\"}", &d),
                  "the API version in the data (autoscaling/v1) does not match the expected API "
                  "version (autoscaling/v2)");
    ASSERT_STR_EQ(refusal_of("v1", "ConfigMap", "{\"kind\":\"Pod\",\"apiVersion\":\"a/b/c\"}", &d),
                  "the object provided is unrecognized (must be of type ConfigMap): unexpected "
                  "GroupVersion string: a/b/c ({\"kind\":\"Pod\",\"apiVersion\":\"a/ ...)");
}

TEST(codec, refuses_what_is_no_object)
{
    decoded d;

    ASSERT_STR_EQ(refusal_of("v1", "ConfigMap", "{\"metadata\":{\"name\":\"b\"},", &d),
                  "the object provided is unrecognized (must be of type ConfigMap): couldn't get "
                  "version/kind; json parse error: unexpected end of JSON input "
                  "({\"metadata\":{\"name\":\"b\"},)");
    ASSERT_STR_EQ(refusal_of("v1", "ConfigMap", "", &d),
                  "the object provided is unrecognized (must be of type ConfigMap): couldn't get "
                  "version/kind; json parse error: unexpected end of JSON input (<empty>)");
    ASSERT_STR_EQ(refusal_of("v1", "ConfigMap", "[1]", &d),
                  "the object provided is unrecognized (must be of type ConfigMap): couldn't get "
                  "version/kind; json parse error: json: cannot unmarshal array into Go value of "
                  "type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind "
                  "string \"json:\\\"kind,omitempty\\\"\" } (5b315d)");
    ASSERT_STR_EQ(refusal_of("v1", "ConfigMap", "{\"kind\":5}", &d),
                  "the object provided is unrecognized (must be of type ConfigMap): couldn't get "
                  "version/kind; json parse error: json: cannot unmarshal number into Go struct "
                  "field .kind of type string ({\"kind\":5})");
}

TEST(codec, writes_a_custom_resource_sorted)
{
    decoded d;

    ASSERT_STR_EQ(
        decode("demo.dev/v1", "Widget",
               "{\"kind\":\"Widget\",\"apiVersion\":\"demo.dev/v1\",\"metadata\":{\"name\":\"a\","
               "\"x\":1,\"labels\":{},\"annotations\":null,\"finalizers\":[],\"name\":\"a\","
               "\"creationTimestamp\":\"2020-01-01T02:00:00+02:00\"},\"z\":1.0,\"y\":1e3,\"x\":-0,"
               "\"w\":12345678901234567890,\"v\":1e30,\"u\":{\"b\":\"<>&\",\"a\":null,\"b\":2},"
               "\"t\":[],\"s\":1.5e-9,\"r\":0.1}",
               &d),
        "{\"apiVersion\":\"demo.dev/v1\",\"kind\":\"Widget\",\"metadata\":{"
        "\"creationTimestamp\":\"2020-01-01T00:00:00Z\",\"name\":\"a\"},\"r\":0.1,\"s\":1.5e-9,"
        "\"t\":[],\"u\":{\"a\":null,\"b\":2},\"v\":1e+30,\"w\":12345678901234567000,\"x\":0,"
        "\"y\":1000,\"z\":1}");
    ASSERT_STR_EQ(d.warnings.chars, "duplicate field \"metadata.name\"\nduplicate field \"u.b\"\n"
                                    "unknown field \"metadata.x\"\n");
}

TEST(codec, wants_kind_and_api_version_of_a_custom_resource)
{
    decoded d;

    ASSERT_STR_EQ(refusal_of("demo.dev/v1", "Widget", "{}", &d),
                  "the object provided is unrecognized (must be of type Widget): Object 'Kind' is "
                  "missing in '{}' ({})");
    ASSERT_STR_EQ(refusal_of("demo.dev/v1", "Widget", "{\"kind\":\"Widget\"}", &d),
                  "the API version in the data () does not match the expected API version "
                  "(demo.dev/v1)");
    ASSERT_STR_EQ(refusal_of("demo.dev/v1", "Widget", "null", &d),
                  "the object provided is unrecognized (must be of type Widget): Object 'Kind' is "
                  "missing in 'null' (6e756c6c)");
    (void) decode_as(kind_of("demo.dev/v1", "Widget"),
                     (kin__codec_body){ .bytes = STR("{}"), .validation = KIN__FIELDS_IGNORE }, &d);
    ASSERT_STR_EQ(d.json.chars, "Widget in version \"v1\" cannot be handled as a Widget: Object "
                                "'Kind' is missing in '{}'");
}

TEST(codec, checks_the_metadata_of_a_custom_resource)
{
    decoded d;

    ASSERT_STR_EQ(refusal_of("demo.dev/v1", "Widget",
                             "{\"apiVersion\":\"demo.dev/v1\",\"kind\":\"Widget\","
                             "\"metadata\":{\"name\":5}}",
                             &d),
                  "Widget in version \"v1\" cannot be handled as a Widget: json: cannot unmarshal "
                  "number into Go struct field ObjectMeta.name of type string");
    ASSERT_STR_EQ(refusal_of("demo.dev/v1", "Widget",
                             "{\"apiVersion\":\"demo.dev/v1\",\"kind\":\"Widget\",\"metadata\":5}",
                             &d),
                  "Widget in version \"v1\" cannot be handled as a Widget: json: cannot unmarshal "
                  "number into Go value of type v1.ObjectMeta");
    ASSERT_STR_EQ(refusal_of("demo.dev/v1", "Widget",
                             "{\"apiVersion\":\"demo.dev/v1\",\"kind\":\"Widget\",\"v\":1e999}",
                             &d),
                  "Widget in version \"v1\" cannot be handled as a Widget: json: cannot unmarshal "
                  "number 1e999 into Go value of type float64");
}

/* The envelope of a JSON object, in a buffer to be released. */
static kin__buf envelope_of(kin__codec_kind kind, const char *api_version, const char *name,
                            const char *json)
{
    AUTO(kin__buf_fini) kin__buf message = { 0 };
    kin__buf envelope = { 0 };
    kin_error err;

    ASSERT_OK(kin__pb_from_json(kind.message, kin__json_of(kin_str_of(json)), &message, &err));
    ASSERT_TRUE(kin__pb_envelope_append(kin_str_of(api_version), kin_str_of(name),
                                        kin__str(message.data, message.len), &envelope));
    return envelope;
}

TEST(codec, reads_protobuf)
{
    kin__codec_kind kind = kind_of("v1", "ConfigMap");
    AUTO(kin__buf_fini)
    kin__buf bytes =
        envelope_of(kind, "", "", "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}");
    decoded d;

    ASSERT_STR_EQ(
        decode_as(kind,
                  (kin__codec_body){ .bytes = { bytes.data, bytes.len }, .is_protobuf = true }, &d),
        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},"
        "\"data\":{\"k\":\"v\"}}");
}

/* A client of a later release sends fields that this one does not have; nobody is warned of what
 * protobuf does not know. */
TEST(codec, drops_what_a_newer_client_sends_as_protobuf)
{
    kin__codec_kind kind = kind_of("storage.k8s.io/v1", "CSINode");
    AUTO(kin__buf_fini)
    kin__buf bytes = envelope_of(kind, "", "", "{\"metadata\":{\"name\":\"a\"}}");
    decoded d;

    ASSERT_STR_EQ(decode_as(kind,
                            (kin__codec_body){ .bytes = { bytes.data, bytes.len },
                                               .is_protobuf = true,
                                               .validation = KIN__FIELDS_STRICT },
                            &d),
                  "{\"kind\":\"CSINode\",\"apiVersion\":\"storage.k8s.io/v1\",\"metadata\":{"
                  "\"name\":\"a\"},\"spec\":{\"drivers\":null}}");
}

TEST(codec, refuses_protobuf_that_is_none_or_another_kind)
{
    kin__codec_kind kind = kind_of("v1", "ConfigMap");
    AUTO(kin__buf_fini) kin__buf bytes = envelope_of(kind_of("v1", "Pod"), "v1", "Pod", "{}");
    decoded d;

    ASSERT_STR_EQ(decode_as(kind, (kin__codec_body){ .bytes = STR("{}"), .is_protobuf = true }, &d),
                  "the object provided is unrecognized (must be of type ConfigMap): provided data "
                  "does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})");
    ASSERT_STR_EQ(
        decode_as(kind,
                  (kin__codec_body){ .bytes = { bytes.data, bytes.len }, .is_protobuf = true }, &d),
        "Pod in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Pod) to "
        "(core.ConfigMap): unknown conversion");
    ASSERT_EQ(d.code, 400);
}

/* What a real server sent comes out byte for byte. */
TEST(codec, gives_back_what_a_real_server_wrote)
{
    size_t len;
    char *json = read_fixture("list-pod-get.json", &len);
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__codec_kind kind = kind_of("v1", "Pod");
    kin__codec_body body = { .bytes = { json, len } };
    kin_error err;

    ASSERT_TRUE(kin__codec_decode(&kind, &body, &tree, &warnings, &no));
    ASSERT_OK(kin__codec_encode(&kind, tree, &buf, &err));
    ASSERT_TRUE(kin__buf_append_byte(&buf, '\n'));

    ASSERT_EQ(warnings.count, 0);
    ASSERT_EQ(buf.len, len);
    ASSERT_TRUE(memcmp(buf.data, json, len) == 0);
    free_fixture(json);
}

TEST(codec, refuses_to_encode_a_member_that_should_have_been_pruned)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin__codec_kind kind = kind_of("v1", "Pod");
    kin_error err;

    ASSERT_OK(kin__node_from_json(kin__json_of(STR("{\"spek\":1}")), &tree, &err));
    ASSERT_ERR(kin__codec_encode(&kind, tree, &buf, &err), KIN_ERR_MALFORMED);
    ASSERT_EQ(buf.len, 0);
}

/* Every way that ends: an object, warnings, a refusal of each sort. */
static kin_err decode_once(const char *api_version, const char *name, const char *json,
                           kin__field_validation validation)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__codec_kind kind = kind_of(api_version, name);
    kin__codec_body body = { .bytes = kin_str_of(json), .validation = validation };
    kin_error err;

    if (!kin__codec_decode(&kind, &body, &tree, &warnings, &no)) {
        return no.has_no_memory ? KIN_ERR_NO_MEMORY : KIN_OK;
    }
    return kin__codec_encode(&kind, tree, &buf, &err);
}

TEST_FAILING_ALLOC(codec, survives_without_memory_for_an_object)
{
    return decode_once("v1", "Pod",
                       "{\"metadata\":{\"name\":\"a\\u0062\",\"labels\":{\"a\\u0062\":\"c\"},"
                       "\"creationTimestamp\":\"2020-01-01T00:00:00Z\",\"x\":1,\"name\":null},"
                       "\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"cpu\":1}}},null]}}",
                       KIN__FIELDS_WARN);
}

TEST_FAILING_ALLOC(codec, survives_without_memory_for_a_custom_resource)
{
    return decode_once("demo.dev/v1", "Widget",
                       "{\"apiVersion\":\"demo.dev/v1\",\"kind\":\"Widget\",\"metadata\":{\"x\":1,"
                       "\"name\":\"a\"},\"l\":[1,{\"b\":2,\"a\":1.5}]}",
                       KIN__FIELDS_WARN);
}

TEST_FAILING_ALLOC(codec, survives_without_memory_for_a_strict_refusal)
{
    return decode_once("v1", "Pod", "{\"x\":1,\"y\":2}", KIN__FIELDS_STRICT);
}

TEST_FAILING_ALLOC(codec, survives_without_memory_for_a_refusal)
{
    return decode_once("v1", "Pod", "{\"spec\":{\"containers\":[{\"ports\":{}}]}}",
                       KIN__FIELDS_WARN);
}

TEST_FAILING_ALLOC(codec, survives_without_memory_for_no_json)
{
    return decode_once("v1", "Pod", "[{\"a\":[tru", KIN__FIELDS_WARN);
}
