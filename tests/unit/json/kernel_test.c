/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_test.c - every kernel says what the scalar one says, and stays inside its bytes.
 */
#include "json/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "json/grammar.h"
#include "support/random.h"
#include "support/test.h"

/* Bytes that matter to a kernel come up more often than others. */
static void fill(char *bytes, size_t len, uint64_t *random)
{
    static const char often[] = "\\\\\\\"\"{}[]:,, \n\t\r0a\x1f\x7f\x80\xff";

    for (size_t i = 0; i < len; i++) {
        *random = *random * 6364136223846793005u + 1442695040888963407u;
        unsigned pick = (unsigned) (*random >> 40);
        bytes[i] = (pick & 3) == 0 ? (char) (pick >> 8) : often[(pick >> 2) % (sizeof often - 1)];
    }
}

/* "in string, escaped" and so on, as text, so that a difference can be read. */
static void describe(const kin__json_masks *m, const kin__json_carry *c, text *out)
{
    text_append(out, "%llx %llx %llx %llx %llx | %llx %llx %llx %llx %llx %llx %llx %llx | %llx / ",
                (unsigned long long) m->strings, (unsigned long long) m->quotes,
                (unsigned long long) m->escapes, (unsigned long long) m->escaped,
                (unsigned long long) m->controls, (unsigned long long) m->opening,
                (unsigned long long) m->closing, (unsigned long long) m->braces,
                (unsigned long long) m->colon, (unsigned long long) m->comma,
                (unsigned long long) m->spaces, (unsigned long long) m->scalars,
                (unsigned long long) m->scalar_starts, (unsigned long long) m->high);
    text_append(out, "%llx %llx %llx", (unsigned long long) c->in_string,
                (unsigned long long) c->is_escaped, (unsigned long long) c->in_scalar);
}

static const kin__json_kernel *scalar_kernel(void)
{
    const kin__json_kernel *all[5];
    return all[kin__json_kernel_list(all) - 1];
}

TEST(kernel, lists_the_best_first_and_the_scalar_one_last)
{
    const kin__json_kernel *all[5];

    size_t count = kin__json_kernel_list(all);

    ASSERT_TRUE(count >= 1);
    ASSERT_TRUE(all[0] == kin__json_kernel_best());
    ASSERT_STR_EQ(all[count - 1]->name, "scalar");
#if defined(__aarch64__)
    ASSERT_STR_EQ(all[0]->name, "neon");
#endif
}

TEST(kernel, scalar_knows_strings_tokens_and_escapes)
{
    char bytes[KIN__JSON_BLOCK];
    const char start[] = "{\"a\\\"b\":[1,true]} \"\x01\xc3\xa9\\\\\" ,{}";
    kin__json_carry carry = { 0 };
    kin__json_masks masks;
    text got = { 0 };

    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, start, sizeof start - 1);
    scalar_kernel()->classify(bytes, 1, &carry, &masks);

    uint64_t tokens = kin__json_tokens(&masks);
    for (int i = 0; i < 40; i++) {
        text_append(&got, "%c", tokens >> i & 1 ? bytes[i] : '.');
    }
    ASSERT_STR_EQ(got.chars, "{\".....:[1,t...]}.\".......,{}...........");
    ASSERT_EQ(masks.escapes, (uint64_t) 1 << 3 | (uint64_t) 1 << 22);
    ASSERT_EQ(masks.escaped, (uint64_t) 1 << 4 | (uint64_t) 1 << 23);
    ASSERT_EQ(masks.controls, (uint64_t) 1 << 19);
    ASSERT_EQ(masks.high, (uint64_t) 3 << 20);
    ASSERT_EQ(carry.in_string, 0);
}

