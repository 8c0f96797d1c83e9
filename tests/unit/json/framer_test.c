/* SPDX-License-Identifier: Apache-2.0 */
/*
 * framer_test.c - whole items come out, however the bytes come in.
 */
#include "json/framer.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "support/random.h"
#include "support/test.h"

typedef struct seen {
    kin__json_rigour rigour;
    text items; /* each item and the places of its index */
    bool shows_places;
    int refuse_at; /* the item that the callback refuses; 0: none */
    int count;
    size_t longest;
} seen;

static kin_err on_item(void *context, const kin__json_item *item, kin_error *err)
{
    seen *s = context;

    ASSERT_EQ(item->places == NULL, s->rigour == KIN__JSON_BORDERS);
    ASSERT_EQ(item->place_count == 0, s->rigour == KIN__JSON_BORDERS);
    s->count++;
    s->longest = item->bytes.len > s->longest ? item->bytes.len : s->longest;
    if (item->bytes.len < 200) {
        text_append(&s->items, "%llu:%.*s", (unsigned long long) item->offset,
                    KIN_STR_ARG(item->bytes));
    }
    for (size_t i = 0; s->shows_places && i < item->place_count; i++) {
        text_append(&s->items, " %u", item->places[i]);
    }
    text_append(&s->items, "\n");
    if (s->count == s->refuse_at) {
        err->code = KIN_ERR_USAGE;
        return KIN_ERR_USAGE;
    }
    return KIN_OK;
}

static kin_err feed(kin__json_framer *framer, const char *bytes, size_t len, size_t step,
                    kin_error *err)
{
    kin_err code = KIN_OK;

    step = step == 0 ? len + 1 : step;
    for (size_t place = 0; place < len && code == KIN_OK; place += step) {
        size_t size = len - place < step ? len - place : step;
        char *chunk = malloc(size);
        memcpy(chunk, bytes + place, size);
        code = kin__json_framer_feed(framer, chunk, size, err);
        free(chunk);
    }
    return code == KIN_OK ? kin__json_framer_finish(framer, err) : code;
}

/* The items, then the envelope of a list or the message. */
static void frame(kin__json_framing framing, const char *bytes, size_t step, seen *s)
{
    kin__json_framer_options options = { .framing = framing,
                                         .rigour = s->rigour,
                                         .reach = { .depth = 1 },
                                         .item_bytes = 1000,
                                         .on_item = on_item,
                                         .context = s };
    kin__json_framer *framer = NULL;
    kin_error err;

    ASSERT_OK(kin__json_framer_new(&options, &framer, &err));
    if (feed(framer, bytes, strlen(bytes), step, &err) != KIN_OK) {
        text_append(&s->items, "%s", err.message);
    } else {
        kin_str envelope = kin__json_framer_envelope(framer);
        text_append(&s->items, "%.*s", KIN_STR_ARG(envelope));
    }
    kin__json_framer_free(framer);
}

static void expect_of(kin__json_rigour rigour, kin__json_framing framing, const char *bytes,
                      const char *want)
{
    for (size_t step = 0; step < 40; step++) {
        seen s = { .rigour = rigour };
        frame(framing, bytes, step, &s);
        ASSERT_STR_EQ(s.items.chars, want);
    }
}

/* In either mode. */
static void expect(kin__json_framing framing, const char *bytes, const char *want)
{
    expect_of(KIN__JSON_VALIDATED, framing, bytes, want);
    expect_of(KIN__JSON_BORDERS, framing, bytes, want);
}

TEST(framer, cuts_a_list_into_items_and_keeps_what_is_around_them)
{
    expect(KIN__JSON_LIST, "{\"kind\":\"L\",\"items\":[{\"a\":1},{\"b\":[2]}],\"z\":{}}",
           "21:{\"a\":1}\n29:{\"b\":[2]}\n{\"kind\":\"L\",\"items\":[],\"z\":{}}");
    expect(KIN__JSON_LIST, "{\"items\":[]}", "{\"items\":[]}");
    expect(KIN__JSON_LIST, "{\"items\":null}", "{\"items\":null}");
    expect(KIN__JSON_LIST, "{ \"items\" : [ {} , {} ] }\n", "14:{}\n19:{}\n{ \"items\" : [] }\n");
}

