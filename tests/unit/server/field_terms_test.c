/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field_terms_test.c - field selectors as the API server reads them.
 */
#include "server/field_terms.h"

#include "base/str.h"
#include "support/test.h"

static void check(const char *selector, const char *want)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__field_terms_fini) kin__field_terms terms = { 0 };
    text got = { 0 };

    if (!kin__field_terms_read(selector, &terms, &no)) {
        FAIL("%s: %.*s", selector, (int) no.message.len, no.message.data);
    }
    for (size_t i = 0; i < terms.count; i++) {
        text_append(&got, "[%.*s%s%.*s]", KIN_STR_ARG(terms.terms[i].name),
                    terms.terms[i].is_not ? " not " : " is ", KIN_STR_ARG(terms.terms[i].value));
    }
    ASSERT_STR_EQ(got.chars, want);
}

static void check_bad(const char *selector, const char *want)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__field_terms terms = { 0 };

    ASSERT_FALSE(kin__field_terms_read(selector, &terms, &no));
    ASSERT_EQ(no.code, 400);
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len), want);
}

TEST(field_terms, are_name_operator_and_value)
{
    check("", "");
    check(NULL, "");
    check("a=b", "[a is b]");
    check("b==c,a!=x,,", "[a not x][b is c]");
    check("a=", "[a is ]");
    check(" a = b ", "[ a  is  b ]");
}

TEST(field_terms, that_say_nothing_do_not_count)
{
    check("=,==,!=", "");
}

TEST(field_terms, have_escapes_in_values)
{
    check("a=x\\,y\\=z\\\\", "[a is x,y=z\\]");
}

TEST(field_terms, are_refused_in_the_servers_words)
{
    check_bad("x", "invalid selector: 'x'; can't understand 'x'");
    check_bad("z,a=b", "invalid selector: 'z,a=b'; can't understand 'z'");
    check_bad("a=b=c", "invalid field selector: unescaped character in value: 61");
    check_bad("a=\\b", "invalid field selector: invalid escape sequence: \\b");
    check_bad("a=\\", "invalid field selector: invalid escape sequence: \\");
    check_bad("a=\\\xc3\xa4", "invalid field selector: invalid escape sequence: \\\xc3\xa4");
}

TEST_FAILING_ALLOC(field_terms, are_refused_without_memory)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__field_terms_fini) kin__field_terms terms = { 0 };

    if (kin__field_terms_read("a=b,c=d", &terms, &no)) {
        return KIN_OK;
    }
    return no.has_no_memory ? KIN_ERR_NO_MEMORY : KIN_ERR_MALFORMED;
}
