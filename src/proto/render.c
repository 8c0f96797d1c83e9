/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.c - protobuf messages as the JSON the API server sends for them.
 *
 * JSON has the fields in the order of the Go types, the wire in that of their numbers.  So each
 * message is walked twice: take_survey() notes what each row has, then the rows are written in
 * their order.  Elements of a list and entries of a map are not noted one by one: they are walked
 * again from the first.
 *
 * Calls nest as deep as messages do, up to KIN__PB_DEPTH_MAX, with frames of a few hundred bytes.
 */
#include "proto/render.h"

#include <math.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/str.h"
#include "json/number.h"
#include "proto/copy.h"
#include "proto/render_state.h"
#include "proto/render_text.h"

/* JSON is mostly one and a half times as long as the message. */
#define ROOM_FACTOR 2
#define ROOM_MORE 256

#define NO_JSON_NUMBER "number that JSON cannot hold"

#define ROWS_MAX (KIN__PB_NUMBER_MAX + 1) /* one for each number, and the TypeMeta */

/* What a row has on the wire. */
typedef union place {
    uint64_t number; /* a single number: itself */
    struct {
        uint32_t at; /* in the message */
        uint32_t len;
    } content; /* a single value that has a length */
    struct {
        uint32_t at; /* of the first field, in the message */
        uint32_t count;
    } fields; /* a list or a map */
} place;

/* A message, and where its fields are. */
typedef struct survey {
    kin__pb_message message;
    const kin__pb_row *rows;
    size_t row_count;
    kin_str bytes;
    uint64_t seen;    /* a bit for each row that is on the wire */
    uint64_t present; /* of those, the ones that JSON shows; only their places are set */
    place places[ROWS_MAX];
} survey;

static kin__pb_renderer renderer_over(kin_str bytes, kin__buf *buf, kin_error *err);
static kin_err finish(kin__pb_renderer *r, kin_err code, size_t before);
static kin_err render_members(kin__pb_renderer *r, kin__pb_message message, kin_str bytes,
                              const kin__pb_typemeta *type);
static kin_err take_survey(kin__pb_renderer *r, kin__pb_message message, kin_str bytes,
                           survey *out);
static void leave_out_others(survey *s, unsigned release);
static const char *find_fault(const survey *s, const kin__pb_row *row, const kin__pb_field *field,
                              uint32_t last);
static void note(survey *s, const kin__pb_row *row, const kin__pb_field *field);
static void note_many(survey *s, size_t index, const kin__pb_field *field);
static bool is_finite(uint64_t bits);
static void write_type(kin__pb_renderer *r, const kin__pb_typemeta *type);
static void write_name(kin__pb_renderer *r, const kin__pb_row *row);
static void write_absent(kin__pb_renderer *r, const survey *s, const kin__pb_row *row);
static bool is_null(const kin__pb_renderer *r, const survey *s, const kin__pb_row *row);
static kin_err render_present(kin__pb_renderer *r, const survey *s, size_t index);
static kin_err render_single(kin__pb_renderer *r, const survey *s, size_t index);
static kin_err render_single_message(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes);
static kin_str rest_of(const survey *s, place p);
static kin_err count_fields(kin__pb_renderer *r, const kin__pb_row *row, kin_str fields,
                            size_t *out_count);
static bool is_empty_pack(const kin__pb_row *row, const kin__pb_field *field);
static kin_err render_packed(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes);
static kin_err render_scalar(kin__pb_renderer *r, const kin__pb_row *row,
                             const kin__pb_field *field);
static void write_number(kin__pb_renderer *r, const kin__pb_row *row, uint64_t number);

