/* SPDX-License-Identifier: Apache-2.0 */
/*
 * equal_test.c - whether two values say the same.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "support/random.h"
#include "unit/object/making.h"

/* An object whose member x is `json`. */
static kin_object *wrap(const char *json)
{
    size_t room = strlen(json) + 64;
    char *whole = malloc(room);

    (void) snprintf(whole, room, "{\"metadata\":{\"name\":\"n\"},\"x\":%s}", json);
    kin_object *object = make(whole);
    free(whole);
    return object;
}

static bool are_equal(const char *a, const char *b)
{
    kin_object *left = wrap(a);
    kin_object *right = wrap(b);
    bool forth = false;
    bool back = false;

    ASSERT_OK(kin_value_equal(kin_object_at(left, "x"), kin_object_at(right, "x"), &forth));
    ASSERT_OK(kin_value_equal(kin_object_at(right, "x"), kin_object_at(left, "x"), &back));
    ASSERT_EQ(forth, back);
    kin_object_unref(left);
    kin_object_unref(right);
    return forth;
}

#define CHECK_EQUAL(a, b)                                                                          \
    do {                                                                                           \
        if (!are_equal(a, b)) {                                                                    \
            FAIL("%s and %s are not equal", a, b);                                                 \
        }                                                                                          \
    } while (0)

#define CHECK_DIFFERENT(a, b)                                                                      \
    do {                                                                                           \
        if (are_equal(a, b)) {                                                                     \
            FAIL("%s and %s are equal", a, b);                                                     \
        }                                                                                          \
    } while (0)

TEST(equal, compares_scalars_by_what_they_mean)
{
    CHECK_EQUAL("null", "null");
    CHECK_EQUAL("true", "true");
    CHECK_DIFFERENT("true", "false");
    CHECK_EQUAL("3", "30e-1");
    CHECK_EQUAL("-0", "0.0");
    CHECK_DIFFERENT("3", "3.0000000000000000000001");
    CHECK_DIFFERENT("9007199254740993", "9007199254740992");
    CHECK_EQUAL("\"a\\u0062\"", "\"ab\"");
    CHECK_EQUAL("\"\\u00e4\\n\"", "\"\xc3\xa4\\u000a\"");
    CHECK_DIFFERENT("\"a\"", "\"b\"");
    CHECK_DIFFERENT("\"\\u0061\"", "\"\\u0062\"");
    CHECK_DIFFERENT("\"\"", "\"a\"");
}

TEST(equal, tells_types_apart)
{
    static const char *const values[] = { "null", "false", "0", "\"\"", "[]", "{}", "\"null\"" };
    const size_t count = sizeof values / sizeof values[0];

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            ASSERT_EQ(are_equal(values[i], values[j]), i == j);
        }
    }
}

TEST(equal, finds_missing_values_equal_to_each_other_alone)
{
    kin_object *object = wrap("null");
    kin_value missing = kin_object_at(object, "absent");
    kin_value usage = kin_object_at(object, "a..b");
    bool is_equal = false;

    ASSERT_OK(kin_value_equal(missing, usage, &is_equal));
    ASSERT_TRUE(is_equal);
    ASSERT_OK(kin_value_equal(missing, kin_object_at(object, "x"), &is_equal));
    ASSERT_FALSE(is_equal);
    kin_object_unref(object);
}

TEST(equal, compares_arrays_in_order)
{
    CHECK_EQUAL("[1,[2,\"x\"],{}]", "[ 1.0 , [2,\"\\u0078\"] , { } ]");
    CHECK_DIFFERENT("[1,2]", "[2,1]");
    CHECK_DIFFERENT("[1,2]", "[1,2,3]");
    CHECK_DIFFERENT("[]", "[null]");
}

TEST(equal, compares_members_in_any_order)
{
    CHECK_EQUAL("{\"a\":1,\"b\":2}", "{\"b\":2, \"a\":1}");
    CHECK_EQUAL("{\"a\":1,\"b\":{\"c\":[1],\"d\":0}}",
                "{\"b\":{\"d\":0,\"c\":[1.0]},\"\\u0061\":1}");
    CHECK_EQUAL("{\"\\u0061\":1,\"\\u0062\":2}", "{\"b\":2,\"a\":1}");
    CHECK_DIFFERENT("{\"a\":1,\"b\":2}", "{\"b\":1,\"a\":2}");
    CHECK_DIFFERENT("{\"a\":1,\"b\":2}", "{\"a\":1}");
    CHECK_DIFFERENT("{\"a\":1}", "{\"a\":1,\"b\":2}");
    CHECK_DIFFERENT("{\"a\":1}", "{\"b\":1}");
    CHECK_DIFFERENT("{\"a\":null}", "{}");
    CHECK_DIFFERENT("{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1,\"b\":2,\"d\":3}");
}

