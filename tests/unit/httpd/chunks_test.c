/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunks_test.c - chunked bodies, in any pieces.
 */
#include "httpd/chunks.h"

#include <string.h>

#include "support/test.h"

/* Reads it `step` bytes at a time; the data are appended to `out`, `*used` is where it ended. */
static kin__chunks_step read_all(const char *bytes, size_t len, size_t step, text *out,
                                 size_t *used)
{
    kin__chunks chunks = { 0 };
    kin__chunks_step result = KIN__CHUNKS_ON;
    *used = 0;
    while (*used < len && (result == KIN__CHUNKS_ON || result == KIN__CHUNKS_DATA)) {
        size_t count = len - *used < step ? len - *used : step;
        size_t taken = 0;
        kin_str data = { 0 };
        result = kin__chunks_read(&chunks, bytes + *used, count, &taken, &data);
        ASSERT_TRUE(taken <= count);
        if (result == KIN__CHUNKS_DATA) {
            text_append(out, "%.*s", KIN_STR_ARG(data));
        }
        *used += taken;
    }
    return result;
}

TEST(chunks, are_read_in_any_pieces)
{
    static const char body[] = "5\r\nhello\r\n1A;x=\"y\"\r\nabcdefghijklmnopqrstuvwxyz\r\n"
                               "00 \r\nTrailer: x\r\nAnother: y\r\n\r\nGET /";
    for (size_t step = 1; step < sizeof body; step++) {
        text out = { 0 };
        size_t used;

        ASSERT_EQ(read_all(body, sizeof body - 1, step, &out, &used), KIN__CHUNKS_END);

        ASSERT_STR_EQ(out.chars, "helloabcdefghijklmnopqrstuvwxyz");
        ASSERT_STR_EQ(body + used, "GET /");
    }
}

TEST(chunks, may_be_none)
{
    text out = { 0 };
    size_t used;

    ASSERT_EQ(read_all("0\r\n\r\n", 5, 5, &out, &used), KIN__CHUNKS_END);

    ASSERT_EQ(used, 5);
    ASSERT_EQ(out.len, 0);
}

TEST(chunks, are_broken_where_two_readers_could_differ)
{
    static const char *const bad[] = {
        "\r\n",
        "g\r\n",
        "-5\r\nhello\r\n",
        "0x5\r\nhello\r\n",
        " 5\r\nhello\r\n",
        "5\nhello\r\n",
        "5\rhello\r\n",
        "5;x\nhello\r\n",
        "5;x\rhello\r\n",
        "5\r\nhelloX\n0\r\n\r\n",
        "5\r\nhello\n0\r\n\r\n",
        "5\r\nhello0\r\n\r\n",
        "5\r\nhello\r0\r\n\r\n",
        "10000000000000000\r\n",
        "fffffffffffffffff\r\n",
        "0\r\n\n",
        "0\r\nA: b\n\r\n",
        "0\r\nA: b\rc\r\n\r\n",
        "0\r\n\rX",
        ";\r\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        for (size_t step = 1; step < 32; step++) {
            text out = { 0 };
            size_t used;
            ASSERT_EQ(read_all(bad[i], strlen(bad[i]), step, &out, &used), KIN__CHUNKS_BROKEN);
        }
    }
}

TEST(chunks, have_no_endless_lines)
{
    kin__chunks extension = { 0 };
    kin__chunks trailer = { 0 };
    kin__chunks zeros = { 0 };
    size_t used;
    kin_str data;
    kin__chunks_step e = kin__chunks_read(&extension, "5;", 2, &used, &data);
    kin__chunks_step t = kin__chunks_read(&trailer, "0\r\nA: ", 6, &used, &data);
    kin__chunks_step z = KIN__CHUNKS_ON;

    for (int i = 0; i < 70000; i++) {
        e = kin__chunks_read(&extension, "x", 1, &used, &data);
        t = kin__chunks_read(&trailer, "x", 1, &used, &data);
        z = kin__chunks_read(&zeros, "0", 1, &used, &data);
    }

    ASSERT_EQ(e, KIN__CHUNKS_BROKEN);
    ASSERT_EQ(t, KIN__CHUNKS_BROKEN);
    ASSERT_EQ(z, KIN__CHUNKS_BROKEN);
}
