/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_test.c - texts, and what of others' texts is shown.
 */
#include "cli/text.h"

#include <string.h>

#include "support/test.h"

static void expect_safe(const char *given, size_t len, const char *want)
{
    kin__cli_text shown = { 0 };

    kin__cli_text_safe(&shown, (kin_str){ given, len });
    ASSERT_STR_EQ(kin__cli_text_chars(&shown), want);
    kin__cli_text_fini(&shown);
}

TEST(text, grows)
{
    kin__cli_text shown = { 0 };

    for (int i = 0; i < 1000; i++) {
        kin__cli_text_say(&shown, "%d,", i % 10);
    }

    ASSERT_EQ(shown.len, 2000);
    ASSERT_EQ(strlen(shown.chars), 2000);
    kin__cli_text_clear(&shown);
    ASSERT_STR_EQ(kin__cli_text_chars(&shown), "");
    kin__cli_text_fini(&shown);
    ASSERT_STR_EQ(kin__cli_text_chars(&shown), "");
}

TEST(text, shows_no_control_characters)
{
    expect_safe("a\x1b[31mb", 7, "a?[31mb");
    expect_safe("a\nb\tc\rd\x7f", 8, "a?b?c?d?");
    expect_safe("a\0b", 3, "a?b");
    expect_safe("\xc2\x9b"
                "31m",
                5, "?31m"); /* CSI in one character */
    expect_safe("\xc2\xa0", 2, "\xc2\xa0");
}

TEST(text, shows_nothing_that_turns_the_direction_or_ends_a_line)
{
    expect_safe("a\xe2\x80\xae"
                "b",
                5, "a?b");
    expect_safe("\xe2\x81\xa6\xe2\x80\xa8", 6, "??");
    expect_safe("\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", 8, "???");
    expect_safe("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80", 15,
                "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(text, shows_no_bytes_that_are_no_utf8)
{
    expect_safe("\xff"
                "a",
                2, "?a");
    expect_safe("\xc3", 1, "?");
    expect_safe("\xc0\x9b", 2, "??");           /* overlong */
    expect_safe("\xed\xa0\x80", 3, "???");      /* half a pair */
    expect_safe("\xf4\x90\x80\x80", 4, "????"); /* beyond the last */
    expect_safe("\xe2\x28\xa1", 3, "?(?");
}

TEST(text, keeps_lines_where_they_are_wanted)
{
    kin__cli_text shown = { 0 };

    kin__cli_text_safe_lines(&shown, kin_str_of("a\n\tb\r\x1b"));

    ASSERT_STR_EQ(kin__cli_text_chars(&shown), "a\n\tb??");
    kin__cli_text_fini(&shown);
}

TEST(text, writes_json_that_no_terminal_acts_on)
{
    kin__cli_text shown = { 0 };

    kin__cli_text_json(&shown, kin_str_of("{\"a\":\"\\u001b\x7f\xc2\x9b\xc3\xbc\"}"));

    ASSERT_STR_EQ(kin__cli_text_chars(&shown), "{\"a\":\"\\u001b\\u007f\\u009b\xc3\xbc\"}");
    kin__cli_text_fini(&shown);
}

TEST(text, is_measured_and_cut_in_characters)
{
    kin_str s = kin_str_of("gr\xc3\xbc\xc3\x9f");

    ASSERT_EQ(kin__cli_text_width(s), 4);
    ASSERT_EQ(kin__cli_text_cut(s, 3), 4);
    ASSERT_EQ(kin__cli_text_cut(s, 9), 6);
    ASSERT_EQ(kin__cli_text_cut(s, 0), 0);
}
