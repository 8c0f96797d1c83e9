/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_encoding_walk.c - members, elements and iterators of protobuf values.
 *
 * The members of a message come in the order of its rows, which is that of JSON; the rows of an
 * inline message stand in the place of its own.  An iterator over them keeps which row is next on
 * each level, and which numbers are on the wire at all.  One over a list or a map keeps where the
 * next element begins.
 */
#include "object/proto_encoding.h"

#include "base/str.h"
#include "object/proto_scan.h"
#include "proto/entry.h"
#include "proto/meaning.h"

/* What a step remembers: a message, and 1 + the place of a row in it. */
#define HINT_SHIFT 16
#define HINT_ROW 0xffffu

/* Where a walk over the members of a message is: the first word of an iterator. */
typedef struct member_place {
    uint8_t rows[1 + KIN__PB_INLINE_MAX]; /* on each level, the row that is next */
    uint8_t depth;                        /* the innermost level */
    uint8_t typed;                        /* of kind and apiVersion, those that had their turn */
} member_place;

/* Where a walk over elements is: the first word of an iterator.  Places count from the first of
 * them; 0 in `packed_end`: the next element begins with a tag. */
typedef struct element_place {
    uint32_t next;
    uint32_t packed_end;
} element_place;

static kin_value message_member(kin_value value, kin_str name);
static kin_value typed_member(kin_value value, kin_str name);
static kin_value map_member(kin_value value, kin_str name);
static const kin__pb_row *row_of_step(kin__pb_message message, const kin__step *step);
static bool is_plain_message(const kin__pb_row *row);
static bool next_member(kin_iter *iter);
static bool next_typed(kin_iter *iter, member_place *place);
static kin__proto_message level_of(const kin__proto_message *open, const member_place *place);
static kin__pb_found enter(kin__proto_message *level, const kin__pb_row *row);
static bool next_element(kin_iter *iter);
static bool read_entry(const kin__pb_row *row, const kin__pb_field *field, kin__pb_entry *out);
static void keep_place(kin_iter *iter, const kin__proto_cursor *cursor, const uint8_t *base);
static bool next_packed(kin__proto_cursor *cursor, kin__pb_field *out);
static bool is_faulty(kin_value value);

kin__proto_cursor kin__proto_begin(kin_value container)
{
    return (kin__proto_cursor){
        .row = kin__proto_row_of(container),
        .reader = kin__pb_read_str(kin__proto_bytes_of(container)),
    };
}

bool kin__proto_next(kin__proto_cursor *cursor, kin__pb_field *out)
{
    for (;;) {
        if (cursor->packed != cursor->packed_end) {
            return next_packed(cursor, out);
        }
        if (!kin__pb_next(&cursor->reader, out)) {
            return false;
        }
        if (out->number != cursor->row->number) {
            continue;
        }
        if (!kin__pb_is_packed(cursor->row, out)) {
            return true;
        }
        cursor->packed = out->bytes;
        cursor->packed_end = out->bytes + out->len;
    }
}

kin_value kin__proto_member(kin_value value, kin_str name)
{
    switch (kin__proto_shape_of(value)) {
    case KIN__PROTO_MESSAGE:
        return message_member(value, name);
    case KIN__PROTO_MAP:
        return map_member(value, name);
    default:
        return kin__value_missing(KIN_ERR_NOT_FOUND);
    }
}

/* From message to message, as long as there are any, without a value for each. */
size_t kin__proto_descend(kin_value *value, const kin__step *steps, size_t count)
{
    kin__proto_message level;
    const kin__pb_row *row = NULL;
    size_t i = 0;

    if (kin__proto_shape_of(*value) != KIN__PROTO_MESSAGE) {
        *value = kin__proto_member(*value, steps[0].name);
        return 1;
    }
    level = kin__proto_open(*value);
    row = row_of_step(level.message, &steps[0]);
    if (row == NULL) {
        *value = message_member(*value, steps[0].name);
        return 1;
    }
    while (i + 1 < count && steps[i + 1].kind == KIN__STEP_MEMBER && is_plain_message(row)) {
        const kin__pb_row *next = row_of_step(row->message, &steps[i + 1]);
        kin__proto_message inner = level;
        if (next == NULL || enter(&inner, row) != KIN__PB_PRESENT) {
            break;
        }
        level = inner;
        row = next;
        i++;
    }
    *value = kin__proto_field(value->owner, level.message, level.bytes, row);
    return i + 1;
}

