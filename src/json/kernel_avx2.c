/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_avx2.c - the kernel for x86-64 processors with AVX2: two vectors a block.
 */
#include <immintrin.h>

#include "json/kernel_looks.h"

typedef struct block {
    __m256i low;
    __m256i high;
} block;

static inline block load(const char *bytes)
{
    return (block){
        _mm256_loadu_si256((const __m256i *) (const void *) bytes),
        _mm256_loadu_si256((const __m256i *) (const void *) (bytes + 32)),
    };
}

static inline uint64_t join(__m256i low, __m256i high)
{
    uint64_t low_bits = (uint32_t) _mm256_movemask_epi8(low);
    uint64_t high_bits = (uint32_t) _mm256_movemask_epi8(high);
    return low_bits | high_bits << 32;
}

static inline uint64_t equal(block b, char byte)
{
    __m256i wanted = _mm256_set1_epi8(byte);
    return join(_mm256_cmpeq_epi8(b.low, wanted), _mm256_cmpeq_epi8(b.high, wanted));
}

static inline __m256i class_of(__m256i bytes)
{
    const __m256i low_table = _mm256_broadcastsi128_si256(_mm_setr_epi8(KIN__NIBBLES_LOW));
    const __m256i high_table = _mm256_broadcastsi128_si256(_mm_setr_epi8(KIN__NIBBLES_HIGH));
    const __m256i nibble = _mm256_set1_epi8(0x0f);
    __m256i low = _mm256_shuffle_epi8(low_table, _mm256_and_si256(bytes, nibble));
    __m256i high =
        _mm256_shuffle_epi8(high_table, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble));
    return _mm256_and_si256(low, high);
}

/* Which bytes have one of the bits of `class`. */
static inline uint64_t in_class(__m256i low, __m256i high, char class)
{
    __m256i bits = _mm256_set1_epi8(class);
    __m256i zero = _mm256_setzero_si256();
    return ~join(_mm256_cmpeq_epi8(_mm256_and_si256(low, bits), zero),
                 _mm256_cmpeq_epi8(_mm256_and_si256(high, bits), zero));
}

static inline uint64_t below_space(block b)
{
    __m256i most = _mm256_set1_epi8(0x1f);
    return join(_mm256_cmpeq_epi8(_mm256_min_epu8(b.low, most), b.low),
                _mm256_cmpeq_epi8(_mm256_min_epu8(b.high, most), b.high));
}

/* Bit `bit` of each byte. */
static inline uint64_t bit_of(block b, int bit)
{
    return join(_mm256_slli_epi16(b.low, 7 - bit), _mm256_slli_epi16(b.high, 7 - bit));
}

static inline looks look_all(const char *bytes)
{
    block b = load(bytes);
    __m256i low_class = class_of(b.low);
    __m256i high_class = class_of(b.high);

    return (looks){
        .backslash = equal(b, '\\'),
        .quote = equal(b, '"'),
        .bracket = in_class(low_class, high_class, KIN__CLASS_BRACKET),
        .colon = in_class(low_class, high_class, KIN__CLASS_COLON),
        .comma = in_class(low_class, high_class, KIN__CLASS_COMMA),
        .space = in_class(low_class, high_class, KIN__CLASS_SPACE),
        .control = below_space(b),
        .high = join(b.low, b.high),
        .bit_2 = bit_of(b, 2),
        .bit_5 = bit_of(b, 5),
    };
}

static inline looks look_quotes(const char *bytes)
{
    block b = load(bytes);
    return (looks){ .backslash = equal(b, '\\'), .quote = equal(b, '"') };
}

static inline looks look_brackets(const char *bytes)
{
    block b = load(bytes);
    looks seen = { .backslash = equal(b, '\\'), .quote = equal(b, '"') };
    /* Bit 5 tells [ from { and ] from }. */
    __m256i bit = _mm256_set1_epi8(0x20);
    block folded = { _mm256_or_si256(b.low, bit), _mm256_or_si256(b.high, bit) };

    seen.bit_2 = equal(folded, '}');
    seen.bracket = seen.bit_2 | equal(folded, '{');
    return seen;
}

static inline uint64_t look_short_escapes(const char *bytes)
{
    block b = load(bytes);
    return equal(b, '"') | equal(b, '\\') | equal(b, '/') | equal(b, 'b') | equal(b, 'f') |
           equal(b, 'n') | equal(b, 'r') | equal(b, 't');
}

static inline uint64_t prefix_xor(uint64_t bits)
{
    __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, (int64_t) bits), _mm_set1_epi8(-1), 0);
    return (uint64_t) _mm_cvtsi128_si64(product);
}

#include "json/kernel_loops.h"

const kin__json_kernel kin__json_kernel_avx2 = {
    .name = "avx2",
    .advance = advance,
    .classify = classify,
    .string_end = string_end,
    .container_end = container_end,
    .skip = skip,
};
