/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot_test.c - versions that are held, and what they keep in memory.
 */
#include "base/slab.h"
#include "cache/garbage.h"
#include "store_support.h"

static kin_snapshot *take(kin_store *store)
{
    kin_snapshot *snapshot = NULL;
    ASSERT_OK(kin_store_snapshot(store, &snapshot, NULL));
    return snapshot;
}

static void shows(const kin_snapshot *snapshot, const char *keys)
{
    ASSERT_STR_EQ(keys_of(kin_view_all(kin_snapshot_view(snapshot))), keys);
    ASSERT_STR_EQ(keys_of(kin_view_in_namespace(kin_snapshot_view(snapshot), STR("x"))), keys);
}

TEST(snapshot, stays_as_it_is)
{
    kin_store *store = new_store(NULL);
    put_alone(store, make_pod((pod){ .ns = "x", .name = "a" }));
    put_alone(store, make_pod((pod){ .ns = "x", .name = "b" }));
    kin_snapshot *snapshot = take(store);

    put_alone(store, make_pod((pod){ .ns = "x", .name = "c" }));
    put_alone(store, make_pod((pod){ .ns = "x", .name = "b", .version = "2" }));
    remove_alone(store, STR("x/a"));

    shows(snapshot, "x/a x/b");
    const kin_object *b = kin_view_get(kin_snapshot_view(snapshot), STR("x/b"));
    ASSERT_SLICE_EQ(kin_object_resource_version(b), "1");
    kin_snapshot_free(snapshot);
    kin_snapshot_free(NULL);
    kin__store_free(store);
}

TEST(snapshot, does_not_show_a_batch_that_is_open)
{
    kin_store *store = new_store(NULL);
    kin__store_begin(store);
    put(store, make_pod((pod){ .ns = "x", .name = "a" }));

    kin_snapshot *snapshot = take(store);
    kin__store_publish(store);

    shows(snapshot, "");
    kin_snapshot_free(snapshot);
    kin__store_free(store);
}

TEST(snapshot, outlives_its_store)
{
    kin_store *store = new_store(NULL);
    put_alone(store, make_pod((pod){ .ns = "x", .name = "a" }));
    kin_snapshot *first = take(store);
    put_alone(store, make_pod((pod){ .ns = "x", .name = "b" }));
    kin_snapshot *second = take(store);
    kin_snapshot *third = take(store);

    kin__store_free(store);

    shows(first, "x/a");
    shows(second, "x/a x/b");
    kin_snapshot_free(second);
    shows(third, "x/a x/b");
    kin_snapshot_free(third);
    shows(first, "x/a");
    kin_snapshot_free(first);
    ASSERT_EQ(live_blocks(), 0);
}

/* In every order of their end. */
TEST(snapshot, leaves_to_older_ones_what_they_show)
{
    static const size_t orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                        { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    static const char *const wanted[] = { "x/a", "x/a x/b", "x/a x/b x/c" };

    for (size_t i = 0; i < 6; i++) {
        kin_store *store = new_store(NULL);
        kin_snapshot *snapshots[3];
        put_alone(store, make_pod((pod){ .ns = "x", .name = "a" }));
        snapshots[0] = take(store);
        put_alone(store, make_pod((pod){ .ns = "x", .name = "b" }));
        snapshots[1] = take(store);
        put_alone(store, make_pod((pod){ .ns = "x", .name = "c" }));
        snapshots[2] = take(store);
        remove_alone(store, STR("x/a"));
        remove_alone(store, STR("x/b"));
        remove_alone(store, STR("x/c"));

        for (size_t k = 0; k < 3; k++) {
            for (size_t rest = k; rest < 3; rest++) {
                shows(snapshots[orders[i][rest]], wanted[orders[i][rest]]);
            }
            kin_snapshot_free(snapshots[orders[i][k]]);
        }
        ASSERT_EQ(kin__store_measure(store).unreleased, 0);
        kin__store_free(store);
    }
}

TEST(snapshot, keeps_what_it_shows_and_no_more_over_a_million_changes)
{
    enum { OBJECTS = 1000, CHANGES = 1000000 / SLOWNESS };
    kin_store *store = new_store(NULL);
    add_path_index(store, "node", "spec.nodeName");
    put_numbered(store, OBJECTS, 1);
    size_t blocks = (size_t) live_blocks();
    size_t slabs = kin__slab_held();
    kin_snapshot *snapshot = take(store);
    kin_object *spares[2][OBJECTS];
    for (size_t i = 0; i < 2 * OBJECTS; i++) {
        spares[i / OBJECTS][i % OBJECTS] = numbered_pod(i % OBJECTS, i + 2);
    }

    for (size_t i = 0; i < CHANGES; i++) {
        put_alone(store, kin_object_ref(spares[i / OBJECTS % 2][i * 7919 % OBJECTS]));
        if (i % 1000 == 999) {
            /* Each object twice at most, and a copy of each node on the way to it. */
            ASSERT_TRUE(kin__store_measure(store).unreleased < 2 * OBJECTS);
            ASSERT_TRUE((size_t) live_blocks() < blocks + 4 * OBJECTS);
            ASSERT_TRUE(kin__slab_held() < 3 * slabs + 128 * 1024);
        }
    }

    ASSERT_EQ(kin_view_count(kin_snapshot_view(snapshot)), OBJECTS);
    for (size_t i = 0; i < OBJECTS; i++) {
        const kin_object *object = kin_view_get(kin_snapshot_view(snapshot), numbered_key(i));
        ASSERT_SLICE_EQ(kin_object_resource_version(object), "1");
    }
    kin_snapshot_free(snapshot);
    ASSERT_EQ(kin__store_measure(store).unreleased, 0);
    for (size_t i = 0; i < 2 * OBJECTS; i++) {
        kin_object_unref(spares[i / OBJECTS][i % OBJECTS]);
    }
    kin__store_free(store);
}

TEST(snapshot, of_a_version_long_gone_keeps_nothing_of_those_between)
{
    kin_store *store = new_store(NULL);
    kin_snapshot *empty = take(store);
    for (size_t round = 0; round < 10; round++) {
        put_numbered(store, 500, round);
    }

    remove_alone(store, numbered_key(0));

    ASSERT_TRUE(kin__store_measure(store).unreleased < 5); /* the first version, without objects */
    kin_snapshot_free(empty);
    kin__store_free(store);
}

TEST_FAILING_ALLOC(snapshot, needs_memory)
{
    kin__slab_set_apart(true);
    kin_store *store = NULL;
    kin_snapshot *snapshot = NULL;
    kin_error err;
    kin_err code = kin__store_new(NULL, &store, &err);
    if (code != KIN_OK) {
        return code;
    }

    code = kin_store_snapshot(store, &snapshot, &err);
    if (code != KIN_OK) {
        ASSERT_CONTAINS(err.message, "take a snapshot: ");
    }
    kin_snapshot_free(snapshot);
    kin__store_free(store);
    return code;
}
