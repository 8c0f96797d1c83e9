/* SPDX-License-Identifier: Apache-2.0 */
/*
 * members_test.c - members in their order, found by name.
 */
#include "json/members.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "support/random.h"
#include "support/test.h"

KIN__DEFINE_AUTO_FINI(kin__members, kin__members_fini)

/* Values are numbers that are never read through. */
static void *number(size_t value)
{
    return (void *) (uintptr_t) value;
}

static size_t get(const kin__members *members, const char *name)
{
    return (size_t) (uintptr_t) kin__members_get(members, kin_str_of(name));
}

static size_t take(kin__members *members, const char *name)
{
    return (size_t) (uintptr_t) kin__members_take(members, kin_str_of(name));
}

/* Returns what was there before. */
static size_t put(kin__members *members, const char *name, size_t value)
{
    void *before = number(999);
    ASSERT_TRUE(kin__members_put(members, kin_str_of(name), number(value), &before));
    return (size_t) (uintptr_t) before;
}

/* "a=1 b=2" */
static const char *describe(const kin__members *members, text *out)
{
    size_t place = 0;
    kin_str name;
    void *value;

    text_clear(out);
    while (kin__members_next(members, &place, &name, &value)) {
        text_append(out, "%s%.*s=%zu", out->len == 0 ? "" : " ", KIN_STR_ARG(name),
                    (size_t) (uintptr_t) value);
    }
    return out->chars;
}

static const char *numbered(size_t i, text *out)
{
    text_clear(out);
    text_append(out, "n%zu", i);
    return out->chars;
}

TEST(members, keep_the_order_in_which_they_were_put)
{
    AUTO(kin__members_fini) kin__members members = { 0 };
    text got;

    ASSERT_EQ(put(&members, "zebra", 1), 0);
    ASSERT_EQ(put(&members, "ant", 2), 0);
    ASSERT_EQ(put(&members, "", 3), 0);

    ASSERT_STR_EQ(describe(&members, &got), "zebra=1 ant=2 =3");
    ASSERT_EQ(members.count, 3);
    ASSERT_EQ(get(&members, "ant"), 2);
    ASSERT_EQ(get(&members, ""), 3);
    ASSERT_EQ(get(&members, "an"), 0);
}

TEST(members, keep_the_place_of_a_name_that_is_put_again)
{
    AUTO(kin__members_fini) kin__members members = { 0 };
    text got;

    ASSERT_EQ(put(&members, "a", 1), 0);
    ASSERT_EQ(put(&members, "b", 2), 0);
    ASSERT_EQ(put(&members, "a", 3), 1);

    ASSERT_STR_EQ(describe(&members, &got), "a=3 b=2");
}

TEST(members, know_names_apart_after_a_zero_byte)
{
    AUTO(kin__members_fini) kin__members members = { 0 };
    void *before;

    ASSERT_TRUE(kin__members_put(&members, STR("a\0b"), number(1), &before));
    ASSERT_TRUE(kin__members_put(&members, STR("a\0c"), number(2), &before));

    ASSERT_TRUE(kin__members_get(&members, STR("a\0b")) == number(1));
    ASSERT_TRUE(kin__members_get(&members, STR("a\0c")) == number(2));
    ASSERT_TRUE(kin__members_get(&members, STR("a")) == NULL);
}

TEST(members, close_the_gap_when_one_is_taken)
{
    AUTO(kin__members_fini) kin__members members = { 0 };
    text got;

    ASSERT_EQ(put(&members, "a", 1), 0);
    ASSERT_EQ(put(&members, "b", 2), 0);
    ASSERT_EQ(put(&members, "c", 3), 0);

    ASSERT_EQ(take(&members, "b"), 2);
    ASSERT_EQ(take(&members, "b"), 0);

    ASSERT_STR_EQ(describe(&members, &got), "a=1 c=3");
    ASSERT_EQ(put(&members, "b", 4), 0);
    ASSERT_STR_EQ(describe(&members, &got), "a=1 c=3 b=4");
}

TEST(members, keep_their_order_when_there_are_many)
{
    AUTO(kin__members_fini) kin__members members = { 0 };
    text name;
    text got;
    text want = { 0 };

    for (size_t i = 1; i <= 100; i++) {
        ASSERT_EQ(put(&members, numbered(i, &name), i), 0);
    }
    for (size_t i = 1; i <= 100; i++) {
        ASSERT_EQ(get(&members, numbered(i, &name)), i);
        if (i % 5 != 0) {
            ASSERT_EQ(take(&members, name.chars), i);
            ASSERT_EQ(get(&members, name.chars), 0);
        } else {
            text_append(&want, "%sn%zu=%zu", want.len == 0 ? "" : " ", i, i);
        }
    }

    ASSERT_STR_EQ(describe(&members, &got), want.chars);
    ASSERT_EQ(members.count, 20);
}

