/* SPDX-License-Identifier: Apache-2.0 */
/*
 * framer_test.c - whole items come out, however the bytes come in.
 */
#include "proto/framer.h"

#include <stdlib.h>

#include "base/str.h"
#include "unit/proto/wire.h"

typedef struct seen {
    text log; /* lists and items, then how it ended */
    int refuse_at;
    int count;
    const char *chunk; /* at hand */
    size_t chunk_len;
    int in_place; /* items that lay in their chunk */
    size_t item_bytes;
    kin_str stream;
    kin_error err;
    kin_err code;
} seen;

static kin_err on_list(void *context, const kin__pb_list *list, kin_error *err)
{
    seen *s = context;

    (void) err;
    text_append(&s->log, "%.*s %.*s", KIN_STR_ARG(list->api_version), KIN_STR_ARG(list->kind));
    text_append(&s->log, " of %zu bytes, version \"%.*s\"", list->metadata.len,
                KIN_STR_ARG(list->resource_version));
    if (list->continue_token.len != 0) {
        text_append(&s->log, " continue \"%.*s\"", KIN_STR_ARG(list->continue_token));
    }
    if (list->has_remaining) {
        text_append(&s->log, " remaining %lld", (long long) list->remaining);
    }
    text_append(&s->log, "\n");
    return KIN_OK;
}

static kin_err on_item(void *context, const kin__pb_item *item, kin_error *err)
{
    seen *s = context;

    s->count++;
    ASSERT_TRUE(s->stream.len == 0 ||
                (item->offset + item->bytes.len <= s->stream.len &&
                 memcmp(s->stream.data + item->offset, item->bytes.data, item->bytes.len) == 0));
    s->in_place += s->chunk != NULL && item->bytes.data >= s->chunk &&
                   item->bytes.data + item->bytes.len <= s->chunk + s->chunk_len;
    text_append(&s->log, "%s%.*s %.*s %.*s", item->is_list_item ? "item" : "",
                KIN_STR_ARG(item->type), KIN_STR_ARG(item->api_version), KIN_STR_ARG(item->kind));
    if (item->bytes.len < 20) {
        text_append(&s->log, " \"%.*s\"", KIN_STR_ARG(item->bytes));
    } else {
        text_append(&s->log, " of %zu", item->bytes.len);
    }
    text_append(&s->log, " at %llu\n", (unsigned long long) item->offset);
    if (s->count == s->refuse_at) {
        return kin__error_set(err, KIN_ERR_USAGE, "refused");
    }
    return KIN_OK;
}

/* Each chunk lies in memory of its own, gone when the call is over. */
static kin_err feed(kin__pb_framer *framer, kin_str bytes, size_t step, seen *s)
{
    kin_err code = KIN_OK;

    step = step == 0 ? bytes.len + 1 : step;
    for (size_t place = 0; place < bytes.len && code == KIN_OK; place += step) {
        size_t size = bytes.len - place < step ? bytes.len - place : step;
        char *chunk = malloc(size);
        memcpy(chunk, bytes.data + place, size);
        s->chunk = chunk;
        s->chunk_len = size;
        code = kin__pb_framer_feed(framer, chunk, size, &s->err);
        free(chunk);
    }
    return code == KIN_OK ? kin__pb_framer_finish(framer, &s->err) : code;
}

static void frame(kin__pb_framing framing, kin_str bytes, size_t step, seen *s)
{
    kin__pb_framer_options options = { .framing = framing,
                                       .item_bytes = s->item_bytes,
                                       .on_item = on_item,
                                       .on_list = on_list,
                                       .context = s };
    AUTO(kin__pb_framer_free) kin__pb_framer *framer = NULL;

    ASSERT_OK(kin__pb_framer_new(&options, &framer, &s->err));
    s->stream = bytes;
    s->code = feed(framer, bytes, step, s);
    text_append(&s->log, "%s", s->code == KIN_OK ? "end" : s->err.message);
}

static void expect_bytes(kin__pb_framing framing, kin_str bytes, const char *want)
{
    for (size_t step = 0; step < 40; step++) {
        seen s = { .item_bytes = 1000 };
        frame(framing, bytes, step, &s);
        ASSERT_STR_EQ(s.log.chars, want);
    }
}

static void expect(kin__pb_framing framing, const wire *w, const char *want)
{
    expect_bytes(framing, kin__str(w->bytes, w->len), want);
}

