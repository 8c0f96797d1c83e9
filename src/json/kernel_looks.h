/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/kernel_looks.h - what a kernel sees in a block, and the list of kernels.
 */
#ifndef KIN_JSON_KERNEL_LOOKS_H
#define KIN_JSON_KERNEL_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/kernel.h"

/* A bit for each byte of a block.  A kernel fills in what the loop at hand needs. */
typedef struct looks {
    uint64_t backslash;
    uint64_t quote;
    uint64_t bracket; /* {}[] */
    uint64_t colon;
    uint64_t comma;
    uint64_t space;   /* space, tab, line feed, carriage return */
    uint64_t control; /* below 0x20 */
    uint64_t high;    /* from 0x80 up */
    uint64_t bit_2;   /* has this bit set, which tells closing brackets from opening ones */
    uint64_t bit_5;   /* has this bit set, which tells braces from square brackets */
} looks;

/*
 * The classes of bytes, for processors that look them up by nibble: a byte belongs to a class
 * when the entry of its low nibble and that of its high nibble share the class's bit.
 *
 *     bit 0  ,       0x2c          bit 3  \t \n \r  0x09 0x0a 0x0d
 *     bit 1  :       0x3a          bit 4  space     0x20
 *     bit 2  {}[]    0x5b 0x5d 0x7b 0x7d
 */
#define KIN__NIBBLES_LOW 16, 0, 0, 0, 0, 0, 0, 0, 0, 8, 10, 4, 1, 12, 0, 0
#define KIN__NIBBLES_HIGH 8, 0, 17, 2, 0, 4, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0
#define KIN__CLASS_COMMA 0x01
#define KIN__CLASS_COLON 0x02
#define KIN__CLASS_BRACKET 0x04
#define KIN__CLASS_SPACE 0x18

/* The prefix xor for processors without a carry-less multiplication. */
static inline uint64_t prefix_xor_by_shifts(uint64_t bits)
{
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^= bits << 32;
    return bits;
}

extern const kin__json_kernel kin__json_kernel_scalar;
#if defined(__x86_64__)
extern const kin__json_kernel kin__json_kernel_sse;
extern const kin__json_kernel kin__json_kernel_avx2;
extern const kin__json_kernel kin__json_kernel_avx512;
#elif defined(__aarch64__)
extern const kin__json_kernel kin__json_kernel_neon;
#endif

#endif /* KIN_JSON_KERNEL_LOOKS_H */
