/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sort_test.c - sorting in place.
 */
#include "base/sort.h"

#include <stdint.h>
#include <string.h>

#include "support/test.h"

typedef struct item {
    uint32_t key;
    uint32_t position;
    char padding[KIN__SORT_ITEM_MAX - 8]; /* the largest there may be */
} item;

static size_t compared; /* how often */

static int by_key(const void *context, const void *a, const void *b)
{
    const item *one = a;
    const item *two = b;

    ASSERT_TRUE(context == &compared);
    compared++;
    return one->key < two->key ? -1 : one->key > two->key;
}

static int by_key_and_position(const void *context, const void *a, const void *b)
{
    const item *one = a;
    const item *two = b;
    int order = by_key(context, a, b);

    return order != 0 ? order : one->position < two->position ? -1 : 1;
}

static int by_byte(const void *context, const void *a, const void *b)
{
    (void) context;
    return *(const unsigned char *) a - *(const unsigned char *) b;
}

/* Numbers that look random, the same in each run. */
static uint32_t next_number(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* Fills in `count` items with `kinds` different keys, and sorts them. */
static void check_sorted(size_t count, uint32_t kinds)
{
    static item items[5000];
    uint32_t state = (uint32_t) count;
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        items[i] = (item){ next_number(&state) % kinds, (uint32_t) i, { 0 } };
        memset(items[i].padding, (int) (items[i].key % 251), sizeof items[i].padding);
        sum += items[i].key;
    }
    kin__sort(items, count, sizeof items[0], by_key_and_position, &compared);
    for (size_t i = 0; i < count; i++) {
        sum -= items[i].key;
        ASSERT_EQ(items[i].padding[7], (char) (items[i].key % 251));
        if (i > 0) {
            ASSERT_TRUE(
                items[i - 1].key < items[i].key ||
                (items[i - 1].key == items[i].key && items[i - 1].position < items[i].position));
        }
    }
    ASSERT_EQ(sum, 0);
}

TEST(sort, sorts_any_number_of_items)
{
    for (size_t count = 0; count < 40; count++) {
        check_sorted(count, 1000000);
        check_sorted(count, 3);
        check_sorted(count, 1);
    }
    check_sorted(5000, 1000000);
    check_sorted(5000, 7);
}

TEST(sort, sorts_bytes)
{
    char chars[] = "selectors";

    kin__sort(chars, strlen(chars), 1, by_byte, NULL);

    ASSERT_STR_EQ(chars, "ceelorsst");
}

TEST(sort, looks_once_at_what_is_in_order)
{
    static item items[1000];

    for (uint32_t i = 0; i < 1000; i++) {
        items[i].key = i / 2;
    }
    compared = 0;
    kin__sort(items, 1000, sizeof items[0], by_key, &compared);

    ASSERT_EQ(compared, 999);
}

/* Quicksort would make millions of comparisons of some of these. */
TEST(sort, takes_no_longer_for_a_hostile_order)
{
    static item items[4096];
    enum { COUNT = 4096, LOG = 12 };

    for (int order = 0; order < 4; order++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t mountain = i < COUNT / 2 ? i : COUNT - i;
            uint32_t keys[] = { COUNT - i, mountain, COUNT - mountain, i % 2 };
            items[i].key = keys[order];
        }
        compared = 0;
        kin__sort(items, COUNT, sizeof items[0], by_key, &compared);
        ASSERT_TRUE(compared < 3 * COUNT * LOG);
        for (uint32_t i = 1; i < COUNT; i++) {
            ASSERT_TRUE(items[i - 1].key <= items[i].key);
        }
    }
}