/* Seed 1 and on; a difference names the kernel and the round. */
TEST(kernel, all_classify_like_the_scalar_one)
{
    const kin__json_kernel *all[5];
    size_t count = kin__json_kernel_list(all);
    char bytes[4 * KIN__JSON_BLOCK];
    uint64_t random = 1;

    for (int round = 0; round < 5000; round++) {
        fill(bytes, sizeof bytes, &random);
        for (size_t k = 0; k + 1 < count; k++) {
            kin__json_carry carry = { .in_string = round & 1 ? ~(uint64_t) 0 : 0,
                                      .is_escaped = round >> 1 & 1 };
            kin__json_carry scalar_carry = carry;
            kin__json_masks masks[4];
            kin__json_masks scalar_masks[4];
            all[k]->classify(bytes, 4, &carry, masks);
            scalar_kernel()->classify(bytes, 4, &scalar_carry, scalar_masks);
            for (int i = 0; i < 4; i++) {
                text got = { 0 };
                text want = { 0 };
                text_append(&got, "%s, round %d: ", all[k]->name, round);
                text_append(&want, "%s, round %d: ", all[k]->name, round);
                describe(&masks[i], &carry, &got);
                describe(&scalar_masks[i], &scalar_carry, &want);
                ASSERT_STR_EQ(got.chars, want.chars);
            }
        }
    }
}

/* A tail of any length, continued by the rest, gives what the whole gives. */
TEST(kernel, a_block_may_be_cut_anywhere)
{
    const kin__json_kernel *all[5];
    size_t count = kin__json_kernel_list(all);
    char bytes[KIN__JSON_BLOCK];
    uint64_t random = 7;

    for (int round = 0; round < 2000; round++) {
        fill(bytes, sizeof bytes, &random);
        for (size_t k = 0; k < count; k++) {
            size_t cut = 1 + (size_t) (random >> 33) % 63;
            kin__json_carry whole_carry = { 0 };
            kin__json_masks whole;
            all[k]->classify(bytes, 1, &whole_carry, &whole);
            kin__json_carry carry = { 0 };
            kin__json_masks first;
            kin__json_masks second;
            kin__json_classify_tail(all[k], bytes, cut, &carry, &first);
            kin__json_classify_tail(all[k], bytes + cut, sizeof bytes - cut, &carry, &second);

            ASSERT_EQ(first.strings | second.strings << cut, whole.strings);
            ASSERT_EQ(first.escapes | second.escapes << cut, whole.escapes);
            ASSERT_EQ(kin__json_tokens(&first) | kin__json_tokens(&second) << cut,
                      kin__json_tokens(&whole));
            ASSERT_EQ(carry.in_string, whole_carry.in_string);
            ASSERT_EQ(carry.is_escaped, whole_carry.is_escaped);
            ASSERT_EQ(carry.in_scalar, whole_carry.in_scalar);
        }
    }
}

TEST(kernel, finds_the_end_of_a_string)
{
    const kin__json_kernel *all[5];
    size_t count = kin__json_kernel_list(all);

    for (size_t k = 0; k < count; k++) {
        for (size_t len = 0; len < 200; len++) {
            char *bytes = malloc(len + 3); /* of the exact size, for the sanitizer */
            memset(bytes, 'x', len);
            memcpy(bytes + len, "\\\"\"", 3);
            ASSERT_EQ(all[k]->string_end(bytes, bytes + len + 3) - bytes, len + 2);
            ASSERT_EQ(all[k]->string_end(bytes, bytes + len + 2) - bytes, len + 2);
            free(bytes);
        }
    }
}

TEST(kernel, finds_the_end_of_a_container)
{
    const kin__json_kernel *all[5];
    size_t count = kin__json_kernel_list(all);

    for (size_t k = 0; k < count; k++) {
        for (size_t len = 0; len < 200; len++) {
            size_t size = len + 14;
            char *bytes = malloc(size);
            memset(bytes, 'x', len);
            memcpy(bytes + len, "{[\"]}\\\"}\"]}}  ", 14);
            ASSERT_EQ(all[k]->container_end(bytes, bytes + size) - bytes, len + 12);
            ASSERT_TRUE(all[k]->container_end(bytes, bytes + len + 11) == NULL);
            free(bytes);
        }
    }
}

/* What skip() says, byte by byte. */
static size_t skip_plainly(const char *bytes, size_t len, size_t limit, size_t *depth,
                           kin__json_carry *carry)
{
    for (size_t i = 0; i < len; i++) {
        bool is_escaped = carry->is_escaped != 0;
        carry->is_escaped = !is_escaped && bytes[i] == '\\';
        if (bytes[i] == '"' && !is_escaped) {
            carry->in_string = ~carry->in_string;
        }
        if (carry->in_string != 0) {
            continue;
        }
        if (bytes[i] == '{' || bytes[i] == '[') {
            if (*depth == limit) {
                return i;
            }
            ++*depth;
        } else if ((bytes[i] == '}' || bytes[i] == ']') && --*depth == 0) {
            return i;
        }
    }
    return len;
}

