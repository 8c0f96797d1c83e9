/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_neon.c - the kernel for arm64: four vectors a block.
 */
#include <arm_neon.h>

#include "json/kernel_looks.h"

typedef struct block {
    uint8x16_t part[4];
} block;

static inline block load(const char *bytes)
{
    block b;
    for (int i = 0; i < 4; i++) {
        b.part[i] = vld1q_u8((const uint8_t *) (const void *) (bytes + 16 * i));
    }
    return b;
}

/* One bit for each byte, which is all ones or zero: each keeps the bit of its place among eight,
 * and adding neighbours three times brings the eight together. */
static inline uint64_t join(block b)
{
    const uint8x16_t places = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    uint8x16_t first = vpaddq_u8(vandq_u8(b.part[0], places), vandq_u8(b.part[1], places));
    uint8x16_t second = vpaddq_u8(vandq_u8(b.part[2], places), vandq_u8(b.part[3], places));
    uint8x16_t sum = vpaddq_u8(first, second);
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}

static inline uint64_t equal(block b, uint8_t byte)
{
    for (int i = 0; i < 4; i++) {
        b.part[i] = vceqq_u8(b.part[i], vdupq_n_u8(byte));
    }
    return join(b);
}

static inline uint8x16_t class_of(uint8x16_t bytes)
{
    const uint8x16_t low_table = { KIN__NIBBLES_LOW };
    const uint8x16_t high_table = { KIN__NIBBLES_HIGH };
    return vandq_u8(vqtbl1q_u8(low_table, vandq_u8(bytes, vdupq_n_u8(0x0f))),
                    vqtbl1q_u8(high_table, vshrq_n_u8(bytes, 4)));
}

/* Which bytes have one of the bits of `class`. */
static inline uint64_t in_class(block b, uint8_t class)
{
    for (int i = 0; i < 4; i++) {
        b.part[i] = vtstq_u8(b.part[i], vdupq_n_u8(class));
    }
    return join(b);
}

static inline uint64_t below(block b, uint8_t limit)
{
    for (int i = 0; i < 4; i++) {
        b.part[i] = vcltq_u8(b.part[i], vdupq_n_u8(limit));
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
        .control = below(b, 0x20),
        .high = ~below(b, 0x80),
        .bit_2 = in_class(b, 0x04),
        .bit_5 = in_class(b, 0x20),
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
        b.part[i] = vorrq_u8(b.part[i], vdupq_n_u8(0x20));
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
    return prefix_xor_by_shifts(bits);
}

#include "json/kernel_loops.h"

const kin__json_kernel kin__json_kernel_neon = {
    .name = "neon",
    .advance = advance,
    .classify = classify,
    .string_end = string_end,
    .container_end = container_end,
    .skip = skip,
};
