/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/random.h - numbers that nobody has to foresee and nobody has to trust: uids, names, times.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_RANDOM_H
#define KIN_SERVER_RANDOM_H

#include "server/deed.h"

/* The generator splitmix64 (Steele, Lea and Flood, 2014), on the engine's state. */
static inline uint64_t kin__random_next(kin__engine *engine)
{
    uint64_t z = engine->random += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* From 0 to `end` - 1; `end` is not 0. */
static inline uint64_t kin__random_below(kin__engine *engine, uint64_t end)
{
    return kin__random_next(engine) % end;
}

#endif /* KIN_SERVER_RANDOM_H */