kin_err kin__pb_render(kin__pb_message message, kin_str bytes, kin__pb_rendering *rendering,
                       kin__buf *buf, kin_error *err)
{
    kin__pb_renderer r = renderer_over(bytes, buf, err);
    kin__pb_typemeta type = { .kind = rendering->kind, .api_version = rendering->api_version };
    size_t before = buf->len;

    if (bytes.len > UINT32_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "message of more than 4 GB");
    }
    if (!kin__buf_reserve(buf, bytes.len * ROOM_FACTOR + ROOM_MORE)) {
        return kin__error_no_memory(err);
    }
    r.is_list_answer = rendering->is_list_answer;
    r.is_partial = rendering->is_partial;
    r.release = rendering->release;
    kin_err code = finish(&r, kin__pb_render_message(&r, message, bytes, &type), before);
    if (code == KIN_OK) {
        rendering->unknown_count = r.unknown_count;
    }
    return code;
}

kin_err kin__pb_render_many(const kin__pb_row *row, kin_str fields, bool is_partial, kin__buf *buf,
                            kin_error *err)
{
    kin__pb_renderer r = renderer_over(fields, buf, err);
    size_t before = buf->len;
    size_t count = 0;

    r.is_partial = is_partial;
    if (fields.len > UINT32_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "message of more than 4 GB");
    }
    if (count_fields(&r, row, fields, &count) != KIN_OK) {
        return err->code;
    }
    kin_err code = (row->flags & KIN__PB_MAP) != 0 ? kin__pb_render_map(&r, row, fields, count)
                                                   : kin__pb_render_list(&r, row, fields, count);
    return finish(&r, code, before);
}

kin_err kin__pb_refuse(kin__pb_renderer *r, const void *at, const char *what)
{
    size_t offset = (size_t) ((uintptr_t) at - (uintptr_t) r->base);

    return kin__error_set(r->err, KIN_ERR_MALFORMED, "%s at byte %zu", what, offset);
}

kin_err kin__pb_render_field(kin__pb_renderer *r, const kin__pb_row *row,
                             const kin__pb_field *field)
{
    static const kin__pb_typemeta claim = { .kind = { "PersistentVolumeClaim", 21 },
                                            .api_version = { "v1", 2 } };

    if (row->type != KIN__PB_MESSAGE) {
        return render_scalar(r, row, field);
    }
    return kin__pb_render_message(r, row->message, kin__pb_content(field),
                                  kin__pb_is_claim_template(row) ? &claim : NULL);
}

kin_err kin__pb_render_message(kin__pb_renderer *r, kin__pb_message message, kin_str bytes,
                               const kin__pb_typemeta *type)
{
    kin__pb_special special = kin__pb_special_of(message);
    kin_err code;

    if (r->depth == KIN__PB_DEPTH_MAX) {
        return kin__error_set(r->err, KIN_ERR_LIMIT, "more than %d messages inside each other",
                              KIN__PB_DEPTH_MAX);
    }
    r->depth++;
    if (special != KIN__PB_PLAIN) {
        code = kin__pb_render_special(r, message, special, bytes);
    } else {
        (void) kin__buf_append_byte(r->buf, '{');
        code = render_members(r, message, bytes, type);
        (void) kin__buf_append_byte(r->buf, '}');
    }
    r->depth--;
    return code;
}

kin_err kin__pb_render_list(kin__pb_renderer *r, const kin__pb_row *row, kin_str fields,
                            size_t count)
{
    kin__pb_reader reader = kin__pb_read_str(fields);
    kin__pb_field field;
    kin_err code = KIN_OK;

    (void) kin__buf_append_byte(r->buf, '[');
    for (size_t i = 0; i < count && code == KIN_OK && kin__pb_next(&reader, &field);) {
        if (field.number != row->number || is_empty_pack(row, &field)) {
            continue;
        }
        if (i++ != 0) {
            (void) kin__buf_append_byte(r->buf, ',');
        }
        code = kin__pb_is_packed(row, &field) ? render_packed(r, row, kin__pb_content(&field))
                                              : kin__pb_render_field(r, row, &field);
    }
    (void) kin__buf_append_byte(r->buf, ']');
    return code;
}

static kin__pb_renderer renderer_over(kin_str bytes, kin__buf *buf, kin_error *err)
{
    return (kin__pb_renderer){ .buf = buf, .err = err, .base = (const uint8_t *) bytes.data };
}

