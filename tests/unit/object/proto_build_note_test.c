/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_build_note_test.c - the metadata that an object keeps at hand, and what is wrong with it.
 */
#include "object/proto_build_note.h"

#include "unit/object/proto_making.h"

TEST(proto_build_note, wants_a_name)
{
    wire metadata = { 0 };
    wire message = { 0 };

    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: metadata.name: required value at byte 0");
    wire_text(&metadata, 3, "ns");
    message = pod_with(&metadata);
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: metadata.name: required value at byte 2");
    wire_text(&metadata, 1, "");
    message = pod_with(&metadata);
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: metadata.name: required value at byte 8");
}

/* Their field 1 is another message: its first field is no name. */
TEST(proto_build_note, lists_and_statuses_are_no_objects)
{
    static const char *const kinds[] = { "PodList", "Status", "DeleteOptions", "APIVersions" };
    wire metadata = { 0 };

    wire_text(&metadata, 1, "not a name");
    wire message = pod_with(&metadata);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
        kin_object *object = NULL;
        kin_error err;
        options.api_version = "v1";
        options.kind = kinds[i];
        ASSERT_ERR(kin_object_from_protobuf(message.bytes, message.len, &options, &object, &err),
                   KIN_ERR_MALFORMED);
        ASSERT_CONTAINS(err.message, "metadata.name: required value");
    }
}

TEST(proto_build_note, refuses_metadata_of_the_wrong_wire_type)
{
    static const struct {
        uint32_t number;
        const char *path;
    } fields[] = {
        { 1, "name" },
        { 3, "namespace" },
        { 5, "uid" },
        { 6, "resourceVersion" },
        { 8, "creationTimestamp" },
        { 9, "deletionTimestamp" },
        { 11, "labels" },
        { 12, "annotations" },
        { 13, "ownerReferences" },
    };
    wire message = { 0 };

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        char words[128];
        wire metadata = { 0 };
        wire_number(&metadata, fields[i].number, 1);
        message = pod_with(&metadata);
        (void) snprintf(words, sizeof words,
                        "object from protobuf: metadata.%s: field of the wrong wire type at byte 2",
                        fields[i].path);
        check_no_pod(&message, KIN_ERR_MALFORMED, words);
    }
    wire metadata = { 0 };
    wire_text(&metadata, 7, "1");
    message = pod_with(&metadata);
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: metadata.generation: field of "
                 "the wrong wire type at byte 2");
    message.len = 0;
    wire_number(&message, 1, 1);
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: metadata: field of the wrong wire type at byte 0");
}

TEST(proto_build_note, refuses_what_is_no_utf8_in_strings_it_keeps_at_hand)
{
    wire metadata = { 0 };

    wire_text(&metadata, 1, "n\xff");
    wire message = pod_with(&metadata);
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: metadata.name: not valid UTF-8 at byte 4");
    metadata.len = 0;
    wire_text(&metadata, 1, "n");
    put_entry(&metadata, 11, "k", "\xc3");
    message = pod_with(&metadata);
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: metadata.labels: not valid UTF-8 at byte 12");
}

