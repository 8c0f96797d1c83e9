/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/node.h - the nodes of a table, for those who change its shape.
 *
 * A root is the address of an entry, a leaf or a directory; nodes lie on multiples of 64 bytes, so
 * six bits are free: two for what it is, four for a directory's bits.
 */
#ifndef KIN_CACHE_NODE_H
#define KIN_CACHE_NODE_H

#include "cache/table.h"

enum { KIN__ROOT_ENTRY = 1, KIN__ROOT_LEAF = 2, KIN__ROOT_DIRECTORY = 3 };

#define KIN__NODE_LOW_BITS ((uintptr_t) 63)
#define KIN__PAGE_DEPTH_MAX 8
#define KIN__DIRECTORY_BITS_MAX 15

/* A leaf at the root becomes a directory from this many entries on, and back below half. */
#define KIN__LEAF_MANY 32
/* Entries of a leaf on average: with more a page doubles its leaves, with fewer it halves them. */
#define KIN__LEAF_FULL 16
#define KIN__LEAF_SPARSE 4

static inline unsigned kin__root_kind(kin__table table)
{
    return (unsigned) (table.root & 3);
}

static inline unsigned kin__root_bits(kin__table table)
{
    return (unsigned) (table.root >> 2 & 15);
}

static inline void *kin__node_of(uintptr_t tagged)
{
    return (void *) (tagged & ~KIN__NODE_LOW_BITS);
}

static inline kin__table kin__root_entry(kin__entry *entry)
{
    return (kin__table){ (uintptr_t) entry | KIN__ROOT_ENTRY };
}

static inline kin__table kin__root_leaf(kin__leaf *leaf)
{
    return (kin__table){ (uintptr_t) leaf | KIN__ROOT_LEAF };
}

static inline kin__table kin__root_directory(kin__directory *directory)
{
    return (kin__table){ (uintptr_t) directory | KIN__ROOT_DIRECTORY |
                         (uintptr_t) directory->part.size << 2 };
}

static inline uintptr_t kin__page_slot(kin__page *page)
{
    return (uintptr_t) page | page->part.size;
}

static inline unsigned kin__slot_depth(uintptr_t slot)
{
    return (unsigned) (slot & KIN__NODE_LOW_BITS);
}

/* `count` bits of the hash behind the first `skip`; `count` may be 0. */
static inline size_t kin__hash_bits(uint64_t hash, unsigned skip, unsigned count)
{
    return (size_t) (hash << skip >> 1 >> (63 - count));
}

static inline uint8_t kin__hash_tag(uint64_t hash)
{
    return (uint8_t) hash;
}

/* The tag of entry `i`, and behind it those up to the next multiple of KIN__LEAF_LANES. */
static inline uint8_t *kin__leaf_tag(kin__leaf *leaf, size_t i)
{
    if (i < KIN__LEAF_LANES) {
        return &leaf->tags[i];
    }
    void *more = &leaf->entries[leaf->capacity];
    return (uint8_t *) more + (i - KIN__LEAF_LANES);
}

/* The leaf has room. */
static inline void kin__leaf_put(kin__leaf *leaf, uint8_t tag, kin__entry *entry)
{
    *kin__leaf_tag(leaf, leaf->count) = tag;
    leaf->entries[leaf->count++] = entry;
}

/* Empty, with room for at least `count`; NULL when there is no memory. */
kin__leaf *kin__leaf_make(kin__batch *batch, size_t count) KIN_MUST_CHECK;

/* All leaves NULL. */
kin__page *kin__page_make(kin__batch *batch, size_t depth) KIN_MUST_CHECK;
kin__directory *kin__directory_make(kin__batch *batch, size_t bits) KIN_MUST_CHECK;

/* Appends all entries of `from`, which may be NULL; there is room. */
void kin__leaf_put_all(kin__leaf *leaf, const kin__leaf *from);

/* Drops the page and its leaves. */
void kin__page_drop(kin__page *page, kin__batch *batch);

/*
 * Other shapes of the same content (shape.c).  Without memory they leave everything as it is and
 * return false.
 */
bool kin__shape_leaf_to_directory(kin__table *table, kin__batch *batch);
bool kin__shape_directory_to_leaf(kin__table *table, kin__batch *batch);
bool kin__shape_double_directory(kin__table *table, kin__batch *batch);
bool kin__shape_halve_directory(kin__table *table, kin__batch *batch);

/* `slot` is one of a directory that takes `bits` bits. */
bool kin__shape_double_page(uintptr_t *slot, unsigned bits, kin__batch *batch);
bool kin__shape_halve_page(uintptr_t *slot, kin__batch *batch);

#endif /* KIN_CACHE_NODE_H */
