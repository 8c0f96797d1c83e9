/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decoder_test.c - the bytes of a good answer, as they arrive, into objects and events.
 */
#include "base/alloc.h"
#include "base/buf.h"
#include "decoding.h"

/* Answers of all sorts. */
static const struct {
    const char *file;
    const char *content_type;
    kin__answer answer;
    const char *kind;
    const char *api_version;
    bool metadata_only;
} cases[] = {
    { "list-configmaps.json", JSON_TYPE, KIN__ANSWER_LIST, "ConfigMap", "v1", false },
    { "list-configmaps.pb", PROTO_TYPE, KIN__ANSWER_LIST, "ConfigMap", "v1", false },
    { "list-widgets-crd.json", JSON_TYPE, KIN__ANSWER_LIST, "Widget", "example.com/v1", false },
    { "metadata-widgets-crd.json", JSON_TYPE, KIN__ANSWER_LIST, "Widget", "example.com/v1", true },
    { "metadata-widgets-crd.pb", PROTO_TYPE, KIN__ANSWER_LIST, "Widget", "example.com/v1", true },
    { "watch-configmaps-all.json", JSON_TYPE, KIN__ANSWER_WATCH, "ConfigMap", "v1", false },
    { "watch-configmaps-watchlist.json", JSON_TYPE, KIN__ANSWER_WATCH, "ConfigMap", "v1", false },
    { "watch-configmaps-watchlist.pb", PROTO_TYPE, KIN__ANSWER_WATCH, "ConfigMap", "v1", false },
    { "watch-error-504-too-large.json", JSON_TYPE, KIN__ANSWER_WATCH, "ConfigMap", "v1", false },
    { "watch-error-410.pb", PROTO_TYPE, KIN__ANSWER_WATCH, "ConfigMap", "v1", false },
    { "write-configmap-create.json", JSON_TYPE, KIN__ANSWER_OBJECT, "ConfigMap", "v1", false },
    { "write-configmap-delete.json", JSON_TYPE, KIN__ANSWER_OBJECT, "ConfigMap", "v1", false },
    { "write-configmap-deletecollection.json", JSON_TYPE, KIN__ANSWER_DELETIONS, "ConfigMap", "v1",
      false },
    { "status-404-object.json", JSON_TYPE, KIN__ANSWER_LIST, "ConfigMap", "v1", false },
    { "status-404-object.pb", PROTO_TYPE, KIN__ANSWER_OBJECT, "ConfigMap", "v1", false },
    { "table-configmaps-watch.json", JSON_TYPE, KIN__ANSWER_WATCH, "ConfigMap", "v1", false },
};

#define CASES (sizeof cases / sizeof cases[0])

static decoding decoding_of(size_t i)
{
    return (decoding){
        .answer = cases[i].answer,
        .content_type = cases[i].content_type,
        .kind = cases[i].kind,
        .api_version = cases[i].api_version,
        .metadata_only = cases[i].metadata_only,
    };
}

TEST(decoder, says_the_same_however_the_bytes_are_cut)
{
    static decoding whole;
    static decoding cut;

    for (size_t i = 0; i < CASES; i++) {
        size_t len;
        char *bytes = read_fixture(cases[i].file, &len);
        whole = decoding_of(i);
        begin_decoding(&whole, kin__str(bytes, len));
        end_decoding(&whole);
        for (size_t step = 1; step < len; step = step < 64 ? step + 1 : step * 2) {
            cut = decoding_of(i);
            cut.step = step;
            begin_decoding(&cut, kin__str(bytes, len));
            end_decoding(&cut);
            ASSERT_STR_EQ(cut.log.chars, whole.log.chars);
            ASSERT_ERR(cut.code, whole.code);
            if (whole.code != KIN_OK) {
                ASSERT_STR_EQ(cut.err.message, whole.err.message);
            }
        }
        free_fixture(bytes);
    }
}

TEST(decoder, never_takes_a_part_for_the_whole)
{
    static decoding d;

    for (size_t i = 0; i < CASES; i++) {
        size_t len;
        char *bytes = read_fixture(cases[i].file, &len);
        size_t whole = bytes[len - 1] == '\n' ? len - 1 : len;
        for (size_t cut = 0; cut < whole && cases[i].answer != KIN__ANSWER_WATCH; cut++) {
            d = decoding_of(i);
            begin_decoding(&d, kin__str(bytes, cut));
            end_decoding(&d);
            ASSERT_TRUE(d.code != KIN_OK);
        }
        free_fixture(bytes);
    }
}

TEST(decoder, refuses_a_content_type_that_is_neither)
{
    decoding d = { .answer = KIN__ANSWER_LIST, .content_type = "text/html; charset=utf-8" };

    ASSERT_STR_EQ(fail_decoding(&d, STR("<html>"), KIN_ERR_PROTOCOL),
                  "expected an answer in JSON or protobuf, found \"text/html; charset=utf-8\"");
    d.content_type = "";
    ASSERT_STR_EQ(fail_decoding(&d, STR("ok"), KIN_ERR_PROTOCOL),
                  "expected an answer in JSON or protobuf, found \"\"");
}

