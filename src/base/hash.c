/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.c - a hash by multiplying and folding.
 *
 * Sixteen bytes at a time: two words, each hidden behind a secret, are multiplied to 128 bits,
 * and the halves are folded together by exclusive or.  A product with zero forgets its other
 * factor, and for words hidden behind known constants anyone could arrange that; so both
 * secrets come from the seed.  The last sixteen bytes may overlap those before them, and the
 * length goes into the last product: inputs that differ in length only do not collide.
 *
 * The constants are the fractional parts of the square roots of 2, 3, 5 and 7: numbers without
 * a pattern.
 */
#include "base/hash.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* The first bytes of an input that is no longer than sixteen, and its last ones. */
typedef struct ends {
    uint64_t first;
    uint64_t last;
} ends;

static ends short_ends(const unsigned char *bytes, size_t len);
static uint64_t read_32(const unsigned char *bytes);
static uint64_t make_seed(void);

uint64_t kin__hash(const void *bytes, size_t len, uint64_t seed)
{
    if (len > 16) {
        return kin__hash_long(bytes, len, seed);
    }
    ends all = short_ends(bytes, len);
    uint64_t state = kin__hash_begin(seed);
    state = kin__hash_fold(all.first ^ kin__hash_secret(seed), all.last ^ state);
    return kin__hash_end(state, len, seed);
}

/*
 * The one global beside the allocator.  Relaxed: the number stands for nothing but itself, and
 * of several threads that make one at the same time the first decides for all.
 */
uint64_t kin__hash_seed(void)
{
    static _Atomic uint64_t the_seed; /* 0: not made yet */

    uint64_t seed = atomic_load_explicit(&the_seed, memory_order_relaxed);
    if (seed != 0) {
        return seed;
    }
    uint64_t made = make_seed();
    if (atomic_compare_exchange_strong_explicit(&the_seed, &seed, made, memory_order_relaxed,
                                                memory_order_relaxed)) {
        return made;
    }
    return seed;
}

static ends short_ends(const unsigned char *bytes, size_t len)
{
    if (len >= 8) {
        return (ends){ kin__hash_read(bytes), kin__hash_read(bytes + len - 8) };
    }
    if (len >= 4) {
        return (ends){ read_32(bytes), read_32(bytes + len - 4) };
    }
    if (len > 0) {
        uint64_t middle = bytes[len / 2];
        return (ends){ (uint64_t) bytes[0] << 16 | middle << 8 | bytes[len - 1], 0 };
    }
    return (ends){ 0, 0 };
}

static uint64_t read_32(const unsigned char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Never 0.  A kernel that has no randomness yet leaves the time and where the stack lies: hard to
 * guess from outside, and better than to wait. */
static uint64_t make_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t) sizeof seed) {
        struct timespec now = { 0 };
        (void) clock_gettime(CLOCK_REALTIME, &now); /* does not fail */
        uint64_t parts[] = { (uint64_t) now.tv_sec, (uint64_t) now.tv_nsec, (uintptr_t) &seed };
        seed = kin__hash(parts, sizeof parts, KIN__ROOT_5);
    }
    return seed == 0 ? 1 : seed;
}
