/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deleted_test.c - an informer that keeps what was deleted.
 */
#include "kin/deleted.h"

#include <stdio.h>
#include <string.h>

#include "base/slab.h"
#include "base/str.h"
#include "informer/informer_state.h"
#include "support/allocator.h"
#include "unit/informer/scene.h"

static scene s;

static void sync_keeping(int64_t keep_ms, size_t most)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.keep_deleted_ms = keep_ms;
    options.keep_deleted_max = most;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    expect_told(&s, "add a@5 first; synced");
    expect_call(&s, "watch pods rv=12");
    send_open(&s);
}

/* What was deleted last under "shop/NAME": its uid, "": nothing. */
static const char *uid_of_deleted(const char *name)
{
    static char uid[64];
    char key[64];
    (void) snprintf(key, sizeof key, "shop/%s", name);
    kin_view view = kin_store_read(kin_informer_deleted(s.informer));
    kin_deleted it = kin_deleted_get(&view, kin_str_of(key));

    uid[0] = '\0';
    if (it.object != NULL) {
        (void) snprintf(uid, sizeof uid, "%.*s", KIN_STR_ARG(kin_object_uid(it.object)));
    }
    kin_store_done(&view);
    return uid;
}

static size_t count_deleted(void)
{
    kin_view view = kin_store_read(kin_informer_deleted(s.informer));
    size_t count = kin_view_count(&view);

    kin_store_done(&view);
    return count;
}

TEST(deleted, is_nowhere_unless_it_is_asked_for)
{
    scene_open(&s);
    sync_informer(&s);

    send_deleted(&s, "a@13");

    ASSERT_TRUE(kin_informer_deleted(s.informer) == NULL);
    ASSERT_FALSE(kin__timer_is_set(&s.informer->expiry_timer));
    scene_close(&s);
}

TEST(deleted, is_found_for_its_time_and_not_in_the_store)
{
    sync_keeping(16000, 0);
    send_deleted(&s, "a@13");

    expect_store(&s, "");
    ASSERT_STR_EQ(uid_of_deleted("a"), "u-a");
    pass(&s, 16000);
    ASSERT_STR_EQ(uid_of_deleted("a"), "u-a");
    pass(&s, 1000);

    ASSERT_STR_EQ(uid_of_deleted("a"), "");
    ASSERT_FALSE(kin__timer_is_set(&s.informer->expiry_timer));
    expect_told(&s, "delete a@13");
    scene_close(&s);
}

TEST(deleted, stays_when_it_is_made_again)
{
    sync_keeping(60000, 0);
    send_deleted(&s, "a@13");
    pass(&s, 30000);
    send_added(&s, "a#2@14");
    ASSERT_STR_EQ(uid_of_deleted("a"), "u-a");
    expect_store(&s, "a@14");
    send_deleted(&s, "a#2@15");
    ASSERT_STR_EQ(uid_of_deleted("a"), "u-a#2");
    ASSERT_EQ(count_deleted(), 2);

    pass(&s, 31000);

    ASSERT_EQ(count_deleted(), 1);
    ASSERT_STR_EQ(uid_of_deleted("a"), "u-a#2");
    scene_close(&s);
}

TEST(deleted, counts_what_a_new_list_shows_gone_or_made_again)
{
    sync_keeping(60000, 0);
    send_added(&s, "b@13");
    end_badly(&s, KIN_ERR_EXPIRED, 410, "too old");

    expect_call(&s, "list pods rv=13");
    send_object(&s, "a#2@14");
    end_page(&s, "15");

    ASSERT_STR_EQ(uid_of_deleted("a"), "u-a");
    ASSERT_STR_EQ(uid_of_deleted("b"), "u-b");
    expect_store(&s, "a@14");
    scene_close(&s);
}

TEST(deleted, counts_what_was_made_again_as_an_update)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.keep_deleted_ms = 60000;
    options.recreated_is_update = true;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    expect_call(&s, "watch pods rv=12");
    send_open(&s);

    send_modified(&s, "a#2@14");

    ASSERT_STR_EQ(uid_of_deleted("a"), "u-a");
    ASSERT_EQ(count_deleted(), 1);
    scene_close(&s);
}

