/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_framer_fuzz.c - any bytes give the same items and the same fault, however they are cut.
 *
 * The first byte chooses how: its lowest bit the framing, the rest the size of a chunk.  What
 * is handed over as an item must itself be right, and so must the envelope of a list.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "json/framer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct outcome {
    kin_err code;
    kin_error err;
    uint64_t hash; /* of all items and their places */
    size_t count;
} outcome;

static void check_document(kin_str bytes)
{
    kin__json_scanner_options options = { 0 };
    kin__json_scanner *scanner;
    kin_error err;

    if (kin__json_scanner_new(&options, &scanner, &err) != KIN_OK ||
        kin__json_scanner_feed(scanner, bytes.data, bytes.len, &err) != KIN_OK ||
        kin__json_scanner_finish(scanner, &err) != KIN_OK) {
        abort();
    }
    kin__json_scanner_free(scanner);
}

static kin_err on_item(void *context, const kin__json_item *item, kin_error *err)
{
    outcome *o = context;

    (void) err;
    check_document(item->bytes);
    o->hash = kin__hash(item->bytes.data, item->bytes.len, o->hash + item->offset);
    o->hash = kin__hash(item->places, item->place_count * sizeof item->places[0], o->hash);
    o->count++;
    return KIN_OK;
}

static void frame(kin__json_framing framing, const char *bytes, size_t len, size_t step,
                  outcome *out)
{
    kin__json_framer_options options = { .framing = framing,
                                         .reach = { .depth = 2 },
                                         .item_bytes = 4096,
                                         .on_item = on_item,
                                         .context = out };
    kin__json_framer *framer;

    memset(out, 0, sizeof *out);
    if (kin__json_framer_new(&options, &framer, &out->err) != KIN_OK) {
        abort();
    }
    for (size_t place = 0; place < len && out->code == KIN_OK; place += step) {
        size_t left = len - place;
        out->code =
            kin__json_framer_feed(framer, bytes + place, left < step ? left : step, &out->err);
    }
    if (out->code == KIN_OK) {
        out->code = kin__json_framer_finish(framer, &out->err);
    }
    if (out->code == KIN_OK && framing == KIN__JSON_LIST) {
        check_document(kin__json_framer_envelope(framer));
    }
    kin__json_framer_free(framer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    outcome whole;
    outcome cut;

    if (size == 0 || size > 4096) {
        return 0; /* beyond the limit of an item the place of the complaint depends on the cuts */
    }
    kin__json_framing framing = data[0] & 1 ? KIN__JSON_LIST : KIN__JSON_DOCUMENTS;
    const char *bytes = (const char *) data + 1;
    frame(framing, bytes, size - 1, size, &whole);
    frame(framing, bytes, size - 1, 1 + (data[0] >> 1), &cut);
    if (whole.code != cut.code || whole.count != cut.count || whole.hash != cut.hash) {
        abort();
    }
    if (whole.code != KIN_OK && strcmp(whole.err.message, cut.err.message) != 0) {
        abort();
    }
    return 0;
}
