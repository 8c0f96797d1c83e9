/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_test.c - moments, as the API server writes them.
 *
 * What is expected was computed with Go's time.Parse(time.RFC3339).
 */
#include "base/time.h"

#include <inttypes.h>
#include <stdio.h>

#include "support/test.h"

/* "seconds.nanoseconds", or the name of the error. */
static const char *parsed(const char *chars)
{
    static char shown[64];
    kin_time time = { -1, -1 };
    kin_err code = kin__time_parse(kin_str_of(chars), &time);
    if (code != KIN_OK) {
        ASSERT_EQ(time.seconds, -1);
        ASSERT_EQ(time.nanoseconds, -1);
        return kin_err_name(code);
    }
    (void) snprintf(shown, sizeof shown, "%" PRId64 ".%09" PRId32, time.seconds, time.nanoseconds);
    return shown;
}

#define ASSERT_REFUSED(chars) ASSERT_STR_EQ(parsed(chars), "KIN_ERR_MALFORMED")

TEST(time, counts_seconds_from_the_beginning_of_1970)
{
    ASSERT_STR_EQ(parsed("1970-01-01T00:00:00Z"), "0.000000000");
    ASSERT_STR_EQ(parsed("1969-12-31T23:59:59Z"), "-1.000000000");
    ASSERT_STR_EQ(parsed("2026-11-15T21:48:12Z"), "1794779292.000000000");
    ASSERT_STR_EQ(parsed("2000-03-01T00:00:00Z"), "951868800.000000000");
}

TEST(time, reads_the_years_from_0000_to_9999)
{
    ASSERT_STR_EQ(parsed("0000-01-01T00:00:00Z"), "-62167219200.000000000");
    ASSERT_STR_EQ(parsed("0000-02-29T00:00:00Z"), "-62162121600.000000000");
    ASSERT_STR_EQ(parsed("0001-01-01T00:00:00Z"), "-62135596800.000000000");
    ASSERT_STR_EQ(parsed("1600-02-29T12:00:00Z"), "-11670955200.000000000");
    ASSERT_STR_EQ(parsed("9999-12-31T23:59:59Z"), "253402300799.000000000");
    ASSERT_REFUSED("10000-01-01T00:00:00Z");
    ASSERT_REFUSED("-001-01-01T00:00:00Z");
}

TEST(time, agrees_with_a_count_of_days_for_400_years)
{
    int64_t days = 0;
    for (int year = 1970; year < 2370; year++) {
        bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        text first = { 0 };
        text last = { 0 };
        text_append(&first, "%d-01-01T00:00:00Z", year);
        text_append(&last, "%d-12-31T00:00:00Z", year);

        kin_time time;
        ASSERT_OK(kin__time_parse(kin_str_of(first.chars), &time));
        ASSERT_EQ(time.seconds, days * 86400);
        ASSERT_OK(kin__time_parse(kin_str_of(last.chars), &time));
        ASSERT_EQ(time.seconds, (days + (is_leap ? 365 : 364)) * 86400);
        days += is_leap ? 366 : 365;
    }
}

TEST(time, keeps_nine_digits_of_a_fraction_and_cuts_off_the_rest)
{
    ASSERT_STR_EQ(parsed("1970-01-01T00:00:00.5Z"), "0.500000000");
    ASSERT_STR_EQ(parsed("1970-01-01T00:00:00.345678Z"), "0.345678000");
    ASSERT_STR_EQ(parsed("1970-01-01T00:00:00.000000001Z"), "0.000000001");
    ASSERT_STR_EQ(parsed("1970-01-01T00:00:00.9999999999999999999999Z"), "0.999999999");
    ASSERT_STR_EQ(parsed("1969-12-31T23:59:59.25Z"), "-1.250000000");
}

TEST(time, takes_a_comma_before_a_fraction_as_go_does)
{
    ASSERT_STR_EQ(parsed("1970-01-01T00:00:00,5Z"), "0.500000000");
}

TEST(time, refuses_a_fraction_without_digits)
{
    ASSERT_REFUSED("1970-01-01T00:00:00.Z");
    ASSERT_REFUSED("1970-01-01T00:00:00,");
    ASSERT_REFUSED("1970-01-01T00:00:00.-1Z");
}

TEST(time, subtracts_the_offset)
{
    ASSERT_STR_EQ(parsed("1970-01-01T02:00:00+02:00"), "0.000000000");
    ASSERT_STR_EQ(parsed("1969-12-31T18:30:00-05:30"), "0.000000000");
    ASSERT_STR_EQ(parsed("1970-01-01T00:00:00.5-00:01"), "60.500000000");
    ASSERT_STR_EQ(parsed("0000-01-01T00:00:00+24:60"), "-62167309200.000000000");
    ASSERT_STR_EQ(parsed("9999-12-31T23:59:59-24:60"), "253402390799.000000000");
}

