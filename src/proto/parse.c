/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c - JSON as protobuf messages.
 *
 * JSON has members in any order, the wire has fields in the order of their numbers.  So a message
 * is written in two passes: one over the members, to note the value of each field in a slot of its
 * number, and one over the numbers.  Members of inline messages stand among those of the message
 * around them: for each inline field the same object is gone through once more.
 *
 * A length is written before what it counts.  One byte is left for it, and what follows moves when
 * it turns out to need more; this costs each byte at most one move for each message around it.
 */
#include "proto/parse.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "json/string.h"
#include "proto/parse_state.h"
#include "proto/render.h"

/* Names of members are shorter, however they are escaped. */
#define NAME_BYTES_MAX 512

static kin_err parse_plain(kin__pb_parser *p, kin__pb_message message, kin__json object,
                           bool is_inline);
static kin_err fill_slots(kin__pb_parser *p, kin__pb_message message, kin__json object,
                          bool is_inline, size_t first);
static kin_err fill_slot(kin__pb_parser *p, kin__pb_message message, const kin__json_iter *member,
                         bool is_inline, size_t first);
static kin_err write_fields(kin__pb_parser *p, kin__pb_message message, kin__json object,
                            size_t first, uint32_t largest);
static kin_err write_inline(kin__pb_parser *p, const kin__pb_row *row, kin__json object);
static kin_err write_field(kin__pb_parser *p, const kin__pb_row *row, kin__json value);
static bool is_left_out(const kin__pb_parser *p, const kin__pb_row *row);
static uint32_t largest_number(kin__pb_message message);
static bool push_slots(kin__pb_parser *p, size_t count);
static bool is_type_member(kin__pb_message message, kin_str name);

kin_err kin__pb_from_json(kin__pb_message message, kin__json value, kin__buf *buf, kin_error *err)
{
    return kin__pb_from_json_in(KIN__PB_LAST_RELEASE, message, value, buf, err);
}

kin_err kin__pb_from_json_in(unsigned release, kin__pb_message message, kin__json value,
                             kin__buf *buf, kin_error *err)
{
    kin__pb_parser p = { .buf = buf, .err = err, .release = release };
    size_t len = buf->len;

    if (message == KIN__PB_NO_MESSAGE) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND, "no such kind in the protobuf tables");
    }
    kin_err code = kin__json_type(value) == KIN_TYPE_OBJECT
                       ? kin__pb_parse_message(&p, message, value)
                       : kin__pb_wrong_type(&p, "an object", value);
    if (code == KIN_OK && kin__buf_failed(buf)) {
        code = kin__error_no_memory(err);
    }
    if (code != KIN_OK) {
        buf->len = len;
    }
    kin__free(p.slots);
    kin__free(p.entries);
    kin__buf_fini(&p.keys);
    return code;
}

kin_err kin__pb_parse_message(kin__pb_parser *p, kin__pb_message message, kin__json value)
{
    kin__pb_special special = kin__pb_special_of(message);

    if (special != KIN__PB_PLAIN) {
        return kin__pb_parse_special(p, special, message, value);
    }
    if (!kin__pb_is_null(value) && kin__json_type(value) != KIN_TYPE_OBJECT) {
        return kin__pb_wrong_type(p, "an object", value);
    }
    if (p->depth == KIN__PB_DEPTH_MAX) {
        return kin__error_set(p->err, KIN_ERR_LIMIT, "more than %d messages inside one another",
                              KIN__PB_DEPTH_MAX);
    }
    p->depth++;
    kin_err code = parse_plain(p, message, value, false);
    p->depth--;
    return code;
}

kin_err kin__pb_parse_single(kin__pb_parser *p, uint32_t number, const kin__pb_row *row,
                             kin__json value)
{
    kin__pb_type type = (kin__pb_type) row->type;

    kin__pb_put_tag(p, number, kin__pb_wire_of(type));
    if (type != KIN__PB_MESSAGE) {
        return kin__pb_parse_scalar(p, type, value);
    }
    size_t place = kin__pb_begin_length(p);
    kin_err code = kin__pb_parse_message(p, row->message, value);
    kin__pb_end_length(p, place);
    return code;
}

kin_err kin__pb_parse_list(kin__pb_parser *p, uint32_t number, const kin__pb_row *row,
                           kin__json value)
{
    kin__pb_place here = { .parent = p->place };
    kin_err code = KIN_OK;

    if (kin__json_type(value) != KIN_TYPE_ARRAY) {
        return kin__pb_wrong_type(p, "an array", value);
    }
    kin__json_iter iter = kin__json_walk(value);
    p->place = &here;
    while (code == KIN_OK && kin__json_next(&iter)) {
        code = kin__pb_parse_single(p, number, row, iter.value);
        here.index++;
    }
    p->place = here.parent;
    return code;
}

/* `object` may be null: then all fields are zero. */
static kin_err parse_plain(kin__pb_parser *p, kin__pb_message message, kin__json object,
                           bool is_inline)
{
    uint32_t largest = largest_number(message);
    size_t first = p->slot_count;

    if (!push_slots(p, (size_t) largest + 1)) {
        return kin__error_no_memory(p->err);
    }
    kin_err code = fill_slots(p, message, object, is_inline, first);
    if (code == KIN_OK) {
        code = write_fields(p, message, object, first, largest);
    }
    p->slot_count = first;
    return code;
}

