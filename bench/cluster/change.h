/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change.h - the mark that bench-change leaves on what it changes.
 */
#ifndef KIN_BENCH_CHANGE_H
#define KIN_BENCH_CHANGE_H

#include <stdint.h>
#include <time.h>

/* The annotation that says when the change was sent, in microseconds of bench_now_us(). */
#define BENCH_SENT "bench/sent"

static inline int64_t bench_now_us(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

#endif /* KIN_BENCH_CHANGE_H */
