/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_encoding_unknown.c - what the bytes hold and the tables do not know.
 *
 * A newer server may send fields that have no names here.  They are kept, and cannot be told.  All
 * messages are walked; calls nest as deep as messages do, up to KIN__PB_DEPTH_MAX.
 */
#include "object/proto_encoding.h"

#include "object/proto_scan.h"
#include "proto/render.h"

#define ALL (KIN__OBJECT_PARTIAL | KIN__OBJECT_PARTIAL_ARRAY)

static uint8_t unknown_in(kin__pb_message message, kin_str bytes, bool in_list, uint32_t depth);
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

static uint8_t unknown_in_field(const kin__pb_row *row, const kin__pb_field *field, bool in_list,
                                uint32_t depth)
{
    kin__pb_field content = *field;
    kin_str key;

    if ((row->flags & KIN__PB_MAP) != 0 &&
        (!kin__proto_entry(row, kin__pb_content(field), &key, &content) ||
         content.wire != KIN__PB_LEN)) {
        return in_list ? ALL : KIN__OBJECT_PARTIAL;
    }
    return unknown_in(row->message, kin__pb_content(&content),
                      in_list || (row->flags & KIN__PB_LIST) != 0, depth);
}
