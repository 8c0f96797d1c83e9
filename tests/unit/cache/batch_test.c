/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_test.c - parts that are made and dropped.
 */
#include "cache/batch.h"

#include "base/slab.h"
#include "cache/table.h"
#include "store_support.h"

TEST(batch, owns_what_it_made)
{
    kin__batch batch = { .number = 7 };
    kin__entry *entry = kin__entry_make(&batch, STR("a"), NULL);
    ASSERT_TRUE(entry != NULL);

    ASSERT_TRUE(kin__batch_owns(&batch, &entry->part));
    batch.number++;
    ASSERT_FALSE(kin__batch_owns(&batch, &entry->part));
    kin__part_free(&entry->part);
}

TEST(batch, releases_at_once_what_nobody_can_have_seen)
{
    kin__slab_set_apart(true);
    kin__batch batch = { .number = 1 };
    kin__entry *entry = kin__entry_make(&batch, STR("a"), NULL);
    ASSERT_TRUE(entry != NULL);
    long long blocks = live_blocks();

    kin__batch_drop(&batch, &entry->part);

    ASSERT_EQ(live_blocks(), blocks - 1);
    ASSERT_EQ(batch.dropped.count, 0);
    ASSERT_EQ(batch.structure_bytes, 0);
}

TEST(batch, keeps_what_others_may_see)
{
    kin__batch batch = { .number = 1 };
    kin__entry *entry = kin__entry_make(&batch, STR("a"), NULL);
    ASSERT_TRUE(entry != NULL);

    batch.number = 2;
    kin__batch_drop(&batch, &entry->part);

    ASSERT_EQ(batch.dropped.count, 1);
    ASSERT_EQ(batch.structure_bytes, 0);
    kin__pile_clear(&batch.dropped);
}

TEST(batch, keeps_an_object_that_it_replaced_itself)
{
    kin__batch batch = { .number = 1 };
    kin_object *object = numbered_pod(1, 1);
    kin__entry *entry = kin__entry_make(&batch, STR("a"), object);
    ASSERT_TRUE(entry != NULL);
    ASSERT_EQ(batch.object_bytes, kin_object_size(object));

    kin__batch_drop(&batch, &entry->part);

    ASSERT_EQ(batch.dropped.count, 1);
    ASSERT_EQ(batch.object_bytes, 0);
    ASSERT_SLICE_EQ(kin_object_name(object), "pod-1");
    kin__pile_clear(&batch.dropped);
}

TEST(batch, can_be_blind_for_bits_of_a_hash)
{
    kin__batch batch = { .seed = 5 };
    uint64_t whole = kin__batch_hash(&batch, STR("a"));

    batch.blind = 0xff00;

    ASSERT_EQ(kin__batch_hash(&batch, STR("a")), whole & ~(uint64_t) 0xff00);
}

TEST_FAILING_ALLOC(batch, makes_nothing_without_memory)
{
    kin__slab_set_apart(true);
    kin__batch batch = { .number = 1 };

    kin__entry *entry = kin__entry_make(&batch, STR("a"), NULL);

    ASSERT_EQ(batch.structure_bytes > 0, entry != NULL);
    if (entry != NULL) {
        kin__entry_unmake(&batch, entry);
    }
    ASSERT_EQ(batch.structure_bytes, 0);
    return entry == NULL ? KIN_ERR_NO_MEMORY : KIN_OK;
}
