/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_test.c - from bytes to an object.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "json/framer.h"
#include "object/object.h"
#include "unit/object/making.h"

/* That `json` is refused with this code and message. */
static void check_refusal(const char *json, kin_err code, const char *message)
{
    kin_object *object = NULL;
    kin_error err;

    ASSERT_ERR(kin_object_from_json(json, strlen(json), NULL, &object, &err), code);
    ASSERT_MESSAGE(&err, message);
    ASSERT_TRUE(object == NULL);
}

TEST(build, keeps_the_bytes_as_they_came)
{
    const char *json = "{ \"metadata\" : {\"name\":\"n\"} , \"x\" : [1, 2] }";
    kin_object *object = make(json);

    ASSERT_SLICE_EQ(kin__object_bytes(object), json);
    kin_object_unref(object);
}

TEST(build, ignores_white_space_around_the_object)
{
    kin_object *object = make(" \n\t{\"metadata\":{\"name\":\"n\"},\"a\":{\"b\":1}}\r\n ");
    text got = { 0 };

    append_value(&got, kin_object_at(object, "a.b"));

    ASSERT_SLICE_EQ(kin__object_bytes(object), "{\"metadata\":{\"name\":\"n\"},\"a\":{\"b\":1}}");
    ASSERT_STR_EQ(got.chars, "1");
    kin_object_unref(object);
}

TEST(build, refuses_what_is_no_object)
{
    check_refusal("[{}]", KIN_ERR_MALFORMED,
                  "object from JSON: object: expected an object, found an array at byte 0");
    check_refusal("  12", KIN_ERR_MALFORMED,
                  "object from JSON: object: expected an object, found a number at byte 2");
    check_refusal("\"x\"", KIN_ERR_MALFORMED,
                  "object from JSON: object: expected an object, found a string at byte 0");
}

TEST(build, refuses_what_is_no_json)
{
    const char *texts[] = { "", "  ", "{", "{\"metadata\":{\"name\":\"n\"}} x", "{'a':1}", "nul" };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        kin_object *object = NULL;
        kin_error err;
        ASSERT_ERR(kin_object_from_json(texts[i], strlen(texts[i]), NULL, &object, &err),
                   KIN_ERR_MALFORMED);
        ASSERT_CONTAINS(err.message, "object from JSON: ");
        ASSERT_CONTAINS(err.message, "at byte ");
    }
}

TEST(build, refuses_what_nests_deeper_than_a_thousand)
{
    text json = { 0 };
    kin_object *object = NULL;

    text_append(&json, "{\"metadata\":{\"name\":\"n\"},\"x\":");
    for (int i = 0; i < 1000; i++) {
        text_append(&json, "[");
    }
    for (int i = 0; i < 1000; i++) {
        text_append(&json, "]");
    }
    text_append(&json, "}");

    ASSERT_ERR(kin_object_from_json(json.chars, json.len, NULL, &object, NULL), KIN_ERR_LIMIT);
    /* One level less is allowed. */
    memmove(strchr(json.chars, '['), strchr(json.chars, '[') + 1, strlen(strchr(json.chars, '[')));
    memmove(strchr(json.chars, ']'), strchr(json.chars, ']') + 1, strlen(strchr(json.chars, ']')));
    ASSERT_OK(kin_object_from_json(json.chars, json.len - 2, NULL, &object, NULL));
    kin_object_unref(object);
}

TEST(build, refuses_four_gigabytes_without_reading_them)
{
    kin_object *object = NULL;
    kin_error err;

    ASSERT_ERR(kin_object_from_json("{}", (size_t) UINT32_MAX + 1, NULL, &object, &err),
               KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "object from JSON: 4294967296 bytes are too many");
}

