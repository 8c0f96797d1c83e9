/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map_test.c - a hash map, and a list of pairs that must agree with it.
 */
#include "base/map.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "support/allocator.h"
#include "support/random.h"
#include "support/test.h"

#define MANY 1000

static int one, two, three;
static char values[MANY]; /* their addresses are the values */

static void put(kin__map *map, kin_str key, void *value)
{
    kin_error err;
    ASSERT_OK(kin__map_put(map, key, value, NULL, &err));
}

/* "pod-7", in a buffer that the next call overwrites. */
static kin_str name_of(size_t number)
{
    static char name[32];
    int len = snprintf(name, sizeof name, "pod-%zu", number);
    return kin__str(name, (size_t) len);
}

static void put_many(kin__map *map)
{
    for (size_t i = 0; i < MANY; i++) {
        put(map, name_of(i), &values[i]);
    }
}

TEST(map, is_empty_when_all_zero)
{
    AUTO(kin__map_clear) kin__map map = { 0 };

    ASSERT_TRUE(kin__map_get(&map, STR("a")) == NULL);
    ASSERT_TRUE(kin__map_remove(&map, STR("a")) == NULL);
    kin__map_iter iter = kin__map_begin(&map);
    ASSERT_FALSE(kin__map_next(&iter));
    ASSERT_EQ(map.count, 0);
}

TEST(map, finds_what_was_put_and_nothing_else)
{
    AUTO(kin__map_clear) kin__map map = { 0 };

    put(&map, STR("a"), &one);
    put(&map, STR("b"), &two);

    ASSERT_TRUE(kin__map_get(&map, STR("a")) == &one);
    ASSERT_TRUE(kin__map_get(&map, STR("b")) == &two);
    ASSERT_TRUE(kin__map_get(&map, STR("c")) == NULL);
    ASSERT_TRUE(kin__map_get(&map, STR("aa")) == NULL);
    ASSERT_EQ(map.count, 2);
}

TEST(map, takes_any_bytes_as_a_key)
{
    AUTO(kin__map_clear) kin__map map = { 0 };

    put(&map, STR(""), &one);
    put(&map, STR("\0"), &two);
    put(&map, STR("\0\0"), &three);

    ASSERT_TRUE(kin__map_get(&map, kin_str_of(NULL)) == &one);
    ASSERT_TRUE(kin__map_get(&map, STR("\0")) == &two);
    ASSERT_TRUE(kin__map_get(&map, STR("\0\0")) == &three);
}

TEST(map, copies_its_keys)
{
    AUTO(kin__map_clear) kin__map map = { 0 };
    char key[] = "abc";

    put(&map, kin_str_of(key), &one);
    memset(key, 'x', 3);

    ASSERT_TRUE(kin__map_get(&map, STR("abc")) == &one);
    ASSERT_TRUE(kin__map_get(&map, STR("xxx")) == NULL);
}

TEST(map, hands_back_what_a_put_replaces)
{
    AUTO(kin__map_clear) kin__map map = { 0 };
    void *before = &three;
    kin_error err;

    ASSERT_OK(kin__map_put(&map, STR("a"), &one, &before, &err));
    ASSERT_TRUE(before == NULL);
    ASSERT_OK(kin__map_put(&map, STR("a"), &two, &before, &err));
    ASSERT_TRUE(before == &one);

    ASSERT_TRUE(kin__map_get(&map, STR("a")) == &two);
    ASSERT_EQ(map.count, 1);
}

TEST(map, hands_back_what_is_removed)
{
    AUTO(kin__map_clear) kin__map map = { 0 };
    put(&map, STR("a"), &one);

    ASSERT_TRUE(kin__map_remove(&map, STR("a")) == &one);
    ASSERT_TRUE(kin__map_remove(&map, STR("a")) == NULL);
    ASSERT_TRUE(kin__map_get(&map, STR("a")) == NULL);
    ASSERT_EQ(map.count, 0);
}

