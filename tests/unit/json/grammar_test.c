/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grammar_test.c - which tokens may follow which, one by one and by the block.
 */
#include "json/grammar.h"

#include <string.h>

#include "support/test.h"

/* Takes each byte as a token: "taken", "wants X" at the first that is refused, "may end". */
static const char *take(kin__grammar *grammar, const char *tokens, text *got)
{
    text_clear(got);
    for (size_t i = 0; tokens[i] != '\0'; i++) {
        kin__grammar_result result = kin__grammar_step(grammar, tokens[i]);
        if (result < KIN__GRAMMAR_TAKEN) {
            text_append(got, "%zu: %s", i,
                        result == KIN__GRAMMAR_TOO_DEEP ? "too deep" : kin__grammar_wants(grammar));
            return got->chars;
        }
    }
    return kin__grammar_may_end(grammar) ? "may end" : kin__grammar_wants(grammar);
}

static const char *judge(const char *tokens, text *got)
{
    kin__grammar grammar;
    kin__grammar_init(&grammar, false);
    return take(&grammar, tokens, got);
}

/* A string is ", a scalar 1. */
TEST(grammar, knows_what_may_come_next)
{
    static const struct {
        const char *tokens;
        const char *verdict;
    } cases[] = {
        { "", "a value" },
        { "1", "may end" },
        { "\"", "may end" },
        { "{}", "may end" },
        { "[]", "may end" },
        { "[1,\",{},[]]", "may end" },
        { "{\":1,\":[{\":\"}]}", "may end" },
        { "{", "a member name or '}'" },
        { "{\"", "':'" },
        { "{\":", "a value" },
        { "{\":1", "',' or '}'" },
        { "{\":1,", "a member name" },
        { "[", "a value or ']'" },
        { "[1", "',' or ']'" },
        { "[1,", "a value" },
        { "}", "0: a value" },
        { "]", "0: a value" },
        { ",", "0: a value" },
        { "{]", "1: a member name or '}'" },
        { "[}", "1: a value or ']'" },
        { "{1", "1: a member name or '}'" },
        { "{\"}", "2: ':'" },
        { "{\",", "2: ':'" },
        { "{\":}", "3: a value" },
        { "{\":1,}", "5: a member name" },
        { "{\":1,1", "5: a member name" },
        { "{\":1]", "4: ',' or '}'" },
        { "{\":1:", "4: ',' or '}'" },
        { "[1,]", "3: a value" },
        { "[1:", "2: ',' or ']'" },
        { "[\":", "2: ',' or ']'" },
        { "[1}", "2: ',' or ']'" },
        { "[,", "1: a value or ']'" },
        { "1 ", "1: the end" },
        { "{}{", "2: the end" },
        { "{},", "2: the end" },
    };
    text got = { 0 };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASSERT_STR_EQ(judge(cases[i].tokens, &got), cases[i].verdict);
    }
}

TEST(grammar, takes_documents_one_after_another_when_allowed)
{
    kin__grammar grammar;
    text got = { 0 };

    kin__grammar_init(&grammar, true);
    ASSERT_TRUE(kin__grammar_may_end(&grammar));
    ASSERT_STR_EQ(take(&grammar, "{}[]1\"{", &got), "a member name or '}'");
    ASSERT_STR_EQ(take(&grammar, "}", &got), "may end");
    ASSERT_STR_EQ(take(&grammar, ",", &got), "0: a value or the end");
}

/* Objects and arrays in turn, so that each level must be remembered, beyond one word of bits. */
TEST(grammar, remembers_every_level_down_to_the_limit)
{
    kin__grammar grammar;
    kin__grammar_init(&grammar, false);

    for (int i = 0; i < KIN__JSON_DEPTH_MAX; i++) {
        ASSERT_EQ(kin__grammar_step(&grammar, i % 3 ? '[' : '{'), KIN__GRAMMAR_TAKEN);
        if (i % 3 == 0) {
            ASSERT_EQ(kin__grammar_step(&grammar, '"'), KIN__GRAMMAR_TAKEN);
            ASSERT_EQ(kin__grammar_step(&grammar, ':'), KIN__GRAMMAR_TAKEN);
        }
    }
    ASSERT_EQ(kin__grammar_step(&grammar, '['), KIN__GRAMMAR_TOO_DEEP);
    ASSERT_EQ(kin__grammar_step(&grammar, '1'), KIN__GRAMMAR_SCALAR);
    for (int i = KIN__JSON_DEPTH_MAX - 1; i >= 0; i--) {
        ASSERT_EQ(kin__grammar_step(&grammar, i % 3 ? '}' : ']'), KIN__GRAMMAR_REFUSED);
        ASSERT_EQ(kin__grammar_step(&grammar, i % 3 ? ']' : '}'), KIN__GRAMMAR_TAKEN);
    }
    ASSERT_TRUE(kin__grammar_may_end(&grammar));
}

