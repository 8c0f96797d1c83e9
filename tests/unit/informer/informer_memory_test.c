/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer_memory_test.c - how much memory an informer holds.
 */
#include <stdio.h>

#include "unit/cache/store_support.h"
#include "unit/cache/weighed.h"
#include "unit/informer/scene.h"

enum {
    KILOBYTE = 1024,
    /* What may stay when most objects go: one region with huge pages, and its alignment. */
    REST = 4500 * KILOBYTE,
};

static scene s;
static long long version;

static void begin(const kin_registration_options *options)
{
    weigh_memory();
    version = 100;
    scene_open(&s);
    ASSERT_OK(make_informer(&s, NULL));
    if (options != NULL) {
        ASSERT_OK(kin_informer_add_handler(s.informer, options, &s.registration, &s.err));
    }
    ASSERT_OK(kin_informer_start(s.informer, &s.err));
    expect_call(&s, "list pods rv=0");
}

static void finish(void)
{
    scene_close(&s);
    ASSERT_EQ(bytes_held, 0);
    use_test_allocator();
}

static void send_pods(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        kin_object *object = numbered_pod(i, 100);
        (void) s.at->handler.on_object(s.at->handler.context, object);
        kin_object_unref(object);
    }
}

/* Without a turn of the loop for each. */
static void send_change(kin_event_type type, size_t number)
{
    kin_object *object = numbered_pod(number, (size_t) ++version);
    kin_event event = { .type = type, .object = object };

    event.resource_version = kin_object_resource_version(object);
    (void) s.at->handler.on_event(s.at->handler.context, &event);
    kin_object_unref(object);
    if (version % 100 == 0) {
        settle(&s);
    }
}

static void begin_watch(size_t count)
{
    send_pods(count);
    end_page(&s, "100");
    expect_call(&s, "watch pods rv=100");
    send_open(&s);
}

TEST(informer_memory, goes_back_when_a_new_list_has_100_of_100000_objects)
{
    enum { BEFORE = 100000 / SLOWNESS, AFTER = 100 };
    begin(NULL);
    begin_watch(BEFORE);
    size_t most = bytes_held;

    end_badly(&s, KIN_ERR_EXPIRED, 410, "too old");
    expect_call(&s, "list pods rv=100");
    send_pods(AFTER);
    end_page(&s, "200");

    printf("%zu bytes before, %zu after\n", most, (size_t) bytes_held);
    ASSERT_EQ(status_of(&s).objects, AFTER);
    ASSERT_TRUE(bytes_held < REST);
    finish();
}

TEST(informer_memory, goes_back_when_objects_are_deleted)
{
    enum { BEFORE = 100000 / SLOWNESS, AFTER = 100 };
    begin(NULL);
    begin_watch(BEFORE);

    for (size_t i = AFTER; i < BEFORE; i++) {
        send_change(KIN_EVENT_DELETED, i);
    }
    settle(&s);

    ASSERT_EQ(status_of(&s).objects, AFTER);
    ASSERT_TRUE(bytes_held < REST);
    finish();
}

/* A list twice, and the steady state: nothing of the first is left, and the second is not made. */
TEST(informer_memory, does_not_grow_with_a_list_of_what_is_there)
{
    enum { COUNT = 20000 / SLOWNESS };
    begin(NULL);
    begin_watch(COUNT);
    size_t steady = bytes_held;
    end_badly(&s, KIN_ERR_EXPIRED, 410, "too old");
    expect_call(&s, "list pods rv=100");

    for (size_t i = 0; i < COUNT; i++) {
        kin_object *object = numbered_pod(i, 100);
        kin_object *known = s.at->options.known(s.at->handler.context, kin_object_namespace(object),
                                                kin_object_name(object), kin_object_uid(object),
                                                kin_object_resource_version(object));
        ASSERT_TRUE(known != NULL);
        (void) s.at->handler.on_object(s.at->handler.context, known);
        kin_object_unref(known);
        kin_object_unref(object);
    }
    printf("%zu bytes, %zu with a list\n", steady, (size_t) bytes_held);
    ASSERT_TRUE(bytes_held < steady + steady / 4);
    end_page(&s, "200");

    ASSERT_TRUE(bytes_held < steady + 64 * KILOBYTE);
    finish();
}

static void expect_bounded(kin_backlog_policy policy, size_t bytes)
{
    enum { OBJECTS = 100, CHANGES = 60000 / SLOWNESS };
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    size_t most = 0;
    options.mode = KIN_DELIVERY_QUEUE; /* and nobody drains it */
    options.policy = policy;
    options.bound = 16;
    begin(&options);
    begin_watch(OBJECTS);

    for (size_t i = 0; i < CHANGES; i++) {
        size_t number = i % OBJECTS;

        if (i / OBJECTS % 3 == 2) {
            send_change(KIN_EVENT_DELETED, number);
            send_change(KIN_EVENT_ADDED, number);
        } else {
            send_change(KIN_EVENT_MODIFIED, number);
        }
        most = bytes_held > most ? bytes_held : most;
    }

    printf("%zu bytes at most\n", most);
    ASSERT_TRUE(most < bytes);
    finish();
}

TEST(informer_memory, is_bounded_when_a_handler_never_takes_anything)
{
    expect_bounded(KIN_BACKLOG_COALESCE, 400 * KILOBYTE);
}

/* What the fifo takes before it merges comes on top. */
TEST(informer_memory, is_bounded_when_a_handler_blocks_for_ever)
{
    expect_bounded(KIN_BACKLOG_BLOCK, 4096 * KILOBYTE);
}

/* It is still telling the first state, which stays in memory with it; the store goes on. */
TEST(informer_memory, is_bounded_when_a_late_handler_never_takes_anything)
{
    enum { OBJECTS = 1000, CHANGES = 60000 / SLOWNESS };
    kin_registration *late = NULL;
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.mode = KIN_DELIVERY_QUEUE;
    begin(NULL);
    begin_watch(OBJECTS);
    size_t steady = bytes_held;
    ASSERT_OK(kin_informer_add_handler(s.informer, &options, &late, &s.err));

    for (size_t i = 0; i < CHANGES; i++) {
        send_change(KIN_EVENT_MODIFIED, i % OBJECTS);
    }
    settle(&s);

    printf("%zu bytes, %zu with a handler\n", steady, (size_t) bytes_held);
    ASSERT_TRUE(bytes_held < 4 * steady + 512 * KILOBYTE);
    kin_registration_free(late);
    ASSERT_TRUE(bytes_held < steady + steady / 2);
    finish();
}
