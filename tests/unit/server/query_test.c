/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query_test.c - the query of a URL.
 */
#include "server/query.h"

#include "base/str.h"
#include "support/test.h"

/* All pairs as "name=value;". */
static void assert_pairs(const char *query, const char *want)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin_str rest = kin_str_of(query);
    kin__query_pair pair;

    while (kin__query_next(&rest, &pair)) {
        kin__query_unescape(pair.name, &out);
        kin__buf_append_byte(&out, '=');
        kin__query_unescape(pair.value, &out);
        kin__buf_append_byte(&out, ';');
    }

    ASSERT_SLICE_EQ(kin__str(out.data, out.len), want);
}

TEST(query, is_read_pair_by_pair)
{
    assert_pairs("", "");
    assert_pairs("a=1&b=2", "a=1;b=2;");
    assert_pairs("&&a=1&", "a=1;");
    assert_pairs("watch&limit=", "watch=;limit=;");
    assert_pairs("a=b=c", "a=b=c;");
}

TEST(query, undoes_escapes)
{
    assert_pairs("labelSelector=a%20in%20(b%2cc)", "labelSelector=a in (b,c);");
    assert_pairs("a+b=c+d", "a b=c d;");
    assert_pairs("%61=%C3%A4", "a=\xc3\xa4;");
}

TEST(query, skips_pairs_that_are_broken)
{
    assert_pairs("a=%zz&b=2", "b=2;");
    assert_pairs("a=1;c=3&b=2", "b=2;");
    assert_pairs("b=2&a=%4", "b=2;");
}

TEST(query, finds_the_first_of_a_name)
{
    kin__query_pair pair;

    ASSERT_TRUE(kin__query_find(STR("b=0&%61=1&a=2"), STR("a"), &pair));
    ASSERT_SLICE_EQ(pair.value, "1");
    ASSERT_FALSE(kin__query_find(STR("b=0&ab=1"), STR("a"), &pair));
    ASSERT_FALSE(kin__query_find(STR(""), STR("a"), &pair));
}

TEST(query, compares_what_is_meant)
{
    ASSERT_TRUE(kin__query_equals(STR("a%2fb+c"), STR("a/b c")));
    ASSERT_FALSE(kin__query_equals(STR("a"), STR("ab")));
    ASSERT_FALSE(kin__query_equals(STR("ab"), STR("a")));
    ASSERT_TRUE(kin__query_equals(STR(""), STR("")));
}

TEST(query, of_a_path_leaves_a_plus_alone)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    ASSERT_TRUE(kin__path_unescape(STR("/a+b%2Fc"), &out));
    ASSERT_SLICE_EQ(kin__str(out.data, out.len), "/a+b/c");
    ASSERT_FALSE(kin__path_unescape(STR("/a%2"), &out));
    ASSERT_SLICE_EQ(kin__str(out.data, out.len), "/a+b/c");
}
