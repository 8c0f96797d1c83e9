/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/memory.h - where the memory of simulations comes from.
 *
 * This layer sees public headers only, and the library's allocator is not among them: memory comes
 * from realloc() and free(), by way of two functions that tests replace.  NULL means that there is
 * none.
 */
#ifndef KIN_SIMULATE_MEMORY_H
#define KIN_SIMULATE_MEMORY_H

#include <stddef.h>

#include "kin/common.h"

/* `count` elements of `bytes` each, zeroed; NULL also when the product overflows. */
void *kin__sim_alloc_zero(size_t count, size_t bytes) KIN_MUST_CHECK;

/* `memory` may be NULL.  On failure the old block stays as it was. */
void *kin__sim_resize(void *memory, size_t bytes) KIN_MUST_CHECK;

/* NULL is ignored. */
void kin__sim_release(void *memory);

typedef struct kin__sim_memory {
    void *(*resize)(void *memory, size_t bytes); /* as realloc; bytes > 0 */
    void (*release)(void *memory);               /* as free */
} kin__sim_memory;

/* For tests, while no memory is held.  NULL: realloc() and free() again. */
void kin__sim_memory_use(const kin__sim_memory *functions);

#endif /* KIN_SIMULATE_MEMORY_H */
