/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decoder_json.c - items and events in JSON.
 *
 * An event is framed as a document, with an index that reaches one level deeper than that of an
 * object.  The tokens of its object lie one after the other in that index: they are the object's
 * own, so it is made of them as any item is, and no byte is looked at twice.
 */
#include "api/decoder_state.h"
#include "base/error.h"
#include "base/str.h"
#include "json/cursor.h"
#include "json/number.h"
#include "json/string.h"

/* An event is so much larger than its object, at most. */
#define EVENT_ROOM 4096

/* An event, as its index tells it. */
typedef struct event {
    const kin__json_item *item;
    kin__json_item object; /* its places are those of the object; none: there is no object */
    kin_str text;          /* of the object */
    kin_str type;          /* raw; NULL: there is none */
} event;

static kin_err on_list_item(void *context, const kin__json_item *item, kin_error *err);
static kin_err learn_names(kin__decoder *decoder, kin_error *err);
static bool is_plain_name(kin_str name);
static kin_err make(kin__decoder *decoder, const kin__json_item *item, kin_str text,
                    kin_object **out, kin_error *err);
static kin_object *find_known(const kin__decoder *decoder, kin_str text);
static kin_err on_object_item(void *context, const kin__json_item *item, kin_error *err);
static kin_err on_event_item(void *context, const kin__json_item *item, kin_error *err);
static kin_err on_change(kin__decoder *decoder, kin_event_type type, const event *what,
                         kin_error *err);
static kin_err on_bookmark(kin__decoder *decoder, const event *what, kin_error *err);
static kin_err on_error(kin__decoder *decoder, const event *what, kin_error *err);
static kin_err read_event(const kin__json_item *item, event *out, kin_error *err);
static kin_err read_type(const event *what, kin_event_type *out, kin_error *err);
static size_t skip_value(const kin__json_item *item, size_t at);
static uint32_t string_end(const kin__json_item *item, size_t at);
static kin_err take_other(kin__decoder *decoder, const kin__json_item *item, kin_error *err);
static void read_kind(kin_str document, kin_str *out_api_version, kin_str *out_kind);
static kin_err take_status(kin__decoder *decoder, kin_str json, kin_error *err);
static kin_err read_list_metadata(kin__decoder *decoder, kin__json metadata, kin_error *err);
static kin_err copy_string(kin__json value, char **out, kin_error *err);

kin_err kin__decoder_open_json(kin__decoder *decoder, kin_error *err)
{
    const kin__decoder_options *options = &decoder->options;
    kin__json_framer_options framing = {
        .framing = KIN__JSON_DOCUMENTS,
        .reach = kin__object_reach(options->mask),
        .item_bytes = options->object_bytes,
        .on_item = on_object_item,
        .context = decoder,
    };

    if (kin__decoder_is_list(decoder)) {
        framing.framing = KIN__JSON_LIST;
        framing.rigour = options->handler.known != NULL ? KIN__JSON_BORDERS : KIN__JSON_VALIDATED;
        framing.on_item = on_list_item;
    } else if (options->answer == KIN__ANSWER_WATCH) {
        framing.reach.depth++;
        framing.reach.member_depth++;
        framing.on_item = on_event_item;
        if (options->object_bytes > 0 && options->object_bytes <= SIZE_MAX - EVENT_ROOM) {
            framing.item_bytes = options->object_bytes + EVENT_ROOM;
        }
    }
    return kin__json_framer_new(&framing, &decoder->json, err);
}

kin_err kin__decoder_read_envelope(kin__decoder *decoder, kin_error *err)
{
    kin_str envelope = kin__json_framer_envelope(decoder->json);
    kin__json document = kin__json_of(envelope);
    kin_type items = kin__json_type(kin__json_member(document, STR("items")));
    kin_str api_version;
    kin_str kind;

    read_kind(envelope, &api_version, &kind);
    if (kin__status_is_kind(api_version, kind)) {
        return take_status(decoder, envelope, err);
    }
    if (items != KIN_TYPE_ARRAY && (items != KIN_TYPE_NULL || kind.len == 0)) {
        return kin__decoder_unexpected(decoder, kind, err);
    }
    return read_list_metadata(decoder, kin__json_member(document, STR("metadata")), err);
}

static kin_err on_list_item(void *context, const kin__json_item *item, kin_error *err)
{
    kin__decoder *decoder = context;
    kin_object *object = find_known(decoder, item->bytes);

    if (object == NULL) {
        if ((!decoder->had_item && learn_names(decoder, err) != KIN_OK) ||
            make(decoder, item, item->bytes, &object, err) != KIN_OK) {
            return err->code;
        }
    }
    return kin__decoder_tell_object(decoder, object, err);
}

/* What the list says of its items, which mostly is what was asked for.  A list that tells it behind
 * its items has items that tell it themselves. */
