/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_scalar.c - the kernel for any processor, and the measure of the others.
 */
#include <string.h>

#include "json/kernel_looks.h"

static inline bool is_bracket(unsigned char byte)
{
    return byte == '{' || byte == '}' || byte == '[' || byte == ']';
}

static inline bool is_space(unsigned char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static inline looks look_all(const char *bytes)
{
    looks seen = { 0 };

    for (int i = 0; i < KIN__JSON_BLOCK; i++) {
        unsigned char byte = (unsigned char) bytes[i];
        seen.backslash |= (uint64_t) (byte == '\\') << i;
        seen.quote |= (uint64_t) (byte == '"') << i;
        seen.bracket |= (uint64_t) is_bracket(byte) << i;
        seen.colon |= (uint64_t) (byte == ':') << i;
        seen.comma |= (uint64_t) (byte == ',') << i;
        seen.space |= (uint64_t) is_space(byte) << i;
        seen.control |= (uint64_t) (byte < 0x20) << i;
        seen.high |= (uint64_t) (byte >= 0x80) << i;
        seen.bit_2 |= (uint64_t) (byte >> 2 & 1) << i;
        seen.bit_5 |= (uint64_t) (byte >> 5 & 1) << i;
    }
    return seen;
}

static inline looks look_quotes(const char *bytes)
{
    looks seen = { 0 };

    for (int i = 0; i < KIN__JSON_BLOCK; i++) {
        seen.backslash |= (uint64_t) (bytes[i] == '\\') << i;
        seen.quote |= (uint64_t) (bytes[i] == '"') << i;
    }
    return seen;
}

static inline looks look_brackets(const char *bytes)
{
    looks seen = look_quotes(bytes);

    for (int i = 0; i < KIN__JSON_BLOCK; i++) {
        unsigned char byte = (unsigned char) bytes[i];
        seen.bracket |= (uint64_t) is_bracket(byte) << i;
        seen.bit_2 |= (uint64_t) (byte >> 2 & 1) << i;
    }
    return seen;
}

static inline uint64_t look_short_escapes(const char *bytes)
{
    uint64_t seen = 0;

    for (int i = 0; i < KIN__JSON_BLOCK; i++) {
        bool is_short = bytes[i] != '\0' && strchr("\"\\/bfnrt", bytes[i]) != NULL;
        seen |= (uint64_t) is_short << i;
    }
    return seen;
}

static inline uint64_t prefix_xor(uint64_t bits)
{
    return prefix_xor_by_shifts(bits);
}

#include "json/kernel_loops.h"

const kin__json_kernel kin__json_kernel_scalar = {
    .name = "scalar",
    .advance = advance,
    .classify = classify,
    .string_end = string_end,
    .container_end = container_end,
    .skip = skip,
};
