/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_test.c - keys of objects, and the order of resource versions.
 */
#include "kin/key.h"

#include <string.h>

#include "support/test.h"

static kin_str s(const char *chars)
{
    return kin_str_of(chars);
}

TEST(key, joins_namespace_and_name_with_a_slash)
{
    char buffer[32];
    kin_str key;

    ASSERT_OK(kin_key_make(s("kube-system"), s("dns"), buffer, sizeof buffer, &key, NULL));

    ASSERT_SLICE_EQ(key, "kube-system/dns");
    ASSERT_STR_EQ(buffer, "kube-system/dns");
    ASSERT_TRUE(key.data == buffer);
}

TEST(key, is_the_name_alone_without_a_namespace)
{
    char buffer[32];
    kin_str key;

    ASSERT_OK(kin_key_make((kin_str){ NULL, 0 }, s("node-1"), buffer, sizeof buffer, &key, NULL));

    ASSERT_SLICE_EQ(key, "node-1");
    ASSERT_STR_EQ(buffer, "node-1");
}

TEST(key, needs_a_buffer_of_both_lengths_and_two)
{
    char buffer[8] = "untouch";
    kin_str key = { buffer, 99 };
    kin_error err;

    ASSERT_ERR(kin_key_make(s("abc"), s("de"), buffer, 6, &key, &err), KIN_ERR_RANGE);
    ASSERT_MESSAGE(&err, "make key: 3 and 2 bytes into a buffer of 6");
    ASSERT_ERR(kin_key_make(s("abc"), s("de"), buffer, 1, &key, &err), KIN_ERR_RANGE);
    ASSERT_ERR(kin_key_make(s(""), s("de"), NULL, 0, &key, &err), KIN_ERR_RANGE);
    ASSERT_STR_EQ(buffer, "untouch");
    ASSERT_EQ(key.len, 99u);

    ASSERT_OK(kin_key_make(s("abc"), s("de"), buffer, 7, &key, &err));
    ASSERT_STR_EQ(buffer, "abc/de");
}

TEST(key, refuses_an_empty_name)
{
    char buffer[32];
    kin_str key;
    kin_error err;

    ASSERT_ERR(kin_key_make(s("ns"), s(""), buffer, sizeof buffer, &key, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "make key: the name is empty");
}

TEST(key, refuses_a_slash_in_either_part)
{
    char buffer[32];
    kin_str key;
    kin_error err;

    ASSERT_ERR(kin_key_make(s("a/b"), s("c"), buffer, sizeof buffer, &key, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "make key: \"a/b\" has a slash");
    ASSERT_ERR(kin_key_make(s("a"), s("/c"), buffer, sizeof buffer, &key, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "make key: \"/c\" has a slash");
}

TEST(key, comes_apart_into_what_it_was_made_of)
{
    kin_str key = s("default/web");
    kin_str in_namespace;
    kin_str name;

    ASSERT_OK(kin_key_split(key, &in_namespace, &name, NULL));
    ASSERT_SLICE_EQ(in_namespace, "default");
    ASSERT_SLICE_EQ(name, "web");
    ASSERT_TRUE(in_namespace.data == key.data);
    ASSERT_TRUE(name.data == key.data + 8);

    ASSERT_OK(kin_key_split(s("node-1"), &in_namespace, &name, NULL));
    ASSERT_SLICE_EQ(in_namespace, "");
    ASSERT_SLICE_EQ(name, "node-1");
}

TEST(key, has_an_empty_namespace_before_a_leading_slash)
{
    kin_str in_namespace;
    kin_str name;

    ASSERT_OK(kin_key_split(s("/node-1"), &in_namespace, &name, NULL));

    ASSERT_SLICE_EQ(in_namespace, "");
    ASSERT_SLICE_EQ(name, "node-1");
}

TEST(key, is_refused_with_the_words_of_client_go)
{
    static const char *const wrong[] = { "", "/", "a/", "a/b/c", "//a", "a//", "a//b" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        kin_str in_namespace = { "before", 6 };
        kin_str name = { "before", 6 };
        kin_error err;
        text want = { 0 };
        text_append(&want, "unexpected key format: \"%s\"", wrong[i]);

        ASSERT_ERR(kin_key_split(s(wrong[i]), &in_namespace, &name, &err), KIN_ERR_MALFORMED);

        ASSERT_MESSAGE(&err, want.chars);
        ASSERT_SLICE_EQ(in_namespace, "before");
        ASSERT_SLICE_EQ(name, "before");
    }
    kin_str in_namespace;
    kin_str name;
    ASSERT_ERR(kin_key_split((kin_str){ NULL, 0 }, &in_namespace, &name, NULL), KIN_ERR_MALFORMED);
}

/* The quoted part is cut, and its length is never taken for an int. */
TEST(key, of_any_length_fits_into_a_message)
{
    static char chars[1000];
    memset(chars, '/', sizeof chars);
    kin_str in_namespace;
    kin_str name;
    kin_error err;

    ASSERT_ERR(kin_key_split((kin_str){ chars, sizeof chars }, &in_namespace, &name, &err),
               KIN_ERR_MALFORMED);

    ASSERT_EQ(strlen(err.message), strlen("unexpected key format: \"\"") + 256);
}

static int compared(const char *a, const char *b)
{
    int order = 99;
    ASSERT_OK(kin_resource_version_compare(s(a), s(b), &order, NULL));
    return (order > 0) - (order < 0);
}

TEST(resource_version, is_older_equal_or_newer)
{
    ASSERT_EQ(compared("1", "2"), -1);
    ASSERT_EQ(compared("2", "2"), 0);
    ASSERT_EQ(compared("3", "2"), 1);
    ASSERT_EQ(compared("9", "10"), -1);
    ASSERT_EQ(compared("100", "99"), 1);
    ASSERT_EQ(compared("1999", "2000"), -1);
}

TEST(resource_version, may_be_longer_than_any_integer)
{
    ASSERT_EQ(compared("18446744073709551615", "18446744073709551616"), -1);
    ASSERT_EQ(compared("340282366920938463463374607431768211457",
                       "340282366920938463463374607431768211456"),
              1);
}

TEST(resource_version, is_refused_when_it_is_no_positive_number)
{
    static const char *const wrong[] = { "",   "0",  "01", "00",  "-1", "+1",
                                         "1 ", " 1", "1a", "0x1", "1.0" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int order = 99;
        kin_error err;
        text want = { 0 };
        text_append(&want, "compare resource versions: \"%s\" is not one", wrong[i]);

        ASSERT_ERR(kin_resource_version_compare(s(wrong[i]), s("1"), &order, &err),
                   KIN_ERR_MALFORMED);
        ASSERT_MESSAGE(&err, want.chars);
        ASSERT_ERR(kin_resource_version_compare(s("1"), s(wrong[i]), &order, &err),
                   KIN_ERR_MALFORMED);
        ASSERT_MESSAGE(&err, want.chars);
        ASSERT_EQ(order, 99);
    }
}
