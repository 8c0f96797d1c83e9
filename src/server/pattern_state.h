/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/pattern_state.h - what a pattern is made of, for those who make it and those who run it.
 *
 * A program of steps.  Where a step leads is told relative to itself, so that a run of steps can be
 * moved and copied.
 */
#ifndef KIN_SERVER_PATTERN_STATE_H
#define KIN_SERVER_PATTERN_STATE_H

#include "server/pattern.h"

#define KIN__PATTERN_STEPS 4096

typedef enum kin__pattern_op {
    KIN__PATTERN_CHARS,  /* one character of the ranges [first, first + count) */
    KIN__PATTERN_SPLIT,  /* on to `first` and to `second` */
    KIN__PATTERN_JUMP,   /* on to `first` */
    KIN__PATTERN_ASSERT, /* on to the next step where `place` is */
    KIN__PATTERN_MATCH
} kin__pattern_op;

typedef enum kin__pattern_place {
    KIN__PATTERN_TEXT_BEGIN,
    KIN__PATTERN_TEXT_END,
    KIN__PATTERN_LINE_BEGIN,
    KIN__PATTERN_LINE_END,
    KIN__PATTERN_WORD_EDGE,
    KIN__PATTERN_NO_WORD_EDGE
} kin__pattern_place;

typedef struct kin__pattern_step {
    kin__pattern_op op;
    kin__pattern_place place;
    bool is_negated; /* of CHARS: all but these */
    bool is_folded;  /* of CHARS: in either case */
    int32_t first, second;
} kin__pattern_step;

typedef struct kin__pattern_range {
    uint32_t from, to; /* both are in it */
} kin__pattern_range;

struct kin__pattern {
    kin__pattern_step *steps; /* owned; the last one is MATCH */
    size_t step_count;
    kin__pattern_range *ranges; /* owned */
};

/* The character that `text` begins with; a byte that begins none counts as U+FFFD.  `text` is not
 * empty. */
uint32_t kin__pattern_char(kin_str text, size_t *out_len);

#endif /* KIN_SERVER_PATTERN_STATE_H */