TEST(deleted, is_kept_up_to_a_number)
{
    sync_keeping(60000, 2);
    send_added(&s, "b@13");
    send_added(&s, "c@14");

    send_deleted(&s, "b@15");
    send_deleted(&s, "a@16");
    send_deleted(&s, "c@17");

    ASSERT_STR_EQ(uid_of_deleted("b"), "");
    ASSERT_STR_EQ(uid_of_deleted("a"), "u-a");
    ASSERT_STR_EQ(uid_of_deleted("c"), "u-c");
    scene_close(&s);
}

TEST(deleted, goes_in_its_time_when_the_informer_is_stopped)
{
    sync_keeping(16000, 0);
    send_deleted(&s, "a@13");
    ASSERT_OK(kin_informer_stop(s.informer, 0, &s.err));
    ASSERT_STR_EQ(uid_of_deleted("a"), "u-a");

    pass(&s, 17000);

    ASSERT_STR_EQ(uid_of_deleted("a"), "");
    scene_close(&s);
}

TEST(deleted, is_found_by_the_informer_s_indexes)
{
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;
    index.name = "uid";
    index.path = "metadata.uid";
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.keep_deleted_ms = 60000;
    options.indexes = &index;
    options.index_count = 1;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    expect_call(&s, "watch pods rv=12");
    send_open(&s);

    send_deleted(&s, "a@13");

    kin_view view = kin_store_read(kin_informer_deleted(s.informer));
    kin_view_iter iter = kin_view_by_index(&view, "uid", kin_str_of("u-a"));
    ASSERT_TRUE(kin_view_next(&iter));
    ASSERT_SLICE_EQ(kin_deleted_of(&iter).key, "shop/a");
    kin_store_done(&view);
    scene_close(&s);
}

/* Looks from inside the notification: by then it must be found. */
static void look(void *context, const kin_notification *n)
{
    (void) n;
    text_append(context, "%s", uid_of_deleted("a"));
}

TEST(deleted, is_found_by_handlers_that_are_told)
{
    text found = { 0 };
    kin_registration *registration;
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    handler.context = &found;
    handler.on_delete = look;
    handler.mode = KIN_DELIVERY_INLINE;
    sync_keeping(60000, 0);
    ASSERT_OK(kin_informer_add_handler(s.informer, &handler, &registration, &s.err));

    send_deleted(&s, "a@13");

    ASSERT_STR_EQ(found.chars, "u-a");
    kin_registration_free(registration);
    scene_close(&s);
}

TEST(deleted, needs_options_that_make_sense)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);

    options.keep_deleted_ms = -1;
    ASSERT_ERR(make_informer(&s, &options), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&s.err, "make an informer: kin_informer_options: `keep_deleted_ms` is negative");
    options.keep_deleted_ms = 0;
    options.keep_deleted_max = 5;
    ASSERT_ERR(make_informer(&s, &options), KIN_ERR_USAGE);
    ASSERT_CONTAINS(s.err.message, "`keep_deleted_max` needs");
    scene_close(&s);
}

/* Whatever fails, in the end it is in one of the two, and then in none. */
TEST(deleted, is_not_lost_for_lack_of_memory)
{
    kin__slab_set_apart(true);
    for (long long n = 1; n < 60; n++) {
        sync_keeping(16000, 2);
        send_added(&s, "z@13");
        send_deleted(&s, "z@14");
        text_clear(&s.told);
        kin_object *a = scene_object("a@15");
        kin_event event = { .type = KIN_EVENT_DELETED, .object = a };
        event.resource_version = kin_object_resource_version(a);
        (void) s.at->handler.on_event(s.at->handler.context, &event);
        kin_object_unref(a);

        test_allocator_plan((alloc_failure){ .first = n, .is_lasting = true });
        settle(&s);
        kin_view live = kin_store_read(kin_informer_store(s.informer));
        bool is_live = kin_view_get(&live, kin_str_of("shop/a")) != NULL;
        kin_store_done(&live);
        ASSERT_TRUE(is_live || strcmp(uid_of_deleted("a"), "u-a") == 0);
        test_allocator_plan((alloc_failure){ 0 });
        pass(&s, 100);
        expect_store(&s, "");
        ASSERT_STR_EQ(uid_of_deleted("a"), "u-a");
        ASSERT_STR_EQ(uid_of_deleted("z"), "u-z");
        expect_told(&s, "delete a@15");

        test_allocator_plan((alloc_failure){ .first = n, .is_lasting = true });
        pass(&s, 17000);
        test_allocator_plan((alloc_failure){ 0 });
        pass(&s, 100);
        ASSERT_EQ(count_deleted(), 0);
        scene_close(&s);
    }
}
