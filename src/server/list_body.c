/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_body.c - pieces of a list: a head, for each item a lead and the item, and a tail.
 *
 * JSON of built-in kinds has its metadata first, and items without kind and apiVersion; the lists
 * of custom resources are sorted by name, with the items before the metadata.  A lead is then a
 * comma. In protobuf it is the tag and length of an item, and the head has the length of all.
 */
#include "server/list_body.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "proto/envelope.h"
#include "proto/reader.h"
#include "server/record_form.h"

#define ITEM_PIECES 2
#define LEAD_MAX 16
#define FIELD_ITEMS 2

typedef struct list_body {
    kin__listing listing;
    kin__form form;
    kin__served *served; /* a reference */
    kin__buf head;
    kin__buf tail;
    bool has_begun;
    bool cuts_head; /* items leave out kind and apiVersion */
    size_t next;
    uint8_t leads[KIN__BODY_PIECES][LEAD_MAX]; /* of protobuf */
} list_body;

static bool write_ends(list_body *body, const kin__list_body_options *options);
static void write_ends_plain(list_body *body, const kin__list_body_options *options);
static void write_ends_custom(list_body *body, const kin__list_body_options *options);
static void write_ends_partial(list_body *body, const kin__list_body_options *options);
static bool write_ends_proto(list_body *body, const kin__list_body_options *options);
static void write_string(kin__buf *out, const char *before, kin_str text);
static void append_tag(kin__buf *out, unsigned number, size_t len);
static bool count_items(list_body *body, size_t *out);
static kin__body_state next(void *context, kin__body_pieces *out);
static bool give_item(list_body *body, kin__body_pieces *out);
static kin_str lead_of(list_body *body, size_t slot, size_t len);
static bool item_of(list_body *body, kin__record *record, kin_str *out);
static void give(kin__body_pieces *out, kin_str piece);
static void release(void *context);
static kin_str str_of(const kin__buf *buf);

bool kin__list_body_new(const kin__list_body_options *options, kin__listing *listing,
                        kin__body *out, kin__refusal *no)
{
    list_body *body = kin__alloc_zero(1, sizeof *body);

    if (body == NULL) {
        return kin__refuse_no_memory(no);
    }
    body->form = *options->form;
    body->served = kin__served_ref(options->served);
    body->listing = *listing;
    body->cuts_head = body->form.encoding == KIN__FORM_JSON &&
                      body->form.shape == KIN__SHAPE_PLAIN &&
                      (options->served->traits & KIN__IS_CUSTOM) == 0;
    if (!write_ends(body, options)) {
        body->listing = (kin__listing){ 0 };
        release(body);
        return kin__refuse_no_memory(no);
    }
    *listing = (kin__listing){ 0 };
    *out = (kin__body){ next, release, body };
    return true;
}

/* ---- head and tail -------------------------------------------------------------------------- */

static bool write_ends(list_body *body, const kin__list_body_options *options)
{
    if (body->form.encoding == KIN__FORM_PROTO) {
        return write_ends_proto(body, options);
    }
    if (body->form.shape != KIN__SHAPE_PLAIN) {
        write_ends_partial(body, options);
    } else if ((options->served->traits & KIN__IS_CUSTOM) != 0) {
        write_ends_custom(body, options);
    } else {
        write_ends_plain(body, options);
    }
    return !kin__buf_failed(&body->head) && !kin__buf_failed(&body->tail);
}

static void write_ends_plain(list_body *body, const kin__list_body_options *options)
{
    kin__json_writer w = { &body->head, false };

    kin__json_begin(&w, '{');
    kin__json_key(&w, STR("kind"));
    kin__json_string(&w, options->served->list_kind);
    kin__json_key(&w, STR("apiVersion"));
    kin__json_string(&w, options->served->api_version);
    kin__json_key(&w, STR("metadata"));
    kin__list_meta_write(&w, options->meta);
    kin__json_key(&w, STR("items"));
    (void) kin__buf_append_byte(&body->head, '[');
    (void) kin__buf_append_str(&body->tail, STR("]}\n"));
}

/* `continue` is there even when it is empty. */
static void write_ends_custom(list_body *body, const kin__list_body_options *options)
{
    write_string(&body->head, "{\"apiVersion\":", options->served->api_version);
    (void) kin__buf_append_str(&body->head, STR(",\"items\":["));
    write_string(&body->tail, "],\"kind\":", options->served->list_kind);
    write_string(&body->tail, ",\"metadata\":{\"continue\":", options->meta->next);
    if (options->meta->has_remaining) {
        (void) kin__buf_append_format(&body->tail, ",\"remainingItemCount\":%lld",
                                      (long long) options->meta->remaining);
    }
    write_string(&body->tail, ",\"resourceVersion\":", options->meta->resource_version);
    (void) kin__buf_append_str(&body->tail, STR("}}\n"));
}

/* The items of an empty list are null. */
static void write_ends_partial(list_body *body, const kin__list_body_options *options)
{
    kin__json_writer w = { &body->head, false };
    bool is_empty = body->listing.count == 0;

    kin__json_begin(&w, '{');
    kin__json_key(&w, STR("kind"));
    kin__json_string(&w, STR("PartialObjectMetadataList"));
    kin__json_key(&w, STR("apiVersion"));
    kin__json_string(&w, body->form.is_v1beta1 ? STR("meta.k8s.io/v1beta1") : STR(KIN__META_V1));
    kin__json_key(&w, STR("metadata"));
    kin__list_meta_write(&w, options->meta);
    kin__json_key(&w, STR("items"));
    (void) kin__buf_append_str(&body->head, is_empty ? STR("null") : STR("["));
    (void) kin__buf_append_str(&body->tail, is_empty ? STR("}\n") : STR("]}\n"));
}

