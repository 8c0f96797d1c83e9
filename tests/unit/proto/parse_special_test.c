/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_special_test.c - values with a JSON of their own become messages.
 */
#include "unit/proto/parsing.h"

#define META_BEFORE_TIME "0a 00 12 00 1a 00 22 00 2a 00 32 00 38 00 42 "

static void expect_created(const char *json, const char *want)
{
    text whole = { 0 };
    text all = { 0 };

    text_append(&whole, "{\"metadata\":{\"creationTimestamp\":%s}}", json);
    text_append(&all, META_BEFORE_TIME "%s", want);
    expect_message("v1", "ConfigMap", whole.chars, "1", all.chars);
}

TEST(parse_special, writes_times)
{
    expect_created("null", "00");
    expect_created("\"1970-01-01T00:00:00Z\"", "04 08 00 10 00");
    expect_created("\"2024-05-01T10:00:00+02:00\"", "08 08 80 ed c7 b1 06 10 00");
    expect_created("\"1970-01-01T00:00:01.999Z\"", "04 08 01 10 00");
    expect_created("\"0001-01-01T00:00:00Z\"", "00");
    expect_created("\"1970-01-01T00:00:0\\u0031Z\"", "04 08 01 10 00");
}

TEST(parse_special, cuts_a_micro_time_to_microseconds)
{
    expect_message("coordination.k8s.io/v1", "Lease",
                   "{\"spec\":{\"renewTime\":\"1970-01-01T00:00:01.000002999Z\"}}", "2",
                   "22 05 08 01 10 d0 0f");
    expect_message("coordination.k8s.io/v1", "Lease", "{\"spec\":{\"renewTime\":null}}", "2", "");
}

TEST(parse_special, refuses_what_is_no_time)
{
    expect_parse_fault("v1", "ConfigMap", "{\"metadata\":{\"creationTimestamp\":\"\"}}",
                       "metadata.creationTimestamp: string that is no time (RFC 3339)");
    expect_parse_fault("v1", "ConfigMap", "{\"metadata\":{\"creationTimestamp\":0}}",
                       "metadata.creationTimestamp: expected a time in a string, found a number");

    text whole = { 0 };
    text_append(&whole, "{\"metadata\":{\"creationTimestamp\":\"1970-01-01T00:00:01.");
    for (size_t i = 0; i < 1000; i++) {
        text_append(&whole, "0");
    }
    text_append(&whole, "Z\"}}");
    expect_parse_fault("v1", "ConfigMap", whole.chars,
                       "metadata.creationTimestamp: string that is no time (RFC 3339)");
}

static void expect_quantity(const char *json, const char *want)
{
    text whole = { 0 };

    text_append(&whole, "{\"status\":{\"capacity\":{\"cpu\":%s}}}", json);
    expect_message("v1", "Node", whole.chars, "3.1.2", want);
}

TEST(parse_special, writes_quantities_in_their_canonical_form)
{
    expect_quantity("\"1Gi\"", "0a 03 31 47 69");
    expect_quantity("\"0.5\"", "0a 04 35 30 30 6d");
    expect_quantity("2", "0a 01 32");
    expect_quantity("null", "0a 01 30");
    expect_parse_fault("v1", "Node", "{\"status\":{\"capacity\":{\"cpu\":\"lots\"}}}",
                       "status.capacity.cpu: value that is no quantity");
    expect_parse_fault("v1", "Node", "{\"status\":{\"capacity\":{\"cpu\":true}}}",
                       "status.capacity.cpu: expected a quantity, found a boolean");
}

static void expect_port(const char *json, const char *want)
{
    text whole = { 0 };

    text_append(&whole, "{\"spec\":{\"ports\":[{\"targetPort\":%s}]}}", json);
    expect_message("v1", "Service", whole.chars, "2.1.4", want);
}

TEST(parse_special, writes_numbers_or_strings)
{
    expect_port("8080", "08 00 10 90 3f 1a 00");
    expect_port("-1", "08 00 10 ff ff ff ff ff ff ff ff ff 01 1a 00");
    expect_port("\"http\"", "08 01 10 00 1a 04 68 74 74 70");
    expect_port("null", "08 00 10 00 1a 00");
    expect_parse_fault("v1", "Service", "{\"spec\":{\"ports\":[{\"targetPort\":4294967296}]}}",
                       "spec.ports[0].targetPort: number that does not fit 32 bits");
    expect_parse_fault("v1", "Service", "{\"spec\":{\"ports\":[{\"targetPort\":[]}]}}",
                       "spec.ports[0].targetPort: expected a number or a string, found an array");
}

