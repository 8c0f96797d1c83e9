/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selector_test.c - whether an object's labels meet a selector.
 *
 * What matches is what labels.Parse(...).Matches(...) of k8s.io/apimachinery v0.37.2 says.
 */
#include "object/selector.h"

#include <string.h>

#include "base/buf.h"
#include "making.h"
#include "support/test.h"

/* An object with these labels, a JSON object. */
static kin_object *labelled(const char *labels)
{
    text json = { 0 };
    text_append(&json, "{\"metadata\":{\"name\":\"a\",\"labels\":%s}}", labels);
    return make(json.chars);
}

static bool matches(const char *chars, const kin_object *object)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    kin_error err;

    if (kin_selector_parse(chars, &selector, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    return kin_selector_matches(selector, object);
}

/* One letter for each of six objects: x when the selector matches, . when it does not. */
static void check(const char *chars, const char *want)
{
    static const char *const labels[] = {
        "null",
        "{\"app\":\"web\"}",
        "{\"app\":\"db\",\"tier\":\"web\",\"n\":\"5\"}",
        "{\"app\":\"\",\"n\":\"-5\"}",
        "{\"tier\":\"db\",\"n\":\"007\",\"example.com/app\":\"web\"}",
        "{\"n\":\"9223372036854775808\",\"\\u0061pp\":\"w\\u0065b\"}",
    };
    text got = { 0 };

    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        kin_object *object = labelled(labels[i]);
        text_append(&got, matches(chars, object) ? "x" : ".");
        kin_object_unref(object);
    }
    if (strcmp(got.chars, want) != 0) {
        FAIL("%s: got %s, wanted %s", chars, got.chars, want);
    }
}

TEST(selector, compares_labels_as_the_server_does)
{
    check("", "xxxxxx");
    check("app", ".xxx.x");
    check("!app", "x...x.");
    check("app=web", ".x...x");
    check("app==web", ".x...x");
    check("app!=web", "x.xxx.");
    check("app=", "...x..");
    check("app!=", "xxx.xx");
    check("app in (web,db)", ".xx..x");
    check("app in (web)", ".x...x");
    check("app in ()", "...x..");
    check("app in (,web)", ".x.x.x");
    check("app notin (web,db)", "x..xx.");
    check("app notin ()", "xxx.xx");
    check("example.com/app=web", "....x.");
    check("example.com/app!=web", "xxxx.x");
    check("app=we", "......");
    check("ap", "......");
    check("appp", "......");
}

TEST(selector, compares_integers_and_nothing_else_by_size)
{
    check("n>4", "..x.x.");
    check("n>5", "....x.");
    check("n<6", "..xx..");
    check("n<5", "...x..");
    check("n>0,n<6", "..x...");
    check("n<9223372036854775807", "..xxx.");
    check("app>1", "......");
    check("missing<1", "......");
}

TEST(selector, asks_for_all_requirements)
{
    check("app=web,!tier", ".x...x");
    check("app,tier", "..x...");
    check("app=web,app=db", "......");
    check("app!=web,app!=db,app", "...x..");
}

/* Each search begins where the one before has ended. */
TEST(selector, finds_labels_after_those_that_are_not_there)
{
    check("aaa!=1,app,apq!=1,n,o!=1,tier", "..x...");
    check("app,app!=x,app in (web,db),n,n>4,n<6", "..x...");
    check("!aaa,!apz,n,tier,!zz", "..x.x.");
}

/* Names are compared by the word, so every length and every place of a difference counts. */
TEST(selector, compares_every_byte_of_a_name)
{
    for (size_t len = 1; len <= 63; len++) {
        char name[64] = { 0 };
        text labels = { 0 };
        memset(name, 'm', len);
        text_append(&labels, "{\"%s\":\"%s\"}", name, name);
        kin_object *object = labelled(labels.chars);
        for (size_t changed = 0; changed <= len; changed++) {
            char other[64];
            text by_key = { 0 };
            text by_value = { 0 };
            memcpy(other, name, sizeof other);
            if (changed < len) {
                other[changed] = 'n';
            }
            text_append(&by_key, "%s", other);
            text_append(&by_value, "%s=%s", name, other);
            ASSERT_EQ(matches(by_key.chars, object), changed == len);
            ASSERT_EQ(matches(by_value.chars, object), changed == len);
        }
        kin_object_unref(object);
    }
}

