/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/grammar_block.h - the order of all tokens of a block at once.
 *
 * For the kernels, which compile it for their processor.  A block whose tokens stand next to each
 * other is checked with a few dozen operations on its masks, however many tokens it has.
 */
#ifndef KIN_JSON_GRAMMAR_BLOCK_H
#define KIN_JSON_GRAMMAR_BLOCK_H

#include "json/grammar.h"
#include "json/kernel.h"

/* What the brackets of a block do to the containers that are open. */
typedef struct nesting {
    uint64_t inner; /* as in the grammar */
    uint32_t depth;
    uint32_t lowest;    /* depth within the block */
    uint64_t in_object; /* bytes of the block that lie directly in an object */
} nesting;

/* What may stand at the beginning of a block, by the state before it. */
enum {
    MAY_NAME = 1 << 0,
    MAY_VALUE = 1 << 1,
    MAY_COLON = 1 << 2,
    MAY_COMMA = 1 << 3,
    MAY_CLOSE = 1 << 4,
};

static const uint8_t may_follow[STATE_COUNT] = {
    [STATE_MEMBER_VALUE] = MAY_VALUE,
    [STATE_ELEMENT] = MAY_VALUE,
    [STATE_FIRST_ELEMENT] = MAY_VALUE | MAY_CLOSE,
    [STATE_FIRST_NAME] = MAY_NAME | MAY_CLOSE,
    [STATE_NAME] = MAY_NAME,
    [STATE_COLON] = MAY_COLON,
    [STATE_NEXT_MEMBER] = MAY_COMMA | MAY_CLOSE,
    [STATE_NEXT_ELEMENT] = MAY_COMMA | MAY_CLOSE,
};

/* The state after a block, by what its last byte belongs to: an opening bracket, or, by bit, a
 * name, a value, a comma, a colon; in an array and in an object. */
static const uint8_t states_after[2][9] = {
    { [0] = STATE_FIRST_ELEMENT,
      [1] = STATE_COLON,
      [2] = STATE_NEXT_ELEMENT,
      [4] = STATE_ELEMENT,
      [8] = STATE_MEMBER_VALUE },
    { [0] = STATE_FIRST_NAME,
      [1] = STATE_COLON,
      [2] = STATE_NEXT_MEMBER,
      [4] = STATE_NAME,
      [8] = STATE_MEMBER_VALUE },
};

/*
 * Brackets one after the other, and without a branch but the loop's own: which bracket comes next
 * is what a processor cannot guess.  A stack that would have to give up or get back a level beyond
 * 64 is left to the slow way.
 */
static inline __attribute__((always_inline)) bool follow_brackets(nesting *n,
                                                                  const kin__json_masks *masks)
{
    /* An empty object {} changes nothing for what is around it. */
    uint64_t empty = masks->opening & masks->braces & (masks->closing & masks->braces) >> 1;
    uint64_t opening = masks->opening & ~empty;
    uint64_t brackets = opening | (masks->closing & ~(empty << 1));
    uint64_t inner = n->inner;
    uint64_t in_object = 0 - (inner & 1);
    uint64_t mismatch = 0;
    uint32_t depth = n->depth;
    uint32_t lowest = depth;
    uint32_t highest = depth;

    for (; brackets != 0; brackets &= brackets - 1) {
        uint64_t bracket = brackets & (0 - brackets);
        uint64_t is_opening = (opening & bracket) != 0;
        uint64_t is_brace = (masks->braces & bracket) != 0;
        mismatch |= ~is_opening & (inner ^ is_brace);
        inner = is_opening ? inner << 1 | is_brace : inner >> 1;
        depth += (uint32_t) (is_opening * 2) - 1;
        lowest = depth < lowest ? depth : lowest;
        highest = depth > highest ? depth : highest;
        in_object ^= (in_object ^ (0 - (inner & 1))) & (0 - bracket); /* from here on */
    }
    n->inner = inner;
    n->depth = depth;
    n->lowest = lowest;
    n->in_object = in_object;
    return (mismatch & 1) == 0 && highest <= 64;
}

