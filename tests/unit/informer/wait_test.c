/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_test.c - waiting for an informer.
 */
#include "unit/informer/scene.h"

static scene s;

static kin_err wait_for(const char *key, const char *version, int64_t deadline_ms)
{
    return kin_informer_wait_for(s.informer, kin_str_of(key), kin_str_of(version), deadline_ms,
                                 &s.err);
}

TEST(wait, returns_at_once_when_it_is_synced)
{
    scene_open(&s);
    sync_informer(&s);

    ASSERT_OK(kin_informer_wait_synced(s.informer, 0, &s.err));
    scene_close(&s);
}

TEST(wait, says_what_went_wrong_when_the_time_is_over)
{
    scene_open(&s);
    begin_informer(&s, NULL);
    expect_call(&s, "list pods rv=0");

    ASSERT_ERR(kin_informer_wait_synced(s.informer, 0, &s.err), KIN_ERR_TIMEOUT);
    ASSERT_MESSAGE(&s.err, "wait until informer \"pods\" is synced: not within 0 ms: it is "
                           "listing");
    end_badly(&s, KIN_ERR_FORBIDDEN, 403, "you may not");
    ASSERT_ERR(kin_informer_wait_synced(s.informer, 0, &s.err), KIN_ERR_TIMEOUT);
    ASSERT_MESSAGE(&s.err, "wait until informer \"pods\" is synced: not within 0 ms: it is "
                           "forbidden: you may not");
    scene_close(&s);
}

TEST(wait, sees_a_version_that_is_there_or_older)
{
    scene_open(&s);
    sync_informer(&s);

    ASSERT_OK(wait_for("shop/a", "12", 0));
    ASSERT_OK(wait_for("shop/a", "3", 0));
    ASSERT_OK(wait_for("shop/gone", "11", 0));
    ASSERT_ERR(wait_for("shop/a", "13", 0), KIN_ERR_TIMEOUT);
    ASSERT_ERR(wait_for("shop/a", "", 0), KIN_ERR_USAGE);
    scene_close(&s);
}

TEST(wait, is_over_when_a_bookmark_says_so)
{
    scene_open(&s);
    sync_informer(&s);

    ASSERT_ERR(wait_for("shop/gone", "20", 0), KIN_ERR_TIMEOUT);
    send_bookmark(&s, "19");
    ASSERT_ERR(wait_for("shop/gone", "20", 0), KIN_ERR_TIMEOUT);
    send_bookmark(&s, "20");
    ASSERT_OK(wait_for("shop/gone", "20", 0));
    scene_close(&s);
}

TEST(wait, is_over_when_the_object_is_deleted_later)
{
    scene_open(&s);
    sync_informer(&s);

    ASSERT_ERR(wait_for("shop/a", "13", 0), KIN_ERR_TIMEOUT);
    send_deleted(&s, "a@14");
    ASSERT_OK(wait_for("shop/a", "13", 0));
    expect_store(&s, "");
    scene_close(&s);
}

TEST(wait, refuses_a_namespace_that_is_not_followed)
{
    const char *const namespaces[] = { "shop", "bank", NULL };
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.namespaces = namespaces;
    begin_informer(&s, &options);

    ASSERT_ERR(wait_for("other/a", "12", -1), KIN_ERR_USAGE);
    scene_close(&s);
}

/* What an inline handler finds when it waits. */
static kin_err codes[4];

static void wait_inside(void *context, const kin_notification *n)
{
    (void) context;
    (void) n;
    codes[0] = kin_informer_wait_synced(s.informer, -1, NULL);
    codes[1] = wait_for("shop/a", "99", -1);
    codes[2] = kin_informer_stop(s.informer, -1, NULL);
}

TEST(wait, is_refused_on_the_loop)
{
    kin_registration *inside = NULL;
    scene_open(&s);
    ASSERT_OK(make_informer(&s, NULL));
    kin_registration_options options = recorder(&s);
    options.on_add = wait_inside;
    ASSERT_OK(kin_informer_add_handler(s.informer, &options, &inside, &s.err));
    ASSERT_OK(kin_informer_start(s.informer, &s.err));
    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");

    end_page(&s, "12");

    ASSERT_EQ(codes[1], KIN_ERR_USAGE);
    ASSERT_EQ(codes[2], KIN_ERR_USAGE);
    expect_state(&s, KIN_INFORMER_STOPPED); /* it stops nevertheless */
    kin_registration_free(inside);
    scene_close(&s);
}

TEST(wait, ends_a_stop_in_time_when_a_handler_blocks)
{
    scene_open(&s);
    sync_informer(&s);
    kin_registration *slow = NULL;
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.mode = KIN_DELIVERY_QUEUE;
    options.policy = KIN_BACKLOG_BLOCK;
    options.bound = 1;
    ASSERT_OK(kin_informer_add_handler(s.informer, &options, &slow, &s.err));
    send_added(&s, "b@13");
    send_added(&s, "c@14");

    ASSERT_OK(kin_informer_stop(s.informer, 0, &s.err));
    expect_store(&s, "a@5 b@13");
    ASSERT_OK(kin_registration_dispatch(slow, 0, NULL, &s.err));
    ASSERT_OK(kin_informer_stop(s.informer, INT64_MAX, &s.err)); /* now the rest is told */
    expect_store(&s, "a@5 b@13 c@14");
    kin_registration_free(slow);
    scene_close(&s);
}
