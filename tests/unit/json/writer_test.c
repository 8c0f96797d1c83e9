/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer_test.c - the writer puts commas where they belong.
 */
#include "json/writer.h"

#include "base/str.h"
#include "support/test.h"

static void write_everything(kin__buf *buf);

static const char everything[] = "{\"kind\":\"Pod\",\"empty\":{},\"list\":[1,-2.5,\"a\\nb\",true,"
                                 "false,null,[],[[]],{\"k\":0}],\"raw\\u003c\":{ \"as\": 1 },"
                                 "\"last\":9223372036854775807}";

TEST(writer, writes_every_kind_of_value_with_its_commas)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    write_everything(&buf);

    ASSERT_FALSE(kin__buf_failed(&buf));
    ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), everything);
}

TEST(writer, writes_a_lone_value)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin__json_writer w = { &buf, false };

    kin__json_null(&w);

    ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), "null");
}

TEST(writer, goes_on_behind_a_value_that_was_there)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    ASSERT_TRUE(kin__buf_append(&buf, "[1", 2));
    kin__json_writer w = { &buf, true };

    kin__json_write_int64(&w, 2);
    kin__json_end(&w, ']');

    ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), "[1,2]");
}

TEST_FAILING_ALLOC(writer, leaves_a_memory_failure_in_the_buffer)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    write_everything(&buf);

    if (kin__buf_failed(&buf)) {
        return KIN_ERR_NO_MEMORY;
    }
    ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), everything);
    return KIN_OK;
}

static void write_everything(kin__buf *buf)
{
    kin__json_writer w = { buf, false };
    kin__json_begin(&w, '{');
    kin__json_key(&w, STR("kind"));
    kin__json_string(&w, STR("Pod"));
    kin__json_key(&w, STR("empty"));
    kin__json_begin(&w, '{');
    kin__json_end(&w, '}');
    kin__json_key(&w, STR("list"));
    kin__json_begin(&w, '[');
    kin__json_write_int64(&w, 1);
    kin__json_write_double(&w, -2.5);
    kin__json_string(&w, STR("a\nb"));
    kin__json_bool(&w, true);
    kin__json_bool(&w, false);
    kin__json_null(&w);
    kin__json_begin(&w, '[');
    kin__json_end(&w, ']');
    kin__json_begin(&w, '[');
    kin__json_begin(&w, '[');
    kin__json_end(&w, ']');
    kin__json_end(&w, ']');
    kin__json_begin(&w, '{');
    kin__json_key(&w, STR("k"));
    kin__json_write_int64(&w, 0);
    kin__json_end(&w, '}');
    kin__json_end(&w, ']');
    kin__json_key(&w, STR("raw<"));
    kin__json_raw(&w, STR("{ \"as\": 1 }"));
    kin__json_key(&w, STR("last"));
    kin__json_write_int64(&w, INT64_MAX);
    kin__json_end(&w, '}');
}