kin_value kin__proto_element(kin_value value, size_t index)
{
    kin__proto_cursor cursor;
    kin__pb_field field;

    if (kin__proto_shape_of(value) != KIN__PROTO_LIST) {
        return kin__value_missing(KIN_ERR_NOT_FOUND);
    }
    cursor = kin__proto_begin(value);
    for (size_t i = 0; kin__proto_next(&cursor, &field); i++) {
        if (i == index) {
            return kin__proto_value(value.owner, cursor.row, &field);
        }
    }
    return kin__value_missing(cursor.reader.fault != NULL ? KIN_ERR_MALFORMED : KIN_ERR_NOT_FOUND);
}

void kin__proto_iter(kin_value value, kin_iter *out)
{
    out->words[0] = 0;
    out->words[1] = 0;
    if (kin__proto_shape_of(value) == KIN__PROTO_MESSAGE) {
        out->words[1] = kin__pb_find_numbers(kin__proto_open(value).bytes);
    }
}

bool kin__proto_iter_next(kin_iter *iter)
{
    return kin__proto_shape_of(iter->container) == KIN__PROTO_MESSAGE ? next_member(iter)
                                                                      : next_element(iter);
}

/* Names on the wire are numbers: the row tells which, through the inline messages it lies in. */
static kin_value message_member(kin_value value, kin_str name)
{
    kin__proto_message level = kin__proto_open(value);
    kin__pb_inlines inlines;
    const kin__pb_row *row = kin__pb_row_named(level.message, name, &inlines);

    if (row == NULL) {
        return typed_member(value, name);
    }
    for (size_t i = 0; i < inlines.count; i++) {
        kin__pb_found found = enter(&level, inlines.rows[i]);
        if (found != KIN__PB_PRESENT) {
            return kin__value_missing(found == KIN__PB_ABSENT ? KIN_ERR_NOT_FOUND
                                                              : KIN_ERR_MALFORMED);
        }
    }
    return kin__proto_field(value.owner, level.message, level.bytes, row);
}

/*
 * The row of a step's name in a message; NULL when there is none, or it is in an inline message.
 * The step remembers the answer for the last message it was asked about: all threads that use one
 * path find the same, and whatever one of them reads of another's is right for the message it
 * names.
 */
static const kin__pb_row *row_of_step(kin__pb_message message, const kin__step *step)
{
    _Atomic uint32_t *hint = (_Atomic uint32_t *) &step->hint; /* no part of what the path says */
    uint32_t known = atomic_load_explicit(hint, memory_order_relaxed);
    size_t count;
    const kin__pb_row *rows = kin__pb_rows(message, &count);
    kin__pb_inlines inlines;

    if (known != 0 && known >> HINT_SHIFT == message) {
        return rows + (known & HINT_ROW) - 1;
    }
    const kin__pb_row *row = kin__pb_row_named(message, step->name, &inlines);
    if (row == NULL || inlines.count != 0) {
        return NULL;
    }
    atomic_store_explicit(hint, (uint32_t) message << HINT_SHIFT | (uint32_t) (row - rows + 1),
                          memory_order_relaxed);
    return row;
}

static bool is_plain_message(const kin__pb_row *row)
{
    return row->type == KIN__PB_MESSAGE && (row->flags & (KIN__PB_LIST | KIN__PB_MAP)) == 0 &&
           kin__pb_special_of(row->message) == KIN__PB_PLAIN;
}

