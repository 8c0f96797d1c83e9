/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_value_test.c - single values, checked as Go's decoder checks them.  Texts are those of a
 * kube-apiserver 1.36.3.
 */
#include <stdio.h>

#include "decoding.h"

#define HANDLED "Pod in version \"v1\" cannot be handled as a Pod: "

static const char *refused(const char *json, decoded *d)
{
    const char *message = refusal_of("v1", "Pod", json, d);

    ASSERT_TRUE(strncmp(message, HANDLED, strlen(HANDLED)) == 0);
    return message + strlen(HANDLED);
}

TEST(codec_value, refuses_numbers_that_do_not_fit)
{
    decoded d;

    ASSERT_STR_EQ(
        refused("{\"spec\":{\"containers\":[{\"ports\":[{\"containerPort\":1.0}]}]}}", &d),
        "json: cannot unmarshal number 1.0 into Go struct field "
        "ContainerPort.spec.containers.ports.containerPort of type int32");
    ASSERT_STR_EQ(refused("{\"spec\":{\"priority\":3000000000}}", &d),
                  "json: cannot unmarshal number 3000000000 into Go struct field "
                  "PodSpec.spec.priority of type int32");
    ASSERT_STR_EQ(refused("{\"spec\":{\"terminationGracePeriodSeconds\":1e3}}", &d),
                  "json: cannot unmarshal number 1e3 into Go struct field "
                  "PodSpec.spec.terminationGracePeriodSeconds of type int64");
}

TEST(codec_value, refuses_quantities_in_the_words_of_go)
{
    decoded d;

    ASSERT_STR_EQ(refused("{\"spec\":{\"overhead\":{\"cpu\":\"x\"}}}", &d),
                  "quantities must match the regular expression "
                  "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    ASSERT_STR_EQ(refused("{\"spec\":{\"overhead\":{\"cpu\":\"1KK\"}}}", &d),
                  "unable to parse quantity's suffix");
    ASSERT_STR_EQ(refused("{\"spec\":{\"overhead\":{\"cpu\":true}}}", &d),
                  "quantities must match the regular expression "
                  "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    ASSERT_CONTAINS(decode("v1", "Pod", "{\"spec\":{\"overhead\":{\"cpu\":\" 1 \"}}}", &d),
                    "\"overhead\":{\"cpu\":\"1\"}");
}

TEST(codec_value, refuses_times_and_bytes)
{
    decoded d;

    ASSERT_STR_EQ(refused("{\"metadata\":{\"creationTimestamp\":5}}", &d),
                  "json: cannot unmarshal number into Go struct field "
                  "ObjectMeta.metadata.creationTimestamp of type string");
    ASSERT_STR_EQ(refusal_of("v1", "ConfigMap", "{\"binaryData\":{\"a\":\"@@\"}}", &d),
                  "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: illegal base64 "
                  "data at input byte 0");
    ASSERT_CONTAINS(decode("v1", "ConfigMap", "{\"binaryData\":{\"a\":[ ]}}", &d),
                    "\"binaryData\":{\"a\":\"\"}");
}

TEST(codec_value, refuses_what_is_neither_a_number_nor_a_string)
{
    decoded d;

    ASSERT_STR_EQ(
        refused("{\"spec\":{\"containers\":[{\"livenessProbe\":{\"httpGet\":{\"port\":true}}}]}}",
                &d),
        "json: cannot unmarshal bool into Go struct field "
        "HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32");
    ASSERT_STR_EQ(
        refused("{\"spec\":{\"containers\":[{\"livenessProbe\":{\"httpGet\":{\"port\":1.5}}}]}}",
                &d),
        "json: cannot unmarshal number 1.5 into Go struct field "
        "HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32");
}

/* A value that reads itself ends the decoding; one of a wrong type before it is forgotten. */
TEST(codec_value, tells_of_the_first_fault_unless_a_type_that_reads_itself_fails)
{
    decoded d;

    ASSERT_STR_EQ(
        refused("{\"spec\":{\"priority\":\"x\",\"nodeName\":5}}", &d),
        "json: cannot unmarshal string into Go struct field PodSpec.spec.priority of type "
        "int32");
    ASSERT_STR_EQ(refused("{\"spec\":{\"priority\":\"x\",\"overhead\":{\"cpu\":\"x\"}}}", &d),
                  "quantities must match the regular expression "
                  "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

static const char *crd(const char *schema, decoded *d)
{
    static char json[512];

    (void) snprintf(json, sizeof json,
                    "{\"spec\":{\"versions\":[{\"name\":\"v1\",\"schema\":{\"openAPIV3Schema\":%s}}"
                    "]}}",
                    schema);
    return decode("apiextensions.k8s.io/v1", "CustomResourceDefinition", json, d);
}

TEST(codec_value, reads_schemas_and_notes_nothing_inside_those_that_read_themselves)
{
    decoded d;

    ASSERT_CONTAINS(crd("{\"items\":{\"type\":\"string\",\"foo\":1},\"additionalProperties\":false,"
                        "\"x\":1,\"default\":{\"a\":[1]}}",
                        &d),
                    "{\"openAPIV3Schema\":{\"default\":{\"a\":[1]},\"items\":{\"type\":\"string\"},"
                    "\"additionalProperties\":false}}");
    ASSERT_STR_EQ(d.warnings.chars,
                  "unknown field \"spec.versions[0].schema.openAPIV3Schema.x\"\n");
    ASSERT_CONTAINS(crd("{\"additionalProperties\":5}", &d), "boolean or JSON schema expected");
    ASSERT_EQ(d.code, 400);
    ASSERT_CONTAINS(crd("{\"items\":5}", &d), "\"openAPIV3Schema\":{}");
}
