/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_race_test.c - readers, snapshots and a writer at the same time.
 *
 * Each batch gives all objects one and the same resource version: whoever sees two different ones
 * in a view has seen something between two versions.  For ThreadSanitizer above all.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "store_support.h"

#define OBJECTS 40
#define READERS 3

typedef struct race {
    kin_store *store;
    atomic_bool is_over;
    atomic_size_t views;
} race;

static void check_view(const kin_view *view)
{
    kin_str version = { 0 };
    size_t count = 0;
    kin_view_iter iter = kin_view_all(view);
    while (kin_view_next(&iter)) {
        kin_str own = kin_object_resource_version(iter.object);
        version = count == 0 ? own : version;
        ASSERT_TRUE(kin_str_equal(own, version));
        count++;
    }
    ASSERT_EQ(count, kin_view_count(view));
    ASSERT_EQ(kin_view_index_count(view, "namespace", STR("shop")), count);
    ASSERT_TRUE(count == 0 || kin_str_equal(kin_view_resource_version(view, 0), version));
}

static void *read_views(void *context)
{
    race *r = context;
    while (!atomic_load(&r->is_over)) {
        kin_view view = kin_store_read(r->store);
        check_view(&view);
        const kin_object *object = kin_view_get(&view, STR("shop/pod-3"));
        kin_object *kept = kin_object_ref(object);
        kin_store_done(&view);
        if (kept != NULL) {
            ASSERT_SLICE_EQ(kin_object_name(kept), "pod-3");
        }
        kin_object_unref(kept);
        atomic_fetch_add(&r->views, 1);
    }
    return NULL;
}

static void *read_snapshots(void *context)
{
    race *r = context;
    kin_snapshot *held[4] = { NULL };
    for (size_t i = 0; !atomic_load(&r->is_over); i++) {
        kin_snapshot **place = &held[i * 7 % 4];
        if (*place != NULL) {
            check_view(kin_snapshot_view(*place));
            kin_snapshot_free(*place);
        }
        ASSERT_OK(kin_store_snapshot(r->store, place, NULL));
        atomic_fetch_add(&r->views, 1);
    }
    for (size_t i = 0; i < 4; i++) {
        kin_snapshot_free(held[i]);
    }
    return NULL;
}

static void *change_indexes(void *context)
{
    race *r = context;
    while (!atomic_load(&r->is_over)) {
        add_path_index(r->store, "node", "spec.nodeName");
        kin_view view = kin_store_read(r->store);
        size_t count = 0;
        for (size_t i = 0; i < 10; i++) {
            char value[16];
            (void) snprintf(value, sizeof value, "node-%zu", i);
            count += count_walk(kin_view_by_index(&view, "node", kin_str_of(value)));
        }
        ASSERT_EQ(count, kin_view_count(&view));
        kin_store_done(&view);
        ASSERT_OK(kin_store_remove_index(r->store, "node", NULL));
    }
    return NULL;
}

static void write_batches(race *r, size_t batches)
{
    for (size_t i = 1; i <= batches; i++) {
        char version[24];
        kin_error err;
        (void) snprintf(version, sizeof version, "%zu", i);
        kin__store_begin(r->store);
        for (size_t k = 0; k < OBJECTS; k++) {
            if ((i + k) % 7 == 0) {
                char key[32];
                int len = snprintf(key, sizeof key, "shop/pod-%zu", k);
                take_out(r->store, kin__str(key, (size_t) len));
            } else {
                put(r->store, numbered_pod(k, i));
            }
        }
        ASSERT_OK(kin__store_set_resource_version(r->store, 0, kin_str_of(version), &err));
        kin__store_publish(r->store);
        (void) kin__store_collect(r->store);
    }
}

TEST(store_race, of_readers_snapshots_indexes_and_a_writer_shows_whole_versions_only)
{
    static race r;
    r.store = new_store(NULL);
    pthread_t threads[READERS + 2];
    for (size_t i = 0; i < READERS; i++) {
        ASSERT_EQ(pthread_create(&threads[i], NULL, read_views, &r), 0);
    }
    ASSERT_EQ(pthread_create(&threads[READERS], NULL, read_snapshots, &r), 0);
    ASSERT_EQ(pthread_create(&threads[READERS + 1], NULL, change_indexes, &r), 0);

    write_batches(&r, 4000 / SLOWNESS);
    while (atomic_load(&r.views) < 100) { /* on a slow machine they may not have begun */
    }

    atomic_store(&r.is_over, true);
    for (size_t i = 0; i < READERS + 2; i++) {
        ASSERT_EQ(pthread_join(threads[i], NULL), 0);
    }
    (void) kin__store_collect(r.store);
    ASSERT_EQ(kin__store_measure(r.store).unreleased, 0);
    kin__store_free(r.store);
}

static void *measure_usage(void *context)
{
    race *r = context;
    while (!atomic_load(&r->is_over)) {
        (void) kin__store_measure(r->store);
        atomic_fetch_add(&r->views, 1);
    }
    return NULL;
}

/* What the newer of two snapshots kept is sorted out for the older one when it ends. */
TEST(store_race, of_snapshots_that_end_and_measuring_is_none)
{
    static race r;
    pthread_t thread;
    r.store = new_store(NULL);
    write_batches(&r, 1);
    ASSERT_EQ(pthread_create(&thread, NULL, measure_usage, &r), 0);

    for (size_t i = 0; i < 4000 / SLOWNESS || atomic_load(&r.views) < 100; i++) {
        kin_snapshot *older = NULL;
        kin_snapshot *newer = NULL;
        ASSERT_OK(kin_store_snapshot(r.store, &older, NULL));
        write_batches(&r, 1);
        ASSERT_OK(kin_store_snapshot(r.store, &newer, NULL));
        write_batches(&r, 1);
        kin_snapshot_free(newer);
        kin_snapshot_free(older);
    }

    atomic_store(&r.is_over, true);
    ASSERT_EQ(pthread_join(thread, NULL), 0);
    kin__store_free(r.store);
}

/* Two stores of two writers share the slabs. */
static void *write_own_store(void *context)
{
    size_t from = *(const size_t *) context;
    kin_store *store = new_store(NULL);
    for (size_t i = 0; i < 2000 / SLOWNESS; i++) {
        kin__store_begin(store);
        char name[32];
        (void) snprintf(name, sizeof name, "pod-%zu", (from + i * 31) % 300);
        put(store, make_pod((pod){ .ns = "shop", .name = name }));
        kin__store_publish(store);
    }
    kin__store_free(store);
    return NULL;
}

TEST(store_race, of_two_writers_of_two_stores_is_none)
{
    pthread_t threads[2];
    size_t from[2] = { 1, 100 };
    for (size_t i = 0; i < 2; i++) {
        ASSERT_EQ(pthread_create(&threads[i], NULL, write_own_store, &from[i]), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        ASSERT_EQ(pthread_join(threads[i], NULL), 0);
    }
    ASSERT_EQ(live_blocks(), 0);
}
