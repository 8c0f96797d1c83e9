/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version_test.c - versions and their copies.
 */
#include "cache/version.h"

#include "base/slab.h"
#include "store_support.h"

static kin__index make_index(kin__batch *batch, const char *name)
{
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    kin__index index = { 0 };
    kin_error err;
    options.name = name;
    options.path = "kind";
    ASSERT_OK(kin__index_rule_make(batch, &options, &index.rule, &err));
    return index;
}

static kin__text *make_text(kin__batch *batch)
{
    kin__text *made = kin__batch_make(batch, KIN__PART_TEXT, 0, sizeof *made + 2);
    ASSERT_TRUE(made != NULL);
    made->len = 2;
    memcpy(made->bytes, "42", 2);
    return made;
}

TEST(version, is_copied_with_room_for_more_indexes)
{
    kin__batch batch = { .number = 1, .seed = 3, .blind = 4 };
    kin__version *first = kin__version_make(&batch, 1, 2);
    ASSERT_TRUE(first != NULL);
    first->indexes[first->index_count++] = make_index(&batch, "one");
    kin__version_sources(first)[1] = make_text(&batch);

    batch.number = 2;
    kin__version *second = kin__version_copy(&batch, first, 1);
    ASSERT_TRUE(second != NULL);
    second->indexes[second->index_count++] = make_index(&batch, "two");

    ASSERT_EQ(second->seed, 3);
    ASSERT_EQ(second->blind, 4);
    ASSERT_TRUE(kin__version_index(second, "one")->rule == first->indexes[0].rule);
    ASSERT_TRUE(kin__version_index(second, "two") == &second->indexes[1]);
    ASSERT_TRUE(kin__version_index(second, "three") == NULL);
    ASSERT_TRUE(kin__version_index(first, "two") == NULL);
    ASSERT_TRUE(kin__version_sources(second)[0] == NULL);
    ASSERT_TRUE(kin__version_sources(second)[1] == kin__version_sources(first)[1]);
    kin__batch_drop(&batch, &first->part);
    kin__version_drop(second, &batch);
    kin__pile_clear(&batch.dropped);
    ASSERT_EQ(batch.structure_bytes, 0);
    ASSERT_EQ(live_blocks(), 0);
}

TEST_FAILING_ALLOC(version, needs_memory)
{
    kin__slab_set_apart(true);
    kin__batch batch = { .number = 1 };
    kin__version *first = kin__version_make(&batch, 0, 1);
    if (first == NULL) {
        return KIN_ERR_NO_MEMORY;
    }
    kin__version *second = kin__version_copy(&batch, first, 0);
    kin__part_free(&first->part);
    if (second == NULL) {
        return KIN_ERR_NO_MEMORY;
    }
    kin__part_free(&second->part);
    return KIN_OK;
}
