/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc.c - the allocator hook.
 *
 * One allocator for the whole process, as for every library below us; kin/sys/allocator.h says when
 * it may be set.
 */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/options.h"

#define PAGE_BYTES 4096 /* where pages are larger, the system refuses and nothing is lost */

static void touch_pages(char *room, size_t bytes);

static void *default_alloc(void *context, size_t bytes)
{
    (void) context;
    return malloc(bytes);
}

static void *default_realloc(void *context, void *memory, size_t bytes)
{
    (void) context;
    return realloc(memory, bytes);
}

static void default_release(void *context, void *memory)
{
    (void) context;
    free(memory);
}

static const kin_allocator default_allocator = {
    .size = sizeof(kin_allocator),
    .alloc = default_alloc,
    .realloc = default_realloc,
    .release = default_release,
};

static kin_allocator current = {
    .size = sizeof(kin_allocator),
    .alloc = default_alloc,
    .realloc = default_realloc,
    .release = default_release,
};

/*
 * On all threads but the first one, glibc grows by as many pages as a block lacks, with a system
 * call each.  A large block that is given back at once leaves its room to the small ones; it is
 * below the 128 KB from which on glibc gives free memory back to the system, or maps a block by
 * itself.  Its pages are asked for together, because each by itself costs as much again as what is
 * then written to it; a system that cannot (Linux before 5.14) gives them one by one.
 */
void kin__alloc_expect(void)
{
    if (current.alloc == default_alloc) {
        char *volatile room = malloc(KIN__ALLOC_STEP);
        if (room != NULL) {
            touch_pages(room, KIN__ALLOC_STEP);
        }
        free(room);
    }
}

static void touch_pages(char *room, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t begin = ((uintptr_t) room + PAGE_BYTES - 1) & ~(uintptr_t) (PAGE_BYTES - 1);
    uintptr_t end = ((uintptr_t) room + bytes) & ~(uintptr_t) (PAGE_BYTES - 1);

    (void) madvise((void *) begin, end - begin, MADV_POPULATE_WRITE);
#else
    (void) room;
    (void) bytes;
#endif
}

kin_err kin_allocator_set(const kin_allocator *allocator, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);

    if (allocator == NULL) {
        current = default_allocator;
        return KIN_OK;
    }
    kin_allocator ours;
    if (kin__options_read(&ours, sizeof ours, allocator, "kin_allocator", err) != KIN_OK) {
        return kin__error_prefix(err, "set the allocator");
    }
    if (ours.alloc == NULL || ours.realloc == NULL || ours.release == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "set the allocator: alloc, realloc and release are all required");
    }
    current = ours;
    return KIN_OK;
}

void *kin__alloc(size_t bytes)
{
    return current.alloc(current.context, bytes == 0 ? 1 : bytes);
}

void *kin__alloc_zero(size_t count, size_t bytes)
{
    size_t total;
    if (__builtin_mul_overflow(count, bytes, &total)) {
        return NULL;
    }
    void *memory = kin__alloc(total);
    if (memory != NULL) {
        memset(memory, 0, total);
    }
    return memory;
}

void *kin__realloc(void *memory, size_t bytes)
{
    if (memory == NULL) {
        return kin__alloc(bytes);
    }
    return current.realloc(current.context, memory, bytes == 0 ? 1 : bytes);
}

void kin__free(void *memory)
{
    if (memory != NULL) {
        current.release(current.context, memory);
    }
}

void kin_free(void *memory)
{
    kin__free(memory);
}
