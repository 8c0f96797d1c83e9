/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alarm_test.c - a descriptor that becomes readable at a moment.
 */
#include "queue/alarm.h"

#include <poll.h>

#include "support/test.h"

#define SOON_MS 10000 /* longer than it can take */

static kin__alarm alarm_clock;

static bool is_readable(int timeout_ms)
{
    struct pollfd poll_fd = { .fd = alarm_clock.fd, .events = POLLIN };
    return poll(&poll_fd, 1, timeout_ms) == 1;
}

static void begin(void)
{
    kin_error err;
    ASSERT_OK(kin__alarm_open(&alarm_clock, &err));
}

TEST(alarm, is_silent_at_first)
{
    begin();

    ASSERT_FALSE(is_readable(0));
    kin__alarm_close(&alarm_clock);
}

TEST(alarm, is_readable_until_it_is_told_otherwise)
{
    begin();

    kin__alarm_set(&alarm_clock, KIN__ALARM_NOW, kin__clock_real());
    ASSERT_TRUE(is_readable(SOON_MS));
    ASSERT_TRUE(is_readable(0));
    kin__alarm_set(&alarm_clock, KIN__ALARM_NEVER, kin__clock_real());

    ASSERT_FALSE(is_readable(0));
    kin__alarm_close(&alarm_clock);
}

TEST(alarm, is_readable_when_its_moment_has_come)
{
    int64_t at_ns = kin__clock_now_ns(kin__clock_real()) + 2000000;
    begin();

    kin__alarm_set(&alarm_clock, at_ns, kin__clock_real());

    ASSERT_TRUE(is_readable(SOON_MS));
    ASSERT_TRUE(kin__clock_now_ns(kin__clock_real()) >= at_ns);
    kin__alarm_close(&alarm_clock);
}

TEST(alarm, waits_for_a_moment_that_is_far_away)
{
    begin();

    kin__alarm_set(&alarm_clock, INT64_MAX - 1, kin__clock_real());
    ASSERT_FALSE(is_readable(0));
    kin__alarm_set(&alarm_clock, 1, kin__clock_real());

    ASSERT_TRUE(is_readable(SOON_MS));
    kin__alarm_close(&alarm_clock);
}
