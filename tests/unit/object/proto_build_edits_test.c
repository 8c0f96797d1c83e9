/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_build_edits_test.c - how a copy of a message differs from it.
 */
#include "object/proto_build_edits.h"

#include "base/str.h"
#include "support/test.h"

static void check_copy(kin__pb_edits *edits, kin_str from, const char *want, size_t want_len)
{
    char out[512];

    kin__pb_edits_settle(edits);
    ASSERT_EQ(from.len - edits->removed, want_len);
    kin__pb_edits_copy(edits, from, out);
    ASSERT_EQ(memcmp(out, want, want_len), 0);
}

static uint32_t map(const kin__pb_edits *edits, uint32_t place)
{
    kin__pb_gap gap = { 0 };
    return kin__pb_edits_map(edits, place, &gap);
}

TEST(edits, none_copies_all)
{
    kin__pb_edits edits;

    kin__pb_edits_init(&edits);
    check_copy(&edits, STR("abc"), "abc", 3);
    check_copy(&edits, STR(""), "", 0);
    ASSERT_EQ(map(&edits, 2), 2);
    kin__pb_edits_fini(&edits);
}

TEST(edits, cuts_that_touch_become_one)
{
    kin__pb_edits edits;

    kin__pb_edits_init(&edits);
    ASSERT_TRUE(kin__pb_edits_cut(&edits, 1, 2));
    ASSERT_TRUE(kin__pb_edits_cut(&edits, 2, 4));
    ASSERT_EQ(edits.count, 1);
    check_copy(&edits, STR("abcdef"), "aef", 3);
    ASSERT_EQ(map(&edits, 0), 0);
    ASSERT_EQ(map(&edits, 5), 2);
    kin__pb_edits_fini(&edits);
}

/* 300 and 290 bytes around 280, of which 200 go: 100 and 90 are left, with a length of one byte. */
TEST(edits, lengths_around_a_cut_shrink)
{
    char from[302];
    size_t outer;
    size_t inner;
    kin__pb_edits edits;

    memset(from, 'x', sizeof from);
    kin__pb_edits_init(&edits);
    ASSERT_TRUE(kin__pb_edits_open(&edits, 1, 3, &outer));
    ASSERT_TRUE(kin__pb_edits_open(&edits, 10, 12, &inner));
    ASSERT_TRUE(kin__pb_edits_cut(&edits, 50, 250));
    kin__pb_edits_close(&edits, inner, 290);
    kin__pb_edits_close(&edits, outer, 299);
    kin__pb_edits_settle(&edits);

    char out[302];
    kin__pb_edits_copy(&edits, kin__str(from, sizeof from), out);
    ASSERT_EQ(edits.removed, 202);
    ASSERT_EQ((unsigned char) out[1], 299 - 201);
    ASSERT_EQ((unsigned char) out[9], 290 - 200);
    ASSERT_EQ(out[0], 'x');
    ASSERT_EQ(out[99], 'x');
    ASSERT_EQ(map(&edits, 3), 2);
    ASSERT_EQ(map(&edits, 12), 10);
    ASSERT_EQ(map(&edits, 250), 48);
    kin__pb_edits_fini(&edits);
}

TEST(edits, a_length_around_nothing_is_taken_back)
{
    size_t outer;
    size_t inner;
    kin__pb_edits edits;

    kin__pb_edits_init(&edits);
    ASSERT_TRUE(kin__pb_edits_open(&edits, 0, 1, &outer));
    ASSERT_TRUE(kin__pb_edits_open(&edits, 2, 3, &inner));
    kin__pb_edits_close(&edits, inner, 5);
    ASSERT_TRUE(kin__pb_edits_cut(&edits, 4, 6));
    kin__pb_edits_close(&edits, outer, 9);
    ASSERT_EQ(edits.count, 2);
    check_copy(&edits, STR("123456789a"),
               "\007"
               "234789a",
               8);
    kin__pb_edits_fini(&edits);
}

TEST(edits, a_cut_does_not_touch_a_length_before_it)
{
    size_t index;
    kin__pb_edits edits;

    kin__pb_edits_init(&edits);
    ASSERT_TRUE(kin__pb_edits_open(&edits, 1, 2, &index));
    ASSERT_TRUE(kin__pb_edits_cut(&edits, 2, 4));
    kin__pb_edits_close(&edits, index, 3);
    ASSERT_EQ(edits.count, 2);
    check_copy(&edits, STR("abcdef"), "a\001ef", 4);
    kin__pb_edits_fini(&edits);
}

TEST(edits, maps_through_many)
{
    kin__pb_edits edits;
    kin__pb_gap gap = { 0 };

    kin__pb_edits_init(&edits);
    for (uint32_t i = 0; i < 100; i++) {
        ASSERT_TRUE(kin__pb_edits_cut(&edits, i * 10, i * 10 + 3));
    }
    kin__pb_edits_settle(&edits);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t place = i * 7 % 1000;
        if (place % 10 >= 3) {
            ASSERT_EQ(kin__pb_edits_map(&edits, place, &gap), place - 3 * (place / 10 + 1));
        }
    }
    kin__pb_edits_fini(&edits);
}

TEST_FAILING_ALLOC(edits, survive_failing_allocations)
{
    kin__pb_edits edits;
    bool is_kept = true;

    kin__pb_edits_init(&edits);
    for (uint32_t i = 0; i < 100 && is_kept; i++) {
        is_kept = kin__pb_edits_cut(&edits, i * 10, i * 10 + 3);
    }
    kin__pb_edits_fini(&edits);
    return is_kept ? KIN_OK : KIN_ERR_NO_MEMORY;
}
