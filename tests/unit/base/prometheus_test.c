/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prometheus_test.c - the words of the text format.
 */
#include "base/prometheus.h"

#include "base/str.h"
#include "support/test.h"

static kin_str content(const kin__buf *buf)
{
    return kin__str(buf->data, buf->len);
}

TEST(prometheus, knows_names_of_metrics)
{
    ASSERT_TRUE(kin__prometheus_is_metric_name("kin_queue_depth"));
    ASSERT_TRUE(kin__prometheus_is_metric_name(":rule:_9Z"));
    ASSERT_TRUE(kin__prometheus_is_metric_name("__a"));
    ASSERT_FALSE(kin__prometheus_is_metric_name(""));
    ASSERT_FALSE(kin__prometheus_is_metric_name("9a"));
    ASSERT_FALSE(kin__prometheus_is_metric_name("a-b"));
    ASSERT_FALSE(kin__prometheus_is_metric_name("a b"));
    ASSERT_FALSE(kin__prometheus_is_metric_name("\xc3\xa9"));
}

TEST(prometheus, knows_names_of_labels)
{
    ASSERT_TRUE(kin__prometheus_is_label_name("resource"));
    ASSERT_TRUE(kin__prometheus_is_label_name("_Az09"));
    ASSERT_FALSE(kin__prometheus_is_label_name(""));
    ASSERT_FALSE(kin__prometheus_is_label_name("9a"));
    ASSERT_FALSE(kin__prometheus_is_label_name("a:b"));
    ASSERT_FALSE(kin__prometheus_is_label_name("a-b"));
    ASSERT_FALSE(kin__prometheus_is_label_name("__name__"));
}

TEST(prometheus, escapes_the_value_of_a_label)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    kin__prometheus_append_label(&buf, "path", "C:\\dir \"x\"\ny \xc3\xa9");

    ASSERT_SLICE_EQ(content(&buf), "path=\"C:\\\\dir \\\"x\\\"\\ny \xc3\xa9\"");
}

TEST(prometheus, escapes_help_but_not_its_quotes)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    kin__prometheus_append_head(&buf, "a_total", "counter", "One \"a\" \\ or\ntwo.");

    ASSERT_SLICE_EQ(content(&buf), "# HELP a_total One \"a\" \\\\ or\\ntwo.\n"
                                   "# TYPE a_total counter\n");
}

static kin_str seconds(kin__buf *buf, bool is_negative, uint64_t nanoseconds)
{
    kin__buf_clear(buf);
    kin__prometheus_append_seconds(buf, is_negative, nanoseconds);
    return content(buf);
}

TEST(prometheus, writes_seconds_exactly)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    ASSERT_SLICE_EQ(seconds(&buf, false, 0), "0");
    ASSERT_SLICE_EQ(seconds(&buf, true, 0), "0");
    ASSERT_SLICE_EQ(seconds(&buf, false, 1), "0.000000001");
    ASSERT_SLICE_EQ(seconds(&buf, false, 5000000), "0.005");
    ASSERT_SLICE_EQ(seconds(&buf, false, 999999999), "0.999999999");
    ASSERT_SLICE_EQ(seconds(&buf, false, 60000000000), "60");
    ASSERT_SLICE_EQ(seconds(&buf, true, 1500000000), "-1.5");
    ASSERT_SLICE_EQ(seconds(&buf, false, UINT64_MAX), "18446744073.709551615");
}
