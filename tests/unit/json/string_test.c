/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string_test.c - strings decode, compare and are written as the API server does it.
 *
 * What Go writes was taken from Go 1.26's encoding/json.
 */
#include "json/string.h"

#include "base/alloc.h"
#include "base/str.h"
#include "base/utf8.h"
#include "support/random.h"
#include "support/test.h"

#define RAW_MAX 256

static void assert_decodes(const char *raw, kin_str want);
static void assert_writes(kin_str said, const char *want);
static kin_str copy_exactly(kin_str s);
static kin_str random_raw(uint64_t *random, char *out);
static kin_str random_text(uint64_t *random, char *out);

TEST(string, knows_a_raw_text_that_is_its_own_meaning)
{
    ASSERT_FALSE(kin__json_has_escapes(STR("plain")));
    ASSERT_FALSE(kin__json_has_escapes((kin_str){ NULL, 0 }));
    ASSERT_TRUE(kin__json_has_escapes(STR("a\\n")));
}

TEST(string, decodes_the_short_escapes)
{
    assert_decodes("\\b\\f\\n\\r\\t\\\"\\\\\\/", STR("\b\f\n\r\t\"\\/"));
    assert_decodes("one\\ntwo\\nthree", STR("one\ntwo\nthree"));
    assert_decodes("", STR(""));
    assert_decodes("plain \xc3\xa9", STR("plain \xc3\xa9"));
}

TEST(string, decodes_unicode_escapes_of_every_length)
{
    assert_decodes("\\u0041\\u007f", STR("A\x7f"));
    assert_decodes("\\u0080\\u07ff", STR("\xc2\x80\xdf\xbf"));
    assert_decodes("\\u0800\\u20AC\\uffff", STR("\xe0\xa0\x80\xe2\x82\xac\xef\xbf\xbf"));
    assert_decodes("a\\u0000b", STR("a\0b"));
}

