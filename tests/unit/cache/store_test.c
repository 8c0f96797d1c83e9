/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_test.c - batches: what they change, when that is seen, and what it costs.
 */
#include "cache/store.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/slab.h"
#include "store_support.h"
#include "support/allocator.h"
#include "unit/cache/weighed.h"

static kin_err key_by_uid(void *context, const kin_object *object, kin__buf *out, kin_error *err)
{
    (void) context;
    (void) err;
    (void) kin__buf_append_str(out, kin_object_uid(object));
    return KIN_OK;
}

static kin_err no_key(void *context, const kin_object *object, kin__buf *out, kin_error *err)
{
    (void) context;
    (void) object;
    (void) out;
    return kin__error_set(err, KIN_ERR_TYPE, "it has no key");
}

static kin_err key_of_length(void *context, const kin_object *object, kin__buf *out, kin_error *err)
{
    (void) object;
    (void) err;
    for (size_t i = 0; i < *(const size_t *) context; i++) {
        (void) kin__buf_append_byte(out, 'k');
    }
    return KIN_OK;
}

TEST(store, is_empty_at_first)
{
    kin_store *store = new_store(NULL);

    kin_view view = kin_store_read(store);
    ASSERT_EQ(kin_view_count(&view), 0);
    ASSERT_TRUE(kin_view_get(&view, STR("a")) == NULL);
    ASSERT_TRUE(kin_view_get(&view, STR("")) == NULL);
    ASSERT_SLICE_EQ(kin_view_resource_version(&view, 0), "");
    kin_store_done(&view);
    kin__store_free(store);
    kin__store_free(NULL);
}

TEST(store, shows_a_batch_when_it_is_published_and_not_before)
{
    kin_store *store = new_store(NULL);
    kin__store_begin(store);
    put(store, make_pod((pod){ .ns = "shop", .name = "a" }));
    put(store, make_pod((pod){ .ns = "shop", .name = "b" }));

    kin_view before = kin_store_read(store);
    ASSERT_EQ(kin_view_count(&before), 0);
    ASSERT_TRUE(kin__store_newest(store, STR("shop/a")) != NULL);
    kin__store_publish(store);
    kin_view after = kin_store_read(store);

    ASSERT_EQ(kin_view_count(&before), 0);
    ASSERT_STR_EQ(keys_of(kin_view_all(&after)), "shop/a shop/b");
    ASSERT_TRUE(kin_view_number(&after) > kin_view_number(&before));
    kin_store_done(&after);
    kin_store_done(&before);
    kin__store_free(store);
}

TEST(store, tells_what_a_change_replaces)
{
    kin_store *store = new_store(NULL);
    kin_object *first = numbered_pod(1, 1);
    kin_object *second = numbered_pod(1, 2);
    const kin_object *old = second;
    kin_error err;

    kin__store_begin(store);
    ASSERT_OK(kin__store_put(store, first, &old, &err));
    ASSERT_TRUE(old == NULL);
    ASSERT_OK(kin__store_put(store, second, &old, &err));
    ASSERT_TRUE(old == first);
    first = kin_object_unref(first);
    ASSERT_SLICE_EQ(kin_object_resource_version(old), "1"); /* until publish */
    ASSERT_OK(kin__store_remove(store, numbered_key(1), &old, &err));
    ASSERT_TRUE(old == second);
    ASSERT_OK(kin__store_remove(store, numbered_key(1), &old, &err));
    ASSERT_TRUE(old == NULL);
    kin__store_publish(store);

    kin_object_unref(second);
    kin__store_free(store);
}

TEST(store, makes_no_version_of_a_batch_that_changed_nothing)
{
    kin_store *store = new_store(NULL);
    kin_view before = kin_store_read(store);

    remove_alone(store, STR("nothing"));

    kin_view after = kin_store_read(store);
    ASSERT_EQ(kin_view_number(&after), kin_view_number(&before));
    kin_store_done(&after);
    kin_store_done(&before);
    kin__store_free(store);
}

