/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - the command's own memory.
 */
#include "cli/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory);

void *kin__cli_alloc(size_t count, size_t bytes)
{
    return checked(calloc(count > 0 ? count : 1, bytes > 0 ? bytes : 1));
}

void *kin__cli_grow(void *memory, size_t count, size_t bytes)
{
    size_t size = 0;

    if (__builtin_mul_overflow(count, bytes, &size)) {
        return checked(NULL);
    }
    return checked(realloc(memory, size > 0 ? size : 1));
}

char *kin__cli_copy(kin_str text)
{
    char *copy = kin__cli_alloc(text.len + 1, 1);

    if (text.len > 0) {
        memcpy(copy, text.data, text.len);
    }
    return copy;
}

void kin__cli_free(void *memory)
{
    free(memory);
}

static void *checked(void *memory)
{
    if (memory == NULL) {
        fputs("kin: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}
