/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decoder_proto_test.c - items and events in protobuf.
 */
#include "base/buf.h"
#include "decoding.h"
#include "proto/envelope.h"
#include "proto/reader.h"

/* Appends one field of bytes. */
static void put_field(kin__buf *buf, uint8_t number, kin_str content)
{
    uint8_t length[10];
    size_t size = kin__pb_put_varint(content.len, length);

    ASSERT_TRUE(kin__buf_append_byte(buf, (char) (number << 3 | KIN__PB_LEN)));
    ASSERT_TRUE(kin__buf_append(buf, (const char *) length, size));
    ASSERT_TRUE(kin__buf_append_str(buf, content));
}

/* Appends a frame of a watch: an event with a message in an envelope. */
static void put_event(kin__buf *buf, const char *type, const char *kind, kin_str message)
{
    AUTO(kin__buf_fini) kin__buf envelope = { 0 };
    AUTO(kin__buf_fini) kin__buf raw = { 0 };
    AUTO(kin__buf_fini) kin__buf event = { 0 };

    ASSERT_TRUE(kin__pb_envelope_append(STR("v1"), kin_str_of(kind), message, &envelope));
    put_field(&raw, 1, kin__str(envelope.data, envelope.len));
    put_field(&event, 1, kin_str_of(type));
    put_field(&event, 2, kin__str(raw.data, raw.len));
    ASSERT_TRUE(kin__buf_append_byte(buf, 0) && kin__buf_append_byte(buf, 0));
    ASSERT_TRUE(kin__buf_append_byte(buf, (char) (event.len >> 8)));
    ASSERT_TRUE(kin__buf_append_byte(buf, (char) event.len));
    ASSERT_TRUE(kin__buf_append(buf, event.data, event.len));
}

/* An answer: a message in an envelope. */
static void put_answer(kin__buf *buf, const char *api_version, const char *kind, kin_str message)
{
    ASSERT_TRUE(kin__pb_envelope_append(kin_str_of(api_version), kin_str_of(kind), message, buf));
}

static kin_str bytes_of(const kin__buf *buf)
{
    return kin__str(buf->data, buf->len);
}

/* A ConfigMap that has a name, and one that has none. */
#define NAMED                                                                                      \
    STR("\x0a\x03\x0a\x01"                                                                         \
        "a")
#define NAMELESS STR("\x0a\x00")

TEST(decoder_proto, reads_a_list)
{
    decoding d = { .answer = KIN__ANSWER_LIST, .content_type = PROTO_TYPE };

    ASSERT_STR_EQ(decode_file(&d, "list-configmaps.pb"), "object ConfigMap v1 demo/w-0 348\n"
                                                         "object ConfigMap v1 demo/w-1 349\n"
                                                         "object ConfigMap v1 demo/w-2 350\n"
                                                         "finished 404\n");
}

TEST(decoder_proto, tells_where_a_list_goes_on)
{
    decoding d = { .answer = KIN__ANSWER_LIST, .content_type = PROTO_TYPE, .kind = "Pod" };
    decoding json = { .answer = KIN__ANSWER_LIST, .kind = "Pod" };

    ASSERT_STR_EQ(decode_file(&d, "list-pods-20.pb"), decode_file(&json, "list-pods-20.json"));
    ASSERT_EQ(d.calls, 20);
}

TEST(decoder_proto, tells_the_same_events_as_json)
{
    decoding d = { .answer = KIN__ANSWER_WATCH, .content_type = PROTO_TYPE, .kind = "Pod" };
    decoding json = { .answer = KIN__ANSWER_WATCH, .kind = "Pod" };

    ASSERT_STR_EQ(decode_file(&d, "watch-pods-watchlist.pb"),
                  decode_file(&json, "watch-pods-watchlist.json"));
    ASSERT_CONTAINS(d.log.chars, " end\n");
}

TEST(decoder_proto, tells_an_error_as_an_event)
{
    decoding d = { .answer = KIN__ANSWER_WATCH,
                   .content_type = "application/vnd.kubernetes.protobuf;stream=watch" };
    AUTO(kin__buf_fini) kin__buf success = { 0 };

    ASSERT_STR_EQ(decode_file(&d, "watch-error-410.pb"),
                  "ERROR -43 410 Expired: too old resource version: 1 (396) ()\n");
    put_event(&success, "ERROR", "Status", STR("\x12\x07Success"));
    ASSERT_STR_EQ(decode(&d, bytes_of(&success)),
                  "ERROR -25 0 : the watch ends with an error that tells none ()\n");
}

