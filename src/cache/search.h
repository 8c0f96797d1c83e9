/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/search.h - finding an entry: the one thing that has to be fast.
 *
 * In a header, so that whoever reads has all of it in one piece.  Of a large table the time of a
 * get is that of memory; what is done here in few instructions lets the processor have the lines of
 * several gets under way at once.
 */
#ifndef KIN_CACHE_SEARCH_H
#define KIN_CACHE_SEARCH_H

#include "cache/lanes.h"
#include "cache/node.h"

/* Among the entries of a leaf from `from` on, as many as are compared at once. */
static inline kin__entry *kin__lanes_search(const kin__leaf *leaf, size_t from, const uint8_t *tags,
                                            uint64_t hash, kin_str key)
{
    uint32_t matches = kin__lanes_match(tags, kin__hash_tag(hash));
    for (; matches != 0; matches &= matches - 1) {
        size_t i = from + (unsigned) __builtin_ctz(matches);
        if (i < leaf->count && kin__lanes_equal(kin__entry_key(leaf->entries[i]), key)) {
            return leaf->entries[i];
        }
    }
    return NULL;
}

/* Among those that the first comparison leaves out. */
kin__entry *kin__leaf_search_rest(const kin__leaf *leaf, uint64_t hash, kin_str key);

/* The lines of the first sixteen entries are asked for together with that of the tags: in a large
 * table they are as far away. */
static inline kin__entry *kin__leaf_search(const kin__leaf *leaf, uint64_t hash, kin_str key)
{
    __builtin_prefetch(leaf->entries);
    __builtin_prefetch(leaf->entries + 8);
    kin__entry *entry = kin__lanes_search(leaf, 0, leaf->tags, hash, key);
    if (entry != NULL || leaf->count <= KIN__LEAF_LANES) {
        return entry;
    }
    return kin__leaf_search_rest(leaf, hash, key);
}

static inline kin__entry *kin__table_search(kin__table table, uint64_t hash, kin_str key)
{
    if (kin__root_kind(table) == KIN__ROOT_DIRECTORY) {
        const kin__directory *directory = kin__node_of(table.root);
        unsigned bits = kin__root_bits(table);
        uintptr_t slot = directory->pages[kin__hash_bits(hash, 0, bits)];
        const kin__page *page = kin__node_of(slot);
        const kin__leaf *leaf = page->leaves[kin__hash_bits(hash, bits, kin__slot_depth(slot))];
        return leaf == NULL ? NULL : kin__leaf_search(leaf, hash, key);
    }
    if (kin__root_kind(table) == KIN__ROOT_LEAF) {
        return kin__leaf_search(kin__node_of(table.root), hash, key);
    }
    kin__entry *entry = kin__node_of(table.root);
    return entry != NULL && kin__lanes_equal(kin__entry_key(entry), key) ? entry : NULL;
}

#endif /* KIN_CACHE_SEARCH_H */
