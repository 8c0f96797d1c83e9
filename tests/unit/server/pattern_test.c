/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern_test.c - regular expressions: what they match, and which are none.
 */
#include "server/pattern.h"

#include "base/str.h"
#include "support/test.h"

static bool matches(const char *pattern, const char *subject)
{
    AUTO(kin__pattern_free) kin__pattern *made = NULL;
    bool is_match = false;
    kin_error err;

    if (kin__pattern_new(kin_str_of(pattern), &made, &err) != KIN_OK ||
        kin__pattern_matches(made, kin_str_of(subject), &is_match, &err) != KIN_OK) {
        FAIL("%s: %s", pattern, err.message);
    }
    return is_match;
}

#define ASSERT_MATCH(pattern, text)                                                                \
    do {                                                                                           \
        if (!matches(pattern, text)) {                                                             \
            FAIL("%s does not match \"%s\"", pattern, text);                                       \
        }                                                                                          \
    } while (0)
#define ASSERT_NO_MATCH(pattern, text)                                                             \
    do {                                                                                           \
        if (matches(pattern, text)) {                                                              \
            FAIL("%s matches \"%s\"", pattern, text);                                              \
        }                                                                                          \
    } while (0)

TEST(pattern, is_looked_for_anywhere)
{
    ASSERT_MATCH("", "");
    ASSERT_MATCH("", "abc");
    ASSERT_MATCH("b", "abc");
    ASSERT_MATCH("bc", "abc");
    ASSERT_NO_MATCH("cb", "abc");
    ASSERT_NO_MATCH("abcd", "abc");
    ASSERT_MATCH("aab", "aaab");
}

TEST(pattern, may_be_bound_to_the_ends)
{
    ASSERT_MATCH("^[a-z]+$", "abc");
    ASSERT_NO_MATCH("^[a-z]+$", "ABC");
    ASSERT_NO_MATCH("^[a-z]+$", "");
    ASSERT_NO_MATCH("^b", "abc");
    ASSERT_NO_MATCH("^b", "a\nb");
    ASSERT_NO_MATCH("a$", "a\n");
    ASSERT_MATCH("(?m)^b$", "a\nb\nc");
    ASSERT_MATCH("\\Aabc\\z", "abc");
    ASSERT_MATCH("\\bbar\\b", "foo bar");
    ASSERT_NO_MATCH("\\bbar\\b", "foobar");
    ASSERT_MATCH("o\\Bb", "foobar");
}

TEST(pattern, has_alternatives)
{
    ASSERT_MATCH("^(a|bc|def)$", "a");
    ASSERT_MATCH("^(a|bc|def)$", "bc");
    ASSERT_MATCH("^(a|bc|def)$", "def");
    ASSERT_NO_MATCH("^(a|bc|def)$", "abc");
    ASSERT_MATCH("^(|x)$", "");
    ASSERT_MATCH("^(?:x|)$", "x");
    ASSERT_MATCH("^(?P<n>a)(?<m>b)$", "ab");
}

TEST(pattern, repeats)
{
    ASSERT_MATCH("^a*$", "");
    ASSERT_MATCH("^a*$", "aaa");
    ASSERT_NO_MATCH("^a*$", "ab");
    ASSERT_NO_MATCH("^a+$", "");
    ASSERT_MATCH("^a+?b$", "aab");
    ASSERT_MATCH("^(ab)?c$", "c");
    ASSERT_MATCH("^(ab)?c$", "abc");
    ASSERT_NO_MATCH("^(ab)?c$", "ababc");
    ASSERT_MATCH("^(a*)*$", "aaaa");
    ASSERT_MATCH("^(a|b*)+c$", "abbac");
}

TEST(pattern, repeats_so_many_times)
{
    ASSERT_MATCH("^a{2}$", "aa");
    ASSERT_NO_MATCH("^a{2}$", "a");
    ASSERT_NO_MATCH("^a{2}$", "aaa");
    ASSERT_NO_MATCH("^(ab){2,}$", "ab");
    ASSERT_MATCH("^(ab){2,}$", "ababab");
    ASSERT_NO_MATCH("^(ab){1,3}$", "");
    ASSERT_MATCH("^(ab){1,3}$", "ab");
    ASSERT_MATCH("^(ab){1,3}$", "abab");
    ASSERT_MATCH("^(ab){1,3}$", "ababab");
    ASSERT_NO_MATCH("^(ab){1,3}$", "abababab");
    ASSERT_MATCH("^a{0,2}$", "");
    ASSERT_NO_MATCH("^a{0,2}$", "aaa");
    ASSERT_MATCH("^xa{0}$", "x");
    ASSERT_MATCH("^a{0,}$", "aaa");
    ASSERT_MATCH("^(x{1,2}|y){2}z$", "xxyz");
    ASSERT_MATCH("^a{,2}$", "a{,2}");
    ASSERT_MATCH("^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$", "a-label");
    ASSERT_NO_MATCH("^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$", "a-label-");
}