TEST(string, joins_surrogate_pairs)
{
    assert_decodes("\\ud83d\\ude00", STR("\xf0\x9f\x98\x80"));
    assert_decodes("\\uD800\\uDC00\\uDBFF\\uDFFF", STR("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
}

/* No valid JSON for the scanner; Go reads it so. */
TEST(string, decodes_half_a_surrogate_pair_as_the_replacement_character)
{
    assert_decodes("\\ud83d", STR("\xef\xbf\xbd"));
    assert_decodes("\\ude00x", STR("\xef\xbf\xbdx"));
    assert_decodes("\\ud83d\\u0041", STR("\xef\xbf\xbd"
                                         "A"));
    assert_decodes("\\ud800\\ud800\\udc00", STR("\xef\xbf\xbd\xf0\x90\x80\x80"));
    assert_decodes("\\ude00\\ude00", STR("\xef\xbf\xbd\xef\xbf\xbd"));
    assert_decodes("\\ud83d\\n", STR("\xef\xbf\xbd\n"));
    assert_decodes("\\ud83d+ude00", STR("\xef\xbf\xbd+ude00"));
}

TEST(string, reads_what_is_no_escape_without_harm)
{
    assert_decodes("\\", STR("\\"));
    assert_decodes("a\\x", STR("ax"));
    assert_decodes("\\u12", STR("u12"));
    assert_decodes("\\u12g4", STR("u12g4"));
    assert_decodes("\\ud83d\\ude0", STR("\xef\xbf\xbdude0"));
}

TEST(string, equals_the_text_it_means_and_no_other)
{
    ASSERT_TRUE(kin__json_string_equals(STR("app"), STR("app")));
    ASSERT_FALSE(kin__json_string_equals(STR("app"), STR("apq")));
    ASSERT_FALSE(kin__json_string_equals(STR("app"), STR("ap")));
    ASSERT_FALSE(kin__json_string_equals(STR("app"), STR("apps")));
    ASSERT_TRUE(kin__json_string_equals(STR("\\u0061p\\u0070"), STR("app")));
    ASSERT_FALSE(kin__json_string_equals(STR("\\u0061p\\u0070"), STR("apq")));
    ASSERT_FALSE(kin__json_string_equals(STR("\\u0061p\\u0070"), STR("ap")));
    ASSERT_FALSE(kin__json_string_equals(STR("\\u0061p\\u0070"), STR("apps")));
    ASSERT_TRUE(kin__json_string_equals(STR(""), (kin_str){ NULL, 0 }));
    ASSERT_FALSE(kin__json_string_equals(STR("\\u0061"), (kin_str){ NULL, 0 }));
    ASSERT_FALSE(kin__json_string_equals((kin_str){ NULL, 0 }, STR("a")));
}

/* The raw text itself is another text as soon as it has a backslash. */
TEST(string, does_not_equal_its_own_escapes)
{
    ASSERT_FALSE(kin__json_string_equals(STR("a\\nb"), STR("a\\nb")));
    ASSERT_TRUE(kin__json_string_equals(STR("a\\nb"), STR("a\nb")));
}

TEST(string, compares_two_raw_texts_by_what_they_mean)
{
    ASSERT_TRUE(kin__json_strings_equal(STR("a\\/b"), STR("a/b")));
    ASSERT_TRUE(kin__json_strings_equal(STR("a/b"), STR("a\\/b")));
    ASSERT_TRUE(kin__json_strings_equal(STR("a\\/\\u00e9"), STR("\\u0061/\xc3\xa9")));
    ASSERT_TRUE(kin__json_strings_equal(STR("\\ud83d\\ude00\\n"), STR("\xf0\x9f\x98\x80\\u000a")));
    ASSERT_FALSE(kin__json_strings_equal(STR("\\u0061\\n"), STR("a\\t")));
    ASSERT_FALSE(kin__json_strings_equal(STR("a\\n"), STR("a\\nb")));
    ASSERT_FALSE(kin__json_strings_equal(STR("a\\nb"), STR("a\\n")));
    ASSERT_FALSE(kin__json_strings_equal(STR("\\u0000a"), STR("\\u0000\\t")));
    ASSERT_TRUE(kin__json_strings_equal((kin_str){ NULL, 0 }, STR("")));
}

/* Whatever the bytes are: no byte is read or written outside, and all functions agree. */
TEST(string, comparing_agrees_with_decoding_for_any_bytes)
{
    uint64_t random = random_start(20260101);
    char raw_room[2][RAW_MAX];
    char meaning_room[2][RAW_MAX];

    for (int i = 0; i < 50000; i++) {
        kin_str raw[2];
        kin_str meaning[2];
        for (int k = 0; k < 2; k++) {
            raw[k] = copy_exactly(random_raw(&random, raw_room[k]));
            size_t len = kin__json_decode(raw[k], meaning_room[k]);
            ASSERT_TRUE(len <= raw[k].len);
            meaning[k] = copy_exactly(kin__str(meaning_room[k], len));
            ASSERT_TRUE(kin__json_string_equals(raw[k], meaning[k]));
        }

        bool are_equal = kin__str_equal(meaning[0], meaning[1]);

        ASSERT_EQ(kin__json_string_equals(raw[0], meaning[1]), are_equal);
        ASSERT_EQ(kin__json_string_equals(raw[1], meaning[0]), are_equal);
        ASSERT_EQ(kin__json_strings_equal(raw[0], raw[1]), are_equal);
        for (int k = 0; k < 2; k++) {
            kin__free((char *) raw[k].data);
            kin__free((char *) meaning[k].data);
        }
    }
}

TEST(string, writes_every_ascii_character_as_go_does)
{
    static const char *const named[128] = {
        ['\b'] = "\"\\b\"", ['\f'] = "\"\\f\"", ['\n'] = "\"\\n\"",  ['\r'] = "\"\\r\"",
        ['\t'] = "\"\\t\"", ['"'] = "\"\\\"\"", ['\\'] = "\"\\\\\"",
    };
    for (int c = 0; c < 128; c++) {
        char byte = (char) c;
        text want = { 0 };
        if (named[c] != NULL) {
            text_append(&want, "%s", named[c]);
        } else if (c < 32 || c == '<' || c == '>' || c == '&') {
            text_append(&want, "\"\\u%04x\"", (unsigned) c);
        } else {
            text_append(&want, "\"%c\"", c);
        }
        assert_writes(kin__str(&byte, 1), want.chars);
    }
}

TEST(string, writes_what_is_beyond_ascii_as_it_is)
{
    assert_writes(STR("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd \x7f /"),
                  "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd \x7f /\"");
    assert_writes((kin_str){ NULL, 0 }, "\"\"");
}

TEST(string, writes_line_and_paragraph_separators_as_escapes)
{
    assert_writes(STR("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa"),
                  "\"\xe2\x80\xa7\\u2028\\u2029\xe2\x80\xaa\"");
}

TEST(string, writes_a_replacement_for_each_byte_that_is_not_utf8)
{
    assert_writes(STR("a\xff"
                      "b\xc0\x80"),
                  "\"a\\ufffdb\\ufffd\\ufffd\"");
    assert_writes(STR("\xe2\x80"), "\"\\ufffd\\ufffd\"");
    assert_writes(STR("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");
    assert_writes(STR("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

/* Bytes are looked at in blocks: a special one is found wherever it stands in a text. */
TEST(string, finds_what_must_be_escaped_at_every_place)
{
    static const char *const specials[][2] = {
        { "\"", "\\\"" },   { "\\", "\\\\" },      { "<", "\\u003c" },
        { "&", "\\u0026" }, { "\x1f", "\\u001f" }, { "\xff", "\\ufffd" },
    };
    for (size_t k = 0; k < sizeof specials / sizeof specials[0]; k++) {
        for (int len = 1; len < 40; len++) {
            for (int place = 0; place < len; place++) {
                text in = { 0 };
                text want = { 0 };
                text_append(&in, "%.*s%s%.*s", place, "0123456789012345678901234567890123456789",
                            specials[k][0], len - place - 1,
                            "abcdefghijabcdefghijabcdefghijabcdefghij");
                text_append(&want, "\"%.*s%s%.*s\"", place,
                            "0123456789012345678901234567890123456789", specials[k][1],
                            len - place - 1, "abcdefghijabcdefghijabcdefghijabcdefghij");
                assert_writes(kin__str(in.chars, in.len), want.chars);
            }
        }
    }
}

TEST(string, reads_back_what_it_wrote)
{
    uint64_t random = random_start(20260102);
    char room[RAW_MAX];
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    for (int i = 0; i < 20000; i++) {
        kin_str said = copy_exactly(random_text(&random, room));
        kin__buf_clear(&buf);

        ASSERT_TRUE(kin__json_append_string(&buf, said));

        ASSERT_EQ(buf.data[0], '"');
        ASSERT_EQ(buf.data[buf.len - 1], '"');
        kin_str raw = kin__str(buf.data + 1, buf.len - 2);
        ASSERT_TRUE(memchr(raw.data, '<', raw.len) == NULL);
        ASSERT_EQ(kin__json_string_equals(raw, said), kin__utf8_is_valid(said));
        kin__free((char *) said.data);
    }
}

TEST_FAILING_ALLOC(string, leaves_the_buffer_as_it_was_without_memory)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    if (!kin__buf_append(&buf, "before", 6)) {
        return KIN_ERR_NO_MEMORY;
    }
    char said[300];
    memset(said, 'x', sizeof said);
    said[50] = '\n';
    said[250] = '\n';
    if (!kin__json_append_string(&buf, kin__str(said, sizeof said))) {
        ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), "before");
        ASSERT_TRUE(kin__buf_failed(&buf));
        return KIN_ERR_NO_MEMORY;
    }
    ASSERT_EQ(buf.len, 6 + 300 + 2 + 2);
    return KIN_OK;
}

static void assert_decodes(const char *raw, kin_str want)
{
    char out[RAW_MAX];
    kin_str exact = copy_exactly(kin_str_of(raw));

    kin_str got = { out, kin__json_decode(exact, out) };

    if (!kin__str_equal(got, want)) {
        FAIL("%s decodes to '%.*s', not to '%.*s'", raw, KIN_STR_ARG(got), KIN_STR_ARG(want));
    }
    ASSERT_TRUE(kin__json_string_equals(exact, want));
    kin__free((char *) exact.data);
}

static void assert_writes(kin_str said, const char *want)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    ASSERT_TRUE(kin__json_append_string(&buf, said));

    ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), want);
}

