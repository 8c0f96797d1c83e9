/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selectors_test.c - label selectors of requests.  Texts are a real server's.
 */
#include "server/selectors.h"

#include "base/str.h"
#include "object/selector.h"
#include "support/test.h"

TEST(selectors, of_no_text_are_none)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin_selector *selector = NULL;

    ASSERT_TRUE(kin__label_selector_read(NULL, &selector, &no) && selector == NULL);
    ASSERT_TRUE(kin__label_selector_read("", &selector, &no) && selector == NULL);
}

TEST(selectors, are_read)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin_selector_free) kin_selector *selector = NULL;

    ASSERT_TRUE(kin__label_selector_read("b,a in (y,x)", &selector, &no));

    ASSERT_STR_EQ(kin_selector_text(selector), "a in (x,y),b");
}

static void check_bad(const char *words, const char *message)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin_selector *selector = NULL;

    ASSERT_FALSE(kin__label_selector_read(words, &selector, &no));
    ASSERT_EQ(no.code, 400);
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len), message);
}

TEST(selectors, are_refused_in_the_servers_words_and_no_others)
{
    check_bad("a===b", "unable to parse requirement: found '=', expected: identifier");
    check_bad("a=b,", "found '', expected: identifier after ','");
    check_bad(">", "found '>', expected: !, identifier, or 'end of string'");
    check_bad("b=%",
              "unable to parse requirement: values[0][b]: Invalid value: \"%\": a valid label "
              "must be an empty string or consist of alphanumeric characters, '-', '_' or "
              "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  "
              "or 'my_value',  or '12345', regex used for validation is "
              "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
}

TEST_FAILING_ALLOC(selectors, are_refused_without_memory)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin_selector_free) kin_selector *selector = NULL;

    return kin__label_selector_read("a in (b,c)", &selector, &no) ? KIN_OK : KIN_ERR_NO_MEMORY;
}
