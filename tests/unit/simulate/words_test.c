/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words_test.c - what the names in a template stand for.
 */
#include "simulate/words.h"

#include "support/test.h"

static kin_str find(const kin__sim_words *words, const char *name)
{
    const kin_str *value = kin__sim_words_find(words, kin_str_of(name));

    ASSERT_TRUE(value != NULL);
    return *value;
}

TEST(words, writes_values_of_all_kinds)
{
    kin__sim_words words;

    kin__sim_words_clear(&words);
    kin__sim_words_number(&words, "zero", 0);
    kin__sim_words_number(&words, "most", UINT64_MAX);
    kin__sim_words_uid(&words, "uid", (kin__sim_uid){ 0x0123456789ab4defu, 0x8123456789abcdefu });
    kin__sim_words_address(&words, "ip", (uint32_t) 10 << 24 | 128 << 16 | 3 << 8 | 255);
    kin__sim_words_print(&words, "printed", "%s-%d", "a", 5);
    kin__sim_words_time(&words, "time", 1767225600);

    ASSERT_SLICE_EQ(find(&words, "zero"), "0");
    ASSERT_SLICE_EQ(find(&words, "most"), "18446744073709551615");
    ASSERT_SLICE_EQ(find(&words, "uid"), "01234567-89ab-4def-8123-456789abcdef");
    ASSERT_SLICE_EQ(find(&words, "ip"), "10.128.3.255");
    ASSERT_SLICE_EQ(find(&words, "printed"), "a-5");
    ASSERT_SLICE_EQ(find(&words, "time"), "2026-01-01T00:00:00Z");
}

TEST(words, takes_the_last_of_two_with_one_name)
{
    kin__sim_words words;

    kin__sim_words_clear(&words);
    kin__sim_words_text(&words, "a", "first");
    kin__sim_words_text(&words, "ab", "other");
    kin__sim_words_text(&words, "a", "second");

    ASSERT_SLICE_EQ(find(&words, "a"), "second");
    ASSERT_TRUE(kin__sim_words_find(&words, kin_str_of("abc")) == NULL);
}

TEST(words, makes_digests_that_depend_on_what_they_are_of)
{
    kin__sim_words words;

    kin__sim_words_clear(&words);
    kin__sim_words_digest(&words, "a", 1);
    kin__sim_words_digest(&words, "b", 2);
    kin__sim_words_digest(&words, "c", 1);

    ASSERT_EQ(find(&words, "a").len, 64);
    ASSERT_FALSE(kin_str_equal(find(&words, "a"), find(&words, "b")));
    ASSERT_TRUE(kin_str_equal(find(&words, "a"), find(&words, "c")));
}