TEST(proto_build_note, takes_names_beyond_ascii)
{
    wire metadata = { 0 };

    wire_text(&metadata, 1, "\xc3\xa9");
    put_entry(&metadata, 11, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", "v");
    kin_object *object = make_pod(&metadata);
    kin_str value;

    ASSERT_SLICE_EQ(kin_object_name(object), "\xc3\xa9");
    ASSERT_EQ(kin_object_label_count(object), 1);
    ASSERT_TRUE(
        kin_object_label(object, kin_str_of("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"), &value));
    ASSERT_SLICE_EQ(value, "v");
    kin_object_unref(object);
}

TEST(proto_build_note, refuses_metadata_and_times_that_come_twice)
{
    wire metadata = { 0 };
    wire time = { 0 };

    wire_text(&metadata, 1, "n");
    wire message = pod_with(&metadata);
    wire_put(&message, 1, &metadata);
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: metadata: comes twice at byte 5");
    wire_number(&time, 1, 5);
    wire_put(&metadata, 8, &time);
    wire_put(&metadata, 8, &time);
    message = pod_with(&metadata);
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: metadata.creationTimestamp: comes twice at byte 9");

    metadata.len = 3; /* the name */
    wire_text(&metadata, 9, "");
    wire_text(&metadata, 9, "");
    message = pod_with(&metadata);
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: metadata.deletionTimestamp: comes twice at byte 7");
}

TEST(proto_build_note, reads_times_and_refuses_those_beyond_the_calendar)
{
    wire metadata = { 0 };
    wire time = { 0 };
    kin_time got;

    wire_text(&metadata, 1, "n");
    wire_put(&metadata, 8, &time); /* zero */
    wire_number(&time, 1, 0);
    wire_number(&time, 2, 0);
    wire_put(&metadata, 9, &time); /* 1970 */
    kin_object *object = make_pod(&metadata);
    ASSERT_FALSE(kin_object_creation_time(object, &got));
    ASSERT_TRUE(kin_object_deletion_time(object, &got));
    ASSERT_EQ(got.seconds, 0);
    kin_object_unref(object);

    metadata.len = 0;
    time.len = 0;
    wire_number(&time, 1, (uint64_t) INT64_MIN);
    wire_put(&metadata, 8, &time);
    wire message = pod_with(&metadata);
    check_no_pod(&message, KIN_ERR_MALFORMED,
                 "object from protobuf: metadata.creationTimestamp: -9223372036854775808 seconds "
                 "are outside the years 0000 to 9999 at byte 2");
}

TEST(proto_build_note, labels_are_in_order_and_of_two_with_one_key_the_last_stays)
{
    wire metadata = { 0 };
    wire empty = { 0 };
    text t = { 0 };
    kin_str key;
    kin_str value;

    wire_text(&metadata, 1, "n");
    put_entry(&metadata, 11, "b", "1");
    put_entry(&metadata, 11, "a", "2");
    put_entry(&metadata, 11, "b", "3");
    wire_put(&metadata, 11, &empty);
    kin_object *object = make_pod(&metadata);

    for (size_t i = 0; kin_object_label_at(object, i, &key, &value); i++) {
        text_append(&t, "%.*s=%.*s ", KIN_STR_ARG(key), KIN_STR_ARG(value));
    }
    ASSERT_STR_EQ(t.chars, "= a=2 b=3 ");
    ASSERT_TRUE(kin_object_label(object, kin_str_of(""), &value));
    ASSERT_SLICE_EQ(value, "");
    ASSERT_TRUE(value.data >= (const char *) object); /* what is empty lies in the object too */
    ASSERT_TRUE(value.data <= (const char *) object + kin_object_size(object));
    kin_object_unref(object);
}

/* The first characters tell, as bytes: one beyond ASCII comes last. */
TEST(proto_build_note, labels_that_differ_at_once_are_in_order)
{
    wire metadata = { 0 };
    kin_str key;
    kin_str value;

    wire_text(&metadata, 1, "n");
    put_entry(&metadata, 11, "\xc3\xa9", "3");
    put_entry(&metadata, 11, "b", "2");
    put_entry(&metadata, 11, "a", "1");
    kin_object *object = make_pod(&metadata);

    ASSERT_TRUE(kin_object_label_at(object, 0, &key, &value));
    ASSERT_SLICE_EQ(key, "a");
    ASSERT_TRUE(kin_object_label_at(object, 2, &key, &value));
    ASSERT_SLICE_EQ(value, "3");
    ASSERT_TRUE(kin_object_label(object, kin_str_of("b"), &value));
    kin_object_unref(object);
}

TEST(proto_build_note, takes_many_labels)
{
    kin__buf json = { 0 };
    kin_str value;

    ASSERT_TRUE(kin__buf_append_format(&json,
                                       "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":"
                                       "{\"name\":\"n\",\"labels\":{\"x\":\"\""));
    for (int i = 0; i < 100; i++) {
        ASSERT_TRUE(kin__buf_append_format(&json, ",\"l%02d\":\"%d\"", i, i));
    }
    ASSERT_TRUE(kin__buf_append(&json, "}}}", 4));
    kin_object *object = proto_of(json.data, NULL);
    ASSERT_EQ(kin_object_label_count(object), 101);
    ASSERT_TRUE(kin_object_label(object, kin_str_of("l42"), &value));
    ASSERT_SLICE_EQ(value, "42");
    kin_object_unref(object);
    kin__buf_fini(&json);
}

TEST(proto_build_note, refuses_strings_of_64_kb)
{
    kin__buf metadata = { 0 };
    kin__buf message = { 0 };
    uint8_t length[10];
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    kin_error err;

    options.api_version = "v1";
    options.kind = "Pod";
    ASSERT_TRUE(kin__buf_append(&metadata, "\x0a\x80\x80\x04", 4));
    for (size_t i = 0; i < 65536; i++) {
        ASSERT_TRUE(kin__buf_append_byte(&metadata, 'x'));
    }
    ASSERT_TRUE(kin__buf_append_byte(&message, 0x0a));
    ASSERT_TRUE(
        kin__buf_append(&message, (const char *) length, kin__pb_put_varint(metadata.len, length)));
    ASSERT_TRUE(kin__buf_append(&message, metadata.data, metadata.len));
    ASSERT_ERR(kin_object_from_protobuf(message.data, message.len, &options, &object, &err),
               KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "object from protobuf: metadata.name: longer than 65535 bytes at byte 8");
    kin__buf_fini(&metadata);
    kin__buf_fini(&message);
}
