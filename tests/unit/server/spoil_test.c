/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spoil_test.c - bodies that break.
 */
#include "server/spoil.h"

#include "base/str.h"
#include "support/test.h"

/* "abc", "defg", and the end; then it counts that it was released. */
typedef struct letters {
    int step;
    int released;
} letters;

static kin__body_state next_letters(void *context, kin__body_pieces *out)
{
    letters *l = context;

    if (l->step++ == 0) {
        out->pieces[out->count++] = STR("abc");
        out->pieces[out->count++] = STR("defg");
        return KIN__BODY_MORE;
    }
    out->pieces[out->count++] = STR("hi");
    return KIN__BODY_END;
}

static void release_letters(void *context)
{
    ((letters *) context)->released++;
}

/* All that comes, and a word for how it ends. */
static const char *read_all(const kin__spoil *spoil)
{
    static const char *const ends[] = { "", " wait", " end", " cut", " reset" };
    static text seen;
    letters l = { 0 };
    kin__body body = { next_letters, release_letters, &l };
    kin__body_state state = KIN__BODY_MORE;
    kin_error err;

    text_clear(&seen);
    ASSERT_OK(kin__spoil_body(spoil, NULL, NULL, &body, &err));
    while (state == KIN__BODY_MORE) {
        kin__body_pieces pieces = { .count = 0 };
        state = body.next(body.context, &pieces);
        for (size_t i = 0; i < pieces.count; i++) {
            text_append(&seen, "%.*s", KIN_STR_ARG(pieces.pieces[i]));
        }
    }
    body.release(body.context);
    ASSERT_EQ(l.released, 1);
    text_append(&seen, "%s", ends[state]);
    return seen.chars;
}

TEST(spoil, hands_on_what_is_not_to_break)
{
    kin__spoil spoil = { .bytes_per_s = 1 }; /* nobody waits: then it is not slow either */

    ASSERT_STR_EQ(read_all(&spoil), "abcdefghi end");
    spoil = (kin__spoil){ .act = KIN__SPOIL_CUT, .by_events = true };
    ASSERT_STR_EQ(read_all(&spoil), "abcdefghi end");
}

TEST(spoil, cuts_stalls_and_resets_at_the_byte_it_was_told)
{
    ASSERT_STR_EQ(read_all(&(kin__spoil){ .act = KIN__SPOIL_CUT, .after = 0 }), " cut");
    ASSERT_STR_EQ(read_all(&(kin__spoil){ .act = KIN__SPOIL_CUT, .after = 1 }), "a cut");
    ASSERT_STR_EQ(read_all(&(kin__spoil){ .act = KIN__SPOIL_CUT, .after = 3 }), "abc cut");
    ASSERT_STR_EQ(read_all(&(kin__spoil){ .act = KIN__SPOIL_CUT, .after = 5 }), "abcde cut");
    ASSERT_STR_EQ(read_all(&(kin__spoil){ .act = KIN__SPOIL_RESET, .after = 8 }), "abcdefgh reset");
    ASSERT_STR_EQ(read_all(&(kin__spoil){ .act = KIN__SPOIL_STALL, .after = 7 }), "abcdefg wait");
    ASSERT_STR_EQ(read_all(&(kin__spoil){ .act = KIN__SPOIL_CUT, .after = 100 }), "abcdefghi end");
}

TEST(spoil, changes_one_byte)
{
    ASSERT_STR_EQ(read_all(&(kin__spoil){ .act = KIN__SPOIL_CORRUPT, .after = 0 }),
                  "tbcdefghi end");
    ASSERT_STR_EQ(read_all(&(kin__spoil){ .act = KIN__SPOIL_CORRUPT, .after = 3 }),
                  "abcqefghi end");
    ASSERT_STR_EQ(read_all(&(kin__spoil){ .act = KIN__SPOIL_CORRUPT, .after = 8 }),
                  "abcdefgh| end");
}

TEST_FAILING_ALLOC(spoil, leaves_the_body_alone_without_memory)
{
    letters l = { 0 };
    kin__body body = { next_letters, release_letters, &l };
    kin__spoil spoil = { .act = KIN__SPOIL_CUT };
    kin_error err;
    kin_err code = kin__spoil_body(&spoil, NULL, NULL, &body, &err);

    ASSERT_EQ(body.context == &l, code != KIN_OK);
    body.release(body.context);
    return code;
}
