/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_pause_test.c - batches that are paused: others write, and nobody sees half of them.
 */
#include "base/slab.h"
#include "unit/cache/store_support.h"

#define PODS 200

static kin_store *filled_store(void)
{
    kin_store *store = new_store(NULL);

    add_path_index(store, "node", "spec.nodeName");
    put_numbered(store, PODS, 1);
    return store;
}

/* Changes about every kind of node there is. */
static void change_much(kin_store *store)
{
    for (size_t i = 0; i < PODS; i += 2) {
        put(store, numbered_pod(i, 2));
    }
    for (size_t i = 1; i < PODS; i += 4) {
        take_out(store, numbered_key(i));
    }
    for (size_t i = PODS; i < PODS + 300; i++) {
        put(store, numbered_pod(i, 2));
    }
    for (size_t i = PODS; i < PODS + 300; i += 3) {
        take_out(store, numbered_key(i));
        put(store, numbered_pod(i + 1, 3));
    }
}

static void expect_untouched(kin_store *store)
{
    kin_view view = kin_store_read(store);

    ASSERT_EQ(kin_view_count(&view), PODS);
    for (size_t i = 0; i < PODS; i++) {
        const kin_object *object = kin_view_get(&view, numbered_key(i));
        ASSERT_TRUE(object != NULL);
        ASSERT_SLICE_EQ(kin_object_resource_version(object), "1");
    }
    ASSERT_EQ(kin_view_index_count(&view, "namespace", kin_str_of("shop")), PODS);
    for (size_t i = 0; i < 10; i++) {
        char node[16];
        (void) snprintf(node, sizeof node, "node-%zu", i);
        ASSERT_EQ(kin_view_index_count(&view, "node", kin_str_of(node)), PODS / 10);
        ASSERT_EQ(count_walk(kin_view_by_index(&view, "node", kin_str_of(node))), PODS / 10);
    }
    kin_store_done(&view);
}

TEST(store_pause, goes_on_where_it_was_when_nobody_has_written)
{
    kin_store *store = filled_store();
    kin__store_begin(store);
    put(store, numbered_pod(0, 2));

    kin__store_pause(store);
    expect_untouched(store);
    ASSERT_TRUE(kin__store_resume(store));
    put(store, numbered_pod(1, 2));
    kin__store_publish(store);

    kin_view view = kin_store_read(store);
    ASSERT_SLICE_EQ(kin_object_resource_version(kin_view_get(&view, numbered_key(0))), "2");
    ASSERT_SLICE_EQ(kin_object_resource_version(kin_view_get(&view, numbered_key(1))), "2");
    kin_store_done(&view);
    kin__store_free(store);
}

TEST(store_pause, is_dropped_as_a_whole_when_somebody_writes)
{
    kin_store *store = filled_store();
    kin__store_usage before = kin__store_measure(store);
    kin__store_begin(store);
    change_much(store);
    kin__store_pause(store);

    kin__store_begin(store);
    kin__store_publish(store);

    expect_untouched(store);
    ASSERT_FALSE(kin__store_resume(store));
    kin__store_publish(store);
    kin__store_usage after = kin__store_measure(store);
    ASSERT_EQ(after.object_bytes, before.object_bytes);
    ASSERT_EQ(after.structure_bytes, before.structure_bytes);
    ASSERT_EQ(after.unreleased, 0);
    put_alone(store, numbered_pod(0, 1));
    after = kin__store_measure(store);
    ASSERT_EQ(after.object_bytes, before.object_bytes);
    ASSERT_EQ(after.structure_bytes, before.structure_bytes);
    kin__store_free(store);
}

TEST(store_pause, lets_an_index_be_added_without_what_is_half_done)
{
    kin_store *store = filled_store();
    kin__store_begin(store);
    change_much(store);
    kin__store_pause(store);

    add_path_index(store, "version", "metadata.resourceVersion");

    expect_untouched(store);
    kin_view view = kin_store_read(store);
    ASSERT_EQ(kin_view_index_count(&view, "version", kin_str_of("1")), PODS);
    ASSERT_EQ(kin_view_index_count(&view, "version", kin_str_of("2")), 0);
    kin_store_done(&view);
    kin__store_free(store);
}

