/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuts_test.c - what is left of bytes, and where it lies.
 */
#include "object/cuts.h"

#include <string.h>

#include "support/test.h"

/* What is left of "abcdefghijklmnopqrstuvwxyz" between `from` and `to`. */
static const char *left(const kin__cuts *cuts, uint32_t from, uint32_t to)
{
    static char out[27];

    memset(out, 0, sizeof out);
    kin__cuts_copy(cuts, "abcdefghijklmnopqrstuvwxyz", from, to, out);
    return out;
}

TEST(cuts, leave_everything_when_there_are_none)
{
    kin__cuts cuts;
    kin__cuts_init(&cuts);

    ASSERT_STR_EQ(left(&cuts, 2, 6), "cdef");
    ASSERT_EQ(kin__cuts_map(&cuts, 5), 5);
    ASSERT_EQ(kin__cuts_removed(&cuts), 0);
    kin__cuts_fini(&cuts);
}

TEST(cuts, take_out_bytes_and_move_up_those_behind)
{
    kin__cuts cuts;
    kin__cuts_init(&cuts);

    ASSERT_TRUE(kin__cuts_add(&cuts, 2, 5));
    ASSERT_TRUE(kin__cuts_add(&cuts, 10, 11));

    ASSERT_STR_EQ(left(&cuts, 0, 13), "abfghijlm");
    ASSERT_EQ(kin__cuts_removed(&cuts), 4);
    ASSERT_EQ(kin__cuts_map(&cuts, 1), 1);
    ASSERT_EQ(kin__cuts_map(&cuts, 5), 2);
    ASSERT_EQ(kin__cuts_map(&cuts, 9), 6);
    ASSERT_EQ(kin__cuts_map(&cuts, 11), 7);
    kin__cuts_fini(&cuts);
}

TEST(cuts, that_touch_are_one)
{
    kin__cuts cuts;
    kin__cuts_init(&cuts);

    ASSERT_TRUE(kin__cuts_add(&cuts, 2, 5));
    ASSERT_TRUE(kin__cuts_add(&cuts, 5, 8));

    ASSERT_EQ(cuts.count, 1);
    ASSERT_STR_EQ(left(&cuts, 0, 10), "abij");
    ASSERT_EQ(kin__cuts_map(&cuts, 8), 2);
    kin__cuts_fini(&cuts);
}

TEST(cuts, may_take_out_both_ends)
{
    kin__cuts cuts;
    kin__cuts_init(&cuts);

    ASSERT_TRUE(kin__cuts_add(&cuts, 0, 2));
    ASSERT_TRUE(kin__cuts_add(&cuts, 4, 6));

    ASSERT_STR_EQ(left(&cuts, 0, 6), "cd");
    kin__cuts_fini(&cuts);
}

/* Every second byte of many, so that the array grows a few times. */
static kin_err cut_many(void)
{
    enum { BYTES = 1000 };
    static char bytes[BYTES];
    static char out[BYTES];
    kin__cuts cuts;
    bool has_memory = true;

    kin__cuts_init(&cuts);
    for (uint32_t i = 0; i < BYTES; i++) {
        bytes[i] = (char) ('a' + i / 2 % 26);
        if (i % 2 == 1 && has_memory) {
            has_memory = kin__cuts_add(&cuts, i, i + 1);
        }
    }
    if (!has_memory) {
        kin__cuts_fini(&cuts);
        return KIN_ERR_NO_MEMORY;
    }
    kin__cuts_copy(&cuts, bytes, 0, BYTES, out);
    ASSERT_EQ(kin__cuts_removed(&cuts), BYTES / 2);
    for (uint32_t i = 0; i < BYTES; i += 2) {
        ASSERT_EQ(kin__cuts_map(&cuts, i), i / 2);
        ASSERT_EQ(out[i / 2], bytes[i]);
    }
    kin__cuts_fini(&cuts);
    return KIN_OK;
}

TEST_FAILING_ALLOC(cuts, can_be_many)
{
    return cut_many();
}
