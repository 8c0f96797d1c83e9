/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_map_test.c - maps of a message as JSON objects, sorted by key.
 */
#include <stdio.h>

#include "unit/proto/rendering.h"

#define LABELS 11 /* of ObjectMeta */

/* An entry of a map of strings; NULL: without that field. */
static void put_entry(wire *w, uint32_t number, const char *key, const char *value)
{
    wire entry = { 0 };

    if (key != NULL) {
        wire_text(&entry, 1, key);
    }
    if (value != NULL) {
        wire_text(&entry, 2, value);
    }
    wire_put(w, number, &entry);
}

static kin__pb_message meta(void)
{
    return message_at("v1", "Pod", "metadata");
}

TEST(render_map, writes_sorted_entries_as_they_come)
{
    wire w = { 0 };
    put_entry(&w, LABELS, "a", "1");
    put_entry(&w, LABELS, "a.b", "2");
    put_entry(&w, LABELS, "b", "3");

    assert_renders(meta(), &w, "{\"labels\":{\"a\":\"1\",\"a.b\":\"2\",\"b\":\"3\"}}");
}

TEST(render_map, sorts_entries_by_the_bytes_of_their_keys)
{
    wire w = { 0 };
    put_entry(&w, LABELS, "b", "1");
    put_entry(&w, LABELS, "\xc3\xa9", "2");
    put_entry(&w, LABELS, "a-", "3");
    put_entry(&w, LABELS, "B", "4");
    put_entry(&w, LABELS, "a", "5");
    put_entry(&w, LABELS, "", "6");

    assert_renders(meta(), &w,
                   "{\"labels\":{\"\":\"6\",\"B\":\"4\",\"a\":\"5\",\"a-\":\"3\",\"b\":\"1\","
                   "\"\xc3\xa9\":\"2\"}}");
}

TEST(render_map, keeps_the_last_of_equal_keys)
{
    wire w = { 0 };
    put_entry(&w, LABELS, "b", "1");
    put_entry(&w, LABELS, "a", "2");
    put_entry(&w, LABELS, "b", "3");
    put_entry(&w, LABELS, "a", "4");
    put_entry(&w, LABELS, "b", "5");

    assert_renders(meta(), &w, "{\"labels\":{\"a\":\"4\",\"b\":\"5\"}}");
}

TEST(render_map, keeps_the_last_of_equal_neighbours)
{
    wire w = { 0 };
    put_entry(&w, LABELS, "a", "1");
    put_entry(&w, LABELS, "a", "2");

    assert_renders(meta(), &w, "{\"labels\":{\"a\":\"2\"}}");
}

TEST(render_map, finds_its_entries_among_other_fields)
{
    wire w = { 0 };
    put_entry(&w, LABELS, "a", "1");
    put_entry(&w, LABELS + 1, "x", "y");
    put_entry(&w, LABELS, "b", "2");
    wire_text(&w, 1, "name");

    assert_renders(meta(), &w,
                   "{\"name\":\"name\",\"labels\":{\"a\":\"1\",\"b\":\"2\"},"
                   "\"annotations\":{\"x\":\"y\"}}");
}

TEST(render_map, takes_what_an_entry_lacks_for_empty)
{
    wire strings = { 0 };
    wire secret = { 0 };
    wire limits = { 0 };
    put_entry(&strings, LABELS, NULL, "1");
    put_entry(&strings, LABELS, "a", NULL);
    put_entry(&secret, 2, "a", NULL);
    put_entry(&limits, 1, "cpu", NULL);

    assert_renders(meta(), &strings, "{\"labels\":{\"\":\"1\",\"a\":\"\"}}");
    assert_renders(message_at("v1", "Secret", ""), &secret, "{\"data\":{\"a\":\"\"}}");
    assert_renders(message_at("v1", "Pod", "spec.containers.resources"), &limits,
                   "{\"limits\":{\"cpu\":\"0\"}}");
}

TEST(render_map, writes_bytes_in_base64)
{
    wire secret = { 0 };
    put_entry(&secret, 2, "k", "\xff\xfe?");

    assert_renders(message_at("v1", "Secret", ""), &secret, "{\"data\":{\"k\":\"//4/\"}}");
}