/* Text and the tokens it consists of. */
typedef struct piece {
    const char *text;
    const char *tokens;
} piece;

static const piece pieces[] = {
    { "{", "{" },
    { "}", "}" },
    { "[", "[" },
    { "]", "]" },
    { ":", ":" },
    { ",", "," },
    { "\"a\"", "\"" },
    { "\"\"", "\"" },
    { "{}", "{}" },
    { "\"k\":", "\":" },
    { "1,", "1," },
    { "\"x\":1,", "\":1," },
    { "\"long name\"", "\"" },
    { "true", "1" },
    { "}]", "}]" },
};

static uint64_t next_random(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 33;
}

/* Fills a block with compact text that begins where `grammar` stands, right for the most part: a
 * piece that may not stand there is kept only now and then. */
static void fill(char *bytes, kin__grammar grammar, uint64_t *random)
{
    size_t len = 0;

    while (len < KIN__JSON_BLOCK) {
        const piece *p = &pieces[next_random(random) % (sizeof pieces / sizeof pieces[0])];
        kin__grammar trial = grammar;
        bool is_right = true;
        for (const char *token = p->tokens; *token != '\0'; token++) {
            is_right = is_right && kin__grammar_step(&trial, *token) >= KIN__GRAMMAR_TAKEN;
        }
        if (!is_right && next_random(random) % 300 != 0) {
            continue;
        }
        grammar = trial;
        memcpy(bytes + len, p->text, strlen(p->text));
        len += strlen(p->text);
    }
}

/*
 * Whenever a block is taken as a whole, taking its tokens one by one succeeds and ends in the same
 * state; and a block that is right is taken, unless it comes up to the surface.
 */
TEST(grammar, takes_a_block_exactly_when_its_tokens_are_right)
{
    uint64_t random = 3;
    size_t taken_count = 0;
    size_t wrong_count = 0;

    for (int round = 0; round < 10000; round++) {
        char bytes[KIN__JSON_BLOCK + 16];
        kin__grammar before;
        kin__grammar_init(&before, false);
        for (const char *open = round & 1 ? "[{\":[{\":[{\":" : "[{\":[[["; *open != '\0'; open++) {
            ASSERT_EQ(kin__grammar_step(&before, *open), KIN__GRAMMAR_TAKEN);
        }
        fill(bytes, before, &random);
        kin__grammar one_by_one = before;
        kin__grammar at_once = before;
        kin__json_carry carry = { 0 };
        kin__json_masks masks;
        kin__json_kernel_best()->classify(bytes, 1, &carry, &masks);
        bool is_right = true;
        uint32_t lowest = one_by_one.depth;
        for (uint64_t tokens = kin__json_tokens(&masks); tokens != 0; tokens &= tokens - 1) {
            is_right = is_right && kin__grammar_step(&one_by_one, bytes[__builtin_ctzll(tokens)]) >=
                                       KIN__GRAMMAR_TAKEN;
            lowest = one_by_one.depth < lowest ? one_by_one.depth : lowest;
        }
        bool is_taken = kin__grammar_block(&at_once, &masks, 1);

        ASSERT_EQ(is_taken, is_right && lowest > 1);
        ASSERT_EQ(at_once.state, is_taken ? one_by_one.state : before.state);
        ASSERT_EQ(at_once.depth, is_taken ? one_by_one.depth : before.depth);
        ASSERT_EQ(at_once.inner, is_taken ? one_by_one.inner : before.inner);
        taken_count += is_taken;
        wrong_count += !is_right;
    }
    ASSERT_TRUE(taken_count > 1000);
    ASSERT_TRUE(wrong_count > 100);
}

TEST(grammar, goes_on_after_the_last_value_of_what_is_skipped)
{
    text got = { 0 };
    kin__grammar grammar;

    kin__grammar_init(&grammar, false);
    ASSERT_STR_EQ(take(&grammar, "[{", &got), "a member name or '}'");
    kin__grammar_skip(&grammar);
    ASSERT_STR_EQ(take(&grammar, "]", &got), "0: ',' or '}'");
    ASSERT_STR_EQ(take(&grammar, "},[", &got), "a value or ']'");
    kin__grammar_skip(&grammar);
    ASSERT_STR_EQ(take(&grammar, "]]", &got), "may end");
}
