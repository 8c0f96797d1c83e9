/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_test.c - a persistent table, and an array that must agree with it.
 */
#include "cache/table.h"

#include "base/alloc.h"
#include "base/slab.h"
#include "cache/lanes.h"
#include "cache/node.h"
#include "store_support.h"
#include "support/allocator.h"
#include "support/random.h"

#define MANY 60000

/* A table of value entries, whose sets stay empty. */
typedef struct fixture {
    kin__table table;
    kin__batch batch;
} fixture;

static fixture begin(uint64_t blind)
{
    return (fixture){ .batch = { .number = 1, .seed = 42, .blind = blind } };
}

static kin_str key_of(size_t number)
{
    static char key[32];
    int len = snprintf(key, sizeof key, "namespace/key-%zu", number);
    return kin__str(key, (size_t) len);
}

static kin__entry *find(const fixture *f, size_t number)
{
    return kin__table_find(f->table, kin__batch_hash(&f->batch, key_of(number)), key_of(number));
}

static bool add(fixture *f, size_t number)
{
    uint64_t hash = kin__batch_hash(&f->batch, key_of(number));
    kin__entry *entry = kin__entry_make(&f->batch, key_of(number), NULL);
    if (entry == NULL) {
        return false;
    }
    if (!kin__table_open(&f->table, &f->batch, hash, true)) {
        kin__entry_unmake(&f->batch, entry);
        return false;
    }
    kin__table_add(&f->table, hash, entry);
    return true;
}

static bool take(fixture *f, size_t number)
{
    uint64_t hash = kin__batch_hash(&f->batch, key_of(number));
    kin__entry *entry = find(f, number);
    if (!kin__table_open(&f->table, &f->batch, hash, false)) {
        return false;
    }
    kin__table_remove(&f->table, &f->batch, hash, entry);
    kin__batch_drop(&f->batch, &entry->part);
    kin__table_tidy(&f->table, &f->batch, hash);
    return true;
}

static void end(fixture *f)
{
    kin_walk walk = kin__table_walk(f->table);
    for (kin__entry *entry; (entry = kin__walk_next(&walk)) != NULL;) {
        kin__batch_drop(&f->batch, &entry->part);
    }
    kin__table_drop(&f->table, &f->batch);
    ASSERT_EQ(f->batch.structure_bytes, 0);
    kin__pile_clear(&f->batch.dropped);
}

static size_t count_by_walking(kin__table table)
{
    size_t count = 0;
    kin_walk walk = kin__table_walk(table);
    while (kin__walk_next(&walk) != NULL) {
        count++;
    }
    ASSERT_TRUE(kin__walk_next(&walk) == NULL);
    return count;
}

TEST(table, is_empty_when_all_zero)
{
    fixture f = begin(0);

    ASSERT_TRUE(find(&f, 1) == NULL);
    ASSERT_EQ(kin__table_count(f.table), 0);
    ASSERT_EQ(count_by_walking(f.table), 0);
}

TEST(table, grows_and_shrinks_through_all_its_shapes)
{
    fixture f = begin(0);

    for (size_t i = 0; i < MANY; i++) {
        ASSERT_TRUE(add(&f, i));
        ASSERT_TRUE(find(&f, i) != NULL);
        ASSERT_TRUE(find(&f, i / 2) != NULL);
        ASSERT_TRUE(find(&f, i + 1) == NULL);
        ASSERT_EQ(kin__table_count(f.table), i + 1);
    }
    ASSERT_TRUE(kin__root_bits(f.table) >= 3);
    ASSERT_EQ(count_by_walking(f.table), MANY);
    for (size_t i = 0; i < MANY; i++) {
        ASSERT_TRUE(take(&f, i));
        ASSERT_TRUE(find(&f, i) == NULL);
        ASSERT_TRUE(i + 1 == MANY || find(&f, i + (MANY - i) / 2) != NULL);
        ASSERT_EQ(kin__table_count(f.table), MANY - i - 1);
    }
    ASSERT_EQ(f.table.root, 0);
    end(&f);
}

TEST(table, takes_memory_for_what_it_holds)
{
    fixture f = begin(0);
    ASSERT_TRUE(add(&f, 0));
    ASSERT_TRUE(f.batch.structure_bytes <= 64); /* an entry alone */

    for (size_t i = 1; i < MANY; i++) {
        ASSERT_TRUE(add(&f, i));
    }
    size_t entries = MANY * (sizeof(kin__entry) + key_of(MANY - 1).len);
    ASSERT_TRUE(f.batch.structure_bytes - entries < MANY * 30);

    for (size_t i = 100; i < MANY; i++) {
        ASSERT_TRUE(take(&f, i));
    }
    ASSERT_TRUE(f.batch.structure_bytes < 100 * 120);
    end(&f);
}