/* PodList with metadata and two items. */
static wire small_list(void)
{
    wire metadata = { 0 };
    wire list = { 0 };

    wire_text(&metadata, 1, "");
    wire_text(&metadata, 2, "77");
    wire_text(&metadata, 3, "next");
    wire_number(&metadata, 4, 12);
    wire_put(&list, 1, &metadata);
    wire_text(&list, 2, "first");
    wire_text(&list, 2, "second");
    return list;
}

TEST(framer, cuts_a_list_into_items_after_its_metadata)
{
    wire list = small_list();
    wire w = { 0 };

    wire_envelope(&w, "v1", "PodList", &list);

    expect(KIN__PB_ANSWER, &w,
           "v1 PodList of 14 bytes, version \"77\" continue \"next\" remaining 12\n"
           "item v1 Pod \"first\" at 39\n"
           "item v1 Pod \"second\" at 46\n"
           "end");
}

TEST(framer, tells_of_an_empty_list)
{
    wire with_metadata = { 0 };
    wire metadata = { 0 };
    wire list = { 0 };
    wire without = { 0 };
    wire nothing = { 0 };

    wire_text(&metadata, 2, "5");
    wire_put(&list, 1, &metadata);
    wire_envelope(&with_metadata, "v1", "PodList", &list);
    expect(KIN__PB_ANSWER, &with_metadata, "v1 PodList of 3 bytes, version \"5\"\nend");

    wire_envelope(&without, "v1", "PodList", &nothing);
    expect(KIN__PB_ANSWER, &without, "v1 PodList of 0 bytes, version \"\"\nend");
}

TEST(framer, takes_items_of_no_bytes)
{
    wire list = { 0 };
    wire w = { 0 };

    wire_text(&list, 1, "");
    wire_text(&list, 2, "");
    wire_text(&list, 2, "");
    wire_envelope(&w, "v1", "PodList", &list);

    expect(KIN__PB_ANSWER, &w,
           "v1 PodList of 0 bytes, version \"\"\nitem v1 Pod \"\" at 25\n"
           "item v1 Pod \"\" at 27\nend");
}

TEST(framer, skips_fields_it_does_not_know)
{
    wire list = { 0 };
    wire w = { 0 };

    wire_number(&list, 9, 1u << 20);
    wire_text(&list, 1, "");
    wire_bytes(&list, "\x19xxxxxxxx\x1dxxxx", 14); /* 3 in 64 bits, 3 in 32 bits */
    wire_text(&list, 17, "a newer server's");
    wire_text(&list, 2, "pod");
    wire_text(&list, 3, "");
    wire_envelope_open(&w, "v1", "PodList", &list);
    wire_text(&w, 5, "more");
    wire_bytes(&w, "\x1a\0\x22\0", 4);

    expect(KIN__PB_ANSWER, &w,
           "v1 PodList of 0 bytes, version \"\"\nitem v1 Pod \"pod\" at 62\nend");
}

TEST(framer, hands_over_any_other_answer_as_one_object)
{
    wire object = { 0 };
    wire w = { 0 };
    wire untyped = { 0 };

    wire_bytes(&object, "anything", 8);
    wire_envelope(&w, "apps/v1", "Deployment", &object);
    expect(KIN__PB_ANSWER, &w, " apps/v1 Deployment \"anything\" at 29\nend");

    wire_bytes(&untyped, "k8s\0\x12\1x\x1a\0\x22\0", 11);
    expect(KIN__PB_ANSWER, &untyped, "   \"x\" at 6\nend");
}

/* Kinds that are called lists, and what the tables say of them. */
TEST(framer, knows_from_the_tables_what_is_laid_out_as_a_list)
{
    static const struct {
        const char *api_version;
        const char *kind;
        bool is_list;
    } kinds[] = {
        { "v1", "PodList", true },
        { "apps/v1", "DeploymentList", true },
        { "meta.k8s.io/v1", "PartialObjectMetadataList", true },
        { "meta.k8s.io/v1beta1", "PartialObjectMetadataList", false }, /* items are 1 there */
        { "apidiscovery.k8s.io/v2", "APIGroupDiscoveryList", true },
        { "v1", "List", false },
        { "v1", "APIResourceList", false },
        { "", "APIResourceList", false },
        { "v1", "APIGroupList", false },
        { "example.com/v1", "WidgetList", true }, /* unknown, and cut by its name */
        { "example.com/v1", "List", false },
        { "example.com/v1", "Playlist", false },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        wire list = { 0 };
        wire w = { 0 };
        seen s = { 0 };

        wire_text(&list, 1, "");
        wire_text(&list, 2, "x");
        wire_envelope(&w, kinds[i].api_version, kinds[i].kind, &list);
        frame(KIN__PB_ANSWER, kin__str(w.bytes, w.len), 0, &s);

        ASSERT_OK(s.code);
        ASSERT_EQ(s.count, 1);
        text_append(&s.log, ": %s", kinds[i].kind);
        ASSERT_EQ(strstr(s.log.chars, "item ") != NULL, kinds[i].is_list);
    }
}