/* ControllerRevision: 2 data, a RawExtension by value. */
TEST(parse_special, keeps_raw_json_as_it_is_written)
{
    expect_message("apps/v1", "ControllerRevision", "{\"data\": {\"a\" : 1.0} }", "2",
                   "0a 0b 7b 22 61 22 20 3a 20 31 2e 30 7d");
    expect_message("apps/v1", "ControllerRevision", "{\"data\":\"s\"}", "2", "0a 03 22 73 22");
    expect_message("apps/v1", "ControllerRevision", "{\"data\":null}", "2", "");
    expect_message("v1", "ConfigMap",
                   "{\"metadata\":{\"managedFields\":[{\"fieldsV1\":{\"f:x\":{}}}]}}", "1.17.7",
                   "0a 0a 7b 22 66 3a 78 22 3a 7b 7d 7d");
}

/* The schema itself, inside a CustomResourceDefinition. */
static void expect_schema(const char *json, const char *path, const char *want)
{
    text whole = { 0 };
    text place = { 0 };

    text_append(&whole, "{\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":%s}}]}}", json);
    text_append(&place, "2.7.4.1.%s", path);
    expect_message("apiextensions.k8s.io/v1", "CustomResourceDefinition", whole.chars, place.chars,
                   want);
}

TEST(parse_special, writes_what_may_be_a_schema)
{
    expect_schema("{\"additionalProperties\":true}", "30", "08 01");
    expect_schema("{\"additionalProperties\":false}", "30", "08 00");
    expect_schema("{\"additionalProperties\":{\"id\":\"x\"}}", "30.2.1", "78");
    expect_schema("{\"additionalProperties\":{}}", "30",
                  "08 01 12 1e 0a 00 12 00 22 00 2a 00 32 00 3a 00 50 00 60 00 7a 00 90 01 00 a8 "
                  "02 00 b8 02 00 "
                  "c0 02 00");
    expect_schema("{\"items\":{\"id\":\"x\"}}", "24.1.1", "78");
    expect_schema("{\"items\":[{\"id\":\"x\"},{\"id\":\"y\"}]}", "24.2.1", "79");
    expect_schema("{\"items\":[]}", "24", "");
    expect_schema("{\"dependencies\":{\"a\":[\"b\",\"c\"]}}", "32.2", "12 01 62 12 01 63");
    expect_schema("{\"dependencies\":{\"a\":{\"id\":\"x\"}}}", "32.2.1.1", "78");
    expect_schema("{\"default\":{\"a\":1}}", "8", "0a 07 7b 22 61 22 3a 31 7d");
}

TEST(parse_special, refuses_what_is_no_schema)
{
#define AROUND(json) "{\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":" json "}}]}}"
#define PLACE "spec.versions[0].schema.openAPIV3Schema."
    expect_parse_fault("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                       AROUND("{\"additionalProperties\":1}"),
                       PLACE
                       "additionalProperties: expected a boolean or a schema, found a number");
    expect_parse_fault("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                       AROUND("{\"items\":\"x\"}"),
                       PLACE "items: expected a schema or an array, found a string");
    expect_parse_fault("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                       AROUND("{\"dependencies\":{\"a\":[1]}}"),
                       PLACE "dependencies.a[0]: expected a string, found a number");
}

/* APIResourceList: 2 resources, each with 4 verbs, a list that is a message. */
TEST(parse_special, writes_lists_of_strings_that_are_messages)
{
    expect_message("v1", "APIResourceList", "{\"resources\":[{\"verbs\":[\"get\",\"a\"]}]}", "2.4",
                   "0a 03 67 65 74 0a 01 61");
    expect_message("v1", "APIResourceList", "{\"resources\":[{\"verbs\":[]}]}", "2.4", "");
    expect_message("v1", "APIResourceList", "{\"resources\":[{\"verbs\":null}]}", "2",
                   "0a 00 10 00 1a 00 32 00 42 00 4a 00 52 00");
    expect_message("authentication.k8s.io/v1", "TokenReview",
                   "{\"status\":{\"user\":{\"extra\":{\"k\":null}}}}", "3.2.4", "0a 01 6b 12 00");
}