TEST(build, adds_kind_and_api_version_where_they_lack)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    options.kind = "Deployment";
    options.api_version = "apps/v1";
    kin_object *object =
        make_with("{\"metadata\":{\"name\":\"n\",\"uid\":\"u\",\"labels\":{\"a\":\"b\"},"
                  "\"annotations\":{\"c\":\"d\"}},\"spec\":{\"x\":1}}",
                  &options);
    text got = { 0 };
    kin_str label;

    append_value(&got, kin_object_at(object, "spec.x"));
    append_value(&got, kin_object_annotation(object, STR("c")));
    append_value(&got, kin_object_at(object, "kind"));
    append_value(&got, kin_object_at(object, "apiVersion"));

    ASSERT_STR_EQ(got.chars, "1\"d\"\"Deployment\"\"apps/v1\"");
    ASSERT_SLICE_EQ(kin_object_kind(object), "Deployment");
    ASSERT_SLICE_EQ(kin_object_api_version(object), "apps/v1");
    ASSERT_SLICE_EQ(kin_object_uid(object), "u");
    ASSERT_TRUE(kin_object_label(object, STR("a"), &label));
    ASSERT_SLICE_EQ(label, "b");
    check_json(object,
               "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"name\":\"n\","
               "\"uid\":\"u\",\"labels\":{\"a\":\"b\"},\"annotations\":{\"c\":\"d\"}},"
               "\"spec\":{\"x\":1}}");
}

TEST(build, adds_only_what_lacks)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    options.kind = "Pod";
    options.api_version = "v1";

    check_json(make_with("{\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}", &options),
               "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}");
    check_json(make_with("{\"apiVersion\":\"v2\",\"metadata\":{\"name\":\"n\"}}", &options),
               "{\"kind\":\"Pod\",\"apiVersion\":\"v2\",\"metadata\":{\"name\":\"n\"}}");
    check_json(
        make_with("{\"metadata\":{\"name\":\"n\"},\"kind\":\"\",\"apiVersion\":null}", &options),
        "{\"metadata\":{\"name\":\"n\"},\"kind\":\"\",\"apiVersion\":null}");
    options.kind = "";
    options.api_version = NULL;
    check_json(make_with("{\"metadata\":{\"name\":\"n\"}}", &options),
               "{\"metadata\":{\"name\":\"n\"}}");
}

TEST(build, refuses_a_kind_that_cannot_be_one)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    const char *json = "{\"metadata\":{\"name\":\"n\"}}";
    kin_object *object = NULL;
    kin_error err;

    options.kind = "Po\"d";
    ASSERT_ERR(kin_object_from_json(json, strlen(json), &options, &object, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "object from JSON: option kind: unexpected byte 0x22 in it");
    options.kind = "Pod";
    options.api_version = "v1\n";
    ASSERT_ERR(kin_object_from_json(json, strlen(json), &options, &object, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "object from JSON: option api_version: unexpected byte 0x0a in it");
}

TEST(build, refuses_options_that_were_not_initialised)
{
    kin_object_options options = { 0 };
    kin_object *object = NULL;

    ASSERT_ERR(kin_object_from_json("{}", 2, &options, &object, NULL), KIN_ERR_USAGE);
}

static void expect_reach(const char *path, uint32_t depth, const char *member)
{
    kin_mask *mask = path != NULL ? make_mask(KIN_MASK_DROP, path, NULL, NULL, NULL) : NULL;

    kin__json_reach reach = kin__object_reach(mask);

    ASSERT_EQ(reach.depth, depth);
    ASSERT_SLICE_EQ(reach.member, member);
    kin_mask_free(mask);
}

TEST(build, needs_an_index_as_far_as_the_mask_reaches)
{
    expect_reach(NULL, 3, "metadata");
    expect_reach("spec", 3, "metadata");
    expect_reach("metadata.managedFields", 3, "metadata");
    expect_reach("metadata.ownerReferences[*].uid.x", 5, "metadata");
    expect_reach("spec.containers", 3, "");
    expect_reach("a.b[*].c.d", 5, "");
    expect_reach("[*].b", 3, "");
}

/* What comes out of the framer must be the same as from kin_object_from_json(). */
static kin_err check_item(void *context, const kin__json_item *item, kin_error *err)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    size_t *count = context;
    kin_object *from_item = NULL;
    kin_object *from_json = NULL;

    options.kind = "Pod";
    options.api_version = "v1";
    options.mask = make_mask(KIN_MASK_DROP, "metadata.managedFields", "status", NULL, NULL);
    ASSERT_OK(kin__object_from_item(item, &options, &from_item, err));
    ASSERT_OK(kin_object_from_json(item->bytes.data, item->bytes.len, &options, &from_json, err));
    ASSERT_EQ(kin_object_size(from_item), kin_object_size(from_json));
    ASSERT_EQ(memcmp(from_item, from_json, kin_object_size(from_item)), 0);
    ASSERT_TRUE(kin_object_is_partial(from_item));
    ASSERT_FALSE(kin_value_exists(kin_object_at(from_item, "status")));
    ASSERT_FALSE(kin_value_exists(kin_object_at(from_item, "metadata.managedFields")));
    ASSERT_TRUE(kin_value_exists(kin_object_at(from_item, "spec.containers[0].image")));
    ASSERT_SLICE_EQ(kin_object_kind(from_item), "Pod");
    ASSERT_SLICE_EQ(kin_object_namespace(from_item), "demo");
    ASSERT_TRUE(kin_object_label_count(from_item) > 0);
    kin_object_unref(from_item);
    kin_object_unref(from_json);
    kin_mask_free((kin_mask *) options.mask);
    *count += 1;
    return KIN_OK;
}

