/* SPDX-License-Identifier: Apache-2.0 */
/*
 * framer.c - arriving bytes in, whole items out.
 *
 * The scanner tells of every token near the items; the framer keeps one decision: which bytes of
 * the stream belong to an item and which to the envelope.  Bytes are copied only where they
 * must be: when a chunk ends inside an item (to `staging`), and around the items (to
 * `envelope`).
 *
 * Invariants
 *   - `taken` is the stream offset up to which bytes have gone to the envelope, to the staging
 *     buffer or out as an item; it lies in the chunk at hand or at its end.
 *   - while `in_item`, bytes from `item_offset` to `taken` are in the staging buffer, which is
 *     empty otherwise.
 */
#include "json/framer.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "json/string.h"

#define DEFAULT_ITEM_BYTES ((size_t) 64 << 20)

/* Where the items of a list are: their brackets have two containers around them. */
#define LIST_DEPTH 2

struct kin__json_framer {
    kin__json_framer_options options;
    kin__json_scanner *scanner; /* owned */
    uint32_t item_depth;
    const char *chunk; /* at hand; borrowed from the caller of feed */
    uint64_t chunk_offset;
    uint64_t chunk_end;
    uint64_t taken;
    bool in_item;
    uint64_t item_offset;
    kin__buf staging;
    kin__buf envelope;
    size_t name_place; /* in the envelope: the last string of the document itself */
    bool has_name;     /* no comma stands between that string and the token at hand */
    bool in_items;     /* inside the array "items" */
    bool had_items;
};

static kin__buf *surroundings(kin__json_framer *framer);
static kin_err on_token(void *context, char token, uint32_t depth, uint64_t offset, kin_error *err);
static kin_err on_list_token(kin__json_framer *framer, char token, uint32_t depth, uint64_t offset,
                             kin_error *err);
static kin_err begin_item(kin__json_framer *framer, char token, uint64_t offset, kin_error *err);
static kin_err end_item(kin__json_framer *framer, uint64_t end, kin_error *err);
static kin_err keep(kin__json_framer *framer, kin__buf *buf, uint64_t end, const char *what,
                    kin_error *err);

kin_err kin__json_framer_new(const kin__json_framer_options *options, kin__json_framer **out,
                             kin_error *err)
{
    kin__json_framer *framer = kin__alloc_zero(1, sizeof *framer);
    if (framer == NULL) {
        return kin__error_no_memory(err);
    }
    framer->options = *options;
    if (framer->options.item_bytes == 0) {
        framer->options.item_bytes = DEFAULT_ITEM_BYTES;
    }
    framer->item_depth = options->framing == KIN__JSON_LIST ? LIST_DEPTH : 0;

    kin__json_scanner_options scanner_options = {
        .hook_depth = framer->item_depth,
        .hook = on_token,
        .context = framer,
        .allows_many = options->framing == KIN__JSON_DOCUMENTS,
        .kernel = options->kernel,
    };
    if (options->rigour == KIN__JSON_VALIDATED) {
        scanner_options.reach = options->reach;
        scanner_options.reach.depth += framer->item_depth;
        scanner_options.reach.member_depth += framer->item_depth;
    }
    if (kin__json_scanner_new(&scanner_options, &framer->scanner, err) != KIN_OK) {
        kin__free(framer);
        return err->code;
    }
    *out = framer;
    return KIN_OK;
}

void kin__json_framer_free(kin__json_framer *framer)
{
    if (framer != NULL) {
        kin__json_scanner_free(framer->scanner);
        kin__buf_fini(&framer->staging);
        kin__buf_fini(&framer->envelope);
        kin__free(framer);
    }
}

kin_err kin__json_framer_feed(kin__json_framer *framer, const char *bytes, size_t len,
                              kin_error *err)
{
    if (len == 0) {
        return KIN_OK;
    }
    framer->chunk = bytes;
    framer->chunk_offset = framer->chunk_end;
    framer->chunk_end += len;

    if (kin__json_scanner_feed(framer->scanner, bytes, len, err) != KIN_OK) {
        return err->code;
    }
    if (framer->in_item) {
        return keep(framer, &framer->staging, framer->chunk_end, "item", err);
    }
    return keep(framer, surroundings(framer), framer->chunk_end, "list around its items", err);
}

kin_err kin__json_framer_finish(kin__json_framer *framer, kin_error *err)
{
    return kin__json_scanner_finish(framer->scanner, err);
}

kin_str kin__json_framer_envelope(const kin__json_framer *framer)
{
    return kin__str(framer->envelope.data, framer->envelope.len);
}

/* Where bytes outside items go; NULL: nowhere, they are white space and commas. */
static kin__buf *surroundings(kin__json_framer *framer)
{
    bool is_kept = framer->options.framing == KIN__JSON_LIST && !framer->in_items;
    return is_kept ? &framer->envelope : NULL;
}

