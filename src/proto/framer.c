/* SPDX-License-Identifier: Apache-2.0 */
/*
 * framer.c - arriving protobuf bytes in, whole items out.
 *
 * The framer is always in the middle of one thing: the header of a field (tag and length), content
 * that is needed in one piece, or content that is skipped.  Which one, and what it is worth,
 * depends on the bytes before it alone and never on where a chunk ended; this is how any cut gives
 * the same result.
 *
 *     MAGIC -> FIELD -> TYPE, OBJECT or SKIP -> FIELD ... end                       an answer
 *              FIELD -> LIST_FIELD -> LIST_META, ITEM or SKIP -> LIST_FIELD ... -> FIELD    a list
 *     FRAME_LENGTH -> FRAME -> FRAME_LENGTH ... end                                  a watch
 *
 * Invariants
 *   - `offset` bytes of the stream have been used, those in `staging` included.
 *   - `staging` holds the first bytes of content that straddles chunks, and is empty otherwise.
 *     It grows as bytes arrive, whatever length was announced.
 *   - while in a list, `offset` <= `list_end`.
 */
#include "proto/framer.h"

#include "base/alloc.h"
#include "base/str.h"
#include "proto/reader.h"
#include "proto/schema.h"

#define DEFAULT_ITEM_BYTES ((size_t) 64 << 20)
#define TYPE_BYTES_MAX 4096 /* of two short names */
#define FRAME_LENGTH_BYTES 4

/* The fields of a list. */
enum { LIST_METADATA = 1, LIST_ITEMS = 2 };

/* Of what is not kept: lists and unknown fields.  Offsets stay far from their end. */
#define LENGTH_MAX ((uint64_t) 1 << 60)

/* What the framer is in the middle of, and its name in messages. */
#define FRAMER_STATES(S)                                                                           \
    S(MAGIC, "first four bytes")                                                                   \
    S(FIELD, "envelope")                                                                           \
    S(TYPE, "type of the object")                                                                  \
    S(OBJECT, "object")                                                                            \
    S(LIST_FIELD, "list")                                                                          \
    S(LIST_META, "metadata of the list")                                                           \
    S(ITEM, "item")                                                                                \
    S(SKIP, "unknown field")                                                                       \
    S(FRAME_LENGTH, "length of the frame")                                                         \
    S(FRAME, "frame")

typedef enum framer_state {
#define S(name, words) FRAMER_##name,
    FRAMER_STATES(S)
#undef S
} framer_state;

static const char *const state_names[] = {
#define S(name, words) [FRAMER_##name] = words,
    FRAMER_STATES(S)
#undef S
};

/* The header of a field, as far as it has come. */
typedef struct field_header {
    uint64_t start; /* stream offset of its first byte */
    uint64_t tag;
    bool has_tag;
    uint64_t varint; /* the number at hand, tag or length: its low `shift` bits */
    unsigned shift;
} field_header;

struct kin__pb_framer {
    kin__pb_framer_options options;
    framer_state state;
    const uint8_t *at; /* of the chunk at hand, the first unused byte; borrowed */
    const uint8_t *chunk_end;
    uint64_t offset;
    field_header header;
    size_t content_len; /* of what is needed in one piece */
    uint64_t skip_left;
    kin__buf staging;
    kin__buf names;            /* apiVersion and kind of the answer */
    kin__pb_envelope envelope; /* lies in `names` */
    bool had_type;
    bool had_raw;
    bool had_encoding;
    bool had_content_type;
    bool in_list;
    uint64_t list_end; /* stream offset */
    bool had_list_meta;
};

/* How a step went. */
typedef enum step_result {
    STEP_FAILED,
    STEP_DONE,
    STEP_STARVED, /* more bytes are needed */
} step_result;

static void begin(kin__pb_framer *framer, framer_state state, size_t content_len);
static step_result step(kin__pb_framer *framer, kin_error *err);
static bool find_item(kin__pb_framer *framer, kin_str *out);
static step_result read_header(kin__pb_framer *framer, kin_error *err);
static bool is_in_header(const kin__pb_framer *framer);
static step_result end_list(kin__pb_framer *framer, kin_error *err);
static step_result read_tag(kin__pb_framer *framer, kin_error *err);
static step_result read_length(kin__pb_framer *framer, uint64_t *out, kin_error *err);
static step_result read_varint(kin__pb_framer *framer, uint64_t *out, kin_error *err);
static step_result take_header(kin__pb_framer *framer, uint64_t len, kin_error *err);
static step_result take_list_header(kin__pb_framer *framer, uint64_t len, kin_error *err);
static step_result begin_raw(kin__pb_framer *framer, uint64_t len, kin_error *err);
static step_result begin_content(kin__pb_framer *framer, framer_state state, uint64_t len,
                                 kin_error *err);
