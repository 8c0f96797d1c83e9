/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mend_test.c - what Go makes of strings that are no text.
 */
#include "server/mend.h"

#include "unit/server/writing.h"

static void check(kin_str given, const char *want)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin_str mended = kin__mend(given, &out);

    ASSERT_FALSE(kin__buf_failed(&out));
    ASSERT_SLICE_EQ(mended, want);
}

TEST(mend, leaves_what_is_right_where_it_is)
{
    static const char *const right[] = { "", "{\"a\":[1,\"\\u00e4\\\\\"]}", "\"\xc3\xa4\\\"\"" };

    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        AUTO(kin__buf_fini) kin__buf out = { 0 };
        ASSERT_TRUE(kin__mend(kin_str_of(right[i]), &out).data == right[i]);
    }
    check(STR("\"\\uD83D\\ude00\""), "\"\\uD83D\\ude00\"");
}

TEST(mend, replaces_each_byte_that_is_no_text)
{
    check(STR("{\"\xff\":\"x\xc3y\xed\xa0\x80\"}"),
          "{\"\xef\xbf\xbd\":\"x\xef\xbf\xbdy\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}");
    check(STR("\"\\\xff\""), "\"\\\xef\xbf\xbd\"");
    check(STR("\"a\xff"), "\"a\xef\xbf\xbd");
}

TEST(mend, replaces_halves_of_pairs)
{
    check(STR("\"\\ud800z\""), "\"\\ufffdz\"");
    check(STR("\"\\ud800\\u0041\""), "\"\\ufffd\\u0041\"");
    check(STR("\"\\udc00\\ud800\\udc00\""), "\"\\ufffd\\ud800\\udc00\"");
    check(STR("\"\\\\ud800\\uD8"), "\"\\\\ud800\\uD8"); /* no escape, and none that is whole */
    check(STR("\"\\ud8"), "\"\\ud8");
}

TEST(mend, leaves_what_stands_outside_of_strings)
{
    check(STR("\xff\"\xff\"\xff"), "\xff\"\xef\xbf\xbd\"\xff");
}

TEST(mend, is_done_to_every_body)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", CONFIGMAPS, JSON,
                  "{\"metadata\":{\"name\":\"a\"},\"data\":{\"a\":\"x\xffy\",\"b\":\"\\ud800z\"}}",
                  201, "\"data\":{\"a\":\"x\xef\xbf\xbdy\",\"b\":\"\xef\xbf\xbdz\"}");
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a", MERGE, "{\"data\":{\"c\":\"\xff\"}}", 200,
                  "\"c\":\"\xef\xbf\xbd\"");
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/a", "application/json-patch+json",
                  "[{\"op\":\"add\",\"path\":\"/data/d\",\"value\":\"\\udc00\"}]", 200,
                  "\"d\":\"\xef\xbf\xbd\"");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/a", JSON, "{\"propagationPolicy\":\"\xff\"}", 422,
                  "Unsupported value: \\\"\xef\xbf\xbd\\\"");
    ASSERT_ANSWER(&s, "POST", CONFIGMAPS, JSON, "\xff", 400, "invalid character");
    scene_close(&s);
}

TEST_FAILING_ALLOC(mend, survives_every_lack_of_memory)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    (void) kin__mend(STR("{\"a\":\"\xff\\ud800\"}"), &out);
    return kin__buf_failed(&out) ? KIN_ERR_NO_MEMORY : KIN_OK;
}
