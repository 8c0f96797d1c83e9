/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring_test.c - first in, first out.
 */
#include "base/ring.h"

#include "support/allocator.h"
#include "support/random.h"
#include "support/test.h"

#define MANY 5000

static char things[MANY]; /* their addresses are the items */

static void push(kin__ring *ring, void *item)
{
    kin_error err;
    ASSERT_OK(kin__ring_push(ring, item, &err));
}

TEST(ring, is_empty_when_all_zero)
{
    AUTO(kin__ring_fini) kin__ring ring = { 0 };

    ASSERT_TRUE(kin__ring_pop(&ring) == NULL);
    ASSERT_EQ(ring.count, 0);
}

TEST(ring, gives_the_oldest_first)
{
    AUTO(kin__ring_fini) kin__ring ring = { 0 };

    for (size_t i = 0; i < MANY; i++) {
        push(&ring, &things[i]);
    }

    for (size_t i = 0; i < MANY; i++) {
        ASSERT_TRUE(kin__ring_pop(&ring) == &things[i]);
    }
    ASSERT_TRUE(kin__ring_pop(&ring) == NULL);
}

TEST(ring, is_full_at_its_limit)
{
    AUTO(kin__ring_fini) kin__ring ring = { .limit = 3 };
    kin_error err;
    push(&ring, &things[0]);
    push(&ring, &things[1]);
    push(&ring, &things[2]);

    ASSERT_ERR(kin__ring_push(&ring, &things[3], &err), KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "the queue is full (3)");
    ASSERT_EQ(ring.count, 3);

    ASSERT_TRUE(kin__ring_pop(&ring) == &things[0]);
    push(&ring, &things[3]);
    ASSERT_TRUE(kin__ring_pop(&ring) == &things[1]);
    ASSERT_TRUE(kin__ring_pop(&ring) == &things[2]);
    ASSERT_TRUE(kin__ring_pop(&ring) == &things[3]);
}

TEST(ring, needs_no_further_memory_while_its_length_stays)
{
    AUTO(kin__ring_fini) kin__ring ring = { 0 };
    push(&ring, &things[0]);

    test_allocator_plan((alloc_failure){ .first = 1, .is_lasting = true });
    for (size_t i = 1; i < MANY; i++) {
        push(&ring, &things[i]);
        ASSERT_TRUE(kin__ring_pop(&ring) == &things[i - 1]);
    }
    test_allocator_plan((alloc_failure){ 0 });

    ASSERT_EQ(ring.count, 1);
}

TEST(ring, stays_as_it_was_when_there_is_no_memory)
{
    AUTO(kin__ring_fini) kin__ring ring = { 0 };
    kin_error err;
    push(&ring, &things[0]);
    while (ring.count < ring.capacity) {
        push(&ring, &things[1]);
    }
    size_t count = ring.count;

    test_allocator_plan((alloc_failure){ .first = 1 });
    kin_err code = kin__ring_push(&ring, &things[2], &err);
    test_allocator_plan((alloc_failure){ 0 });

    ASSERT_ERR(code, KIN_ERR_NO_MEMORY);
    ASSERT_EQ(ring.count, count);
    ASSERT_TRUE(kin__ring_pop(&ring) == &things[0]);
}

TEST(ring, gives_memory_back_after_a_burst_if_it_can)
{
    AUTO(kin__ring_fini) kin__ring ring = { 0 };
    for (size_t i = 0; i < MANY; i++) {
        push(&ring, &things[i]);
    }
    size_t capacity = ring.capacity;

    test_allocator_plan((alloc_failure){ .first = 1, .is_lasting = true });
    for (size_t i = 0; i < MANY - 100; i++) {
        ASSERT_TRUE(kin__ring_pop(&ring) == &things[i]);
    }
    test_allocator_plan((alloc_failure){ 0 });
    ASSERT_EQ(ring.capacity, capacity);

    for (size_t i = MANY - 100; i < MANY; i++) {
        ASSERT_TRUE(kin__ring_pop(&ring) == &things[i]);
    }
    ASSERT_TRUE(ring.capacity <= 16);
}

TEST_FAILING_ALLOC(ring, fails_without_a_leak)
{
    AUTO(kin__ring_fini) kin__ring ring = { 0 };
    kin_error err;

    for (size_t i = 0; i < 100; i++) {
        if (kin__ring_push(&ring, &things[i], &err) != KIN_OK) {
            return err.code;
        }
    }
    return KIN_OK;
}

TEST(ring, keeps_the_order_however_pushes_and_pops_are_mixed)
{
    AUTO(kin__ring_fini) kin__ring ring = { 0 };
    uint64_t random = random_start(20261118);
    size_t pushed = 0;
    size_t popped = 0;

    for (size_t round = 0; round < 200000; round++) {
        size_t push_percent = round / 2000 % 2 == 0 ? 70 : 30;
        if (random_below(&random, 100) < push_percent) {
            push(&ring, &things[pushed++ % MANY]);
        } else if (popped < pushed) {
            ASSERT_TRUE(kin__ring_pop(&ring) == &things[popped++ % MANY]);
        } else {
            ASSERT_TRUE(kin__ring_pop(&ring) == NULL);
        }
        ASSERT_EQ(ring.count, pushed - popped);
    }
}
