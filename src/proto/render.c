/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.c - protobuf messages as the JSON the API server sends for them.
 *
 * JSON has the fields in the order of the Go types, the wire in that of their numbers.  So each
 * message is walked twice: survey() notes where each row's fields are, then the rows are written in
 * their order.  Elements of a list and entries of a map are not noted one by one: they are walked
 * again from the first.
 *
 * What absence means is told by the Go type (proto/schema.h has it as flags).  A Go server always
 * writes what is no pointer, list, map or bytes; when such a field is absent the sender does not
 * know it, and nothing is written.  The others are nil in Go, which JSON leaves out or calls null.
 *
 * Calls nest as deep as messages do, up to KIN__PB_DEPTH_MAX, with frames of a few hundred bytes.
 */
#include "proto/render.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "json/number.h"
#include "proto/base64.h"
#include "proto/render_state.h"
#include "proto/render_text.h"

/* A message that comes in parts is put together in memory; this many may be inside each other.
 * No server sends one. */
#define JOIN_DEPTH_MAX 4

/* JSON is mostly one and a half times as long as the message. */
#define ROOM_FACTOR 2
#define ROOM_MORE 256

#define ROWS_MAX (KIN__PB_NUMBER_MAX + 1) /* one for each number, and the TypeMeta */

/* The fields of one row. */
typedef struct place {
    uint32_t at;    /* in the message: of a list or map the first, else the last */
    uint32_t count; /* how many there are */
} place;

/* A message, and where its fields are. */
typedef struct survey {
    kin__pb_message message;
    const kin__pb_row *rows;
    size_t row_count;
    kin_str bytes;
    uint64_t present; /* a bit for each row that is on the wire; only their places are set */
    place places[ROWS_MAX];
} survey;

static kin__pb_renderer renderer_over(kin_str bytes, kin__buf *buf, kin_error *err);
static kin_err finish(kin__pb_renderer *r, kin_err code, size_t before);
static kin_err render_members(kin__pb_renderer *r, kin__pb_message message, kin_str bytes,
                              const kin__pb_typemeta *type);
static kin_err take_survey(kin__pb_renderer *r, kin__pb_message message, kin_str bytes,
                           survey *out);
static bool has_right_wire(const kin__pb_row *row, const kin__pb_field *field);
static void note(survey *s, const kin__pb_row *row, const kin__pb_field *field);
static bool is_left_out(const kin__pb_row *row, const kin__pb_field *field);
static bool is_packed(const kin__pb_row *row, const kin__pb_field *field);
static void write_type(kin__pb_renderer *r, const kin__pb_typemeta *type);
static void write_name(kin__pb_renderer *r, const kin__pb_row *row);
static void write_absent(kin__pb_renderer *r, const survey *s, const kin__pb_row *row);
static bool is_nullable(const kin__pb_row *row);
static bool is_removed(const survey *s, const kin__pb_row *row);
static kin_err render_present(kin__pb_renderer *r, const survey *s, size_t index);
static kin_err render_single(kin__pb_renderer *r, const survey *s, size_t index);
static kin_err render_single_message(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes);
static kin_err render_joined(kin__pb_renderer *r, const survey *s, const kin__pb_row *row);
static kin_err join(kin__pb_renderer *r, const survey *s, const kin__pb_row *row, kin__buf *out);
static kin_err render_list(kin__pb_renderer *r, const survey *s, size_t index);
static kin_err render_packed(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes);
static kin_err render_scalar(kin__pb_renderer *r, const kin__pb_row *row,
                             const kin__pb_field *field);
static kin_err render_double(kin__pb_renderer *r, const kin__pb_field *field);
static bool is_claim_template(const kin__pb_row *row);

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
    kin_err code = finish(&r, kin__pb_render_message(&r, message, bytes, &type), before);
    if (code == KIN_OK) {
        rendering->unknown_count = r.unknown_count;
    }
    return code;
}

