/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_map_test.c - JSON objects become maps, sorted by key.
 */
#include "unit/proto/parsing.h"

#define EMPTY_META "0a 10 0a 00 12 00 1a 00 22 00 2a 00 32 00 38 00 42 00"

TEST(parse_map, sorts_entries_by_the_bytes_of_their_keys)
{
    expect_message("v1", "ConfigMap",
                   "{\"data\":{\"b\":\"1\",\"a\":\"2\",\"\\u00e4\":\"3\",\"aa\":\"4\",\"\":\"5\"}}",
                   "",
                   EMPTY_META " 12 05 0a 00 12 01 35"
                              " 12 06 0a 01 61 12 01 32"
                              " 12 07 0a 02 61 61 12 01 34"
                              " 12 06 0a 01 62 12 01 31"
                              " 12 07 0a 02 c3 a4 12 01 33");
}

TEST(parse_map, takes_the_last_of_two_equal_keys)
{
    expect_message("v1", "ConfigMap",
                   "{\"data\":{\"k\":\"1\",\"\\u006b\":\"2\",\"a\":\"0\",\"k\":\"3\"}}", "",
                   EMPTY_META " 12 06 0a 01 61 12 01 30 12 06 0a 01 6b 12 01 33");
}

TEST(parse_map, writes_zero_for_null_but_nothing_for_bytes)
{
    expect_message("v1", "ConfigMap", "{\"data\":{\"k\":null},\"binaryData\":{\"k\":null}}", "",
                   EMPTY_META " 12 05 0a 01 6b 12 00 1a 03 0a 01 6b");
    expect_message("v1", "ConfigMap", "{\"data\":{},\"binaryData\":{\"k\":\"\"}}", "",
                   EMPTY_META " 1a 05 0a 01 6b 12 00");
}

TEST(parse_map, has_messages_for_values_with_maps_inside)
{
    expect_message("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                   "{\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":{\"properties\":{"
                   "\"b\":{\"properties\":{\"d\":{\"id\":\"d\"},\"c\":{\"id\":\"c\"}}},"
                   "\"a\":{\"id\":\"a\"}}}}}]}}",
                   "2.7.4.1.29.2.29.2.1", "64");
}

TEST(parse_map, names_the_key_of_what_is_wrong)
{
    expect_parse_fault("v1", "ConfigMap", "{\"data\":{\"a\":\"\",\"b.c/d\":1}}",
                       "data[\"b.c/d\"]: expected a string, found a number");
    expect_parse_fault("v1", "ConfigMap", "{\"data\":[]}",
                       "data: expected an object, found an array");
}

/* Any order of members gives the same message. */
TEST(parse_map, sorts_many_entries)
{
    enum { COUNT = 500 };
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_error err;

    ASSERT_TRUE(kin__buf_append(&json, "{\"data\":{", 9));
    for (unsigned i = 0; i < COUNT; i++) {
        ASSERT_TRUE(
            kin__buf_append_format(&json, "%s\"%03u\":\"x\"", i == 0 ? "" : ",", i * 7919 % COUNT));
    }
    ASSERT_TRUE(kin__buf_append(&json, "}}", 2));
    ASSERT_OK(kin__pb_from_json(message_named("v1", "ConfigMap"),
                                kin__json_of(kin__str(json.data, json.len)), &buf, &err));

    kin__pb_reader reader = kin__pb_read(buf.data, buf.len);
    kin__pb_field field;
    unsigned count = 0;
    while (kin__pb_next(&reader, &field)) {
        if (field.number == 2) {
            char want[4];
            (void) snprintf(want, sizeof want, "%03u", count++);
            kin_str key = content_of(kin__str((const char *) field.bytes, field.len), 1);
            ASSERT_SLICE_EQ(key, want);
        }
    }
    ASSERT_EQ(count, (unsigned) COUNT);
}
