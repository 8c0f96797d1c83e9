/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decoder_proto.c - items and events in protobuf.
 */
#include "api/decoder_state.h"
#include "base/error.h"
#include "base/str.h"

/* An event is so much larger than its object, at most. */
#define EVENT_ROOM 4096

static kin_err on_list(void *context, const kin__pb_list *list, kin_error *err);
static kin_err on_item(void *context, const kin__pb_item *item, kin_error *err);
static kin_err on_event(kin__decoder *decoder, const kin__pb_item *item, kin_error *err);
static kin_err on_bookmark(kin__decoder *decoder, const kin__pb_item *item, kin_error *err);
static kin_err on_error(kin__decoder *decoder, const kin__pb_item *item, kin_error *err);
static kin_err take_status(kin__decoder *decoder, const kin__pb_item *item, kin_error *err);
static kin_err make(kin__decoder *decoder, const kin__pb_item *item, kin_object **out,
                    kin_error *err);
static kin_object *find_known(const kin__decoder *decoder, const kin__pb_item *item);
static kin__pb_message message_of(const kin__decoder *decoder, const kin__pb_item *item);
static kin_err copy_string(kin_str text, char **out, kin_error *err);

kin_err kin__decoder_open_proto(kin__decoder *decoder, kin_error *err)
{
    const kin__decoder_options *options = &decoder->options;
    bool is_watch = options->answer == KIN__ANSWER_WATCH;
    kin__pb_framer_options framing = {
        .framing = is_watch ? KIN__PB_WATCH : KIN__PB_ANSWER,
        .item_bytes = options->object_bytes,
        .on_item = on_item,
        .on_list = on_list,
        .context = decoder,
    };

    if (is_watch && options->object_bytes > 0 && options->object_bytes <= SIZE_MAX - EVENT_ROOM) {
        framing.item_bytes = options->object_bytes + EVENT_ROOM;
    }
    decoder->message =
        kin__pb_message_of(kin_str_of(options->api_version), kin_str_of(options->kind));
    return kin__pb_framer_new(&framing, &decoder->proto, err);
}

static kin_err on_list(void *context, const kin__pb_list *list, kin_error *err)
{
    kin__decoder *decoder = context;

    if (!kin__decoder_is_list(decoder)) {
        return kin__decoder_unexpected(decoder, list->kind, err);
    }
    if (list->has_remaining && list->remaining >= 0) {
        decoder->list_remaining = list->remaining;
    }
    if (copy_string(list->resource_version, &decoder->list_version, err) != KIN_OK ||
        copy_string(list->continue_token, &decoder->list_continue, err) != KIN_OK) {
        return err->code;
    }
    return KIN_OK;
}

static kin_err on_item(void *context, const kin__pb_item *item, kin_error *err)
{
    kin__decoder *decoder = context;
    kin_object *object = NULL;

    decoder->had_item = true;
    if (decoder->options.answer == KIN__ANSWER_WATCH) {
        return on_event(decoder, item, err);
    }
    if (!item->is_list_item && kin__status_is_kind(item->api_version, item->kind)) {
        return take_status(decoder, item, err);
    }
    if (item->is_list_item != kin__decoder_is_list(decoder)) {
        return kin__decoder_unexpected(decoder, item->kind, err);
    }
    if (item->is_list_item) {
        object = find_known(decoder, item);
    }
    if (object == NULL && make(decoder, item, &object, err) != KIN_OK) {
        return err->code;
    }
    return kin__decoder_tell_object(decoder, object, err);
}

static kin_err on_event(kin__decoder *decoder, const kin__pb_item *item, kin_error *err)
{
    kin_object *object = NULL;
    kin_event_type type;

    if (kin__decoder_event_type(item->type, item->offset, &type, err) != KIN_OK) {
        return err->code;
    }
    if (type == KIN_EVENT_BOOKMARK) {
        return on_bookmark(decoder, item, err);
    }
    if (type == KIN_EVENT_ERROR) {
        return on_error(decoder, item, err);
    }
    if (type == KIN_EVENT_ADDED && !decoder->is_past_initial) {
        object = find_known(decoder, item);
    }
    if (object == NULL && make(decoder, item, &object, err) != KIN_OK) {
        return err->code;
    }
    return kin__decoder_tell_change(decoder, type, object, err);
}

static kin_err on_bookmark(kin__decoder *decoder, const kin__pb_item *item, kin_error *err)
{
    kin__bookmark bookmark;

    if (!kin__bookmark_from_protobuf(item->bytes, &bookmark)) {
        return kin__error_set(err, KIN_ERR_MALFORMED,
                              "bookmark without a resourceVersion at byte %llu",
                              (unsigned long long) item->offset);
    }
    return kin__decoder_tell_bookmark(decoder, &bookmark, err);
}

static kin_err on_error(kin__decoder *decoder, const kin__pb_item *item, kin_error *err)
{
    kin_error failure;
    kin_err code =
        kin__status_from_protobuf(item->bytes, kin__decoder_fresh_status(decoder), &failure);

    return kin__decoder_tell_error(decoder, code, &failure, err);
}

static kin_err take_status(kin__decoder *decoder, const kin__pb_item *item, kin_error *err)
{
    kin_err code = kin__status_from_protobuf(item->bytes, kin__decoder_fresh_status(decoder), err);

    return code == KIN_OK ? kin__decoder_take_success(decoder, err) : code;
}

static kin_err make(kin__decoder *decoder, const kin__pb_item *item, kin_object **out,
                    kin_error *err)
{
    if (!kin__decoder_is_expected(decoder, item->kind)) {
        return kin__decoder_unexpected(decoder, item->kind, err);
    }
    return kin__object_from_message(item, message_of(decoder, item), &decoder->making, out, err);
}

/* Shared; NULL: there is none. */
static kin_object *find_known(const kin__decoder *decoder, const kin__pb_item *item)
{
    kin__peek identity;

    if (decoder->options.handler.known == NULL ||
        !kin__peek_from_protobuf(item->bytes, &identity)) {
        return NULL;
    }
    return kin__decoder_known(decoder, &identity);
}

static kin__pb_message message_of(const kin__decoder *decoder, const kin__pb_item *item)
{
    if (kin__str_equal(item->kind, kin_str_of(decoder->options.kind)) &&
        kin__str_equal(item->api_version, kin_str_of(decoder->options.api_version))) {
        return decoder->message;
    }
    return kin__pb_message_of(item->api_version, item->kind);
}

/* Nothing is copied of an empty one. */
static kin_err copy_string(kin_str text, char **out, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    size_t len;

    if (text.len == 0) {
        return KIN_OK;
    }
    if (!kin__buf_append_str(&buf, text)) {
        return kin__error_no_memory(err);
    }
    return kin__buf_take(&buf, out, &len, err);
}