/* From the beginnings of some strings to their ends: the bit on the closing quote, which is the
 * first zero after the string's ones.  `goes_on` is set when the last one goes on behind the block.
 */
static inline uint64_t ends_of(uint64_t beginnings, uint64_t strings, bool *goes_on)
{
    unsigned long long sum;
    *goes_on = __builtin_uaddll_overflow(strings, beginnings, &sum);
    return sum & ~strings;
}

/*
 * With no white space between them, tokens stand next to each other, and a token has to look at
 * nothing but the byte before it, the end of the token before:
 *
 *     a name     after { or a comma in an object
 *     a value    after : or [ or a comma in an array
 *     :          after the end of a name
 *     ,          after the end of a value
 *     } ]        after the end of a value, or the opening bracket
 *
 * That brackets match in kind is known already.  For the block's first byte the state tells what
 * stands before it.
 */
static inline __attribute__((always_inline)) bool
is_order_right(const kin__json_masks *masks, uint64_t in_object, uint8_t before, uint8_t *out_after)
{
    /* The block's first byte lies in a string, or closes one, that began before it. */
    bool was_in_string = ((masks->strings ^ masks->quotes) & 1) != 0;
    uint8_t may = was_in_string ? 0 : may_follow[before];
    uint64_t goes_on_name = was_in_string && before == STATE_COLON;
    uint64_t begins = masks->quotes & masks->strings;
    uint64_t leads = masks->opening | masks->comma;
    uint64_t name_may = (leads & in_object) << 1 | (may & MAY_NAME);
    uint64_t value_may = ((leads & ~in_object) | masks->colon) << 1 | (may >> 1 & 1);
    bool ends_in_name;
    uint64_t name_ends = ends_of((begins & name_may) | goes_on_name, masks->strings, &ends_in_name);
    uint64_t value_ends =
        (masks->quotes & ~masks->strings & ~name_ends) | masks->scalars | masks->closing;

    uint64_t wrong = begins & ~(name_may | value_may);
    wrong |= (masks->scalar_starts | masks->opening) & ~value_may;
    wrong |= masks->colon & ~(name_ends << 1 | (may >> 2 & 1));
    wrong |= masks->comma & ~(value_ends << 1 | (may >> 3 & 1));
    wrong |= masks->closing & ~((value_ends | masks->opening) << 1 | (may >> 4 & 1));

    uint64_t in_string = masks->strings >> 63;
    uint64_t is_name = name_ends >> 63 | (in_string & ends_in_name);
    uint64_t is_value = value_ends >> 63 | (in_string & !ends_in_name);
    uint64_t last = is_name | is_value << 1 | (masks->comma >> 63) << 2 | (masks->colon >> 63) << 3;
    *out_after = states_after[in_object >> 63][last];
    return wrong == 0;
}

/*
 * True when all tokens of the block were taken, false when nothing has changed and they have to be
 * taken one by one: because the block has white space between tokens, a fault, or a token with
 * `shallow` or fewer containers around it.  Scalars still have to be looked at.
 */
static inline __attribute__((always_inline)) bool
grammar_block(kin__grammar *grammar, const kin__json_masks *masks, uint32_t shallow)
{
    nesting n = { .inner = grammar->inner, .depth = grammar->depth };
    uint8_t after;

    if (masks->spaces != 0 || grammar->depth <= shallow) {
        return false;
    }
    if (!follow_brackets(&n, masks) || n.lowest <= shallow) {
        return false;
    }
    if (!is_order_right(masks, n.in_object, grammar->state, &after)) {
        return false;
    }
    grammar->state = after;
    grammar->depth = n.depth;
    grammar->inner = n.inner;
    return true;
}

#endif /* KIN_JSON_GRAMMAR_BLOCK_H */
