/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selector_parse_test.c - reading a label selector's text.
 *
 * The two tables are what labels.Parse() of k8s.io/apimachinery v0.37.2 answers: the canonical
 * text, or the error.  The places of the faults are our own.
 */
#include "kin/selector.h"

#include <string.h>

#include "long_text.h"
#include "object/selector.h"
#include "support/test.h"

#define IN_REQUIREMENT "unable to parse requirement: "

#define NAME_FORM                                                                                  \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "    \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "         \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define SUBDOMAIN_FORM                                                                             \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "   \
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "  \
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define VALUE_FORM                                                                                 \
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "    \
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "             \
    "'my_value',  or '12345', regex used for validation is "                                       \
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define NO_INTEGER "for 'Gt', 'Lt' operators, the value must be an integer"

static const struct {
    const char *chars;
    const char *canonical;
} good[] = {
    { "", "" },
    { " ", "" },
    { "\t\r\n", "" },
    { "a", "a" },
    { "!a", "!a" },
    { " ! a ", "!a" },
    { "a=b", "a=b" },
    { "a==b", "a==b" },
    { "a!=b", "a!=b" },
    { "a = b", "a=b" },
    { "a=", "a=" },
    { "a==", "a==" },
    { "a!=", "a!=" },
    { "a=,b", "a=,b" },
    { "a>5", "a>5" },
    { "a<5", "a<5" },
    { "a>0005", "a>0005" },
    { "a in (b)", "a in (b)" },
    { "a in(b)", "a in (b)" },
    { "a notin (b)", "a notin (b)" },
    { "a in (c,b)", "a in (b,c)" },
    { "a in (b,b)", "a in (b)" },
    { "a in ()", "a in ()" },
    { "a notin ()", "a notin ()" },
    { "a in (,)", "a in ()" },
    { "a in (b,)", "a in (,b)" },
    { "a in (,b)", "a in (,b)" },
    { "a in (b,,c)", "a in (,b,c)" },
    { "a in ( b , c )", "a in (b,c)" },
    { "in", "in" },
    { "notin", "notin" },
    { "in in (in)", "in in (in)" },
    { "notin notin (notin,in)", "notin notin (in,notin)" },
    { "in=in", "in=in" },
    { "!in", "!in" },
    { "a in (in)", "a in (in)" },
    { "b,a", "a,b" },
    { "b=1,a=2,b=0", "a=2,b=1,b=0" },
    { "x.y/z", "x.y/z" },
    { "a.b-c_d=e.f-g_h", "a.b-c_d=e.f-g_h" },
    { "A=Z", "A=Z" },
    { "1=2", "1=2" },
    { "a,a", "a,a" },
    { "b>1,b<9,a", "a,b>1,b<9" },
};

