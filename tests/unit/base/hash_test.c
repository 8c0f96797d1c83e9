/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_test.c - how well the hash spreads.
 */
#include "base/hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "base/thread.h"
#include "support/random.h"
#include "support/test.h"

#define KEY_COUNT 65536

/* Stands before the C library's: a test decides whether there is randomness. */
static bool has_randomness = true;
static uint64_t (*meanwhile)(void); /* what another thread does at that moment; NULL: nothing */
static uint64_t seed_meanwhile;

ssize_t getrandom(void *bytes, size_t count, unsigned int flags)
{
    if (meanwhile != NULL) {
        uint64_t (*once)(void) = meanwhile;
        meanwhile = NULL;
        seed_meanwhile = once();
    }
    if (!has_randomness) {
        errno = EAGAIN;
        return -1;
    }
    return syscall(SYS_getrandom, bytes, count, flags);
}

/* Keys as a cluster has them: few namespaces, names that differ in their last characters. */
static size_t write_key(size_t number, char *out, size_t size)
{
    return (size_t) snprintf(out, size, "ns-%zu/pod-%04zu", number % 64, number / 64);
}

static int compare_hashes(const void *a, const void *b)
{
    uint64_t x;
    uint64_t y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Sorts them. */
static bool are_all_different(uint64_t *hashes, size_t count)
{
    qsort(hashes, count, sizeof *hashes, compare_hashes);
    for (size_t i = 1; i < count; i++) {
        if (hashes[i] == hashes[i - 1]) {
            return false;
        }
    }
    return true;
}

TEST(hash, is_the_same_wherever_the_bytes_lie)
{
    static char copies[8][512];

    for (size_t len = 0; len <= 300; len++) {
        uint64_t want = 0;
        for (size_t shift = 0; shift < 8; shift++) {
            for (size_t i = 0; i < len; i++) {
                copies[shift][shift + i] = (char) (i * 7 + 1);
            }
            uint64_t got = kin__hash(copies[shift] + shift, len, 42);
            want = shift == 0 ? got : want;
            ASSERT_EQ(got, want);
        }
    }
}

TEST(hash, is_the_same_in_place)
{
    char bytes[100];
    memset(bytes, 'k', sizeof bytes);

    for (size_t len = 0; len <= sizeof bytes; len++) {
        ASSERT_EQ(kin__hash_in_place(bytes, len, 42), kin__hash(bytes, len, 42));
    }
}

TEST(hash, differs_for_every_length_of_the_same_bytes)
{
    static const char zeros[301];
    static char letters[301];
    uint64_t hashes[602];
    memset(letters, 'a', sizeof letters);

    for (size_t len = 0; len <= 300; len++) {
        hashes[2 * len] = kin__hash(zeros, len, 0);
        hashes[2 * len + 1] = kin__hash(letters, len, 0);
    }
    hashes[1] = 1; /* both are empty at length 0 */

    ASSERT_TRUE(are_all_different(hashes, 602));
}

/* Every byte counts, at every length. */
TEST(hash, differs_when_any_one_bit_does)
{
    unsigned char bytes[100];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char) (i * 31);
    }

    for (size_t len = 1; len <= sizeof bytes; len++) {
        uint64_t before = kin__hash(bytes, len, 7);
        for (size_t bit = 0; bit < len * 8; bit++) {
            bytes[bit / 8] ^= (unsigned char) (1u << bit % 8);
            ASSERT_TRUE(kin__hash(bytes, len, 7) != before);
            bytes[bit / 8] ^= (unsigned char) (1u << bit % 8);
        }
    }
}

/* Avalanche: of one flipped bit each bit of the hash hears half the time. */
TEST(hash, changes_each_bit_half_the_time_when_one_bit_changes)
{
    static const size_t lens[] = { 1, 3, 4, 5, 7, 8, 9, 14, 16, 17, 24, 33, 60 };
    uint64_t random = random_start(1);
    unsigned char bytes[64];

    for (size_t n = 0; n < sizeof lens / sizeof lens[0]; n++) {
        int changed[64] = { 0 };
        for (int round = 0; round < 4000; round++) {
            for (size_t i = 0; i < lens[n]; i++) {
                bytes[i] = (unsigned char) random_next(&random);
            }
            uint64_t before = kin__hash(bytes, lens[n], 7);
            size_t bit = random_below(&random, lens[n] * 8);
            bytes[bit / 8] ^= (unsigned char) (1u << bit % 8);
            uint64_t difference = before ^ kin__hash(bytes, lens[n], 7);
            for (int i = 0; i < 64; i++) {
                changed[i] += (int) (difference >> i & 1);
            }
        }
        for (int i = 0; i < 64; i++) {
            if (changed[i] < 1800 || changed[i] > 2200) { /* six standard deviations */
                FAIL("length %zu: bit %d changed %d times of 4000", lens[n], i, changed[i]);
            }
        }
    }
}