TEST(time, refuses_an_offset_of_another_form)
{
    ASSERT_REFUSED("1970-01-01T00:00:00");
    ASSERT_REFUSED("1970-01-01T00:00:00+25:00");
    ASSERT_REFUSED("1970-01-01T00:00:00+00:61");
    ASSERT_REFUSED("1970-01-01T00:00:00+0200");
    ASSERT_REFUSED("1970-01-01T00:00:00+02");
    ASSERT_REFUSED("1970-01-01T00:00:00+2:00");
    ASSERT_REFUSED("1970-01-01T00:00:00UTC");
    ASSERT_REFUSED("1970-01-01T00:00:00Z+02:00");
}

TEST(time, knows_the_days_of_every_month)
{
    static const int days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    for (int month = 1; month <= 12; month++) {
        text last = { 0 };
        text beyond = { 0 };
        text_append(&last, "2024-%02d-%02dT00:00:00Z", month, days[month - 1]);
        text_append(&beyond, "2024-%02d-%02dT00:00:00Z", month, days[month - 1] + 1);
        kin_time time;
        ASSERT_OK(kin__time_parse(kin_str_of(last.chars), &time));
        ASSERT_REFUSED(beyond.chars);
    }
    ASSERT_REFUSED("2024-00-01T00:00:00Z");
    ASSERT_REFUSED("2024-13-01T00:00:00Z");
    ASSERT_REFUSED("2024-01-00T00:00:00Z");
}

TEST(time, has_a_leap_day_only_in_leap_years)
{
    ASSERT_STR_EQ(parsed("2000-02-29T00:00:00Z"), "951782400.000000000");
    ASSERT_STR_EQ(parsed("2024-02-29T00:00:00Z"), "1709164800.000000000");
    ASSERT_REFUSED("1900-02-29T00:00:00Z");
    ASSERT_REFUSED("2023-02-29T00:00:00Z");
}

TEST(time, refuses_hours_minutes_and_seconds_out_of_range)
{
    ASSERT_REFUSED("1970-01-01T24:00:00Z");
    ASSERT_REFUSED("1970-01-01T00:60:00Z");
    ASSERT_REFUSED("2016-12-31T23:59:60Z");
}

TEST(time, takes_an_hour_of_one_digit_as_go_does)
{
    ASSERT_STR_EQ(parsed("1970-01-01T1:00:00Z"), "3600.000000000");
    ASSERT_REFUSED("1970-01-01T:00:00Z");
    ASSERT_REFUSED("1970-01-01T01:0:00Z");
}

TEST(time, refuses_small_letters)
{
    ASSERT_REFUSED("1970-01-01t00:00:00Z");
    ASSERT_REFUSED("1970-01-01T00:00:00z");
}

TEST(time, refuses_every_beginning_of_a_time_and_anything_after_it)
{
    static const char whole[] = "2026-11-15T21:48:12.345+02:00";
    for (size_t len = 0; len < sizeof whole - 1; len++) {
        kin_time time;
        ASSERT_ERR(kin__time_parse((kin_str){ whole, len }, &time), KIN_ERR_MALFORMED);
    }
    ASSERT_REFUSED("2026-11-15T21:48:12.345+02:00 ");
    ASSERT_REFUSED(" 2026-11-15T21:48:12.345+02:00");
    ASSERT_REFUSED("2026/11/15T21:48:12Z");
    ASSERT_REFUSED("2026-11-15 21:48:12Z");
}

TEST(time, reads_an_empty_slice_without_data)
{
    kin_time time;
    ASSERT_ERR(kin__time_parse((kin_str){ NULL, 0 }, &time), KIN_ERR_MALFORMED);
}

static const char *written(int64_t seconds, int32_t nanoseconds)
{
    static char chars[KIN__TIME_MICRO_LEN + 1];

    kin__time_write_micro((kin_time){ seconds, nanoseconds }, chars);
    return chars;
}

TEST(time, is_written_with_six_decimals)
{
    ASSERT_STR_EQ(written(0, 0), "1970-01-01T00:00:00.000000Z");
    ASSERT_STR_EQ(written(1700000000, 123456789), "2023-11-14T22:13:20.123456Z");
    ASSERT_STR_EQ(written(-1, 999999999), "1969-12-31T23:59:59.999999Z");
}

TEST(time, is_written_as_the_nearest_that_can_be)
{
    ASSERT_STR_EQ(written(INT64_MIN, 0), "0000-01-01T00:00:00.000000Z");
    ASSERT_STR_EQ(written(INT64_MAX, 0), "9999-12-31T23:59:59.000000Z");
}

TEST(time, is_read_as_it_was_written)
{
    for (int64_t seconds = -62167219200; seconds <= 253402300799; seconds += 86400 * 3 + 4567) {
        kin_time time;

        ASSERT_OK(kin__time_parse(kin_str_of(written(seconds, 5000)), &time));
        ASSERT_EQ(time.seconds, seconds);
        ASSERT_EQ(time.nanoseconds, 5000);
    }
}