static step_result begin_skip(kin__pb_framer *framer, uint64_t len, kin_error *err);
static step_result skip(kin__pb_framer *framer);
static step_result take_content(kin__pb_framer *framer, kin_error *err);
static kin_err use_content(kin__pb_framer *framer, kin_str content, kin_error *err);
static kin_err use_type(kin__pb_framer *framer, kin_str content, kin_error *err);
static kin_err use_list_meta(kin__pb_framer *framer, kin_str content, kin_error *err);
static kin_err use_item(kin__pb_framer *framer, kin_str content, kin_error *err);
static kin_err use_frame_length(kin__pb_framer *framer, kin_str content, kin_error *err);
static kin_err use_frame(kin__pb_framer *framer, kin_str content, kin_error *err);
static bool read_list_meta(kin__pb_reader *reader, kin__pb_list *out);
static bool read_event(kin__pb_reader *reader, kin_str *out_type, kin_str *out_raw);
static bool read_raw_extension(kin__pb_reader *reader, kin_str *out_raw);
static bool read_content(const kin__pb_field *field, kin_str *out);
static bool is_list(kin_str api_version, kin_str kind);
static kin_err malformed(const char *what, uint64_t offset, kin_error *err);
static kin_err over_limit(framer_state state, uint64_t limit, uint64_t offset, kin_error *err);
static step_result result_of(kin_err code);

kin_err kin__pb_framer_new(const kin__pb_framer_options *options, kin__pb_framer **out,
                           kin_error *err)
{
    kin__pb_framer *framer = kin__alloc_zero(1, sizeof *framer);
    if (framer == NULL) {
        return kin__error_no_memory(err);
    }
    framer->options = *options;
    if (framer->options.item_bytes == 0) {
        framer->options.item_bytes = DEFAULT_ITEM_BYTES;
    }
    framer->envelope = (kin__pb_envelope){ STR(""), STR(""), STR("") };
    if (options->framing == KIN__PB_WATCH) {
        begin(framer, FRAMER_FRAME_LENGTH, FRAME_LENGTH_BYTES);
    } else {
        begin(framer, FRAMER_MAGIC, KIN__PB_MAGIC_LEN);
    }
    *out = framer;
    return KIN_OK;
}

void kin__pb_framer_free(kin__pb_framer *framer)
{
    if (framer != NULL) {
        kin__buf_fini(&framer->staging);
        kin__buf_fini(&framer->names);
        kin__free(framer);
    }
}

kin_err kin__pb_framer_feed(kin__pb_framer *framer, const void *bytes, size_t len, kin_error *err)
{
    step_result result = STEP_DONE;

    if (len == 0) {
        return KIN_OK;
    }
    framer->at = bytes;
    framer->chunk_end = framer->at + len;
    while (result == STEP_DONE) {
        result = step(framer, err);
    }
    return result == STEP_FAILED ? err->code : KIN_OK;
}

kin_err kin__pb_framer_finish(kin__pb_framer *framer, kin_error *err)
{
    bool is_whole;

    if (framer->options.framing == KIN__PB_WATCH) {
        is_whole = framer->state == FRAMER_FRAME_LENGTH && framer->staging.len == 0;
    } else {
        is_whole = framer->state == FRAMER_FIELD && !is_in_header(framer) && framer->had_raw &&
                   framer->had_encoding && framer->had_content_type;
    }
    if (!is_whole) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "the bytes end inside the %s at byte %llu",
                              state_names[framer->state], (unsigned long long) framer->offset);
    }
    return KIN_OK;
}

static void begin(kin__pb_framer *framer, framer_state state, size_t content_len)
{
    framer->state = state;
    framer->content_len = content_len;
}

static step_result step(kin__pb_framer *framer, kin_error *err)
{
    kin_str item;

    switch (framer->state) {
    case FRAMER_LIST_FIELD:
        return find_item(framer, &item) ? result_of(use_item(framer, item, err))
                                        : read_header(framer, err);
    case FRAMER_FIELD:
        return read_header(framer, err);
    case FRAMER_SKIP:
        return skip(framer);
    default:
        return take_content(framer, err);
    }
}