/* The API server writes the members of custom resources in the order of their names. */
TEST(framer, finds_items_before_the_metadata)
{
    expect(KIN__JSON_LIST,
           "{\"apiVersion\":\"v1\",\"items\":[{\"x\":{}}],\"metadata\":{\"a\":\"b\"}}",
           "28:{\"x\":{}}\n{\"apiVersion\":\"v1\",\"items\":[],\"metadata\":{\"a\":\"b\"}}");
}

TEST(framer, takes_only_the_documents_own_items_for_items)
{
    expect(KIN__JSON_LIST, "{\"x\":{\"items\":[{}]},\"y\":\"items\",\"w\":[{}]}",
           "{\"x\":{\"items\":[{}]},\"y\":\"items\",\"w\":[{}]}");
    expect(KIN__JSON_LIST, "[\"items\",[{}]]", "[\"items\",[{}]]");
    expect(KIN__JSON_LIST, "[1,\"items\",[{}]]", "[1,\"items\",[{}]]");
    expect(KIN__JSON_LIST, "{\"\\u0069tems\":[{}]}", "15:{}\n{\"\\u0069tems\":[]}");
}

/* An error that comes with status 200, say. */
TEST(framer, keeps_a_document_that_is_no_list)
{
    expect(KIN__JSON_LIST, "{\"kind\":\"Status\",\"code\":410}",
           "{\"kind\":\"Status\",\"code\":410}");
}

TEST(framer, cuts_a_stream_into_documents)
{
    expect(KIN__JSON_DOCUMENTS, "{\"type\":\"ADDED\"}\n{\"type\":\"DELETED\"}\n",
           "0:{\"type\":\"ADDED\"}\n17:{\"type\":\"DELETED\"}\n");
    expect(KIN__JSON_DOCUMENTS, "{}{}", "0:{}\n2:{}\n");
    expect(KIN__JSON_DOCUMENTS, "", "");
}

TEST(framer, refuses_what_is_no_object)
{
    expect(KIN__JSON_LIST, "{\"items\":[{},1]}", "10:{}\nexpected an object, found '1' at byte 13");
    expect(KIN__JSON_LIST, "{\"items\":[[]]}", "expected an object, found '[' at byte 10");
    expect(KIN__JSON_DOCUMENTS, "{} []", "0:{}\nexpected an object, found '[' at byte 3");
    expect(KIN__JSON_LIST, "{\"items\":[],\"items\":[{}]}", "second list of items at byte 20");
}

TEST(framer, reports_faults_after_the_items_before_them)
{
    expect_of(KIN__JSON_VALIDATED, KIN__JSON_LIST, "{\"items\":[{},{\"a\":tru}]}",
              "10:{}\nexpected true, found '}' at byte 21");
    expect(KIN__JSON_LIST, "{\"items\":[{},{}1]}",
           "10:{}\n13:{}\nexpected ',' or ']', found '1' at byte 15");
    expect(KIN__JSON_LIST, "{\"items\":[{}],\"a\":\"\\x\"}", "10:{}\ninvalid escape at byte 20");
    expect(KIN__JSON_LIST, "{\"a\":\"\xff\",\"items\":[{}]}", "invalid UTF-8 at byte 6");
    expect(KIN__JSON_LIST, "{\"items\":[{}", "10:{}\nJSON ends at byte 12, expected ',' or ']'");
}

