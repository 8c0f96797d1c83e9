/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/lanes.h - many bytes at once: the tags of a leaf, and keys.
 *
 * Chosen when compiled, for what every processor of the kind has: SSE2 on x86-64, NEON on 64-bit
 * ARM, 64-bit words elsewhere.
 */
#ifndef KIN_CACHE_LANES_H
#define KIN_CACHE_LANES_H

#include <string.h>

#include "kin/common.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Which of the 32 bytes at `tags` are `tag`, one bit for each.  With 64-bit words it may name one
 * too many. */
static inline uint32_t kin__lanes_match(const uint8_t *tags, uint8_t tag)
{
#if defined(__SSE2__)
    __m128i wanted = _mm_set1_epi8((char) tag);
    __m128i low = _mm_loadu_si128((const __m128i *) (const void *) tags);
    __m128i high = _mm_loadu_si128((const __m128i *) (const void *) (tags + 16));
    uint32_t low_bits = (uint32_t) _mm_movemask_epi8(_mm_cmpeq_epi8(low, wanted));
    uint32_t high_bits = (uint32_t) _mm_movemask_epi8(_mm_cmpeq_epi8(high, wanted));
    return low_bits | high_bits << 16;
#elif defined(__aarch64__)
    /* Each byte keeps the bit of its place among eight; adding neighbours three times gathers
     * them. */
    static const uint8_t weights[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    uint8x16_t wanted = vdupq_n_u8(tag);
    uint8x16_t places = vld1q_u8(weights);
    uint8x16_t low = vandq_u8(vceqq_u8(vld1q_u8(tags), wanted), places);
    uint8x16_t high = vandq_u8(vceqq_u8(vld1q_u8(tags + 16), wanted), places);
    uint8x16_t sums = vpaddq_u8(low, high);
    sums = vpaddq_u8(sums, sums);
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u32(vreinterpretq_u32_u8(sums), 0);
#else
    uint32_t bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t word;
        memcpy(&word, tags + 8 * i, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        word ^= tag * 0x0101010101010101u;
        /* A byte of zero borrows from its highest bit, and the one above it may too. */
        word = (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
        /* The product moves bit 8k to 56 + k. */
        bits |= (uint32_t) ((word >> 7) * 0x0102040810204080u >> 56) << (8 * i);
    }
    return bits;
#endif
}

static inline uint64_t kin__lanes_differ(const char *a, const char *b)
{
    uint64_t x;
    uint64_t y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x ^ y;
}

static inline uint32_t kin__lanes_differ_in_4(const char *a, const char *b)
{
    uint32_t x;
    uint32_t y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x ^ y;
}

static inline bool kin__lanes_equal_short(const char *a, const char *b, size_t len)
{
    if (len >= 8) {
        return (kin__lanes_differ(a, b) | kin__lanes_differ(a + len - 8, b + len - 8)) == 0;
    }
    if (len >= 4) {
        return (kin__lanes_differ_in_4(a, b) | kin__lanes_differ_in_4(a + len - 4, b + len - 4)) ==
               0;
    }
    for (size_t i = 0; i < len; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

/* Whether the 16 bytes at `a` and `b` are the same, and those `other` bytes behind. */
static inline bool kin__lanes_equal_twice(const char *a, const char *b, size_t other)
{
#if defined(__SSE2__)
    __m128i x = _mm_loadu_si128((const __m128i *) (const void *) a);
    __m128i y = _mm_loadu_si128((const __m128i *) (const void *) b);
    __m128i u = _mm_loadu_si128((const __m128i *) (const void *) (a + other));
    __m128i v = _mm_loadu_si128((const __m128i *) (const void *) (b + other));
    return _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(x, y), _mm_cmpeq_epi8(u, v))) == 0xffff;
#else
    return (kin__lanes_differ(a, b) | kin__lanes_differ(a + 8, b + 8) |
            kin__lanes_differ(a + other, b + other) |
            kin__lanes_differ(a + other + 8, b + other + 8)) == 0;
#endif
}

/* Whether two keys are the same; the last bytes may overlap those before.  Calls nothing, so that a
 * search keeps all it has in registers. */
static inline bool kin__lanes_equal(kin_str a, kin_str b)
{
    if (a.len != b.len) {
        return false;
    }
    if (a.len < 16) {
        return kin__lanes_equal_short(a.data, b.data, a.len);
    }
    size_t last = a.len - 16;
    if (!kin__lanes_equal_twice(a.data, b.data, last)) {
        return false;
    }
    for (size_t i = 16; i < last; i += 16) {
        if ((kin__lanes_differ(a.data + i, b.data + i) |
             kin__lanes_differ(a.data + i + 8, b.data + i + 8)) != 0) {
            return false;
        }
    }
    return true;
}

#endif /* KIN_CACHE_LANES_H */
