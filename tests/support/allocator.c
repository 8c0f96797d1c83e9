/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocator.c - malloc, counted, and failing on request.
 *
 * Blocks are plain blocks of malloc, so that the sanitizers see each of them, and a test that
 * sets the library's own allocator in between does no harm.  All is atomic: a test may have
 * threads.  Relaxed order is enough, since counters are read after the threads are joined, or in
 * order to wait for one to change.
 */
#include "support/allocator.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "kin/sys/allocator.h"
#include "support/test.h"

static atomic_llong planned_first; /* as alloc_failure has them */
static atomic_bool planned_is_lasting;
static atomic_llong held;
static atomic_llong requests;
static atomic_llong failures;

static bool must_fail(void)
{
    long long number = atomic_fetch_add_explicit(&requests, 1, memory_order_relaxed) + 1;
    long long first = atomic_load_explicit(&planned_first, memory_order_relaxed);
    if (first == 0 || number < first) {
        return false;
    }
    if (number > first && !atomic_load_explicit(&planned_is_lasting, memory_order_relaxed)) {
        return false;
    }
    atomic_fetch_add_explicit(&failures, 1, memory_order_relaxed);
    return true;
}

static void *counted_alloc(void *context, size_t bytes)
{
    (void) context;
    void *memory = must_fail() ? NULL : malloc(bytes);
    if (memory != NULL) {
        atomic_fetch_add_explicit(&held, 1, memory_order_relaxed);
    }
    return memory;
}

static void *counted_realloc(void *context, void *memory, size_t bytes)
{
    (void) context;
    return must_fail() ? NULL : realloc(memory, bytes);
}

static void counted_release(void *context, void *memory)
{
    (void) context;
    atomic_fetch_sub_explicit(&held, 1, memory_order_relaxed);
    free(memory);
}

void use_test_allocator(void)
{
    kin_allocator allocator = KIN_ALLOCATOR_INIT;
    allocator.alloc = counted_alloc;
    allocator.realloc = counted_realloc;
    allocator.release = counted_release;
    ASSERT_OK(kin_allocator_set(&allocator, NULL));
}

long long live_blocks(void)
{
    return atomic_load_explicit(&held, memory_order_relaxed);
}

void test_allocator_plan(alloc_failure failure)
{
    atomic_store(&planned_first, 0); /* who allocates meanwhile is outside of both plans */
    atomic_store(&planned_is_lasting, failure.is_lasting);
    atomic_store(&requests, 0);
    atomic_store(&failures, 0);
    atomic_store(&planned_first, failure.first);
}

long long test_allocator_requests(void)
{
    return atomic_load_explicit(&requests, memory_order_relaxed);
}

long long test_allocator_failures(void)
{
    return atomic_load_explicit(&failures, memory_order_relaxed);
}