static bool write_ends_proto(list_body *body, const kin__list_body_options *options)
{
    bool is_plain = body->form.shape == KIN__SHAPE_PLAIN;
    kin_str api_version = is_plain                ? options->served->api_version
                          : body->form.is_v1beta1 ? STR("meta.k8s.io/v1beta1")
                                                  : STR(KIN__META_V1);
    kin_str kind = is_plain ? options->served->list_kind : STR("PartialObjectMetadataList");
    AUTO(kin__buf_fini) kin__buf type = { 0 };
    AUTO(kin__buf_fini) kin__buf meta = { 0 };
    size_t items = 0;

    append_tag(&type, 1, api_version.len);
    (void) kin__buf_append_str(&type, api_version);
    append_tag(&type, 2, kind.len);
    (void) kin__buf_append_str(&type, kind);
    kin__partial_list_message(options->meta, &meta);
    if (!count_items(body, &items)) {
        return false;
    }
    (void) kin__buf_append(&body->head, KIN__PB_MAGIC, KIN__PB_MAGIC_LEN);
    append_tag(&body->head, KIN__PB_ENVELOPE_TYPE, type.len);
    (void) kin__buf_append_str(&body->head, str_of(&type));
    append_tag(&body->head, KIN__PB_ENVELOPE_RAW, meta.len + items);
    (void) kin__buf_append_str(&body->head, str_of(&meta));
    append_tag(&body->tail, KIN__PB_ENVELOPE_ENCODING, 0);
    append_tag(&body->tail, KIN__PB_ENVELOPE_CONTENT_TYPE, 0);
    return !kin__buf_failed(&type) && !kin__buf_failed(&meta) && !kin__buf_failed(&body->head) &&
           !kin__buf_failed(&body->tail);
}

static void write_string(kin__buf *out, const char *before, kin_str text)
{
    kin__json_writer w = { out, false };

    (void) kin__buf_append_str(out, kin_str_of(before));
    kin__json_string(&w, text);
}

static void append_tag(kin__buf *out, unsigned number, size_t len)
{
    uint8_t varint[LEAD_MAX];

    (void) kin__buf_append_byte(out, (char) (number << 3 | 2));
    (void) kin__buf_append(out, (const char *) varint, kin__pb_put_varint(len, varint));
}

/* With their tags; every item is made here, so that none can fail when it is sent. */
static bool count_items(list_body *body, size_t *out)
{
    size_t sum = 0;
    for (size_t i = 0; i < body->listing.count; i++) {
        kin_str item;
        if (!item_of(body, body->listing.records[i], &item)) {
            return false;
        }
        sum += 1 + kin__pb_varint_size(item.len) + item.len;
    }
    *out = sum;
    return true;
}

/* ---- pieces --------------------------------------------------------------------------------- */

static kin__body_state next(void *context, kin__body_pieces *out)
{
    list_body *body = context;

    if (!body->has_begun) {
        body->has_begun = true;
        give(out, str_of(&body->head));
    }
    while (body->next < body->listing.count && out->count + ITEM_PIECES <= KIN__BODY_PIECES) {
        if (!give_item(body, out)) {
            return KIN__BODY_CUT; /* without memory */
        }
    }
    if (body->next < body->listing.count || out->count == KIN__BODY_PIECES) {
        return KIN__BODY_MORE;
    }
    give(out, str_of(&body->tail));
    return KIN__BODY_END;
}

static bool give_item(list_body *body, kin__body_pieces *out)
{
    kin_str item;

    if (!item_of(body, body->listing.records[body->next], &item)) {
        return false;
    }
    give(out, lead_of(body, out->count, item.len));
    give(out, item);
    body->next++;
    return true;
}

static kin_str lead_of(list_body *body, size_t slot, size_t len)
{
    if (body->form.encoding == KIN__FORM_PROTO) {
        uint8_t *tag = body->leads[slot];
        tag[0] = FIELD_ITEMS << 3 | 2;
        return kin__str((const char *) tag, 1 + kin__pb_put_varint(len, tag + 1));
    }
    static const char lead[] = ",{";
    size_t comma = body->next > 0 ? 1 : 0;
    return kin__str(&lead[1 - comma], comma + (body->cuts_head ? 1 : 0));
}

static bool item_of(list_body *body, kin__record *record, kin_str *out)
{
    if (!kin__record_form(record, body->served, &body->form, out)) {
        return false;
    }
    if (body->cuts_head) {
        size_t cut = record->head_len > 0 ? record->head_len : 1;
        *out = kin__str(out->data + cut, out->len - cut);
    }
    return true;
}

static void give(kin__body_pieces *out, kin_str piece)
{
    if (piece.len > 0) {
        out->pieces[out->count++] = piece;
    }
}

static void release(void *context)
{
    list_body *body = context;

    kin__listing_fini(&body->listing);
    kin__served_unref(body->served);
    kin__buf_fini(&body->head);
    kin__buf_fini(&body->tail);
    kin__free(body);
}

static kin_str str_of(const kin__buf *buf)
{
    return kin__str(buf->data, buf->len);
}
