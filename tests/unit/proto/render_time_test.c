/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_time_test.c - moments as the API server writes them.
 *
 * The expected texts come from Go: time.Unix(seconds, nanoseconds).UTC().Format(...).
 */
#include "proto/render_time.h"

#include <time.h>

#include "base/str.h"
#include "support/test.h"

static void assert_time(int64_t seconds, const char *want)
{
    char out[KIN__PB_TIME_MAX];
    size_t len = kin__pb_write_time(seconds, 999999999, false, out);

    ASSERT_SLICE_EQ(kin__str(out, len), want);
}

static void assert_micros(int64_t seconds, int32_t nanoseconds, const char *want)
{
    char out[KIN__PB_TIME_MAX];
    size_t len = kin__pb_write_time(seconds, nanoseconds, true, out);

    ASSERT_SLICE_EQ(kin__str(out, len), want);
}

TEST(render_time, has_whole_seconds_whatever_the_nanoseconds)
{
    assert_time(0, "1970-01-01T00:00:00Z");
    assert_time(1763251199, "2025-11-15T23:59:59Z");
    assert_time(-1, "1969-12-31T23:59:59Z");
}

TEST(render_time, knows_leap_years)
{
    assert_time(951782400, "2000-02-29T00:00:00Z");
    assert_time(1709164800, "2024-02-29T00:00:00Z");
    assert_time(-2203891200, "1900-03-01T00:00:00Z");
    assert_time(-2203891201, "1900-02-28T23:59:59Z");
    assert_time(4107542400, "2100-03-01T00:00:00Z");
}

TEST(render_time, takes_the_first_moment_of_year_1_for_none)
{
    assert_time(-62135596800, "");
    assert_micros(-62135596800, 0, "");
    assert_micros(-62135596800, 999, "");
    assert_time(-62135596799, "0001-01-01T00:00:01Z");
    assert_micros(-62135596800, 1000, "0001-01-01T00:00:00.000001Z");
}

TEST(render_time, writes_years_of_any_length)
{
    assert_time(253402300799, "9999-12-31T23:59:59Z");
    assert_time(253402300800, "10000-01-01T00:00:00Z");
    assert_time(-62135596801, "0000-12-31T23:59:59Z");
    assert_time(-62167219201, "-0001-12-31T23:59:59Z");
    assert_time(INT64_MAX, "292277026596-12-04T15:30:07Z");
    assert_time(INT64_MIN, "292277026596-12-04T15:30:08Z");
}

TEST(render_time, cuts_microseconds_and_does_not_round_them)
{
    assert_micros(0, 0, "1970-01-01T00:00:00.000000Z");
    assert_micros(1, 123456789, "1970-01-01T00:00:01.123456Z");
    assert_micros(1, 999999999, "1970-01-01T00:00:01.999999Z");
}

/* No encoder writes these, but Go reads them. */
TEST(render_time, carries_nanoseconds_beyond_a_second)
{
    assert_micros(0, -1000, "1969-12-31T23:59:59.999999Z");
    assert_micros(0, -999, "1970-01-01T00:00:00.000000Z");
    assert_micros(0, 2000001000, "1970-01-01T00:00:02.000001Z");
    assert_micros(0, INT32_MIN, "1969-12-31T23:59:57.852517Z");
}

/* Against the C library, over the days of 800 years. */
TEST(render_time, agrees_with_the_c_library_on_every_day)
{
    for (int64_t day = -146097; day < 146097; day++) {
        time_t seconds = (time_t) (day * 86400 + (day & 0xffff));
        struct tm tm;
        char want[64];
        ASSERT_TRUE(gmtime_r(&seconds, &tm) != NULL);
        ASSERT_TRUE(strftime(want, sizeof want, "%Y-%m-%dT%H:%M:%SZ", &tm) != 0);
        assert_time(seconds, want);
    }
}
