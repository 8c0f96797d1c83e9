/* SPDX-License-Identifier: Apache-2.0 */
/*
 * indent_test.c - JSON for people.
 */
#include "server/indent.h"

#include "base/str.h"
#include "support/test.h"

static void assert_indented(const char *json, const char *want)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    kin__indent_append(kin_str_of(json), &out);

    ASSERT_FALSE(kin__buf_failed(&out));
    ASSERT_SLICE_EQ(kin__str(out.data, out.len), want);
}

TEST(indent, gives_each_member_and_element_a_line)
{
    assert_indented("{\"a\":1,\"b\":[true,null],\"c\":{\"d\":\"e\"}}",
                    "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ],\n  \"c\": {\n"
                    "    \"d\": \"e\"\n  }\n}");
}

TEST(indent, leaves_empty_containers_closed)
{
    assert_indented("{\"a\":{},\"b\":[],\"c\":[{}]}",
                    "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": [\n    {}\n  ]\n}");
    assert_indented("{}", "{}");
}

TEST(indent, leaves_strings_as_they_are)
{
    assert_indented("[\"{,:}[]\",\"\\\"{\",\"\\\\\"]",
                    "[\n  \"{,:}[]\",\n  \"\\\"{\",\n  \"\\\\\"\n]");
}

TEST(indent, leaves_scalars_as_they_are)
{
    assert_indented("12", "12");
    assert_indented("\"x\"", "\"x\"");
}

TEST(indent, survives_what_is_no_json)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    kin__indent_append(STR("]}\"\\"), &out);
    kin__indent_append(STR("\""), &out);

    ASSERT_FALSE(kin__buf_failed(&out));
}

TEST_FAILING_ALLOC(indent, leaves_the_failure_in_the_buffer)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    kin__indent_append(STR("{\"a\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]}"), &out);
    return kin__buf_failed(&out) ? KIN_ERR_NO_MEMORY : KIN_OK;
}
