/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_encoding_field.c - from a field on the wire to a value, by the row that describes it.
 *
 * What absence means stands in proto/meaning.h.  A mask leaves out fields without a trace, and null
 * would say too much of them: so a partial object says null only where the wire does.
 */
#include "object/proto_encoding.h"

#include <math.h>

#include "base/str.h"
#include "json/cursor.h"
#include "json/scanner.h"
#include "object/proto_scan.h"
#include "proto/envelope.h"
#include "proto/meaning.h"
#include "proto/render_time.h"

static kin_value faulty(void);
static kin_value absent(const kin_object *owner, kin__pb_message message, const kin__pb_row *row);
static bool is_zero_time(const kin__pb_row *row, kin_value value);
static kin_value many(const kin_object *owner, kin__pb_message message, kin_str bytes,
                      const kin__pb_row *row);
static kin_value double_value(const kin_object *owner, uint64_t bits);
static kin_value special_value(const kin_object *owner, kin__pb_message message, kin_str bytes);
static kin_value time_value(const kin_object *owner, kin_str bytes, bool has_micros);
static bool is_near_zero(int64_t seconds);
static kin_value quantity_value(const kin_object *owner, kin_str bytes);
static kin_value int_or_string(const kin_object *owner, kin_str bytes);
static kin_value raw_value(const kin_object *owner, kin_str bytes, bool allows_envelope);
static kin_value enveloped(const kin_object *owner, kin_str bytes);
static kin_value json_value(const kin_object *owner, kin_str text);
static kin_value schema_or_bool(const kin_object *owner, kin__pb_message message, kin_str bytes);
static kin_value schema_or_list(const kin_object *owner, kin__pb_message message, kin_str bytes);
static kin_value strings_value(const kin_object *owner, kin__pb_message message, kin_str bytes);
static kin_value message_value(const kin_object *owner, const kin__pb_row *row, kin_str bytes);
static bool read_varint(kin_str message, uint32_t number, uint64_t *out);
static kin__pb_found read_content(kin_str message, uint32_t number, kin_str *out);

kin_value kin__proto_field(const kin_object *owner, kin__pb_message message, kin_str bytes,
                           const kin__pb_row *row)
{
    kin__pb_field field;

    if (kin__pb_is_many(row)) {
        return many(owner, message, bytes, row);
    }
    switch (kin__pb_find_last(bytes, row->number, &field)) {
    case KIN__PB_ABSENT:
        return absent(owner, message, row);
    case KIN__PB_FAULTY:
        return faulty();
    case KIN__PB_REPEATED:
        if (row->type == KIN__PB_MESSAGE) {
            return faulty();
        }
        break;
    case KIN__PB_PRESENT:
        break;
    }
    if (!kin__pb_has_right_wire(row, &field)) {
        return faulty();
    }
    if (kin__pb_is_omitted(row, &field)) {
        return kin__value_missing(KIN_ERR_NOT_FOUND);
    }
    kin_value value = kin__proto_value(owner, row, &field);
    return is_zero_time(row, value) ? kin__value_missing(KIN_ERR_NOT_FOUND) : value;
}

kin_value kin__proto_value(const kin_object *owner, const kin__pb_row *row,
                           const kin__pb_field *field)
{
    if (field->wire != kin__pb_wire_of((kin__pb_type) row->type)) {
        return faulty();
    }
    switch (row->type) {
    case KIN__PB_STRING:
        return kin__proto_make(owner, KIN__PROTO_STRING, kin__pb_content(field));
    case KIN__PB_BYTES:
        return kin__proto_make(owner, KIN__PROTO_BYTES, kin__pb_content(field));
    case KIN__PB_BOOL:
        return kin__proto_make_number(owner, KIN__PROTO_BOOL, field->varint);
    case KIN__PB_INT32:
        return kin__proto_make_number(owner, KIN__PROTO_INT,
                                      (uint64_t) (int64_t) (int32_t) (uint32_t) field->varint);
    case KIN__PB_INT64:
        return kin__proto_make_number(owner, KIN__PROTO_INT, field->varint);
    case KIN__PB_DOUBLE:
        return double_value(owner, field->varint);
    case KIN__PB_MESSAGE:
        return message_value(owner, row, kin__pb_content(field));
    default:
        return faulty();
    }
}

bool kin__proto_is_null_when_absent(const kin_object *owner, kin__pb_message message,
                                    const kin__pb_row *row)
{
    return (owner->flags & KIN__OBJECT_PARTIAL) == 0 && kin__pb_is_nil_null(message, row);
}

static kin_value faulty(void)
{
    return kin__value_missing(KIN_ERR_MALFORMED);
}

static kin_value absent(const kin_object *owner, kin__pb_message message, const kin__pb_row *row)
{
    return kin__proto_is_null_when_absent(owner, message, row)
               ? kin__proto_make_number(owner, KIN__PROTO_NULL, 0)
               : kin__value_missing(KIN_ERR_NOT_FOUND);
}

