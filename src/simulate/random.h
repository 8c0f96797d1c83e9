/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/random.h - the numbers a simulation draws.
 *
 * splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014): a
 * state of 64 bits that rises by a constant, and a mix of it.  Any state will do, every number
 * comes once in 2^64 draws, and it is the same on every machine.
 */
#ifndef KIN_SIMULATE_RANDOM_H
#define KIN_SIMULATE_RANDOM_H

#include <stdint.h>

/* A number that looks like no other, one for each `value`. */
static inline uint64_t kin__sim_mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

static inline uint64_t kin__sim_draw(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return kin__sim_mix(*state);
}

/* 0 to `end` - 1; `end` is not 0.  A multiplication of the upper half: fair to 1 in 2^32 / end. */
static inline uint32_t kin__sim_below(uint64_t *state, uint32_t end)
{
    return (uint32_t) ((kin__sim_draw(state) >> 32) * end >> 32);
}

#endif /* KIN_SIMULATE_RANDOM_H */
