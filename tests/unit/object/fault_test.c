/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault_test.c - what is wrong with a selector, in the API server's words.
 */
#include "object/fault.h"

#include <string.h>

#include "base/str.h"
#include "support/test.h"

/* `count` times `piece`. */
static const char *repeated(const char *piece, size_t count)
{
    static text t;
    text_clear(&t);
    for (size_t i = 0; i < count; i++) {
        text_append(&t, "%s", piece);
    }
    return t.chars;
}

static void check_quoted(const char *input, const char *want)
{
    kin__fault fault = { 0 };

    kin__fault_quote(&fault, kin_str_of(input));
    ASSERT_STR_EQ(fault.words, want);
    ASSERT_EQ(fault.len, strlen(want));
}

TEST(fault, puts_words_together_piece_by_piece)
{
    kin__fault fault = { 0 };

    kin__fault_say(&fault, "found '");
    kin__fault_show(&fault, STR("x y"));
    kin__fault_say(&fault, "' %d times", 2);

    ASSERT_STR_EQ(fault.words, "found 'x y' 2 times");
    ASSERT_EQ(fault.len, strlen(fault.words));
    ASSERT_FALSE(kin__fault_is_full(&fault));
}

TEST(fault, drops_what_a_message_cannot_hold)
{
    kin__fault fault = { 0 };

    kin__fault_say(&fault, "%s", repeated("a", 446));
    ASSERT_FALSE(kin__fault_is_full(&fault));
    kin__fault_say(&fault, "bcd");

    ASSERT_TRUE(kin__fault_is_full(&fault));
    ASSERT_EQ(fault.len, 447);
    ASSERT_EQ(strlen(fault.words), 447);
    ASSERT_EQ(fault.words[446], 'b');
}

TEST(fault, quotes_as_go_does)
{
    check_quoted("", "\"\"");
    check_quoted("a b", "\"a b\"");
    check_quoted("a\"b\\c", "\"a\\\"b\\\\c\"");
    check_quoted("\a\b\t\n\v\f\r", "\"\\a\\b\\t\\n\\v\\f\\r\"");
    check_quoted("\x01\x1f\x7f", "\"\\x01\\x1f\\x7f\"");
    check_quoted("\xc3\xa9 \xe6\x97\xa5", "\"\xc3\xa9 \xe6\x97\xa5\"");
    check_quoted("\xff\xc3(", "\"\\xff\\xc3(\"");
    check_quoted("\xc2\x85\xc2\xa1", "\"\\u0085\xc2\xa1\"");
}

TEST(fault, cuts_long_input_but_no_character)
{
    kin__fault fault = { 0 };

    kin__fault_show(&fault, kin_str_of(repeated("x", 128)));
    ASSERT_STR_EQ(fault.words, repeated("x", 128));

    fault = (kin__fault){ 0 };
    kin__fault_show(&fault, kin_str_of(repeated("x", 129)));
    ASSERT_EQ(fault.len, 131);
    ASSERT_STR_EQ(fault.words + 126, "xx...");

    fault = (kin__fault){ 0 };
    kin__fault_quote(&fault, kin_str_of(repeated("\xe6\x97\xa5", 43)));
    ASSERT_STR_EQ(fault.words + 1 + 41 * 3, "\xe6\x97\xa5...\"");
}

TEST(fault, encloses_what_was_said_since)
{
    kin__fault fault = { 0 };

    kin__fault_say(&fault, "all: ");
    size_t from = fault.len;
    kin__fault_say(&fault, "one, two");
    kin__fault_enclose(&fault, from);

    ASSERT_STR_EQ(fault.words, "all: [one, two]");
    ASSERT_EQ(fault.len, strlen(fault.words));
}

TEST(fault, encloses_also_when_it_is_full)
{
    kin__fault fault = { 0 };

    kin__fault_say(&fault, "%s", repeated("a", 447));
    kin__fault_enclose(&fault, 0);

    ASSERT_EQ(fault.len, 447);
    ASSERT_EQ(strlen(fault.words), 447);
    ASSERT_EQ(fault.words[0], '[');
    ASSERT_EQ(fault.words[446], 'a');
}

TEST(fault, becomes_a_message_with_its_place)
{
    kin__fault fault = { .at = 2 };
    kin_error err;

    kin__fault_say(&fault, "found 'b', expected: more");

    ASSERT_ERR(kin__fault_raise(&fault, "parse it", STR("a b"), &err), KIN_ERR_MALFORMED);
    ASSERT_EQ(err.code, KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "parse it \"a b\": found 'b', expected: more at byte 2");
}

/* 64 bytes of the text are shown at most, 16 at least; between them the words decide. */
TEST(fault, shows_as_much_of_the_text_as_the_words_leave_room_for)
{
    kin__fault fault = { .at = 7 };
    kin_error err;
    text want = { 0 };

    kin__fault_say(&fault, "words");
    kin_str chars = kin_str_of(repeated("t", 65));
    ASSERT_ERR(kin__fault_raise(&fault, "parse it", chars, &err), KIN_ERR_MALFORMED);
    text_append(&want, "parse it \"%.64s...\": words at byte 7", chars.data);
    ASSERT_MESSAGE(&err, want.chars);

    fault = (kin__fault){ .at = 7 };
    kin__fault_say(&fault, "%s", repeated("w", 390));
    chars = kin_str_of(repeated("t", 65));
    ASSERT_ERR(kin__fault_raise(&fault, "parse it", chars, &err), KIN_ERR_MALFORMED);
    ASSERT_EQ(strlen(err.message), 447);
    text_clear(&want);
    text_append(&want, "parse it \"%.*s...\": w", 447 - 390 - 8 - 5 - 10 - 3, chars.data);
    ASSERT_CONTAINS(err.message, want.chars);
    ASSERT_CONTAINS(err.message, "www at byte 7");
}

TEST(fault, tells_its_place_even_when_the_words_are_cut)
{
    kin__fault fault = { .at = 1048576 };
    kin_error err;

    kin__fault_say(&fault, "%s", repeated("w", 447));
    kin_str chars = kin_str_of(repeated("t", 17));
    ASSERT_ERR(kin__fault_raise(&fault, "parse it", chars, &err), KIN_ERR_MALFORMED);

    ASSERT_EQ(strlen(err.message), 447);
    ASSERT_CONTAINS(err.message, "parse it \"tttttttttttttttt...\": www");
    ASSERT_CONTAINS(err.message, "www... at byte 1048576");
}