static void check_pods_of_a_list(kin__json_rigour rigour)
{
    size_t len = 0;
    size_t count = 0;
    char *list = read_fixture("list-pods-20.json", &len);
    kin_error err;
    kin__json_framer *framer = NULL;
    kin__json_framer_options options = {
        .framing = KIN__JSON_LIST,
        .rigour = rigour,
        .reach = kin__object_reach(NULL),
        .on_item = check_item,
        .context = &count,
    };

    ASSERT_OK(kin__json_framer_new(&options, &framer, &err));
    for (size_t at = 0; at < len; at += 1000) {
        ASSERT_OK(
            kin__json_framer_feed(framer, list + at, len - at < 1000 ? len - at : 1000, &err));
    }
    ASSERT_OK(kin__json_framer_finish(framer, &err));

    ASSERT_EQ(count, 20);
    kin__json_framer_free(framer);
    free_fixture(list);
}

TEST(build, makes_the_pods_of_a_list)
{
    check_pods_of_a_list(KIN__JSON_VALIDATED);
}

TEST(build, makes_the_pods_of_a_list_of_which_only_borders_are_known)
{
    check_pods_of_a_list(KIN__JSON_BORDERS);
}

static kin_err make_item(void *context, const kin__json_item *item, kin_error *err)
{
    kin_object *object = NULL;
    kin_err code = kin__object_from_item(item, NULL, &object, err);

    (void) context;
    kin_object_unref(object);
    return code;
}

/* That the stream's items become objects up to one that is refused so, in either mode. */
static void check_stream_refusal(kin__json_framing framing, const char *stream, kin_err code,
                                 const char *message)
{
    for (kin__json_rigour rigour = KIN__JSON_VALIDATED; rigour <= KIN__JSON_BORDERS; rigour++) {
        kin__json_framer_options options = {
            .framing = framing,
            .rigour = rigour,
            .reach = kin__object_reach(NULL),
            .on_item = make_item,
        };
        kin__json_framer *framer = NULL;
        kin_error err;
        ASSERT_OK(kin__json_framer_new(&options, &framer, &err));
        ASSERT_ERR(kin__json_framer_feed(framer, stream, strlen(stream), &err), code);
        ASSERT_STR_EQ(err.message, message);
        kin__json_framer_free(framer);
    }
}

