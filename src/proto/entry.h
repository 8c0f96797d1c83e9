/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/entry.h - an entry of a map: a message { 1 key, a string; 2 value }.
 *
 * Of a key or value that comes twice the last one counts, also of a value that is a message: Go
 * makes a new one for each.  What is absent is empty or zero; other fields mean nothing.
 *
 * Threading: pure functions.
 */
#ifndef KIN_PROTO_ENTRY_H
#define KIN_PROTO_ENTRY_H

#include "proto/reader.h"
#include "proto/schema_row.h"

enum { KIN__PB_ENTRY_KEY = 1, KIN__PB_ENTRY_VALUE = 2 };

typedef struct kin__pb_entry {
    kin_str key;
    kin__pb_field value; /* `start` NULL: it is not there */
} kin__pb_entry;

/* Reads an entry, all that `reader` has.  False when it makes no sense: the reader's `fault` tells
 * what is wrong and its `at` where. */
bool kin__pb_entry_read(const kin__pb_row *row, kin__pb_reader *reader, kin__pb_entry *out);

/* Nearly every entry: a key and a value that has a length, both short, and nothing else. */
static inline bool kin__pb_entry_is_plain(kin_str entry, kin_str *out_key, kin_str *out_value)
{
    const uint8_t key_tag = KIN__PB_ENTRY_KEY << 3 | KIN__PB_LEN;
    const uint8_t value_tag = KIN__PB_ENTRY_VALUE << 3 | KIN__PB_LEN;
    const uint8_t *at = (const uint8_t *) entry.data;

    if (entry.len < 4 || at[0] != key_tag || at[1] >= 0x80 || at[1] + 4u > entry.len) {
        return false;
    }
    const uint8_t *value = at + 2 + at[1];
    if (value[0] != value_tag || value[1] >= 0x80 || at[1] + 4u + value[1] != entry.len) {
        return false;
    }
    *out_key = (kin_str){ (const char *) at + 2, at[1] };
    *out_value = (kin_str){ (const char *) value + 2, value[1] };
    return true;
}

#endif /* KIN_PROTO_ENTRY_H */
