/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape_test.c - the same content in other shapes, with and without memory.
 */
#include "base/slab.h"
#include "cache/node.h"
#include "store_support.h"
#include "support/allocator.h"

#define COUNT 300

typedef struct fixture {
    kin__table table;
    kin__batch batch;
} fixture;

/* In one leaf, or in a directory of one page of one leaf. */
static fixture begin(bool is_directory)
{
    kin__slab_set_apart(true);
    fixture f = { .batch = { .number = 1, .seed = 11 } };
    kin__leaf *leaf = kin__leaf_make(&f.batch, COUNT);
    ASSERT_TRUE(leaf != NULL);
    for (size_t i = 0; i < COUNT; i++) {
        kin_str key = numbered_key(i);
        kin__entry *entry = kin__entry_make(&f.batch, key, NULL);
        ASSERT_TRUE(entry != NULL);
        kin__leaf_put(leaf, kin__hash_tag(kin__batch_hash(&f.batch, key)), entry);
    }
    f.table = kin__root_leaf(leaf);
    ASSERT_TRUE(!is_directory || kin__shape_leaf_to_directory(&f.table, &f.batch));
    return f;
}

static void has_all(const fixture *f)
{
    ASSERT_EQ(kin__table_count(f->table), COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        kin_str key = numbered_key(i);
        ASSERT_TRUE(kin__table_find(f->table, kin__batch_hash(&f->batch, key), key) != NULL);
    }
    size_t walked = 0;
    kin_walk walk = kin__table_walk(f->table);
    while (kin__walk_next(&walk) != NULL) {
        walked++;
    }
    ASSERT_EQ(walked, COUNT);
}

static void end(fixture *f)
{
    has_all(f);
    kin_walk walk = kin__table_walk(f->table);
    for (kin__entry *entry; (entry = kin__walk_next(&walk)) != NULL;) {
        kin__batch_drop(&f->batch, &entry->part);
    }
    kin__table_drop(&f->table, &f->batch);
    ASSERT_EQ(f->batch.structure_bytes, 0);
    ASSERT_EQ(f->batch.dropped.count, 0);
    ASSERT_EQ(live_blocks(), 0);
}

typedef bool (*change)(fixture *f);

static bool to_directory(fixture *f)
{
    return kin__shape_leaf_to_directory(&f->table, &f->batch);
}

static bool to_leaf(fixture *f)
{
    return kin__shape_directory_to_leaf(&f->table, &f->batch);
}

static bool double_directory(fixture *f)
{
    return kin__shape_double_directory(&f->table, &f->batch);
}

static bool halve_directory(fixture *f)
{
    return kin__shape_halve_directory(&f->table, &f->batch);
}

static bool double_first_page(fixture *f)
{
    kin__directory *directory = kin__node_of(f->table.root);
    return kin__shape_double_page(&directory->pages[0], directory->part.size, &f->batch);
}

static bool halve_first_page(fixture *f)
{
    kin__directory *directory = kin__node_of(f->table.root);
    return kin__shape_halve_page(&directory->pages[0], &f->batch);
}

/* Tries with each allocation failing in turn, until it works. */
static void in_spite_of_failures(fixture *f, change changes)
{
    for (long long failing = 1;; failing++) {
        test_allocator_plan((alloc_failure){ failing, failing % 2 == 0 });
        bool has_worked = changes(f);
        bool has_failed = test_allocator_failures() > 0;
        test_allocator_plan((alloc_failure){ 0 });
        has_all(f);
        ASSERT_EQ(has_worked, !has_failed);
        if (has_worked) {
            return;
        }
    }
}

TEST(shape, of_a_leaf_becomes_a_directory_and_back)
{
    fixture f = begin(false);

    in_spite_of_failures(&f, to_directory);
    in_spite_of_failures(&f, double_first_page);
    in_spite_of_failures(&f, double_first_page);
    in_spite_of_failures(&f, to_leaf);

    ASSERT_EQ(kin__root_kind(f.table), KIN__ROOT_LEAF);
    end(&f);
}

TEST(shape, of_pages_doubles_and_halves)
{
    fixture f = begin(true);

    for (size_t depth = 1; depth <= KIN__PAGE_DEPTH_MAX; depth++) {
        in_spite_of_failures(&f, double_first_page);
    }
    for (size_t depth = KIN__PAGE_DEPTH_MAX; depth > 0; depth--) {
        in_spite_of_failures(&f, halve_first_page);
    }

    end(&f);
}

TEST(shape, of_directories_doubles_and_halves)
{
    fixture f = begin(true);

    for (size_t bits = 1; bits <= 4; bits++) {
        in_spite_of_failures(&f, double_directory);
    }
    ASSERT_EQ(kin__root_bits(f.table), 4);
    /* Pages of different depth, one of them as deep as can be. */
    for (size_t depth = 1; depth <= KIN__PAGE_DEPTH_MAX; depth++) {
        in_spite_of_failures(&f, double_first_page);
    }
    for (size_t bits = 4; bits > 0; bits--) {
        in_spite_of_failures(&f, halve_directory);
    }

    ASSERT_EQ(kin__root_bits(f.table), 0);
    end(&f);
}

TEST_FAILING_ALLOC(shape, needs_memory)
{
    kin__slab_set_apart(true);
    kin__batch batch = { .number = 1 };
    kin__leaf *leaf = kin__leaf_make(&batch, 1);
    if (leaf == NULL) {
        return KIN_ERR_NO_MEMORY;
    }
    kin__table table = kin__root_leaf(leaf);
    bool has_worked = kin__shape_leaf_to_directory(&table, &batch);
    kin__table_drop(&table, &batch);
    return has_worked ? KIN_OK : KIN_ERR_NO_MEMORY;
}