kin_err kin__pb_render_value(const kin__pb_row *row, kin_str content, uint64_t varint,
                             kin__buf *buf, kin_error *err)
{
    kin__pb_renderer r = renderer_over(content, buf, err);
    kin__pb_field field = { .start = (const uint8_t *) content.data,
                            .varint = varint,
                            .bytes = (const uint8_t *) content.data,
                            .len = content.len };
    size_t before = buf->len;

    if (content.len > UINT32_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "message of more than 4 GB");
    }
    return finish(&r, kin__pb_render_field(&r, row, &field), before);
}

kin_err kin__pb_refuse(kin__pb_renderer *r, const void *at, const char *what)
{
    size_t offset = (size_t) ((uintptr_t) at - (uintptr_t) r->base);

    if (offset > r->size) {
        return kin__error_set(r->err, KIN_ERR_MALFORMED, "%s, in a message given in parts", what);
    }
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
    return kin__pb_render_message(r, row->message,
                                  kin__str((const char *) field->bytes, field->len),
                                  is_claim_template(row) ? &claim : NULL);
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

static kin__pb_renderer renderer_over(kin_str bytes, kin__buf *buf, kin_error *err)
{
    return (kin__pb_renderer){
        .buf = buf, .err = err, .base = (const uint8_t *) bytes.data, .size = bytes.len
    };
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
    kin__pb_reader reader = kin__pb_read(bytes.data, bytes.len);
    kin__pb_field field;

    out->message = message;
    out->rows = kin__pb_rows(message, &out->row_count);
    out->bytes = bytes;
    out->present = 0;
    while (kin__pb_next(&reader, &field)) {
        const kin__pb_row *row = kin__pb_row_of(message, field.number);
        if (row == NULL) {
            r->unknown_count++;
            continue;
        }
        if (!has_right_wire(row, &field)) {
            return kin__pb_refuse(r, field.start, KIN__PB_WRONG_WIRE);
        }
        note(out, row, &field);
    }
    if (reader.fault != NULL) {
        return kin__pb_refuse(r, reader.at, reader.fault);
    }
    return kin__buf_failed(r->buf) ? kin__error_no_memory(r->err) : KIN_OK;
}

static bool has_right_wire(const kin__pb_row *row, const kin__pb_field *field)
{
    kin__pb_wire wire = (row->flags & KIN__PB_MAP) != 0 ? KIN__PB_LEN : kin__pb_wire_of(row);

    return field->wire == wire || is_packed(row, field);
}

/* What JSON leaves out is taken for absent; of a pod's fields a quarter is. */
static void note(survey *s, const kin__pb_row *row, const kin__pb_field *field)
{
    size_t index = (size_t) (row - s->rows);
    uint64_t bit = UINT64_C(1) << index;
    place *p = &s->places[index];
    bool is_many = (row->flags & (KIN__PB_LIST | KIN__PB_MAP)) != 0;
    uint32_t at = (uint32_t) (field->start - (const uint8_t *) s->bytes.data);

    if (is_many && is_packed(row, field) && field->len == 0) {
        return; /* a list of nothing is none */
    }
    if (!is_many && is_left_out(row, field)) {
        s->present &= ~bit;
    } else if ((s->present & bit) == 0) {
        s->present |= bit;
        *p = (place){ .at = at, .count = 1 };
    } else {
        p->count++;
        p->at = is_many ? p->at : at;
    }
}

/* Go leaves out a zero that is no pointer, when it is told to. */
static bool is_left_out(const kin__pb_row *row, const kin__pb_field *field)
{
    if ((row->flags & (KIN__PB_OMITEMPTY | KIN__PB_POINTER)) != KIN__PB_OMITEMPTY) {
        return false;
    }
    switch (row->type) {
    case KIN__PB_STRING:
    case KIN__PB_BYTES:
        return field->len == 0;
    case KIN__PB_INT32:
        return (uint32_t) field->varint == 0;
    case KIN__PB_DOUBLE:
        return field->varint << 1 == 0; /* both zeros */
    case KIN__PB_MESSAGE:
        return false;
    default:
        return field->varint == 0;
    }
}

/* Numbers of a list, one after the other in one field.  Go's decoder takes them, its encoder does
 * not write them. */
static bool is_packed(const kin__pb_row *row, const kin__pb_field *field)
{
    return (row->flags & KIN__PB_LIST) != 0 && field->wire == KIN__PB_LEN &&
           kin__pb_wire_of(row) != KIN__PB_LEN;
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
static void write_name(kin__pb_renderer *r, const kin__pb_row *row)
{
    kin__buf *buf = r->buf;
    kin_str member = kin__pb_row_member(row);
    bool is_first = buf->len != 0 && buf->data[buf->len - 1] == '{';

    (void) kin__buf_append(buf, member.data + is_first, member.len - is_first);
}

static void write_absent(kin__pb_renderer *r, const survey *s, const kin__pb_row *row)
{
    if ((row->flags & KIN__PB_OMITEMPTY) != 0 || r->is_partial || !is_nullable(row)) {
        return;
    }
    bool is_items = r->is_list_answer && r->depth == 1 && (row->flags & KIN__PB_LIST) != 0 &&
                    kin__str_equal(kin__pb_row_name(row), STR("items"));
    if (is_items || !is_removed(s, row)) {
        write_name(r, row);
        (void) kin__buf_append_str(r->buf, is_items ? STR("[]") : STR("null"));
    }
}

/* Whether Go may have nil there. */
static bool is_nullable(const kin__pb_row *row)
{
    return (row->flags & (KIN__PB_POINTER | KIN__PB_LIST | KIN__PB_MAP)) != 0 ||
           row->type == KIN__PB_BYTES ||
           (row->type == KIN__PB_MESSAGE && kin__pb_special_of(row->message) == KIN__PB_STRINGS);
}

/* Whether a release took the field from a message that went on without it.  That it is absent then
 * says that the sender is of that release, or a later one. */
static bool is_removed(const survey *s, const kin__pb_row *row)
{
    unsigned until = row->releases & 15;

    for (size_t i = 0; i < s->row_count && until != KIN__PB_LAST_RELEASE - KIN__PB_FIRST_RELEASE;
         i++) {
        if ((s->rows[i].releases & 15) > until) {
            return true;
        }
    }
    return false;
}

static kin_err render_present(kin__pb_renderer *r, const survey *s, size_t index)
{
    const kin__pb_row *row = &s->rows[index];
    place p = s->places[index];

    if ((row->flags & KIN__PB_NOJSON) != 0) {
        return KIN_OK;
    }
    if ((row->flags & KIN__PB_LIST) != 0) {
        return render_list(r, s, index);
    }
    if ((row->flags & KIN__PB_MAP) != 0) {
        write_name(r, row);
        return kin__pb_render_map(r, row, kin__str(s->bytes.data + p.at, s->bytes.len - p.at),
                                  p.count);
    }
    if (row->type == KIN__PB_MESSAGE && p.count > 1) {
        return render_joined(r, s, row);
    }
    return render_single(r, s, index);
}

static kin_err render_single(kin__pb_renderer *r, const survey *s, size_t index)
{
    const kin__pb_row *row = &s->rows[index];
    size_t at = s->places[index].at;
    kin__pb_reader reader = kin__pb_read(s->bytes.data + at, s->bytes.len - at);
    kin__pb_field field = { 0 };

    (void) kin__pb_next(&reader, &field);
    if (row->type == KIN__PB_MESSAGE) {
        return render_single_message(r, row, kin__str((const char *) field.bytes, field.len));
    }
    write_name(r, row);
    return render_scalar(r, row, &field);
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

/* A message that is given more than once is the sum of its parts. */
static kin_err render_joined(kin__pb_renderer *r, const survey *s, const kin__pb_row *row)
{
    AUTO(kin__buf_fini) kin__buf joined = { 0 };

    if (r->join_depth == JOIN_DEPTH_MAX) {
        return kin__error_set(r->err, KIN_ERR_LIMIT,
                              "more than %d messages given in parts inside each other",
                              JOIN_DEPTH_MAX);
    }
    r->join_depth++;
    kin_err code = join(r, s, row, &joined);
    if (code == KIN_OK) {
        code = render_single_message(r, row, kin__str(joined.data, joined.len));
    }
    r->join_depth--;
    return code;
}

static kin_err join(kin__pb_renderer *r, const survey *s, const kin__pb_row *row, kin__buf *out)
{
    kin__pb_reader reader = kin__pb_read(s->bytes.data, s->bytes.len);
    kin__pb_field field;

    while (kin__pb_next(&reader, &field)) {
        if (field.number == row->number) {
            (void) kin__buf_append(out, (const char *) field.bytes, field.len);
        }
    }
    return kin__buf_failed(out) ? kin__error_no_memory(r->err) : KIN_OK;
}

static kin_err render_list(kin__pb_renderer *r, const survey *s, size_t index)
{
    const kin__pb_row *row = &s->rows[index];
    place p = s->places[index];
    kin__pb_reader reader = kin__pb_read(s->bytes.data + p.at, s->bytes.len - p.at);
    kin__pb_field field;
    char before = '[';
    kin_err code = KIN_OK;

    write_name(r, row);
    while (p.count != 0 && code == KIN_OK && kin__pb_next(&reader, &field)) {
        if (field.number != row->number || (is_packed(row, &field) && field.len == 0)) {
            continue;
        }
        (void) kin__buf_append_byte(r->buf, before);
        before = ',';
        code = is_packed(row, &field)
                   ? render_packed(r, row, kin__str((const char *) field.bytes, field.len))
                   : kin__pb_render_field(r, row, &field);
        p.count--;
    }
    (void) kin__buf_append_byte(r->buf, ']');
    return code;
}

/* Each number is made a field of its own. */
static kin_err render_packed(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes)
{
    kin__pb_reader reader = kin__pb_read(bytes.data, bytes.len);
    kin_err code = KIN_OK;

    while (reader.at != reader.end && code == KIN_OK) {
        kin__pb_field number = { .start = reader.at };
        if (reader.at != (const uint8_t *) bytes.data) {
            (void) kin__buf_append_byte(r->buf, ',');
        }
        if (!kin__pb_next_number(&reader, kin__pb_wire_of(row), &number.varint)) {
            return kin__pb_refuse(r, reader.at, reader.fault);
        }
        code = render_scalar(r, row, &number);
    }
    return code;
}

static kin_err render_scalar(kin__pb_renderer *r, const kin__pb_row *row,
                             const kin__pb_field *field)
{
    kin_str bytes = kin__str((const char *) field->bytes, field->len);

    switch (row->type) {
    case KIN__PB_STRING:
        kin__pb_put_text(r->buf, bytes);
        return KIN_OK;
    case KIN__PB_BYTES:
        kin__pb_put_base64(r->buf, bytes);
        return KIN_OK;
    case KIN__PB_BOOL:
        (void) kin__buf_append_str(r->buf, field->varint != 0 ? STR("true") : STR("false"));
        return KIN_OK;
    case KIN__PB_INT32:
        (void) kin__json_append_int64(r->buf, (int32_t) (uint32_t) field->varint);
        return KIN_OK;
    case KIN__PB_DOUBLE:
        return render_double(r, field);
    default:
        (void) kin__json_append_int64(r->buf, (int64_t) field->varint);
        return KIN_OK;
    }
}

static kin_err render_double(kin__pb_renderer *r, const kin__pb_field *field)
{
    double value;

    memcpy(&value, &field->varint, sizeof value);
    if (!isfinite(value)) {
        return kin__pb_refuse(r, field->start, "number that JSON cannot hold");
    }
    (void) kin__json_append_double(r->buf, value);
    return KIN_OK;
}

/* The server fills in the type of the claims in a StatefulSet; it is not on the wire. */
static bool is_claim_template(const kin__pb_row *row)
{
    return (row->flags & KIN__PB_LIST) != 0 &&
           kin__str_equal(kin__pb_row_name(row), STR("volumeClaimTemplates"));
}
