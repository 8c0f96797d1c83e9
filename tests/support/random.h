/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/random.h - numbers for tests that try many things, the same in every run.
 */
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H

#include <stdint.h>
#include <stdio.h>

/* Shown when the test fails, so that a failure can be repeated by hand. */
static inline uint64_t random_start(uint64_t seed)
{
    (void) printf("seed %llu\n", (unsigned long long) seed);
    return seed;
}

/* splitmix64: any state will do. */
static inline uint64_t random_next(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t mixed = *state;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

/* 0 to `end` - 1. */
static inline size_t random_below(uint64_t *state, size_t end)
{
    return (size_t) (random_next(state) % end);
}

#endif /* TESTS_SUPPORT_RANDOM_H */
