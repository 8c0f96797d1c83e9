/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_sse.c - the kernel for x86-64 processors with SSSE3 and PCLMUL: four vectors a block.
 */
#include <immintrin.h>

#include "json/kernel_looks.h"

typedef struct block {
    __m128i part[4];
} block;

static inline block load(const char *bytes)
{
    block b;
    for (int i = 0; i < 4; i++) {
        b.part[i] = _mm_loadu_si128((const __m128i *) (const void *) (bytes + 16 * i));
    }
    return b;
}

static inline uint64_t join(block b)
{
    uint64_t bits = 0;
    for (int i = 0; i < 4; i++) {
        bits |= (uint64_t) (uint32_t) _mm_movemask_epi8(b.part[i]) << (16 * i);
    }
    return bits;
}

static inline uint64_t equal(block b, char byte)
{
    __m128i wanted = _mm_set1_epi8(byte);
    for (int i = 0; i < 4; i++) {
        b.part[i] = _mm_cmpeq_epi8(b.part[i], wanted);
    }
    return join(b);
}

static inline __m128i class_of(__m128i bytes)
{
    const __m128i nibble = _mm_set1_epi8(0x0f);
    __m128i low = _mm_shuffle_epi8(_mm_setr_epi8(KIN__NIBBLES_LOW), _mm_and_si128(bytes, nibble));
    __m128i high = _mm_shuffle_epi8(_mm_setr_epi8(KIN__NIBBLES_HIGH),
                                    _mm_and_si128(_mm_srli_epi16(bytes, 4), nibble));
    return _mm_and_si128(low, high);
}

/* Which bytes have one of the bits of `class`. */
static inline uint64_t in_class(block classes, char class)
{
    __m128i bits = _mm_set1_epi8(class);
    for (int i = 0; i < 4; i++) {
        classes.part[i] = _mm_cmpeq_epi8(_mm_and_si128(classes.part[i], bits), _mm_setzero_si128());
    }
    return ~join(classes);
}

static inline uint64_t below_space(block b)
{
    __m128i most = _mm_set1_epi8(0x1f);
    for (int i = 0; i < 4; i++) {
        b.part[i] = _mm_cmpeq_epi8(_mm_min_epu8(b.part[i], most), b.part[i]);
    }
    return join(b);
}

/* Bit `bit` of each byte. */
static inline uint64_t bit_of(block b, int bit)
{
    for (int i = 0; i < 4; i++) {
        b.part[i] = _mm_slli_epi16(b.part[i], 7 - bit);
    }
    return join(b);
}

static inline looks look_all(const char *bytes)
{
    block b = load(bytes);
    block classes;

    for (int i = 0; i < 4; i++) {
        classes.part[i] = class_of(b.part[i]);
    }
    return (looks){
        .backslash = equal(b, '\\'),
        .quote = equal(b, '"'),
        .bracket = in_class(classes, KIN__CLASS_BRACKET),
        .colon = in_class(classes, KIN__CLASS_COLON),
        .comma = in_class(classes, KIN__CLASS_COMMA),
        .space = in_class(classes, KIN__CLASS_SPACE),
        .control = below_space(b),
        .high = join(b),
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
    for (int i = 0; i < 4; i++) {
        b.part[i] = _mm_or_si128(b.part[i], _mm_set1_epi8(0x20));
    }
    seen.bit_2 = equal(b, '}');
    seen.bracket = seen.bit_2 | equal(b, '{');
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

const kin__json_kernel kin__json_kernel_sse = {
    .name = "sse",
    .advance = advance,
    .classify = classify,
    .string_end = string_end,
    .container_end = container_end,
    .skip = skip,
};
