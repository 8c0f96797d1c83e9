/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/hash.h - 64-bit hashes of bytes, for tables in memory.
 *
 * Not for anything that leaves the process: the result differs between machines and runs.
 */
#ifndef KIN_BASE_HASH_H
#define KIN_BASE_HASH_H

#include <string.h>

#include "kin/common.h"

/* All 64 bits are equally good.  Which bytes collide depends on `seed`: who does not know it
 * cannot prepare them. */
uint64_t kin__hash(const void *bytes, size_t len, uint64_t seed);

/* The same, in place where there are more than sixteen bytes: for those who have no time for a
 * call. */
static inline uint64_t kin__hash_in_place(const void *bytes, size_t len, uint64_t seed);

/* Random, and the same for the life of the process.  Thread-safe. */
uint64_t kin__hash_seed(void);

/* ---- how it is done; hash.c says why ----------------------------------------------------- */

__extension__ typedef unsigned __int128 kin__uint128;

/* The fractional parts of the square roots of 2, 3, 5 and 7. */
#define KIN__ROOT_2 0x6a09e667f3bcc908u
#define KIN__ROOT_3 0xbb67ae8584caa73bu
#define KIN__ROOT_5 0x3c6ef372fe94f82bu
#define KIN__ROOT_7 0xa54ff53a5f1d36f1u

static inline uint64_t kin__hash_fold(uint64_t a, uint64_t b)
{
    kin__uint128 product = (kin__uint128) a * b;
    return (uint64_t) product ^ (uint64_t) (product >> 64);
}

static inline uint64_t kin__hash_read(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline uint64_t kin__hash_secret(uint64_t seed)
{
    return seed ^ KIN__ROOT_2;
}

static inline uint64_t kin__hash_begin(uint64_t seed)
{
    return (seed << 32 | seed >> 32) ^ KIN__ROOT_3;
}

static inline uint64_t kin__hash_end(uint64_t state, size_t len, uint64_t seed)
{
    return kin__hash_fold(state ^ KIN__ROOT_5, len ^ seed ^ KIN__ROOT_7);
}

/* Of more than sixteen bytes. */
static inline uint64_t kin__hash_long(const unsigned char *at, size_t len, uint64_t seed)
{
    const unsigned char *last = at + len - 16;
    uint64_t secret = kin__hash_secret(seed);
    uint64_t state = kin__hash_begin(seed);
    do {
        state = kin__hash_fold(kin__hash_read(at) ^ secret, kin__hash_read(at + 8) ^ state);
        at += 16;
    } while (at < last);
    state = kin__hash_fold(kin__hash_read(last) ^ secret, kin__hash_read(last + 8) ^ state);
    return kin__hash_end(state, len, seed);
}

static inline uint64_t kin__hash_in_place(const void *bytes, size_t len, uint64_t seed)
{
    return len > 16 ? kin__hash_long(bytes, len, seed) : kin__hash(bytes, len, seed);
}

#endif /* KIN_BASE_HASH_H */