/* A zero time, where JSON leaves it out. */
static bool is_zero_time(const kin__pb_row *row, kin_value value)
{
    return (row->flags & KIN__PB_OMITZERO) != 0 &&
           kin__encoding_of(value) == &kin__proto_encoding &&
           kin__proto_shape_of(value) == KIN__PROTO_NULL;
}

/* A list or a map. */
static kin_value many(const kin_object *owner, kin__pb_message message, kin_str bytes,
                      const kin__pb_row *row)
{
    kin__pb_field field;

    switch (kin__pb_find_first(bytes, row->number, &field)) {
    case KIN__PB_ABSENT:
        return absent(owner, message, row);
    case KIN__PB_FAULTY:
        return faulty();
    default:
        break;
    }
    size_t before = (size_t) ((const char *) field.start - bytes.data);
    kin_value value =
        kin__proto_make_rows(owner, row, kin__str((const char *) field.start, bytes.len - before));
    if (field.len == 0 && kin__pb_is_packed(row, &field)) {
        /* Numbers packed into nothing: it takes a look at the rest to know that there are none. */
        kin__proto_cursor cursor = kin__proto_begin(value);
        if (!kin__proto_next(&cursor, &field) && cursor.reader.fault == NULL) {
            return absent(owner, message, row);
        }
    }
    return value;
}

/* JSON has no other numbers. */
static kin_value double_value(const kin_object *owner, uint64_t bits)
{
    double number;

    memcpy(&number, &bits, sizeof number);
    return isfinite(number) ? kin__proto_make_number(owner, KIN__PROTO_DOUBLE, bits) : faulty();
}

static kin_value message_value(const kin_object *owner, const kin__pb_row *row, kin_str bytes)
{
    if (kin__pb_special_of(row->message) != KIN__PB_PLAIN) {
        return special_value(owner, row->message, bytes);
    }
    return kin__proto_make_message(
        owner, row->message,
        kin__pb_is_claim_template(row) ? KIN__PROTO_CLAIM_TEMPLATE : KIN__PROTO_UNTYPED, bytes);
}

static kin_value special_value(const kin_object *owner, kin__pb_message message, kin_str bytes)
{
    switch (kin__pb_special_of(message)) {
    case KIN__PB_TIME:
        return time_value(owner, bytes, false);
    case KIN__PB_MICROTIME:
        return time_value(owner, bytes, true);
    case KIN__PB_QUANTITY:
        return quantity_value(owner, bytes);
    case KIN__PB_INTORSTR:
        return int_or_string(owner, bytes);
    case KIN__PB_RAW:
        return raw_value(owner, bytes, true);
    case KIN__PB_FIELDSV1:
    case KIN__PB_JSON:
        return raw_value(owner, bytes, false);
    case KIN__PB_SCHEMA_OR_BOOL:
        return schema_or_bool(owner, message, bytes);
    case KIN__PB_SCHEMA_OR_ARRAY:
    case KIN__PB_SCHEMA_OR_STRINGS:
        return schema_or_list(owner, message, bytes);
    case KIN__PB_STRINGS:
        return strings_value(owner, message, bytes);
    default:
        return faulty();
    }
}

/* A zero time is null. */
static kin_value time_value(const kin_object *owner, kin_str bytes, bool has_micros)
{
    uint64_t seconds = 0;
    uint64_t nanoseconds = 0;
    char text[KIN__PB_TIME_MAX];

    if (!read_varint(bytes, 1, &seconds) || !read_varint(bytes, 2, &nanoseconds)) {
        return faulty();
    }
    if (bytes.len == 0 || (is_near_zero((int64_t) seconds) &&
                           kin__pb_write_time((int64_t) seconds, (int32_t) (uint32_t) nanoseconds,
                                              has_micros, text) == 0)) {
        return kin__proto_make_number(owner, KIN__PROTO_NULL, 0);
    }
    kin_value value =
        kin__proto_make_number(owner, has_micros ? KIN__PROTO_MICROTIME : KIN__PROTO_TIME, seconds);
    value.words[1] = (uint32_t) nanoseconds;
    return value;
}

/* Nanoseconds, which are 32 bits, may add or take a few seconds. */
static bool is_near_zero(int64_t seconds)
{
    return seconds >= KIN__PB_ZERO_SECONDS - 4 && seconds <= KIN__PB_ZERO_SECONDS + 4;
}

static kin_value quantity_value(const kin_object *owner, kin_str bytes)
{
    kin_str text = STR("0");

    if (read_content(bytes, 1, &text) == KIN__PB_FAULTY) {
        return faulty();
    }
    return kin__proto_make(owner, KIN__PROTO_STRING, text);
}

