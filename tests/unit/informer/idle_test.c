/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle_test.c - an informer that nothing happens to gives back memory, and then sleeps.
 */
#include <stdio.h>

#include "base/thread.h"
#include "informer/informer_state.h"
#include "support/allocator.h"
#include "unit/informer/scene.h"

static scene s;

static size_t unreleased(void)
{
    return kin__store_measure(kin_informer_store(s.informer)).unreleased;
}

static bool has_timer(void)
{
    return kin__timer_is_set(&s.informer->collect_timer);
}

TEST(idle, has_no_timer_when_nothing_waits)
{
    scene_open(&s);
    sync_informer(&s);

    send_modified(&s, "a@13");

    ASSERT_EQ(unreleased(), 0);
    ASSERT_FALSE(has_timer());
    scene_close(&s);
}

TEST(idle, releases_what_was_dropped_once_readers_are_done)
{
    scene_open(&s);
    sync_informer(&s);
    kin_view view = kin_store_read(kin_informer_store(s.informer));
    send_modified(&s, "a@13");
    ASSERT_TRUE(unreleased() > 0);
    ASSERT_TRUE(has_timer());
    pass(&s, 50);
    ASSERT_TRUE(unreleased() > 0);

    kin_store_done(&view);
    pass(&s, 100);

    ASSERT_EQ(unreleased(), 0);
    ASSERT_FALSE(has_timer());
    scene_close(&s);
}

/* Looks after 50, 100, 200 ... ms, and after 6.4 s in the end. */
TEST(idle, looks_less_and_less_often_for_a_reader_that_stays)
{
    scene_open(&s);
    sync_informer(&s);
    kin_view view = kin_store_read(kin_informer_store(s.informer));
    send_modified(&s, "a@13");

    for (int64_t wait_ms = 50; wait_ms < 6400; wait_ms *= 2) {
        ASSERT_EQ(s.informer->collect_ms, wait_ms);
        pass(&s, wait_ms - 1);
        ASSERT_EQ(s.informer->collect_ms, wait_ms);
        pass(&s, 1);
    }
    pass(&s, 6400);
    ASSERT_EQ(s.informer->collect_ms, 6400);
    kin_store_done(&view);
    pass(&s, 6400);

    ASSERT_EQ(unreleased(), 0);
    ASSERT_EQ(s.informer->collect_ms, 0);
    scene_close(&s);
}

TEST(idle, releases_what_a_snapshot_left_to_readers)
{
    kin_snapshot *snapshot;
    scene_open(&s);
    sync_informer(&s);
    ASSERT_OK(kin_store_snapshot(kin_informer_store(s.informer), &snapshot, &s.err));
    send_modified(&s, "a@13");
    ASSERT_FALSE(has_timer());
    kin_view view = kin_store_read(kin_informer_store(s.informer));
    kin_snapshot_free(snapshot);
    settle(&s);
    ASSERT_TRUE(has_timer());

    kin_store_done(&view);
    pass(&s, 50);

    ASSERT_EQ(unreleased(), 0);
    ASSERT_FALSE(has_timer());
    scene_close(&s);
}

TEST(idle, releases_what_an_index_left_to_readers)
{
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;
    index.name = "uid";
    index.path = "metadata.uid";
    scene_open(&s);
    sync_informer(&s);
    kin_view view = kin_store_read(kin_informer_store(s.informer));
    ASSERT_OK(kin_store_add_index(kin_informer_store(s.informer), &index, &s.err));
    settle(&s);
    ASSERT_TRUE(has_timer());

    kin_store_done(&view);
    pass(&s, 50);

    ASSERT_EQ(unreleased(), 0);
    scene_close(&s);
}

/* A snapshot may outlive the informer. */
TEST(idle, is_not_woken_when_it_is_gone)
{
    kin_snapshot *snapshot;
    scene_open(&s);
    sync_informer(&s);
    ASSERT_OK(kin_store_snapshot(kin_informer_store(s.informer), &snapshot, &s.err));
    send_modified(&s, "a@13");

    kin_informer_free(s.informer);
    s.informer = NULL;
    kin_snapshot_free(snapshot);

    settle(&s);
    scene_close(&s);
}

