/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_special.c - messages whose JSON is their own.
 *
 * In Go these have a MarshalJSON.  All have few fields, so each is read into a `parts`: the last
 * field of each number.
 */
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "json/number.h"
#include "proto/envelope.h"
#include "proto/render_state.h"
#include "proto/render_text.h"
#include "proto/render_time.h"

#define PARTS_MAX 4

/* The last field of each number; `start` is NULL where there was none. */
typedef struct parts {
    kin__pb_field of[PARTS_MAX + 1];
    size_t elements; /* how many fields are of a row that is a list */
} parts;

static kin_err read_parts(kin__pb_renderer *r, kin__pb_message message, kin_str bytes, parts *out);
static void write_null(kin__pb_renderer *r);
static void render_time(kin__pb_renderer *r, const parts *p, bool has_micros);
static kin_err render_intorstr(kin__pb_renderer *r, const parts *p);
static kin_err render_raw(kin__pb_renderer *r, const parts *p);
static kin_err render_envelope(kin__pb_renderer *r, kin_str bytes);
static kin_err render_object(kin__pb_renderer *r, const kin__pb_envelope *envelope);
static kin_err render_unknown(kin__pb_renderer *r, const parts *p);
static kin_err render_schema_or_bool(kin__pb_renderer *r, kin__pb_message message, const parts *p);
static kin_err render_schema_or_list(kin__pb_renderer *r, kin__pb_message message, kin_str bytes,
                                     const parts *p);

kin_err kin__pb_render_special(kin__pb_renderer *r, kin__pb_message message,
                               kin__pb_special special, kin_str bytes)
{
    parts p;

    if (read_parts(r, message, bytes, &p) != KIN_OK) {
        return r->err->code;
    }
    switch (special) {
    case KIN__PB_TIME:
    case KIN__PB_MICROTIME:
        if (bytes.len == 0) {
            write_null(r);
        } else {
            render_time(r, &p, special == KIN__PB_MICROTIME);
        }
        return KIN_OK;
    case KIN__PB_QUANTITY:
        kin__pb_put_text(r->buf, p.of[1].start == NULL ? STR("0") : kin__pb_content(&p.of[1]));
        return KIN_OK;
    case KIN__PB_INTORSTR:
        return render_intorstr(r, &p);
    case KIN__PB_RAW:
        return render_raw(r, &p);
    case KIN__PB_FIELDSV1:
    case KIN__PB_JSON:
        if (p.of[1].len == 0) {
            write_null(r);
            return KIN_OK;
        }
        return kin__pb_render_json(r, kin__pb_content(&p.of[1]));
    case KIN__PB_SCHEMA_OR_BOOL:
        return render_schema_or_bool(r, message, &p);
    case KIN__PB_SCHEMA_OR_ARRAY:
    case KIN__PB_SCHEMA_OR_STRINGS:
        return render_schema_or_list(r, message, bytes, &p);
    case KIN__PB_STRINGS:
        return kin__pb_render_list(r, kin__pb_row_of(message, 1), bytes, p.elements);
    default:
        return render_unknown(r, &p);
    }
}

static kin_err read_parts(kin__pb_renderer *r, kin__pb_message message, kin_str bytes, parts *out)
{
    kin__pb_reader reader = kin__pb_read(bytes.data, bytes.len);
    kin__pb_field field;
    uint32_t last = 0;

    *out = (parts){ 0 };
    while (kin__pb_next(&reader, &field)) {
        const kin__pb_row *row =
            field.number <= PARTS_MAX ? kin__pb_row_of(message, field.number) : NULL;
        if (row == NULL) {
            r->unknown_count++;
            last = field.number;
            continue;
        }
        if (field.wire != kin__pb_wire_of((kin__pb_type) row->type)) {
            return kin__pb_refuse(r, field.start, KIN__PB_WRONG_WIRE);
        }
        if (out->of[field.number].start != NULL && !kin__pb_is_many(row) &&
            (row->type == KIN__PB_MESSAGE || field.number != last)) {
            return kin__pb_refuse(r, field.start, KIN__PB_TWICE);
        }
        last = field.number;
        out->of[field.number] = field;
        out->elements += (row->flags & KIN__PB_LIST) != 0;
    }
    return reader.fault == NULL ? KIN_OK : kin__pb_refuse(r, reader.at, reader.fault);
}

static void write_null(kin__pb_renderer *r)
{
    (void) kin__buf_append_str(r->buf, STR("null"));
}