static void check_skip(const kin__json_kernel *kernel, const char *bytes, size_t len, size_t limit,
                       size_t depth, kin__json_carry carry)
{
    kin__json_carry want_carry = carry;
    size_t want_depth = depth;
    size_t want = skip_plainly(bytes, len, limit, &want_depth, &want_carry);
    char *exact = malloc(len); /* of the exact size, for the sanitizer */

    memcpy(exact, bytes, len);
    ASSERT_EQ(kernel->skip(exact, exact + len, limit, &depth, &carry) - exact, want);
    free(exact);
    ASSERT_EQ(depth, want_depth);
    if (want == len) {
        ASSERT_EQ(carry.in_string, want_carry.in_string);
        ASSERT_EQ(carry.is_escaped, want_carry.is_escaped);
    }
}

TEST(kernel, all_skip_as_if_byte_by_byte)
{
    const kin__json_kernel *all[5];
    size_t count = kin__json_kernel_list(all);
    uint64_t random = random_start(20261117);
    char bytes[200];

    for (int round = 0; round < 20000; round++) {
        const char *alphabet = round % 2 == 0 ? "{}[]\"\\xx" : "{}[]{}[]\"\\xxxxxxxxxxxxxx";
        size_t len = 1 + random_below(&random, sizeof bytes);
        for (size_t i = 0; i < len; i++) {
            bytes[i] = alphabet[random_below(&random, strlen(alphabet))];
        }
        size_t depth = 1 + random_below(&random, 8);
        size_t limit = depth + random_below(&random, 8);
        kin__json_carry carry = { .in_string = random_below(&random, 2) != 0 ? ~UINT64_C(0) : 0,
                                  .is_escaped = random_below(&random, 2) };
        for (size_t k = 0; k < count; k++) {
            check_skip(all[k], bytes, len, limit, depth, carry);
        }
    }
}

/* advance() and classify() describe the block it stops at alike, and whatever it takes, taking the
 * tokens one by one gives the same grammar. */
TEST(kernel, all_advance_alike)
{
    const char unit[] = "{\"f:a\":{},\"k:{\\\"t\\\":1}\":{\".\":{},\"f:b\":[1,true,\"x\"]}},";
    const kin__json_kernel *all[5];
    size_t count = kin__json_kernel_list(all);
    char bytes[40 * sizeof unit];
    size_t len = 0;

    bytes[len++] = '[';
    while (len + sizeof unit < sizeof bytes) {
        memcpy(bytes + len, unit, sizeof unit - 1);
        len += sizeof unit - 1;
    }
    for (size_t k = 0; k < count; k++) {
        kin__grammar quick;
        kin__grammar slow;
        kin__json_carry carry = { 0 };
        kin__json_carry slow_carry = { 0 };
        size_t taken_count = 0;
        kin__grammar_init(&quick, false);
        kin__grammar_init(&slow, false);
        for (size_t place = 0; place + KIN__JSON_BLOCK <= len; place += KIN__JSON_BLOCK) {
            kin__json_masks masks;
            kin__json_masks slow_masks;
            bool is_taken = false;
            size_t ahead = all[k]->advance(bytes + place, 1, &carry, &quick, 0, &masks, &is_taken);
            all[k]->classify(bytes + place, 1, &slow_carry, &slow_masks);
            uint64_t tokens = kin__json_tokens(&slow_masks);
            for (; tokens != 0; tokens &= tokens - 1) {
                char byte = bytes[place + (size_t) __builtin_ctzll(tokens)];
                ASSERT_TRUE(kin__grammar_step(&slow, byte) >= KIN__GRAMMAR_TAKEN);
                if (ahead == 0 && !is_taken) {
                    ASSERT_TRUE(kin__grammar_step(&quick, byte) >= KIN__GRAMMAR_TAKEN);
                }
            }
            taken_count += ahead + is_taken;
            ASSERT_EQ(quick.state, slow.state);
            ASSERT_EQ(quick.depth, slow.depth);
            ASSERT_EQ(quick.inner, slow.inner);
            ASSERT_EQ(carry.in_string, slow_carry.in_string);
        }
        ASSERT_TRUE(taken_count > len / KIN__JSON_BLOCK / 2);
    }
}