static kin_err learn_names(kin__decoder *decoder, kin_error *err)
{
    static const kin_str suffix = { "List", 4 };
    kin_str api_version;
    kin_str kind;

    decoder->had_item = true;
    read_kind(kin__json_framer_envelope(decoder->json), &api_version, &kind);
    if (kind.len <= suffix.len || !is_plain_name(kind) || !is_plain_name(api_version) ||
        !kin__str_equal(kin__str(kind.data + kind.len - suffix.len, suffix.len), suffix)) {
        return KIN_OK;
    }
    kind.len -= suffix.len;
    if (kin__str_equal(kind, kin_str_of(decoder->making.kind)) &&
        kin__str_equal(api_version, kin_str_of(decoder->making.api_version))) {
        return KIN_OK;
    }
    kin__buf *names = &decoder->list_names;
    if (!kin__buf_append_str(names, kind) || !kin__buf_append_byte(names, '\0') ||
        !kin__buf_append_str(names, api_version) || !kin__buf_append_byte(names, '\0')) {
        return kin__error_no_memory(err);
    }
    decoder->making.kind = names->data;
    decoder->making.api_version = names->data + kind.len + 1;
    return KIN_OK;
}

/* Such as can be put into an object. */
static bool is_plain_name(kin_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char) name.data[i];
        if (c <= ' ' || c > '~' || c == '\\') {
            return false;
        }
    }
    return name.len > 0;
}

/* `text` is the object alone.  Of something of another kind that is said, rather than that it lacks
 * what such an object does not have. */
static kin_err make(kin__decoder *decoder, const kin__json_item *item, kin_str text,
                    kin_object **out, kin_error *err)
{
    kin_str api_version;
    kin_str kind;

    if (kin__object_from_item(item, &decoder->making, out, err) == KIN_OK) {
        return KIN_OK;
    }
    if (err->code == KIN_ERR_MALFORMED) {
        read_kind(text, &api_version, &kind);
        if (kind.len > 0 && !kin__decoder_is_expected(decoder, kind)) {
            return kin__decoder_unexpected(decoder, kind, err);
        }
    }
    return err->code;
}

/* Shared; NULL: there is none. */
static kin_object *find_known(const kin__decoder *decoder, kin_str text)
{
    kin__peek identity;

    if (decoder->options.handler.known == NULL || !kin__peek_from_json(text, &identity)) {
        return NULL;
    }
    return kin__decoder_known(decoder, &identity);
}

static kin_err on_object_item(void *context, const kin__json_item *item, kin_error *err)
{
    kin__decoder *decoder = context;
    kin_object *object;
    kin_str api_version;
    kin_str kind;

    if (decoder->had_item) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "second object at byte %llu",
                              (unsigned long long) item->offset);
    }
    decoder->had_item = true;
    read_kind(item->bytes, &api_version, &kind);
    if (kin__status_is_kind(api_version, kind)) {
        return take_status(decoder, item->bytes, err);
    }
    if (make(decoder, item, item->bytes, &object, err) != KIN_OK) {
        return err->code;
    }
    return kin__decoder_tell_object(decoder, object, err);
}

static kin_err on_event_item(void *context, const kin__json_item *item, kin_error *err)
{
    kin__decoder *decoder = context;
    kin_event_type type;
    event what;

    if (read_event(item, &what, err) != KIN_OK) {
        return err->code;
    }
    if (what.type.data == NULL) {
        return take_other(decoder, item, err);
    }
    if (read_type(&what, &type, err) != KIN_OK) {
        return err->code;
    }
    if (what.object.places == NULL) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "event without an object at byte %llu",
                              (unsigned long long) item->offset);
    }
    switch (type) {
    case KIN_EVENT_BOOKMARK:
        return on_bookmark(decoder, &what, err);
    case KIN_EVENT_ERROR:
        return on_error(decoder, &what, err);
    case KIN_EVENT_ADDED:
    case KIN_EVENT_MODIFIED:
    case KIN_EVENT_DELETED:
        break;
    }
    return on_change(decoder, type, &what, err);
}

static kin_err on_change(kin__decoder *decoder, kin_event_type type, const event *what,
                         kin_error *err)
{
    kin_object *object = NULL;

    if (type == KIN_EVENT_ADDED && !decoder->is_past_initial) {
        object = find_known(decoder, what->text);
    }
    if (object == NULL && make(decoder, &what->object, what->text, &object, err) != KIN_OK) {
        return err->code;
    }
    return kin__decoder_tell_change(decoder, type, object, err);
}

static kin_err on_bookmark(kin__decoder *decoder, const event *what, kin_error *err)
{
    kin__bookmark bookmark;

    if (!kin__bookmark_from_json(what->text, &bookmark)) {
        return kin__error_set(err, KIN_ERR_MALFORMED,
                              "bookmark without a resourceVersion at byte %llu",
                              (unsigned long long) what->item->offset);
    }
    return kin__decoder_tell_bookmark(decoder, &bookmark, err);
}

static kin_err on_error(kin__decoder *decoder, const event *what, kin_error *err)
{
    kin_error failure;
    kin_err code = kin__status_from_json(what->text, kin__decoder_fresh_status(decoder), &failure);

    return kin__decoder_tell_error(decoder, code, &failure, err);
}

