/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version_wait_test.c - when a store has seen a version.
 */
#include "cache/version_wait.h"

#include "cache/store.h"
#include "unit/cache/delta_support.h"

/* Puts "a" with a version, and says where the source stands. */
static void publish(kin_store *store, const char *object_version, const char *stands_at)
{
    kin_error err;
    const kin_object *old;
    kin_object *object = make_thing("", "a", object_version, "1");

    kin__store_begin(store);
    ASSERT_OK(kin__store_put(store, object, &old, &err));
    ASSERT_OK(kin__store_set_resource_version(store, 0, kin_str_of(stands_at), &err));
    kin__store_publish(store);
    kin_object_unref(object);
}

static bool is_over(const kin_store *store, const char *version)
{
    kin__version_wait wait = { .key = STR("a"), .resource_version = kin_str_of(version) };
    kin_view view = kin_store_read(store);
    bool over = kin__version_wait_is_over(&wait, &view);
    kin_store_done(&view);
    return over;
}

TEST(version_wait, is_over_when_the_source_stands_there_or_further)
{
    kin_store *store;
    kin_error err;
    ASSERT_OK(kin__store_new(NULL, &store, &err));
    ASSERT_FALSE(is_over(store, "1"));

    publish(store, "9", "99");

    ASSERT_TRUE(is_over(store, "9"));
    ASSERT_TRUE(is_over(store, "99"));
    ASSERT_FALSE(is_over(store, "100"));
    ASSERT_FALSE(is_over(store, "99999999999999999999999999"));
    kin__store_free(store);
}

TEST(version_wait, of_what_is_no_number_is_over_when_it_can_be_seen)
{
    kin_store *store;
    kin_error err;
    ASSERT_OK(kin__store_new(NULL, &store, &err));
    ASSERT_FALSE(is_over(store, ""));
    ASSERT_FALSE(is_over(store, "green"));

    publish(store, "green", "blue");

    ASSERT_TRUE(is_over(store, "green"));
    ASSERT_TRUE(is_over(store, "blue"));
    ASSERT_FALSE(is_over(store, "red"));
    kin__store_free(store);
}

TEST(version_wait, comes_off_in_order_and_can_be_given_up)
{
    kin_store *store;
    kin_error err;
    kin__version_waits waits = { 0 };
    kin__version_wait all[4] = {
        { .key = STR("a"), .resource_version = STR("7") },
        { .key = STR("a"), .resource_version = STR("12") },
        { .key = STR("a"), .resource_version = STR("5") },
        { .key = STR("a"), .resource_version = STR("6") },
    };
    ASSERT_OK(kin__store_new(NULL, &store, &err));
    for (size_t i = 0; i < 4; i++) {
        kin__version_waits_add(&waits, &all[i]);
    }
    publish(store, "10", "10");
    kin_view view = kin_store_read(store);

    kin__list_remove(&all[3].link);
    kin__version_waits_look(&waits, &view);

    ASSERT_TRUE(kin__version_waits_take(&waits) == &all[0]);
    ASSERT_TRUE(kin__version_waits_take(&waits) == &all[2]);
    ASSERT_TRUE(kin__version_waits_take(&waits) == NULL);
    ASSERT_FALSE(kin__link_is_on(&all[0].link));
    kin_store_done(&view);
    kin__store_free(store);
}
