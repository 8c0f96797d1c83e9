/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slab_test.c - pieces of memory, and how it goes back.
 */
#include "base/slab.h"

#include <string.h>

#include "support/allocator.h"
#include "support/random.h"
#include "support/test.h"

#define MANY 40000

static void *pieces[MANY];

static void *take(size_t bytes)
{
    void *piece = kin__slab_alloc(bytes);
    ASSERT_TRUE(piece != NULL);
    memset(piece, 0x5a, bytes);
    return piece;
}

TEST(slab, gives_aligned_pieces_of_any_size)
{
    static const size_t sizes[] = { 1, 63, 64, 65, 320, 2080, 2112, 2113, 65536, 3000000 };
    enum { COUNT = sizeof sizes / sizeof sizes[0] };

    for (size_t i = 0; i < COUNT; i++) {
        pieces[i] = take(sizes[i]);
        ASSERT_EQ((uintptr_t) pieces[i] % KIN__SLAB_ALIGN, 0);
    }
    for (size_t i = 0; i < COUNT; i++) {
        kin__slab_free(pieces[i], sizes[i]);
    }
    kin__slab_free(NULL, 64);

    ASSERT_EQ(kin__slab_held(), 0);
    ASSERT_EQ(live_blocks(), 0);
}

TEST(slab, refuses_more_than_there_can_be)
{
    ASSERT_TRUE(kin__slab_alloc(SIZE_MAX) == NULL);
    ASSERT_TRUE(kin__slab_alloc(SIZE_MAX - 100) == NULL);
}

TEST(slab, keeps_pieces_apart)
{
    uint64_t random = random_start(5);
    static size_t sizes[MANY];
    for (size_t i = 0; i < MANY / 10; i++) {
        sizes[i] = 1 + random_below(&random, 2500);
        pieces[i] = take(sizes[i]);
        memset(pieces[i], (int) (i % 251), sizes[i]);
    }

    for (size_t i = 0; i < MANY / 10; i++) {
        const unsigned char *bytes = pieces[i];
        for (size_t k = 0; k < sizes[i]; k++) {
            ASSERT_EQ(bytes[k], i % 251);
        }
        kin__slab_free(pieces[i], sizes[i]);
    }
    ASSERT_EQ(kin__slab_held(), 0);
}

TEST(slab, takes_little_for_few_pieces)
{
    pieces[0] = take(64);
    pieces[1] = take(320);

    ASSERT_TRUE(kin__slab_held() <= 64 * 1024);
    kin__slab_free(pieces[0], 64);
    kin__slab_free(pieces[1], 320);
}

TEST(slab, wastes_no_more_than_a_third)
{
    for (size_t i = 0; i < MANY; i++) {
        pieces[i] = take(64);
        size_t used = (i + 1) * 64;
        ASSERT_TRUE(kin__slab_held() < used * 4 / 3 + 80 * 1024);
    }
    for (size_t i = 0; i < MANY; i++) {
        kin__slab_free(pieces[i], 64);
    }
}

TEST(slab, gives_memory_back_when_few_pieces_are_left)
{
    for (size_t i = 0; i < MANY; i++) {
        pieces[i] = take(256);
    }
    size_t most = kin__slab_held();
    for (size_t i = 100; i < MANY; i++) {
        kin__slab_free(pieces[i], 256);
    }

    ASSERT_TRUE(kin__slab_held() < most / 20);
    for (size_t i = 0; i < 100; i++) {
        kin__slab_free(pieces[i], 256);
    }
    ASSERT_EQ(kin__slab_held(), 0);
}

TEST(slab, fills_the_fullest_blocks_first)
{
    /* Every block keeps one piece in eight, and one block all but one. */
    for (size_t i = 0; i < MANY; i++) {
        pieces[i] = take(64);
    }
    void *first = pieces[3];
    for (size_t i = 0; i < MANY; i++) {
        bool is_in_full_block = (uintptr_t) pieces[i] / 16384 == (uintptr_t) first / 16384;
        if (pieces[i] == first || (i % 8 != 0 && !is_in_full_block)) {
            kin__slab_free(pieces[i], 64);
            pieces[i] = NULL;
        }
    }

    void *next = take(64);

    ASSERT_EQ((uintptr_t) next / 16384, (uintptr_t) first / 16384);
    kin__slab_free(next, 64);
    for (size_t i = 0; i < MANY; i++) {
        kin__slab_free(pieces[i], 64);
    }
}

TEST(slab, does_not_fetch_and_return_a_region_again_and_again)
{
    size_t count = 0;
    size_t before = 0;
    while (kin__slab_held() < 2000000 || kin__slab_held() == before) {
        before = kin__slab_held();
        pieces[count++] = take(64);
    }
    test_allocator_plan((alloc_failure){ 0 });

    for (size_t i = 0; i < 100; i++) {
        kin__slab_free(pieces[count - 1], 64);
        pieces[count - 1] = take(64);
    }

    ASSERT_EQ(test_allocator_requests(), 0);
    while (count > 0) {
        kin__slab_free(pieces[--count], 64);
    }
}

/* Few pieces in every block: copied together, they leave all the old regions. */
TEST(slab, gathers_what_is_left_in_new_regions)
{
    for (size_t i = 0; i < MANY; i++) {
        pieces[i] = take(256);
    }
    for (size_t i = 0; i < MANY; i++) {
        if (i % 60 != 0) {
            kin__slab_free(pieces[i], 256);
        }
    }
    size_t scattered = kin__slab_held();

    kin__slab_begin_gathering();
    for (size_t i = 0; i < MANY; i += 60) {
        void *moved = take(256);
        kin__slab_free(pieces[i], 256);
        pieces[i] = moved;
    }
    kin__slab_end_gathering();

    ASSERT_TRUE(scattered > 8000000);
    ASSERT_TRUE(kin__slab_held() < 300000);
    for (size_t i = 0; i < MANY; i += 60) {
        kin__slab_free(pieces[i], 256);
    }
    ASSERT_EQ(kin__slab_held(), 0);
}

TEST(slab, can_keep_each_piece_apart)
{
    kin__slab_set_apart(true);
    long long before = live_blocks();

    pieces[0] = take(64);
    pieces[1] = take(64);

    ASSERT_EQ(live_blocks(), before + 2);
    kin__slab_free(pieces[0], 64);
    kin__slab_free(pieces[1], 64);
}

TEST_FAILING_ALLOC(slab, returns_nothing_without_memory)
{
    static const size_t sizes[] = { 64, 2112, 5000 };
    void *taken[3];
    kin_err code = KIN_OK;

    for (size_t i = 0; i < 3; i++) {
        taken[i] = kin__slab_alloc(sizes[i]);
        code = taken[i] == NULL ? KIN_ERR_NO_MEMORY : code;
    }
    for (size_t i = 0; i < 3; i++) {
        kin__slab_free(taken[i], sizes[i]);
    }
    return code;
}