/* An event in its frame. */
static void wire_event(wire *w, const char *type, const wire *envelope)
{
    wire object = { 0 };
    wire event = { 0 };

    wire_put(&object, 1, envelope);
    wire_text(&event, 1, type);
    wire_put(&event, 2, &object);
    char len[4] = { 0, 0, (char) (event.len >> 8), (char) event.len };
    wire_bytes(w, len, sizeof len);
    wire_bytes(w, event.bytes, event.len);
}

TEST(framer, cuts_a_watch_into_events)
{
    wire object = { 0 };
    wire envelope = { 0 };
    wire w = { 0 };
    wire empty = { 0 };

    wire_bytes(&object, "pod", 3);
    wire_envelope(&envelope, "v1", "Pod", &object);
    wire_event(&w, "ADDED", &envelope);
    wire_event(&w, "BOOKMARK", &envelope);

    expect(KIN__PB_WATCH, &w, "ADDED v1 Pod \"pod\" at 32\nBOOKMARK v1 Pod \"pod\" at 74\nend");
    expect(KIN__PB_WATCH, &empty, "end");
}

TEST(framer, reads_the_events_of_a_server)
{
    size_t len;
    char *bytes = read_fixture("watch-error-410.pb", &len);

    expect_bytes(KIN__PB_WATCH, kin__str(bytes, len), "ERROR v1 Status of 64 at 35\nend");

    free_fixture(bytes);
    bytes = read_fixture("watch-configmaps-watchlist.pb", &len);
    expect_bytes(KIN__PB_WATCH, kin__str(bytes, len),
                 "ADDED v1 ConfigMap of 227 at 41\n"
                 "ADDED v1 ConfigMap of 227 at 313\n"
                 "ADDED v1 ConfigMap of 227 at 585\n"
                 "BOOKMARK v1 ConfigMap of 56 at 857\n"
                 "ADDED v1 ConfigMap of 227 at 958\n"
                 "MODIFIED v1 ConfigMap of 227 at 1233\n"
                 "DELETED v1 ConfigMap of 227 at 1507\n"
                 "BOOKMARK v1 ConfigMap of 21 at 1779\n"
                 "end");
    free_fixture(bytes);
}

TEST(framer, reads_the_answers_of_a_server)
{
    size_t len;
    char *bytes = read_fixture("list-configmaps.pb", &len);

    expect_bytes(KIN__PB_ANSWER, kin__str(bytes, len),
                 "v1 ConfigMapList of 9 bytes, version \"404\"\n"
                 "item v1 ConfigMap of 227 at 42\n"
                 "item v1 ConfigMap of 227 at 272\n"
                 "item v1 ConfigMap of 227 at 502\n"
                 "end");
    free_fixture(bytes);

    bytes = read_fixture("metadata-widgets-crd.pb", &len);
    expect_bytes(KIN__PB_ANSWER, kin__str(bytes, len),
                 "meta.k8s.io/v1 PartialObjectMetadataList of 9 bytes, version \"495\"\n"
                 "item meta.k8s.io/v1 PartialObjectMetadata of 173 at 66\n"
                 "item meta.k8s.io/v1 PartialObjectMetadata of 173 at 242\n"
                 "item meta.k8s.io/v1 PartialObjectMetadata of 173 at 418\n"
                 "end");
    free_fixture(bytes);

    bytes = read_fixture("status-404-object.pb", &len);
    expect_bytes(KIN__PB_ANSWER, kin__str(bytes, len), " v1 Status of 85 at 20\nend");
    free_fixture(bytes);
}