TEST(map, is_walked_once_through)
{
    AUTO(kin__map_clear) kin__map map = { 0 };
    bool is_seen[MANY] = { false };
    put_many(&map);

    size_t count = 0;
    kin__map_iter iter = kin__map_begin(&map);
    while (kin__map_next(&iter)) {
        size_t number = (size_t) ((char *) iter.value - values);
        ASSERT_TRUE(kin_str_equal(iter.key, name_of(number)));
        ASSERT_FALSE(is_seen[number]);
        is_seen[number] = true;
        count++;
    }

    ASSERT_EQ(count, MANY);
    ASSERT_FALSE(kin__map_next(&iter));
}

TEST(map, can_be_used_again_when_cleared)
{
    AUTO(kin__map_clear) kin__map map = { 0 };
    put_many(&map);

    kin__map_clear(&map);
    ASSERT_EQ(live_blocks(), 0);
    ASSERT_TRUE(kin__map_get(&map, name_of(1)) == NULL);
    put(&map, STR("a"), &one);

    ASSERT_TRUE(kin__map_get(&map, STR("a")) == &one);
    ASSERT_EQ(map.count, 1);
}

TEST(map, shrinks_with_its_content)
{
    AUTO(kin__map_clear) kin__map map = { 0 };
    put_many(&map);
    ASSERT_TRUE(map.capacity >= MANY);

    for (size_t i = 3; i < MANY; i++) {
        ASSERT_TRUE(kin__map_remove(&map, name_of(i)) == &values[i]);
    }

    ASSERT_TRUE(map.capacity <= 32);
    for (size_t i = 0; i < 3; i++) {
        ASSERT_TRUE(kin__map_get(&map, name_of(i)) == &values[i]);
    }
}

TEST(map, stays_large_when_there_is_no_memory_to_shrink)
{
    AUTO(kin__map_clear) kin__map map = { 0 };
    put_many(&map);
    size_t capacity = map.capacity;

    test_allocator_plan((alloc_failure){ .first = 1, .is_lasting = true });
    for (size_t i = 3; i < MANY; i++) {
        ASSERT_TRUE(kin__map_remove(&map, name_of(i)) == &values[i]);
    }
    test_allocator_plan((alloc_failure){ 0 });

    ASSERT_EQ(map.capacity, capacity);
    ASSERT_TRUE(kin__map_get(&map, name_of(2)) == &values[2]);
}

TEST(map, stays_as_it_was_when_a_put_finds_no_memory)
{
    AUTO(kin__map_clear) kin__map map = { 0 };
    kin_error err;
    void *before = &three;

    for (size_t i = 0; i < 100; i++) {
        test_allocator_plan((alloc_failure){ .first = 1, .is_lasting = true });
        kin_err code = kin__map_put(&map, name_of(i), &values[i], &before, &err);
        test_allocator_plan((alloc_failure){ 0 });

        ASSERT_ERR(code, KIN_ERR_NO_MEMORY);
        ASSERT_TRUE(before == &three);
        ASSERT_TRUE(kin__map_get(&map, name_of(i)) == NULL);
        ASSERT_EQ(map.count, i);
        put(&map, name_of(i), &values[i]);
    }
    for (size_t i = 0; i < 100; i++) {
        ASSERT_TRUE(kin__map_get(&map, name_of(i)) == &values[i]);
    }
}

TEST(map, needs_no_memory_to_replace_a_value)
{
    AUTO(kin__map_clear) kin__map map = { 0 };
    kin_error err;
    for (size_t i = 0; i < 6; i++) { /* so many that one more would make it grow */
        put(&map, name_of(i), &values[i]);
    }

    test_allocator_plan((alloc_failure){ .first = 1, .is_lasting = true });
    kin_err code = kin__map_put(&map, name_of(3), &one, NULL, &err);
    test_allocator_plan((alloc_failure){ 0 });

    ASSERT_OK(code);
    ASSERT_TRUE(kin__map_get(&map, name_of(3)) == &one);
}

TEST_FAILING_ALLOC(map, fails_without_a_leak)
{
    AUTO(kin__map_clear) kin__map map = { 0 };
    kin_error err;

    for (size_t i = 0; i < 20; i++) {
        if (kin__map_put(&map, name_of(i), &values[i], NULL, &err) != KIN_OK) {
            return err.code;
        }
    }
    return KIN_OK;
}

