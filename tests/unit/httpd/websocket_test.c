/* SPDX-License-Identifier: Apache-2.0 */
/*
 * websocket_test.c - frames and the handshake's key.
 */
#include "httpd/websocket.h"

#include <string.h>

#include "base/str.h"
#include "support/test.h"

/* "Hello", masked: RFC 6455, section 5.7. */
#define MASKED_HELLO "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"
#define MASKED_PING "\x89\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"

/* Reads it in steps of `step` bytes, up to what is to be done; how far it came is `*at`. */
static kin__websocket_step read_all(kin__websocket_reader *reader, kin_str bytes, size_t step,
                                    size_t *at)
{
    kin__websocket_step result = KIN__WEBSOCKET_ON;

    for (*at = 0; *at < bytes.len && result == KIN__WEBSOCKET_ON;) {
        size_t len = bytes.len - *at < step ? bytes.len - *at : step;
        size_t used = 0;
        result = kin__websocket_read(reader, bytes.data + *at, len, &used);
        ASSERT_TRUE(used <= len && (used == len || result != KIN__WEBSOCKET_ON));
        *at += used;
    }
    return result;
}

TEST(websocket, answers_a_key_as_the_rfc_does)
{
    char accept[KIN__WEBSOCKET_ACCEPT_LEN];

    ASSERT_TRUE(kin__websocket_accept(STR("dGhlIHNhbXBsZSBub25jZQ=="), accept));

    ASSERT_SLICE_EQ(kin__str(accept, sizeof accept), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(websocket, writes_lengths_in_three_ways)
{
    static const struct {
        uint64_t len;
        kin_str want;
    } cases[] = {
        { 0, { "\x81\x00", 2 } },
        { 125, { "\x81\x7d", 2 } },
        { 126, { "\x81\x7e\x00\x7e", 4 } },
        { 65535, { "\x81\x7e\xff\xff", 4 } },
        { 65536, { "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10 } },
    };
    char head[KIN__WEBSOCKET_HEAD_MAX];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t len = kin__websocket_write_head(KIN__WEBSOCKET_TEXT, cases[i].len, head);
        ASSERT_EQ(len, cases[i].want.len);
        ASSERT_EQ(memcmp(head, cases[i].want.data, len), 0);
    }
    (void) kin__websocket_write_head(KIN__WEBSOCKET_BINARY, 1, head);
    ASSERT_EQ((unsigned char) head[0], 0x82);
}

TEST(websocket, passes_over_messages_however_they_are_split)
{
    kin_str bytes = STR(MASKED_HELLO /* then one in two parts, with a pong in between */
                        "\x01\x83\x01\x02\x03\x04"
                        "abc"
                        "\x8a\x80\x01\x02\x03\x04"
                        "\x80\x82\x01\x02\x03\x04"
                        "de" MASKED_PING);

    for (size_t step = 1; step <= bytes.len; step++) {
        kin__websocket_reader reader = { 0 };
        size_t at = 0;

        ASSERT_EQ(read_all(&reader, bytes, step, &at), KIN__WEBSOCKET_PINGED);
        ASSERT_EQ(at, bytes.len);
        ASSERT_SLICE_EQ(kin__str(reader.control, reader.control_len), "Hello");
        ASSERT_TRUE(kin__websocket_is_between(&reader));
    }
}

TEST(websocket, ends_with_what_ends_it)
{
    static const struct {
        kin_str bytes;
        kin__websocket_step want;
    } cases[] = {
        { { "\x88\x82\x01\x02\x03\x04..", 8 }, KIN__WEBSOCKET_CLOSED },
        { { "\x88\x80\x01\x02\x03\x04", 6 }, KIN__WEBSOCKET_CLOSED },
        { { "\x81\x05Hello", 7 }, KIN__WEBSOCKET_UNMASKED },
        { { "\x88\x00", 2 }, KIN__WEBSOCKET_UNMASKED },
        { { "\x82\xff\x00\x00\x00\x00\x02\x00\x00\x01\x01\x02\x03\x04", 14 },
          KIN__WEBSOCKET_TOO_LARGE },
        /* The highest bit of a length is none of it, and reserved ones say nothing. */
        { { "\x82\xff\x80\x00\x00\x00\x02\x00\x00\x00\x01\x02\x03\x04", 14 }, KIN__WEBSOCKET_ON },
        { { "\xf3\x80\x01\x02\x03\x04", 6 }, KIN__WEBSOCKET_ON },
        { { "\x8b\x80\x01\x02\x03\x04", 6 }, KIN__WEBSOCKET_ON },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t step = 1; step <= cases[i].bytes.len; step++) {
            kin__websocket_reader reader = { 0 };
            size_t at = 0;
            ASSERT_EQ(read_all(&reader, cases[i].bytes, step, &at), cases[i].want);
        }
    }
}

TEST(websocket, keeps_125_bytes_of_a_ping_that_is_longer)
{
    char frame[4 + 4 + 300];
    kin__websocket_reader reader = { 0 };
    size_t at = 0;
    memset(frame, 0, sizeof frame);
    memcpy(frame, "\x89\xfe\x01\x2c", 4); /* 300; the mask is all zero */
    memset(frame + 8, 'p', 300);

    ASSERT_EQ(read_all(&reader, kin__str(frame, sizeof frame), 7, &at), KIN__WEBSOCKET_PINGED);

    ASSERT_EQ(at, sizeof frame);
    ASSERT_EQ(reader.control_len, 125);
    ASSERT_EQ(reader.control[124], 'p');
}

TEST(websocket, knows_where_frames_of_the_server_end)
{
    kin_str bytes = STR("\x81\x02hi\x82\x00\x81\x7e\x00\x03you");
    static const size_t ends[] = { 4, 6, 13 };

    for (size_t first = 0; first <= bytes.len; first++) {
        kin__websocket_reader reader = { 0 };
        bool is_end = first == 0;
        for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
            is_end = is_end || first == ends[i];
        }

        kin__websocket_follow(&reader, bytes.data, first);

        ASSERT_EQ(kin__websocket_is_between(&reader), is_end);
        kin__websocket_follow(&reader, bytes.data + first, bytes.len - first);
        ASSERT_TRUE(kin__websocket_is_between(&reader));
    }
}