/* The end of a rendering, good or bad. */
static kin_err finish(kin__pb_renderer *r, kin_err code, size_t before)
{
    if (code == KIN_OK && kin__buf_failed(r->buf)) {
        code = kin__error_no_memory(r->err);
    }
    if (code != KIN_OK) {
        r->buf->len = before;
    }
    return code;
}

static kin_err render_members(kin__pb_renderer *r, kin__pb_message message, kin_str bytes,
                              const kin__pb_typemeta *type)
{
    survey s;
    kin_err code = take_survey(r, message, bytes, &s);

    if (r->release != 0) {
        leave_out_others(&s, r->release);
    }
    for (size_t i = 0; i < s.row_count && code == KIN_OK; i++) {
        if ((s.present >> i & 1) != 0) {
            code = render_present(r, &s, i);
        } else if (s.rows[i].type == KIN__PB_TYPEMETA) {
            write_type(r, type);
        } else {
            write_absent(r, &s, &s.rows[i]);
        }
    }
    return code;
}

static kin_err take_survey(kin__pb_renderer *r, kin__pb_message message, kin_str bytes, survey *out)
{
    kin__pb_reader reader = kin__pb_read_str(bytes);
    kin__pb_field field;
    uint32_t last = 0;

    out->message = message;
    out->rows = kin__pb_rows(message, &out->row_count);
    out->bytes = bytes;
    out->seen = 0;
    out->present = 0;
    for (; kin__pb_next(&reader, &field); last = field.number) {
        const kin__pb_row *row = kin__pb_row_of(message, field.number);
        if (row == NULL) {
            r->unknown_count++;
            continue;
        }
        const char *fault = find_fault(out, row, &field, last);
        if (fault != NULL) {
            return kin__pb_refuse(r, field.start, fault);
        }
        note(out, row, &field);
    }
    if (reader.fault != NULL) {
        return kin__pb_refuse(r, reader.at, reader.fault);
    }
    return kin__buf_failed(r->buf) ? kin__error_no_memory(r->err) : KIN_OK;
}

static void leave_out_others(survey *s, unsigned release)
{
    for (size_t i = 0; i < s->row_count; i++) {
        if (!kin__pb_is_of_release(&s->rows[i], release)) {
            s->present &= ~(UINT64_C(1) << i);
        }
    }
}

/* NULL: none.  `last` is the number of the field before. */
static inline const char *find_fault(const survey *s, const kin__pb_row *row,
                                     const kin__pb_field *field, uint32_t last)
{
    bool is_seen = (s->seen >> (row - s->rows) & 1) != 0;

    if (!kin__pb_has_right_wire(row, field)) {
        return KIN__PB_WRONG_WIRE;
    }
    if (is_seen && !kin__pb_is_many(row) &&
        (row->type == KIN__PB_MESSAGE || field->number != last)) {
        return KIN__PB_TWICE;
    }
    return row->type == KIN__PB_DOUBLE && field->wire == KIN__PB_FIXED64 &&
                   !is_finite(field->varint)
               ? NO_JSON_NUMBER
               : NULL;
}

/* What JSON leaves out is taken for absent; of a pod's fields a quarter is. */
static inline void note(survey *s, const kin__pb_row *row, const kin__pb_field *field)
{
    size_t index = (size_t) (row - s->rows);
    uint64_t bit = UINT64_C(1) << index;
    place *p = &s->places[index];

    if (kin__pb_is_many(row)) {
        note_many(s, index, field);
        return;
    }
    s->seen |= bit;
    if (kin__pb_is_omitted(row, field)) {
        s->present &= ~bit;
        return;
    }
    s->present |= bit;
    if (field->wire == KIN__PB_LEN) {
        p->content.at = (uint32_t) (field->bytes - (const uint8_t *) s->bytes.data);
        p->content.len = (uint32_t) field->len;
    } else {
        p->number = field->varint;
    }
}

