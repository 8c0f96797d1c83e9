/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_test.c - where the memory of simulations comes from.
 */
#include "simulate/memory.h"

#include <stdint.h>

#include "support/test.h"
#include "unit/simulate/recorder.h"

TEST(memory, is_zeroed_where_that_is_promised)
{
    unsigned char *bytes = kin__sim_alloc_zero(100, 3);

    ASSERT_TRUE(bytes != NULL);
    for (size_t i = 0; i < 300; i++) {
        ASSERT_EQ(bytes[i], 0);
    }
    kin__sim_release(bytes);
}

TEST(memory, refuses_products_that_overflow)
{
    ASSERT_TRUE(kin__sim_alloc_zero(SIZE_MAX / 2, 3) == NULL);
}

TEST(memory, comes_from_other_functions_when_a_test_says_so)
{
    use_counted_memory();
    long long before = live_blocks();

    void *memory = kin__sim_resize(NULL, 0);

    ASSERT_TRUE(memory != NULL);
    ASSERT_EQ(live_blocks(), before + 1);
    kin__sim_release(memory);
    ASSERT_EQ(live_blocks(), before);
    kin__sim_release(NULL);
}
