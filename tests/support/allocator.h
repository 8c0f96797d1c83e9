/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/allocator.h - the allocator under which tests run the library.
 *
 * It counts the blocks that are held and can be told to fail.
 */
#ifndef TESTS_SUPPORT_ALLOCATOR_H
#define TESTS_SUPPORT_ALLOCATOR_H

#include <stdbool.h>

/* Which allocations fail, counted from 1 from this call on. */
typedef struct alloc_failure {
    long long first; /* 0: none */
    bool is_lasting; /* all that follow fail as well */
} alloc_failure;

/* From any thread. */
void test_allocator_plan(alloc_failure failure);

/* Since the last plan: how many allocations were asked for, and how many of them failed. */
long long test_allocator_requests(void);
long long test_allocator_failures(void);

#endif /* TESTS_SUPPORT_ALLOCATOR_H */
