/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duration_test.c - lengths of time.
 */
#include "cli/duration.h"

#include "support/test.h"

static int64_t parse(const char *words)
{
    int64_t ms = -1;

    return kin__cli_duration_parse(words, &ms) ? ms : -1;
}

static void expect_shown(int64_t seconds, const char *want)
{
    kin__cli_text shown = { 0 };

    kin__cli_duration_show(seconds, &shown);
    ASSERT_STR_EQ(kin__cli_text_chars(&shown), want);
    kin__cli_text_fini(&shown);
}

TEST(duration, is_read_as_people_write_it)
{
    ASSERT_EQ(parse("30"), 30000);
    ASSERT_EQ(parse("0"), 0);
    ASSERT_EQ(parse("30s"), 30000);
    ASSERT_EQ(parse("500ms"), 500);
    ASSERT_EQ(parse("1m30s"), 90000);
    ASSERT_EQ(parse("1.5h"), 5400000);
    ASSERT_EQ(parse("1h2m3s4ms"), 3723004);
    ASSERT_EQ(parse(".5s"), 500);
}

TEST(duration, is_refused_when_it_is_none)
{
    static const char *const wrong[] = {
        "",    "s",   "-1s", "1x",   "1s1m", "1s1s", "1 s",  "1m3", "1e9s",          "0x10",
        "inf", "nan", ".",   "1..5", "1h ",  "+1",   "1mss", "1sm", "9999999999999h"
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (parse(wrong[i]) != -1) {
            FAIL("\"%s\" was taken", wrong[i]);
        }
    }
}

/* The figures are what kubectl 1.32 shows. */
TEST(duration, is_shown_as_kubectl_shows_ages)
{
    expect_shown(-2, "<invalid>");
    expect_shown(-1, "0s");
    expect_shown(0, "0s");
    expect_shown(119, "119s");
    expect_shown(120, "2m");
    expect_shown(125, "2m5s");
    expect_shown(599, "9m59s");
    expect_shown(600, "10m");
    expect_shown(179 * 60 + 59, "179m");
    expect_shown(180 * 60, "3h");
    expect_shown(185 * 60, "3h5m");
    expect_shown(8 * 3600, "8h");
    expect_shown(47 * 3600, "47h");
    expect_shown(48 * 3600, "2d");
    expect_shown(49 * 3600, "2d1h");
    expect_shown(8 * 86400, "8d");
    expect_shown(729 * 86400, "729d");
    expect_shown(730 * 86400, "2y");
    expect_shown(731 * 86400, "2y1d");
    expect_shown((int64_t) 2920 * 86400, "8y");
    expect_shown((int64_t) 365000 * 86400, "1000y");
}
