/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/kernel.h - the inner loops over JSON bytes, one set for each kind of processor.
 *
 * A kernel turns blocks of 64 bytes into bit masks, and finds the end of strings and containers.
 * What it makes of the masks is written once (kernel_loops.h, grammar_block.h) and compiled for
 * each processor; who stands on top (scanner.c, cursor.c) does not know which kernel runs.  All
 * kernels give the same answers; the scalar one is the plain statement of what they are, and
 * tests compare the others with it.
 *
 * No kernel reads outside the bytes it is given.
 */
#ifndef KIN_JSON_KERNEL_H
#define KIN_JSON_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KIN__JSON_BLOCK 64

/* What a block holds, a bit for each byte, the lowest for the first. */
typedef struct kin__json_masks {
    uint64_t strings; /* from each opening quote up to, but without, the closing one */
    uint64_t quotes;  /* of strings: opening ones (also in `strings`) and closing ones */

    /* Inside strings */
    uint64_t escapes;  /* backslashes that begin an escape */
    uint64_t escaped;  /* the bytes after them */
    uint64_t controls; /* bytes below 0x20 */

    /* Outside strings */
    uint64_t opening; /* { [ */
    uint64_t closing; /* } ] */
    uint64_t braces;  /* those of the two that are { } */
    uint64_t colon;
    uint64_t comma;
    uint64_t spaces;
    uint64_t scalars;       /* everything else: numbers, true, false, null */
    uint64_t scalar_starts; /* their first bytes */

    uint64_t high; /* bytes from 0x80 up, anywhere */
} kin__json_masks;

/* Where tokens begin. */
static inline uint64_t kin__json_tokens(const kin__json_masks *masks)
{
    return masks->opening | masks->closing | masks->colon | masks->comma | masks->scalar_starts |
           (masks->quotes & masks->strings);
}

/* What one block must know of those before it.  All zero at the beginning of a document. */
typedef struct kin__json_carry {
    uint64_t in_string;  /* all ones inside a string, else 0 */
    uint64_t is_escaped; /* 1 when the next byte is escaped by a backslash, else 0 */
    uint64_t in_scalar;  /* 1 when the last byte belonged to a number, true, false, null ... */
} kin__json_carry;

typedef struct kin__grammar kin__grammar;

typedef struct kin__json_kernel {
    const char *name; /* "avx512", "avx2", "sse", "neon", "scalar" */

    /*
     * Takes whole blocks through the grammar, up to the first that needs a closer look: one with
     * text to check or scalars, or whose order of tokens is not plainly right.  Returns how many
     * were taken before it; unless that is `count`, `out` describes that next block, and
     * `out_is_taken` tells whether its tokens went through the grammar.  The carry is behind it.
     */
    size_t (*advance)(const char *bytes, size_t count, kin__json_carry *carry,
                      kin__grammar *grammar, uint32_t shallow, kin__json_masks *out,
                      bool *out_is_taken);

    /* Describes `count` whole blocks. */
    void (*classify)(const char *bytes, size_t count, kin__json_carry *carry, kin__json_masks *out);

    /* From just after an opening quote: the closing quote, or `end` when there is none. */
    const char *(*string_end)(const char *at, const char *end);

    /* From just after an opening bracket: just after the one that closes it, or NULL when there is
     * none.  Brackets are counted, not matched in kind. */
    const char *(*container_end)(const char *at, const char *end);

    /*
     * The same over bytes that come in pieces.  `depth` is the number of containers that are open,
     * at least 1, and both it and the carry go on from piece to piece.  Returns the bracket that
     * closes the last of them (the depth is then 0), the one that would open more than `limit` (the
     * depth is then `limit`), or `end`; the carry is good for nothing but the last.
     */
    const char *(*skip)(const char *at, const char *end, size_t limit, size_t *depth,
                        kin__json_carry *carry);
} kin__json_kernel;

/* The best kernel for this processor, chosen once. */
const kin__json_kernel *kin__json_kernel_best(void);

/* All that can run on this processor, the best first and the scalar one last; for tests and
 * benchmarks.  Returns how many. */
size_t kin__json_kernel_list(const kin__json_kernel *out[5]);

/* Describes a last block of `len` bytes, 1 to 64, and leaves the carry as it is after them. */
void kin__json_classify_tail(const kin__json_kernel *kernel, const char *bytes, size_t len,
                             kin__json_carry *carry, kin__json_masks *out);

#endif /* KIN_JSON_KERNEL_H */
