/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_text_test.c - strings of a message as JSON strings.
 */
#include "proto/render_text.h"

#include <string.h>

#include "base/str.h"
#include "json/string.h"
#include "support/test.h"

static void assert_text(kin_str chars, const char *want)
{
    kin__buf out = { 0 };

    kin__pb_put_text(&out, chars);

    ASSERT_SLICE_EQ(kin__str(out.data, out.len), want);
    kin__buf_fini(&out);
}

static void assert_as_in_json(kin_str chars, kin__buf *out, kin__buf *want)
{
    kin__buf_clear(out);
    kin__buf_clear(want);
    kin__pb_put_text(out, chars);
    ASSERT_TRUE(kin__json_append_string(want, chars));
    ASSERT_EQ(out->len, want->len);
    ASSERT_TRUE(memcmp(out->data, want->data, want->len) == 0);
}

TEST(render_text, copies_plain_texts_of_every_length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRST";

    for (size_t len = 0; len < sizeof letters; len++) {
        kin__buf out = { 0 };
        kin__pb_put_text(&out, kin__str(letters, len));
        ASSERT_EQ(out.len, len + 2);
        ASSERT_EQ(out.data[0], '"');
        ASSERT_TRUE(memcmp(out.data + 1, letters, len) == 0);
        ASSERT_EQ(out.data[len + 1], '"');
        kin__buf_fini(&out);
    }
}

/* Texts are looked at in pieces of three sizes, and each rule has to hold at each place of each. */
TEST(render_text, escapes_every_byte_at_every_place_as_json_does)
{
    char chars[40];
    kin__buf out = { 0 };
    kin__buf want = { 0 };

    for (size_t len = 1; len <= sizeof chars; len++) {
        char *at =
            chars + sizeof chars - len; /* ends where the array does: nothing is read beyond */
        for (size_t place = 0; place < len; place++) {
            memset(chars, 'x', sizeof chars);
            for (int byte = 0; byte < 256; byte++) {
                at[place] = (char) byte;
                assert_as_in_json(kin__str(at, len), &out, &want);
            }
        }
    }
    kin__buf_fini(&out);
    kin__buf_fini(&want);
}

TEST(render_text, writes_escapes_as_go_does)
{
    assert_text(STR("\"\\/"), "\"\\\"\\\\/\"");
    assert_text(STR("\n\r\t\b\f"), "\"\\n\\r\\t\\b\\f\"");
    assert_text(STR("\x01\x1f\x7f"), "\"\\u0001\\u001f\x7f\"");
    assert_text(STR("<>&"), "\"\\u003c\\u003e\\u0026\"");
    assert_text(STR("\xe2\x80\xa8\xe2\x80\xa9"), "\"\\u2028\\u2029\"");
    assert_text(STR("\xc3\xa9\xef\xbf\xbd"), "\"\xc3\xa9\xef\xbf\xbd\"");
}

TEST(render_text, writes_a_replacement_for_each_byte_that_is_no_utf8)
{
    assert_text(STR("a\xff\xfe"
                    "b"),
                "\"a\\ufffd\\ufffdb\"");
    assert_text(STR("\xe2\x80"), "\"\\ufffd\\ufffd\"");
    assert_text(STR("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");
}

TEST_FAILING_ALLOC(render_text, remembers_that_there_was_no_memory)
{
    kin__buf out = { 0 };

    kin__pb_put_text(&out, STR("<a text of which much has to be escaped: >>>>>>>>>>>>>>>>>>>>>>"));
    kin_err code = kin__buf_failed(&out) ? KIN_ERR_NO_MEMORY : KIN_OK;
    ASSERT_TRUE(code == KIN_OK || out.len == 0);
    kin__buf_fini(&out);
    return code;
}