static const struct {
    const char *chars;
    size_t at;
    const char *words;
} bad[] = {
    { ",", 0, "found ',', expected: !, identifier, or 'end of string'" },
    { "a,", 2, "found '', expected: identifier after ','" },
    { "a,,b", 2, "found ',', expected: identifier after ','" },
    { ",a", 0, "found ',', expected: !, identifier, or 'end of string'" },
    { "a b", 2, IN_REQUIREMENT "found 'b', expected: in, notin, =, ==, !=, gt, lt" },
    { "a b c", 2, IN_REQUIREMENT "found 'b', expected: in, notin, =, ==, !=, gt, lt" },
    { "a !b", 2, IN_REQUIREMENT "found '!', expected: in, notin, =, ==, !=, gt, lt" },
    { "a (b)", 2, IN_REQUIREMENT "found '(', expected: in, notin, =, ==, !=, gt, lt" },
    { "a )", 2, IN_REQUIREMENT "found ')', expected: in, notin, =, ==, !=, gt, lt" },
    { "(", 0, "found '(', expected: !, identifier, or 'end of string'" },
    { ")", 0, "found ')', expected: !, identifier, or 'end of string'" },
    { "=", 0, "found '=', expected: !, identifier, or 'end of string'" },
    { "=a", 0, "found '=', expected: !, identifier, or 'end of string'" },
    { "a=(", 2, IN_REQUIREMENT "found '(', expected: identifier" },
    { "a=b c", 4, "found 'c', expected: ',' or 'end of string'" },
    { "a=b=c", 3, "found '=', expected: ',' or 'end of string'" },
    { "a===b", 3, IN_REQUIREMENT "found '=', expected: identifier" },
    { "a=!b", 2, IN_REQUIREMENT "found '!', expected: identifier" },
    { "a=)", 2, IN_REQUIREMENT "found ')', expected: identifier" },
    { "!", 1, IN_REQUIREMENT "found '', expected: identifier" },
    { "!!a", 1, IN_REQUIREMENT "found '!', expected: identifier" },
    { "!a=b", 2, "found '=', expected: ',' or 'end of string'" },
    { "!a in (b)", 3, "found 'in', expected: ',' or 'end of string'" },
    { "!,a", 1, IN_REQUIREMENT "found ',', expected: identifier" },
    { "!=a", 0, "found '!=', expected: !, identifier, or 'end of string'" },
    { "a in", 4, IN_REQUIREMENT "found '' expected: '('" },
    { "a in b", 5, IN_REQUIREMENT "found 'b' expected: '('" },
    { "a in (", 6, IN_REQUIREMENT "found '', expected: ',', ')' or identifier" },
    { "a in (b", 7, IN_REQUIREMENT "found '', expected: ',' or ')'" },
    { "a in (b,", 8, IN_REQUIREMENT "found '', expected: ',', or identifier" },
    { "a in (b c)", 8, IN_REQUIREMENT "found 'c', expected: ',' or ')'" },
    { "a in (b=c)", 7, IN_REQUIREMENT "found '=', expected: ',' or ')'" },
    { "a in (=)", 6, IN_REQUIREMENT "found '=', expected: ',', ')' or identifier" },
    { "a in (,", 7, IN_REQUIREMENT "found '', expected: ',', or identifier" },
    { "a in (b))", 8, "found ')', expected: ',' or 'end of string'" },
    { "a in (b) c", 9, "found 'c', expected: ',' or 'end of string'" },
    { "a in (!b)", 6, IN_REQUIREMENT "found '!', expected: ',', ')' or identifier" },
    { "a in in", 5, IN_REQUIREMENT "found 'in' expected: '('" },
    { "a in (b,(c))", 8, IN_REQUIREMENT "found '(', expected: ',', or identifier" },
    { "a >= 5", 3, IN_REQUIREMENT "found '=', expected: identifier" },
    { "a>", 2, IN_REQUIREMENT "values[0]: Invalid value: \"\": " NO_INTEGER },
    { "a>b", 2, IN_REQUIREMENT "values[0]: Invalid value: \"b\": " NO_INTEGER },
    { "a>5 6", 4, "found '6', expected: ',' or 'end of string'" },
    { "a<-5", 2, IN_REQUIREMENT "values[0][a]: Invalid value: \"-5\": " VALUE_FORM },
    { "a>+5", 2, IN_REQUIREMENT "values[0][a]: Invalid value: \"+5\": " VALUE_FORM },
    { "a>9223372036854775808", 2,
      IN_REQUIREMENT "values[0]: Invalid value: \"9223372036854775808\": " NO_INTEGER },
    { "a>1.5", 2, IN_REQUIREMENT "values[0]: Invalid value: \"1.5\": " NO_INTEGER },
    { "a>5,b<x", 6, IN_REQUIREMENT "values[0]: Invalid value: \"x\": " NO_INTEGER },
    { "a<>b", 2, IN_REQUIREMENT "found '>', expected: identifier" },
    { "-a", 0, IN_REQUIREMENT "<nil>: Invalid value: \"-a\": name part " NAME_FORM },
    { "a-", 0, IN_REQUIREMENT "<nil>: Invalid value: \"a-\": name part " NAME_FORM },
    { "a b/c", 2, IN_REQUIREMENT "found 'b/c', expected: in, notin, =, ==, !=, gt, lt" },
    { "/a", 0, IN_REQUIREMENT "<nil>: Invalid value: \"/a\": prefix part must be non-empty" },
    { "a/", 0,
      IN_REQUIREMENT
      "<nil>: Invalid value: \"a/\": name part must be non-empty; name part " NAME_FORM },
    { "/", 0,
      IN_REQUIREMENT "<nil>: Invalid value: \"/\": prefix part must be non-empty; name part must "
                     "be non-empty; name part " NAME_FORM },
    { "A/b", 0, IN_REQUIREMENT "<nil>: Invalid value: \"A/b\": prefix part " SUBDOMAIN_FORM },
    { "a..b/c", 0, IN_REQUIREMENT "<nil>: Invalid value: \"a..b/c\": prefix part " SUBDOMAIN_FORM },
    { "a/b/c", 0,
      IN_REQUIREMENT "<nil>: Invalid value: \"a/b/c\": a valid label key " NAME_FORM
                     " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')" },
    { "a@b", 0, IN_REQUIREMENT "<nil>: Invalid value: \"a@b\": name part " NAME_FORM },
    { "\"a\"=b", 0, IN_REQUIREMENT "<nil>: Invalid value: \"\\\"a\\\"\": name part " NAME_FORM },
    { "a\\b", 0, IN_REQUIREMENT "<nil>: Invalid value: \"a\\\\b\": name part " NAME_FORM },
    { "a=-", 2, IN_REQUIREMENT "values[0][a]: Invalid value: \"-\": " VALUE_FORM },
    { "a=b/c", 2, IN_REQUIREMENT "values[0][a]: Invalid value: \"b/c\": " VALUE_FORM },
    { "a=b!", 3, "found '!', expected: ',' or 'end of string'" },
    { "a in (b,-)", 8, IN_REQUIREMENT "values[0][a]: Invalid value: \"-\": " VALUE_FORM },
    { "\303\251", 0, IN_REQUIREMENT "<nil>: Invalid value: \"\303\251\": name part " NAME_FORM },
    { "a=\303\251", 2, IN_REQUIREMENT "values[0][a]: Invalid value: \"\303\251\": " VALUE_FORM },
    { "a=\377", 2, IN_REQUIREMENT "values[0][a]: Invalid value: \"\\xff\": " VALUE_FORM },
    { "a|b", 0, IN_REQUIREMENT "<nil>: Invalid value: \"a|b\": name part " NAME_FORM },
    { "a&&b", 0, IN_REQUIREMENT "<nil>: Invalid value: \"a&&b\": name part " NAME_FORM },
    { "app:web", 0, IN_REQUIREMENT "<nil>: Invalid value: \"app:web\": name part " NAME_FORM },
    { "a=\"b\"", 2, IN_REQUIREMENT "values[0][a]: Invalid value: \"\\\"b\\\"\": " VALUE_FORM },
    { "a='b'", 2, IN_REQUIREMENT "values[0][a]: Invalid value: \"'b'\": " VALUE_FORM },
};

