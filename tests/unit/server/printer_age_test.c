/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_age_test.c - how long something is ago, in words.
 */
#include "server/printer.h"
#include "unit/server/printing.h"

/* How long `seconds` and `nanoseconds` are. */
static const char *span(int64_t seconds, int32_t nanoseconds)
{
    static char words[32];
    kin__printer p = { 0 };

    kin__cell_begin(&p);
    kin__cell_add_span(&p, (kin_time){ 1000, 0 }, (kin_time){ 1000 + seconds, nanoseconds });
    ASSERT_TRUE(p.text.len < sizeof words);
    memcpy(words, p.text.data, p.text.len);
    words[p.text.len] = '\0';
    kin__buf_fini(&p.text);
    return words;
}

#define MINUTE INT64_C(60)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define YEAR (365 * DAY)

TEST(printer_age, says_seconds_below_two_minutes)
{
    ASSERT_STR_EQ(span(0, 0), "0s");
    ASSERT_STR_EQ(span(59, 999999999), "59s");
    ASSERT_STR_EQ(span(119, 999999999), "119s");
}

TEST(printer_age, says_two_units_at_most)
{
    ASSERT_STR_EQ(span(2 * MINUTE, 0), "2m");
    ASSERT_STR_EQ(span(9 * MINUTE + 59, 0), "9m59s");
    ASSERT_STR_EQ(span(10 * MINUTE + 59, 0), "10m");
    ASSERT_STR_EQ(span(3 * HOUR - 1, 0), "179m");
    ASSERT_STR_EQ(span(3 * HOUR, 0), "3h");
    ASSERT_STR_EQ(span(7 * HOUR + 59 * MINUTE, 0), "7h59m");
    ASSERT_STR_EQ(span(8 * HOUR + 59 * MINUTE, 0), "8h");
    ASSERT_STR_EQ(span(2 * DAY - 1, 0), "47h");
    ASSERT_STR_EQ(span(2 * DAY, 0), "2d");
    ASSERT_STR_EQ(span(8 * DAY - 1, 0), "7d23h");
    ASSERT_STR_EQ(span(8 * DAY, 0), "8d");
    ASSERT_STR_EQ(span(2 * YEAR - 1, 0), "729d");
    ASSERT_STR_EQ(span(2 * YEAR, 0), "2y");
    ASSERT_STR_EQ(span(2 * YEAR + DAY, 0), "2y1d");
    ASSERT_STR_EQ(span(8 * YEAR - 1, 0), "7y364d");
    ASSERT_STR_EQ(span(8 * YEAR + 5 * DAY, 0), "8y");
}

TEST(printer_age, forgives_a_clock_that_is_two_seconds_late)
{
    ASSERT_STR_EQ(span(-2, 1), "0s");
    ASSERT_STR_EQ(span(-1, 0), "0s");
    ASSERT_STR_EQ(span(-2, 0), "<invalid>");
    ASSERT_STR_EQ(span(-100, 0), "<invalid>");
}

TEST(printer_age, goes_no_further_than_a_duration_of_go)
{
    kin__printer p = { 0 };

    kin__cell_add_span(&p, (kin_time){ INT64_MIN, 0 }, (kin_time){ INT64_MAX, 0 });
    kin__cell_add_span(&p, (kin_time){ 0, 0 }, (kin_time){ INT64_MAX, 0 });
    kin__cell_add_span(&p, (kin_time){ INT64_MAX, 0 }, (kin_time){ INT64_MIN, 0 });

    ASSERT_EQ(p.text.len, strlen("292y292y<invalid>"));
    ASSERT_EQ(memcmp(p.text.data, "292y292y<invalid>", p.text.len), 0);
    kin__buf_fini(&p.text);
}

TEST(printer_age, knows_no_age_without_a_time)
{
    check_cells("", "v1", "ServiceAccount", "{\"metadata\":{\"name\":\"a\"}}",
                "\"a\",\"\\u003cunknown\\u003e\"");
    check_cells("", "v1", "ServiceAccount",
                "{\"metadata\":{\"name\":\"a\",\"creationTimestamp\":null}}",
                "\"a\",\"\\u003cunknown\\u003e\"");
    check_cells("", "v1", "ServiceAccount",
                "{\"metadata\":{\"name\":\"a\",\"creationTimestamp\":\"2026-11-16T14:55:01Z\"}}",
                "\"a\",\"4m59s\"");
}