TEST(framer, does_not_copy_what_lies_in_one_chunk)
{
    size_t len;
    char *bytes = read_fixture("list-pods-20.pb", &len);
    seen whole = { 0 };
    seen halves = { 0 };
    seen pieces = { 0 };

    frame(KIN__PB_ANSWER, kin__str(bytes, len), 0, &whole);
    ASSERT_EQ(whole.count, 20);
    ASSERT_EQ(whole.in_place, 20);

    frame(KIN__PB_ANSWER, kin__str(bytes, len), len / 2, &halves);
    ASSERT_STR_EQ(halves.log.chars, whole.log.chars);
    ASSERT_EQ(halves.in_place, 19);

    frame(KIN__PB_ANSWER, kin__str(bytes, len), 100, &pieces);
    ASSERT_STR_EQ(pieces.log.chars, whole.log.chars);
    ASSERT_EQ(pieces.in_place, 0);
    free_fixture(bytes);
}

/* An informer shows the first pods of a long list while the rest is still on its way. */
TEST(framer, hands_an_item_over_with_its_last_byte)
{
    wire list = small_list();
    wire w = { 0 };
    seen s = { 0 };
    kin__pb_framer_options options = { .on_item = on_item, .context = &s };
    AUTO(kin__pb_framer_free) kin__pb_framer *framer = NULL;
    kin_error err;

    wire_envelope(&w, "v1", "PodList", &list);
    ASSERT_OK(kin__pb_framer_new(&options, &framer, &err));
    ASSERT_OK(kin__pb_framer_feed(framer, w.bytes, 43, &err));
    ASSERT_EQ(s.count, 0);
    ASSERT_OK(kin__pb_framer_feed(framer, w.bytes + 43, 1, &err));
    ASSERT_EQ(s.count, 1);
}

TEST(framer, finds_every_truncation)
{
    wire list = small_list();
    wire w = { 0 };
    wire object = { 0 };
    wire envelope = { 0 };
    wire events = { 0 };

    wire_envelope(&w, "v1", "PodList", &list);
    for (size_t len = 0; len < w.len; len++) {
        seen s = { 0 };
        frame(KIN__PB_ANSWER, kin__str(w.bytes, len), len % 3, &s);
        ASSERT_ERR(s.code, KIN_ERR_MALFORMED);
        ASSERT_CONTAINS(s.err.message, "the bytes end inside the ");
    }

    wire_envelope(&envelope, "v1", "Pod", &object);
    wire_event(&events, "ADDED", &envelope);
    for (size_t len = 1; len < events.len; len++) {
        seen s = { 0 };
        frame(KIN__PB_WATCH, kin__str(events.bytes, len), len % 3, &s);
        ASSERT_ERR(s.code, KIN_ERR_MALFORMED);
    }
}

TEST(framer, says_where_the_bytes_end)
{
    wire list = small_list();
    wire w = { 0 };

    wire_envelope(&w, "v1", "PodList", &list);
    expect_bytes(KIN__PB_ANSWER, STR(""), "the bytes end inside the first four bytes at byte 0");
    expect_bytes(KIN__PB_ANSWER, kin__str(w.bytes, 42),
                 "v1 PodList of 14 bytes, version \"77\" continue \"next\" remaining 12\n"
                 "the bytes end inside the item at byte 42");
    expect_bytes(KIN__PB_WATCH, kin__str("\0\0", 2),
                 "the bytes end inside the length of the frame at byte 2");
    expect_bytes(KIN__PB_WATCH, kin__str("\0\0\0\5xx", 6),
                 "the bytes end inside the frame at byte 6");
}

/* A frame that announces 2 GB costs nothing: the test's allocator would notice, and the bytes never
 * come. */