static kin_value typed_member(kin_value value, kin_str name)
{
    bool is_kind = kin__str_equal(name, STR("kind"));
    kin_str text = STR("");

    if (is_kind || kin__str_equal(name, STR("apiVersion"))) {
        kin__proto_type type = kin__proto_type_of(value);
        text = is_kind ? type.kind : type.api_version;
    }
    return text.len != 0 ? kin__proto_make(value.owner, KIN__PROTO_STRING, text)
                         : kin__value_missing(KIN_ERR_NOT_FOUND);
}

/* Of entries with one key the last one counts. */
static kin_value map_member(kin_value value, kin_str name)
{
    kin__proto_cursor cursor = kin__proto_begin(value);
    kin_value found = kin__value_missing(KIN_ERR_NOT_FOUND);
    kin__pb_field field;

    while (kin__proto_next(&cursor, &field)) {
        kin__pb_entry entry;
        if (!read_entry(cursor.row, &field, &entry)) {
            return kin__value_missing(KIN_ERR_MALFORMED);
        }
        if (kin__proto_reads_as(entry.key, name)) {
            found = kin__proto_value(value.owner, cursor.row, &entry.value);
        }
    }
    return cursor.reader.fault != NULL ? kin__value_missing(KIN_ERR_MALFORMED) : found;
}

static bool next_member(kin_iter *iter)
{
    const kin_object *owner = iter->container.owner;
    kin__proto_message open = kin__proto_open(iter->container);
    member_place place;

    memcpy(&place, &iter->words[0], sizeof place);
    for (bool is_found = false; !is_found;) {
        kin__proto_message level = level_of(&open, &place);
        size_t count;
        const kin__pb_row *row = kin__pb_rows(level.message, &count) + place.rows[place.depth];
        if (place.rows[place.depth] == count) {
            if (place.depth == 0) {
                iter->key = (kin_value){ 0 };
                iter->value = (kin_value){ 0 };
                return false;
            }
            place.rows[--place.depth]++;
        } else if (row->type == KIN__PB_TYPEMETA) {
            is_found = next_typed(iter, &place);
        } else if ((row->flags & KIN__PB_INLINE) != 0) {
            place.rows[++place.depth] = 0;
        } else {
            place.rows[place.depth]++;
            bool is_absent = place.depth == 0 && (iter->words[1] >> row->number & 1) == 0;
            if (is_absent && !kin__proto_is_null_when_absent(owner, level.message, row)) {
                continue;
            }
            iter->value = kin__proto_field(owner, level.message, level.bytes, row);
            iter->key = kin__proto_make(owner, KIN__PROTO_STRING, kin__pb_row_name(row));
            is_found = kin_value_exists(iter->value) || is_faulty(iter->value);
        }
    }
    memcpy(&iter->words[0], &place, sizeof place);
    return true;
}

/* kind, then apiVersion, then on to the next row; false when it was not the turn of one of them, or
 * it is empty. */
static bool next_typed(kin_iter *iter, member_place *place)
{
    const kin_object *owner = iter->container.owner;
    kin__proto_type type = kin__proto_type_of(iter->container);
    kin_str name = place->typed == 0 ? STR("kind") : STR("apiVersion");
    kin_str text = place->typed == 0 ? type.kind : type.api_version;

    if (place->typed == 2 || place->depth != 0) {
        place->rows[place->depth]++;
        return false;
    }
    place->typed++;
    iter->key = kin__proto_make(owner, KIN__PROTO_STRING, name);
    iter->value = kin__proto_make(owner, KIN__PROTO_STRING, text);
    return text.len != 0;
}

/* The message whose rows are next.  One that is not there is as one without rows. */
static kin__proto_message level_of(const kin__proto_message *open, const member_place *place)
{
    kin__proto_message level = *open;

    for (size_t i = 0; i < place->depth; i++) {
        size_t count;
        const kin__pb_row *row = kin__pb_rows(level.message, &count) + place->rows[i];
        if (enter(&level, row) != KIN__PB_PRESENT) {
            level.message = KIN__PB_NO_MESSAGE;
            return level;
        }
    }
    return level;
}

