/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_scalar_test.c - what a plain YAML scalar means.
 */
#include "config/yaml_scalar.h"

#include "base/str.h"
#include "support/test.h"

static void expect_type(kin__yaml_type type, const char *const *samples)
{
    for (; *samples != NULL; samples++) {
        if (kin__yaml_plain_type(kin_str_of(*samples)) != type) {
            FAIL("\"%s\" is of type %d, not %d", *samples,
                 (int) kin__yaml_plain_type(kin_str_of(*samples)), (int) type);
        }
    }
}

static void expect_number(const char *plain, const char *want)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin__json_writer w = { &json, false };

    ASSERT_TRUE(kin__yaml_plain_number(kin_str_of(plain), &w));

    ASSERT_SLICE_EQ(kin__str(json.data, json.len), want);
}

TEST(yaml_scalar, is_nothing_where_yaml_says_so)
{
    static const char *const samples[] = { "", "~", "null", "Null", "NULL", NULL };
    expect_type(KIN__YAML_NULL, samples);
}

TEST(yaml_scalar, is_a_boolean_in_all_words_of_yaml_1_1)
{
    static const char *const samples[] = { "y",  "Yes", "yes", "true", "TRUE",  "on",    "ON", "n",
                                           "no", "NO",  "off", "Off",  "false", "False", NULL };

    expect_type(KIN__YAML_BOOL, samples);
    ASSERT_TRUE(kin__yaml_plain_bool(STR("yes")));
    ASSERT_TRUE(kin__yaml_plain_bool(STR("True")));
    ASSERT_FALSE(kin__yaml_plain_bool(STR("off")));
}

TEST(yaml_scalar, is_a_number_in_many_shapes)
{
    static const char *const samples[] = {
        "0",   "7",    "-7",    "+7",   "1_000",  "1.5",   ".5",
        "5.",  "1e3",  "-1E-3", "0x1f", "0b101",  "0o17",  "017",
        "089", ".inf", "-.Inf", ".NaN", "1.5e+7", "-0x1F", "99999999999999999999",
        NULL
    };
    expect_type(KIN__YAML_NUMBER, samples);
}

TEST(yaml_scalar, is_text_otherwise)
{
    static const char *const samples[] = { "a",
                                           "truE",
                                           "1.2.3",
                                           "10:20",
                                           "2026-11-16",
                                           "-",
                                           "+",
                                           ".",
                                           "1e",
                                           "0x",
                                           "0xfg",
                                           "e5",
                                           "1a",
                                           "_1",
                                           "nULL",
                                           "- 1",
                                           "1 ",
                                           "..5",
                                           "0x11111111111111111",
                                           NULL };
    expect_type(KIN__YAML_STRING, samples);
}

TEST(yaml_scalar, becomes_a_number_of_json)
{
    expect_number("0", "0");
    expect_number("+7", "7");
    expect_number("-1_000", "-1000");
    expect_number(".5", "0.5");
    expect_number("-.5e3", "-0.5e3");
    expect_number("5.", "5");
    expect_number("5.e2", "5e2");
    expect_number("007.50", "7.50");
    expect_number("0x1f", "31");
    expect_number("-0b101", "-5");
    expect_number("0o17", "15");
    expect_number("017", "15");
    expect_number("089", "89");
}

TEST(yaml_scalar, has_numbers_that_json_lacks)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin__json_writer w = { &json, false };

    ASSERT_FALSE(kin__yaml_plain_number(STR(".inf"), &w));
    ASSERT_FALSE(kin__yaml_plain_number(STR(".nan"), &w));
    ASSERT_EQ(json.len, 0);
}
