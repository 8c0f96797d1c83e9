/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quoted_test.c - text of any bytes as a JSON string.
 */
#include "controller/quoted.h"

#include "base/str.h"
#include "support/test.h"

static void expect(kin_str given, const char *want)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    kin__quoted_append(&buf, given);
    ASSERT_FALSE(kin__buf_failed(&buf));
    ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), want);
}

TEST(quoted, text_stays_what_it_is)
{
    expect(STR(""), "\"\"");
    expect(STR("made pod web-0"), "\"made pod web-0\"");
    expect(STR("gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\x9f"), "\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\x9f\"");
}

TEST(quoted, what_json_cannot_hold_is_escaped)
{
    expect(STR("a\"b\\c"), "\"a\\\"b\\\\c\"");
    expect(STR("a\nb\0c\x1f"), "\"a\\u000ab\\u0000c\\u001f\"");
}

TEST(quoted, bytes_that_are_no_text_become_question_marks)
{
    expect(STR("a\xff\xc3"), "\"a??\"");
    expect(STR("\xed\xa0\x80z"), "\"???z\"");
}

TEST_FAILING_ALLOC(quoted, a_failure_stays_in_the_buffer)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    kin__quoted_append(&buf,
                       STR("a text that is longer than the first block of a buffer is, or so"));
    return kin__buf_failed(&buf) ? KIN_ERR_NO_MEMORY : KIN_OK;
}