static kin_value int_or_string(const kin_object *owner, kin_str bytes)
{
    uint64_t type = 0;
    uint64_t number = 0;
    kin_str text = STR("");

    if (!read_varint(bytes, 1, &type) || !read_varint(bytes, 2, &number) ||
        read_content(bytes, 3, &text) == KIN__PB_FAULTY) {
        return faulty();
    }
    switch (type) {
    case 0:
        return kin__proto_make_number(owner, KIN__PROTO_INT,
                                      (uint64_t) (int64_t) (int32_t) (uint32_t) number);
    case 1:
        return kin__proto_make(owner, KIN__PROTO_STRING, text);
    default:
        return faulty();
    }
}

static kin_value raw_value(const kin_object *owner, kin_str bytes, bool allows_envelope)
{
    kin_str raw = STR("");

    switch (read_content(bytes, 1, &raw)) {
    case KIN__PB_FAULTY:
        return faulty();
    case KIN__PB_ABSENT:
        return kin__proto_make_number(owner, KIN__PROTO_NULL, 0);
    default:
        break;
    }
    if (!allows_envelope && raw.len == 0) {
        return kin__proto_make_number(owner, KIN__PROTO_NULL, 0);
    }
    if (allows_envelope && kin__str_starts_with(raw, kin__str(KIN__PB_MAGIC, KIN__PB_MAGIC_LEN))) {
        return enveloped(owner, raw);
    }
    return json_value(owner, raw);
}

static kin_value enveloped(const kin_object *owner, kin_str bytes)
{
    kin_error unwanted;
    kin__pb_envelope envelope = { 0 };

    if (kin__pb_envelope_parse(bytes, 0, &envelope, &unwanted) != KIN_OK) {
        return faulty();
    }
    kin__pb_message message = kin__pb_message_of(envelope.api_version, envelope.kind);
    if (message == KIN__PB_NO_MESSAGE || kin__pb_special_of(message) != KIN__PB_PLAIN) {
        return faulty();
    }
    return kin__proto_make_message(owner, message, KIN__PROTO_ENVELOPED, bytes);
}

/* Nobody has looked at it before. */
static kin_value json_value(const kin_object *owner, kin_str text)
{
    kin_error unwanted;

    if (kin__json_check(text, &unwanted) != KIN_OK) {
        return faulty();
    }
    kin__json value = kin__json_of(text);
    return kin__json_value(owner, value.at, value.end);
}

static kin_value schema_or_bool(const kin_object *owner, kin__pb_message message, kin_str bytes)
{
    uint64_t allows = 0;
    kin_str schema = STR("");

    if (!read_varint(bytes, 1, &allows)) {
        return faulty();
    }
    switch (read_content(bytes, 2, &schema)) {
    case KIN__PB_ABSENT:
        return kin__proto_make_number(owner, KIN__PROTO_BOOL, allows);
    case KIN__PB_PRESENT:
        return message_value(owner, kin__pb_row_of(message, 2), schema);
    default:
        return faulty();
    }
}

/* 2: a list of schemas or of strings; 1: a schema. */
static kin_value schema_or_list(const kin_object *owner, kin__pb_message message, kin_str bytes)
{
    kin__pb_field first;
    kin_str schema = STR("");

    switch (kin__pb_find_first(bytes, 2, &first)) {
    case KIN__PB_PRESENT:
        return many(owner, message, bytes, kin__pb_row_of(message, 2));
    case KIN__PB_FAULTY:
        return faulty();
    default:
        break;
    }
    switch (read_content(bytes, 1, &schema)) {
    case KIN__PB_ABSENT:
        return kin__proto_make_number(owner, KIN__PROTO_NULL, 0);
    case KIN__PB_PRESENT:
        return message_value(owner, kin__pb_row_of(message, 1), schema);
    default:
        return faulty();
    }
}

/* Without strings it is an empty list. */
static kin_value strings_value(const kin_object *owner, kin__pb_message message, kin_str bytes)
{
    const kin__pb_row *row = kin__pb_row_of(message, 1);
    kin__pb_field first;

    if (kin__pb_find_first(bytes, 1, &first) == KIN__PB_ABSENT) {
        return kin__proto_make_rows(owner, row, STR(""));
    }
    return many(owner, message, bytes, row);
}

/* Leaves `out` as it is when there is no such field; false when it makes no sense. */
static bool read_varint(kin_str message, uint32_t number, uint64_t *out)
{
    kin__pb_field field;

    switch (kin__pb_find_last(message, number, &field)) {
    case KIN__PB_ABSENT:
        return true;
    case KIN__PB_FAULTY:
        return false;
    default:
        *out = field.varint;
        return field.wire == KIN__PB_VARINT;
    }
}

/* KIN__PB_ABSENT leaves `out` as it is; KIN__PB_FAULTY also stands for the wrong wire type. */
static kin__pb_found read_content(kin_str message, uint32_t number, kin_str *out)
{
    kin__pb_field field;
    kin__pb_found found = kin__pb_find_last(message, number, &field);

    if (found == KIN__PB_PRESENT || found == KIN__PB_REPEATED) {
        if (field.wire != KIN__PB_LEN) {
            return KIN__PB_FAULTY;
        }
        *out = kin__pb_content(&field);
    }
    return found;
}