TEST(decoder, wants_to_know_what_was_asked_for)
{
    kin__decoder_options options = { .content_type = STR(JSON_TYPE), .kind = "Pod" };
    kin__decoder *out = NULL;
    kin_error err;

    ASSERT_ERR(kin__decoder_new(&options, &out, &err), KIN_ERR_USAGE);
    options.kind = NULL;
    options.api_version = "v1";
    ASSERT_ERR(kin__decoder_new(&options, &out, &err), KIN_ERR_USAGE);
    ASSERT_TRUE(out == NULL);
}

TEST(decoder, ends_with_what_the_handler_returns)
{
    decoding d = { .answer = KIN__ANSWER_LIST, .ends_after = 2 };

    ASSERT_STR_EQ(fail_decoding_file(&d, "list-configmaps.json", KIN_ERR_CANCELLED), "enough");
    ASSERT_EQ(d.calls, 2);
    d.content_type = PROTO_TYPE;
    (void) fail_decoding_file(&d, "list-configmaps.pb", KIN_ERR_CANCELLED);
    ASSERT_EQ(d.calls, 2);
    d.answer = KIN__ANSWER_WATCH;
    (void) fail_decoding_file(&d, "watch-configmaps-watchlist.pb", KIN_ERR_CANCELLED);
    ASSERT_EQ(d.calls, 2);
}

TEST(decoder, refuses_objects_that_are_too_large)
{
    decoding d = { .answer = KIN__ANSWER_LIST, .object_bytes = 200 };

    ASSERT_CONTAINS(fail_decoding_file(&d, "list-configmaps.json", KIN_ERR_LIMIT), "200 bytes");
    d.content_type = PROTO_TYPE;
    d.object_bytes = 20;
    ASSERT_CONTAINS(fail_decoding_file(&d, "list-configmaps.pb", KIN_ERR_LIMIT), "20 bytes");
    d.answer = KIN__ANSWER_WATCH;
    d.kind = "Pod";
    (void) fail_decoding_file(&d, "watch-pods-watchlist.pb", KIN_ERR_LIMIT);
    d.content_type = JSON_TYPE;
    (void) fail_decoding_file(&d, "watch-pods-watchlist.json", KIN_ERR_LIMIT);
}

/* Collects the objects of a list. */
typedef struct collection {
    kin_object *objects[64];
    size_t count;
} collection;

static kin_err collect(void *context, kin_object *object, kin_error *err)
{
    collection *c = context;

    (void) err;
    ASSERT_TRUE(c->count < 64);
    c->objects[c->count++] = kin_object_ref(object);
    return KIN_OK;
}

static void collect_file(collection *c, const char *name, const char *content_type,
                         const char *kind)
{
    kin__decoder_options options = {
        .answer = KIN__ANSWER_LIST,
        .content_type = kin_str_of(content_type),
        .api_version = "v1",
        .kind = kind,
        .handler = { .context = c, .on_object = collect },
    };
    AUTO(kin__decoder_free) kin__decoder *decoder = NULL;
    kin_error err;
    size_t len;
    char *bytes = read_fixture(name, &len);

    ASSERT_OK(kin__decoder_new(&options, &decoder, &err));
    ASSERT_OK(kin__decoder_feed(decoder, bytes, len, &err));
    ASSERT_OK(kin__decoder_finish(decoder, &err));
    free_fixture(bytes);
}

static void release(collection *c)
{
    while (c->count > 0) {
        kin_object_unref(c->objects[--c->count]);
    }
}

TEST(decoder, takes_known_objects_of_a_list_in_place_of_new_ones)
{
    static decoding first;
    static decoding again;
    collection known = { .count = 0 };

    first = (decoding){ .answer = KIN__ANSWER_LIST, .kind = "Pod" };
    (void) decode_file(&first, "list-pods-20.json");
    collect_file(&known, "list-pods-20.json", JSON_TYPE, "Pod");
    again = (decoding){ .answer = KIN__ANSWER_LIST,
                        .kind = "Pod",
                        .known = known.objects,
                        .known_count = known.count };
    ASSERT_STR_EQ(decode_file(&again, "list-pods-20.json"), first.log.chars);
    ASSERT_EQ(again.kept, 20);
    again.content_type = PROTO_TYPE;
    ASSERT_STR_EQ(decode_file(&again, "list-pods-20.pb"), first.log.chars);
    ASSERT_EQ(again.kept, 20);
    again.step = 100;
    ASSERT_STR_EQ(decode_file(&again, "list-pods-20.pb"), first.log.chars);
    release(&known);
}