static void render_time(kin__pb_renderer *r, const parts *p, bool has_micros)
{
    char text[KIN__PB_TIME_MAX + 2];
    size_t len = kin__pb_write_time((int64_t) p->of[1].varint, (int32_t) (uint32_t) p->of[2].varint,
                                    has_micros, text + 1);

    if (len == 0) {
        write_null(r);
        return;
    }
    text[0] = '"';
    text[len + 1] = '"';
    (void) kin__buf_append(r->buf, text, len + 2);
}

static kin_err render_intorstr(kin__pb_renderer *r, const parts *p)
{
    enum { IS_INT = 0, IS_STRING = 1 };

    switch (p->of[1].varint) {
    case IS_INT:
        (void) kin__json_append_int64(r->buf, (int32_t) (uint32_t) p->of[2].varint);
        return KIN_OK;
    case IS_STRING:
        kin__pb_put_text(r->buf, kin__pb_content(&p->of[3]));
        return KIN_OK;
    default:
        return kin__pb_refuse(r, p->of[1].start, "IntOrString that is neither");
    }
}

static kin_err render_raw(kin__pb_renderer *r, const parts *p)
{
    kin_str raw = kin__pb_content(&p->of[1]);

    if (p->of[1].start == NULL) {
        write_null(r);
        return KIN_OK;
    }
    if (raw.len >= KIN__PB_MAGIC_LEN && memcmp(raw.data, KIN__PB_MAGIC, KIN__PB_MAGIC_LEN) == 0) {
        return render_envelope(r, raw);
    }
    return kin__pb_render_json(r, raw);
}

static kin_err render_envelope(kin__pb_renderer *r, kin_str bytes)
{
    kin__pb_envelope envelope;
    uint64_t offset = (uintptr_t) bytes.data - (uintptr_t) r->base;

    if (kin__pb_envelope_parse(bytes, offset, &envelope, r->err) != KIN_OK) {
        return r->err->code;
    }
    return render_object(r, &envelope);
}

static kin_err render_object(kin__pb_renderer *r, const kin__pb_envelope *envelope)
{
    kin__pb_message message = kin__pb_message_of(envelope->api_version, envelope->kind);
    kin__pb_typemeta type = { .kind = envelope->kind, .api_version = envelope->api_version };

    if (message == KIN__PB_NO_MESSAGE) {
        return kin__error_set(r->err, KIN_ERR_MALFORMED,
                              "object inside the message: the tables know no %.*s of %.*s",
                              KIN_STR_ARG(envelope->kind), KIN_STR_ARG(envelope->api_version));
    }
    return kin__pb_render_message(r, message, envelope->message, &type);
}

/* An envelope without its magic; no API type has one inside. */
static kin_err render_unknown(kin__pb_renderer *r, const parts *p)
{
    kin__pb_envelope envelope = { .message = kin__pb_content(&p->of[KIN__PB_ENVELOPE_RAW]) };
    kin_str type = kin__pb_content(&p->of[KIN__PB_ENVELOPE_TYPE]);

    if (p->of[KIN__PB_ENVELOPE_ENCODING].len != 0 ||
        p->of[KIN__PB_ENVELOPE_CONTENT_TYPE].len != 0) {
        return kin__error_set(r->err, KIN_ERR_MALFORMED,
                              "object inside the message: it is not in protobuf");
    }
    if (kin__pb_envelope_parse_type(type, (uintptr_t) type.data - (uintptr_t) r->base, &envelope,
                                    r->err) != KIN_OK) {
        return r->err->code;
    }
    return render_object(r, &envelope);
}

static kin_err render_schema_or_bool(kin__pb_renderer *r, kin__pb_message message, const parts *p)
{
    if (p->of[2].start != NULL) {
        return kin__pb_render_field(r, kin__pb_row_of(message, 2), &p->of[2]);
    }
    (void) kin__buf_append_str(r->buf, p->of[1].varint != 0 ? STR("true") : STR("false"));
    return KIN_OK;
}

static kin_err render_schema_or_list(kin__pb_renderer *r, kin__pb_message message, kin_str bytes,
                                     const parts *p)
{
    if (p->elements != 0) {
        return kin__pb_render_list(r, kin__pb_row_of(message, 2), bytes, p->elements);
    }
    if (p->of[1].start != NULL) {
        return kin__pb_render_field(r, kin__pb_row_of(message, 1), &p->of[1]);
    }
    write_null(r);
    return KIN_OK;
}
