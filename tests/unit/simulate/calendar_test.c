/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calendar_test.c - moments as Kubernetes writes them.
 */
#include "simulate/calendar.h"

#include "support/test.h"

static void expect(int64_t seconds, const char *want)
{
    char out[KIN__SIM_TIME_LEN];

    kin__sim_time_write(seconds, out);
    ASSERT_SLICE_EQ(((kin_str){ out, sizeof out }), want);
}

TEST(calendar, writes_seconds_as_dates)
{
    expect(0, "1970-01-01T00:00:00Z");
    expect(1767225600, "2026-01-01T00:00:00Z");
    expect(1767225599, "2025-12-31T23:59:59Z");
    expect(253402300799, "9999-12-31T23:59:59Z");
}

TEST(calendar, knows_leap_years)
{
    expect(951782399, "2000-02-28T23:59:59Z");
    expect(951782400, "2000-02-29T00:00:00Z");
    expect(1709164800, "2024-02-29T00:00:00Z");
    expect(4107542400, "2100-03-01T00:00:00Z");
    expect(4107542399, "2100-02-28T23:59:59Z");
}

TEST(calendar, writes_microseconds_with_six_digits)
{
    char out[KIN__SIM_MICRO_LEN];

    kin__sim_micro_write(1767225600000042, out);

    ASSERT_SLICE_EQ(((kin_str){ out, sizeof out }), "2026-01-01T00:00:00.000042Z");
}
