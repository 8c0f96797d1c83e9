/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field_selector_test.c - selecting objects by what their fields say.
 *
 * The two tables are what fields.ParseSelector() of k8s.io/apimachinery v0.37.2 answers: the text,
 * or the error.  The places of the faults are our own.
 */
#include "kin/selector.h"

#include <string.h>

#include "base/cleanup.h"
#include "long_text.h"
#include "making.h"
#include "object/selector.h"
#include "support/test.h"

KIN__DEFINE_AUTO(kin_field_selector, kin_field_selector_free)

#define WANTED "parse field selector "

static const struct {
    const char *chars;
    const char *canonical;
} good[] = {
    { "", "" },
    { ",", "" },
    { ",,", "" },
    { "=", "" },
    { "==", "" },
    { "!=", "" },
    { "a=b", "a=b" },
    { "a==b", "a=b" },
    { "a!=b", "a!=b" },
    { "a=", "a=" },
    { "a!=", "a!=" },
    { "=b", "=b" },
    { "b=1,a=2", "a=2,b=1" },
    { "a.b=1,a=2,a!=3", "a!=3,a.b=1,a=2" },
    { "a=b,,c=d", "a=b,c=d" },
    { ",a=b,", "a=b" },
    { "a= b", "a= b" },
    { "a=b c", "a=b c" },
    { "a=b\\,c", "a=b\\,c" },
    { "a=b\\=c", "a=b\\=c" },
    { "a=b\\\\c", "a=b\\\\c" },
    { "a=\\\\", "a=\\\\" },
    { "a=\\\\,b=c", "a=\\\\,b=c" },
    { "metadata.name=web,metadata.namespace!=default",
      "metadata.name=web,metadata.namespace!=default" },
    { "a=\303\251", "a=\303\251" },
    { "a=!", "a=!" },
    { "a=!b", "a=!b" },
};

static const struct {
    const char *chars;
    size_t at;
    const char *words;
} bad[] = {
    { "a!==b", 3, "invalid field selector: unescaped character in value: 61" },
    { "a", 0, "invalid selector: 'a'; can't understand 'a'" },
    { "a,b=c", 0, "invalid selector: 'a,b=c'; can't understand 'a'" },
    { "!a", 0, "invalid selector: '!a'; can't understand '!a'" },
    { "a=b,c", 4, "invalid selector: 'a=b,c'; can't understand 'c'" },
    { "a=b=c", 3, "invalid field selector: unescaped character in value: 61" },
    { "a===b", 3, "invalid field selector: unescaped character in value: 61" },
    { "a!=b=c", 4, "invalid field selector: unescaped character in value: 61" },
    { "a=\\b", 2, "invalid field selector: invalid escape sequence: \\b" },
    { "a=\\", 2, "invalid field selector: invalid escape sequence: \\" },
    { "a=b\\\303\251", 3, "invalid field selector: invalid escape sequence: \\\303\251" },
    { "a\\,b", 0, "invalid selector: 'a\\,b'; can't understand 'a\\,b'" },
    { "a!", 0, "invalid selector: 'a!'; can't understand 'a!'" },
};

