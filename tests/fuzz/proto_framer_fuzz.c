/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_framer_fuzz.c - any bytes give the same items and the same fault, however they are cut.
 *
 * The first byte chooses how: its lowest bit the framing, the rest the size of a chunk.  Items lie
 * where they say they are.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "proto/framer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

typedef struct outcome {
    kin_err code;
    kin_error err;
    uint64_t hash; /* of all that was handed over */
    size_t count;
    kin_str stream;
    bool had_list;
} outcome;

static void note(outcome *o, kin_str text)
{
    o->hash = kin__hash(text.data, text.len, o->hash + text.len + 1);
}

static kin_err on_list(void *context, const kin__pb_list *list, kin_error *err)
{
    outcome *o = context;

    (void) err;
    CHECK(!o->had_list && o->count == 0);
    o->had_list = true;
    note(o, list->api_version);
    note(o, list->kind);
    note(o, list->metadata);
    note(o, list->resource_version);
    note(o, list->continue_token);
    o->hash += (uint64_t) list->remaining + list->has_remaining;
    return KIN_OK;
}

static kin_err on_item(void *context, const kin__pb_item *item, kin_error *err)
{
    outcome *o = context;

    (void) err;
    CHECK(item->is_list_item == o->had_list);
    CHECK(item->offset <= o->stream.len && item->bytes.len <= o->stream.len - item->offset);
    CHECK(item->bytes.len == 0 ||
          memcmp(o->stream.data + item->offset, item->bytes.data, item->bytes.len) == 0);
    note(o, item->type);
    note(o, item->api_version);
    note(o, item->kind);
    note(o, item->bytes);
    o->hash += item->offset;
    o->count++;
    return KIN_OK;
}

static void frame(kin__pb_framing framing, kin_str bytes, size_t step, outcome *out)
{
    kin__pb_framer_options options = { .framing = framing,
                                       .item_bytes = 1024,
                                       .on_item = on_item,
                                       .on_list = on_list,
                                       .context = out };
    kin__pb_framer *framer;

    memset(out, 0, sizeof *out);
    out->stream = bytes;
    CHECK(kin__pb_framer_new(&options, &framer, &out->err) == KIN_OK);
    for (size_t place = 0; place < bytes.len && out->code == KIN_OK; place += step) {
        size_t left = bytes.len - place;
        out->code =
            kin__pb_framer_feed(framer, bytes.data + place, left < step ? left : step, &out->err);
    }
    if (out->code == KIN_OK) {
        out->code = kin__pb_framer_finish(framer, &out->err);
    }
    kin__pb_framer_free(framer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    outcome whole;
    outcome cut;

    if (size == 0 || size > 8192) {
        return 0;
    }
    kin__pb_framing framing = data[0] & 1 ? KIN__PB_WATCH : KIN__PB_ANSWER;
    kin_str bytes = { (const char *) data + 1, size - 1 };
    frame(framing, bytes, size, &whole);
    frame(framing, bytes, 1 + (data[0] >> 1), &cut);

    CHECK(whole.code == cut.code && whole.count == cut.count && whole.hash == cut.hash);
    CHECK(whole.had_list == cut.had_list);
    CHECK(whole.code == KIN_OK || strcmp(whole.err.message, cut.err.message) == 0);
    return 0;
}