static void note_many(survey *s, size_t index, const kin__pb_field *field)
{
    uint64_t bit = UINT64_C(1) << index;
    place *p = &s->places[index];

    if (is_empty_pack(&s->rows[index], field)) {
        return;
    }
    if ((s->present & bit) != 0) {
        p->fields.count++;
        return;
    }
    s->present |= bit;
    p->fields.at = (uint32_t) (field->start - (const uint8_t *) s->bytes.data);
    p->fields.count = 1;
}

static bool is_finite(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return isfinite(value);
}

static void write_type(kin__pb_renderer *r, const kin__pb_typemeta *type)
{
    if (type == NULL) {
        return;
    }
    if (type->kind.len != 0) {
        (void) kin__buf_append_str(r->buf, STR("\"kind\":"));
        kin__pb_put_text(r->buf, type->kind);
    }
    if (type->api_version.len != 0) {
        kin_str name = STR(",\"apiVersion\":");
        bool is_first = type->kind.len == 0;
        (void) kin__buf_append(r->buf, name.data + is_first, name.len - is_first);
        kin__pb_put_text(r->buf, type->api_version);
    }
}

/* With the comma before it, unless it is the first of its object. */
static inline void write_name(kin__pb_renderer *r, const kin__pb_row *row)
{
    kin__buf *buf = r->buf;
    kin_str member = kin__pb_row_member(row);
    bool is_first = buf->len != 0 && buf->data[buf->len - 1] == '{';
    size_t len = member.len - is_first;

    if (buf->capacity - buf->len < len) {
        (void) kin__buf_append(buf, member.data + is_first, len);
        return;
    }
    kin__pb_copy(buf->data + buf->len, member.data + is_first, len);
    buf->len += len;
}

static void write_absent(kin__pb_renderer *r, const survey *s, const kin__pb_row *row)
{
    if ((row->flags & KIN__PB_OMITEMPTY) != 0 || r->is_partial) {
        return;
    }
    bool is_items = r->is_list_answer && r->depth == 1 && (row->flags & KIN__PB_LIST) != 0 &&
                    kin__str_equal(kin__pb_row_name(row), STR("items"));
    if (is_items || is_null(r, s, row)) {
        write_name(r, row);
        (void) kin__buf_append_str(r->buf, is_items ? STR("[]") : STR("null"));
    }
}

/* Of a row that is absent and not omitted. */
static bool is_null(const kin__pb_renderer *r, const survey *s, const kin__pb_row *row)
{
    return r->release == 0 ? kin__pb_is_nil_null(s->message, row)
                           : kin__pb_is_of_release(row, r->release) && kin__pb_is_nullable(row);
}

static kin_err render_present(kin__pb_renderer *r, const survey *s, size_t index)
{
    const kin__pb_row *row = &s->rows[index];
    place p = s->places[index];

    if ((row->flags & KIN__PB_NOJSON) != 0) {
        return KIN_OK;
    }
    if ((row->flags & KIN__PB_LIST) != 0) {
        write_name(r, row);
        return kin__pb_render_list(r, row, rest_of(s, p), p.fields.count);
    }
    if ((row->flags & KIN__PB_MAP) != 0) {
        write_name(r, row);
        return kin__pb_render_map(r, row, rest_of(s, p), p.fields.count);
    }
    return render_single(r, s, index);
}

/* From the first field of a list or a map on. */
static kin_str rest_of(const survey *s, place p)
{
    return kin__str(s->bytes.data + p.fields.at, s->bytes.len - p.fields.at);
}

static kin_err render_single(kin__pb_renderer *r, const survey *s, size_t index)
{
    const kin__pb_row *row = &s->rows[index];
    place p = s->places[index];
    kin_str content = { s->bytes.data + p.content.at, p.content.len };

    switch (row->type) {
    case KIN__PB_MESSAGE:
        return render_single_message(r, row, content);
    case KIN__PB_STRING:
        write_name(r, row);
        kin__pb_put_text(r->buf, content);
        return KIN_OK;
    case KIN__PB_BYTES:
        write_name(r, row);
        kin__base64_put(r->buf, content);
        return KIN_OK;
    default:
        write_name(r, row);
        write_number(r, row, p.number);
        return KIN_OK;
    }
}