/* The ways to walk change with the number of requirements; the answer must not. */
TEST(selector, matches_many_requirements_as_it_does_few)
{
    static const struct {
        const char *selector;
        const char *want;
    } cases[] = {
        { "app", ".xxx.x" },
        { "!app", "x...x." },
        { "app=web", ".x...x" },
        { "app!=web", "x.xxx." },
        { "app in (web,db)", ".xx..x" },
        { "n>4", "..x.x." },
        { "app,tier", "..x..." },
        { "app=web,app=db", "......" },
        { "example.com/app", "....x." },
        { "zz", "......" },
        { "A", "......" },
        { "app,n<6,tier", "..x..." },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t more = 0; more < 40; more += 5) {
            text chars = { 0 };
            for (size_t m = 0; m < more; m++) {
                text_append(&chars, "!%c%zu,", m % 2 == 0 ? 'a' : 'x', m);
            }
            text_append(&chars, "%s", cases[i].selector);
            check(chars.chars, cases[i].want);
        }
    }
}

TEST(selector, finds_one_value_among_many_as_it_does_among_few)
{
    for (size_t count = 1; count < 40; count++) {
        text values = { 0 };
        for (size_t i = 0; i < count; i++) {
            text_append(&values, "v%zu,", i * 2);
        }
        for (size_t i = 0; i < count * 2 + 1; i++) {
            text chars = { 0 };
            text labels = { 0 };
            bool is_in = i % 2 == 0 && i < count * 2;
            text_append(&labels, "{\"k\":\"v%zu\"}", i);
            kin_object *object = labelled(labels.chars);
            text_append(&chars, "k in (%s)", values.chars);
            ASSERT_EQ(matches(chars.chars, object), is_in);
            text_clear(&chars);
            text_append(&chars, "k notin (%s)", values.chars);
            ASSERT_EQ(matches(chars.chars, object), !is_in);
            kin_object_unref(object);
        }
    }
}

/* Every length, and a difference at every byte. */
TEST(selector, compares_every_byte)
{
    for (size_t len = 1; len <= 63; len++) {
        char name[64] = { 0 };
        char other[64] = { 0 };
        memset(name, 'a', len);
        for (size_t i = 0; i < len; i++) {
            text labels = { 0 };
            text chars = { 0 };
            memset(other, 'a', len);
            other[i] = 'b';
            text_append(&labels, "{\"%s\":\"%s\"}", name, name);
            kin_object *object = labelled(labels.chars);
            text_append(&chars, "%s=%s", name, name);
            ASSERT_TRUE(matches(chars.chars, object));
            text_clear(&chars);
            text_append(&chars, "%s=%s", name, other);
            ASSERT_FALSE(matches(chars.chars, object));
            ASSERT_FALSE(matches(other, object));
            kin_object_unref(object);
        }
    }
}

/* 60,000 labels, and 120,000 requirements about labels that are not there. */
TEST(selector, matches_a_hostile_selector_and_a_hostile_object_in_no_time)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__buf_fini) kin__buf chars = { 0 };
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    kin_object *object = NULL;

    (void) kin__buf_append_format(&json, "{\"metadata\":{\"name\":\"a\",\"labels\":{\"last\":\"\"");
    for (unsigned i = 0; i < 60000; i++) {
        (void) kin__buf_append_format(&json, ",\"k%05x\":\"\"", i * 2);
    }
    (void) kin__buf_append_format(&json, "}}}");
    for (unsigned i = 0; i < 120000; i++) {
        (void) kin__buf_append_format(&chars, "!k%05x,", i * 2 + 1);
    }
    ASSERT_TRUE(kin__buf_append(&chars, "last", sizeof "last"));
    ASSERT_OK(kin_object_from_json(json.data, json.len, NULL, &object, NULL));
    ASSERT_OK(kin_selector_parse(chars.data, &selector, NULL));

    for (int i = 0; i < 10; i++) {
        ASSERT_TRUE(kin_selector_matches(selector, object));
    }
    kin_object_unref(object);
}

TEST(selector, knows_whether_it_matches_everything)
{
    AUTO(kin_selector_free) kin_selector *all = NULL;
    AUTO(kin_selector_free) kin_selector *some = NULL;

    ASSERT_OK(kin_selector_parse(" ", &all, NULL));
    ASSERT_OK(kin_selector_parse("a", &some, NULL));

    ASSERT_TRUE(kin_selector_is_everything(all));
    ASSERT_FALSE(kin_selector_is_nothing(all));
    ASSERT_FALSE(kin_selector_is_everything(some));
    ASSERT_FALSE(kin_selector_is_nothing(some));
    kin_selector_free(NULL);
}

TEST(selector, matches_without_an_allocation)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    kin_object *object = labelled("{\"app\":\"web\",\"tier\":\"db\"}");

    ASSERT_OK(kin_selector_parse("app=web,tier in (web,db),!legacy", &selector, NULL));
    long long before = live_blocks();
    ASSERT_TRUE(kin_selector_matches(selector, object));

    ASSERT_EQ(live_blocks(), before);
    kin_object_unref(object);
}
