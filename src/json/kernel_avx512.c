/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_avx512.c - the kernel for x86-64 processors with AVX-512 BW: a vector is a block, and
 * comparisons give the masks themselves.
 */
#include <immintrin.h>

#include "json/kernel_looks.h"

static inline __m512i load(const char *bytes)
{
    return _mm512_loadu_si512((const void *) bytes);
}

static inline uint64_t equal(__m512i bytes, char byte)
{
    return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte));
}

static inline __m512i class_of(__m512i bytes)
{
    const __m512i low_table = _mm512_broadcast_i32x4(_mm_setr_epi8(KIN__NIBBLES_LOW));
    const __m512i high_table = _mm512_broadcast_i32x4(_mm_setr_epi8(KIN__NIBBLES_HIGH));
    const __m512i nibble = _mm512_set1_epi8(0x0f);
    __m512i low = _mm512_shuffle_epi8(low_table, _mm512_and_si512(bytes, nibble));
    __m512i high =
        _mm512_shuffle_epi8(high_table, _mm512_and_si512(_mm512_srli_epi16(bytes, 4), nibble));
    return _mm512_and_si512(low, high);
}

static inline looks look_all(const char *bytes)
{
    __m512i b = load(bytes);
    __m512i classes = class_of(b);

    return (looks){
        .backslash = equal(b, '\\'),
        .quote = equal(b, '"'),
        .bracket = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(KIN__CLASS_BRACKET)),
        .colon = equal(b, ':'),
        .comma = equal(b, ','),
        .space = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(KIN__CLASS_SPACE)),
        .control = _mm512_cmplt_epu8_mask(b, _mm512_set1_epi8(0x20)),
        .high = _mm512_movepi8_mask(b),
        .bit_2 = _mm512_test_epi8_mask(b, _mm512_set1_epi8(0x04)),
        .bit_5 = _mm512_test_epi8_mask(b, _mm512_set1_epi8(0x20)),
    };
}

static inline looks look_quotes(const char *bytes)
{
    __m512i b = load(bytes);
    return (looks){ .backslash = equal(b, '\\'), .quote = equal(b, '"') };
}

static inline looks look_brackets(const char *bytes)
{
    __m512i b = load(bytes);
    /* Bit 5 tells [ from { and ] from }. */
    __m512i folded = _mm512_or_si512(b, _mm512_set1_epi8(0x20));
    uint64_t closing = equal(folded, '}');

    return (looks){
        .backslash = equal(b, '\\'),
        .quote = equal(b, '"'),
        .bracket = closing | equal(folded, '{'),
        .bit_2 = closing,
    };
}

static inline uint64_t look_short_escapes(const char *bytes)
{
    __m512i b = load(bytes);
    return equal(b, '"') | equal(b, '\\') | equal(b, '/') | equal(b, 'b') | equal(b, 'f') |
           equal(b, 'n') | equal(b, 'r') | equal(b, 't');
}

static inline uint64_t prefix_xor(uint64_t bits)
{
    __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, (int64_t) bits), _mm_set1_epi8(-1), 0);
    return (uint64_t) _mm_cvtsi128_si64(product);
}

#include "json/kernel_loops.h"

const kin__json_kernel kin__json_kernel_avx512 = {
    .name = "avx512",
    .advance = advance,
    .classify = classify,
    .string_end = string_end,
    .container_end = container_end,
    .skip = skip,
};