/* From a message into one that is inside, inline or not; unless KIN__PB_PRESENT, `level` is as it
 * was. */
static kin__pb_found enter(kin__proto_message *level, const kin__pb_row *row)
{
    kin__pb_field field;
    kin__pb_found found = kin__pb_find_last(level->bytes, row->number, &field);

    if (found == KIN__PB_PRESENT && field.wire != KIN__PB_LEN) {
        return KIN__PB_FAULTY;
    }
    if (found == KIN__PB_PRESENT) {
        level->message = row->message;
        level->bytes = kin__pb_content(&field);
    }
    return found;
}

/* What makes no sense is one more element, the last, that is missing. */
static bool next_element(kin_iter *iter)
{
    kin_value container = iter->container;
    kin__proto_cursor cursor = kin__proto_begin(container);
    const uint8_t *base = cursor.reader.at;
    bool is_map = kin__proto_shape_of(container) == KIN__PROTO_MAP;
    element_place place;
    kin__pb_field field;

    memcpy(&place, &iter->words[0], sizeof place);
    cursor.reader.at = base + (place.packed_end != 0 ? place.packed_end : place.next);
    if (place.packed_end != 0) {
        cursor.packed = base + place.next;
        cursor.packed_end = base + place.packed_end;
    }
    iter->key = (kin_value){ 0 };
    iter->value = (kin_value){ 0 };
    bool has_next = kin__proto_next(&cursor, &field);
    if (!has_next && cursor.reader.fault == NULL) {
        return false;
    }
    kin__pb_entry entry = { .key = STR(""), .value = field };
    bool is_sound = has_next && (!is_map || read_entry(cursor.row, &field, &entry));
    iter->value = is_sound ? kin__proto_value(container.owner, cursor.row, &entry.value)
                           : kin__value_missing(KIN_ERR_MALFORMED);
    if (is_map) {
        iter->key = kin__proto_make(container.owner, KIN__PROTO_STRING, entry.key);
    }
    keep_place(iter, &cursor, base);
    return true;
}

static bool read_entry(const kin__pb_row *row, const kin__pb_field *field, kin__pb_entry *out)
{
    kin__pb_reader reader = kin__pb_read(field->bytes, field->len);
    return field->wire == KIN__PB_LEN && kin__pb_entry_read(row, &reader, out);
}

/* After a fault there is nothing more. */
static void keep_place(kin_iter *iter, const kin__proto_cursor *cursor, const uint8_t *base)
{
    element_place place = { .next = (uint32_t) (cursor->reader.at - base) };

    if (cursor->reader.fault != NULL) {
        place.next = (uint32_t) (cursor->reader.end - base);
    } else if (cursor->packed != cursor->packed_end) {
        place.next = (uint32_t) (cursor->packed - base);
        place.packed_end = (uint32_t) (cursor->packed_end - base);
    }
    memcpy(&iter->words[0], &place, sizeof place);
}

/* A field of its own for the next of the numbers. */
static bool next_packed(kin__proto_cursor *cursor, kin__pb_field *out)
{
    kin__pb_reader numbers =
        kin__pb_read(cursor->packed, (size_t) (cursor->packed_end - cursor->packed));

    *out = (kin__pb_field){
        .start = cursor->packed,
        .number = cursor->row->number,
        .wire = kin__pb_wire_of((kin__pb_type) cursor->row->type),
    };
    if (!kin__pb_next_number(&numbers, out->wire, &out->varint)) {
        cursor->reader.fault = numbers.fault;
        return false;
    }
    cursor->packed = numbers.at;
    return true;
}

/* Missing, and not because it is not there. */
static bool is_faulty(kin_value value)
{
    return !kin_value_exists(value) && kin_value_bool(value, &(bool){ false }) != KIN_ERR_NOT_FOUND;
}
