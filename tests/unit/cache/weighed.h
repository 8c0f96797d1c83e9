/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weighed.h - how many bytes the library holds.
 *
 * weigh_memory() comes before the library holds any, and use_test_allocator() after it has let go
 * of all.
 */
#ifndef TESTS_UNIT_CACHE_WEIGHED_H
#define TESTS_UNIT_CACHE_WEIGHED_H

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "kin/sys/allocator.h"
#include "support/test.h"

static atomic_size_t bytes_held;

static inline void *weighed_alloc(void *context, size_t bytes)
{
    (void) context;
    void *memory = malloc(bytes);
    bytes_held += malloc_usable_size(memory);
    return memory;
}

static inline void weighed_release(void *context, void *memory)
{
    (void) context;
    bytes_held -= malloc_usable_size(memory);
    free(memory);
}

static inline void *weighed_realloc(void *context, void *memory, size_t bytes)
{
    (void) context;
    bytes_held -= malloc_usable_size(memory);
    void *moved = realloc(memory, bytes);
    bytes_held += malloc_usable_size(moved);
    return moved;
}

static inline void weigh_memory(void)
{
    kin_allocator allocator = KIN_ALLOCATOR_INIT;
    allocator.alloc = weighed_alloc;
    allocator.realloc = weighed_realloc;
    allocator.release = weighed_release;
    ASSERT_OK(kin_allocator_set(&allocator, NULL));
}

#endif /* TESTS_UNIT_CACHE_WEIGHED_H */