/* Between leaving the loop and being freed nothing may be posted any more. */
TEST(idle, is_not_woken_when_it_has_left_the_loop)
{
    kin_snapshot *snapshot;
    const kin_object *old;
    kin_object *a = scene_object("a@5");
    scene_open(&s);
    ASSERT_OK(make_informer(&s, NULL));
    kin_store *store = kin_informer_store(s.informer);
    kin__store_begin(store);
    ASSERT_OK(kin__store_put(store, a, &old, &s.err));
    kin__store_publish(store);
    ASSERT_OK(kin_store_snapshot(store, &snapshot, &s.err));
    kin__store_begin(store);
    ASSERT_OK(kin__store_remove(store, kin_str_of("shop/a"), &old, &s.err));
    kin__store_publish(store);
    settle(&s);
    kin_view view = kin_store_read(store);

    kin__informer_leave_loop(s.informer);
    kin_snapshot_free(snapshot);

    ASSERT_TRUE(unreleased() > 0);
    ASSERT_FALSE(s.informer->turn_job.is_waiting);
    kin_store_done(&view);
    kin__informer_release(s.informer);
    s.informer = NULL;
    kin_object_unref(a);
    scene_close(&s);
}

TEST(idle, looks_again_when_there_was_no_memory_for_a_timer)
{
    scene_open(&s);
    sync_informer(&s);
    kin_view view = kin_store_read(kin_informer_store(s.informer));
    send_modified(&s, "a@13");
    kin__timer_clear(s.loop, &s.informer->collect_timer);
    kin__informer_wake(s.informer);

    test_allocator_plan((alloc_failure){ .first = 1, .is_lasting = true });
    settle(&s);
    test_allocator_plan((alloc_failure){ 0 });
    kin_store_done(&view);
    pass(&s, 100);

    ASSERT_EQ(unreleased(), 0);
    scene_close(&s);
}

/* Reads, holds and indexes both stores, while things come and go. */
static void disturb(void *context)
{
    kin_informer *informer = context;
    kin_store *stores[] = { kin_informer_store(informer), kin_informer_deleted(informer) };

    for (int i = 0; i < 100; i++) {
        kin_snapshot *snapshot = NULL;
        kin_store *store = stores[i % 2];
        kin_index_options index = KIN_INDEX_OPTIONS_INIT;
        index.name = "uid";
        index.path = "metadata.uid";

        ASSERT_OK(kin_store_snapshot(store, &snapshot, NULL));
        (void) !kin_store_add_index(store, &index, NULL);
        kin_view view = kin_store_read(store);
        (void) kin_deleted_get(&view, kin_str_of("shop/b"));
        kin_snapshot_free(snapshot);
        kin_store_done(&view);
        (void) !kin_store_remove_index(store, "uid", NULL);
    }
}

TEST(idle, is_disturbed_from_any_thread)
{
    kin__thread threads[3];
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.keep_deleted_ms = 20;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");
    end_page(&s, "12");
    expect_call(&s, "watch pods rv=12");
    send_open(&s);

    for (int i = 0; i < 3; i++) {
        ASSERT_OK(kin__thread_start(&threads[i], "test", disturb, s.informer, &s.err));
    }
    for (int i = 0; i < 40; i++) {
        char object[32];
        (void) snprintf(object, sizeof object, "b#%d@%d", i, 20 + 2 * i);
        send_added(&s, object);
        (void) snprintf(object, sizeof object, "b#%d@%d", i, 21 + 2 * i);
        send_deleted(&s, object);
        pass(&s, 10);
    }
    for (int i = 0; i < 3; i++) {
        kin__thread_join(&threads[i]);
    }
    pass(&s, 6400);

    ASSERT_EQ(unreleased(), 0);
    ASSERT_EQ(kin__store_measure(kin_informer_deleted(s.informer)).unreleased, 0);
    ASSERT_FALSE(has_timer());
    scene_close(&s);
}

/* ---- a batch without memory ------------------------------------------------------------------ */

TEST(idle, lets_indexes_be_added_while_a_batch_waits_for_memory)
{
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;
    index.name = "uid";
    index.path = "metadata.uid";
    scene_open(&s);
    sync_informer(&s);
    kin_object *b = scene_object("b@13");
    kin_event event = { .type = KIN_EVENT_ADDED, .object = b };
    event.resource_version = kin_object_resource_version(b);
    (void) s.at->handler.on_event(s.at->handler.context, &event);
    kin_object_unref(b);
    test_allocator_plan((alloc_failure){ .first = 2, .is_lasting = true });
    settle(&s);
    test_allocator_plan((alloc_failure){ 0 });
    expect_store(&s, "a@5");
    expect_told(&s, "");

    ASSERT_OK(kin_store_add_index(kin_informer_store(s.informer), &index, &s.err));
    expect_store(&s, "a@5");
    pass(&s, 100);

    expect_store(&s, "a@5 b@13");
    expect_told(&s, "add b@13");
    kin_view view = kin_store_read(kin_informer_store(s.informer));
    ASSERT_EQ(kin_view_index_count(&view, "uid", kin_str_of("u-b")), 1);
    kin_store_done(&view);
    scene_close(&s);
}