static void check_text(const char *chars, const char *want)
{
    AUTO(kin_field_selector_free) kin_field_selector *selector = NULL;
    kin_error err;

    if (kin_field_selector_parse(chars, &selector, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    ASSERT_STR_EQ(kin_field_selector_text(selector), want);
}

static void check_message(const char *chars, const char *want)
{
    kin_field_selector *selector = NULL;
    kin_error err;

    ASSERT_ERR(kin_field_selector_parse(chars, &selector, &err), KIN_ERR_MALFORMED);
    ASSERT_TRUE(selector == NULL);
    ASSERT_MESSAGE(&err, want);
}

static bool matches(const char *chars, const kin_object *object)
{
    AUTO(kin_field_selector_free) kin_field_selector *selector = NULL;
    kin_error err;

    if (kin_field_selector_parse(chars, &selector, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    return kin_field_selector_matches(selector, object);
}

static void check_matches(const kin_object *object, const char *chars, bool want)
{
    if (matches(chars, object) != want) {
        FAIL("%s %s", chars, want ? "does not match" : "matches");
    }
}

static const char sample[] =
    "{\"metadata\":{\"name\":\"web-0\",\"namespace\":\"default\","
    "\"labels\":{\"a.b/c\":\"d\",\"x=y,z\":\"1\"}},"
    "\"spec\":{\"nodeName\":\"node-1\",\"s\":\"a,b=c\\\\d\",\"u\":\"\\u0061\\u00e9\","
    "\"n\":5,\"f\":5.0,\"e\":1e2,\"minus\":-0,\"yes\":true,\"no\":false,\"nil\":null,"
    "\"empty\":\"\",\"list\":[\"x\",\"y\"],\"map\":{\"k\":\"v\"}}}";

TEST(field_selector, gives_the_text_of_the_server)
{
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        check_text(good[i].chars, good[i].canonical);
        check_text(good[i].canonical, good[i].canonical);
    }
    check_text(NULL, "");
}

/* There the terms keep the order of what was written ("a=3,a=2"), and read back change it. */
TEST(field_selector, sorts_what_its_text_says)
{
    check_text("a=3,a==2", "a=2,a=3");
}

TEST(field_selector, refuses_in_the_words_of_the_server_and_says_where)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        text want = { 0 };
        text_append(&want, WANTED "\"%s\": %s at byte %zu", bad[i].chars, bad[i].words, bad[i].at);
        check_message(bad[i].chars, want.chars);
    }
}

/* As the server does, which sorts the terms before it looks at them. */
TEST(field_selector, tells_the_fault_of_the_term_that_sorts_first)
{
    check_message("c=\\c,b=\\b,d",
                  WANTED "\"c=\\c,b=\\b,d\": invalid field selector: invalid escape sequence: \\b "
                         "at byte 7");
}

TEST(field_selector, writes_paths_in_their_canonical_form)
{
    check_text("[\"metadata\"][\"name\"]=a", "metadata.name=a");
    check_text("metadata.labels[\"a.b/c\"]=d", "metadata.labels[\"a.b/c\"]=d");
    check_text("spec.list[1]=y,spec.list[-1]=x", "spec.list[-1]=x,spec.list[1]=y");
}

/* Without escapes the comma would end the term, and "=" the path. */
TEST(field_selector, can_name_a_member_with_a_comma_or_an_equals_sign)
{
    kin_object *object = make(sample);

    check_text("metadata.labels[\"x\\u003dy\\u002Cz\"]!=1",
               "metadata.labels[\"x\\u003dy\\u002cz\"]!=1");
    check_matches(object, "metadata.labels[\"x\\u003dy\\u002cz\"]=1", true);
    check_matches(object, "metadata.labels[\"x\\u003dy\\u002cz\"]=2", false);
    check_message("a[\"x=y\"]=1", "parse field selector: term \"a[\"x=y\"]=1\": read path "
                                  "\"a[\"x\": expected '\"' at byte 4");
    kin_object_unref(object);
}

TEST(field_selector, names_the_term_whose_path_is_wrong)
{
    check_message("b=c,a b=c", "parse field selector: term \"a b=c\": read path \"a b\": expected "
                               "'.' or '[' at byte 1");
    check_message("a[?b==\"c\"].d=e",
                  "parse field selector: term \"a[?b==\"c\"].d=e\": a field selector takes no "
                  "filters");
    check_message("a[?b==1]", "parse field selector: term \"a[?b==1]\": a field selector takes no "
                              "filters");
    check_message("a[*]=c", "parse field selector: term \"a[*]=c\": a field selector takes no [*]");
    check_text("a[\"[?\"]=b", "a[\"[?\"]=b");
}

TEST(field_selector, says_which_path_is_wrong_however_long_the_text_is)
{
    char *chars = repeat("a ", "b", 1000000, "=c");
    kin_field_selector *selector = NULL;
    kin_error err;

    ASSERT_ERR(kin_field_selector_parse(chars, &selector, &err), KIN_ERR_MALFORMED);
    ASSERT_CONTAINS(err.message, "parse field selector: term \"a bbb");
    ASSERT_CONTAINS(err.message, "bbb...\": read path \"a bbb");
    ASSERT_CONTAINS(err.message, "expected '.' or '[' at byte 1");
    kin_free(chars);
}

TEST(field_selector, compares_fields_as_text)
{
    kin_object *object = make(sample);

    check_matches(object, "", true);
    check_matches(object, "metadata.name=web-0", true);
    check_matches(object, "metadata.name==web-0", true);
    check_matches(object, "metadata.name!=web-0", false);
    check_matches(object, "metadata.name=web", false);
    check_matches(object, "metadata.name=web-00", false);
    check_matches(object, "metadata.name=web-0,metadata.namespace!=default", false);
    check_matches(object, "metadata.name=web-0,metadata.namespace!=other", true);
    check_matches(object, "spec.s=a\\,b\\=c\\\\d", true);
    check_matches(object, "spec.u=a\xc3\xa9", true);
    check_matches(object, "spec.list[1]=y", true);
    kin_object_unref(object);
}

TEST(field_selector, compares_numbers_as_they_are_written)
{
    kin_object *object = make(sample);

    check_matches(object, "spec.n=5", true);
    check_matches(object, "spec.n=5.0", false);
    check_matches(object, "spec.f=5.0", true);
    check_matches(object, "spec.f=5", false);
    check_matches(object, "spec.e=1e2", true);
    check_matches(object, "spec.e=100", false);
    check_matches(object, "spec.minus=-0", true);
    check_matches(object, "spec.yes=true", true);
    check_matches(object, "spec.yes=false", false);
    check_matches(object, "spec.no=false", true);
    check_matches(object, "spec.no!=false", false);
    kin_object_unref(object);
}

TEST(field_selector, takes_what_has_no_text_as_empty)
{
    static const char *const paths[] = { "spec.nil", "spec.list", "spec.map", "spec.empty",
                                         "missing",  "a.b.c",     "spec.n.x", "spec.list[7]" };
    kin_object *object = make(sample);

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        text chars = { 0 };
        text_append(&chars, "%s=", paths[i]);
        check_matches(object, chars.chars, true);
        text_append(&chars, "null");
        check_matches(object, chars.chars, false);
        text_clear(&chars);
        text_append(&chars, "%s!=", paths[i]);
        check_matches(object, chars.chars, false);
    }
    check_matches(object, "=x", false);
    check_matches(object, "!=x", true);
    kin_object_unref(object);
}