/* Most items lie in one chunk with their header: those need not go through the states.  False
 * leaves all as it was. */
static bool find_item(kin__pb_framer *framer, kin_str *out)
{
    uint64_t left = framer->list_end - framer->offset;
    size_t here = (size_t) (framer->chunk_end - framer->at);
    kin__pb_reader reader = kin__pb_read(framer->at, left < here ? (size_t) left : here);
    kin__pb_field field;

    if (is_in_header(framer) || !kin__pb_next(&reader, &field) || field.number != LIST_ITEMS ||
        field.wire != KIN__PB_LEN || field.len > framer->options.item_bytes) {
        return false;
    }
    framer->offset += (size_t) (reader.at - framer->at);
    framer->at = reader.at;
    *out = kin__pb_content(&field);
    return true;
}

static step_result read_header(kin__pb_framer *framer, kin_error *err)
{
    field_header *header = &framer->header;
    uint64_t len = 0;
    step_result result = STEP_DONE;

    if (framer->in_list && framer->offset == framer->list_end && !is_in_header(framer)) {
        return end_list(framer, err);
    }
    if (!header->has_tag) {
        result = read_tag(framer, err);
    }
    if (result == STEP_DONE) {
        result = read_length(framer, &len, err);
    }
    if (result != STEP_DONE) {
        return result;
    }
    header->has_tag = false;
    return framer->in_list ? take_list_header(framer, len, err) : take_header(framer, len, err);
}

static bool is_in_header(const kin__pb_framer *framer)
{
    return framer->header.has_tag || framer->header.shift != 0;
}

static step_result end_list(kin__pb_framer *framer, kin_error *err)
{
    framer->in_list = false;
    begin(framer, FRAMER_FIELD, 0);
    /* An empty list without metadata is told of all the same. */
    return framer->had_list_meta ? STEP_DONE : result_of(use_list_meta(framer, STR(""), err));
}

static step_result read_tag(kin__pb_framer *framer, kin_error *err)
{
    field_header *header = &framer->header;

    if (header->shift == 0) {
        header->start = framer->offset;
    }
    step_result result = read_varint(framer, &header->tag, err);
    if (result != STEP_DONE) {
        return result;
    }
    if (header->tag >> 3 == 0 || header->tag >> 3 > 536870911) {
        return result_of(malformed("field number out of range", header->start, err));
    }
    header->has_tag = true;
    return STEP_DONE;
}

/* How many bytes of the field are still to come. */
static step_result read_length(kin__pb_framer *framer, uint64_t *out, kin_error *err)
{
    uint64_t value;

    switch (framer->header.tag & 7) {
    case KIN__PB_LEN:
        return read_varint(framer, out, err);
    case KIN__PB_VARINT:
        *out = 0;
        return read_varint(framer, &value, err);
    case KIN__PB_FIXED64:
        *out = 8;
        return STEP_DONE;
    case KIN__PB_FIXED32:
        *out = 4;
        return STEP_DONE;
    default:
        return result_of(malformed("unknown wire type", framer->header.start, err));
    }
}

/* As the reader does: what a tenth byte has beyond 64 bits is dropped. */
static step_result read_varint(kin__pb_framer *framer, uint64_t *out, kin_error *err)
{
    field_header *header = &framer->header;

    for (;;) {
        if (framer->in_list && framer->offset == framer->list_end) {
            return result_of(malformed("the list ends inside a field", header->start, err));
        }
        if (framer->at == framer->chunk_end) {
            return STEP_STARVED;
        }
        uint8_t byte = *framer->at++;
        framer->offset++;
        if (header->shift == 63 && byte >= 0x80) {
            return result_of(malformed(KIN__PB_LONG_VARINT, header->start, err));
        }
        header->varint |= (uint64_t) (byte & 0x7f) << header->shift;
        header->shift += 7;
        if (byte < 0x80) {
            break;
        }
    }
    *out = header->varint;
    header->varint = 0;
    header->shift = 0;
    return STEP_DONE;
}