/* Of members with one name the last one counts. */
static kin_err read_event(const kin__json_item *item, event *out, kin_error *err)
{
    const char *bytes = item->bytes.data;
    size_t at = 1;

    *out = (event){ .item = item, .object = { .bytes = item->bytes, .offset = item->offset } };
    while (bytes[item->places[at]] != '}') {
        uint32_t key = item->places[at] + 1;
        kin_str name = kin__str(bytes + key, string_end(item, at) - key);
        size_t value = at + 2;
        size_t next = skip_value(item, value);
        char token = bytes[item->places[value]];
        if (kin__json_string_equals(name, STR("type")) && token == '"') {
            uint32_t first = item->places[value] + 1;
            out->type = kin__str(bytes + first, string_end(item, value) - first);
        } else if (kin__json_string_equals(name, STR("object"))) {
            if (token != '{') {
                return kin__error_set(err, KIN_ERR_MALFORMED,
                                      "event with an object that is none at byte %llu",
                                      (unsigned long long) (item->offset + item->places[value]));
            }
            out->object.places = item->places + value;
            out->object.place_count = next - value;
            out->text = kin__str(bytes + item->places[value],
                                 item->places[next - 1] + 1 - item->places[value]);
        }
        at = next;
        at += bytes[item->places[at]] == ',';
    }
    return KIN_OK;
}

static kin_err read_type(const event *what, kin_event_type *out, kin_error *err)
{
    char decoded[64];
    kin_str type = what->type;

    if (kin__json_has_escapes(type) && type.len <= sizeof decoded) {
        type = kin__str(decoded, kin__json_decode(type, decoded));
    }
    return kin__decoder_event_type(type, what->item->offset, out, err);
}

/* The token after the value at hand. */
static size_t skip_value(const kin__json_item *item, size_t at)
{
    size_t open = 0;

    do {
        char token = item->bytes.data[item->places[at++]];
        if (token == '{' || token == '[') {
            open++;
        } else if (token == '}' || token == ']') {
            open--;
        }
    } while (open > 0);
    return at;
}

/* The closing quote of the string that is token number `at`. */
static uint32_t string_end(const kin__json_item *item, size_t at)
{
    uint32_t end = item->places[at + 1];

    do {
        end--;
    } while (item->bytes.data[end] != '"');
    return end;
}

/* A document of a watch that is no event. */
static kin_err take_other(kin__decoder *decoder, const kin__json_item *item, kin_error *err)
{
    kin_str api_version;
    kin_str kind;

    read_kind(item->bytes, &api_version, &kind);
    if (kin__status_is_kind(api_version, kind)) {
        return take_status(decoder, item->bytes, err);
    }
    return kin__error_set(err, KIN_ERR_MALFORMED, "event without a type at byte %llu",
                          (unsigned long long) item->offset);
}

/* Of a document, or of the beginning of one; raw, and empty where it does not tell. */
static void read_kind(kin_str document, kin_str *out_api_version, kin_str *out_kind)
{
    kin__json_iter member = kin__json_walk(kin__json_of(document));

    *out_api_version = STR("");
    *out_kind = STR("");
    while (kin__json_next(&member)) {
        if (!member.is_object) {
            return;
        }
        if (kin__json_string_equals(member.key, STR("kind"))) {
            *out_kind = kin__json_raw_string(member.value);
        } else if (kin__json_string_equals(member.key, STR("apiVersion"))) {
            *out_api_version = kin__json_raw_string(member.value);
        }
    }
}

static kin_err take_status(kin__decoder *decoder, kin_str json, kin_error *err)
{
    kin_err code = kin__status_from_json(json, kin__decoder_fresh_status(decoder), err);

    return code == KIN_OK ? kin__decoder_take_success(decoder, err) : code;
}

static kin_err read_list_metadata(kin__decoder *decoder, kin__json metadata, kin_error *err)
{
    kin__json remaining = kin__json_member(metadata, STR("remainingItemCount"));
    int64_t count;

    if (kin__json_type(remaining) == KIN_TYPE_NUMBER &&
        kin__json_int64(kin__json_text(remaining), &count) == KIN_OK && count >= 0) {
        decoder->list_remaining = count;
    }
    if (copy_string(kin__json_member(metadata, STR("resourceVersion")), &decoder->list_version,
                    err) != KIN_OK ||
        copy_string(kin__json_member(metadata, STR("continue")), &decoder->list_continue, err) !=
            KIN_OK) {
        return err->code;
    }
    return KIN_OK;
}

/* Nothing is copied of what is no string, or an empty one. */
static kin_err copy_string(kin__json value, char **out, kin_error *err)
{
    kin_str raw = kin__json_raw_string(value);
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    size_t len;

    if (raw.len == 0) {
        return KIN_OK;
    }
    if (!kin__buf_reserve(&buf, raw.len)) {
        return kin__error_no_memory(err);
    }
    buf.len = kin__json_decode(raw, buf.data);
    return kin__buf_take(&buf, out, &len, err);
}
