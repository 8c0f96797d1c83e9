/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version_param_test.c - resourceVersion as Go reads it.
 */
#include "server/version_param.h"

#include "support/test.h"

TEST(version_param, is_a_decimal_number_of_64_bits)
{
    const char *problem;
    uint64_t version = 7;

    ASSERT_TRUE(kin__version_read(NULL, &version, &problem));
    ASSERT_EQ(version, 0);
    ASSERT_TRUE(kin__version_read("", &version, &problem));
    ASSERT_EQ(version, 0);
    ASSERT_TRUE(kin__version_read("0042", &version, &problem));
    ASSERT_EQ(version, 42);
    ASSERT_TRUE(kin__version_read("18446744073709551615", &version, &problem));
    ASSERT_EQ(version, UINT64_MAX);
}

TEST(version_param, says_why_it_is_none)
{
    const char *problem;
    uint64_t version = 7;

    ASSERT_FALSE(kin__version_read("18446744073709551616", &version, &problem));
    ASSERT_STR_EQ(problem, "value out of range");
    ASSERT_FALSE(kin__version_read("99999999999999999999999999", &version, &problem));
    ASSERT_STR_EQ(problem, "value out of range");
    static const char *const wrong[] = { "abc", "-1", "+1", "1 ", " 1", "0x1", "1_0", "1.0" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ASSERT_FALSE(kin__version_read(wrong[i], &version, &problem));
        ASSERT_STR_EQ(problem, "invalid syntax");
    }
    ASSERT_EQ(version, 7);
}

TEST(version_param, is_refused_with_400_on_a_list_and_500_on_a_watch)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    uint64_t version;

    ASSERT_FALSE(kin__version_read_for_list("a\"c", &version, &no));
    ASSERT_EQ(no.code, 400);
    ASSERT_STR_EQ(no.reason, "BadRequest");
    ASSERT_SLICE_EQ(((kin_str){ no.message.data, no.message.len }),
                    "invalid resource version: resourceVersion: Invalid value: \"a\\\"c\": "
                    "strconv.ParseUint: parsing \"a\\\"c\": invalid syntax");
    ASSERT_FALSE(kin__version_read_for_watch("abc", &version, &no));
    ASSERT_EQ(no.code, 500);
    ASSERT_STR_EQ(no.reason, "");
    ASSERT_SLICE_EQ(((kin_str){ no.message.data, no.message.len }),
                    "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": "
                    "invalid syntax");
}