/* A field of the envelope, whose content is `len` bytes from here on. */
static step_result take_header(kin__pb_framer *framer, uint64_t len, kin_error *err)
{
    const field_header *header = &framer->header;
    uint64_t number = header->tag >> 3;

    if (number > KIN__PB_ENVELOPE_CONTENT_TYPE) {
        return begin_skip(framer, len, err);
    }
    if ((header->tag & 7) != KIN__PB_LEN) {
        return result_of(
            malformed("field of the envelope with another wire type", header->start, err));
    }
    switch (number) {
    case KIN__PB_ENVELOPE_TYPE:
        if (framer->had_type || framer->had_raw) {
            return result_of(
                malformed("type of the object that does not come first", header->start, err));
        }
        framer->had_type = true;
        return begin_content(framer, FRAMER_TYPE, len, err);
    case KIN__PB_ENVELOPE_RAW:
        return begin_raw(framer, len, err);
    default:
        if (len != 0) {
            return result_of(malformed("object in an encoding of its own", header->start, err));
        }
        *(number == KIN__PB_ENVELOPE_ENCODING ? &framer->had_encoding : &framer->had_content_type) =
            true;
        return STEP_DONE;
    }
}

static step_result take_list_header(kin__pb_framer *framer, uint64_t len, kin_error *err)
{
    const field_header *header = &framer->header;
    uint64_t number = header->tag >> 3;

    if (len > framer->list_end - framer->offset) {
        return result_of(malformed("length past the end of the list", header->start, err));
    }
    if (number > LIST_ITEMS) {
        return begin_skip(framer, len, err);
    }
    if ((header->tag & 7) != KIN__PB_LEN) {
        return result_of(malformed("field of the list with another wire type", header->start, err));
    }
    if (number == LIST_METADATA && framer->had_list_meta) {
        return result_of(
            malformed("metadata of the list that does not come first", header->start, err));
    }
    return begin_content(framer, number == LIST_METADATA ? FRAMER_LIST_META : FRAMER_ITEM, len,
                         err);
}

static step_result begin_raw(kin__pb_framer *framer, uint64_t len, kin_error *err)
{
    if (framer->had_raw) {
        return result_of(malformed("second object", framer->header.start, err));
    }
    framer->had_raw = true;
    if (!is_list(framer->envelope.api_version, framer->envelope.kind)) {
        return begin_content(framer, FRAMER_OBJECT, len, err);
    }
    if (len > LENGTH_MAX) {
        return result_of(over_limit(FRAMER_LIST_FIELD, LENGTH_MAX, framer->header.start, err));
    }
    framer->in_list = true;
    framer->list_end = framer->offset + len;
    begin(framer, FRAMER_LIST_FIELD, 0);
    return STEP_DONE;
}

static step_result begin_content(kin__pb_framer *framer, framer_state state, uint64_t len,
                                 kin_error *err)
{
    size_t limit = state == FRAMER_TYPE ? TYPE_BYTES_MAX : framer->options.item_bytes;

    if (len > limit) {
        return result_of(over_limit(state, limit, framer->header.start, err));
    }
    begin(framer, state, (size_t) len);
    return STEP_DONE;
}

static step_result begin_skip(kin__pb_framer *framer, uint64_t len, kin_error *err)
{
    if (len > LENGTH_MAX) {
        return result_of(over_limit(FRAMER_SKIP, LENGTH_MAX, framer->header.start, err));
    }
    begin(framer, FRAMER_SKIP, 0);
    framer->skip_left = len;
    return STEP_DONE;
}

static step_result skip(kin__pb_framer *framer)
{
    size_t here = (size_t) (framer->chunk_end - framer->at);
    size_t len = framer->skip_left < here ? (size_t) framer->skip_left : here;

    framer->at += len;
    framer->offset += len;
    framer->skip_left -= len;
    if (framer->skip_left != 0) {
        return STEP_STARVED;
    }
    begin(framer, framer->in_list ? FRAMER_LIST_FIELD : FRAMER_FIELD, 0);
    return STEP_DONE;
}

static step_result take_content(kin__pb_framer *framer, kin_error *err)
{
    size_t wanted = framer->content_len - framer->staging.len;
    size_t here = (size_t) (framer->chunk_end - framer->at);
    size_t len = wanted < here ? wanted : here;
    kin_str content = kin__str((const char *) framer->at, len);

    if (len < framer->content_len) {
        if (!kin__buf_append_str(&framer->staging, content)) {
            return result_of(kin__error_no_memory(err));
        }
        content = kin__str(framer->staging.data, framer->staging.len);
    }
    framer->at += len;
    framer->offset += len;
    if (len < wanted) {
        return STEP_STARVED;
    }
    kin_err code = use_content(framer, content, err);
    kin__buf_clear(&framer->staging);
    return result_of(code);
}

