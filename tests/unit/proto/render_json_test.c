/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_json_test.c - JSON that lies inside a message.
 *
 * The data of a ControllerRevision (number 2, its text number 1) is such JSON.
 */
#include "unit/proto/rendering.h"

static wire revision_with(const char *json)
{
    wire raw = { 0 };
    wire revision = { 0 };

    wire_text(&raw, 1, json);
    wire_put(&revision, 2, &raw);
    return revision;
}

static void assert_json(const char *json, const char *want)
{
    wire revision = revision_with(json);
    text t = { 0 };

    text_append(&t, "{\"data\":%s}", want);
    assert_renders(message_at("apps/v1", "ControllerRevision", ""), &revision, t.chars);
}

static void assert_no_json(const char *json, kin_err code, const char *why)
{
    wire revision = revision_with(json);

    assert_refused(message_at("apps/v1", "ControllerRevision", ""), &revision, code, why);
}

TEST(render_json, keeps_compact_json_as_it_is)
{
    assert_json("{\"b\":[1,2.50,1E3,-0],\"a\":{\"b\":null,\"b\":true}}",
                "{\"b\":[1,2.50,1E3,-0],\"a\":{\"b\":null,\"b\":true}}");
    assert_json("\"\\u003c\\/\\u00e9 \xc3\xa9\"", "\"\\u003c\\/\\u00e9 \xc3\xa9\"");
    assert_json("12.0", "12.0");
}

TEST(render_json, drops_white_space_outside_of_strings)
{
    assert_json(" {\t\"a b\"\r\n:\n[ 1 , \" \\\" , \\\\\" ] } ", "{\"a b\":[1,\" \\\" , \\\\\"]}");
    assert_json("[ ]", "[]");
}

TEST(render_json, escapes_what_html_and_javascript_stumble_over)
{
    assert_json("{\"<\":\">&\"}", "{\"\\u003c\":\"\\u003e\\u0026\"}");
    assert_json("\"\xe2\x80\xa8|\xe2\x80\xa9\"", "\"\\u2028|\\u2029\"");
    assert_json("\"\xe2\x82\xac \xe2\x80\xa6\"", "\"\xe2\x82\xac \xe2\x80\xa6\"");
}

/* Texts are looked at in pieces of 16 bytes. */
TEST(render_json, sees_a_space_at_every_place)
{
    for (size_t place = 0; place <= 40; place++) {
        char json[64] = "[1111111111111111111111111111111111111111]";
        char want[64];
        memmove(want, json, sizeof json);
        memmove(json + place + 2, json + place + 1, sizeof json - place - 2);
        json[place + 1] = ' ';
        if (place != 0 && place != 40) {
            json[place + 1] = ',';
            memmove(want, json, sizeof json);
            memmove(json + place + 2, json + place + 1, sizeof json - place - 2);
            json[place + 1] = '\n';
        }
        assert_json(json, want);
    }
}

TEST(render_json, refuses_what_is_no_json)
{
    assert_no_json("", KIN_ERR_MALFORMED, "text at byte 4: JSON ends at byte 0, expected a value");
    assert_no_json("{\"a\":}", KIN_ERR_MALFORMED,
                   "text at byte 4: expected a value, found '}' at byte 5");
    assert_no_json("1 2", KIN_ERR_MALFORMED,
                   "text at byte 4: expected the end, found '2' at byte 2");
}

TEST(render_json, takes_one_text_after_another)
{
    wire entry = { 0 };
    wire fields = { 0 };
    wire meta = { 0 };
    wire_text(&fields, 1, "{\"f:a\":{}}");
    wire_put(&entry, 7, &fields);
    wire_put(&meta, 17, &entry);
    wire_put(&meta, 17, &entry);

    assert_renders(message_at("v1", "Pod", "metadata"), &meta,
                   "{\"managedFields\":[{\"fieldsV1\":{\"f:a\":{}}},{\"fieldsV1\":{\"f:a\":{}}}]}");
}

TEST(render_json, refuses_json_that_is_too_deep)
{
    char json[1200];
    memset(json, '[', sizeof json - 1);
    json[sizeof json - 1] = '\0';

    assert_no_json(json, KIN_ERR_LIMIT,
                   "text at byte 6: JSON is nested deeper than 1000 at byte 1000");
}
