/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_syntax_test.c - what Go says of bytes that are no JSON.  The texts were printed by Go 1.26.
 */
#include "server/codec_syntax.h"

#include "base/str.h"
#include "support/test.h"

static void assert_says(const char *json, const char *want)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    kin__codec_syntax_error(kin_str_of(json), &buf);
    if (!kin__str_equal(kin__str(buf.data, buf.len), kin_str_of(want))) {
        FAIL("%s: %.*s", json, (int) buf.len, buf.data);
    }
}

TEST(codec_syntax, says_where_a_text_ends_too_early)
{
    assert_says("", "unexpected end of JSON input");
    assert_says(" ", "unexpected end of JSON input");
    assert_says("{", "unexpected end of JSON input");
    assert_says("[1,", "unexpected end of JSON input");
    assert_says("{\"a\":", "unexpected end of JSON input");
    assert_says("\"abc", "unexpected end of JSON input");
    assert_says("\"\\", "invalid character ' ' in string escape code");
    assert_says("\"\\u00", "invalid character ' ' in \\u hexadecimal character escape");
    assert_says("tru", "invalid character ' ' in literal true (expecting 'e')");
    assert_says("-", "invalid character ' ' in numeric literal");
    assert_says("1.", "invalid character ' ' after decimal point in numeric literal");
    assert_says("1e+", "invalid character ' ' in exponent of numeric literal");
}

TEST(codec_syntax, says_which_character_is_wrong)
{
    assert_says("x", "invalid character 'x' looking for beginning of value");
    assert_says("[1 2]", "invalid character '2' after array element");
    assert_says("[1,]", "invalid character ']' looking for beginning of value");
    assert_says("{\"a\" 1}", "invalid character '1' after object key");
    assert_says("{\"a\":1 \"b\":2}", "invalid character '\"' after object key:value pair");
    assert_says("{1:2}", "invalid character '1' looking for beginning of object key string");
    assert_says("{\"a\":1,}", "invalid character '}' looking for beginning of object key string");
    assert_says("{} x", "invalid character 'x' after top-level value");
    assert_says("\"a\nb\"", "invalid character '\\n' in string literal");
    assert_says("\"\\x\"", "invalid character 'x' in string escape code");
    assert_says("\"\\u00g0\"", "invalid character 'g' in \\u hexadecimal character escape");
    assert_says("nul!", "invalid character '!' in literal null (expecting 'l')");
    assert_says("fals ", "invalid character ' ' in literal false (expecting 'e')");
    assert_says("01", "invalid character '1' after top-level value");
    assert_says("-x", "invalid character 'x' in numeric literal");
    assert_says("'a'", "invalid character '\\'' looking for beginning of value");
    assert_says("\xc3\xa9", "invalid character '\xc3\x83' looking for beginning of value");
}

TEST(codec_syntax, has_words_for_what_go_would_take)
{
    assert_says("\"\xff\"", "text that is no UTF-8, or nested too deeply");
}

TEST_FAILING_ALLOC(codec_syntax, remembers_that_there_was_no_memory)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    kin__codec_syntax_error(STR("[{\"a\":[x"), &buf);
    return kin__buf_failed(&buf) ? KIN_ERR_NO_MEMORY : KIN_OK;
}