/* On a watch, the byte that a message names counts from the beginning of the stream. */
TEST(build, counts_bytes_from_the_beginning_of_the_stream)
{
    check_stream_refusal(
        KIN__JSON_DOCUMENTS, "{\"metadata\":{\"name\":\"a\"}}\n{\"metadata\":{\"name\":5}}\n",
        KIN_ERR_MALFORMED, "metadata.name: expected a string, found a number at byte 46");
}

/* The items have ends that can be found, so that both ways of framing come upon the same fault. */
TEST(build, checks_items_of_which_only_borders_are_known)
{
    static const struct {
        const char *member; /* of the item, at byte 35 of the stream */
        const char *message;
    } cases[] = {
        { "\"a\":tru", "expected true, found '}' at byte 42" },
        { "\"a\":01", "expected the end of the value, found '1' at byte 40" },
        { "\"a\":-", "expected a digit, found '}' at byte 40" },
        { "\"a\" 1", "expected ':', found '1' at byte 39" },
        { "\"a\":1,", "expected a member name, found '}' at byte 41" },
        { "\"a\":[1,]", "expected a value, found ']' at byte 42" },
        { "\"a\":[},{\"b\":1}", "expected a value or ']', found '}' at byte 40" },
        { "\"a\":\"\\x\"", "invalid escape at byte 41" },
        { "\"a\":\"\\ud800\"", "surrogate without its pair at byte 46" },
        { "\"a\":\"\xc3(\"", "invalid UTF-8 at byte 41" },
        { "\"a\":\"\n\"", "control character in a string at byte 40" },
        { "a", "expected a member name, found 'a' at byte 35" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        text stream = { 0 };
        text_append(&stream, "{\"items\":[{\"metadata\":{\"name\":\"n\"},%s}]}", cases[i].member);
        check_stream_refusal(KIN__JSON_LIST, stream.chars, KIN_ERR_MALFORMED, cases[i].message);
    }
}

/* With and without options, and what it has to say of them. */
TEST(build, makes_an_object_of_an_item_without_an_index)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin__json_item item = { .bytes = STR("{\"metadata\":{\"name\":\"n\"},\"a\":1}"), .offset = 7 };
    kin_object *object = NULL;
    kin_error err;

    ASSERT_OK(kin__object_from_item(&item, NULL, &object, &err));
    check_json(object, "{\"metadata\":{\"name\":\"n\"},\"a\":1}");

    options.kind = "K";
    options.mask = make_mask(KIN_MASK_DROP, "a", NULL, NULL, NULL);
    ASSERT_OK(kin__object_from_item(&item, &options, &object, &err));
    check_json(object, "{\"kind\":\"K\",\"metadata\":{\"name\":\"n\"}}");
    kin_mask_free((kin_mask *) options.mask);
}

TEST_FAILING_ALLOC(build, checks_an_item_without_memory)
{
    kin__json_item item = { .bytes = STR("{\"metadata\":{\"name\":\"n\"},\"a\":1}") };
    kin_object *object = NULL;
    kin_error err;

    kin_err code = kin__object_from_item(&item, NULL, &object, &err);
    kin_object_unref(object);
    return code;
}

/* Names are written into JSON as they are, so only what can be is allowed in them. */
TEST(build, refuses_names_that_are_not_plain_ascii)
{
    static const char *const names[] = {
        "v\xc3\xa9", "\x80", "v1\xff", "v\x7f", "a b", "\"", "\\"
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
        const char *json = "{\"metadata\":{\"name\":\"n\"}}";
        kin_object *object = NULL;
        kin_error err;
        options.api_version = names[i];
        ASSERT_ERR(kin_object_from_json(json, strlen(json), &options, &object, &err),
                   KIN_ERR_USAGE);
        ASSERT_CONTAINS(err.message, "option api_version: unexpected byte 0x");
        ASSERT_TRUE(object == NULL);
    }
}