TEST(store, has_the_resource_version_of_each_source)
{
    kin__store_options options = { .sources = 2 };
    kin_store *store = new_store(&options);
    kin_error err;

    kin__store_begin(store);
    ASSERT_OK(kin__store_set_resource_version(store, 1, STR("41"), &err));
    ASSERT_OK(kin__store_set_resource_version(store, 1, STR("42"), &err));
    ASSERT_ERR(kin__store_set_resource_version(store, 2, STR("1"), &err), KIN_ERR_USAGE);
    kin__store_publish(store);

    kin_view view = kin_store_read(store);
    ASSERT_SLICE_EQ(kin_view_resource_version(&view, 0), "");
    ASSERT_SLICE_EQ(kin_view_resource_version(&view, 1), "42");
    ASSERT_SLICE_EQ(kin_view_resource_version(&view, 2), "");
    kin__store_begin(store);
    ASSERT_OK(kin__store_set_resource_version(store, 1, STR(""), &err));
    kin__store_publish(store);
    ASSERT_SLICE_EQ(kin_view_resource_version(&view, 1), "42");
    kin_store_done(&view);
    kin__store_free(store);
}

TEST(store, keeps_its_own_reference)
{
    kin_store *store = new_store(NULL);
    put_alone(store, numbered_pod(1, 7)); /* drops ours */

    kin_view view = kin_store_read(store);
    kin_object *kept = kin_object_ref(kin_view_get(&view, numbered_key(1)));
    kin_store_done(&view);
    remove_alone(store, numbered_key(1));
    kin__store_free(store);

    ASSERT_SLICE_EQ(kin_object_resource_version(kept), "7");
    kin_object_unref(kept);
}

TEST(store, can_have_other_keys)
{
    kin__store_options options = { .key = key_by_uid };
    kin_store *store = new_store(&options);
    put_alone(store, make_pod((pod){ .ns = "shop", .name = "a" }));

    kin_view view = kin_store_read(store);
    ASSERT_TRUE(kin_view_get(&view, STR("uid-a")) != NULL);
    ASSERT_TRUE(kin_view_get(&view, STR("shop/a")) == NULL);
    ASSERT_STR_EQ(keys_of(kin_view_all(&view)), "uid-a");
    kin_store_done(&view);
    remove_alone(store, STR("uid-a"));
    kin__store_free(store);
}

TEST(store, refuses_what_has_no_key)
{
    kin__store_options options = { .key = no_key };
    kin_store *store = new_store(&options);
    kin_object *object = make_pod((pod){ .ns = "shop", .name = "a" });
    const kin_object *old = NULL;
    kin_error err;

    kin__store_begin(store);
    ASSERT_ERR(kin__store_put(store, object, &old, &err), KIN_ERR_TYPE);
    kin__store_publish(store);

    ASSERT_MESSAGE(&err, "put \"shop/a\" into a store: it has no key");
    kin_object_unref(object);
    kin__store_free(store);
}

TEST(store, takes_keys_of_up_to_64_kilobytes)
{
    size_t len = 0;
    kin__store_options options = { .key = key_of_length, .context = &len };
    kin_store *store = new_store(&options);
    kin_object *object = make_pod((pod){ .ns = "shop", .name = "a" });
    const kin_object *old = NULL;
    kin_error err;
    static char key[65536];
    memset(key, 'k', sizeof key);

    kin__store_begin(store);
    ASSERT_ERR(kin__store_put(store, object, &old, &err), KIN_ERR_USAGE);
    len = 65536;
    ASSERT_ERR(kin__store_put(store, object, &old, &err), KIN_ERR_LIMIT);
    len = 65535;
    ASSERT_OK(kin__store_put(store, object, &old, &err));
    kin__store_publish(store);

    kin_view view = kin_store_read(store);
    ASSERT_EQ(kin_view_count(&view), 1);
    ASSERT_TRUE(kin_view_get(&view, kin__str(key, 65535)) == object);
    ASSERT_TRUE(kin_view_get(&view, kin__str(key, 65536)) == NULL);
    ASSERT_TRUE(kin_view_get(&view, kin__str(key, 65534)) == NULL);
    kin_store_done(&view);
    kin_object_unref(object);
    kin__store_free(store);
}

