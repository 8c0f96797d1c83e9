/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/kernel_loops.h - the loops that all kernels share.
 *
 * Not an ordinary header: each kernel_<name>.c defines, for its processor,
 *
 *     look_all       what kinds of bytes a block of 64 holds (struct looks)
 *     look_quotes    quotes and backslashes only
 *     look_brackets  quotes, backslashes, brackets, and the bit that tells closing ones
 *     look_short_escapes  " \ / b f n r t
 *     prefix_xor     bit i of the result is the xor of bits 0 to i
 *
 * and includes this file, which makes of them the functions of a kernel, compiled for that
 * processor.  The intrinsics stay in the kernels; the reasoning is here, once.
 */
#ifndef KIN_JSON_KERNEL_LOOPS_H
#define KIN_JSON_KERNEL_LOOPS_H

#include <string.h>

#include "json/grammar_block.h"
#include "json/kernel.h"
#include "json/kernel_looks.h"

/*
 * Which bytes are escaped by a backslash before them, and which backslashes do so.
 *
 * In a run of backslashes every second one escapes.  Take the runs as numbers: subtracting the
 * run's bits from the bits one to their left, with every odd bit set beside, makes borrows
 * travel along each run; what comes out differs from the odd bits exactly at the escaping
 * backslashes and at the byte behind the run, when that one is escaped.  The carry is the byte
 * that a backslash at the end of the previous block escapes.
 */
static inline uint64_t find_escapes(uint64_t backslash, uint64_t *carry, uint64_t *out_escaped)
{
    const uint64_t odd_bits = 0xaaaaaaaaaaaaaaaaull;

    if (backslash == 0) {
        *out_escaped = *carry;
        *carry = 0;
        return 0;
    }
    uint64_t candidates = backslash & ~*carry;
    uint64_t borrowed = ((candidates << 1) | odd_bits) - candidates;
    uint64_t changed = borrowed ^ odd_bits;
    uint64_t escapes = changed & backslash;
    *out_escaped = changed ^ (backslash | *carry);
    *carry = escapes >> 63;
    return escapes;
}

/* From quotes that are not escaped to the bytes from an opening quote up to its closing one. */
static inline uint64_t find_strings(uint64_t quotes, uint64_t *in_string)
{
    uint64_t strings = prefix_xor(quotes) ^ *in_string;
    *in_string = (uint64_t) ((int64_t) strings >> 63);
    return strings;
}

static inline __attribute__((always_inline)) kin__json_masks describe(const char *bytes,
                                                                      kin__json_carry *carry)
{
    looks seen = look_all(bytes);
    uint64_t escaped;
    uint64_t escapes = find_escapes(seen.backslash, &carry->is_escaped, &escaped);
    uint64_t quotes = seen.quote & ~escaped;
    uint64_t strings = find_strings(quotes, &carry->in_string);
    uint64_t known = seen.bracket | seen.colon | seen.comma | seen.space | quotes;
    uint64_t scalars = ~(known | strings);
    uint64_t scalar_starts = scalars & ~((scalars << 1) | carry->in_scalar);
    uint64_t brackets = seen.bracket & ~strings;

    carry->in_scalar = scalars >> 63;
    return (kin__json_masks){
        .strings = strings,
        .quotes = quotes,
        .escapes = escapes & strings,
        .escaped = escaped & strings,
        .controls = seen.control & strings,
        .opening = brackets & ~seen.bit_2,
        .closing = brackets & seen.bit_2,
        .braces = brackets & seen.bit_5,
        .colon = seen.colon & ~strings,
        .comma = seen.comma & ~strings,
        .spaces = seen.space & ~strings,
        .scalars = scalars,
        .scalar_starts = scalar_starts,
        .high = seen.high,
    };
}

static void classify(const char *bytes, size_t count, kin__json_carry *carry, kin__json_masks *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = describe(bytes + i * KIN__JSON_BLOCK, carry);
    }
}

/* Nothing inside strings that needs a closer look: ASCII, and escapes of one letter.  An escape
 * that ends in the next block is looked at more closely, because that block does not know of it. */
static inline bool is_text_plain(const char *bytes, const kin__json_masks *masks)
{
    if ((masks->controls | masks->high | masks->escapes >> 63) != 0) {
        return false;
    }
    return masks->escaped == 0 || (masks->escaped & ~look_short_escapes(bytes)) == 0;
}

