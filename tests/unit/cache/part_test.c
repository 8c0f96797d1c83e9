/* SPDX-License-Identifier: Apache-2.0 */
/*
 * part_test.c - the sizes of parts, and piles of them.
 */
#include "cache/part.h"

#include "base/slab.h"
#include "cache/node.h"
#include "cache/version.h"
#include "store_support.h"

TEST(part, knows_its_size)
{
    kin__batch batch = { .number = 1 };
    kin__entry *entry = kin__entry_make(&batch, STR("four"), NULL);
    kin__leaf *leaf = kin__leaf_make(&batch, 9);
    kin__page *page = kin__page_make(&batch, 3);
    kin__directory *directory = kin__directory_make(&batch, 2);
    kin__version *version = kin__version_make(&batch, 3, 2);
    ASSERT_TRUE(entry != NULL && leaf != NULL && page != NULL && directory != NULL &&
                version != NULL);

    ASSERT_EQ(kin__part_bytes(&entry->part), 24 + 4);
    ASSERT_EQ(kin__part_bytes(&leaf->part), 64 + 16 * 8);
    ASSERT_EQ(kin__leaf_bytes(32), 64 + 32 * 8);      /* all tags in the leaf's first line */
    ASSERT_EQ(kin__leaf_bytes(40), 64 + 40 * 8 + 32); /* eight behind the entries */
    ASSERT_EQ(kin__part_bytes(&page->part), 24 + 8 * 8);
    ASSERT_EQ(kin__part_bytes(&directory->part), 24 + 4 * 8);
    ASSERT_EQ(kin__part_bytes(&version->part), sizeof *version + 3 * 16 + 2 * 8);
    size_t sum = kin__part_bytes(&entry->part) + kin__part_bytes(&leaf->part) +
                 kin__part_bytes(&page->part) + kin__part_bytes(&directory->part) +
                 kin__part_bytes(&version->part);
    ASSERT_EQ(batch.structure_bytes, sum);
    kin__part_free(&entry->part);
    kin__part_free(&leaf->part);
    kin__part_free(&page->part);
    kin__part_free(&directory->part);
    kin__part_free(&version->part);
    ASSERT_EQ(kin__slab_held(), 0);
}

TEST(part, of_an_object_drops_its_reference)
{
    kin__batch batch = { .number = 1 };
    kin_object *object = numbered_pod(1, 1);
    long long blocks = live_blocks();
    kin__entry *entry = kin__entry_make(&batch, STR("key"), object);
    ASSERT_TRUE(entry != NULL);

    kin__part_free(&entry->part);

    ASSERT_EQ(live_blocks(), blocks - 1); /* the object's */
}

TEST(part, is_kept_in_piles_that_can_be_moved)
{
    kin__part parts[3];
    kin__pile a = { 0 };
    kin__pile b = { 0 };

    kin__pile_move(&a, &b);
    ASSERT_TRUE(kin__pile_take(&a) == NULL);
    kin__pile_put(&a, &parts[0]);
    kin__pile_put(&b, &parts[1]);
    kin__pile_put(&b, &parts[2]);
    kin__pile_move(&a, &b);

    ASSERT_EQ(a.count, 3);
    ASSERT_EQ(b.count, 0);
    ASSERT_TRUE(b.first == NULL);
    for (size_t i = 0; i < 3; i++) {
        ASSERT_TRUE(kin__pile_take(&a) == &parts[i]);
    }
    ASSERT_TRUE(kin__pile_take(&a) == NULL);
}
