/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/batch.h - what a running batch makes and drops.
 *
 * Parts that were born in the batch may be changed in place; all others are copied first, and
 * dropped.
 *
 * Threading: confined to the writer.
 */
#ifndef KIN_CACHE_BATCH_H
#define KIN_CACHE_BATCH_H

#include "cache/part.h"

typedef struct kin__batch {
    uint64_t number; /* of the version it will be */
    uint64_t seed;   /* of its store's hashes */
    uint64_t blind;  /* bits of a hash that are cleared: 0 but in tests */
    kin__pile dropped;
    size_t structure_bytes; /* of all parts of the newest version */
    size_t object_bytes;    /* of its objects */
} kin__batch;

/* A part of `bytes` bytes, of which only the kin__part is set; NULL when there is no memory. */
void *kin__batch_make(kin__batch *batch, kin__part_kind kind, size_t size,
                      size_t bytes) KIN_MUST_CHECK;

/* Drops a part.  One that nobody else can have seen goes at once, except an object's entry: that
 * stays until the batch is published. */
void kin__batch_drop(kin__batch *batch, kin__part *part);

static inline bool kin__batch_owns(const kin__batch *batch, const kin__part *part)
{
    return part->born == batch->number;
}

uint64_t kin__batch_hash(const kin__batch *batch, kin_str key);

#endif /* KIN_CACHE_BATCH_H */
