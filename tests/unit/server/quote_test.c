/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quote_test.c - Go's %q.
 */
#include "server/quote.h"

#include "base/str.h"
#include "support/test.h"

static void assert_quoted(kin_str given, const char *want)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    kin__quote_append(given, &out);

    ASSERT_FALSE(kin__buf_failed(&out));
    ASSERT_SLICE_EQ(kin__str(out.data, out.len), want);
}

TEST(quote, leaves_what_can_be_read)
{
    assert_quoted(STR(""), "\"\"");
    assert_quoted(STR("web-0.a_B:c/d ~"), "\"web-0.a_B:c/d ~\"");
    assert_quoted(STR("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
                  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

TEST(quote, escapes_quotes_and_backslashes)
{
    assert_quoted(STR("a\"b\\c"), "\"a\\\"b\\\\c\"");
}

TEST(quote, has_short_names_for_some_controls_and_numbers_for_others)
{
    assert_quoted(STR("\a\b\t\n\v\f\r"), "\"\\a\\b\\t\\n\\v\\f\\r\"");
    assert_quoted(kin__str("\0\x1f\x7f", 3), "\"\\x00\\x1f\\x7f\"");
}

TEST(quote, shows_bytes_that_are_no_text)
{
    assert_quoted(STR("\xff\xc3"), "\"\\xff\\xc3\"");
}

TEST(quote, shows_what_cannot_be_seen)
{
    assert_quoted(STR("\xc2\x85\xc2\xa0\xc2\xad"), "\"\\u0085\\u00a0\\u00ad\"");
    assert_quoted(STR("\xe2\x80\xa8\xef\xbb\xbf"), "\"\\u2028\\ufeff\"");
    assert_quoted(STR("\xf3\xa0\x80\x81"), "\"\\U000e0001\"");
}

TEST_FAILING_ALLOC(quote, leaves_the_failure_in_the_buffer)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    kin__quote_append(STR("abc"), &out);
    return kin__buf_failed(&out) ? KIN_ERR_NO_MEMORY : KIN_OK;
}