/* The places of an item count from its own first byte, also when it lies deep in a stream. */
TEST(framer, indexes_each_item_from_its_own_beginning)
{
    for (size_t step = 0; step < 30; step++) {
        seen s = { .shows_places = true };
        frame(KIN__JSON_LIST, "{\"items\":[{\"a\":{\"b\":1}},{\"c\":[{}]}]}", step, &s);
        ASSERT_STR_EQ(s.items.chars, "10:{\"a\":{\"b\":1}} 0 1 4 5 11 12\n"
                                     "24:{\"c\":[{}]} 0 1 4 5 8 9\n{\"items\":[]}");
    }
}

TEST(framer, hands_on_what_the_callback_returns)
{
    seen s = { .refuse_at = 2 };
    kin__json_framer_options options = { .on_item = on_item, .context = &s };
    kin__json_framer *framer = NULL;
    kin_error err;

    ASSERT_OK(kin__json_framer_new(&options, &framer, &err));
    ASSERT_ERR(kin__json_framer_feed(framer, "{}{}{}", 6, &err), KIN_ERR_USAGE);
    ASSERT_EQ(s.count, 2);
    kin__json_framer_free(framer);
}

static char *large_item(size_t len)
{
    char *bytes = malloc(len + 1);

    memset(bytes, 'x', len);
    memcpy(bytes, "{\"a\":\"", 6);
    memcpy(bytes + len - 2, "\"}", 3);
    return bytes;
}

static void check_limit_of_an_item(kin__json_rigour rigour)
{
    for (size_t step = 0; step < 1200; step += 149) {
        seen s = { .rigour = rigour };
        char *fits = large_item(1000);
        char *exceeds = large_item(1001);
        frame(KIN__JSON_DOCUMENTS, fits, step, &s);
        ASSERT_EQ(s.count, 1);
        frame(KIN__JSON_DOCUMENTS, exceeds, step, &s);
        ASSERT_EQ(s.count, 1);
        ASSERT_CONTAINS(s.items.chars, "item larger than 1000 bytes at byte ");
        free(fits);
        free(exceeds);
    }
}

TEST(framer, limits_an_item)
{
    check_limit_of_an_item(KIN__JSON_VALIDATED);
    check_limit_of_an_item(KIN__JSON_BORDERS);
}

TEST(framer, limits_what_is_around_the_items)
{
    seen s = { 0 };
    char *bytes = large_item(2000);

    frame(KIN__JSON_LIST, bytes, 100, &s);

    ASSERT_CONTAINS(s.items.chars, "list around its items larger than 1000 bytes");
    free(bytes);
}

TEST(framer, finds_all_pods_of_a_real_list_in_any_chunks)
{
    size_t len;
    char *bytes = read_fixture("list-pods-20.json", &len);

    for (size_t step = 0; step < 40000; step = step * 3 + 1) {
        seen s = { 0 };
        kin__json_framer_options options = {
            .framing = KIN__JSON_LIST, .reach = { .depth = 3 }, .on_item = on_item, .context = &s
        };
        kin__json_framer *framer = NULL;
        kin_error err;
        ASSERT_OK(kin__json_framer_new(&options, &framer, &err));
        ASSERT_OK(feed(framer, bytes, len, step, &err));
        ASSERT_EQ(s.count, 20);
        ASSERT_TRUE(s.longest > 6000 && s.longest < 8000);
        ASSERT_TRUE(kin__json_framer_envelope(framer).len < 400);
        kin__json_framer_free(framer);
    }
    free_fixture(bytes);
}

/* ---- borders alone -------------------------------------------------------------------------- */

/* What came of a stream, in one number. */
typedef struct outcome {
    kin_err code;
    uint64_t hash; /* of all items, their offsets and the envelope */
    size_t count;
} outcome;

static kin_err hash_item(void *context, const kin__json_item *item, kin_error *err)
{
    outcome *o = context;

    (void) err;
    o->hash = kin__hash(item->bytes.data, item->bytes.len, o->hash + item->offset);
    o->count++;
    return KIN_OK;
}