static void check_text(const char *chars, const char *want)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    kin_error err;

    if (kin_selector_parse(chars, &selector, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    ASSERT_STR_EQ(kin_selector_text(selector), want);
}

static void check_message(const char *chars, const char *want)
{
    kin_selector *selector = NULL;
    kin_error err;

    ASSERT_ERR(kin_selector_parse(chars, &selector, &err), KIN_ERR_MALFORMED);
    ASSERT_TRUE(selector == NULL);
    ASSERT_EQ(err.code, KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, want);
}

TEST(selector_parse, gives_the_canonical_text_of_the_server)
{
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        check_text(good[i].chars, good[i].canonical);
        check_text(good[i].canonical, good[i].canonical);
    }
}

TEST(selector_parse, refuses_in_the_words_of_the_server_and_says_where)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bool is_utf8 = strcmp(bad[i].chars, "a=\377") != 0;
        text want = { 0 };
        text_append(&want, "parse label selector \"%s\": %s at byte %zu",
                    is_utf8 ? bad[i].chars : "a=?", bad[i].words, bad[i].at);
        check_message(bad[i].chars, want.chars);
    }
}

TEST(selector_parse, reads_null_as_an_empty_text)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;

    ASSERT_OK(kin_selector_parse(NULL, &selector, NULL));

    ASSERT_STR_EQ(kin_selector_text(selector), "");
    ASSERT_TRUE(kin_selector_is_everything(selector));
}

TEST(selector_parse, needs_no_error_to_fill_in)
{
    kin_selector *selector = NULL;

    ASSERT_ERR(kin_selector_parse("a in", &selector, NULL), KIN_ERR_MALFORMED);
    ASSERT_TRUE(selector == NULL);
}

/* Go sorts twelve requirements and fewer in the same way; with more it may exchange equal keys. */
TEST(selector_parse, keeps_the_order_of_requirements_with_one_key)
{
    check_text("b=3,a,b=1,!b,b in (2),a=1", "a,a=1,b=3,b=1,!b,b in (2)");
    check_text("a=9,a=8,a=7,a=6,a=5,a=4,a=3,a=2,a=1,a=0,a=9,a=8,a=7,a=6,a=5,a=4,a=3,a=2",
               "a=9,a=8,a=7,a=6,a=5,a=4,a=3,a=2,a=1,a=0,a=9,a=8,a=7,a=6,a=5,a=4,a=3,a=2");
}

TEST(selector_parse, names_a_bad_value_by_its_place_in_order)
{
    check_message("a in (z,-,b)", "parse label selector \"a in (z,-,b)\": " IN_REQUIREMENT
                                  "values[0][a]: Invalid value: \"-\": " VALUE_FORM " at byte 8");
}

