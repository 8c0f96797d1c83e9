/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_test.c - every byte comes from the allocator that was set.
 */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/allocator.h"
#include "support/test.h"

/* Writes down what it is asked for. */
static void *noting_alloc(void *context, size_t bytes)
{
    text_append(context, "alloc %zu;", bytes);
    return malloc(bytes);
}

static void *noting_realloc(void *context, void *memory, size_t bytes)
{
    text_append(context, "realloc %zu;", bytes);
    return realloc(memory, bytes);
}

static void noting_release(void *context, void *memory)
{
    text_append(context, "%s;", memory == NULL ? "release NULL" : "release");
    free(memory);
}

static kin_allocator noting_allocator(text *notes)
{
    kin_allocator allocator = KIN_ALLOCATOR_INIT;
    allocator.context = notes;
    allocator.alloc = noting_alloc;
    allocator.realloc = noting_realloc;
    allocator.release = noting_release;
    return allocator;
}

TEST(alloc, asks_the_allocator_that_was_set_and_passes_its_context)
{
    static text notes;
    kin_allocator allocator = noting_allocator(&notes);
    ASSERT_OK(kin_allocator_set(&allocator, NULL));

    void *block = kin__alloc(10);
    block = kin__realloc(block, 20);
    kin__free(block);
    kin_free(kin__alloc_zero(2, 3));

    ASSERT_STR_EQ(notes.chars, "alloc 10;realloc 20;release;alloc 6;release;");
    use_test_allocator();
}

/* A caller's allocator is promised sizes above 0 and pointers that are not NULL. */
TEST(alloc, spares_the_allocator_sizes_of_0_and_null)
{
    static text notes;
    kin_allocator allocator = noting_allocator(&notes);
    ASSERT_OK(kin_allocator_set(&allocator, NULL));

    void *block = kin__realloc(NULL, 0);
    block = kin__realloc(block, 0);
    kin__free(block);
    kin__free(kin__alloc_zero(0, 8));
    kin__free(NULL);
    kin_free(NULL);

    ASSERT_STR_EQ(notes.chars, "alloc 1;realloc 1;release;alloc 1;release;");
    use_test_allocator();
}

TEST(alloc, goes_back_to_malloc_when_the_allocator_is_null)
{
    static text notes;
    kin_allocator allocator = noting_allocator(&notes);
    ASSERT_OK(kin_allocator_set(&allocator, NULL));

    ASSERT_OK(kin_allocator_set(NULL, NULL));
    void *block = kin__alloc(10);
    free(block);

    ASSERT_STR_EQ(notes.chars, "");
    use_test_allocator();
}

TEST(alloc, refuses_an_allocator_with_a_function_missing_and_keeps_the_old_one)
{
    static text notes;
    kin_allocator whole = noting_allocator(&notes);
    kin_allocator no_alloc = whole;
    kin_allocator no_realloc = whole;
    kin_allocator no_release = whole;
    no_alloc.alloc = NULL;
    no_realloc.realloc = NULL;
    no_release.release = NULL;
    kin_error err;

    ASSERT_ERR(kin_allocator_set(&no_alloc, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_allocator_set(&no_realloc, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_allocator_set(&no_release, &err), KIN_ERR_USAGE);
    kin__free(kin__alloc(1));

    ASSERT_MESSAGE(&err, "set the allocator: alloc, realloc and release are all required");
    ASSERT_STR_EQ(notes.chars, "");
}

TEST(alloc, refuses_an_allocator_that_was_not_initialised)
{
    kin_allocator zero = { 0 };
    kin_error err;

    ASSERT_ERR(kin_allocator_set(&zero, &err), KIN_ERR_USAGE);

    ASSERT_MESSAGE(&err, "set the allocator: kin_allocator: not initialised (size is 0)");
}

TEST(alloc, gives_zeroed_memory)
{
    unsigned char *dirty = kin__alloc(64);
    memset(dirty, 0xff, 64);
    kin__free(dirty);

    unsigned char *block = kin__alloc_zero(8, 8);

    for (size_t i = 0; i < 64; i++) {
        ASSERT_EQ(block[i], 0);
    }
    kin__free(block);
}

TEST(alloc, gives_nothing_when_the_product_overflows)
{
    volatile size_t half = SIZE_MAX / 2 + 2;

    ASSERT_TRUE(kin__alloc_zero(half, 2) == NULL);
    ASSERT_TRUE(kin__alloc_zero(2, half) == NULL);
}

TEST(alloc, keeps_the_old_block_when_growing_fails)
{
    char *block = kin__alloc(4);
    memcpy(block, "abc", 4);

    test_allocator_plan((alloc_failure){ .first = 1 });
    void *grown = kin__realloc(block, 100);
    test_allocator_plan((alloc_failure){ 0 });

    ASSERT_TRUE(grown == NULL);
    ASSERT_STR_EQ(block, "abc");
    kin__free(block);
}

TEST(alloc, expecting_more_asks_nothing_of_a_programs_allocator)
{
    long long before = live_blocks();

    kin__alloc_expect();

    ASSERT_EQ(live_blocks(), before);
}