static kin_err on_token(void *context, char token, uint32_t depth, uint64_t offset, kin_error *err)
{
    kin__json_framer *framer = context;

    if (framer->in_item) {
        /* Only the closing bracket is this shallow. */
        return end_item(framer, offset + 1, err);
    }
    if (framer->options.framing == KIN__JSON_LIST) {
        return on_list_token(framer, token, depth, offset, err);
    }
    return begin_item(framer, token, offset, err);
}

/* True when the array at hand is the document's member "items": only a name stands before an array
 * without a comma between them. */
static bool is_member_items(const kin__json_framer *framer)
{
    if (!framer->has_name) {
        return false;
    }
    const char *name = framer->envelope.data + framer->name_place + 1;
    const char *end = framer->envelope.data + framer->envelope.len;
    size_t len = 0;

    while (name + len < end && name[len] != '"') {
        len += name[len] == '\\' ? 2 : 1;
    }
    return kin__json_string_equals(kin__str(name, len), STR("items"));
}

static kin_err begin_items(kin__json_framer *framer, uint64_t offset, kin_error *err)
{
    if (framer->had_items) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "second list of items at byte %llu",
                              (unsigned long long) offset);
    }
    framer->had_items = true;
    if (keep(framer, &framer->envelope, offset + 1, "list around its items", err) != KIN_OK) {
        return err->code;
    }
    framer->in_items = true;
    return KIN_OK;
}

static kin_err on_list_token(kin__json_framer *framer, char token, uint32_t depth, uint64_t offset,
                             kin_error *err)
{
    if (framer->in_items && depth == LIST_DEPTH) {
        return token == ',' ? KIN_OK : begin_item(framer, token, offset, err);
    }
    /* The envelope then ends just before this token. */
    if (keep(framer, surroundings(framer), offset, "list around its items", err) != KIN_OK) {
        return err->code;
    }
    framer->in_items = false;
    if (depth == 1 && token == '"') {
        framer->name_place = framer->envelope.len;
        framer->has_name = true;
    } else if (depth == 1 && token == ',') {
        framer->has_name = false;
    } else if (depth == 1 && token == '[' && is_member_items(framer)) {
        return begin_items(framer, offset, err);
    }
    return KIN_OK;
}

static kin_err begin_item(kin__json_framer *framer, char token, uint64_t offset, kin_error *err)
{
    if (token != '{') {
        return kin__error_set(err, KIN_ERR_MALFORMED, "expected an object, found '%c' at byte %llu",
                              token, (unsigned long long) offset);
    }
    framer->taken = offset;
    framer->in_item = true;
    framer->item_offset = offset;
    kin__json_scanner_mark(framer->scanner, offset);
    if (framer->options.rigour == KIN__JSON_BORDERS) {
        kin__json_scanner_skip(framer->scanner);
    }
    return KIN_OK;
}

static kin_err end_item(kin__json_framer *framer, uint64_t end, kin_error *err)
{
    kin__json_item item = { .offset = framer->item_offset };

    if (framer->options.rigour == KIN__JSON_VALIDATED) {
        const kin__json_index *index = kin__json_scanner_index(framer->scanner);
        item.places = index->places;
        item.place_count = index->count;
    }
    if (end - framer->item_offset > framer->options.item_bytes) {
        return kin__error_set(err, KIN_ERR_LIMIT, "item larger than %zu bytes at byte %llu",
                              framer->options.item_bytes, (unsigned long long) end);
    }
    if (framer->item_offset >= framer->chunk_offset) {
        item.bytes = kin__str(framer->chunk + (framer->item_offset - framer->chunk_offset),
                              (size_t) (end - framer->item_offset));
    } else {
        if (keep(framer, &framer->staging, end, "item", err) != KIN_OK) {
            return err->code;
        }
        item.bytes = kin__str(framer->staging.data, framer->staging.len);
    }
    framer->taken = end;
    framer->in_item = false;
    kin_err code = framer->options.on_item(framer->options.context, &item, err);
    kin__buf_clear(&framer->staging);
    return code;
}

/* Copies what has not been taken, up to `end`, to `buf`; NULL throws it away. */
static kin_err keep(kin__json_framer *framer, kin__buf *buf, uint64_t end, const char *what,
                    kin_error *err)
{
    size_t len = (size_t) (end - framer->taken);

    if (buf != NULL) {
        if (buf->len + len > framer->options.item_bytes) {
            return kin__error_set(err, KIN_ERR_LIMIT, "%s larger than %zu bytes at byte %llu", what,
                                  framer->options.item_bytes, (unsigned long long) end);
        }
        const char *from = framer->chunk + (framer->taken - framer->chunk_offset);
        if (!kin__buf_append(buf, from, len)) {
            return kin__error_no_memory(err);
        }
    }
    framer->taken = end;
    return KIN_OK;
}
