/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_encoding_unknown.c - what the bytes hold and the tables do not know.
 *
 * A newer server may send fields that have no names here.  They are kept, and cannot be told.  All
 * messages are walked; calls nest as deep as messages do, up to KIN__PB_DEPTH_MAX.
 */
#include "object/proto_encoding.h"

#include "base/str.h"
#include "object/proto_scan.h"
#include "proto/entry.h"
#include "proto/envelope.h"
#include "proto/render.h"

#define ALL (KIN__OBJECT_PARTIAL | KIN__OBJECT_PARTIAL_ARRAY)

static uint8_t unknown_in(kin__pb_message message, kin_str bytes, bool in_list, uint32_t depth);
static uint8_t unknown_in_raw(kin_str bytes, bool in_list, uint32_t depth);
static uint8_t unknown_in_field(const kin__pb_row *row, const kin__pb_field *field, bool in_list,
                                uint32_t depth);

uint8_t kin__proto_unknown(const kin_object *object)
{
    return unknown_in((kin__pb_message) object->places, kin__object_bytes(object), false, 0);
}

/* What is nested too deep, or makes no sense, cannot be told either. */
static uint8_t unknown_in(kin__pb_message message, kin_str bytes, bool in_list, uint32_t depth)
{
    kin__pb_reader reader = kin__pb_read_str(bytes);
    uint8_t here = in_list ? ALL : KIN__OBJECT_PARTIAL;
    uint8_t flags = 0;
    kin__pb_field field;

    if (depth == KIN__PB_DEPTH_MAX) {
        return here;
    }
    if (kin__pb_special_of(message) == KIN__PB_RAW) {
        return unknown_in_raw(bytes, in_list, depth + 1);
    }
    while (flags != ALL && kin__pb_next(&reader, &field)) {
        const kin__pb_row *row = kin__pb_row_of(message, field.number);
        if (row == NULL) {
            flags |= here;
        } else if (row->type == KIN__PB_MESSAGE && field.wire == KIN__PB_LEN) {
            flags |= unknown_in_field(row, &field, in_list, depth + 1);
        }
    }
    return reader.fault != NULL ? flags | here : flags;
}

/* JSON says all of itself; what is in an envelope may be a message again. */
static uint8_t unknown_in_raw(kin_str bytes, bool in_list, uint32_t depth)
{
    uint8_t here = in_list ? ALL : KIN__OBJECT_PARTIAL;
    kin__pb_envelope envelope = { 0 };
    kin__pb_field field;
    kin_error unwanted;

    switch (kin__pb_find_last(bytes, 1, &field)) {
    case KIN__PB_ABSENT:
        return 0;
    case KIN__PB_FAULTY:
        return here;
    default:
        break;
    }
    kin_str raw = kin__pb_content(&field);
    if (!kin__str_starts_with(raw, kin__str(KIN__PB_MAGIC, KIN__PB_MAGIC_LEN))) {
        return 0;
    }
    if (kin__pb_envelope_parse(raw, 0, &envelope, &unwanted) != KIN_OK) {
        return here;
    }
    kin__pb_message message = kin__pb_message_of(envelope.api_version, envelope.kind);
    return unknown_in(message, envelope.message, in_list, depth);
}

static uint8_t unknown_in_field(const kin__pb_row *row, const kin__pb_field *field, bool in_list,
                                uint32_t depth)
{
    kin__pb_reader reader = kin__pb_read(field->bytes, field->len);
    kin__pb_entry entry = { .value = *field };

    if ((row->flags & KIN__PB_MAP) != 0 && !kin__pb_entry_read(row, &reader, &entry)) {
        return in_list ? ALL : KIN__OBJECT_PARTIAL;
    }
    return unknown_in(row->message, kin__pb_content(&entry.value),
                      in_list || (row->flags & KIN__PB_LIST) != 0, depth);
}
