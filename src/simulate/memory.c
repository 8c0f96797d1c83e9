/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - two functions that all memory of this layer goes through.
 */
#include "simulate/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const kin__sim_memory of_the_system = { realloc, free };
static kin__sim_memory memory_functions = { realloc, free };

void *kin__sim_alloc_zero(size_t count, size_t bytes)
{
    size_t total;

    if (__builtin_mul_overflow(count, bytes, &total)) {
        return NULL;
    }
    void *memory = kin__sim_resize(NULL, total);
    if (memory != NULL) {
        memset(memory, 0, total);
    }
    return memory;
}

void *kin__sim_resize(void *memory, size_t bytes)
{
    return memory_functions.resize(memory, bytes == 0 ? 1 : bytes);
}

void kin__sim_release(void *memory)
{
    memory_functions.release(memory);
}

void kin__sim_memory_use(const kin__sim_memory *functions)
{
    memory_functions = functions == NULL ? of_the_system : *functions;
}