/* Structs have no empty value that could be left out, except for a zero time where told.  (Lists of
 * strings that are messages would have one, but none is ever omitted.) */
static kin_err render_single_message(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes)
{
    size_t before = r->buf->len;
    kin__pb_field field = { .bytes = (const uint8_t *) bytes.data, .len = bytes.len };

    if ((row->flags & KIN__PB_INLINE) != 0) {
        return render_members(r, row->message, bytes, NULL);
    }
    write_name(r, row);
    size_t start = r->buf->len;
    if (kin__pb_render_field(r, row, &field) != KIN_OK) {
        return r->err->code;
    }
    kin_str value = kin__str(r->buf->data + start, r->buf->len - start);
    if ((row->flags & KIN__PB_OMITZERO) != 0 && kin__str_equal(value, STR("null"))) {
        r->buf->len = before;
    }
    return KIN_OK;
}

/* The fields of a list or a map that count. */
static kin_err count_fields(kin__pb_renderer *r, const kin__pb_row *row, kin_str fields,
                            size_t *out_count)
{
    kin__pb_reader reader = kin__pb_read_str(fields);
    kin__pb_field field;

    while (kin__pb_next(&reader, &field)) {
        if (field.number != row->number) {
            continue;
        }
        if (!kin__pb_has_right_wire(row, &field)) {
            return kin__pb_refuse(r, field.start, KIN__PB_WRONG_WIRE);
        }
        *out_count += !is_empty_pack(row, &field);
    }
    return reader.fault == NULL ? KIN_OK : kin__pb_refuse(r, reader.at, reader.fault);
}

/* A list of nothing is none. */
static inline bool is_empty_pack(const kin__pb_row *row, const kin__pb_field *field)
{
    return field->len == 0 && kin__pb_is_packed(row, field);
}

/* Each number is made a field of its own. */
static kin_err render_packed(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes)
{
    kin__pb_reader reader = kin__pb_read_str(bytes);
    kin_err code = KIN_OK;

    while (reader.at != reader.end && code == KIN_OK) {
        kin__pb_field number = { .start = reader.at };
        if (reader.at != (const uint8_t *) bytes.data) {
            (void) kin__buf_append_byte(r->buf, ',');
        }
        if (!kin__pb_next_number(&reader, kin__pb_wire_of((kin__pb_type) row->type),
                                 &number.varint)) {
            return kin__pb_refuse(r, reader.at, reader.fault);
        }
        code = render_scalar(r, row, &number);
    }
    return code;
}

static kin_err render_scalar(kin__pb_renderer *r, const kin__pb_row *row,
                             const kin__pb_field *field)
{
    switch (row->type) {
    case KIN__PB_STRING:
        kin__pb_put_text(r->buf, kin__pb_content(field));
        return KIN_OK;
    case KIN__PB_BYTES:
        kin__base64_put(r->buf, kin__pb_content(field));
        return KIN_OK;
    case KIN__PB_DOUBLE:
        if (!is_finite(field->varint)) {
            return kin__pb_refuse(r, field->start, NO_JSON_NUMBER);
        }
        break;
    default:
        break;
    }
    write_number(r, row, field->varint);
    return KIN_OK;
}

static void write_number(kin__pb_renderer *r, const kin__pb_row *row, uint64_t number)
{
    double real;

    switch (row->type) {
    case KIN__PB_BOOL:
        (void) kin__buf_append_str(r->buf, number != 0 ? STR("true") : STR("false"));
        break;
    case KIN__PB_INT32:
        (void) kin__json_append_int64(r->buf, (int32_t) (uint32_t) number);
        break;
    case KIN__PB_DOUBLE:
        memcpy(&real, &number, sizeof real);
        (void) kin__json_append_double(r->buf, real);
        break;
    default:
        (void) kin__json_append_int64(r->buf, (int64_t) number);
        break;
    }
}