TEST(decoder, makes_objects_of_what_is_not_known)
{
    static decoding first;
    static decoding again;
    collection known = { .count = 0 };

    first = (decoding){ .answer = KIN__ANSWER_LIST, .kind = "Pod" };
    (void) decode_file(&first, "list-pods-20.json");
    collect_file(&known, "list-pods-20.json", JSON_TYPE, "Pod");
    again = (decoding){
        .answer = KIN__ANSWER_LIST, .kind = "Pod", .known = known.objects, .known_count = 7
    };
    ASSERT_STR_EQ(decode_file(&again, "list-pods-20.json"), first.log.chars);
    ASSERT_EQ(again.asked, 20);
    ASSERT_EQ(again.kept, 7);
    again.content_type = PROTO_TYPE;
    ASSERT_STR_EQ(decode_file(&again, "list-pods-20.pb"), first.log.chars);
    ASSERT_EQ(again.kept, 7);
    release(&known);
}

TEST(decoder, checks_what_it_makes_of_a_list_that_is_mostly_known)
{
    kin_object *none[1] = { NULL };
    decoding d = { .answer = KIN__ANSWER_LIST, .known = none };

    ASSERT_CONTAINS(fail_decoding(&d,
                                  STR("{\"items\":[{\"metadata\":{\"name\":\"a\"},\"x\":tru}]}"),
                                  KIN_ERR_MALFORMED),
                    "at byte 42");
    ASSERT_STR_EQ(decode(&d, STR("{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"items\":["
                                 "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\","
                                 "\"resourceVersion\":\"\\u0031\"}}]}")),
                  "object ConfigMap v1 a 1\nfinished\n");
    ASSERT_EQ(d.asked, 0);
}

TEST(decoder, asks_for_known_objects_only_in_initial_events)
{
    decoding d = { .answer = KIN__ANSWER_WATCH };
    collection known = { .count = 0 };

    collect_file(&known, "list-configmaps.json", JSON_TYPE, "ConfigMap");
    d.known = known.objects;
    d.known_count = known.count;
    ASSERT_CONTAINS(decode_file(&d, "watch-configmaps-watchlist.json"), "BOOKMARK 366 end");
    ASSERT_EQ(d.asked, 3);
    ASSERT_EQ(d.kept, 3);
    d.content_type = PROTO_TYPE;
    (void) decode_file(&d, "watch-configmaps-watchlist.pb");
    ASSERT_EQ(d.asked, 3);
    release(&known);
}

TEST(decoder, takes_one_allocation_for_an_object_and_no_more)
{
    decoding d = { .answer = KIN__ANSWER_WATCH, .kind = "Pod" };
    collection c = { .count = 0 };
    long long before = live_blocks();

    collect_file(&c, "list-pods-20.json", JSON_TYPE, "Pod");
    ASSERT_EQ(live_blocks() - before, 20);
    release(&c);
    collect_file(&c, "list-pods-20.pb", PROTO_TYPE, "Pod");
    ASSERT_EQ(live_blocks() - before, 20);
    release(&c);
    (void) decode_file(&d, "watch-pods-watchlist.json");
    ASSERT_EQ(live_blocks(), before);
}

static kin_err keep_nothing(void *context, kin_object *object, kin_error *err)
{
    (void) context;
    (void) object;
    (void) err;
    return KIN_OK;
}

static kin_err hear_nothing(void *context, const kin_event *event, kin_error *err)
{
    (void) context;
    (void) event;
    (void) err;
    return KIN_OK;
}

static kin_object *know_nothing(void *context, kin_str ns, kin_str name, kin_str uid,
                                kin_str resource_version)
{
    (void) context;
    (void) ns;
    (void) name;
    (void) uid;
    (void) resource_version;
    return NULL;
}

/* In two chunks, so that something is staged; what the answer itself says is no failure here. */
static kin_err decode_quietly(size_t i, bool has_known)
{
    kin__decoder_options options = {
        .answer = cases[i].answer,
        .content_type = kin_str_of(cases[i].content_type),
        .api_version = cases[i].api_version,
        .kind = cases[i].kind,
        .metadata_only = cases[i].metadata_only,
        .handler = { NULL, keep_nothing, hear_nothing, has_known ? know_nothing : NULL },
    };
    AUTO(kin__decoder_free) kin__decoder *decoder = NULL;
    kin_error err;
    size_t len;
    char *bytes = read_fixture(cases[i].file, &len);
    kin_err code = kin__decoder_new(&options, &decoder, &err);

    if (code == KIN_OK) {
        code = kin__decoder_feed(decoder, bytes, len / 2, &err);
    }
    if (code == KIN_OK) {
        code = kin__decoder_feed(decoder, bytes + len / 2, len - len / 2, &err);
    }
    if (code == KIN_OK) {
        code = kin__decoder_finish(decoder, &err);
    }
    free_fixture(bytes);
    return code == KIN_ERR_NO_MEMORY ? code : KIN_OK;
}

TEST_FAILING_ALLOC(decoder, survives_a_lack_of_memory)
{
    kin_err code = KIN_OK;

    for (size_t i = 0; i < CASES && code == KIN_OK; i++) {
        code = decode_quietly(i, false);
        if (code == KIN_OK) {
            code = decode_quietly(i, true);
        }
    }
    return code;
}
