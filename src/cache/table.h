/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/table.h - a persistent hash table of entries.
 *
 *     directory, by the hash's first bits ──► page, by the next ──► leaf: tags, and entries
 *
 * A leaf has a byte of each entry's hash, its tag: a search compares 32 of them at once and looks
 * only at entries whose tag is right.  Small tables are less: one leaf, one entry, or nothing.
 *
 * A batch that changes a table copies the nodes on the way to the leaf, once.  That is apart from
 * the change: kin__table_open() does all that may fail and changes nothing that can be seen;
 * what follows cannot fail.  So whoever has several tables to change opens all of them first.
 *
 * Threading: what was published is immutable; a batch's own is confined to the writer.
 */
#ifndef KIN_CACHE_TABLE_H
#define KIN_CACHE_TABLE_H

#include <string.h>

#include "cache/batch.h"
#include "cache/part.h"
#include "kin/store.h"

/* The address of what is at the root, and in its low bits what that is; 0: nothing is. */
typedef struct kin__table {
    uintptr_t root;
} kin__table;

#define KIN__KEY_MAX 65535 /* bytes */

typedef struct kin__entry {
    kin__part part; /* .size is the key's length */
    union {
        const kin_object *object;
        kin__table set; /* a value's: the objects that have it, by their keys */
    };
    char key[];
} kin__entry;

static inline kin_str kin__entry_key(const kin__entry *entry)
{
    return (kin_str){ entry->key, entry->part.size };
}

#define KIN__LEAF_LANES 32 /* tags that are compared at once */

typedef struct kin__leaf {
    kin__part part;
    uint32_t count;
    uint32_t capacity;
    uint64_t unused;
    uint8_t tags[KIN__LEAF_LANES]; /* of the first entries */
    kin__entry *entries[];         /* `capacity` of them; then the tags of the others */
} kin__leaf;

typedef struct kin__page {
    kin__part part;      /* .size is its depth */
    size_t count;        /* of entries */
    kin__leaf *leaves[]; /* NULL: empty */
} kin__page;

typedef struct kin__directory {
    kin__part part;    /* .size is how many bits it takes */
    size_t count;      /* of entries */
    uintptr_t pages[]; /* a page's address, and its depth in the low bits */
} kin__directory;

/* Of the tags behind the entries: rounded up, so that all lanes can be read. */
static inline size_t kin__leaf_more_tags(size_t capacity)
{
    return (capacity - 1) / KIN__LEAF_LANES * KIN__LEAF_LANES;
}

static inline size_t kin__leaf_bytes(size_t capacity)
{
    return sizeof(kin__leaf) + capacity * sizeof(kin__entry *) + kin__leaf_more_tags(capacity);
}

static inline size_t kin__page_bytes(size_t depth)
{
    return sizeof(kin__page) + (sizeof(kin__leaf *) << depth);
}

static inline size_t kin__directory_bytes(size_t bits)
{
    return sizeof(kin__directory) + (sizeof(uintptr_t) << bits);
}

/* A new entry, of `object` or with an empty set (NULL); `key` is copied, KIN__KEY_MAX at most.
 * Takes no reference.  NULL when there is no memory. */
kin__entry *kin__entry_make(kin__batch *batch, kin_str key,
                            const kin_object *object) KIN_MUST_CHECK;

/* Takes back an entry that is in no table, and no reference with it. */
void kin__entry_unmake(kin__batch *batch, kin__entry *entry);

/* `hash` is always kin__batch_hash() of the key. */
kin__entry *kin__table_find(kin__table table, uint64_t hash, kin_str key);
size_t kin__table_count(kin__table table);

/* Makes ready for one change of the entry with that hash, and with `for_more` for one more entry.
 * False when there is no memory. */
bool kin__table_open(kin__table *table, kin__batch *batch, uint64_t hash,
                     bool for_more) KIN_MUST_CHECK;

/* After an open for more; no entry has that key. */
void kin__table_add(kin__table *table, uint64_t hash, kin__entry *entry);

/* After an open; `entry` is there. */
void kin__table_replace(kin__table *table, uint64_t hash, const kin__entry *entry,
                        kin__entry *other);
void kin__table_remove(kin__table *table, kin__batch *batch, uint64_t hash,
                       const kin__entry *entry);

/* Makes the table smaller near that hash when few entries are left, and there is memory for it. */
void kin__table_tidy(kin__table *table, kin__batch *batch, uint64_t hash);

/* Drops all nodes, not the entries; leaves an empty table. */
void kin__table_drop(kin__table *table, kin__batch *batch);

/* Walks all entries, in no order.  The table stays as it is meanwhile, but for replacements. */
kin_walk kin__table_walk(kin__table table);
kin__entry *kin__walk_next_leaf(kin_walk *walk);

/* NULL at the end. */
static inline kin__entry *kin__walk_next(kin_walk *walk)
{
    const kin__leaf *leaf = walk->leaf;
    if (leaf != NULL && walk->slot < leaf->count) {
        return leaf->entries[walk->slot++];
    }
    return kin__walk_next_leaf(walk);
}

#endif /* KIN_CACHE_TABLE_H */