TEST(build, makes_a_real_pod_and_gives_it_back)
{
    size_t len = 0;
    size_t json_len = 0;
    char *bytes = read_fixture("list-pod-get.json", &len);
    char *json = NULL;
    kin_object *object = make(bytes);

    ASSERT_OK(kin_object_json(object, &json, &json_len, NULL));

    /* The server ends its answer with a newline. */
    ASSERT_EQ(json_len, len - (bytes[len - 1] == '\n'));
    ASSERT_EQ(memcmp(json, bytes, json_len), 0);
    kin_free(json);
    kin_object_unref(object);
    free_fixture(bytes);
}

/* A document of `count` pieces, numbered when `format` has a %d, between two others. */
static char *repeat(const char *before, const char *format, int count, const char *after)
{
    size_t room = strlen(before) + (strlen(format) + 12) * (size_t) count + strlen(after) + 1;
    char *json = malloc(room);
    size_t len = (size_t) snprintf(json, room, "%s", before);

    for (int i = 0; i < count; i++) {
        len += (size_t) snprintf(json + len, room - len, format, i);
    }
    (void) snprintf(json + len, room - len, "%s", after);
    return json;
}

TEST(build, takes_hostile_numbers_of_labels_in_its_stride)
{
    kin_object *object = NULL;
    kin_str value;
    const char *before = "{\"metadata\":{\"name\":\"n\",\"labels\":{";

    char *same = repeat(before, "\"same\":\"%d\",", 65534, "\"same\":\"last\"}}}");
    ASSERT_OK(kin_object_from_json(same, strlen(same), NULL, &object, NULL));
    ASSERT_EQ(kin_object_label_count(object), 1);
    ASSERT_TRUE(kin_object_label(object, STR("same"), &value));
    ASSERT_SLICE_EQ(value, "last");
    kin_object_unref(object);
    free(same);

    char *many = repeat(before, "\"k%d\":\"\",", 65534, "\"last\":\"1\"}}}");
    ASSERT_OK(kin_object_from_json(many, strlen(many), NULL, &object, NULL));
    ASSERT_EQ(kin_object_label_count(object), 65535);
    ASSERT_TRUE(kin_object_label(object, STR("last"), &value));
    kin_object_unref(object);
    free(many);
}

TEST(build, refuses_more_labels_than_it_can_count)
{
    kin_object *object = NULL;
    kin_error err;
    char *json = repeat("{\"metadata\":{\"name\":\"n\",\"labels\":{", "\"k%d\":\"\",", 65535,
                        "\"last\":\"\"}}}");

    ASSERT_ERR(kin_object_from_json(json, strlen(json), NULL, &object, &err), KIN_ERR_LIMIT);
    ASSERT_CONTAINS(err.message, "metadata.labels: more than 65535 labels at byte ");
    free(json);
}

TEST(build, takes_any_number_of_top_level_fields)
{
    text got = { 0 };
    char *json =
        repeat("{\"metadata\":{\"name\":\"n\"}", ",\"f%d\":1", 100000, ",\"f7\":\"last\"}");
    kin_object *object = make(json);

    append_value(&got, kin_object_at(object, "f99999"));
    append_value(&got, kin_object_at(object, "f7"));

    ASSERT_STR_EQ(got.chars, "1\"last\"");
    kin_object_unref(object);
    free(json);
}

TEST(build, cuts_a_hundred_thousand_pieces_out)
{
    char *json =
        repeat("{\"metadata\":{\"name\":\"n\"},\"a\":[", "{\"x\":%d,\"y\":1},", 100000, "{}]}");
    kin_object *object = make_masked(json, make_mask(KIN_MASK_DROP, "a[*].x", NULL, NULL, NULL));
    text got = { 0 };

    append_value(&got, kin_object_at(object, "a[99999]"));

    ASSERT_STR_EQ(got.chars, "{\"y\":1}");
    kin_object_unref(object);
    free(json);
}

