/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8_test.c - which bytes are characters.
 */
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "support/test.h"

/* Writes a code point by its definition, well-formed or not; the number of bytes. */
static size_t encode(uint32_t point, size_t len, char *out)
{
    static const unsigned char marks[] = { 0, 0x00, 0xC0, 0xE0, 0xF0 };
    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (char) (0x80 | (point & 0x3F));
        point >>= 6;
    }
    out[0] = (char) (marks[len] | point);
    return len;
}

static size_t shortest(uint32_t point)
{
    return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

TEST(utf8, knows_every_character_in_its_shortest_form_and_in_no_other)
{
    char bytes[4];

    for (uint32_t point = 0; point < 0x200000; point++) {
        bool is_character = point <= 0x10FFFF && !(point >= 0xD800 && point <= 0xDFFF);
        for (size_t len = shortest(point); len <= 4; len++) {
            size_t want = is_character && len == shortest(point) ? len : 0;
            (void) encode(point, len, bytes);
            if (kin__utf8_char_len(bytes, len) != want) {
                FAIL("U+%04X in %zu bytes: got %zu, want %zu", point, len,
                     kin__utf8_char_len(bytes, len), want);
            }
        }
    }
}

/* The reader has no byte beyond the end: the sanitizers would see it look. */
TEST(utf8, finds_no_character_where_its_end_is_missing)
{
    char bytes[4];

    for (size_t len = 2; len <= 4; len++) {
        (void) encode(len == 2 ? 0x7FF : len == 3 ? 0xFFFD : 0x10FFFF, len, bytes);
        for (size_t there = 0; there < len; there++) {
            char exact[4];
            memcpy(exact + 4 - there, bytes, there);
            ASSERT_EQ(kin__utf8_char_len(exact + 4 - there, there), 0);
        }
    }
}

TEST(utf8, wants_every_later_byte_to_be_one)
{
    ASSERT_EQ(kin__utf8_char_len("\xc3\x7f", 2), 0);
    ASSERT_EQ(kin__utf8_char_len("\xc3\xc0", 2), 0);
    ASSERT_EQ(kin__utf8_char_len("\xe2\x82\x7f", 3), 0);
    ASSERT_EQ(kin__utf8_char_len("\xe2\x82\xc0", 3), 0);
    ASSERT_EQ(kin__utf8_char_len("\xf0\x9f\x98\x7f", 4), 0);
    ASSERT_EQ(kin__utf8_char_len("\xf0\x9f\x7f\x80", 4), 0);
    ASSERT_EQ(kin__utf8_char_len("\x80", 1), 0);
    ASSERT_EQ(kin__utf8_char_len("\xff", 1), 0);
}

TEST(utf8, is_valid_when_every_character_is)
{
    ASSERT_TRUE(kin__utf8_is_valid(STR("")));
    ASSERT_TRUE(kin__utf8_is_valid(STR("na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80 a\0b")));
    ASSERT_FALSE(kin__utf8_is_valid(STR("a\xff")));
    ASSERT_FALSE(kin__utf8_is_valid(STR("\xc3\xa9\xc3")));
}

static const char *cleaned(const char *given)
{
    static char line[64];
    (void) snprintf(line, sizeof line, "%s", given);
    kin__utf8_clean_line(line);
    return line;
}

TEST(utf8, becomes_one_harmless_line)
{
    ASSERT_STR_EQ(cleaned(""), "");
    ASSERT_STR_EQ(cleaned("plain ~"), "plain ~");
    ASSERT_STR_EQ(cleaned("a\nb\tc\033[2J\x7f"), "a?b?c?[2J?");
    ASSERT_STR_EQ(cleaned("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
                  "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    ASSERT_STR_EQ(cleaned("\xff\xfe z \xc3"), "?? z ?");
    ASSERT_STR_EQ(cleaned("\xe2\x82"), "??");
}

/* U+009B, written in two bytes, begins a command in some terminals; U+00A0 is a blank. */
TEST(utf8, has_its_c1_controls_replaced)
{
    ASSERT_STR_EQ(cleaned("\xc2\x80 \xc2\x9b"
                          "2J \xc2\x9f"),
                  "?? ??2J ??");
    ASSERT_STR_EQ(cleaned("\xc2\xa0"), "\xc2\xa0");
}
