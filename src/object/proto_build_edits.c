/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_build_edits.c - how a copy of a message differs from it.
 */
#include "object/proto_build_edits.h"

#include <string.h>

#include "object/few.h"

void kin__pb_edits_init(kin__pb_edits *edits)
{
    edits->count = 0;
    edits->capacity = KIN__PB_EDITS_FEW;
    edits->removed = 0;
    edits->items = edits->few;
}

void kin__pb_edits_fini(kin__pb_edits *edits)
{
    kin__few_free(edits->items, edits->few);
}

void kin__pb_edits_settle(kin__pb_edits *edits)
{
    uint32_t removed = 0;

    for (size_t i = 0; i < edits->count; i++) {
        kin__pb_edit *edit = &edits->items[i];
        removed += edit->to - edit->from - edit->put_size;
        edit->removed = removed;
    }
}

kin__pb_gap kin__pb_edits_gap(const kin__pb_edits *edits, uint32_t place)
{
    size_t low = 0;
    size_t high = edits->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edits->items[middle].to <= place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (kin__pb_gap){
        .from = low == 0 ? 0 : edits->items[low - 1].to,
        .to = low == edits->count ? UINT32_MAX : edits->items[low].to,
        .removed = low == 0 ? 0 : edits->items[low - 1].removed,
    };
}

bool kin__pb_edits_grow(kin__pb_edits *edits)
{
    void *grown = kin__few_grow(edits->items, edits->few, &edits->capacity, sizeof *edits->items);

    if (grown == NULL) {
        return false;
    }
    edits->items = grown;
    return true;
}

void kin__pb_edits_copy(const kin__pb_edits *edits, kin_str message, char *out)
{
    size_t from = 0;

    for (size_t i = 0; i < edits->count; i++) {
        const kin__pb_edit *edit = &edits->items[i];
        memcpy(out, message.data + from, edit->from - from);
        out += edit->from - from;
        if (edit->put_size != 0) {
            out += kin__pb_put_varint(edit->put, (uint8_t *) out);
        }
        from = edit->to;
    }
    if (message.len != from) {
        memcpy(out, message.data + from, message.len - from);
    }
}