TEST(framer, refuses_a_length_over_the_limit_before_it_takes_memory)
{
    static const char huge_frame[] = { 0x7f, (char) 0xff, (char) 0xff, (char) 0xff };
    wire item = { 0 };
    wire object = { 0 };
    wire type = { 0 };
    wire list = { 0 };

    expect_bytes(KIN__PB_WATCH, kin__str(huge_frame, 4), "frame larger than 1000 bytes at byte 0");

    wire_bytes(&item, "k8s\0\x0a\x0d\x0a\x02v1\x12\x07PodList\x12\xff\xff\xff\xff\x07", 25);
    wire_bytes(&item, "\x0a\0\x12\xff\xff\xff\xff\x06", 8);
    expect(KIN__PB_ANSWER, &item,
           "v1 PodList of 0 bytes, version \"\"\nitem larger than 1000 bytes at byte 27");

    wire_bytes(&object, "k8s\0\x12\xff\xff\xff\xff\x07", 10);
    expect(KIN__PB_ANSWER, &object, "object larger than 1000 bytes at byte 4");

    wire_bytes(&type, "k8s\0\x0a\xff\xff\xff\xff\x07", 10);
    expect(KIN__PB_ANSWER, &type, "type of the object larger than 4096 bytes at byte 4");

    wire_bytes(&list, "k8s\0\x0a\x0d\x0a\x02v1\x12\x07PodList", 19);
    wire_bytes(&list, "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    expect(KIN__PB_ANSWER, &list, "list larger than 1152921504606846976 bytes at byte 19");
}

TEST(framer, takes_what_just_fits_the_limit)
{
    char bytes[1001] = { 0 };

    for (size_t len = 1000; len <= 1001; len++) {
        wire list = { 0 };
        wire w = { 0 };
        seen s = { .item_bytes = 1000 };
        wire_content(&list, 2, bytes, len);
        wire_envelope(&w, "v1", "PodList", &list);
        frame(KIN__PB_ANSWER, kin__str(w.bytes, w.len), 0, &s);
        ASSERT_ERR(s.code, len == 1000 ? KIN_OK : KIN_ERR_LIMIT);
    }
}

TEST(framer, refuses_what_is_no_protobuf)
{
    expect_bytes(KIN__PB_ANSWER, STR("{\"kind\":\"Status\"}"),
                 "no protobuf of Kubernetes at byte 0");
    expect_bytes(KIN__PB_ANSWER, kin__str("k8s\1\x12\0", 6), "no protobuf of Kubernetes at byte 0");
}

TEST(framer, refuses_an_object_in_another_encoding)
{
    wire object = { 0 };
    wire w = { 0 };
    wire envelope = { 0 };
    wire event = { 0 };

    wire_envelope_open(&w, "v1", "Pod", &object);
    wire_text(&w, 3, "");
    wire_text(&w, 4, "application/json");
    expect(KIN__PB_ANSWER, &w, " v1 Pod \"\" at 17\nobject in an encoding of its own at byte 19");

    wire_envelope_open(&envelope, "v1", "Pod", &object);
    wire_text(&envelope, 3, "gzip");
    wire_event(&event, "ADDED", &envelope);
    expect(KIN__PB_WATCH, &event, "object in an encoding of its own at byte 32");
}

TEST(framer, refuses_an_envelope_out_of_order)
{
    wire twice = { 0 };
    wire late = { 0 };
    wire objects = { 0 };
    wire object = { 0 };

    wire_bytes(&twice, "k8s\0\x0a\0\x0a\0", 8);
    expect(KIN__PB_ANSWER, &twice, "type of the object that does not come first at byte 6");
    wire_bytes(&late, "k8s\0\x12\0\x0a\0", 8);
    expect(KIN__PB_ANSWER, &late,
           "   \"\" at 6\ntype of the object that does not come first at byte 6");
    wire_envelope(&objects, "v1", "Pod", &object);
    wire_text(&objects, 2, "");
    expect(KIN__PB_ANSWER, &objects, " v1 Pod \"\" at 17\nsecond object at byte 21");
}

TEST(framer, refuses_metadata_after_items)
{
    wire late = { 0 };
    wire list = { 0 };
    wire w = { 0 };

    wire_text(&list, 2, "x");
    wire_text(&list, 1, "");
    wire_envelope(&w, "v1", "PodList", &list);
    expect(KIN__PB_ANSWER, &w,
           "v1 PodList of 0 bytes, version \"\"\nitem v1 Pod \"x\" at 23\n"
           "metadata of the list that does not come first at byte 24");

    list.len = 0;
    wire_text(&list, 1, "");
    wire_text(&list, 1, "");
    wire_envelope(&late, "v1", "PodList", &list);
    expect(KIN__PB_ANSWER, &late,
           "v1 PodList of 0 bytes, version \"\"\n"
           "metadata of the list that does not come first at byte 23");
}

static void expect_list(const char *bytes, size_t len, const char *want)
{
    wire list = { 0 };
    wire w = { 0 };

    wire_bytes(&list, bytes, len);
    wire_envelope(&w, "v1", "PodList", &list);

    expect(KIN__PB_ANSWER, &w, want);
}

TEST(framer, keeps_the_fields_of_a_list_inside_it)
{
    expect_list("\x12\x03xy", 4, "length past the end of the list at byte 21");
    expect_list("\x12", 1, "the list ends inside a field at byte 21");
    expect_list("\x12\x83", 2, "the list ends inside a field at byte 21");
    expect_list("\x92", 1, "the list ends inside a field at byte 21");
    expect_list("\x19xxxx", 5, "length past the end of the list at byte 21");
}

/* A chunk that ends between the tag and the length: the length looks like a tag, and what follows
 * like an item. */
TEST(framer, knows_a_length_from_a_tag)
{
    wire list = { 0 };
    wire answer = { 0 };
    wire_text(&list, 1, "");
    wire_content(&list, 2,
                 "\x05"
                 "abcdefghijklmnopq",
                 18);
    wire_envelope(&answer, "v1", "PodList", &list);

    seen whole = { 0 };
    frame(KIN__PB_ANSWER, kin__str(answer.bytes, answer.len), 0, &whole);
    ASSERT_TRUE(strstr(whole.log.chars, "abcdefghijklmnopq") != NULL);
    expect(KIN__PB_ANSWER, &answer, whole.log.chars);
}

TEST(framer, refuses_broken_fields)
{
    expect_list("\x02\0", 2, "field number out of range at byte 21");
    expect_list("\x13\0", 2, "unknown wire type at byte 21");
    expect_list("\x10\5", 2, "field of the list with another wire type at byte 21");
    expect_list("\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x80\x01", 12,
                "number of more than ten bytes at byte 21");
    expect_list("\x0a\2\x10\0", 4, "metadata of the list with another wire type at byte 23");
    expect_list("\x0a\2\x22\0", 4, "metadata of the list with another wire type at byte 23");
    expect_list("\x0a\2\x12\1", 4, "length past the end of the message at byte 24");

    wire w = { 0 };
    wire_bytes(&w, "k8s\0\x10\0", 6);
    expect(KIN__PB_ANSWER, &w, "field of the envelope with another wire type at byte 4");
}

TEST(framer, refuses_broken_events)
{
    expect_bytes(KIN__PB_WATCH, kin__str("\0\0\0\0", 4), "watch event without a type at byte 4");
    expect_bytes(KIN__PB_WATCH, kin__str("\0\0\0\3\x0a\1x", 7),
                 "watch event without an object at byte 4");
    expect_bytes(KIN__PB_WATCH, kin__str("\0\0\0\5\x0a\1x\x12\0", 9),
                 "watch event without an object at byte 4");
    expect_bytes(KIN__PB_WATCH, kin__str("\0\0\0\2\x08\1", 6),
                 "watch event with another wire type at byte 4");
    expect_bytes(KIN__PB_WATCH, kin__str("\0\0\0\7\x0a\1x\x12\2\x08\1", 11),
                 "watch event with another wire type at byte 9");
    expect_bytes(KIN__PB_WATCH, kin__str("\0\0\0\3\x0a\5x", 7),
                 "length past the end of the message at byte 5");
    expect_bytes(KIN__PB_WATCH, kin__str("\0\0\0\7\x0a\1x\x12\2\x0a\5", 11),
                 "length past the end of the message at byte 10");
    expect_bytes(KIN__PB_WATCH, kin__str("\0\0\0\x08\x0a\1x\x12\3\x0a\1y", 12),
                 "no protobuf of Kubernetes at byte 11");
}

TEST(framer, hands_on_what_the_callback_returns)
{
    wire list = small_list();
    wire w = { 0 };
    seen s = { .refuse_at = 1 };

    wire_envelope(&w, "v1", "PodList", &list);
    frame(KIN__PB_ANSWER, kin__str(w.bytes, w.len), 0, &s);

    ASSERT_ERR(s.code, KIN_ERR_USAGE);
    ASSERT_EQ(s.count, 1);
}

TEST_FAILING_ALLOC(framer, survives_without_memory)
{
    static seen s;
    wire list = small_list();
    wire w = { 0 };
    kin__pb_framer_options options = { .on_item = on_item, .on_list = on_list, .context = &s };
    AUTO(kin__pb_framer_free) kin__pb_framer *framer = NULL;

    memset(&s, 0, sizeof s);
    wire_envelope(&w, "v1", "PodList", &list);
    kin_err code = kin__pb_framer_new(&options, &framer, &s.err);
    return code != KIN_OK ? code : feed(framer, kin__str(w.bytes, w.len), 7, &s);
}