/* Uses it and begins what comes next. */
static kin_err use_content(kin__pb_framer *framer, kin_str content, kin_error *err)
{
    framer_state state = framer->state;

    begin(framer, framer->in_list ? FRAMER_LIST_FIELD : FRAMER_FIELD, 0);
    switch (state) {
    case FRAMER_MAGIC:
        return memcmp(content.data, KIN__PB_MAGIC, KIN__PB_MAGIC_LEN) == 0
                   ? KIN_OK
                   : malformed("no protobuf of Kubernetes", 0, err);
    case FRAMER_TYPE:
        return use_type(framer, content, err);
    case FRAMER_LIST_META:
        return use_list_meta(framer, content, err);
    case FRAMER_FRAME_LENGTH:
        return use_frame_length(framer, content, err);
    case FRAMER_FRAME:
        return use_frame(framer, content, err);
    default:
        return use_item(framer, content, err);
    }
}

static kin_err use_type(kin__pb_framer *framer, kin_str content, kin_error *err)
{
    /* Its own copy, so that names can be borrowed from it to the end. */
    if (!kin__buf_append_str(&framer->names, content)) {
        return kin__error_no_memory(err);
    }
    return kin__pb_envelope_parse_type(kin__str(framer->names.data, framer->names.len),
                                       framer->offset - content.len, &framer->envelope, err);
}

static kin_err use_list_meta(kin__pb_framer *framer, kin_str content, kin_error *err)
{
    kin__pb_list list = {
        .api_version = framer->envelope.api_version,
        .kind = framer->envelope.kind,
        .metadata = content,
        .resource_version = STR(""),
        .continue_token = STR(""),
    };
    kin__pb_reader reader = kin__pb_read(content.data, content.len);

    if (!read_list_meta(&reader, &list)) {
        uint64_t place = (uint64_t) (reader.at - (const uint8_t *) content.data);
        return malformed(reader.fault, framer->offset - content.len + place, err);
    }
    framer->had_list_meta = true;
    if (framer->options.on_list == NULL) {
        return KIN_OK;
    }
    return framer->options.on_list(framer->options.context, &list, err);
}

static kin_err use_item(kin__pb_framer *framer, kin_str content, kin_error *err)
{
    kin__pb_item item = {
        .type = STR(""),
        .api_version = framer->envelope.api_version,
        .kind = framer->envelope.kind,
        .bytes = content,
        .offset = framer->offset - content.len,
        .is_list_item = framer->in_list,
    };

    if (framer->in_list) {
        item.kind.len -= sizeof "List" - 1;
        if (!framer->had_list_meta && use_list_meta(framer, STR(""), err) != KIN_OK) {
            return err->code;
        }
    }
    return framer->options.on_item(framer->options.context, &item, err);
}

static kin_err use_frame_length(kin__pb_framer *framer, kin_str content, kin_error *err)
{
    const uint8_t *bytes = (const uint8_t *) content.data;
    uint32_t len =
        (uint32_t) bytes[0] << 24 | (uint32_t) bytes[1] << 16 | (uint32_t) bytes[2] << 8 | bytes[3];

    if (len > framer->options.item_bytes) {
        return over_limit(FRAMER_FRAME, framer->options.item_bytes,
                          framer->offset - FRAME_LENGTH_BYTES, err);
    }
    begin(framer, FRAMER_FRAME, len);
    return KIN_OK;
}

static kin_err use_frame(kin__pb_framer *framer, kin_str content, kin_error *err)
{
    uint64_t start = framer->offset - content.len;
    kin__pb_reader reader = kin__pb_read(content.data, content.len);
    kin_str type = STR("");
    kin_str raw = { NULL, 0 };
    kin__pb_envelope envelope;

    begin(framer, FRAMER_FRAME_LENGTH, FRAME_LENGTH_BYTES);
    if (!read_event(&reader, &type, &raw)) {
        uint64_t place = (uint64_t) (reader.at - (const uint8_t *) content.data);
        return malformed(reader.fault, start + place, err);
    }
    if (type.len == 0) {
        return malformed("watch event without a type", start, err);
    }
    if (raw.data == NULL) {
        return malformed("watch event without an object", start, err);
    }
    uint64_t raw_start = start + (uint64_t) (raw.data - content.data);
    if (kin__pb_envelope_parse(raw, raw_start, &envelope, err) != KIN_OK) {
        return err->code;
    }
    kin__pb_item item = {
        .type = type,
        .api_version = envelope.api_version,
        .kind = envelope.kind,
        .bytes = envelope.message,
        .offset = start + (uint64_t) (envelope.message.data - content.data),
    };
    return framer->options.on_item(framer->options.context, &item, err);
}