TEST(pattern, knows_classes)
{
    ASSERT_MATCH("^[^a-c]$", "\n");
    ASSERT_NO_MATCH("^[^a-c]$", "b");
    ASSERT_MATCH("^[]a-]+$", "]-a");
    ASSERT_MATCH("^[\\]\\\\.]+$", ".\\]");
    ASSERT_MATCH("^\\d\\w\\s\\D\\W\\S$", "1_ x-y");
    ASSERT_NO_MATCH("^\\d$", "x");
    ASSERT_NO_MATCH("^\\D$", "7");
    ASSERT_MATCH("^[\\d\\-x]+$", "1-x");
    ASSERT_MATCH("^[^\\D5]$", "4");
    ASSERT_NO_MATCH("^[^\\D5]$", "5");
    ASSERT_NO_MATCH("^[^\\D5]$", "x");
    ASSERT_MATCH("^[[:alpha:][:digit:]_]+$", "aZ_9");
    ASSERT_MATCH("^[[:^space:]]+$", "abc");
    ASSERT_NO_MATCH("^[[:^space:]]+$", "a c");
    ASSERT_MATCH("^.$", "x");
    ASSERT_NO_MATCH("^.$", "\n");
    ASSERT_MATCH("(?s)^.$", "\n");
}

TEST(pattern, knows_characters_of_all_kinds)
{
    ASSERT_MATCH("^\\x41\\x{1F600}\\t\\.$", "A\xf0\x9f\x98\x80\t.");
    ASSERT_MATCH("^.$", "\xc3\xa4");
    ASSERT_MATCH("^[\xc3\xa0-\xc3\xbc]$", "\xc3\xa4");
    ASSERT_NO_MATCH("^[\xc3\xa0-\xc3\xbc]$", "a");
    ASSERT_MATCH("^\\Qa.b\\E$", "a.b");
    ASSERT_NO_MATCH("^\\Qa.b\\E$", "axb");
    ASSERT_MATCH("^a}]$", "a}]");
}

TEST(pattern, minds_the_case_or_not)
{
    ASSERT_NO_MATCH("abc", "ABC");
    ASSERT_MATCH("(?i)aBc", "AbC");
    ASSERT_MATCH("^(?i)[a-c]+$", "ABC");
    ASSERT_NO_MATCH("^(?i:a)b$", "AB");
    ASSERT_MATCH("^(?i:a)b$", "Ab");
    ASSERT_NO_MATCH("^((?i)a)b$", "AB");
    ASSERT_MATCH("(?i)a(?-i)b", "Ab");
    ASSERT_NO_MATCH("(?i)a(?-i)b", "AB");
}

/* Without backtracking this takes no time to speak of. */
TEST(pattern, takes_no_longer_for_hostile_texts)
{
    text many = { 0 };

    for (size_t i = 0; i < 200; i++) {
        text_append(&many, "aaaaaaaaaa");
    }
    ASSERT_NO_MATCH("^(a+)+(a|aa)*(a*)*$b", many.chars);
    ASSERT_NO_MATCH("^(a?){100}b$", many.chars);
}

TEST_FAILING_ALLOC(pattern, survives_every_lack_of_memory)
{
    AUTO(kin__pattern_free) kin__pattern *made = NULL;
    bool is_match = false;
    kin_error err;
    kin_err code = kin__pattern_new(STR("^([a-z]{2,7}|[0-9]+x*){1,3}(a|b|c)?$"), &made, &err);

    if (code == KIN_OK) {
        code = kin__pattern_matches(made, STR("ab12xxyz"), &is_match, &err);
    }
    if (code == KIN_OK) {
        ASSERT_TRUE(is_match);
    }
    return code;
}
