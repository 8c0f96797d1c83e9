/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_build_edits.c - how a copy of a message differs from it.
 *
 * When a message is closed and nothing in it was edited, its own edit is the last there is, and is
 * taken back.
 */
#include "object/proto_build_edits.h"

#include <string.h>

#include "object/few.h"
#include "proto/reader.h"

static bool add(kin__pb_edits *edits, kin__pb_edit edit);

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

bool kin__pb_edits_cut(kin__pb_edits *edits, uint32_t from, uint32_t to)
{
    kin__pb_edit *last = edits->count > 0 ? &edits->items[edits->count - 1] : NULL;

    if (last != NULL && last->to == from && last->put_size == 0) {
        last->to = to;
    } else if (!add(edits, (kin__pb_edit){ .from = from, .to = to })) {
        return false;
    }
    edits->removed += to - from;
    return true;
}

bool kin__pb_edits_open(kin__pb_edits *edits, uint32_t from, uint32_t to, size_t *out_index)
{
    kin__pb_edit edit = { .from = from, .to = to, .removed = edits->removed, .put_size = 1 };

    *out_index = edits->count;
    return add(edits, edit);
}

void kin__pb_edits_close(kin__pb_edits *edits, size_t index, uint32_t len)
{
    kin__pb_edit *edit = &edits->items[index];
    uint32_t removed = edits->removed - edit->removed;

    if (removed == 0) {
        edits->count = index;
        return;
    }
    edit->put = len - removed;
    edit->put_size = (uint8_t) kin__pb_varint_size(edit->put);
    edits->removed += edit->to - edit->from - edit->put_size;
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

static bool add(kin__pb_edits *edits, kin__pb_edit edit)
{
    if (edits->count == edits->capacity) {
        void *grown =
            kin__few_grow(edits->items, edits->few, &edits->capacity, sizeof *edits->items);
        if (grown == NULL) {
            return false;
        }
        edits->items = grown;
    }
    edits->items[edits->count++] = edit;
    return true;
}
