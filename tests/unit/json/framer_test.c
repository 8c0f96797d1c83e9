/* SPDX-License-Identifier: Apache-2.0 */
/*
 * framer_test.c - whole items come out, however the bytes come in.
 */
#include "json/framer.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

typedef struct seen {
    text items; /* each item and the places of its index */
    bool shows_places;
    int refuse_at; /* the item that the callback refuses; 0: none */
    int count;
    size_t longest;
} seen;

static kin_err on_item(void *context, const kin__json_item *item, kin_error *err)
{
    seen *s = context;

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

static void expect(kin__json_framing framing, const char *bytes, const char *want)
{
    for (size_t step = 0; step < 40; step++) {
        seen s = { 0 };
        frame(framing, bytes, step, &s);
        ASSERT_STR_EQ(s.items.chars, want);
    }
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
    expect(KIN__JSON_LIST, "{\"items\":[{},{\"a\":tru}]}",
           "10:{}\nexpected true, found '}' at byte 21");
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

TEST(framer, limits_an_item)
{
    for (size_t step = 0; step < 1200; step += 149) {
        seen s = { 0 };
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

TEST_FAILING_ALLOC(framer, survives_without_memory)
{
    seen s = { 0 };
    kin__json_framer_options options = {
        .framing = KIN__JSON_LIST, .reach = { .depth = 1 }, .on_item = on_item, .context = &s
    };
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