/* How a stream is cut: chunks of up to `longest` bytes when that is not 0, else two, the first one
 * of `first` bytes. */
typedef struct cuts {
    size_t first;
    size_t longest;
    uint64_t random;
} cuts;

static size_t next_size(cuts *c, size_t place, size_t left)
{
    size_t size = c->longest > 0 ? 1 + random_below(&c->random, c->longest) : left;

    size = c->longest == 0 && place == 0 && c->first > 0 ? c->first : size;
    return size < left ? size : left;
}

static outcome frame_in_pieces(const kin__json_framer_options *how, kin_str bytes, cuts c,
                               kin_error *err)
{
    outcome o = { 0 };
    kin__json_framer_options options = *how;
    kin__json_framer *framer = NULL;

    options.on_item = hash_item;
    options.context = &o;
    ASSERT_OK(kin__json_framer_new(&options, &framer, err));
    for (size_t place = 0; place < bytes.len && o.code == KIN_OK;) {
        size_t size = next_size(&c, place, bytes.len - place);
        char *chunk = malloc(size); /* of the exact size, for the sanitizer */
        memcpy(chunk, bytes.data + place, size);
        o.code = kin__json_framer_feed(framer, chunk, size, err);
        free(chunk);
        place += size;
    }
    if (o.code == KIN_OK) {
        o.code = kin__json_framer_finish(framer, err);
    }
    if (o.code == KIN_OK) {
        kin_str envelope = kin__json_framer_envelope(framer);
        o.hash = kin__hash(envelope.data, envelope.len, o.hash);
    }
    kin__json_framer_free(framer);
    return o;
}

/* That the borders, in these pieces and with every kernel, are what the validating framer says. */
static void check_borders(kin__json_framing framing, kin_str bytes, cuts c, outcome want)
{
    const kin__json_kernel *kernels[5];
    size_t count = kin__json_kernel_list(kernels);
    kin_error err;

    for (size_t i = 0; i < count; i++) {
        kin__json_framer_options options = { .framing = framing,
                                             .rigour = KIN__JSON_BORDERS,
                                             .kernel = kernels[i] };
        outcome got = frame_in_pieces(&options, bytes, c, &err);
        ASSERT_EQ(got.code, want.code);
        ASSERT_EQ(got.count, want.count);
        ASSERT_EQ(got.hash, want.hash);
    }
}

static outcome validate(kin__json_framing framing, kin_str bytes)
{
    kin__json_framer_options options = { .framing = framing };
    kin_error err;
    outcome o = frame_in_pieces(&options, bytes, (cuts){ 0 }, &err);

    ASSERT_EQ(o.code, KIN_OK);
    return o;
}

static const struct {
    const char *name;
    kin__json_framing framing;
} streams[] = {
    { "list-configmaps.json", KIN__JSON_LIST },
    { "list-namespaces-2.json", KIN__JSON_LIST },
    { "list-widgets-crd.json", KIN__JSON_LIST },
    { "metadata-widgets-crd.json", KIN__JSON_LIST },
    { "status-404-object.json", KIN__JSON_LIST },
    { "watch-configmaps-all.json", KIN__JSON_DOCUMENTS },
    { "watch-widgets-crd-watchlist.json", KIN__JSON_DOCUMENTS },
};

#define STREAM_COUNT (sizeof streams / sizeof streams[0])

TEST(framer, finds_the_borders_that_validating_finds_at_every_cut)
{
    for (size_t i = 0; i < STREAM_COUNT; i++) {
        size_t len;
        char *bytes = read_fixture(streams[i].name, &len);
        kin_str stream = { bytes, len };
        outcome want = validate(streams[i].framing, stream);
        for (size_t first = 0; first < len; first++) {
            check_borders(streams[i].framing, stream, (cuts){ .first = first }, want);
        }
        free_fixture(bytes);
    }
}

