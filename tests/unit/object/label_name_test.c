/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label_name_test.c - what a label may be called, and what it may say.
 */
#include "object/label_name.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "support/test.h"

#define NAME_FORM                                                                                  \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "    \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "         \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

static text *filled(text *t, const char *first, char piece, size_t count, const char *last)
{
    text_clear(t);
    text_append(t, "%s", first);
    for (size_t i = 0; i < count; i++) {
        text_append(t, "%c", piece);
    }
    text_append(t, "%s", last);
    return t;
}

static bool is_key(const char *key)
{
    return kin__label_key_is_valid(kin_str_of(key));
}

static bool is_value(const char *value)
{
    return kin__label_value_is_valid(kin_str_of(value));
}

static const char *key_faults(const char *key)
{
    static kin__fault fault;
    fault = (kin__fault){ 0 };
    kin__label_key_explain(kin_str_of(key), &fault);
    return fault.words;
}

TEST(label_name, takes_keys_with_and_without_a_prefix)
{
    static const char *const good[] = {
        "a",
        "A",
        "0",
        "a-b_c.d",
        "app.kubernetes.io/name",
        "a/b",
        "a.b-c.d/E",
        "0.1-2/x..y_z",
        "example.com/A--b",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!is_key(good[i])) {
            FAIL("%s", good[i]);
        }
    }
}

TEST(label_name, refuses_what_is_no_key)
{
    static const char *const bad[] = {
        "",     "-a",   "a-",     "_a",     "a.",     ".",    "a b",   "a@b",  "a\xc3\xa9",
        "/",    "/a",   "a/",     "a//b",   "a/b/c",  "A/b",  "a_b/c", "-a/b", "a-/b",
        ".a/b", "a./b", "a..b/c", "a.-b/c", "a-.b/c", "a/-b", "\x7f",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (is_key(bad[i])) {
            FAIL("%s", bad[i]);
        }
    }
    ASSERT_FALSE(kin__label_key_is_valid(kin__str("a\0b", 3)));
}

TEST(label_name, takes_values_that_are_empty_or_formed_as_a_name)
{
    ASSERT_TRUE(is_value(""));
    ASSERT_TRUE(is_value("a"));
    ASSERT_TRUE(is_value("V1.2.3-rc_4"));
    ASSERT_FALSE(is_value("-"));
    ASSERT_FALSE(is_value("-5"));
    ASSERT_FALSE(is_value("a/b"));
    ASSERT_FALSE(is_value("a "));
    ASSERT_FALSE(is_value("a."));
}

TEST(label_name, counts_bytes)
{
    text t = { 0 };

    ASSERT_TRUE(is_key(filled(&t, "", 'k', 63, "")->chars));
    ASSERT_FALSE(is_key(filled(&t, "", 'k', 64, "")->chars));
    ASSERT_TRUE(is_key(filled(&t, "", 'p', 253, "/k")->chars));
    ASSERT_FALSE(is_key(filled(&t, "", 'p', 254, "/k")->chars));
    ASSERT_TRUE(is_key(filled(&t, "p/", 'k', 63, "")->chars));
    ASSERT_FALSE(is_key(filled(&t, "p/", 'k', 64, "")->chars));
    ASSERT_TRUE(is_value(filled(&t, "", 'v', 63, "")->chars));
    ASSERT_FALSE(is_value(filled(&t, "", 'v', 64, "")->chars));
}

TEST(label_name, explains_keys_in_the_words_of_the_server)
{
    text t = { 0 };

    ASSERT_STR_EQ(key_faults("a"), "");
    ASSERT_STR_EQ(key_faults("-a"), "name part " NAME_FORM);
    ASSERT_STR_EQ(key_faults(""), "name part must be non-empty; name part " NAME_FORM);
    ASSERT_STR_EQ(key_faults("/a"), "prefix part must be non-empty");
    ASSERT_STR_EQ(key_faults("a/b/c"),
                  "a valid label key " NAME_FORM
                  " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    ASSERT_STR_EQ(key_faults("A/b"),
                  "prefix part a lowercase RFC 1123 subdomain must consist of lower case "
                  "alphanumeric characters, '-' or '.', and must start and end with an "
                  "alphanumeric character (e.g. 'example.com', regex used for validation is "
                  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
    ASSERT_STR_EQ(key_faults(filled(&t, "", 'k', 64, "")->chars),
                  "name part must be no more than 63 bytes");
    ASSERT_STR_EQ(key_faults(filled(&t, "", 'p', 254, "/k")->chars),
                  "prefix part must be no more than 253 bytes");
    ASSERT_STR_EQ(key_faults(filled(&t, "/", 'k', 64, "-")->chars),
                  "prefix part must be non-empty; name part must be no more than 63 bytes; "
                  "name part " NAME_FORM);
}

TEST(label_name, explains_values_in_the_words_of_the_server)
{
    kin__fault fault = { 0 };
    text t = { 0 };

    kin__label_value_explain(kin_str_of(filled(&t, "-", 'v', 63, "")->chars), &fault);
    ASSERT_STR_EQ(fault.words,
                  "must be no more than 63 bytes; a valid label must be an empty string or consist "
                  "of alphanumeric characters, '-', '_' or '.', and must start and end with an "
                  "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
                  "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
}

TEST(label_name, reads_integers)
{
    static const struct {
        const char *value;
        int64_t number;
    } good[] = {
        { "0", 0 },
        { "5", 5 },
        { "-5", -5 },
        { "+7", 7 },
        { "007", 7 },
        { "-0", 0 },
        { "9223372036854775807", INT64_MAX },
        { "-9223372036854775808", INT64_MIN },
        { "00000000000000000000000000000001", 1 },
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t number = 42;
        ASSERT_TRUE(kin__label_value_int64(kin_str_of(good[i].value), &number));
        ASSERT_EQ(number, good[i].number);
    }
}

TEST(label_name, refuses_what_is_no_integer)
{
    static const char *const bad[] = {
        "",
        "-",
        "+",
        "a",
        "5a",
        "a5",
        " 5",
        "5 ",
        "--5",
        "1_000",
        "0x1",
        "1.0",
        "1e3",
        "9223372036854775808",
        "-9223372036854775809",
        "92233720368547758070",
        "18446744073709551617",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t number = 42;
        if (kin__label_value_int64(kin_str_of(bad[i]), &number)) {
            FAIL("\"%s\" is read as %" PRId64, bad[i], number);
        }
        ASSERT_EQ(number, 42);
    }
}