/* A program that sets and removes the same annotations for ever. */
TEST(members, need_no_more_room_when_as_many_are_taken_as_are_put)
{
    AUTO(kin__members_fini) kin__members members = { 0 };
    text name;

    for (size_t i = 0; i < 5000; i++) {
        ASSERT_EQ(put(&members, numbered(i, &name), i + 1), 0);
        if (i >= 40) {
            ASSERT_EQ(take(&members, numbered(i - 40, &name)), i - 39);
        }
    }

    ASSERT_EQ(members.count, 40);
    ASSERT_TRUE(members.capacity <= 128);
    ASSERT_TRUE(members.slot_count <= 256);
}

/* Both ways round would take minutes if each step looked at all of them. */
TEST(members, are_put_and_taken_in_constant_time)
{
    enum { COUNT = 100000 };
    AUTO(kin__members_fini) kin__members members = { 0 };
    text name;

    for (size_t i = 0; i < COUNT; i++) {
        ASSERT_EQ(put(&members, numbered(i, &name), i + 1), 0);
    }
    for (size_t i = 0; i < COUNT / 2; i++) {
        ASSERT_EQ(take(&members, numbered(i, &name)), i + 1);
        ASSERT_EQ(take(&members, numbered(COUNT - 1 - i, &name)), COUNT - i);
    }

    ASSERT_EQ(members.count, 0);
    ASSERT_TRUE(members.slots == NULL);
}

/* The model: values by number, and numbers in the order of putting. */
typedef struct model {
    size_t values[64]; /* 0: not there */
    size_t order[64];
    size_t count;
} model;

static void model_put(model *m, size_t i, size_t value)
{
    if (m->values[i] == 0) {
        m->order[m->count++] = i;
    }
    m->values[i] = value;
}

static void model_take(model *m, size_t i)
{
    size_t kept = 0;

    for (size_t k = 0; k < m->count; k++) {
        if (m->order[k] != i) {
            m->order[kept++] = m->order[k];
        }
    }
    m->count = kept;
    m->values[i] = 0;
}

TEST(members, behave_as_a_list_would)
{
    AUTO(kin__members_fini) kin__members members = { 0 };
    uint64_t random = random_start(20261116);
    model m = { 0 };
    text name;
    text got;
    text want;

    for (size_t step = 1; step < 20000; step++) {
        /* Long times of growing and of shrinking, so that both forms are met. */
        size_t takes_of_ten = step / 500 % 2 == 0 ? 3 : 7;
        size_t i = random_below(&random, 64);
        (void) numbered(i, &name);
        if (random_below(&random, 10) < takes_of_ten) {
            ASSERT_EQ(take(&members, name.chars), m.values[i]);
            model_take(&m, i);
        } else {
            ASSERT_EQ(put(&members, name.chars, step), m.values[i]);
            model_put(&m, i, step);
        }
        ASSERT_EQ(members.count, m.count);
        text_clear(&want);
        for (size_t k = 0; k < m.count; k++) {
            text_append(&want, "%sn%zu=%zu", k == 0 ? "" : " ", m.order[k], m.values[m.order[k]]);
        }
        ASSERT_STR_EQ(describe(&members, &got), want.chars);
    }
}

TEST_FAILING_ALLOC(members, stay_as_they_were_when_one_cannot_be_put)
{
    AUTO(kin__members_fini) kin__members members = { 0 };
    text name;
    void *before = number(999);

    for (size_t i = 0; i < 40; i++) {
        (void) numbered(i, &name);
        if (!kin__members_put(&members, kin_str_of(name.chars), number(i + 1), &before)) {
            ASSERT_EQ(members.count, i);
            ASSERT_EQ(get(&members, name.chars), 0);
            ASSERT_EQ(i == 0 ? 1 : get(&members, "n0"), 1);
            ASSERT_EQ(i < 2 ? i : get(&members, numbered(i - 1, &name)), i);
            ASSERT_TRUE(before == (i == 0 ? number(999) : NULL));
            return KIN_ERR_NO_MEMORY;
        }
    }
    return KIN_OK;
}