TEST(table, is_walked_once_through_at_any_size)
{
    fixture f = begin(0);
    static uint8_t seen[3000];

    for (size_t size = 0; size < 3000; size++) {
        if (size < 100 || size % 97 == 0) {
            memset(seen, 0, sizeof seen);
            kin_walk walk = kin__table_walk(f.table);
            for (kin__entry *e; (e = kin__walk_next(&walk)) != NULL;) {
                kin_str key = kin__entry_key(e);
                size_t number = 0;
                for (size_t i = STR("namespace/key-").len; i < key.len; i++) {
                    number = number * 10 + (size_t) (key.data[i] - '0');
                }
                ASSERT_TRUE(number < size);
                seen[number]++;
            }
            for (size_t i = 0; i < size; i++) {
                ASSERT_EQ(seen[i], 1);
            }
        }
        ASSERT_TRUE(add(&f, size));
    }
    end(&f);
}

TEST(table, keeps_versions_apart)
{
    fixture f = begin(0);
    for (size_t i = 0; i < 5000; i++) {
        ASSERT_TRUE(add(&f, i));
    }
    kin__table before = f.table;

    f.batch.number = 2;
    for (size_t i = 0; i < 5000; i += 2) {
        ASSERT_TRUE(take(&f, i));
    }
    for (size_t i = 5000; i < 9000; i++) {
        ASSERT_TRUE(add(&f, i));
    }

    ASSERT_EQ(kin__table_count(before), 5000);
    ASSERT_EQ(count_by_walking(before), 5000);
    ASSERT_EQ(kin__table_count(f.table), 2500 + 4000);
    for (size_t i = 0; i < 9000; i++) {
        uint64_t hash = kin__batch_hash(&f.batch, key_of(i));
        ASSERT_EQ(kin__table_find(before, hash, key_of(i)) != NULL, i < 5000);
        ASSERT_EQ(find(&f, i) != NULL, i >= 5000 || i % 2 == 1);
    }
    end(&f);
}

TEST(table, copies_little_for_one_change)
{
    fixture f = begin(0);
    for (size_t i = 0; i < MANY; i++) {
        ASSERT_TRUE(add(&f, i));
    }

    f.batch.number = 2;
    ASSERT_TRUE(take(&f, 7));

    ASSERT_EQ(f.batch.dropped.count, 4); /* the directory, a page, a leaf, the entry */
    size_t bytes = 0;
    for (const kin__part *part = f.batch.dropped.first; part != NULL; part = part->next) {
        bytes += kin__part_bytes(part);
    }
    ASSERT_TRUE(bytes < 3000);
    end(&f);
}

static void stays_right_with(uint64_t blind, size_t count)
{
    fixture f = begin(blind);
    uint64_t random = random_start(blind);
    static bool is_in[4000];
    size_t held = 0;
    memset(is_in, 0, sizeof is_in);

    for (size_t step = 0; step < count * 6; step++) {
        size_t number = random_below(&random, count);
        bool is_growing = step < count * 4;
        if (step % 50 == 0) {
            f.batch.number++;
        }
        if (!is_in[number] && (is_growing || random_below(&random, 4) == 0)) {
            ASSERT_TRUE(add(&f, number));
            is_in[number] = true;
            held++;
        } else if (is_in[number]) {
            ASSERT_TRUE(take(&f, number));
            is_in[number] = false;
            held--;
        }
        ASSERT_EQ(kin__table_count(f.table), held);
        ASSERT_EQ(find(&f, number) != NULL, is_in[number]);
    }
    for (size_t i = 0; i < count; i++) {
        ASSERT_EQ(find(&f, i) != NULL, is_in[i]);
    }
    ASSERT_EQ(count_by_walking(f.table), held);
    end(&f);
}

TEST(table, stays_right_when_all_hashes_are_equal)
{
    stays_right_with(UINT64_MAX, 1000);
}

TEST(table, stays_right_when_hashes_differ_in_the_tag_only)
{
    stays_right_with(~(uint64_t) 0xff, 4000);
}

TEST(table, stays_right_when_hashes_differ_in_their_first_bits_only)
{
    stays_right_with(~((uint64_t) 0xfff << 52), 4000);
}

TEST(table, does_not_get_a_large_directory_for_bad_hashes)
{
    fixture f = begin(UINT64_MAX);

    for (size_t i = 0; i < 10000; i++) {
        ASSERT_TRUE(add(&f, i));
    }

    size_t entries = 10000 * (sizeof(kin__entry) + key_of(9999).len);
    ASSERT_TRUE(f.batch.structure_bytes - entries < 10000 * 20);
    end(&f);
}