static size_t advance(const char *bytes, size_t count, kin__json_carry *carry,
                      kin__grammar *grammar, uint32_t shallow, kin__json_masks *out,
                      bool *out_is_taken)
{
    kin__json_carry c = *carry;
    size_t taken = 0;

    for (; taken < count; taken++) {
        kin__json_masks masks = describe(bytes + taken * KIN__JSON_BLOCK, &c);
        *out_is_taken = is_text_plain(bytes + taken * KIN__JSON_BLOCK, &masks) &&
                        grammar_block(grammar, &masks, shallow);
        if (!*out_is_taken || masks.scalar_starts != 0) {
            *out = masks;
            break;
        }
    }
    *carry = c;
    return taken;
}

/* Copies the last bytes to where a whole block can be read; zeros are no character of interest. */
static inline const char *padded(const char *at, const char *end, char *room)
{
    memset(room, 0, KIN__JSON_BLOCK);
    memcpy(room, at, (size_t) (end - at));
    return room;
}

static const char *string_end(const char *at, const char *end)
{
    char last[KIN__JSON_BLOCK];
    uint64_t carry = 0;

    for (; at < end; at += KIN__JSON_BLOCK) {
        bool is_whole = end - at >= KIN__JSON_BLOCK;
        looks seen = look_quotes(is_whole ? at : padded(at, end, last));
        uint64_t escaped;
        (void) find_escapes(seen.backslash, &carry, &escaped);
        uint64_t quotes = seen.quote & ~escaped;
        if (quotes != 0) {
            return at + __builtin_ctzll(quotes);
        }
        if (!is_whole) {
            break;
        }
    }
    return end;
}

/* Where in a block the depth comes to zero or would exceed `limit`; -1 when it does neither.
 * Updates the depth. */
static inline int find_border(uint64_t opening, uint64_t closing, size_t limit, size_t *depth)
{
    size_t opening_count = (size_t) __builtin_popcountll(opening);
    size_t closing_count = (size_t) __builtin_popcountll(closing);

    if (closing_count < *depth && opening_count <= limit - *depth) {
        *depth = *depth + opening_count - closing_count;
        return -1;
    }
    for (uint64_t brackets = opening | closing; brackets != 0; brackets &= brackets - 1) {
        uint64_t lowest = brackets & (~brackets + 1);
        bool is_border = (opening & lowest) != 0 ? *depth == limit : --*depth == 0;
        if (is_border) {
            return __builtin_ctzll(lowest);
        }
        *depth += (opening & lowest) != 0;
    }
    return -1;
}

static inline __attribute__((always_inline)) const char *
find_end(const char *at, const char *end, size_t limit, size_t *depth, kin__json_carry *carry)
{
    char last[KIN__JSON_BLOCK];

    for (; at < end; at += KIN__JSON_BLOCK) {
        bool is_whole = end - at >= KIN__JSON_BLOCK;
        looks seen = look_brackets(is_whole ? at : padded(at, end, last));
        uint64_t escaped;
        (void) find_escapes(seen.backslash, &carry->is_escaped, &escaped);
        uint64_t strings = find_strings(seen.quote & ~escaped, &carry->in_string);
        uint64_t brackets = seen.bracket & ~strings;
        int place = find_border(brackets & ~seen.bit_2, brackets & seen.bit_2, limit, depth);
        if (place >= 0) {
            return at + place;
        }
        if (!is_whole) {
            carry->is_escaped = escaped >> (end - at) & 1;
            break;
        }
    }
    return end;
}

static const char *container_end(const char *at, const char *end)
{
    kin__json_carry carry = { 0 };
    size_t depth = 1;
    const char *border = find_end(at, end, SIZE_MAX, &depth, &carry);

    return border == end ? NULL : border + 1;
}

static const char *skip(const char *at, const char *end, size_t limit, size_t *depth,
                        kin__json_carry *carry)
{
    kin__json_carry c = *carry;
    size_t d = *depth;
    const char *border = find_end(at, end, limit, &d, &c);

    *carry = c;
    *depth = d;
    return border;
}

#endif /* KIN_JSON_KERNEL_LOOPS_H */
