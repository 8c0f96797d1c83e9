/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storage/storage.h - what the server knows: an etcd in memory.
 *
 * One revision counts all changes of all objects.  A collection has the objects of one resource in
 * the bytewise order of their keys, and the changes that led there, as far back as they are kept.
 * From these two follows what there was at any revision since: the present, less what was done
 * since then.
 *
 * History goes by size (each collection keeps its newest `history_max` changes) and on command
 * (kin__storage_compact()).  A revision is servable by a collection when no change after it was
 * forgotten there, and it is not before the last compaction.
 *
 * Threading: confined.
 */
#ifndef KIN_STORAGE_STORAGE_H
#define KIN_STORAGE_STORAGE_H

#include "storage/record.h"

typedef struct kin__storage kin__storage;
typedef struct kin__collection kin__collection;

/* A change of one object.  Kinds: made (no before), changed, removed (no after). */
typedef struct kin__change {
    uint64_t revision;
    kin__record *before; /* NULL: it was not there */
    kin__record *after;  /* NULL: it is gone */
    void *frames;        /* the layer above's: what was sent of it; goes through release_frames */
} kin__change;

typedef struct kin__storage_options {
    uint64_t first_revision;              /* before the first change; 0: 1 */
    size_t history_max;                   /* of each collection; at least 1 */
    void (*release_frames)(void *frames); /* NULL: `frames` is never set */
} kin__storage_options;

kin_err kin__storage_new(const kin__storage_options *options, kin__storage **out,
                         kin_error *err) KIN_MUST_CHECK;
void kin__storage_free(kin__storage *storage); /* after its collections */
KIN__DEFINE_AUTO(kin__storage, kin__storage_free)

uint64_t kin__storage_revision(const kin__storage *storage);      /* of the last change */
uint64_t kin__storage_next_revision(const kin__storage *storage); /* that the next one will have */
uint64_t kin__storage_compacted(const kin__storage *storage);     /* 0: never was */

/* Forgets the changes up to `revision` (at most the present one) in all collections. */
void kin__storage_compact(kin__storage *storage, uint64_t revision);

/* ---- a collection --------------------------------------------------------------------------- */

kin_err kin__collection_new(kin__storage *storage, kin__collection **out,
                            kin_error *err) KIN_MUST_CHECK;
void kin__collection_free(kin__collection *collection);
KIN__DEFINE_AUTO(kin__collection, kin__collection_free)

kin__storage *kin__collection_storage(const kin__collection *collection);
size_t kin__collection_count(const kin__collection *collection);

/* The present state, borrowed until the next change; NULL when there is none. */
kin__record *kin__collection_get(const kin__collection *collection, kin_str key);

/*
 * Writes it under its own key.  record->revision is kin__storage_next_revision(), which is used up.
 * The record is consumed on success.  Fails with NO_MEMORY, and nothing has happened.
 */
kin_err kin__collection_put(kin__collection *collection, kin__record *record,
                            kin_error *err) KIN_MUST_CHECK;

/* Removes what is there, which uses up a revision.  Fails with NOT_FOUND, NO_MEMORY. */
kin_err kin__collection_remove(kin__collection *collection, kin_str key,
                               kin_error *err) KIN_MUST_CHECK;

/* ---- history -------------------------------------------------------------------------------- */

/* Changes are numbered from 0 without gaps, those that were forgotten included. */
uint64_t kin__collection_first_change(const kin__collection *collection); /* still there */
uint64_t kin__collection_end_change(const kin__collection *collection);   /* of the next one */

/* Borrowed until the next change or compaction; NULL when it was forgotten or is yet to come.
 * Constant time. */
kin__change *kin__collection_change(const kin__collection *collection, uint64_t number);

/* The number of the first change with a revision greater than `revision`. */
uint64_t kin__collection_change_after(const kin__collection *collection, uint64_t revision);

/* The oldest revision from which all changes since are there. */
uint64_t kin__collection_oldest(const kin__collection *collection);

/* Called after each change (put and remove), when it can be read as the last one; one listener;
 * must not change the collection. */
void kin__collection_on_change(kin__collection *collection, void (*changed)(void *context),
                               void *context);

/* ---- lists ---------------------------------------------------------------------------------- */

typedef struct kin__range {
    kin_str prefix;    /* keys begin with it: "kube-system/"; empty: all */
    kin_str start;     /* the first key is this one or behind it; empty: from the beginning */
    uint64_t revision; /* the state at; 0: the present one */
    size_t limit;      /* 0: none */
    bool (*matches)(void *context, const kin_object *object); /* NULL: all */
    void *context;
} kin__range;

typedef struct kin__listing {
    kin__record **records; /* owned array of references, in order */
    size_t count;
    bool has_more;    /* the limit was reached and there are keys behind it, matching or not */
    size_t remaining; /* how many, matching or not; 0 without has_more */
} kin__listing;

/* Fails with EXPIRED (`revision` is not servable: older than kin__collection_oldest()), NO_MEMORY.
 * `out` all zero before; release with kin__listing_fini(). */
kin_err kin__collection_list(const kin__collection *collection, const kin__range *range,
                             kin__listing *out, kin_error *err) KIN_MUST_CHECK;
void kin__listing_fini(kin__listing *listing);
KIN__DEFINE_AUTO_FINI(kin__listing, kin__listing_fini)

#endif /* KIN_STORAGE_STORAGE_H */
