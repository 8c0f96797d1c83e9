/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version.c - making, copying and dropping versions.
 */
#include "cache/version.h"

kin__version *kin__version_make(kin__batch *batch, size_t index_capacity, size_t source_count)
{
    size_t bytes = kin__version_bytes(index_capacity, source_count);
    kin__version *version = kin__batch_make(batch, KIN__PART_VERSION, 0, bytes);
    if (version == NULL) {
        return NULL;
    }
    version->seed = batch->seed;
    version->blind = batch->blind;
    version->objects = (kin__table){ 0 };
    version->index_count = 0;
    version->index_capacity = (uint32_t) index_capacity;
    version->source_count = (uint32_t) source_count;
    memset(kin__version_sources(version), 0, source_count * sizeof(kin__text *));
    return version;
}

kin__version *kin__version_copy(kin__batch *batch, const kin__version *from, size_t more)
{
    size_t capacity = from->index_count + more;
    kin__version *copy = kin__version_make(batch, capacity, from->source_count);
    if (copy == NULL) {
        return NULL;
    }
    copy->objects = from->objects;
    copy->index_count = from->index_count;
    memcpy(copy->indexes, from->indexes, from->index_count * sizeof(kin__index));
    memcpy(kin__version_sources(copy), kin__version_sources((kin__version *) from),
           from->source_count * sizeof(kin__text *));
    return copy;
}

const kin__index *kin__version_index(const kin__version *version, const char *name)
{
    for (size_t i = 0; i < version->index_count; i++) {
        if (strcmp(version->indexes[i].rule->name, name) == 0) {
            return &version->indexes[i];
        }
    }
    return NULL;
}

/* Snapshots may go on seeing it: nothing in it is changed. */
void kin__version_drop(kin__version *version, kin__batch *batch)
{
    for (size_t i = 0; i < version->index_count; i++) {
        kin__index index = version->indexes[i];
        kin__index_drop(&index, batch);
    }
    kin__table objects = version->objects;
    kin_walk walk = kin__table_walk(objects);
    for (kin__entry *entry; (entry = kin__walk_next(&walk)) != NULL;) {
        kin__batch_drop(batch, &entry->part);
    }
    kin__table_drop(&objects, batch);
    for (size_t i = 0; i < version->source_count; i++) {
        if (kin__version_sources(version)[i] != NULL) {
            kin__batch_drop(batch, &kin__version_sources(version)[i]->part);
        }
    }
    kin__batch_drop(batch, &version->part);
}
