/* SPDX-License-Identifier: Apache-2.0 */
/*
 * too_large_test.c - reads at a revision that is yet to come.
 */
#include "server/too_large.h"

#include "unit/server/reading.h"

static desk d;

TEST(too_large, waits_once_for_cached_kinds)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__answer_fini) kin__answer answer = { 0 };
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    kin__asked asked = { .engine = &d.engine };
    asked.route.served = desk_served(&d, "", "v1", "pods");

    ASSERT_TRUE(kin__await_revision(&asked, 9, &answer, &no));
    ASSERT_EQ(answer.wait_ms, 3000);
    asked.has_waited = true;
    ASSERT_FALSE(kin__await_revision(&asked, 9, &answer, &no));
    ASSERT_EQ(no.code, 504);
    ASSERT_EQ(no.retry_after_s, 1);

    desk_close(&d);
}

TEST(too_large, does_not_wait_for_others)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__answer_fini) kin__answer answer = { 0 };
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    kin__asked asked = { .engine = &d.engine };
    asked.route.served = desk_served(&d, "", "v1", "events");

    ASSERT_FALSE(kin__await_revision(&asked, 9, &answer, &no));
    ASSERT_EQ(no.code, 504);
    ASSERT_EQ(no.retry_after_s, 0);

    desk_close(&d);
}

TEST(too_large, is_measured_by_what_is_taken_for_present)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    desk_put_six(&d);
    kin__asked asked = { .engine = &d.engine };

    ASSERT_EQ(kin__asked_present(&asked), 7);
    asked.present = 4;
    ASSERT_EQ(kin__asked_present(&asked), 4);

    desk_close(&d);
}