TEST(render_map, escapes_keys)
{
    wire w = { 0 };
    put_entry(&w, LABELS, "<\xff", "1");

    assert_renders(meta(), &w, "{\"labels\":{\"\\u003c\\ufffd\":\"1\"}}");
}

TEST(render_map, writes_messages_as_values)
{
    wire extra = { 0 };
    wire entry = { 0 };
    wire spec = { 0 };
    wire_text(&extra, 1, "a");
    wire_text(&extra, 1, "b");
    wire_text(&entry, 1, "k");
    wire_put(&entry, 2, &extra);
    wire_put(&spec, 6, &entry);
    put_entry(&spec, 6, "none", NULL);

    assert_renders(message_at("certificates.k8s.io/v1", "CertificateSigningRequest", "spec"), &spec,
                   "{\"request\":null,\"extra\":{\"k\":[\"a\",\"b\"],\"none\":[]}}");
}

TEST(render_map, ignores_other_fields_of_an_entry)
{
    wire w = { 0 };
    wire entry = { 0 };
    wire_text(&entry, 3, "x");
    wire_text(&entry, 2, "1");
    wire_text(&entry, 1, "a");
    wire_text(&entry, 2, "2");
    wire_put(&w, LABELS, &entry);

    assert_renders(meta(), &w, "{\"labels\":{\"a\":\"2\"}}");
}

TEST(render_map, refuses_entries_of_the_wrong_wire_type)
{
    wire key = { 0 };
    wire value = { 0 };
    wire cut = { 0 };
    wire_content(&key, LABELS, "\x08\x01", 2);
    wire_content(&value, LABELS, "\x0a\x01k\x10\x01", 5);
    wire_content(&cut, LABELS, "\x0a\x02k", 3);

    assert_refused(meta(), &key, KIN_ERR_MALFORMED, "field of the wrong wire type at byte 2");
    assert_refused(meta(), &value, KIN_ERR_MALFORMED, "field of the wrong wire type at byte 5");
    assert_refused(meta(), &cut, KIN_ERR_MALFORMED, "length past the end of the message at byte 3");
}

/* A heap of three has no inner nodes, one of 100 has six levels. */
TEST(render_map, sorts_many_entries)
{
    wire w = { 0 };
    text want = { 0 };
    text_append(&want, "{\"labels\":{");
    for (int i = 0; i < 100; i++) {
        char key[8];
        (void) snprintf(key, sizeof key, "%02d", i * 37 % 100);
        put_entry(&w, LABELS, key, "v");
        text_append(&want, "%s\"%02d\":\"v\"", i == 0 ? "" : ",", i);
    }
    text_append(&want, "}}");

    assert_renders(meta(), &w, want.chars);
}

/* Schemas hold maps of schemas.  Were each map written once to see that it is not sorted, and then
 * again, the innermost would be written 2^40 times. */
TEST(render_map, writes_nested_maps_once)
{
    wire schema = { 0 };
    for (int depth = 0; depth < 40; depth++) {
        wire entry = { 0 };
        wire outer = { 0 };
        wire_text(&entry, 1, "b");
        wire_put(&entry, 2, &schema);
        wire_put(&outer, 29, &entry);
        put_entry(&outer, 29, "a", NULL);
        schema = outer;
    }
    kin__buf out = { 0 };
    kin_error err;
    kin__pb_rendering rendering = { 0 };

    ASSERT_OK(kin__pb_render(message_at("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                                        "spec.versions.schema.openAPIV3Schema"),
                             bytes_of(&schema), &rendering, &out, &err));

    ASSERT_EQ(out.len, 40 * strlen("{\"properties\":{\"a\":{},\"b\":}}") + 2);
    kin__buf_fini(&out);
}

TEST_FAILING_ALLOC(render_map, gives_up_without_memory_to_sort_in)
{
    kin__buf out = { 0 };
    kin_error err;
    kin__pb_rendering rendering = { 0 };
    wire w = { 0 };
    put_entry(&w, LABELS, "b", "1");
    put_entry(&w, LABELS, "a", "2");

    kin_err code = kin__pb_render(meta(), bytes_of(&w), &rendering, &out, &err);
    ASSERT_EQ(out.len, code == KIN_OK ? strlen("{\"labels\":{\"a\":\"2\",\"b\":\"1\"}}") : 0);
    kin__buf_fini(&out);
    return code;
}
