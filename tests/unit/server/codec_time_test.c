/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_time_test.c - what Go says of texts that are no times or no base64.  The texts were printed
 * by Go 1.26.
 */
#include "base/str.h"
#include "server/codec_read_state.h"
#include "support/test.h"

static void assert_time(const char *time, bool has_micros, const char *want)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    bool is_time = kin__codec_check_time(kin_str_of(time), has_micros, &buf);

    if (is_time != (*want == '\0') ||
        !kin__str_equal(kin__str(buf.data, buf.len), kin_str_of(want))) {
        FAIL("%s: %.*s", time, (int) buf.len, buf.data);
    }
}

TEST(codec_time, takes_what_go_takes)
{
    assert_time("2020-02-29T23:59:59Z", false, "");
    assert_time("2020-01-01T00:00:00.123456789+01:30", false, "");
    assert_time("2020-01-01T00:00:00.123456Z", true, "");
}

TEST(codec_time, names_the_piece_that_does_not_fit)
{
    assert_time("x", false,
                "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as "
                "\"2006\"");
    assert_time(
        "2020-01-01", false,
        "parsing time \"2020-01-01\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as "
        "\"T\"");
    assert_time("2020-01-01T00:00:00", false,
                "parsing time \"2020-01-01T00:00:00\" as \"2006-01-02T15:04:05Z07:00\": cannot "
                "parse \"\" as \"Z07:00\"");
    assert_time("2020-01-01T00:00:00Z", true,
                "parsing time \"2020-01-01T00:00:00Z\" as \"2006-01-02T15:04:05.000000Z07:00\": "
                "cannot parse \"Z\" as \".000000\"");
    assert_time("2020-1-01T00:00:00Z", false,
                "parsing time \"2020-1-01T00:00:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot "
                "parse \"1-01T00:00:00Z\" as \"01\"");
}

TEST(codec_time, names_what_is_out_of_range)
{
    assert_time("2020-13-01T00:00:00Z", false,
                "parsing time \"2020-13-01T00:00:00Z\": month out of range");
    assert_time("2021-02-29T00:00:00Z", false,
                "parsing time \"2021-02-29T00:00:00Z\": day out of range");
    assert_time("2020-01-01T24:00:00Z", false,
                "parsing time \"2020-01-01T24:00:00Z\": hour out of range");
    assert_time("2020-01-01T00:60:00Z", false,
                "parsing time \"2020-01-01T00:60:00Z\": minute out of range");
    assert_time("2020-01-01T00:00:60Z", false,
                "parsing time \"2020-01-01T00:00:60Z\": second out of range");
    assert_time("2020-01-01T00:00:00Zx", false,
                "parsing time \"2020-01-01T00:00:00Zx\": extra text: \"x\"");
}

TEST(codec_time, finds_the_byte_that_is_no_base64)
{
    ASSERT_EQ(kin__codec_base64_fault(STR("@@")), 0);
    ASSERT_EQ(kin__codec_base64_fault(STR("YWJj*")), 4);
    ASSERT_EQ(kin__codec_base64_fault(STR("YWJjZ")), 4);
    ASSERT_EQ(kin__codec_base64_fault(STR("=")), 0);
}
