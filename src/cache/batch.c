/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch.c - making and dropping parts, and counting their bytes.
 */
#include "cache/batch.h"

#include "base/hash.h"
#include "base/slab.h"
#include "cache/table.h"

void *kin__batch_make(kin__batch *batch, kin__part_kind kind, size_t size, size_t bytes)
{
    kin__part *part = kin__slab_alloc(bytes);
    if (part == NULL) {
        return NULL;
    }
    part->postings = 0;
    part->born = batch->number & KIN__PART_BORN_MAX;
    part->kind = (unsigned) kind & 0xfu;
    part->size = size & 0xffffu;
    batch->structure_bytes += bytes;
    return part;
}

void kin__batch_drop(kin__batch *batch, kin__part *part)
{
    batch->structure_bytes -= kin__part_bytes(part);
    if (part->kind == KIN__PART_OBJECT) {
        batch->object_bytes -= kin_object_size(((kin__entry *) (void *) part)->object);
    } else if (kin__batch_owns(batch, part)) {
        kin__part_free(part);
        return;
    }
    kin__pile_put(&batch->dropped, part);
}

uint64_t kin__batch_hash(const kin__batch *batch, kin_str key)
{
    return kin__hash(key.data, key.len, batch->seed) & ~batch->blind;
}
