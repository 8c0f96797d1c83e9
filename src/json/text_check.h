/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/text_check.h - is what stands inside strings right: UTF-8 and escapes, cut anywhere.
 */
#ifndef KIN_JSON_TEXT_CHECK_H
#define KIN_JSON_TEXT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/kernel.h"

/* All zero between characters. */
typedef struct kin__text_check {
    uint8_t utf8_missing; /* continuation bytes still to come */
    uint8_t utf8_from;    /* the next of them is in this range */
    uint8_t utf8_to;
    uint8_t escape;         /* where in an escape we are; 0: in none */
    uint16_t unit;          /* the digits of \uXXXX so far */
    bool has_high;          /* a high surrogate went before */
    uint64_t escapes_known; /* escapes before this offset have been checked */
} kin__text_check;

/* What is wrong, and where. */
typedef struct kin__text_fault {
    const char *what; /* NULL: nothing */
    size_t at;        /* offset in the chunk */
} kin__text_fault;

/*
 * Checks the block of `len` bytes that begins at `place` of the chunk `bytes` of `size` bytes;
 * `offset` is the chunk's in the stream.  An escape is followed beyond the block, into the chunk.
 * To be called for every block in turn that has something to check, or when kin__text_is_open().
 */
kin__text_fault kin__text_check_block(kin__text_check *check, const char *bytes, size_t size,
                                      size_t place, size_t len, uint64_t offset,
                                      const kin__json_masks *masks);

/* True when the last character or escape is not finished. */
static inline bool kin__text_is_open(const kin__text_check *check)
{
    return check->utf8_missing != 0 || check->escape != 0;
}

#endif /* KIN_JSON_TEXT_CHECK_H */
