/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry.c - an entry of a map.
 */
#include "proto/entry.h"

#include "proto/meaning.h"

static bool read_plain(const kin__pb_row *row, kin__pb_reader *reader, kin__pb_entry *out);

bool kin__pb_entry_read(const kin__pb_row *row, kin__pb_reader *reader, kin__pb_entry *out)
{
    kin__pb_wire wire = kin__pb_wire_of((kin__pb_type) row->type);
    kin__pb_field field;

    if (read_plain(row, reader, out)) {
        return true;
    }
    *out = (kin__pb_entry){
        .key = { "", 0 },
        .value = { .number = KIN__PB_ENTRY_VALUE, .wire = wire, .bytes = (const uint8_t *) "" },
    };
    while (kin__pb_next(reader, &field)) {
        bool is_key = field.number == KIN__PB_ENTRY_KEY;
        if (field.number > KIN__PB_ENTRY_VALUE) {
            continue;
        }
        if (field.wire != (is_key ? KIN__PB_LEN : wire)) {
            reader->at = field.start;
            reader->fault = KIN__PB_WRONG_WIRE;
            return false;
        }
        if (is_key) {
            out->key = kin__pb_content(&field);
        } else {
            out->value = field;
        }
    }
    return reader->fault == NULL;
}

static bool read_plain(const kin__pb_row *row, kin__pb_reader *reader, kin__pb_entry *out)
{
    kin_str all = { (const char *) reader->at, (size_t) (reader->end - reader->at) };
    kin_str value;

    if (kin__pb_wire_of((kin__pb_type) row->type) != KIN__PB_LEN ||
        !kin__pb_entry_is_plain(all, &out->key, &value)) {
        return false;
    }
    out->value = (kin__pb_field){
        .start = (const uint8_t *) value.data - 2,
        .number = KIN__PB_ENTRY_VALUE,
        .wire = KIN__PB_LEN,
        .bytes = (const uint8_t *) value.data,
        .len = value.len,
    };
    reader->at = reader->end;
    return true;
}