/* In a block of its own, so that a byte read beyond it is noticed; release with kin__free(). */
static kin_str copy_exactly(kin_str s)
{
    char *copy = kin__alloc(s.len);
    ASSERT_TRUE(copy != NULL);
    if (s.len != 0) {
        memcpy(copy, s.data, s.len);
    }
    return kin__str(copy, s.len);
}

/* Few different pieces, so that two texts are often equal, and escapes cut anywhere. */
static kin_str random_raw(uint64_t *random, char *out)
{
    static const char *const pieces[] = {
        "a", "\\u0061", "\\n",  "\\u000a",          "\\ud83d", "\\ude00",        "\\", "\\u",
        "/", "\\/",     "\\u2", "\xf0\x9f\x98\x80", "\\\\",    "\\ud83d\\ude00", "u",  "\xff"
    };
    size_t len = 0;
    for (size_t count = random_below(random, 4); count > 0; count--) {
        const char *piece = pieces[random_below(random, sizeof pieces / sizeof pieces[0])];
        memcpy(out + len, piece, strlen(piece));
        len += strlen(piece);
    }
    return kin__str(out, len);
}

static kin_str random_text(uint64_t *random, char *out)
{
    static const char *const pieces[] = { "plain text",   "<",  "\"",       "\\",
                                          "\n",           "é",  "€",        "\xe2\x80\xa8",
                                          "\xe2\x80\xa9", "\1", "\xe2\x80", "0123456789abcdef" };
    size_t len = 0;
    for (size_t count = random_below(random, 10); count > 0; count--) {
        const char *piece = pieces[random_below(random, sizeof pieces / sizeof pieces[0])];
        memcpy(out + len, piece, strlen(piece));
        len += strlen(piece);
    }
    return kin__str(out, len);
}
