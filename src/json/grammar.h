/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/grammar.h - the order of tokens: which may follow which, and how deep we are.
 *
 * Tokens are taken one at a time here, which works everywhere and knows what is wrong; or a whole
 * block at once from its masks (json/grammar_block.h), which is many times faster, takes only what
 * is plainly right, and leaves everything else to the first.
 */
#ifndef KIN_JSON_GRAMMAR_H
#define KIN_JSON_GRAMMAR_H

#include <stdbool.h>
#include <stdint.h>

#include "json/kernel.h"

#define KIN__JSON_DEPTH_MAX 1000

/* What may come next. */
#define KIN__GRAMMAR_STATES(S)                                                                     \
    S(DOCUMENT, "a value")                                                                         \
    S(ANY_DOCUMENT, "a value or the end")                                                          \
    S(MEMBER_VALUE, "a value")                                                                     \
    S(ELEMENT, "a value")                                                                          \
    S(FIRST_ELEMENT, "a value or ']'")                                                             \
    S(FIRST_NAME, "a member name or '}'")                                                          \
    S(NAME, "a member name")                                                                       \
    S(COLON, "':'")                                                                                \
    S(NEXT_MEMBER, "',' or '}'")                                                                   \
    S(NEXT_ELEMENT, "',' or ']'")                                                                  \
    S(END, "the end")

typedef enum kin__grammar_state {
#define S(name, wants) STATE_##name,
    KIN__GRAMMAR_STATES(S)
#undef S
        STATE_COUNT
} kin__grammar_state;

struct kin__grammar {
    uint8_t state;    /* what may come next */
    bool allows_many; /* documents one after another */
    uint32_t depth;   /* containers that are open */
    uint64_t inner;   /* a bit for each of the innermost 64, set for an object; lowest: innermost */
    uint64_t outer[KIN__JSON_DEPTH_MAX / 64 + 1]; /* those around them, lowest: outermost */
};

typedef enum kin__grammar_result {
    KIN__GRAMMAR_REFUSED,  /* this token may not stand here; nothing has changed */
    KIN__GRAMMAR_TOO_DEEP, /* nothing has changed */
    KIN__GRAMMAR_TAKEN,
    KIN__GRAMMAR_SCALAR /* taken, and a number, true, false or null begins here */
} kin__grammar_result;

void kin__grammar_init(kin__grammar *grammar, bool allows_many);

/* The next token, by its first byte. */
kin__grammar_result kin__grammar_step(kin__grammar *grammar, char byte);

/*
 * All tokens of a block at once: true when they were taken, false when nothing has changed and they
 * have to be taken one by one.  Declines a block with a token that has `shallow` or fewer
 * containers around it.  Scalars still have to be looked at.
 */
bool kin__grammar_block(kin__grammar *grammar, const kin__json_masks *masks, uint32_t shallow);

/* The container that the token taken last has opened is not looked into: what comes next is what
 * follows its last value. */
void kin__grammar_skip(kin__grammar *grammar);

/* What may come next, for a message: "',' or '}'". */
const char *kin__grammar_wants(const kin__grammar *grammar);

/* True when the token taken last was the name of a member. */
bool kin__grammar_is_name(const kin__grammar *grammar);

/* True when the bytes may end here. */
bool kin__grammar_may_end(const kin__grammar *grammar);

#endif /* KIN_JSON_GRAMMAR_H */