/* Longer than any scratch on the stack, and different in its last character only. */
TEST(field_selector, compares_long_strings_with_escapes_to_their_end)
{
    static const char first[] = "{\"metadata\":{\"name\":\"a\"},\"s\":\"";
    char *json = repeat(first, "\\u00e9\\n", 20000, "x\"}");
    char *same = repeat("s=", "\xc3\xa9\n", 20000, "x");
    char *other = repeat("s=", "\xc3\xa9\n", 20000, "y");
    char *longer = repeat("s=", "\xc3\xa9\n", 20000, "xx");
    char *shorter = repeat("s=", "\xc3\xa9\n", 20000, "");
    kin_object *object = make(json);

    ASSERT_TRUE(matches(same, object));
    ASSERT_FALSE(matches(other, object));
    ASSERT_FALSE(matches(longer, object));
    ASSERT_FALSE(matches(shorter, object));
    kin_object_unref(object);
    kin_free(json);
    kin_free(same);
    kin_free(other);
    kin_free(longer);
    kin_free(shorter);
}

TEST(field_selector, has_limits)
{
    AUTO(kin_field_selector_free) kin_field_selector *selector = NULL;
    kin_field_selector *none = NULL;
    kin_error err;

    char *chars = repeat("", "a=b,", 1000, ",");
    ASSERT_OK(kin_field_selector_parse(chars, &selector, &err));
    kin_free(chars);

    chars = repeat("", "a=b,", 1000, "c=d");
    ASSERT_ERR(kin_field_selector_parse(chars, &none, &err), KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "parse field selector: more than 1000 terms");
    kin_free(chars);

    chars = repeat("a=", "b", KIN__SELECTOR_TEXT_MAX - 1, "");
    ASSERT_ERR(kin_field_selector_parse(chars, &none, &err), KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "parse field selector: longer than 1048576 bytes");
    kin_free(chars);

    chars = repeat("a", ".b", 1000, "=c");
    ASSERT_ERR(kin_field_selector_parse(chars, &none, &err), KIN_ERR_LIMIT);
    ASSERT_CONTAINS(err.message, "there are too many steps");
    kin_free(chars);
}

/* The canonical path may be longer than the one that was written: there "<" has six bytes. */
TEST(field_selector, gives_no_text_that_it_would_not_read)
{
    kin_field_selector *none = NULL;
    kin_error err;

    char *chars = repeat("[\"", "<", 500000, "\"]=c");
    ASSERT_ERR(kin_field_selector_parse(chars, &none, &err), KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "parse field selector: longer than 1048576 bytes");
    kin_free(chars);
}

TEST(field_selector, reads_hostile_texts_in_no_time)
{
    static const struct {
        const char *first;
        const char *piece;
        const char *last;
        kin_err code;
    } hostile[] = {
        { "a=", "\\,", "", KIN_OK },
        { "", ",", "", KIN_OK },
        { "", "=,", "", KIN_OK },
        { "a=", "\\", "", KIN_OK },
        { "", "!", "=a", KIN_ERR_MALFORMED },
        { "", "[", "=a", KIN_ERR_MALFORMED },
        { "a", "=", "", KIN_ERR_MALFORMED },
        { "", "\xff", "", KIN_ERR_MALFORMED },
    };
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        AUTO(kin_field_selector_free) kin_field_selector *selector = NULL;
        size_t count = 300000 / strlen(hostile[i].piece);
        char *chars = repeat(hostile[i].first, hostile[i].piece, count, hostile[i].last);
        ASSERT_ERR(kin_field_selector_parse(chars, &selector, NULL), hostile[i].code);
        kin_free(chars);
    }
    kin_field_selector_free(NULL);
}

TEST(field_selector, matches_without_an_allocation)
{
    AUTO(kin_field_selector_free) kin_field_selector *selector = NULL;
    kin_object *object = make(sample);

    ASSERT_OK(kin_field_selector_parse("spec.u=a\xc3\xa9,spec.n=5,spec.yes=true", &selector, NULL));
    long long before = live_blocks();
    ASSERT_TRUE(kin_field_selector_matches(selector, object));

    ASSERT_EQ(live_blocks(), before);
    kin_object_unref(object);
}

TEST_FAILING_ALLOC(field_selector, survives_without_memory)
{
    AUTO(kin_field_selector_free) kin_field_selector *selector = NULL;
    kin_error err;

    kin_err code = kin_field_selector_parse(
        "spec.nodeName=node-1,metadata.name!=a\\,b,status.phase=Running,x=y", &selector, &err);
    if (code == KIN_OK) {
        ASSERT_STR_EQ(kin_field_selector_text(selector),
                      "metadata.name!=a\\,b,spec.nodeName=node-1,status.phase=Running,x=y");
    }
    return code;
}