TEST(store, counts_its_bytes)
{
    kin_store *store = new_store(NULL);
    kin__store_usage empty = kin__store_measure(store);
    kin_object *object = numbered_pod(1, 1);
    size_t size = kin_object_size(object);

    put_alone(store, object);
    put_alone(store, numbered_pod(1, 2));
    kin__store_usage one = kin__store_measure(store);
    remove_alone(store, numbered_key(1));
    kin__store_usage none = kin__store_measure(store);

    ASSERT_EQ(empty.object_bytes, 0);
    ASSERT_EQ(one.object_bytes, size);
    ASSERT_EQ(none.object_bytes, 0);
    ASSERT_TRUE(one.structure_bytes > empty.structure_bytes);
    ASSERT_EQ(none.structure_bytes, empty.structure_bytes);
    ASSERT_EQ(none.unreleased, 0);
    kin__store_free(store);
}

/* ---- memory ------------------------------------------------------------------------------ */

TEST(store, is_under_a_kilobyte_when_empty)
{
    static kin_store *stores[1000];
    weigh_memory();

    for (size_t i = 0; i < 1000; i++) {
        stores[i] = new_store(NULL);
    }

    ASSERT_TRUE(kin__store_measure(stores[0]).structure_bytes < 1024);
    ASSERT_TRUE(bytes_held < 1000 * 1024);
    for (size_t i = 0; i < 1000; i++) {
        kin__store_free(stores[i]);
    }
    ASSERT_EQ(bytes_held, 0);
    use_test_allocator();
}

TEST(store, gives_memory_back_after_a_mass_deletion)
{
    enum { BEFORE = SLOWNESS > 1 ? 20000 : 100000, AFTER = 100 };
    weigh_memory();
    kin_store *store = new_store(NULL);
    add_path_index(store, "node", "spec.nodeName");
    add_path_index(store, "uid", "metadata.uid");
    put_numbered(store, BEFORE, 1);
    size_t most = bytes_held;
    size_t most_slabs = kin__slab_held();

    kin__store_begin(store);
    for (size_t i = 0; i < BEFORE; i++) {
        if (i % (BEFORE / AFTER) != 0) {
            take_out(store, numbered_key(i));
        }
    }
    kin__store_publish(store);

    kin_view view = kin_store_read(store);
    ASSERT_EQ(kin_view_count(&view), AFTER);
    ASSERT_EQ(count_walk(kin_view_in_namespace(&view, STR("shop"))), AFTER);
    kin_store_done(&view);
    printf("%zu bytes before, %zu after; of them in slabs %zu and %zu\n", most, (size_t) bytes_held,
           most_slabs, kin__slab_held());
    ASSERT_TRUE(bytes_held < most / 20);
    ASSERT_TRUE(kin__store_measure(store).structure_bytes < 40 * 1024);
    kin__store_free(store);
    ASSERT_EQ(bytes_held, 0);
    use_test_allocator();
}

TEST(store, gives_memory_back_when_objects_go_one_by_one)
{
    enum { BEFORE = SLOWNESS > 1 ? 20000 : 40000 };
    weigh_memory();
    kin_store *store = new_store(NULL);
    put_numbered(store, BEFORE, 1);
    size_t most = bytes_held;

    for (size_t i = 10; i < BEFORE; i++) {
        remove_alone(store, numbered_key(i));
    }

    ASSERT_TRUE(bytes_held < most / 10);
    kin__store_free(store);
    use_test_allocator();
}