/* The sum over all buckets of (keys - expected)^2 / expected. */
static double chi_square(const uint32_t *buckets, size_t bucket_count)
{
    double expected = (double) KEY_COUNT / (double) bucket_count;
    double sum = 0;
    for (size_t i = 0; i < bucket_count; i++) {
        double off = (double) buckets[i] - expected;
        sum += off * off / expected;
    }
    return sum;
}

/* A table takes the low bits, or the high ones. */
TEST(hash, spreads_realistic_keys_over_buckets_as_chance_would)
{
    static uint32_t low[4096];
    static uint32_t high[4096];
    char key[64];

    for (uint64_t seed = 0; seed < 4; seed++) {
        memset(low, 0, sizeof low);
        memset(high, 0, sizeof high);
        for (size_t i = 0; i < KEY_COUNT; i++) {
            uint64_t hash = kin__hash(key, write_key(i, key, sizeof key), seed);
            low[hash & 4095]++;
            high[hash >> 52]++;
        }
        /* 4095 degrees of freedom: mean 4095, standard deviation 90.5; six of them. */
        if (chi_square(low, 4096) > 4640 || chi_square(high, 4096) > 4640) {
            FAIL("seed %d: chi square %.0f low, %.0f high; want about 4095", (int) seed,
                 chi_square(low, 4096), chi_square(high, 4096));
        }
    }
}

TEST(hash, gives_realistic_keys_hashes_of_their_own)
{
    static uint64_t hashes[KEY_COUNT];
    char key[64];

    for (size_t i = 0; i < KEY_COUNT; i++) {
        hashes[i] = kin__hash(key, write_key(i, key, sizeof key), 3);
    }

    ASSERT_TRUE(are_all_different(hashes, KEY_COUNT));
}

/*
 * A factor of zero forgets the other one.  With secrets that are constants the bytes that make
 * it are known to everybody, for every seed; here only for the one that was guessed.
 */
TEST(hash, has_no_bytes_that_swallow_their_neighbours_under_every_seed)
{
    static const uint64_t constants[] = { 0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu };

    for (size_t c = 0; c < 2; c++) {
        for (uint64_t seed = 1; seed < 100; seed++) {
            uint64_t words[4] = { constants[c], 0, constants[c], 0 };
            uint64_t before = kin__hash(words, sizeof words, seed);
            words[1] = 1;
            ASSERT_TRUE(kin__hash(words, sizeof words, seed) != before);
            words[1] = 0;
            words[3] = 1;
            ASSERT_TRUE(kin__hash(words, sizeof words, seed) != before);
        }
    }
}

TEST(hash, differs_from_seed_to_seed)
{
    static uint64_t hashes[64];

    for (size_t bit = 0; bit < 64; bit++) {
        hashes[bit] = kin__hash("ns-1/pod-0001", 13, (uint64_t) 1 << bit);
    }

    ASSERT_TRUE(are_all_different(hashes, 64));
}

TEST(hash_seed, stays_the_same)
{
    uint64_t seed = kin__hash_seed();

    ASSERT_TRUE(seed != 0);
    ASSERT_EQ(kin__hash_seed(), seed);
}

static void take_seed(void *context)
{
    *(uint64_t *) context = kin__hash_seed();
}

TEST(hash_seed, is_one_for_threads_that_ask_at_the_same_time)
{
    kin__thread threads[4];
    uint64_t seeds[4] = { 0 };
    kin_error err;

    for (size_t i = 0; i < 4; i++) {
        ASSERT_OK(kin__thread_start(&threads[i], "test", take_seed, &seeds[i], &err));
    }
    for (size_t i = 0; i < 4; i++) {
        kin__thread_join(&threads[i]);
    }

    for (size_t i = 0; i < 4; i++) {
        ASSERT_EQ(seeds[i], kin__hash_seed());
    }
}

TEST(hash_seed, is_that_of_whoever_was_first)
{
    meanwhile = kin__hash_seed;

    uint64_t seed = kin__hash_seed();

    ASSERT_TRUE(seed_meanwhile != 0);
    ASSERT_EQ(seed, seed_meanwhile);
}

/* Asked in a process of its own each time. */
static uint64_t seed_of_another_process(void)
{
    int ends[2];
    uint64_t seed = 0;
    ASSERT_EQ(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        seed = kin__hash_seed();
        _exit(write(ends[1], &seed, sizeof seed) == (ssize_t) sizeof seed ? 0 : 1);
    }
    ASSERT_EQ(read(ends[0], &seed, sizeof seed), (ssize_t) sizeof seed);
    (void) close(ends[0]);
    (void) close(ends[1]);
    ASSERT_EQ(waitpid(child, NULL, 0), child);
    return seed;
}

TEST(hash_seed, differs_between_processes)
{
    ASSERT_TRUE(seed_of_another_process() != seed_of_another_process());
}

/* In the first seconds of a machine the kernel may have none to give. */
TEST(hash_seed, is_made_without_the_kernels_randomness_too)
{
    has_randomness = false;

    uint64_t one = seed_of_another_process();
    uint64_t other = seed_of_another_process();

    ASSERT_TRUE(one != 0);
    ASSERT_TRUE(one != other);
}
