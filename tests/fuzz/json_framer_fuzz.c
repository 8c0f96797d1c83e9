/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_framer_fuzz.c - any bytes give the same items and the same fault, however they are cut.
 *
 * The first byte chooses how: its lowest bit the framing, the rest the size of a chunk.  What
 * is handed over as an item must itself be right, and so must the envelope of a list.
 *
 * When only borders are asked for, the outcome must not depend on the cuts either; bytes that are
 * right must give the same items and envelope, and what comes of others must not be taken for an
 * object unless it is right.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "json/framer.h"
#include "object/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct outcome {
    kin_err code;
    kin_error err;
    uint64_t items;  /* a hash of all items, and of the envelope */
    uint64_t places; /* a hash of their places */
    size_t count;
    const struct outcome *model; /* what validating says of the same bytes; NULL: this does */
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

/* An object comes only of an item that is right. */
static void check_object(const kin__json_item *item)
{
    kin_object *object;
    kin_error err;

    if (kin__object_from_item(item, NULL, &object, &err) == KIN_OK) {
        check_document(item->bytes);
        kin_object_unref(object);
    }
}

static kin_err on_item(void *context, const kin__json_item *item, kin_error *err)
{
    outcome *o = context;

    (void) err;
    o->items = kin__hash(item->bytes.data, item->bytes.len, o->items + item->offset);
    o->places = kin__hash(item->places, item->place_count * sizeof item->places[0], o->places);
    o->count++;
    if (o->model == NULL) {
        check_document(item->bytes);
    } else if (o->count == o->model->count && o->model->code != KIN_OK &&
               o->items != o->model->items) {
        abort(); /* all items before the fault are the same */
    } else {
        check_object(item);
    }
    return KIN_OK;
}

static void frame(kin__json_framing framing, const char *bytes, size_t len, size_t step,
                  const outcome *model, outcome *out)
{
    kin__json_framer_options options = { .framing = framing,
                                         .rigour = model == NULL ? KIN__JSON_VALIDATED
                                                                 : KIN__JSON_BORDERS,
                                         .reach = { .depth = 2 },
                                         .item_bytes = 4096,
                                         .on_item = on_item,
                                         .context = out };
    kin__json_framer *framer;

    memset(out, 0, sizeof *out);
    out->model = model;
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
        kin_str envelope = kin__json_framer_envelope(framer);
        check_document(envelope);
        out->items = kin__hash(envelope.data, envelope.len, out->items);
    }
    kin__json_framer_free(framer);
}

static void check_same(const outcome *a, const outcome *b)
{
    bool is_same = a->code == b->code && a->count == b->count && a->items == b->items &&
                   a->places == b->places;

    if (!is_same || (a->code != KIN_OK && strcmp(a->err.message, b->err.message) != 0)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    outcome whole;
    outcome cut;
    outcome borders;

    if (size == 0 || size > 4096) {
        return 0; /* beyond the limit of an item the place of the complaint depends on the cuts */
    }
    kin__json_framing framing = data[0] & 1 ? KIN__JSON_LIST : KIN__JSON_DOCUMENTS;
    size_t step = 1 + (data[0] >> 1);
    const char *bytes = (const char *) data + 1;
    frame(framing, bytes, size - 1, size, NULL, &whole);
    frame(framing, bytes, size - 1, step, NULL, &cut);
    check_same(&whole, &cut);

    frame(framing, bytes, size - 1, size, &whole, &borders);
    frame(framing, bytes, size - 1, step, &whole, &cut);
    check_same(&borders, &cut);
    if (borders.count < whole.count ||
        (whole.code == KIN_OK && (borders.code != KIN_OK || borders.items != whole.items))) {
        abort();
    }
    return 0;
}
