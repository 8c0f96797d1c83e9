/* SPDX-License-Identifier: Apache-2.0 */
/*
 * str_test.c - string slices.
 */
#include "base/str.h"

#include "support/test.h"

TEST(str, spans_a_terminated_string)
{
    ASSERT_EQ(kin_str_of("pod").len, 3);
    ASSERT_SLICE_EQ(kin_str_of("pod"), "pod");
    ASSERT_EQ(kin_str_of("").len, 0);
    ASSERT_EQ(kin_str_of(NULL).len, 0);
}

TEST(str, spans_a_literal_with_its_zero_bytes)
{
    ASSERT_EQ(STR("a\0b").len, 3);
    ASSERT_SLICE_EQ(STR("pod"), "pod");
}

TEST(str, is_equal_when_the_bytes_are)
{
    ASSERT_TRUE(kin_str_equal(STR("pod"), STR("pod")));
    ASSERT_FALSE(kin_str_equal(STR("pod"), STR("pot")));
    ASSERT_FALSE(kin_str_equal(STR("pod"), STR("pods")));
    ASSERT_FALSE(kin_str_equal(STR("a\0b"), STR("a\0c")));
    ASSERT_TRUE(kin_str_equal(kin_str_of(NULL), STR("")));
}

TEST(str, compares_by_bytes_and_then_by_length)
{
    ASSERT_TRUE(kin__str_compare(STR("a"), STR("b")) < 0);
    ASSERT_TRUE(kin__str_compare(STR("b"), STR("a")) > 0);
    ASSERT_TRUE(kin__str_compare(STR("a"), STR("ab")) < 0);
    ASSERT_TRUE(kin__str_compare(STR("ab"), STR("a")) > 0);
    ASSERT_EQ(kin__str_compare(STR("ab"), STR("ab")), 0);
    ASSERT_TRUE(kin__str_compare(STR("z"), STR("\xc3\xa9")) < 0);
    ASSERT_EQ(kin__str_compare(kin_str_of(NULL), STR("")), 0);
    ASSERT_TRUE(kin__str_compare(kin_str_of(NULL), STR("a")) < 0);
}

/* A slice ends in the midst of other text. */
TEST(str, does_not_look_beyond_its_end)
{
    ASSERT_TRUE(kin__str_compare(STR("aba"), kin__str("abz", 2)) > 0);
    ASSERT_TRUE(kin__str_compare(kin__str("abz", 2), STR("aba")) < 0);
    ASSERT_FALSE(kin__str_starts_with(kin__str("pods", 3), STR("pods")));
    ASSERT_FALSE(kin_str_equal(kin__str("pods", 3), STR("pods")));
}

TEST(str, starts_with_its_prefixes)
{
    ASSERT_TRUE(kin__str_starts_with(STR("pods"), STR("pod")));
    ASSERT_TRUE(kin__str_starts_with(STR("pods"), STR("pods")));
    ASSERT_TRUE(kin__str_starts_with(STR("pods"), STR("")));
    ASSERT_TRUE(kin__str_starts_with(kin_str_of(NULL), kin_str_of(NULL)));
    ASSERT_FALSE(kin__str_starts_with(STR("pod"), STR("pods")));
    ASSERT_FALSE(kin__str_starts_with(STR("pods"), STR("pots")));
}

TEST(str, says_which_version_the_library_is)
{
    text want = { 0 };
    text_append(&want, "%d.%d.%d", KIN_VERSION_MAJOR, KIN_VERSION_MINOR, KIN_VERSION_PATCH);

    ASSERT_STR_EQ(kin_version(), want.chars);
}
