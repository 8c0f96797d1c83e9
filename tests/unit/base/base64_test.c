/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64_test.c - bytes as text.
 */
#include "base/base64.h"

#include "base/str.h"
#include "support/test.h"

static void assert_base64(kin_str bytes, const char *want)
{
    kin__buf out = { 0 };

    kin__base64_put(&out, bytes);

    ASSERT_SLICE_EQ(kin__str(out.data, out.len), want);
    kin__buf_fini(&out);
}

/* The test vectors of RFC 4648, section 10. */
TEST(base64, pads_what_does_not_fill_three_bytes)
{
    assert_base64(STR(""), "\"\"");
    assert_base64(STR("f"), "\"Zg==\"");
    assert_base64(STR("fo"), "\"Zm8=\"");
    assert_base64(STR("foo"), "\"Zm9v\"");
    assert_base64(STR("foob"), "\"Zm9vYg==\"");
    assert_base64(STR("fooba"), "\"Zm9vYmE=\"");
    assert_base64(STR("foobar"), "\"Zm9vYmFy\"");
}

TEST(base64, has_the_standard_alphabet)
{
    assert_base64(STR("\xff\xff\xff\xfb\xef\xbe"), "\"////++++\"");
}

/* 48 bytes that are all values of six bits, in order. */
TEST(base64, writes_each_of_the_sixty_four_characters)
{
    char bytes[48];
    for (int i = 0; i < 16; i++) {
        unsigned group =
            (unsigned) ((4 * i) << 18 | (4 * i + 1) << 12 | (4 * i + 2) << 6 | (4 * i + 3));
        bytes[3 * i] = (char) (group >> 16);
        bytes[3 * i + 1] = (char) (group >> 8);
        bytes[3 * i + 2] = (char) group;
    }

    assert_base64(kin__str(bytes, sizeof bytes),
                  "\"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/\"");
}

static void assert_decoded(kin_str digits, const char *want)
{
    char out[64];
    size_t len = 99;

    ASSERT_TRUE(kin__base64_decode(digits, out, &len));

    ASSERT_SLICE_EQ(kin__str(out, len), want);
}

TEST(base64, is_read_back)
{
    assert_decoded(STR(""), "");
    assert_decoded(STR("Zg=="), "f");
    assert_decoded(STR("Zm8="), "fo");
    assert_decoded(STR("Zm9v"), "foo");
    assert_decoded(STR("Zm9vYmFy"), "foobar");
    assert_decoded(STR("Zm9v\r\nYmE=\n"), "fooba");
    assert_decoded(STR("////++++"), "\xff\xff\xff\xfb\xef\xbe");
}

TEST(base64, is_read_where_it_lies)
{
    char digits[] = "Zm9vYmFy";
    size_t len;

    ASSERT_TRUE(kin__base64_decode(kin__str(digits, 8), digits, &len));

    ASSERT_SLICE_EQ(kin__str(digits, len), "foobar");
}

TEST(base64, is_refused_when_it_is_none)
{
    static const char *const samples[] = { "Z",        "Zg",   "Zg=",  "Zg= =", "====", "Z===",
                                           "Zg==Zg==", "Zm-v", "Zm_v", "Zm9v.", "=Zg=" };

    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        char out[64];
        size_t len = 99;
        ASSERT_FALSE(kin__base64_decode(kin_str_of(samples[i]), out, &len));
        ASSERT_EQ(len, 99);
    }
}

TEST_FAILING_ALLOC(base64, remembers_that_there_was_no_memory)
{
    kin__buf out = { 0 };

    kin__base64_put(&out, STR("foobar"));
    kin_err code = kin__buf_failed(&out) ? KIN_ERR_NO_MEMORY : KIN_OK;
    ASSERT_EQ(out.len, code == KIN_OK ? 10 : 0);
    kin__buf_fini(&out);
    return code;
}