static kin_err fill_slots(kin__pb_parser *p, kin__pb_message message, kin__json object,
                          bool is_inline, size_t first)
{
    kin__json_iter iter = kin__json_walk(object);
    kin_err code = KIN_OK;

    while (code == KIN_OK && kin__json_next(&iter)) {
        code = fill_slot(p, message, &iter, is_inline, first);
    }
    return code;
}

static kin_err fill_slot(kin__pb_parser *p, kin__pb_message message, const kin__json_iter *member,
                         bool is_inline, size_t first)
{
    char decoded[NAME_BYTES_MAX];
    kin_str name = member->key;
    kin__pb_inlines inlines;

    if (name.len <= sizeof decoded && kin__json_has_escapes(name)) {
        name = kin__str(decoded, kin__json_decode(member->key, decoded));
    }
    const kin__pb_row *row = kin__pb_row_named(message, name, &inlines);
    if (row != NULL) {
        if (inlines.count == 0) {
            p->slots[first + row->number] = member->value;
        }
        return KIN_OK;
    }
    if (is_inline) {
        return KIN_OK; /* it is the outer message's, which has checked it */
    }
    kin__pb_place here = { .parent = p->place, .name = member->key };
    kin_err code = KIN_OK;
    p->place = &here;
    if (!is_type_member(message, name)) {
        code = kin__pb_parse_fault(p, "unknown member");
    } else if (!kin__pb_is_null(member->value) &&
               kin__json_type(member->value) != KIN_TYPE_STRING) {
        code = kin__pb_wrong_type(p, "a string", member->value);
    }
    p->place = here.parent;
    return code;
}

static kin_err write_fields(kin__pb_parser *p, kin__pb_message message, kin__json object,
                            size_t first, uint32_t largest)
{
    kin_err code = KIN_OK;

    for (uint32_t number = 1; number <= largest && code == KIN_OK; number++) {
        const kin__pb_row *row = kin__pb_row_of(message, number);
        if (row == NULL) {
            continue;
        }
        code = (row->flags & KIN__PB_INLINE) != 0 ? write_inline(p, row, object)
                                                  : write_field(p, row, p->slots[first + number]);
    }
    return code;
}

/* Of one that the release does not have nothing is left when there is nothing in it. */
static kin_err write_inline(kin__pb_parser *p, const kin__pb_row *row, kin__json object)
{
    size_t before = p->buf->len;

    kin__pb_put_tag(p, row->number, KIN__PB_LEN);
    size_t place = kin__pb_begin_length(p);
    size_t begin = p->buf->len;
    kin_err code = parse_plain(p, row->message, object, true);
    bool is_empty = p->buf->len == begin;
    kin__pb_end_length(p, place);
    if (is_empty && !kin__pb_is_of_release(row, p->release)) {
        p->buf->len = before;
    }
    return code;
}

static kin_err write_field(kin__pb_parser *p, const kin__pb_row *row, kin__json value)
{
    kin__pb_place here = { .parent = p->place, .name = kin__pb_row_name(row) };
    bool is_null = kin__pb_is_null(value);
    kin_err code = KIN_OK;

    p->place = &here;
    if (is_null && is_left_out(p, row)) {
        code = KIN_OK;
    } else if ((row->flags & KIN__PB_LIST) != 0) {
        code = kin__pb_parse_list(p, row->number, row, value);
    } else if ((row->flags & KIN__PB_MAP) != 0) {
        code = kin__pb_parse_map(p, row, value);
    } else {
        code = kin__pb_parse_single(p, row->number, row, value);
    }
    p->place = here.parent;
    if (code == KIN_OK && kin__buf_failed(p->buf)) {
        code = kin__error_no_memory(p->err);
    }
    return code;
}

/* Whether nothing is written when there is no value, because Go has nil for it, or because the
 * release does not know the field. */
static bool is_left_out(const kin__pb_parser *p, const kin__pb_row *row)
{
    return kin__pb_is_nullable(row) || !kin__pb_is_of_release(row, p->release);
}

static uint32_t largest_number(kin__pb_message message)
{
    size_t count;
    const kin__pb_row *rows = kin__pb_rows(message, &count);
    uint32_t largest = 0;

    for (size_t i = 0; i < count; i++) {
        largest = rows[i].number > largest ? rows[i].number : largest;
    }
    return largest;
}

/* All of them without a value. */
static bool push_slots(kin__pb_parser *p, size_t count)
{
    if (p->slot_capacity - p->slot_count < count) {
        size_t capacity = p->slot_capacity * 2 + count;
        kin__json *slots = kin__realloc(p->slots, capacity * sizeof *slots);
        if (slots == NULL) {
            return false;
        }
        p->slots = slots;
        p->slot_capacity = capacity;
    }
    memset(p->slots + p->slot_count, 0, count * sizeof *p->slots);
    p->slot_count += count;
    return true;
}

/* kind and apiVersion, where JSON has them and the wire does not. */
static bool is_type_member(kin__pb_message message, kin_str name)
{
    size_t count;
    const kin__pb_row *rows = kin__pb_rows(message, &count);

    if (!kin__str_equal(name, STR("kind")) && !kin__str_equal(name, STR("apiVersion"))) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (rows[i].type == KIN__PB_TYPEMETA) {
            return true;
        }
    }
    return false;
}
