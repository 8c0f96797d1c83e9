/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pretty_test.c - JSON on many lines.
 */
#include "cli/pretty.h"

#include "support/test.h"

static void expect(const char *json, size_t depth, const char *want)
{
    kin__cli_text out = { 0 };

    kin__cli_pretty(kin_str_of(json), depth, &out);
    ASSERT_STR_EQ(kin__cli_text_chars(&out), want);
    kin__cli_text_fini(&out);
}

TEST(pretty, puts_members_and_elements_on_lines)
{
    expect("{\"a\":1,\"b\":[true,null]}", 0,
           "{\n    \"a\": 1,\n    \"b\": [\n        true,\n        null\n    ]\n}");
    expect("{\"a\":{}}", 1, "{\n        \"a\": {}\n    }");
}

TEST(pretty, leaves_empty_ones_on_theirs)
{
    expect("{}", 0, "{}");
    expect("[[],{}]", 0, "[\n    [],\n    {}\n]");
}

TEST(pretty, leaves_strings_alone)
{
    expect("\"{[,:]}\\\"\\\\\"", 0, "\"{[,:]}\\\"\\\\\"");
    expect("\"\\\",{\"", 0, "\"\\\",{\"");
    expect("{\"a\\\\\":\"b\"}", 0, "{\n    \"a\\\\\": \"b\"\n}");
}

TEST(pretty, escapes_what_a_terminal_might_act_on)
{
    expect("\"\xc2\x9b\x7f\"", 0, "\"\\u009b\\u007f\"");
}

TEST(pretty, ends_with_what_it_is_given)
{
    expect("", 0, "");
    expect("{\"a", 0, "{\n    \"a");
    expect("\"a\\", 0, "\"a\\");
    expect("}", 0, "\n}");
}
