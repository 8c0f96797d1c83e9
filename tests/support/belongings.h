/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/belongings.h - what a process has, before a test and after it.
 */
#ifndef TESTS_SUPPORT_BELONGINGS_H
#define TESTS_SUPPORT_BELONGINGS_H

#include <stdbool.h>

#define BELONGINGS_FD_COUNT 1024

typedef struct belongings {
    long long blocks; /* of the library's allocator */
    bool has_fd[BELONGINGS_FD_COUNT];
    int high_fd_count; /* of those beyond */
    int thread_count;
} belongings;

void belongings_note(belongings *b);

/* Prints what there is now and was not before; false when there is anything. */
bool belongings_check(const belongings *before);

#endif /* TESTS_SUPPORT_BELONGINGS_H */