/* ListMeta: 1 selfLink, 2 resourceVersion, 3 continue, 4 remainingItemCount.  False at a fault,
 * which `reader` then holds. */
static bool read_list_meta(kin__pb_reader *reader, kin__pb_list *out)
{
    kin__pb_field field;

    while (kin__pb_next(reader, &field)) {
        bool is_right = true;
        if (field.number == 2) {
            is_right = read_content(&field, &out->resource_version);
        } else if (field.number == 3) {
            is_right = read_content(&field, &out->continue_token);
        } else if (field.number == 4) {
            is_right = field.wire == KIN__PB_VARINT;
            out->has_remaining = true;
            out->remaining = (int64_t) field.varint;
        }
        if (!is_right) {
            reader->at = field.start;
            reader->fault = "metadata of the list with another wire type";
        }
    }
    return reader->fault == NULL;
}

/* WatchEvent: 1 type, 2 { 1 the object in its envelope }. */
static bool read_event(kin__pb_reader *reader, kin_str *out_type, kin_str *out_raw)
{
    kin__pb_field field;
    kin_str object;

    while (kin__pb_next(reader, &field)) {
        bool is_right = true;
        if (field.number == 1) {
            is_right = read_content(&field, out_type);
        } else if (field.number == 2) {
            is_right = read_content(&field, &object);
        }
        if (!is_right) {
            reader->at = field.start;
            reader->fault = "watch event with another wire type";
        } else if (field.number == 2) {
            kin__pb_reader inner = kin__pb_read(object.data, object.len);
            if (!read_raw_extension(&inner, out_raw)) {
                *reader = inner;
            }
        }
    }
    return reader->fault == NULL;
}

static bool read_raw_extension(kin__pb_reader *reader, kin_str *out_raw)
{
    kin__pb_field field;

    while (kin__pb_next(reader, &field)) {
        if (field.number == 1 && !read_content(&field, out_raw)) {
            reader->at = field.start;
            reader->fault = "watch event with another wire type";
        }
    }
    return reader->fault == NULL;
}

static bool read_content(const kin__pb_field *field, kin_str *out)
{
    *out = kin__str((const char *) field->bytes, field->len);
    return field->wire == KIN__PB_LEN;
}

/* Whether it is laid out as 1 metadata, 2 items with objects of the kind that it is called after.
 * "List" itself, which holds raw objects of any kind, is one object. */
static bool is_list(kin_str api_version, kin_str kind)
{
    kin_str suffix = STR("List");

    if (kind.len <= suffix.len ||
        memcmp(kind.data + kind.len - suffix.len, suffix.data, suffix.len) != 0) {
        return false;
    }
    kin__pb_message message = kin__pb_message_of(api_version, kind);
    if (message == KIN__PB_NO_MESSAGE) {
        return true;
    }
    const kin__pb_row *metadata = kin__pb_row_of(message, LIST_METADATA);
    const kin__pb_row *items = kin__pb_row_of(message, LIST_ITEMS);
    return metadata != NULL && items != NULL && items->type == KIN__PB_MESSAGE &&
           (items->flags & KIN__PB_LIST) != 0 &&
           kin__str_equal(kin__pb_row_name(items), STR("items")) &&
           kin__str_equal(kin__pb_row_name(metadata), STR("metadata"));
}

static kin_err malformed(const char *what, uint64_t offset, kin_error *err)
{
    return kin__error_set(err, KIN_ERR_MALFORMED, "%s at byte %llu", what,
                          (unsigned long long) offset);
}

static kin_err over_limit(framer_state state, uint64_t limit, uint64_t offset, kin_error *err)
{
    return kin__error_set(err, KIN_ERR_LIMIT, "%s larger than %llu bytes at byte %llu",
                          state_names[state], (unsigned long long) limit,
                          (unsigned long long) offset);
}

static step_result result_of(kin_err code)
{
    return code == KIN_OK ? STEP_DONE : STEP_FAILED;
}