TEST(equal, takes_the_last_of_members_with_one_name)
{
    CHECK_EQUAL("{\"a\":1,\"a\":2}", "{\"a\":2}");
    CHECK_EQUAL("{\"a\":1,\"a\":2}", "{\"a\":3,\"a\":2}");
    CHECK_EQUAL("{\"a\":1,\"\\u0061\":2}", "{\"a\":2}");
    CHECK_EQUAL("{\"a\":1,\"b\":2,\"a\":1}", "{\"a\":1,\"b\":2}");
    CHECK_EQUAL("{\"b\":0,\"a\":1,\"b\":2}", "{\"b\":7,\"a\":1,\"b\":2}");
    CHECK_DIFFERENT("{\"a\":2,\"a\":1}", "{\"a\":1,\"a\":2}");
    CHECK_DIFFERENT("{\"b\":2,\"a\":1,\"b\":0}", "{\"b\":2,\"a\":1,\"b\":1}");
}

/* {"k<first>":<first>, ...}, each number once, in an order that `step` makes. */
static char *numbered(size_t count, size_t step, size_t changed)
{
    size_t room = count * 24 + 3;
    char *json = malloc(room);
    size_t len = 0;

    json[len++] = '{';
    for (size_t i = 0; i < count; i++) {
        size_t k = i * step % count;
        len += (size_t) snprintf(json + len, room - len, "%s\"k%zu\":%zu", i > 0 ? "," : "", k,
                                 k == changed ? count : k);
    }
    json[len++] = '}';
    json[len] = '\0';
    return json;
}

TEST(equal, takes_many_members_in_any_order_in_its_stride)
{
    enum { COUNT = 100003 }; /* a prime, so that any step visits all */
    char *a = numbered(COUNT, 1, COUNT);
    char *b = numbered(COUNT, 50021, COUNT);
    char *c = numbered(COUNT, 50021, 77);

    ASSERT_TRUE(are_equal(a, b));
    ASSERT_FALSE(are_equal(b, c));
    free(a);
    free(b);
    free(c);
}

TEST(equal, notices_a_name_that_comes_again_after_many)
{
    text a = { 0 };
    text b = { 0 };

    text_append(&a, "{");
    for (int i = 40; i > 0; i--) {
        text_append(&a, "\"k%d\":0,", i);
    }
    b = a;
    text_append(&a, "\"k40\":1,\"k1\":1}");
    text_append(&b, "\"k40\":1,\"k1\":1}");
    a.chars[7] = '5';

    CHECK_EQUAL(a.chars, b.chars);
}

/* Names are remembered up to a number; one that comes first after that is noticed all the same. */
TEST(equal, notices_a_name_that_comes_twice_after_many)
{
    text a = { 0 };
    text b = { 0 };

    text_append(&a, "{");
    for (int i = 40; i > 1; i--) {
        text_append(&a, "\"k%d\":0,", i);
    }
    b = a;
    text_append(&a, "\"k1\":5,\"k1\":1}");
    text_append(&b, "\"k1\":6,\"k1\":1}");

    CHECK_EQUAL(a.chars, b.chars);
}

/* Were a value compared with more than one other at each level, this would never end. */
TEST(equal, compares_each_value_once_at_each_level)
{
    text a = { 0 };
    text b = { 0 };

    for (int i = 0; i < 300; i++) {
        text_append(&a, "{\"d\":0,\"a\":0,\"x\":");
        text_append(&b, "{\"d\":1,\"a\":0,\"x\":");
    }
    text_append(&a, "1");
    text_append(&b, "1.0");
    for (int i = 0; i < 300; i++) {
        text_append(&a, ",\"d\":3}");
        text_append(&b, ",\"d\":3}");
    }

    CHECK_EQUAL(a.chars, b.chars);
}

/* An object that is deep and large: the one must not multiply the other. */
TEST(equal, does_not_multiply_depth_and_size)
{
    const size_t depth = 900;
    const size_t size = 4000000;
    char *a = malloc(depth * 20 + size + 100);
    size_t len = 0;

    for (size_t i = 0; i < depth; i++) {
        memcpy(a + len, "{\"b\":1,\"a\":", 11);
        len += 11;
    }
    a[len++] = '"';
    memset(a + len, 'x', size);
    len += size;
    a[len++] = '"';
    memset(a + len, '}', depth);
    a[len + depth] = '\0';
    char *b = strdup(a);
    b[len - 2] = 'y';

    ASSERT_TRUE(are_equal(a, a));
    ASSERT_FALSE(are_equal(a, b));
    free(a);
    free(b);
}

