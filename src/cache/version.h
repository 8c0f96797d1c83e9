/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/version.h - one version of a store: all that a view sees.
 *
 * Threading: immutable once published; before that, confined to the writer.
 */
#ifndef KIN_CACHE_VERSION_H
#define KIN_CACHE_VERSION_H

#include "cache/index.h"
#include "cache/table.h"

/* A string that a version has: where a source stands. */
typedef struct kin__text {
    kin__part part;
    size_t len;
    char bytes[];
} kin__text;

typedef struct kin__version {
    kin__part part; /* .born is its number */
    uint64_t seed;  /* as in kin__batch */
    uint64_t blind;
    kin__table objects; /* by their keys */
    uint32_t index_count;
    uint32_t index_capacity;
    uint32_t source_count;
    kin__index indexes[]; /* then a kin__text * for each source; NULL: not synced yet */
} kin__version;

static inline size_t kin__version_bytes(size_t index_capacity, size_t source_count)
{
    return sizeof(kin__version) + index_capacity * sizeof(kin__index) +
           source_count * sizeof(kin__text *);
}

static inline kin__text **kin__version_sources(kin__version *version)
{
    return (kin__text **) (void *) (version->indexes + version->index_capacity);
}

/* A version of this batch without content.  NULL when there is no memory. */
kin__version *kin__version_make(kin__batch *batch, size_t index_capacity,
                                size_t source_count) KIN_MUST_CHECK;

/* A version of this batch with the content of `from`, and room for `more` more indexes.  NULL when
 * there is no memory. */
kin__version *kin__version_copy(kin__batch *batch, const kin__version *from,
                                size_t more) KIN_MUST_CHECK;

/* NULL when there is none of that name. */
const kin__index *kin__version_index(const kin__version *version, const char *name);

/* Drops everything in it, and itself. */
void kin__version_drop(kin__version *version, kin__batch *batch);

#endif /* KIN_CACHE_VERSION_H */
