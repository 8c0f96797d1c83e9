/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries_test.c - the keys that a queue knows.
 */
#include "queue/entries.h"

#include <stdio.h>
#include <string.h>

#include "support/allocator.h"
#include "support/test.h"

static kin__entries entries;

static void begin(void)
{
    kin_error err;
    ASSERT_OK(kin__entries_init(&entries, &err));
}

static kin__entry *find(kin_str key)
{
    return kin__entries_find(&entries, kin__entries_hash(&entries, key), key);
}

static kin__entry *add(kin_str key)
{
    kin__entry *entry = kin__entries_add(&entries, kin__entries_hash(&entries, key), key);
    ASSERT_TRUE(entry != NULL);
    return entry;
}

static kin_str number(char chars[16], int i)
{
    return (kin_str){ chars, (size_t) snprintf(chars, 16, "key-%d", i) };
}

TEST(entries, find_what_was_added)
{
    begin();
    kin__entry *empty = add((kin_str){ NULL, 0 });
    kin__entry *a = add(kin_str_of("a"));
    kin__entry *zero = add((kin_str){ "a\0b", 3 });

    ASSERT_TRUE(find((kin_str){ NULL, 0 }) == empty);
    ASSERT_TRUE(find(kin_str_of("a")) == a);
    ASSERT_TRUE(find((kin_str){ "a\0b", 3 }) == zero);
    ASSERT_TRUE(find(kin_str_of("b")) == NULL);
    ASSERT_EQ(kin__entry_key(zero).len, 3);
    kin__entries_fini(&entries);
}

TEST(entries, find_all_of_many_while_they_come_and_go)
{
    char chars[16];
    begin();

    for (int i = 0; i < 10000; i++) {
        add(number(chars, i))->failures = (uint32_t) i + 1;
    }
    for (int i = 0; i < 10000; i += 2) {
        kin__entries_remove(&entries, find(number(chars, i)));
    }

    ASSERT_EQ(entries.count, 5000);
    for (int i = 0; i < 10000; i++) {
        const kin__entry *entry = find(number(chars, i));
        ASSERT_EQ(entry == NULL ? 0 : entry->failures, i % 2 == 0 ? 0 : i + 1);
    }
    kin__entries_fini(&entries);
}

TEST(entries, give_memory_back_after_a_burst)
{
    char chars[16];
    begin();
    for (int i = 0; i < 50000; i++) {
        (void) add(number(chars, i));
    }
    long long blocks = live_blocks();

    for (int i = 0; i < 50000; i++) {
        kin__entries_remove(&entries, find(number(chars, i)));
    }

    ASSERT_TRUE(live_blocks() < blocks - 48000);
    ASSERT_TRUE(entries.capacity <= 4096);
    kin__entries_fini(&entries);
}

TEST(entries, need_no_memory_for_what_was_there_before)
{
    begin();
    kin__entries_remove(&entries, add(kin_str_of("namespace/some-name")));
    test_allocator_plan((alloc_failure){ 1, true });

    kin__entry *entry = add(kin_str_of("namespace/other-name"));

    ASSERT_EQ(entry->failures, 0);
    ASSERT_SLICE_EQ(kin__entry_key(entry), "namespace/other-name");
    test_allocator_plan((alloc_failure){ 0 });
    kin__entries_fini(&entries);
}

TEST(entries, hold_keys_of_any_length)
{
    static char bytes[KIN__KEY_MAX];
    memset(bytes, 'x', sizeof bytes);
    begin();

    for (size_t len = 0; len <= 600; len++) {
        kin__entries_remove(&entries, add((kin_str){ bytes, len }));
    }
    kin__entry *longest = add((kin_str){ bytes, sizeof bytes });

    ASSERT_TRUE(find((kin_str){ bytes, sizeof bytes }) == longest);
    ASSERT_TRUE(find((kin_str){ bytes, sizeof bytes - 1 }) == NULL);
    kin__entries_fini(&entries);
}

TEST(entries, are_as_before_when_the_table_cannot_grow)
{
    char chars[16];
    begin();
    for (int i = 0; i < 48; i++) {
        (void) add(number(chars, i));
    }
    test_allocator_plan((alloc_failure){ 1, false });

    kin_str key = number(chars, 48);
    ASSERT_TRUE(kin__entries_add(&entries, kin__entries_hash(&entries, key), key) == NULL);

    ASSERT_EQ(test_allocator_failures(), 1);
    test_allocator_plan((alloc_failure){ 0 });
    for (int i = 0; i < 48; i++) {
        ASSERT_TRUE(find(number(chars, i)) != NULL);
    }
    ASSERT_EQ(entries.count, 48);
    kin__entries_fini(&entries);
}

TEST_FAILING_ALLOC(entries, are_made_or_not)
{
    kin_error err;
    kin_err code = kin__entries_init(&entries, &err);

    if (code == KIN_OK && kin__entries_add(&entries, 1, kin_str_of("a")) == NULL) {
        code = KIN_ERR_NO_MEMORY;
    }
    kin__entries_fini(&entries);
    return code;
}
