/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_keys.c - how a strategic merge patch treats a field.
 */
#include "server/merge_keys.h"

#include "base/str.h"

kin__merge_key kin__merge_key_of(kin__pb_message message, uint32_t number)
{
    const kin__merge_key_row *row = kin__merge_key_find(message, number);

    if (row == NULL) {
        return (kin__merge_key){ 0 };
    }
    return (kin__merge_key){ row->strategies, kin__merge_key_text(row->merge_key) };
}

const kin__merge_key_row *kin__merge_key_find(kin__pb_message message, uint32_t number)
{
    size_t low = 0;
    size_t high = kin__merge_key_row_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const kin__merge_key_row *row = &kin__merge_key_rows[middle];
        if (row->message == message && row->number == number) {
            return row;
        }
        if (row->message < message || (row->message == message && row->number < number)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

kin_str kin__merge_key_text(uint16_t offset)
{
    const char *at = kin__merge_key_texts + offset;

    return kin__str(at + 1, (unsigned char) at[0]);
}