static const char rich[] =
    "{\"metadata\":{\"name\":\"\\u006eame\",\"namespace\":\"n\\u0073\",\"uid\":\"\\u0061\","
    "\"labels\":{\"1\":\"\",\"2\":\"\",\"3\":\"\",\"4\":\"\",\"5\":\"\",\"6\":\"\",\"7\":\"\","
    "\"8\":\"\",\"9\":\"\",\"10\":\"\",\"11\":\"\",\"12\":\"\",\"13\":\"\",\"14\":\"\",\"15\":\"\","
    "\"16\":\"\",\"17\":\"\",\"18\":\"\",\"19\":\"\",\"20\":\"\",\"21\":\"\",\"22\":\"\","
    "\"23\":\"\",\"24\":\"\",\"25\":\"\",\"\\u0032\":\"\\ud83d\\ude00\"}},"
    "\"a\":[{\"x\":1,\"y\":0},{\"x\":1,\"y\":0},{\"x\":1,\"y\":0},{\"x\":1,\"y\":0},{\"x\":1,\"y\":"
    "0},"
    "{\"x\":1,\"y\":0},{\"x\":1,\"y\":0},{\"x\":1,\"y\":0},{\"x\":1,\"y\":0},{\"x\":1,\"y\":0}]}";

TEST_FAILING_ALLOC(build, needs_memory_for_many_labels_escapes_and_cuts)
{
    const char *paths[] = { "a[*].y" };
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    kin_mask *mask = NULL;
    kin_str value;
    kin_err code = kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, NULL);

    options.mask = mask;
    if (code == KIN_OK) {
        code = kin_object_from_json(rich, sizeof rich - 1, &options, &object, NULL);
    }
    if (code == KIN_OK) {
        ASSERT_SLICE_EQ(kin_object_key(object), "ns/name");
        ASSERT_SLICE_EQ(kin_object_uid(object), "a");
        ASSERT_EQ(kin_object_label_count(object), 25);
        ASSERT_TRUE(kin_object_label(object, STR("2"), &value));
        ASSERT_SLICE_EQ(value, "\xf0\x9f\x98\x80");
    } else {
        ASSERT_TRUE(object == NULL);
    }
    kin_object_unref(object);
    kin_mask_free(mask);
    return code;
}

static kin_err build_nameless(const char *json, kin_object **out, kin_error *err)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;

    options.allows_no_name = true;
    return kin_object_from_json(json, strlen(json), &options, out, err);
}

TEST(build, accepts_an_object_without_a_name_where_it_is_allowed)
{
    static const char *const nameless[] = {
        "{\"kind\":\"A\"}",
        "{\"metadata\":{}}",
        "{\"metadata\":{\"name\":\"\"}}",
        "{\"metadata\":{\"generateName\":\"web-\"}}",
    };

    for (size_t i = 0; i < sizeof nameless / sizeof nameless[0]; i++) {
        kin_object *object;
        kin_error err;

        ASSERT_ERR(kin_object_from_json(nameless[i], strlen(nameless[i]), NULL, &object, &err),
                   KIN_ERR_MALFORMED);
        ASSERT_OK(build_nameless(nameless[i], &object, &err));
        ASSERT_SLICE_EQ(kin_object_name(object), "");
        ASSERT_SLICE_EQ(kin_object_key(object), "");
        kin_object_unref(object);
    }
}

TEST(build, keeps_the_namespace_of_an_object_without_a_name)
{
    kin_object *object;
    kin_error err;

    ASSERT_OK(build_nameless("{\"metadata\":{\"generateName\":\"a\",\"namespace\":\"shop\"}}",
                             &object, &err));

    ASSERT_SLICE_EQ(kin_object_namespace(object), "shop");
    ASSERT_SLICE_EQ(kin_object_name(object), "");
    kin_object_unref(object);
}