TEST(decoder_proto, reads_metadata_alone)
{
    decoding d = { .answer = KIN__ANSWER_LIST,
                   .content_type = PROTO_TYPE,
                   .metadata_only = true,
                   .api_version = "example.com/v1",
                   .kind = "Widget" };

    ASSERT_STR_EQ(decode_file(&d, "metadata-widgets-crd.pb"),
                  "object PartialObjectMetadata meta.k8s.io/v1 demo/w0 493\n"
                  "object PartialObjectMetadata meta.k8s.io/v1 demo/w1 494\n"
                  "object PartialObjectMetadata meta.k8s.io/v1 demo/w2 495\n"
                  "finished 495\n");
}

TEST(decoder_proto, refuses_whole_objects_where_metadata_was_asked_for)
{
    decoding d = { .answer = KIN__ANSWER_LIST, .content_type = PROTO_TYPE, .metadata_only = true };

    ASSERT_STR_EQ(fail_decoding_file(&d, "list-configmaps.pb", KIN_ERR_PROTOCOL),
                  "expected a list of PartialObjectMetadata, found kind \"ConfigMap\"");
}

TEST(decoder_proto, fails_with_the_status_that_comes_instead)
{
    decoding d = { .answer = KIN__ANSWER_OBJECT, .content_type = PROTO_TYPE };

    ASSERT_STR_EQ(fail_decoding_file(&d, "status-404-object.pb", KIN_ERR_NOT_FOUND),
                  "configmaps \"nope\" not found");
    d.answer = KIN__ANSWER_LIST;
    ASSERT_STR_EQ(fail_decoding_file(&d, "status-404-object.pb", KIN_ERR_NOT_FOUND),
                  "configmaps \"nope\" not found");
    ASSERT_EQ(d.err.http_status, 404);
}

TEST(decoder_proto, takes_success_for_an_answer_to_a_delete_only)
{
    decoding d = { .answer = KIN__ANSWER_OBJECT, .content_type = PROTO_TYPE };
    AUTO(kin__buf_fini) kin__buf success = { 0 };

    put_answer(&success, "v1", "Status", STR("\x12\x07Success"));
    ASSERT_STR_EQ(decode(&d, bytes_of(&success)), "finished\n");
    d.answer = KIN__ANSWER_DELETIONS;
    ASSERT_STR_EQ(decode(&d, bytes_of(&success)), "finished\n");
    d.answer = KIN__ANSWER_LIST;
    ASSERT_STR_EQ(fail_decoding(&d, bytes_of(&success), KIN_ERR_PROTOCOL),
                  "expected a list of ConfigMap, found kind \"Status\"");
}

TEST(decoder_proto, reads_one_object_of_any_kind)
{
    decoding d = { .answer = KIN__ANSWER_OBJECT, .content_type = PROTO_TYPE };
    AUTO(kin__buf_fini) kin__buf scale = { 0 };

    ASSERT_CONTAINS(decode_file(&d, "list-pod-get.pb"), "object Pod v1 demo/app-0-");
    put_answer(&scale, "autoscaling/v1", "Scale", NAMED);
    ASSERT_STR_EQ(decode(&d, bytes_of(&scale)), "object Scale autoscaling/v1 a \nfinished\n");
}

TEST(decoder_proto, reads_one_object_without_a_name)
{
    decoding d = { .answer = KIN__ANSWER_OBJECT, .content_type = PROTO_TYPE };
    AUTO(kin__buf_fini) kin__buf review = { 0 };

    put_answer(&review, "authentication.k8s.io/v1", "TokenReview", NAMELESS);
    ASSERT_STR_EQ(decode(&d, bytes_of(&review)),
                  "object TokenReview authentication.k8s.io/v1  \nfinished\n");
}

