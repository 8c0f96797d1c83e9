/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outgoing_test.c - pieces, what frames them, and where sending stopped.
 */
#include "httpd/outgoing.h"

#include <string.h>

#include "base/str.h"
#include "support/test.h"

static kin__body_state give(void *context, kin__body_pieces *out)
{
    const kin__body_pieces *pieces = context;
    *out = *pieces;
    return KIN__BODY_MORE;
}

static void ask(kin__outgoing *outgoing, kin__body_pieces *pieces)
{
    kin__body body = { .next = give, .context = pieces };
    kin__body_state state = kin__outgoing_ask(outgoing, &body);
    ASSERT_EQ(state, KIN__BODY_MORE);
}

static void spell(const kin__outgoing *outgoing, text *out)
{
    size_t len = 0;
    for (unsigned i = outgoing->first; i < outgoing->end; i++) {
        len += outgoing->parts[i].iov_len;
        ASSERT_TRUE(outgoing->parts[i].iov_len != 0);
        text_append(out, "%.*s", (int) outgoing->parts[i].iov_len,
                    (const char *) outgoing->parts[i].iov_base);
    }
    ASSERT_EQ(len, outgoing->len);
}

TEST(outgoing, frames_pieces_as_one_chunk)
{
    kin__body_pieces pieces = { { STR("hello"), STR(""), STR(" there, you") }, 3 };
    kin__outgoing outgoing = { 0 };
    text more = { 0 };
    text last = { 0 };

    ask(&outgoing, &pieces);
    kin__outgoing_make_chunk(&outgoing, false);
    kin__outgoing_put_first(&outgoing, STR("HEAD "));
    spell(&outgoing, &more);
    ask(&outgoing, &pieces);
    kin__outgoing_make_chunk(&outgoing, true);
    spell(&outgoing, &last);

    ASSERT_STR_EQ(more.chars, "HEAD 10\r\nhello there, you\r\n");
    ASSERT_STR_EQ(last.chars, "10\r\nhello there, you\r\n0\r\n\r\n");
}

TEST(outgoing, makes_no_chunk_of_nothing)
{
    kin__body_pieces pieces = { { STR("") }, 1 };
    kin__outgoing outgoing = { 0 };
    text out = { 0 };

    ask(&outgoing, &pieces);
    kin__outgoing_make_chunk(&outgoing, false);
    ASSERT_EQ(outgoing.len, 0);
    ask(&outgoing, &pieces);
    kin__outgoing_make_chunk(&outgoing, true);
    spell(&outgoing, &out);

    ASSERT_STR_EQ(out.chars, "0\r\n\r\n");
}

TEST(outgoing, has_room_for_all_pieces)
{
    kin__body_pieces pieces = { .count = KIN__BODY_PIECES };
    kin__outgoing outgoing = { 0 };
    for (size_t i = 0; i < KIN__BODY_PIECES; i++) {
        pieces.pieces[i] = STR("abcd");
    }

    ask(&outgoing, &pieces);
    kin__outgoing_make_chunk(&outgoing, true);
    kin__outgoing_put_first(&outgoing, STR("x"));

    ASSERT_EQ(outgoing.first, 0);
    ASSERT_EQ(outgoing.end, KIN__OUTGOING_PARTS);
    ASSERT_EQ(outgoing.len, 1 + 5 + 4 * KIN__BODY_PIECES + 7);
}

TEST(outgoing, goes_on_where_sending_stopped)
{
    kin__body_pieces pieces = { { STR("abc"), STR("d"), STR("efgh") }, 3 };
    static const char whole[] = "H8\r\nabcdefgh\r\n";
    for (size_t first = 0; first < sizeof whole; first++) {
        for (size_t second = 0; first + second < sizeof whole; second++) {
            kin__outgoing outgoing = { 0 };
            text rest = { 0 };
            ask(&outgoing, &pieces);
            kin__outgoing_make_chunk(&outgoing, false);
            kin__outgoing_put_first(&outgoing, STR("H"));

            kin__outgoing_cut(&outgoing, first);
            kin__outgoing_cut(&outgoing, second);
            spell(&outgoing, &rest);

            ASSERT_STR_EQ(rest.chars, whole + first + second);
        }
    }
}
