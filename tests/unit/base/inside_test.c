/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside_test.c - what the calling thread is inside of.
 */
#include "base/inside.h"

#include "base/thread.h"
#include "support/test.h"

TEST(inside, is_left_as_often_as_it_was_entered)
{
    ASSERT_FALSE(kin__inside_is(KIN__INSIDE_HANDLER));
    kin__inside_enter(KIN__INSIDE_HANDLER);
    kin__inside_enter(KIN__INSIDE_HANDLER);

    kin__inside_leave(KIN__INSIDE_HANDLER);

    ASSERT_TRUE(kin__inside_is(KIN__INSIDE_HANDLER));
    ASSERT_FALSE(kin__inside_is(KIN__INSIDE_CHANGE));
    ASSERT_TRUE(kin__inside_is_any());
    kin__inside_leave(KIN__INSIDE_HANDLER);
    ASSERT_FALSE(kin__inside_is(KIN__INSIDE_HANDLER));
    ASSERT_FALSE(kin__inside_is_any());
}

static void look(void *context)
{
    *(bool *) context = kin__inside_is(KIN__INSIDE_CHANGE);
}

TEST(inside, is_a_thread_s_own_matter)
{
    kin__thread thread;
    bool is_inside = true;
    kin_error err;

    kin__inside_enter(KIN__INSIDE_CHANGE);
    ASSERT_OK(kin__thread_start(&thread, "kin-test", look, &is_inside, &err));
    kin__thread_join(&thread);

    ASSERT_FALSE(is_inside);
    kin__inside_leave(KIN__INSIDE_CHANGE);
}

TEST(inside, a_reconcile_one_may_wait)
{
    kin__inside_enter(KIN__INSIDE_RECONCILE);

    ASSERT_TRUE(kin__inside_is(KIN__INSIDE_RECONCILE));
    ASSERT_FALSE(kin__inside_is_any());
    kin__inside_leave(KIN__INSIDE_RECONCILE);
}
