/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/proto_build_edits.h - how a copy of a message differs from it: what is cut out, and the
 * lengths that are shorter for it.
 *
 * Edits are added from front to back, but the new length of a message is known only after what is
 * in it: it is opened before and closed after.  Places are offsets in the outermost message.
 *
 * Threading: confined.
 */
#ifndef KIN_OBJECT_PROTO_BUILD_EDITS_H
#define KIN_OBJECT_PROTO_BUILD_EDITS_H

#include "kin/common.h"
#include "proto/reader.h"

#define KIN__PB_EDITS_FEW 8

typedef struct kin__pb_edit {
    uint32_t from; /* these bytes ... */
    uint32_t to;
    uint32_t put;     /* ... become a varint, this number, of `put_size` bytes */
    uint32_t removed; /* while open: bytes removed before it; then: up to `to` */
    uint8_t put_size; /* 0: nothing is put there */
} kin__pb_edit;

typedef struct kin__pb_edits {
    size_t count;
    size_t capacity;
    uint32_t removed;    /* bytes that the copy has less, as far as is known */
    kin__pb_edit *items; /* `few`, or owned */
    kin__pb_edit few[KIN__PB_EDITS_FEW];
} kin__pb_edits;

/* A struct that has been initialised must stay where it is. */
void kin__pb_edits_init(kin__pb_edits *edits);
void kin__pb_edits_fini(kin__pb_edits *edits);

/* Twice the room for edits.  False when there is no memory. */
bool kin__pb_edits_grow(kin__pb_edits *edits) KIN_MUST_CHECK;

/* Cuts out the bytes from `from` to before `to`.  False when there is no memory. */
KIN_MUST_CHECK static inline bool kin__pb_edits_cut(kin__pb_edits *edits, uint32_t from,
                                                    uint32_t to)
{
    kin__pb_edit *last = edits->count > 0 ? &edits->items[edits->count - 1] : NULL;

    if (last != NULL && last->to == from && last->put_size == 0) {
        last->to = to;
    } else if (edits->count == edits->capacity && !kin__pb_edits_grow(edits)) {
        return false;
    } else {
        edits->items[edits->count++] = (kin__pb_edit){ .from = from, .to = to };
    }
    edits->removed += to - from;
    return true;
}

/* The length of a message is written from `from` to before `to`, and edits in it follow.  False
 * when there is no memory. */
KIN_MUST_CHECK static inline bool kin__pb_edits_open(kin__pb_edits *edits, uint32_t from,
                                                     uint32_t to, size_t *out_index)
{
    if (edits->count == edits->capacity && !kin__pb_edits_grow(edits)) {
        return false;
    }
    *out_index = edits->count;
    edits->items[edits->count++] =
        (kin__pb_edit){ .from = from, .to = to, .removed = edits->removed, .put_size = 1 };
    return true;
}

/* The message that was opened as `index`, of `len` bytes, ends.  When nothing in it was edited, its
 * own edit is the last there is, and is taken back. */
static inline void kin__pb_edits_close(kin__pb_edits *edits, size_t index, uint32_t len)
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

/* All have been added; only then may follow what is below. */
void kin__pb_edits_settle(kin__pb_edits *edits);

/* Bytes that move together: from `from` to before `to`, and by how much.  All zero at first. */
typedef struct kin__pb_gap {
    uint32_t from;
    uint32_t to;
    uint32_t removed;
} kin__pb_gap;

/* The gap between two edits that `place`, which stays, lies in. */
kin__pb_gap kin__pb_edits_gap(const kin__pb_edits *edits, uint32_t place);

/* Where the byte at `place`, which stays, comes to lie.  Quick for one that lies in the same gap as
 * the one before. */
static inline uint32_t kin__pb_edits_map(const kin__pb_edits *edits, uint32_t place,
                                         kin__pb_gap *gap)
{
    if (place < gap->from || place >= gap->to) {
        *gap = kin__pb_edits_gap(edits, place);
    }
    return place - gap->removed;
}

/* Writes the copy of the message; it is `edits->removed` bytes shorter. */
void kin__pb_edits_copy(const kin__pb_edits *edits, kin_str message, char *out);

#endif /* KIN_OBJECT_PROTO_BUILD_EDITS_H */
