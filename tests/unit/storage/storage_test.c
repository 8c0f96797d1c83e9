/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storage_test.c - revisions, collections and their changes.
 */
#include "storage/storage.h"

#include "keeping.h"

TEST(storage, counts_the_changes_of_all_collections_with_one_revision)
{
    kin__storage *storage = NULL;
    kin__collection *pods = NULL, *nodes = NULL;
    kin_error err;
    make_collection(10, &storage, &pods);
    ASSERT_OK(kin__collection_new(storage, &nodes, &err));

    ASSERT_EQ(kin__storage_revision(storage), 1);
    put(pods, "a/x");
    put(nodes, "n");
    take(pods, "a/x");

    ASSERT_EQ(kin__storage_revision(storage), 4);
    ASSERT_EQ(kin__storage_next_revision(storage), 5);
    ASSERT_EQ(kin__collection_count(pods), 0);
    ASSERT_EQ(kin__collection_count(nodes), 1);
    ASSERT_TRUE(kin__collection_storage(nodes) == storage);
    kin__collection_free(pods);
    kin__collection_free(nodes);
    kin__storage_free(storage);
}

TEST(storage, begins_at_the_revision_it_is_told)
{
    kin__storage_options options = { .history_max = 1, .first_revision = 500 };
    kin__storage *storage = NULL;
    kin_error err;

    ASSERT_OK(kin__storage_new(&options, &storage, &err));

    ASSERT_EQ(kin__storage_revision(storage), 500);
    kin__storage_free(storage);
}

TEST(storage, has_the_state_that_was_written_last)
{
    kin__storage *storage = NULL;
    kin__collection *pods = NULL;
    make_collection(10, &storage, &pods);

    put(pods, "a/x");
    put(pods, "a/x");

    ASSERT_EQ(kin__collection_get(pods, STR("a/x"))->revision, 3);
    ASSERT_TRUE(kin__collection_get(pods, STR("a/y")) == NULL);
    ASSERT_EQ(kin__collection_count(pods), 1);
    kin__collection_free(pods);
    kin__storage_free(storage);
}

TEST(storage, tells_each_change_with_what_was_before_and_after)
{
    kin__storage *storage = NULL;
    kin__collection *pods = NULL;
    make_collection(10, &storage, &pods);

    put(pods, "a");
    put(pods, "a");
    take(pods, "a");

    ASSERT_EQ(kin__collection_first_change(pods), 0);
    ASSERT_EQ(kin__collection_end_change(pods), 3);
    const kin__change *made = kin__collection_change(pods, 0);
    const kin__change *changed = kin__collection_change(pods, 1);
    const kin__change *removed = kin__collection_change(pods, 2);
    ASSERT_TRUE(made->revision == 2 && made->before == NULL && made->after->revision == 2);
    ASSERT_TRUE(changed->revision == 3 && changed->before == made->after);
    ASSERT_TRUE(removed->revision == 4 && removed->before == changed->after);
    ASSERT_TRUE(removed->after == NULL);
    ASSERT_EQ(kin__collection_change_after(pods, 2), 1);
    kin__collection_free(pods);
    kin__storage_free(storage);
}

TEST(storage, does_not_remove_what_is_not_there)
{
    kin__storage *storage = NULL;
    kin__collection *pods = NULL;
    kin_error err;
    make_collection(10, &storage, &pods);

    ASSERT_ERR(kin__collection_remove(pods, STR("a"), &err), KIN_ERR_NOT_FOUND);

    ASSERT_EQ(kin__storage_revision(storage), 1);
    ASSERT_EQ(kin__collection_end_change(pods), 0);
    kin__collection_free(pods);
    kin__storage_free(storage);
}

TEST(storage, knows_the_oldest_revision_it_can_serve)
{
    kin__storage *storage = NULL;
    kin__collection *pods = NULL, *nodes = NULL;
    kin_error err;
    make_collection(3, &storage, &pods);
    ASSERT_OK(kin__collection_new(storage, &nodes, &err));

    ASSERT_EQ(kin__collection_oldest(pods), 0);
    for (size_t i = 0; i < 5; i++) {
        put(pods, "a");
    }
    ASSERT_EQ(kin__collection_oldest(pods), 3); /* changes 4, 5 and 6 are there */
    ASSERT_EQ(kin__collection_oldest(nodes), 0);

    kin__storage_compact(storage, 5);
    ASSERT_EQ(kin__storage_compacted(storage), 5);
    ASSERT_EQ(kin__collection_oldest(pods), 5);
    ASSERT_EQ(kin__collection_oldest(nodes), 5);
    ASSERT_EQ(kin__collection_first_change(pods), 4);

    kin__storage_compact(storage, 4);
    ASSERT_EQ(kin__storage_compacted(storage), 5);
    kin__storage_compact(storage, 1000);
    ASSERT_EQ(kin__storage_compacted(storage), 6);
    kin__collection_free(pods);
    kin__collection_free(nodes);
    kin__storage_free(storage);
}

static size_t calls;

static void changed(void *context)
{
    kin__collection *collection = context;
    const kin__change *last =
        kin__collection_change(collection, kin__collection_end_change(collection) - 1);
    ASSERT_EQ(last->revision, kin__storage_revision(kin__collection_storage(collection)));
    calls++;
}

TEST(storage, calls_the_listener_when_the_change_can_be_read)
{
    kin__storage *storage = NULL;
    kin__collection *pods = NULL;
    make_collection(1, &storage, &pods);
    kin__collection_on_change(pods, changed, pods);

    put(pods, "a");
    put(pods, "a");
    take(pods, "a");
    ASSERT_EQ(calls, 3);

    kin__collection_on_change(pods, NULL, NULL);
    put(pods, "a");
    ASSERT_EQ(calls, 3);
    kin__collection_free(pods);
    kin__storage_free(storage);
}

TEST_FAILING_ALLOC(storage, changes_nothing_without_memory)
{
    kin__storage_options options = { .history_max = 40 };
    kin__storage *storage = NULL;
    kin__collection *pods = NULL;
    kin_error err;
    uint64_t revision = 1;

    kin_err code = kin__storage_new(&options, &storage, &err);
    if (code == KIN_OK) {
        code = kin__collection_new(storage, &pods, &err);
    }
    for (size_t i = 0; code == KIN_OK && i < 100; i++) {
        char key[16];
        (void) snprintf(key, sizeof key, "p%zu", i * 37 % 60);
        code = i % 3 == 2 ? kin__collection_remove(pods, kin_str_of(key), &err)
                          : try_put(pods, key, &err);
        code = code == KIN_ERR_NOT_FOUND ? KIN_OK : code;
        if (code == KIN_OK) {
            revision = kin__storage_revision(storage);
        }
    }
    if (pods != NULL) {
        ASSERT_EQ(kin__storage_revision(storage), revision);
        ASSERT_EQ(kin__collection_end_change(pods), revision - 1);
    }
    kin__collection_free(pods);
    kin__storage_free(storage);
    return code;
}