TEST(framer, finds_the_borders_that_validating_finds_in_random_chunks)
{
    static const size_t longest[] = { 1, 2, 9, 63, 64, 65, 200, 5000, 20000 };
    size_t list_len;
    size_t watch_len;
    char *list = read_fixture("list-pods-20.json", &list_len);
    char *watch = read_fixture("watch-pods-watchlist.json", &watch_len);
    kin_str of_list = { list, list_len };
    kin_str of_watch = { watch, watch_len };
    outcome want_of_list = validate(KIN__JSON_LIST, of_list);
    outcome want_of_watch = validate(KIN__JSON_DOCUMENTS, of_watch);
    uint64_t random = random_start(20261116);

    ASSERT_EQ(want_of_list.count, 20);
    for (size_t i = 0; i < sizeof longest / sizeof longest[0]; i++) {
        cuts c = { .longest = longest[i], .random = random_next(&random) };
        check_borders(KIN__JSON_LIST, of_list, c, want_of_list);
        check_borders(KIN__JSON_DOCUMENTS, of_watch, c, want_of_watch);
    }
    free_fixture(list);
    free_fixture(watch);
}

/* Brackets and quotes inside strings, and runs of backslashes before quotes, at every place of a
 * block and across every cut. */
TEST(framer, counts_only_brackets_outside_strings)
{
    for (size_t filling = 0; filling < 70; filling++) {
        text json = { 0 };
        text_append(&json, "{\"a\":\"]}\",\"items\":[{\"%*s\":\"{[\"},", (int) filling, "");
        text_append(&json, "{\"\\\\\":\"\\\"}}\",\"x\":[[\"\\\\\\\\\\\"]\"],{}]},");
        text_append(&json, "{\"\\\\\\\\\\\\\":{\"}\":\"\\\\\"}}],\"z\":\"}\"}");
        kin_str bytes = { json.chars, strlen(json.chars) };
        outcome want = validate(KIN__JSON_LIST, bytes);
        ASSERT_EQ(want.count, 3);
        for (size_t first = 0; first < bytes.len; first++) {
            check_borders(KIN__JSON_LIST, bytes, (cuts){ .first = first }, want);
        }
        check_borders(KIN__JSON_LIST, bytes, (cuts){ .longest = 1 }, want);
    }
}

/* What lies inside an item is not looked at: who takes it has it checked. */
TEST(framer, does_not_look_into_items_when_only_borders_are_asked_for)
{
    expect_of(KIN__JSON_BORDERS, KIN__JSON_LIST, "{\"items\":[{},{\"a\":tru,,[},{\"\\x\xff\n\"}}]}",
              "10:{}\n13:{\"a\":tru,,[},{\"\\x\xff\n\"}}\n{\"items\":[]}");
    expect_of(KIN__JSON_BORDERS, KIN__JSON_DOCUMENTS, "{a{b}{c}}{\\\"}", "0:{a{b}{c}}\n9:{\\\"}\n");
}

TEST(framer, refuses_items_without_an_end)
{
    expect_of(KIN__JSON_BORDERS, KIN__JSON_LIST, "{\"items\":[{\"a\":1]",
              "expected ',' or '}', found ']' at byte 16");
    expect_of(KIN__JSON_BORDERS, KIN__JSON_LIST, "{\"items\":[{\"a\":[1}",
              "JSON ends at byte 18, expected ',' or '}'");
    expect_of(KIN__JSON_BORDERS, KIN__JSON_LIST, "{\"items\":[{\"a\":\"}]}",
              "JSON ends at byte 19 inside a string");
    expect_of(KIN__JSON_BORDERS, KIN__JSON_DOCUMENTS, "{}{\"a\\\"}",
              "0:{}\nJSON ends at byte 8 inside a string");
}

/* `count` times `unit`. */
static char *repeat(const char *before, const char *unit, size_t count, size_t *out_len)
{
    size_t begin = strlen(before);
    size_t each = strlen(unit);
    char *bytes = malloc(begin + each * count);

    memcpy(bytes, before, begin);
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes + begin + i * each, unit, each);
    }
    *out_len = begin + each * count;
    return bytes;
}

