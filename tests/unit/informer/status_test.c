/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_test.c - how an informer stands.
 */
#include <stddef.h>
#include <string.h>

#include "unit/informer/scene.h"

static scene s;

TEST(status, counts_what_happens)
{
    scene_open(&s);
    sync_informer(&s);
    send_added(&s, "b@13");
    send_bookmark(&s, "20");

    kin_informer_status status = status_of(&s);

    ASSERT_TRUE(status.is_synced);
    ASSERT_EQ(status.objects, 2);
    ASSERT_TRUE(status.object_bytes > 100);
    ASSERT_EQ(status.lists, 1);
    ASSERT_EQ(status.watches, 1);
    ASSERT_EQ(status.events, 2);
    ASSERT_EQ(status.bookmarks, 1);
    ASSERT_EQ(status.failures, 0);
    ASSERT_EQ(status.restarts, 0);
    ASSERT_EQ(status.error_ms, -1);
    ASSERT_EQ(status.error.code, KIN_OK);
    ASSERT_STR_EQ(status.resource_version, "20");
    ASSERT_EQ(status.queued, 0);
    ASSERT_TRUE(status.store_bytes > 100);
    ASSERT_EQ(status.indexes, 1);
    ASSERT_EQ(status.handlers, 1);
    ASSERT_EQ(status.stale, 0);
    ASSERT_EQ(status.unwanted, 0);
    scene_close(&s);
}

TEST(status, says_how_long_nothing_has_come)
{
    scene_open(&s);
    begin_informer(&s, NULL);
    ASSERT_EQ(status_of(&s).silent_ms, -1);
    expect_call(&s, "list pods rv=0");
    end_page(&s, "12");
    expect_call(&s, "watch pods rv=12");
    send_open(&s);

    pass(&s, 7000);
    ASSERT_EQ(status_of(&s).silent_ms, 7000);
    send_bookmark(&s, "20");
    ASSERT_EQ(status_of(&s).silent_ms, 0);
    scene_close(&s);
}

TEST(status, says_how_long_things_took)
{
    scene_open(&s);
    begin_informer(&s, NULL);
    ASSERT_EQ(status_of(&s).list_ms, -1);
    ASSERT_EQ(status_of(&s).sync_ms, -1);
    ASSERT_EQ(status_of(&s).watch_ms, -1);
    expect_call(&s, "list pods rv=0");
    pass(&s, 70);
    end_page(&s, "12");
    expect_call(&s, "watch pods rv=12");
    pass(&s, 5);
    send_open(&s);
    pass(&s, 900);

    ASSERT_EQ(status_of(&s).list_ms, 70);
    ASSERT_EQ(status_of(&s).sync_ms, 70);
    ASSERT_EQ(status_of(&s).watch_ms, 900);
    end_well(&s);
    ASSERT_EQ(status_of(&s).watch_ms, -1);
    ASSERT_EQ(status_of(&s).sync_ms, 70);
    scene_close(&s);
}

TEST(status, counts_failures_by_their_reason)
{
    scene_open(&s);
    sync_informer(&s);
    end_badly(&s, KIN_ERR_EXPIRED, 410, "too old");
    expect_call(&s, "list pods rv=12");
    end_badly(&s, KIN_ERR_FORBIDDEN, 403, "you may not");

    kin_informer_status status = status_of(&s);

    ASSERT_EQ(status.expired, 1);
    ASSERT_EQ(status.denied, 1);
    ASSERT_EQ(status.missing + status.throttled + status.broken + status.local, 0);
    ASSERT_EQ(status.unreachable, 0);
    scene_close(&s);
}

