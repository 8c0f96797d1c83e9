/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/jitter.h - numbers that keep many clients from doing the same at the same time.
 *
 * The same state gives the same numbers, so that tests can foresee them.  Not for secrets.
 */
#ifndef KIN_CACHE_JITTER_H
#define KIN_CACHE_JITTER_H

#include <stdint.h>

/* 0 to `end` - 1; 0 when `end` is 0.  The state is moved on (splitmix64: any state will do). */
static inline uint32_t kin__jitter(uint64_t *state, uint32_t end)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t mixed = *state;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
    return (uint32_t) ((mixed >> 32) * end >> 32);
}

#endif /* KIN_CACHE_JITTER_H */
