/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_check_test.c - UTF-8 and escapes, whole and cut after every byte.
 */
#include "json/text_check.h"

#include <string.h>

#include "support/test.h"

/* What is wrong with the inside of a string, and where; cut into pieces of `step` bytes. */
static const char *judge(const char *inside, size_t step, text *got)
{
    char bytes[200] = "\"";
    size_t len = 1 + strlen(inside);
    kin__json_carry carry = { 0 };
    kin__text_check check = { 0 };

    memcpy(bytes + 1, inside, len - 1);
    text_clear(got);
    for (size_t place = 0; place < len; place += step) {
        size_t size = len - place < step ? len - place : step;
        kin__json_masks masks;
        kin__json_classify_tail(kin__json_kernel_best(), bytes + place, size, &carry, &masks);
        kin__text_fault fault =
            kin__text_check_block(&check, bytes + place, size, 0, size, place, &masks);
        if (fault.what != NULL) {
            text_append(got, "%s at %zu", fault.what, place + fault.at);
            return got->chars;
        }
    }
    return kin__text_is_open(&check) ? "open" : "right";
}

static void expect(const char *inside, const char *verdict)
{
    text got = { 0 };

    for (size_t step = 1; step <= 64; step += step < 8 ? 1 : 28) {
        ASSERT_STR_EQ(judge(inside, step, &got), verdict);
    }
}

TEST(text_check, takes_valid_utf8)
{
    expect("plain", "right");
    expect("\xc2\x80 \xdf\xbf", "right");
    expect("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf", "right");
    expect("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "right");
    expect("na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80", "right");
}

TEST(text_check, refuses_what_is_no_utf8_at_the_byte_that_shows_it)
{
    expect("\x80", "invalid UTF-8 at 1");
    expect("a\xbf", "invalid UTF-8 at 2");
    expect("\xc0\xaf", "invalid UTF-8 at 1");
    expect("\xc1\x80", "invalid UTF-8 at 1");
    expect("\xe0\x9f\x80", "invalid UTF-8 at 2");
    expect("\xed\xa0\x80", "invalid UTF-8 at 2");
    expect("\xf0\x8f\x80\x80", "invalid UTF-8 at 2");
    expect("\xf4\x90\x80\x80", "invalid UTF-8 at 2");
    expect("\xf5\x80\x80\x80", "invalid UTF-8 at 1");
    expect("\xff", "invalid UTF-8 at 1");
    expect("\xc3x", "invalid UTF-8 at 2");
    expect("\xe2\x82x", "invalid UTF-8 at 3");
    expect("\xe2\x82", "open");
}

TEST(text_check, takes_every_escape)
{
    expect("\\\" \\\\ \\/ \\b \\f \\n \\r \\t", "right");
    expect("\\u0000\\uffff\\uFfFd\\u00e9", "right");
    expect("\\ud83d\\ude00 \\uD800\\uDC00", "right");
    expect("\\\\u12", "right");
}

TEST(text_check, refuses_bad_escapes_and_lone_surrogates)
{
    expect("\\x", "invalid escape at 2");
    expect("\\U0041", "invalid escape at 2");
    expect("\\u12g4", "invalid escape at 5");
    expect("\\u12\"4", "invalid escape at 5");
    expect("\\ud83d", "open");
    expect("\\ud83dx", "surrogate without its pair at 7");
    expect("\\ud83d\\n", "surrogate without its pair at 8");
    expect("\\ud83d\\u0041", "surrogate without its pair at 12");
    expect("\\ud83d\\ud83d", "surrogate without its pair at 12");
    expect("\\ude00", "surrogate without its pair at 6");
    expect("\\u12", "open");
}

TEST(text_check, refuses_control_characters)
{
    expect("a\x01", "control character in a string at 2");
    expect("\n", "control character in a string at 1");
    expect("a\x7f", "right");
}

TEST(text_check, reports_the_first_of_several_faults)
{
    expect("\xff\x01\\x", "invalid UTF-8 at 1");
    expect("\x01\xff\\x", "control character in a string at 1");
    expect("\\x\x01\xff", "invalid escape at 2");
    expect("\\u0\x11", "invalid escape at 4");
    expect("\\\xff", "invalid escape at 2");
}