/* Two maps with one seed, and the keys of the first in its order, would crowd one end of the
 * second; and where a key lies in one map would tell where it lies in all. */
TEST(map, has_an_order_of_its_own)
{
    AUTO(kin__map_clear) kin__map a = { 0 };
    AUTO(kin__map_clear) kin__map b = { 0 };
    put_many(&a);
    put_many(&b);

    size_t same = 0;
    kin__map_iter in_a = kin__map_begin(&a);
    kin__map_iter in_b = kin__map_begin(&b);
    while (kin__map_next(&in_a) && kin__map_next(&in_b)) {
        same += in_a.value == in_b.value ? 1 : 0;
    }

    ASSERT_TRUE(same < MANY / 10);
}

/* No slot is far from its key's home: what a search costs. */
TEST(map, keeps_searches_short)
{
    AUTO(kin__map_clear) kin__map map = { 0 };
    put_many(&map);

    size_t steps = 0;
    for (size_t i = 0; i < map.capacity; i++) {
        if (map.slots[i].value != NULL) {
            steps += (i - map.slots[i].hash) & (map.capacity - 1);
        }
    }

    ASSERT_TRUE(steps < 4 * MANY); /* 1.5 on average at the fullest, by Knuth's formula */
}

/* Nobody can arrange two keys with one hash; so the slot is given the other key's. */
TEST(map, does_not_take_a_key_for_another_with_the_same_hash)
{
    AUTO(kin__map_clear) kin__map map = { 0 };
    static const char *const others[] = { "ad", "abc" };
    put(&map, STR("ab"), &one);
    kin__map_slot slot = { 0 };

    for (size_t i = 0; i < 2; i++) {
        kin_str other = kin_str_of(others[i]);
        for (size_t s = 0; s < map.capacity; s++) {
            slot = map.slots[s].value != NULL ? map.slots[s] : slot;
            map.slots[s] = (kin__map_slot){ 0 };
        }
        slot.hash = kin__hash(other.data, other.len, map.seed);
        map.slots[slot.hash & (map.capacity - 1)] = slot;

        ASSERT_TRUE(kin__map_get(&map, other) == NULL);
    }
}

typedef struct pair {
    char key[16];
    size_t len;
    void *value; /* NULL: not in the model */
} pair;

#define KEY_COUNT 300

/* What the map says of every key is what the model says. */
static void compare(const kin__map *map, const pair *model)
{
    size_t count = 0;
    for (size_t i = 0; i < KEY_COUNT; i++) {
        ASSERT_TRUE(kin__map_get(map, kin__str(model[i].key, model[i].len)) == model[i].value);
        count += model[i].value != NULL ? 1 : 0;
    }
    ASSERT_EQ(map->count, count);
    size_t walked = 0;
    kin__map_iter iter = kin__map_begin(map);
    while (kin__map_next(&iter)) {
        walked++;
    }
    ASSERT_EQ(walked, count);
}

static void change(kin__map *map, pair *p, uint64_t *random, size_t put_percent)
{
    kin_str key = kin__str(p->key, p->len);
    kin_error err;
    if (random_below(random, 100) < put_percent) {
        void *value = &values[random_below(random, MANY)];
        void *before = NULL;
        ASSERT_OK(kin__map_put(map, key, value, &before, &err));
        ASSERT_TRUE(before == p->value);
        p->value = value;
    } else {
        ASSERT_TRUE(kin__map_remove(map, key) == p->value);
        p->value = NULL;
    }
}

TEST(map, agrees_with_a_plain_list_of_pairs)
{
    static pair model[KEY_COUNT];
    AUTO(kin__map_clear) kin__map map = { 0 };
    uint64_t random = random_start(20261116);
    for (size_t i = 0; i < KEY_COUNT; i++) {
        model[i].len = (size_t) snprintf(model[i].key, sizeof model[i].key, "k%zu", i * i);
    }

    for (size_t round = 0; round < 300; round++) {
        size_t put_percent = round / 30 % 2 == 0 ? 70 : 20; /* it fills, and it empties */
        for (size_t i = 0; i < 100; i++) {
            change(&map, &model[random_below(&random, KEY_COUNT)], &random, put_percent);
        }
        compare(&map, model);
    }
}