TEST(store, takes_no_more_memory_the_longer_it_runs)
{
    weigh_memory();
    kin_store *store = new_store(NULL);
    add_path_index(store, "node", "spec.nodeName");
    put_numbered(store, 1000, 1);
    size_t after_list = bytes_held;

    for (size_t i = 0; i < 200000 / SLOWNESS; i++) {
        put_alone(store, numbered_pod(i * 7919 % 1000, i));
    }

    ASSERT_TRUE(bytes_held < after_list + after_list / 2);
    ASSERT_EQ(kin__store_measure(store).unreleased, 0);
    kin__store_free(store);
    use_test_allocator();
}

/* ---- lack of memory ---------------------------------------------------------------------- */

TEST_FAILING_ALLOC(store, cannot_be_made_without_memory)
{
    kin__slab_set_apart(true);
    kin_store *store = NULL;
    kin_error err;

    kin_err code = kin__store_new(NULL, &store, &err);
    if (code == KIN_OK) {
        kin__store_free(store);
    } else {
        ASSERT_CONTAINS(err.message, "make a store");
    }
    return code;
}

/* Every change of a batch fails once; what has not failed is there after publish. */
TEST_FAILING_ALLOC(store, publishes_what_there_was_memory_for)
{
    kin__slab_set_apart(true);
    kin_store *store = NULL;
    kin_snapshot *snapshot = NULL;
    kin_error err;
    const kin_object *old;
    kin_err code = kin__store_new(NULL, &store, &err);
    if (code != KIN_OK) {
        return code;
    }
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    options.name = "node";
    options.path = "spec.nodeName";
    code = kin_store_add_index(store, &options, &err);
    bool is_there[12] = { false };
    for (size_t i = 0; i < 12; i++) {
        char name[16];
        (void) snprintf(name, sizeof name, "pod-%zu", i % 8);
        kin_object *object = NULL;
        kin__store_begin(store);
        kin_err step = make_pod_or_fail(
            (pod){ .ns = "shop", .name = name, .node = i % 2 == 0 ? "n1" : "n2" }, &object, &err);
        step = step == KIN_OK ? kin__store_put(store, object, &old, &err) : step;
        is_there[i % 8] = is_there[i % 8] || step == KIN_OK;
        code = step == KIN_OK ? code : step;
        if (i % 3 == 2) {
            step = kin__store_remove(store, numbered_key(i % 8), &old, &err);
            is_there[i % 8] = is_there[i % 8] && step != KIN_OK;
            code = step == KIN_OK ? code : step;
        }
        step = kin__store_set_resource_version(store, 0, STR("42"), &err);
        code = step == KIN_OK ? code : step;
        kin__store_publish(store);
        kin_object_unref(object);
    }
    kin_err taken = kin_store_snapshot(store, &snapshot, &err);
    code = taken == KIN_OK ? code : taken;

    kin_view view = kin_store_read(store);
    size_t count = 0;
    for (size_t i = 0; i < 8; i++) {
        ASSERT_EQ(kin_view_get(&view, numbered_key(i)) != NULL, is_there[i]);
        count += is_there[i] ? 1 : 0;
    }
    ASSERT_EQ(kin_view_count(&view), count);
    ASSERT_EQ(kin_view_index_count(&view, "namespace", STR("shop")), count);
    kin_store_done(&view);
    kin_snapshot_free(snapshot);
    kin__store_free(store);
    return code;
}

TEST(store, can_be_released_in_a_child)
{
    kin_store *store = new_store(NULL);
    kin_snapshot *snapshot = NULL;
    put_numbered(store, 100, 1);
    ASSERT_OK(kin_store_snapshot(store, &snapshot, NULL));
    put_numbered(store, 100, 2);

    pid_t child = fork();
    if (child == 0) {
        kin__store_free(store);
        kin_snapshot_free(snapshot);
        _exit(live_blocks() == 0 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    kin__store_free(store);
    kin_snapshot_free(snapshot);
}
