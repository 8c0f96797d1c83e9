/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_read_test.c - JSON as the tree of a message.  What is compared was seen of
 * sigs.k8s.io/json.
 */
#include "server/codec_read.h"

#include <stdio.h>
#include <stdlib.h>

#include "decoding.h"

TEST(codec_read, reads_a_second_object_into_the_first)
{
    decoded d;

    ASSERT_CONTAINS(decode("v1", "Pod",
                           "{\"spec\":{\"nodeName\":\"a\",\"hostname\":\"b\","
                           "\"nodeSelector\":{\"x\":\"1\",\"y\":\"2\"}},"
                           "\"spec\":{\"hostname\":\"c\",\"nodeSelector\":{\"y\":\"3\"},"
                           "\"nodeName\":null}}",
                           &d),
                    "\"nodeSelector\":{\"x\":\"1\",\"y\":\"3\"},\"nodeName\":\"a\",\"hostname\":"
                    "\"c\"");
    ASSERT_STR_EQ(d.warnings.chars, "duplicate field \"spec\"\n");
}

TEST(codec_read, forgets_a_pointer_or_a_list_that_is_null_the_second_time)
{
    decoded d;

    ASSERT_STR_EQ(decode("v1", "ConfigMap",
                         "{\"immutable\":true,\"immutable\":null,\"data\":{\"a\":\"b\"},"
                         "\"data\":null}",
                         &d),
                  "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{}}");
    ASSERT_STR_EQ(d.warnings.chars, "duplicate field \"immutable\"\nduplicate field \"data\"\n");
}

TEST(codec_read, sees_a_duplicate_of_a_null)
{
    decoded d;

    (void) decode("v1", "ConfigMap", "{\"data\":null,\"data\":{}}", &d);
    ASSERT_STR_EQ(d.warnings.chars, "duplicate field \"data\"\n");
}

TEST(codec_read, takes_names_with_escapes)
{
    decoded d;

    ASSERT_CONTAINS(decode("v1", "ConfigMap", "{\"d\\u0061ta\":{\"\\u0061\":\"\\u0062\"}}", &d),
                    "\"data\":{\"a\":\"b\"}");
    ASSERT_STR_EQ(d.warnings.chars, "");
}

TEST(codec_read, knows_only_the_fields_of_its_release)
{
    decoded d;

    /* Fields that 1.37 has, and 1.35 had. */
    (void) decode("v1", "Pod",
                  "{\"spec\":{\"evictionResponders\":[],\"workloadRef\":{},\"hostname\":\"a\"}}",
                  &d);
    ASSERT_STR_EQ(d.warnings.chars, "unknown field \"spec.evictionResponders\"\n"
                                    "unknown field \"spec.workloadRef\"\n");
    ASSERT_CONTAINS(d.json.chars, "\"spec\":{\"containers\":null,\"hostname\":\"a\"}");
}

TEST(codec_read, leaves_no_null_members)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    kin__codec_reading reading = { .message = kin__pb_message_of(STR("v1"), STR("Pod")) };
    kin_str json =
        STR("{\"metadata\":{\"name\":null,\"uid\":\"u\",\"labels\":null},\"spec\":null}");
    kin_error err;

    ASSERT_OK(kin__codec_read(&reading, kin__json_of(json), &tree, &err));
    ASSERT_EQ(kin__node_count(tree), 1);
    ASSERT_EQ(kin__node_count(kin__node_member(tree, STR("metadata"))), 1);
}

TEST(codec_read, keeps_null_in_lists_and_maps)
{
    decoded d;

    ASSERT_CONTAINS(decode("v1", "Pod",
                           "{\"metadata\":{\"labels\":{\"a\":null},\"finalizers\":[null,\"b\"]}}",
                           &d),
                    "\"labels\":{\"a\":\"\"},\"finalizers\":[\"\",\"b\"]");
}

/* Thousands of levels of objects that nobody knows, or of schemas inside schemas. */
TEST(codec_read, bounds_the_depth)
{
    char *json = malloc(1 << 20);
    size_t at = 0;
    decoded d;

    ASSERT_TRUE(json != NULL);
    at +=
        (size_t) snprintf(json, 256, "{\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":");
    for (int i = 0; i < 300; i++) {
        at += (size_t) snprintf(json + at, 16, "{\"not\":");
    }
    at += (size_t) snprintf(json + at, 8, "{}");
    for (int i = 0; i < 300; i++) {
        json[at++] = '}';
    }
    (void) snprintf(json + at, 16, "}}]}}");
    (void) decode("apiextensions.k8s.io/v1", "CustomResourceDefinition", json, &d);
    ASSERT_EQ(d.code, 400);
    ASSERT_CONTAINS(d.json.chars, "exceeded max depth");
    free(json);
}

TEST(codec_read, takes_a_time_that_grows_with_the_body)
{
    size_t size = 16 << 20;
    char *json = malloc(size);
    size_t at = 0;
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    kin__codec_reading reading = { .message = kin__pb_message_of(STR("v1"), STR("ConfigMap")),
                                   .notes = &warnings };
    kin_error err;

    ASSERT_TRUE(json != NULL);
    for (int i = 0; i < 200000; i++) {
        at += (size_t) snprintf(json + at, size - at, "%s\"x%d\":{\"a\":[[[]]]}",
                                i == 0 ? "{" : ",", i);
    }
    json[at++] = '}';
    ASSERT_OK(kin__codec_read(&reading, kin__json_of(kin__str(json, at)), &tree, &err));
    ASSERT_EQ(warnings.count, KIN__CODEC_WARNINGS_MAX);
    kin__buf_fini(&reading.words);
    free(json);
}
