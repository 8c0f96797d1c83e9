/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_sorted_test.c - trees as Go writes maps.
 */
#include "server/codec_sorted.h"

#include "base/str.h"
#include "support/test.h"

static const char *sorted(const char *json, text *out)
{
    AUTO(kin__node_free) kin__node *node = NULL;
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_error err;

    ASSERT_OK(kin__node_from_json(kin__json_of(kin_str_of(json)), &node, &err));
    ASSERT_OK(kin__codec_sorted(node, &buf, &err));
    text_clear(out);
    text_append(out, "%.*s", (int) buf.len, buf.data);
    return out->chars;
}

TEST(codec_sorted, sorts_by_bytes_at_every_level)
{
    text t;

    ASSERT_STR_EQ(sorted("{\"b\":[{\"z\":1,\"a\":2}],\"B\":{},\"a\":null,\"\xc3\xa9\":true}", &t),
                  "{\"B\":{},\"a\":null,\"b\":[{\"a\":2,\"z\":1}],\"\xc3\xa9\":true}");
}

TEST(codec_sorted, writes_numbers_as_go_does)
{
    text t;

    ASSERT_STR_EQ(sorted("[1,-0,1.0,1e3,9223372036854775807,9223372036854775808,1e21,0.000001,"
                         "1e-7,-1.50]",
                         &t),
                  "[1,0,1,1000,9223372036854775807,9223372036854776000,1e+21,0.000001,1e-7,-1.5]");
}

TEST(codec_sorted, refuses_a_number_that_no_float_holds)
{
    AUTO(kin__node_free) kin__node *node = NULL;
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_error err;

    ASSERT_OK(kin__node_from_json(kin__json_of(STR("{\"a\":1e999}")), &node, &err));
    ASSERT_ERR(kin__codec_sorted(node, &buf, &err), KIN_ERR_RANGE);
    ASSERT_EQ(buf.len, 0);
}

TEST_FAILING_ALLOC(codec_sorted, survives_without_memory)
{
    AUTO(kin__node_free) kin__node *node = NULL;
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_error err;

    if (kin__node_from_json(kin__json_of(STR("{\"b\":[{\"z\":1,\"a\":2}],\"a\":1.5}")), &node,
                            &err) != KIN_OK) {
        return err.code;
    }
    return kin__codec_sorted(node, &buf, &err);
}