TEST(selector_parse, lists_the_faults_of_a_requirement)
{
    check_message("a>x@y", "parse label selector \"a>x@y\": " IN_REQUIREMENT
                           "[values[0]: Invalid value: \"x@y\": " NO_INTEGER
                           ", values[0][a]: Invalid value: \"x@y\": a valid label must be an "
                           "empty string or consist of alphanumeric characters, '-', '_' or '.', "
                           "and must start and end with an alphanumeric character (e.g. "
                           "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                           "'(([A-Za-z0-9][-A-Za-z0-9_... "
                           "at byte 2");
}

TEST(selector_parse, says_what_is_wrong_however_long_the_text_is)
{
    char *chars = repeat("", "k", 1000000, " in");
    text want = { 0 };

    text_append(&want,
                "parse label selector \"%.64s...\": " IN_REQUIREMENT
                "<nil>: Invalid value: \"%.128s...\": name part must be no more than 63 "
                "bytes at byte 0",
                chars, chars);
    check_message(chars, want.chars);
    kin_free(chars);
}

TEST(selector_parse, takes_as_much_text_as_a_server_does)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    kin_selector *none = NULL;
    kin_error err;

    char *chars = repeat("", "a,", KIN__SELECTOR_TEXT_MAX / 2 - 1, "aa");
    ASSERT_EQ(strlen(chars), KIN__SELECTOR_TEXT_MAX);
    ASSERT_OK(kin_selector_parse(chars, &selector, &err));
    ASSERT_EQ(selector->count, KIN__SELECTOR_TEXT_MAX / 2);
    ASSERT_STR_EQ(kin_selector_text(selector), chars);
    kin_free(chars);

    chars = repeat("", " ", KIN__SELECTOR_TEXT_MAX + 1, "");
    ASSERT_ERR(kin_selector_parse(chars, &none, &err), KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "parse label selector: longer than 1048576 bytes");
    kin_free(chars);
}

/* "a in()" becomes "a in ()": what is read is short enough, what it means is not. */
TEST(selector_parse, gives_no_text_that_it_would_not_read)
{
    kin_selector *none = NULL;
    kin_error err;

    char *chars = repeat("", "a in(),", KIN__SELECTOR_TEXT_MAX / 7 - 1, "a");
    ASSERT_ERR(kin_selector_parse(chars, &none, &err), KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "parse label selector: longer than 1048576 bytes");
    kin_free(chars);
}

/* Each of these would take minutes in a reader that looks at something twice. */
TEST(selector_parse, reads_hostile_texts_in_no_time)
{
    static const struct {
        const char *first;
        const char *piece;
        const char *last;
        kin_err code;
    } hostile[] = {
        { "", "zz,a,", "m", KIN_OK },
        { "a in (", "z,y,", "x)", KIN_OK },
        { "a in (", ",", ")", KIN_OK },
        { "a in (", "-,", "_)", KIN_ERR_MALFORMED },
        { "", "(", "", KIN_ERR_MALFORMED },
        { "", "!", "", KIN_ERR_MALFORMED },
        { "", "a.", "/b", KIN_ERR_MALFORMED },
        { "", "a/", "b", KIN_ERR_MALFORMED },
        { "a>", "9", "", KIN_ERR_MALFORMED },
        { "a=", "\xff", "", KIN_ERR_MALFORMED },
        { "a", " ", "=b", KIN_OK },
    };
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        AUTO(kin_selector_free) kin_selector *selector = NULL;
        size_t count = 300000 / strlen(hostile[i].piece);
        char *chars = repeat(hostile[i].first, hostile[i].piece, count, hostile[i].last);
        ASSERT_ERR(kin_selector_parse(chars, &selector, NULL), hostile[i].code);
        kin_free(chars);
    }
}

TEST_FAILING_ALLOC(selector_parse, survives_without_memory)
{
    kin_selector *selector = NULL;
    kin_error err;

    kin_err code = kin_selector_parse(
        "zone in (b,a,c,d,e,f,g,h,i,j),app=web,!legacy,tier!=cache,weight>5", &selector, &err);
    if (code == KIN_OK) {
        ASSERT_STR_EQ(kin_selector_text(selector), "app=web,!legacy,tier!=cache,weight>5,"
                                                   "zone in (a,b,c,d,e,f,g,h,i,j)");
    } else {
        ASSERT_MESSAGE(&err, "parse label selector: out of memory");
        ASSERT_TRUE(selector == NULL);
    }
    kin_selector_free(selector);
    return code;
}