TEST(equal, goes_as_deep_as_documents_may_be)
{
    text a = { 0 };
    text b = { 0 };

    for (int i = 0; i < 499; i++) {
        text_append(&a, "[{\"a\":");
        text_append(&b, "[{\"a\":");
    }
    text_append(&a, "1");
    text_append(&b, "1.0");
    for (int i = 0; i < 499; i++) {
        text_append(&a, ",\"b\":0}]");
        text_append(&b, ",\"b\":0}]");
    }

    CHECK_EQUAL(a.chars, b.chars);
}

/* What a document says follows from its seed alone, and that of a member from the member's name;
 * how it is written, from `order`. */
typedef struct writer {
    uint64_t order;
    int numbers;   /* written so far */
    int change_at; /* the one that is to differ; -1: none */
    text out;
} writer;

static uint64_t seed_below(uint64_t seed, size_t child)
{
    uint64_t state = seed + child;
    return random_next(&state);
}

static void write_value(writer *w, uint64_t seed, int depth)
{
    size_t kind = depth == 0 ? 0 : seed % 3;
    size_t count = seed / 3 % 5;
    size_t turn = count > 0 ? random_below(&w->order, count) : 0;

    if (kind == 0) {
        int number = (int) (seed / 15 % 3) + (w->numbers++ == w->change_at ? 100 : 0);
        text_append(&w->out, "%d%s", number, random_below(&w->order, 2) == 0 ? "" : ".0");
        return;
    }
    text_append(&w->out, kind == 1 ? "[" : "{");
    for (size_t i = 0; i < count; i++) {
        size_t child = kind == 1 ? i : (i + turn) % count;
        text_append(&w->out, i > 0 ? "," : "");
        if (kind == 2) {
            text_append(&w->out, "\"m%zu\":", child);
        }
        write_value(w, seed_below(seed, child), depth - 1);
    }
    text_append(&w->out, kind == 1 ? "]" : "}");
}

TEST(equal, holds_for_shuffled_documents_and_not_for_changed_ones)
{
    static writer a;
    static writer b;

    for (uint64_t number = 0; number < 300; number++) {
        uint64_t seed = seed_below(random_start(number), 0);
        a = (writer){ .order = 1, .change_at = -1 };
        b = (writer){ .order = number + 2, .change_at = -1 };
        write_value(&a, seed, 5);
        write_value(&b, seed, 5);
        CHECK_EQUAL(a.out.chars, b.out.chars);
        if (a.numbers > 0) {
            b = (writer){ .order = number + 2, .change_at = (int) number % a.numbers };
            write_value(&b, seed, 5);
            CHECK_DIFFERENT(a.out.chars, b.out.chars);
        }
    }
}

TEST_FAILING_ALLOC(equal, needs_memory_for_values_inside_many_others)
{
    text json_a = { 0 };
    text json_b = { 0 };
    kin_object *a = NULL;
    kin_object *b = NULL;
    bool is_equal = false;

    text_append(&json_a, "{\"metadata\":{\"name\":\"n\"},\"x\":");
    text_append(&json_b, "%s", json_a.chars);
    for (int i = 0; i < 40; i++) {
        text_append(&json_a, "[");
        text_append(&json_b, "[");
    }
    text_append(&json_a, "1");
    text_append(&json_b, "1.0");
    for (int i = 0; i < 40; i++) {
        text_append(&json_a, "]");
        text_append(&json_b, "]");
    }
    text_append(&json_a, "}");
    text_append(&json_b, "}");
    kin_err code = kin_object_from_json(json_a.chars, json_a.len, NULL, &a, NULL);
    if (code == KIN_OK) {
        code = kin_object_from_json(json_b.chars, json_b.len, NULL, &b, NULL);
    }
    if (code == KIN_OK) {
        code = kin_object_equal(a, b, &is_equal);
        ASSERT_EQ(is_equal, code == KIN_OK);
    }
    kin_object_unref(a);
    kin_object_unref(b);
    return code;
}

TEST_FAILING_ALLOC(equal, needs_memory_for_members_in_different_order)
{
    static const char json_a[] = "{\"metadata\":{\"name\":\"n\"},\"a\":\"\\u0061b\",\"\\u0062\":2}";
    static const char json_b[] = "{\"b\":2,\"a\":\"a\\u0062\",\"metadata\":{\"name\":\"n\"}}";
    kin_object *a = NULL;
    kin_object *b = NULL;
    bool is_equal = false;
    kin_err code = kin_object_from_json(json_a, sizeof json_a - 1, NULL, &a, NULL);

    if (code == KIN_OK) {
        code = kin_object_from_json(json_b, sizeof json_b - 1, NULL, &b, NULL);
    }
    if (code == KIN_OK) {
        code = kin_object_equal(a, b, &is_equal);
        ASSERT_EQ(is_equal, code == KIN_OK);
    }
    kin_object_unref(a);
    kin_object_unref(b);
    return code;
}
