/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_test.c - how an informer stands.
 */
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
