/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/search.h - finding an entry: the one thing that has to be fast.
 *
 * In a header, so that whoever reads has all of it in one piece.
 */
#ifndef KIN_CACHE_SEARCH_H
#define KIN_CACHE_SEARCH_H

#include "cache/lanes.h"
#include "cache/node.h"

/* The lines of the first sixteen entries are asked for together with that of the tags: in a large
 * table they are as far away. */
static inline kin__entry *kin__leaf_search(const kin__leaf *leaf, uint64_t hash, kin_str key)
{
    __builtin_prefetch((const char *) leaf + 64);
    __builtin_prefetch((const char *) leaf + 128);
    size_t count = leaf->count;
    kin__entry *const *entries = kin__leaf_entries(leaf);
    for (size_t from = 0; from < count; from += 32) {
        uint32_t matches = kin__lanes_match(leaf->tags + from, kin__hash_tag(hash));
        for (; matches != 0; matches &= matches - 1) {
            size_t i = from + (size_t) __builtin_ctz(matches);
            if (i < count && kin__lanes_equal(kin__entry_key(entries[i]), key)) {
                return entries[i];
            }
        }
    }
    return NULL;
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