static void expect_refusal(const char *before, const char *unit, kin_err code, const char *message)
{
    static const size_t longest[] = { 1, 64, 1000, 0 };
    size_t len;
    char *bytes = repeat(before, unit, 100000, &len);
    kin__json_framer_options options = { .framing = KIN__JSON_LIST, .item_bytes = 50000 };

    for (size_t i = 0; i < sizeof longest / sizeof longest[0]; i++) {
        kin_error err;
        options.rigour = KIN__JSON_BORDERS;
        outcome o = frame_in_pieces(&options, (kin_str){ bytes, len },
                                    (cuts){ .longest = longest[i] }, &err);
        ASSERT_EQ(o.code, code);
        ASSERT_CONTAINS(err.message, message);
    }
    free(bytes);
}

TEST(framer, bears_hostile_items)
{
    expect_refusal("{\"items\":[", "{", KIN_ERR_LIMIT, "nested deeper than 1000 at byte 1008");
    expect_refusal("{\"items\":[{", "[", KIN_ERR_LIMIT, "nested deeper than 1000 at byte 1008");
    expect_refusal("{\"items\":[{", "[]{}", KIN_ERR_LIMIT, "item larger than 50000 bytes");
    expect_refusal("{\"items\":[{\"", "x", KIN_ERR_LIMIT, "item larger than 50000 bytes");
    expect_refusal("{\"items\":[{\"", "\\", KIN_ERR_LIMIT, "item larger than 50000 bytes");
    expect_refusal("{\"items\":[{", "]", KIN_ERR_MALFORMED, "found ']' at byte 11");
    expect_refusal("{\"items\":[{", "}", KIN_ERR_MALFORMED, "found '}' at byte 12");
}

/* A thousand containers, the list's own two among them, are not too many: in both modes alike. */
TEST(framer, limits_the_depth_of_items)
{
    for (size_t inner = 997; inner < 999; inner++) {
        size_t len;
        char *bytes = repeat("{\"items\":[{\"a\":", "[", inner, &len);
        for (kin__json_rigour rigour = KIN__JSON_VALIDATED; rigour <= KIN__JSON_BORDERS; rigour++) {
            kin__json_framer_options options = { .framing = KIN__JSON_LIST, .rigour = rigour };
            kin_error err;
            outcome o =
                frame_in_pieces(&options, (kin_str){ bytes, len }, (cuts){ .longest = 7 }, &err);
            ASSERT_EQ(o.code, inner == 997 ? KIN_ERR_MALFORMED : KIN_ERR_LIMIT);
            ASSERT_CONTAINS(err.message, inner == 997 ? "JSON ends at byte 1012"
                                                      : "nested deeper than 1000 at byte 1012");
        }
        free(bytes);
    }
}

static kin_err frame_without_memory(kin__json_rigour rigour)
{
    seen s = { .rigour = rigour };
    kin__json_framer_options options = { .framing = KIN__JSON_LIST,
                                         .rigour = rigour,
                                         .reach = { .depth = 1 },
                                         .on_item = on_item,
                                         .context = &s };
    kin__json_framer *framer = NULL;
    kin_error err;
    const char *bytes = "{\"items\":[{\"a\":1},{\"b\":2}],\"kind\":\"List\"}";

    kin_err code = kin__json_framer_new(&options, &framer, &err);
    if (code == KIN_OK) {
        code = feed(framer, bytes, strlen(bytes), 7, &err);
    }
    kin__json_framer_free(framer);
    return code;
}

TEST_FAILING_ALLOC(framer, survives_without_memory)
{
    return frame_without_memory(KIN__JSON_VALIDATED);
}

TEST_FAILING_ALLOC(framer, survives_without_memory_when_only_borders_are_asked_for)
{
    return frame_without_memory(KIN__JSON_BORDERS);
}