TEST(table, takes_keys_of_any_length)
{
    static char bytes[KIN__KEY_MAX];
    static const size_t lengths[] = { 0, 1, 7, 8, 15, 16, 17, 40, 41, 100, 2088, 2089, 65535 };
    enum { COUNT = sizeof lengths / sizeof lengths[0] };
    fixture f = begin(UINT64_MAX); /* all keys are compared with each other */
    memset(bytes, 'k', sizeof bytes);

    for (size_t i = 0; i < COUNT; i++) {
        kin_str key = kin__str(bytes, lengths[i]);
        kin__entry *entry = kin__entry_make(&f.batch, key, NULL);
        ASSERT_TRUE(entry != NULL);
        ASSERT_TRUE(kin__table_open(&f.table, &f.batch, 0, true));
        kin__table_add(&f.table, 0, entry);
    }

    for (size_t i = 0; i < COUNT; i++) {
        kin__entry *found = kin__table_find(f.table, 0, kin__str(bytes, lengths[i]));
        ASSERT_TRUE(found != NULL);
        ASSERT_EQ(kin__entry_key(found).len, lengths[i]);
        if (lengths[i] > 0) {
            bytes[lengths[i] - 1] = 'x';
            ASSERT_TRUE(kin__table_find(f.table, 0, kin__str(bytes, lengths[i])) == NULL);
            bytes[lengths[i] - 1] = 'k';
        }
    }
    end(&f);
}

TEST(table, compares_every_byte_of_a_key)
{
    char a[100];
    char b[100];
    memset(a, 'k', sizeof a);
    memset(b, 'k', sizeof b);

    for (size_t len = 0; len <= 100; len++) {
        ASSERT_TRUE(kin__lanes_equal(kin__str(a, len), kin__str(b, len)));
        for (size_t i = 0; i < len; i++) {
            b[i] = 'x';
            ASSERT_FALSE(kin__lanes_equal(kin__str(a, len), kin__str(b, len)));
            b[i] = 'k';
        }
    }
}

TEST(table, matches_every_tag)
{
    uint8_t tags[32];
    for (unsigned tag = 0; tag < 256; tag++) {
        for (size_t i = 0; i < 32; i++) {
            memset(tags, (int) (tag ^ 0x55), sizeof tags);
            tags[i] = (uint8_t) tag;
            ASSERT_TRUE((kin__lanes_match(tags, (uint8_t) tag) & (uint32_t) 1 << i) != 0);
        }
    }
}

/* Each change with each of its allocations failing: it happens wholly or not at all. */
TEST(table, is_as_it_was_when_memory_is_lacking)
{
    kin__slab_set_apart(true);
    fixture f = begin(0);
    uint64_t random = random_start(3);
    static bool is_in[2000];
    size_t held = 0;
    size_t failures = 0;

    for (size_t step = 0; step < 20000; step++) {
        size_t number = random_below(&random, step < 12000 ? 2000 : 60);
        f.batch.number += step % 10 == 0 ? 1 : 0;
        test_allocator_plan((alloc_failure){ 1 + (long long) random_below(&random, 6),
                                             random_below(&random, 2) == 0 });
        bool has_worked = is_in[number] ? take(&f, number) : add(&f, number);
        test_allocator_plan((alloc_failure){ 0 });
        if (has_worked) {
            is_in[number] = !is_in[number];
            held = is_in[number] ? held + 1 : held - 1;
        } else {
            failures++;
        }
        ASSERT_EQ(find(&f, number) != NULL, is_in[number]);
        ASSERT_EQ(kin__table_count(f.table), held);
    }
    ASSERT_TRUE(failures > 1000);
    for (size_t i = 0; i < 2000; i++) {
        ASSERT_EQ(find(&f, i) != NULL, is_in[i]);
    }
    ASSERT_EQ(count_by_walking(f.table), held);
    end(&f);
}

TEST(table, is_walked_past_leaves_that_were_only_made_ready)
{
    fixture f = begin(0);
    for (size_t i = 0; i < 33; i++) {
        ASSERT_TRUE(add(&f, i));
    }
    for (size_t i = 100; i < 600; i++) {
        uint64_t hash = kin__batch_hash(&f.batch, key_of(i));
        ASSERT_TRUE(kin__table_open(&f.table, &f.batch, hash, true));
    }
    for (size_t i = 0; i < 30; i++) {
        ASSERT_TRUE(take(&f, i));
        ASSERT_TRUE(
            kin__table_open(&f.table, &f.batch, kin__batch_hash(&f.batch, key_of(i)), true));
        ASSERT_EQ(count_by_walking(f.table), 32 - i);
    }

    ASSERT_EQ(count_by_walking(f.table), 3);
    end(&f);
}

TEST_FAILING_ALLOC(table, reports_a_lack_of_memory)
{
    kin__slab_set_apart(true);
    fixture f = begin(0);
    kin_err code = KIN_OK;

    for (size_t i = 0; i < 20 && code == KIN_OK; i++) {
        code = add(&f, i) ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    end(&f);
    return code;
}
