/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/part.h - what stores are made of, and when each part came.
 *
 * Every part (a table's node, an entry, a version) begins with a kin__part.  A part is born in a
 * batch, which may change it; once that is published it stays as it is, but for what readers never
 * look at: the first word.  A later batch takes other parts in its place and drops it.
 *
 * Threading: confined to the writer, except where a part has been published.
 */
#ifndef KIN_CACHE_PART_H
#define KIN_CACHE_PART_H

#include "kin/common.h"

typedef enum kin__part_kind {
    KIN__PART_OBJECT, /* kin__entry: an object, of which it has a reference */
    KIN__PART_VALUE,  /* kin__entry: a value of an index */
    KIN__PART_LEAF,
    KIN__PART_PAGE,
    KIN__PART_DIRECTORY,
    KIN__PART_VERSION,
    KIN__PART_TEXT,
    KIN__PART_RULE
} kin__part_kind;

#define KIN__PART_BORN_MAX (((uint64_t) 1 << 44) - 1) /* 50 years of 10,000 versions a second */

typedef struct kin__part {
    union {
        struct kin__part *next; /* dropped: in its pile */
        size_t postings;        /* an object's entry, not dropped: how many sets have it */
    };
    uint64_t born : 44; /* the number of the version */
    uint64_t kind : 4;
    uint64_t size : 16; /* an entry's key, in bytes; a page's depth; a directory's bits */
} kin__part;

/* Of its memory. */
size_t kin__part_bytes(const kin__part *part);

/* Releases it, and the reference it has. */
void kin__part_free(kin__part *part);

/* Parts that were dropped.  All zero is an empty pile. */
typedef struct kin__pile {
    kin__part *first;
    kin__part *last;
    size_t count;
} kin__pile;

void kin__pile_put(kin__pile *pile, kin__part *part);

/* Moves all of `from`; takes no longer for many. */
void kin__pile_move(kin__pile *to, kin__pile *from);

/* NULL when it is empty. */
kin__part *kin__pile_take(kin__pile *pile);

/* Releases all. */
void kin__pile_clear(kin__pile *pile);

#endif /* KIN_CACHE_PART_H */