TEST(decoder_proto, refuses_one_where_the_other_was_asked_for)
{
    decoding d = { .answer = KIN__ANSWER_OBJECT, .content_type = PROTO_TYPE };

    ASSERT_STR_EQ(fail_decoding_file(&d, "list-configmaps.pb", KIN_ERR_PROTOCOL),
                  "expected an object, as ConfigMap, found kind \"ConfigMapList\"");
    d.answer = KIN__ANSWER_LIST;
    d.kind = "Pod";
    ASSERT_STR_EQ(fail_decoding_file(&d, "list-pod-get.pb", KIN_ERR_PROTOCOL),
                  "expected a list of Pod, found kind \"Pod\"");
}

TEST(decoder_proto, refuses_objects_of_another_kind)
{
    decoding d = { .answer = KIN__ANSWER_LIST, .content_type = PROTO_TYPE, .kind = "Secret" };
    AUTO(kin__buf_fini) kin__buf event = { 0 };

    ASSERT_STR_EQ(fail_decoding_file(&d, "list-configmaps.pb", KIN_ERR_PROTOCOL),
                  "expected a list of Secret, found kind \"ConfigMap\"");
    d.answer = KIN__ANSWER_WATCH;
    put_event(&event, "ADDED", "ConfigMap", NAMED);
    ASSERT_STR_EQ(fail_decoding(&d, bytes_of(&event), KIN_ERR_PROTOCOL),
                  "expected events of Secret, found kind \"ConfigMap\"");
}

TEST(decoder_proto, says_which_kind_is_not_known)
{
    decoding d = { .answer = KIN__ANSWER_OBJECT, .content_type = PROTO_TYPE };
    AUTO(kin__buf_fini) kin__buf widget = { 0 };

    put_answer(&widget, "example.com/v1", "Widget", NAMED);
    ASSERT_CONTAINS(fail_decoding(&d, bytes_of(&widget), KIN_ERR_NOT_FOUND), "\"Widget\"");
}

TEST(decoder_proto, refuses_events_that_are_none)
{
    decoding d = { .answer = KIN__ANSWER_WATCH, .content_type = PROTO_TYPE };
    AUTO(kin__buf_fini) kin__buf event = { 0 };

    put_event(&event, "RENAMED", "ConfigMap", NAMED);
    ASSERT_CONTAINS(fail_decoding(&d, bytes_of(&event), KIN_ERR_MALFORMED),
                    "unknown type of event \"RENAMED\" at byte ");
    kin__buf_clear(&event);
    put_event(&event, "MODIFIED", "ConfigMap", NAMELESS);
    ASSERT_CONTAINS(fail_decoding(&d, bytes_of(&event), KIN_ERR_MALFORMED),
                    "metadata.name: required value");
    kin__buf_clear(&event);
    put_event(&event, "BOOKMARK", "ConfigMap", NAMELESS);
    ASSERT_CONTAINS(fail_decoding(&d, bytes_of(&event), KIN_ERR_MALFORMED),
                    "bookmark without a resourceVersion at byte ");
}

TEST(decoder_proto, refuses_a_watch_that_ends_inside_an_event)
{
    decoding d = { .answer = KIN__ANSWER_WATCH, .content_type = PROTO_TYPE };
    AUTO(kin__buf_fini) kin__buf events = { 0 };

    put_event(&events, "ADDED", "ConfigMap", NAMED);
    put_event(&events, "ADDED", "ConfigMap", NAMED);
    ASSERT_CONTAINS(fail_decoding(&d, kin__str(events.data, events.len - 1), KIN_ERR_MALFORMED),
                    "inside the frame");
    ASSERT_STR_EQ(d.log.chars, "ADDED ConfigMap v1 a \n");
}

TEST(decoder_proto, refuses_json_under_its_name)
{
    decoding d = { .answer = KIN__ANSWER_LIST, .content_type = PROTO_TYPE };

    ASSERT_CONTAINS(fail_decoding_file(&d, "list-configmaps.json", KIN_ERR_MALFORMED), "byte 0");
}

TEST(decoder_proto, refuses_no_object)
{
    decoding d = { .answer = KIN__ANSWER_OBJECT, .content_type = PROTO_TYPE };

    ASSERT_CONTAINS(fail_decoding(&d, STR(""), KIN_ERR_MALFORMED), "the bytes end");
}