/* What was shared with the dropped batch must be as good as before: every set is told of what goes.
 */
TEST(store_pause, leaves_a_store_that_can_be_changed_as_any)
{
    kin_store *store = filled_store();
    for (int round = 0; round < 3; round++) {
        kin__store_begin(store);
        change_much(store);
        kin__store_pause(store);
    }
    ASSERT_TRUE(kin__store_resume(store));
    kin__store_pause(store);
    kin__store_begin(store);

    for (size_t i = 0; i < PODS; i++) {
        put(store,
            make_pod((pod){ .ns = "shop", .name = numbered_key(i).data + 5, .node = "elsewhere" }));
    }
    take_out(store, numbered_key(7));
    kin__store_publish(store);

    kin_view view = kin_store_read(store);
    ASSERT_EQ(kin_view_index_count(&view, "node", kin_str_of("elsewhere")), PODS - 1);
    ASSERT_EQ(kin_view_index_count(&view, "node", kin_str_of("node-3")), 0);
    ASSERT_EQ(kin_view_index_count(&view, "namespace", kin_str_of("shop")), PODS - 1);
    kin_store_done(&view);
    kin__store_free(store);
}

TEST(store_pause, may_be_freed_with_its_store)
{
    kin_store *store = filled_store();
    kin__store_begin(store);
    change_much(store);

    kin__store_pause(store);

    kin__store_free(store);
    kin__slab_set_apart(true);
}

TEST(store_pause, keeps_what_readers_and_snapshots_see)
{
    kin_store *store = filled_store();
    kin_snapshot *snapshot;
    kin_error err;
    put_alone(store, numbered_pod(3, 1));
    ASSERT_OK(kin_store_snapshot(store, &snapshot, &err));
    kin_view view = kin_store_read(store);
    kin__store_begin(store);
    change_much(store);
    kin__store_pause(store);
    put_alone(store, numbered_pod(0, 9));

    ASSERT_SLICE_EQ(kin_object_resource_version(kin_view_get(&view, numbered_key(0))), "1");
    const kin_view *held = kin_snapshot_view(snapshot);
    ASSERT_SLICE_EQ(kin_object_resource_version(kin_view_get(held, numbered_key(0))), "1");
    ASSERT_EQ(count_walk(kin_view_by_index(held, "node", kin_str_of("node-0"))), PODS / 10);
    kin_store_done(&view);
    kin_snapshot_free(snapshot);
    kin__store_free(store);
}

/* Wherever a change fails, the batch may be paused and dropped. */
TEST_FAILING_ALLOC(store_pause, can_be_dropped_after_any_failure)
{
    kin__slab_set_apart(true);
    kin_store *store = NULL;
    kin_error err;
    const kin_object *old;
    kin_object *object = NULL;
    kin_err code = kin__store_new(NULL, &store, &err);
    if (code != KIN_OK) {
        return code;
    }
    for (size_t i = 0; i < 6 && code == KIN_OK; i++) {
        char name[16];
        (void) snprintf(name, sizeof name, "pod-%zu", i % 4);
        code = make_pod_or_fail((pod){ .ns = "shop", .name = name }, &object, &err);
        if (code == KIN_OK) {
            kin__store_begin(store);
            code = kin__store_put(store, object, &old, &err);
            kin_object_unref(object);
            if (code == KIN_OK && i == 3) {
                code = kin__store_remove(store, kin_str_of("shop/pod-1"), &old, &err);
            }
            if (code == KIN_OK) {
                kin__store_publish(store);
            } else {
                kin__store_pause(store);
            }
        }
    }
    kin_view view = kin_store_read(store);
    size_t count = kin_view_count(&view);
    ASSERT_EQ(kin_view_index_count(&view, "namespace", kin_str_of("shop")), count);
    kin_store_done(&view);
    kin__store_free(store);
    return code;
}
