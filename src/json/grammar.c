/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grammar.c - the order of tokens.
 *
 * One by one, it is a table: a state and a token give the next state.  Which container a value
 * belongs to is one bit a level.
 */
#include "json/grammar.h"

#include "json/grammar_block.h"

static const char *const state_wants[] = {
#define S(name, wants) wants,
    KIN__GRAMMAR_STATES(S)
#undef S
};

typedef enum token {
    TOKEN_SCALAR = 0, /* every byte that is none of the others */
    TOKEN_STRING,
    TOKEN_COLON,
    TOKEN_COMMA,
    TOKEN_OPEN_OBJECT,
    TOKEN_OPEN_ARRAY,
    TOKEN_CLOSE_OBJECT,
    TOKEN_CLOSE_ARRAY,
    TOKEN_COUNT
} token;

static const uint8_t tokens_of_bytes[256] = {
    ['"'] = TOKEN_STRING,      [':'] = TOKEN_COLON,      [','] = TOKEN_COMMA,
    ['{'] = TOKEN_OPEN_OBJECT, ['['] = TOKEN_OPEN_ARRAY, ['}'] = TOKEN_CLOSE_OBJECT,
    [']'] = TOKEN_CLOSE_ARRAY,
};

/* Besides the next state, in the same byte: what else a token does.  An entry that is left out of
 * the table is zero, and so a refusal. */
enum {
    ALLOWED = 0x80,
    OPENS = 0x40,
    CLOSES = 0x20,
    SCALAR = 0x10,
    STATE_BITS = 0x0f,
};

#define VALUE_THEN(next)                                                                           \
    [TOKEN_SCALAR] = ALLOWED | SCALAR | (next), [TOKEN_STRING] = ALLOWED | (next),                 \
    [TOKEN_OPEN_OBJECT] = ALLOWED | OPENS | STATE_FIRST_NAME,                                      \
    [TOKEN_OPEN_ARRAY] = ALLOWED | OPENS | STATE_FIRST_ELEMENT

static const uint8_t steps[STATE_COUNT][TOKEN_COUNT] = {
    [STATE_DOCUMENT] = { VALUE_THEN(STATE_END) },
    [STATE_ANY_DOCUMENT] = { VALUE_THEN(STATE_ANY_DOCUMENT) },
    [STATE_MEMBER_VALUE] = { VALUE_THEN(STATE_NEXT_MEMBER) },
    [STATE_ELEMENT] = { VALUE_THEN(STATE_NEXT_ELEMENT) },
    [STATE_FIRST_ELEMENT] = { VALUE_THEN(STATE_NEXT_ELEMENT), [TOKEN_CLOSE_ARRAY] =
                                                                  ALLOWED | CLOSES },
    [STATE_FIRST_NAME] = { [TOKEN_STRING] = ALLOWED | STATE_COLON,
                           [TOKEN_CLOSE_OBJECT] = ALLOWED | CLOSES },
    [STATE_NAME] = { [TOKEN_STRING] = ALLOWED | STATE_COLON },
    [STATE_COLON] = { [TOKEN_COLON] = ALLOWED | STATE_MEMBER_VALUE },
    [STATE_NEXT_MEMBER] = { [TOKEN_COMMA] = ALLOWED | STATE_NAME,
                            [TOKEN_CLOSE_OBJECT] = ALLOWED | CLOSES },
    [STATE_NEXT_ELEMENT] = { [TOKEN_COMMA] = ALLOWED | STATE_ELEMENT,
                             [TOKEN_CLOSE_ARRAY] = ALLOWED | CLOSES },
};

void kin__grammar_init(kin__grammar *grammar, bool allows_many)
{
    grammar->allows_many = allows_many;
    grammar->state = allows_many ? STATE_ANY_DOCUMENT : STATE_DOCUMENT;
    grammar->depth = 0;
    grammar->inner = 0;
}

static uint8_t after_value(const kin__grammar *grammar)
{
    if (grammar->depth == 0) {
        return grammar->allows_many ? STATE_ANY_DOCUMENT : STATE_END;
    }
    return grammar->inner & 1 ? STATE_NEXT_MEMBER : STATE_NEXT_ELEMENT;
}

static bool push(kin__grammar *grammar, bool is_object)
{
    if (grammar->depth >= KIN__JSON_DEPTH_MAX) {
        return false;
    }
    if (grammar->depth >= 64) {
        uint32_t place = grammar->depth - 64;
        uint64_t bit = (uint64_t) 1 << (place % 64);
        uint64_t *word = &grammar->outer[place / 64];
        *word = grammar->inner >> 63 ? *word | bit : *word & ~bit;
    }
    grammar->inner = grammar->inner << 1 | is_object;
    grammar->depth++;
    return true;
}

static void pop(kin__grammar *grammar)
{
    grammar->inner >>= 1;
    grammar->depth--;
    if (grammar->depth >= 64) {
        uint32_t place = grammar->depth - 64;
        grammar->inner |= (grammar->outer[place / 64] >> (place % 64) & 1) << 63;
    }
}

kin__grammar_result kin__grammar_step(kin__grammar *grammar, char byte)
{
    uint8_t step = steps[grammar->state][tokens_of_bytes[(unsigned char) byte]];

    if (step == 0) {
        return KIN__GRAMMAR_REFUSED;
    }
    if ((step & OPENS) && !push(grammar, byte == '{')) {
        return KIN__GRAMMAR_TOO_DEEP;
    }
    grammar->state = step & STATE_BITS;
    if (step & CLOSES) {
        pop(grammar);
        grammar->state = after_value(grammar);
    }
    return step & SCALAR ? KIN__GRAMMAR_SCALAR : KIN__GRAMMAR_TAKEN;
}

bool kin__grammar_block(kin__grammar *grammar, const kin__json_masks *masks, uint32_t shallow)
{
    return grammar_block(grammar, masks, shallow);
}

void kin__grammar_skip(kin__grammar *grammar)
{
    grammar->state = after_value(grammar);
}

const char *kin__grammar_wants(const kin__grammar *grammar)
{
    return state_wants[grammar->state];
}

bool kin__grammar_is_name(const kin__grammar *grammar)
{
    return grammar->state == STATE_COLON;
}

bool kin__grammar_may_end(const kin__grammar *grammar)
{
    return grammar->state == STATE_END || grammar->state == STATE_ANY_DOCUMENT;
}