TEST(status, is_that_of_the_namespace_which_is_worst_off)
{
    const char *const namespaces[] = { "shop", "bank", NULL };
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.namespaces = namespaces;
    begin_informer(&s, &options);
    expect_call(&s, "list pods in shop rv=0");
    end_page(&s, "12");
    expect_call(&s, "list pods in bank rv=0");
    end_page(&s, "90");
    expect_call(&s, "watch pods in shop rv=12");
    send_open(&s);
    pass(&s, 2000);
    expect_call(&s, "watch pods in bank rv=90");
    send_open(&s);
    pass(&s, 3000);

    ASSERT_EQ(status_of(&s).silent_ms, 5000);
    ASSERT_STR_EQ(status_of(&s).resource_version, "12");
    end_badly(&s, KIN_ERR_FORBIDDEN, 403, "not bank");
    expect_state(&s, KIN_INFORMER_FORBIDDEN);
    ASSERT_EQ(status_of(&s).silent_ms, 5000);
    pass(&s, 100);
    speak_to(&s, 2);
    end_badly(&s, KIN_ERR_UNAUTHORIZED, 401, "not shop");

    kin_informer_status status = status_of(&s);
    ASSERT_EQ(status.state, KIN_INFORMER_FORBIDDEN);
    ASSERT_STR_EQ(status.error.message, "not shop"); /* the last one */
    ASSERT_EQ(status.error_ms, 0);
    ASSERT_EQ(status.silent_ms, -1);
    ASSERT_EQ(status.failures, 2);
    scene_close(&s);
}

/* A program that was built with an older header has a shorter struct. */
TEST(status, fills_no_more_than_there_is)
{
    struct {
        kin_informer_status status;
        char after[16];
    } both = { .status = KIN_INFORMER_STATUS_INIT };
    scene_open(&s);
    sync_informer(&s);
    memset(&both.status.objects, 'x', sizeof both - offsetof(kin_informer_status, objects));
    both.status.size = offsetof(kin_informer_status, objects);

    ASSERT_OK(kin_informer_get_status(s.informer, &both.status, &s.err));

    ASSERT_EQ(both.status.state, KIN_INFORMER_WATCHING);
    ASSERT_EQ(both.status.objects, 0x7878787878787878);
    ASSERT_EQ(both.after[0], 'x');
    scene_close(&s);
}

TEST(status, says_what_went_wrong_and_when)
{
    scene_open(&s);
    begin_informer(&s, NULL);
    expect_call(&s, "list pods rv=0");
    end_badly(&s, KIN_ERR_SERVER, 500, "broken");

    pass(&s, 300);

    kin_informer_status status = status_of(&s);
    ASSERT_EQ(status.state, KIN_INFORMER_FAILING);
    ASSERT_EQ(status.error_ms, 300);
    ASSERT_EQ(status.error.http_status, 500);
    ASSERT_EQ(status.failures, 1);
    scene_close(&s);
}

TEST(status, shows_that_a_handler_blocks)
{
    scene_open(&s);
    sync_informer(&s);
    kin_registration *slow = NULL;
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.mode = KIN_DELIVERY_QUEUE;
    options.policy = KIN_BACKLOG_BLOCK;
    options.bound = 2;
    ASSERT_OK(kin_informer_add_handler(s.informer, &options, &slow, &s.err));

    send_added(&s, "b@13");
    send_added(&s, "c@14");
    expect_state(&s, KIN_INFORMER_WATCHING);
    send_added(&s, "d@15");
    expect_state(&s, KIN_INFORMER_BLOCKED);
    expect_store(&s, "a@5 b@13 c@14"); /* it rests, and takes no further batch */
    ASSERT_OK(kin_registration_dispatch(slow, 0, NULL, &s.err));

    expect_state(&s, KIN_INFORMER_WATCHING);
    expect_store(&s, "a@5 b@13 c@14 d@15");
    kin_registration_free(slow);
    scene_close(&s);
}

TEST(status, refuses_a_struct_that_is_not_initialised)
{
    kin_informer_status status;
    scene_open(&s);
    sync_informer(&s);
    memset(&status, 0, sizeof status);

    ASSERT_ERR(kin_informer_get_status(s.informer, &status, &s.err), KIN_ERR_USAGE);
    scene_close(&s);
}

TEST(status, names_its_states)
{
    ASSERT_STR_EQ(kin_informer_state_name(KIN_INFORMER_NEW), "new");
    ASSERT_STR_EQ(kin_informer_state_name(KIN_INFORMER_NOT_FOUND), "not found");
    ASSERT_STR_EQ(kin_informer_state_name(KIN_INFORMER_STOPPED), "stopped");
    ASSERT_STR_EQ(kin_informer_state_name((kin_informer_state) 12), "unknown");
    ASSERT_STR_EQ(kin_informer_state_name((kin_informer_state) 0), "unknown");
}
