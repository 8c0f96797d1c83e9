/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - finding, walking and changing the entries of a table.
 *
 * Invariants
 *   - all entries of a page with the same next bits of the hash are in one leaf, however many
 *     they are: a leaf has room for any number, so no hash function can break a table
 *   - every leaf's first `count` slots are taken, in no order; none may be, where a change was made
 *     ready for and then had no memory
 *   - counts of pages and directories are those of their entries
 *
 * A node is changed in place only when the running batch owns it, and then all nodes above it are
 * the batch's own too.
 */
#include "cache/table.h"

#include <assert.h>

#include "base/slab.h"
#include "cache/node.h"
#include "cache/search.h"

static void fetch_ahead(const kin__page *page, size_t leaf_number);
static bool open_directory(kin__table *table, kin__batch *batch, uint64_t hash, bool for_more);
static kin__directory *own_directory(kin__table *table, kin__batch *batch);
static kin__page *own_page(uintptr_t *slot, kin__batch *batch);
static bool own_leaf(kin__leaf **slot, kin__batch *batch, bool for_more);
static bool make_leaf_of_entry(kin__table *table, kin__batch *batch);
static uintptr_t *page_slot_of(kin__table table, uint64_t hash);
static kin__leaf **leaf_slot_of(kin__page *page, unsigned bits, uint64_t hash);
static kin__leaf *leaf_of(kin__table table, uint64_t hash);
static size_t slot_of(const kin__leaf *leaf, const kin__entry *entry);
static void remove_from_leaf(kin__leaf *leaf, const kin__entry *entry);
static void remove_from_directory(kin__table *table, kin__batch *batch, uint64_t hash,
                                  const kin__entry *entry);

kin__entry *kin__entry_make(kin__batch *batch, kin_str key, const kin_object *object)
{
    assert(key.len <= KIN__KEY_MAX);
    kin__part_kind kind = object != NULL ? KIN__PART_OBJECT : KIN__PART_VALUE;
    kin__entry *entry = kin__batch_make(batch, kind, key.len, sizeof *entry + key.len);
    if (entry == NULL) {
        return NULL;
    }
    if (object != NULL) {
        entry->object = object;
        batch->object_bytes += kin_object_size(object);
    } else {
        entry->set = (kin__table){ 0 };
    }
    if (key.len != 0) {
        memcpy(entry->key, key.data, key.len);
    }
    return entry;
}

void kin__entry_unmake(kin__batch *batch, kin__entry *entry)
{
    size_t bytes = kin__part_bytes(&entry->part);
    if (entry->part.kind == KIN__PART_OBJECT) {
        batch->object_bytes -= kin_object_size(entry->object);
    }
    batch->structure_bytes -= bytes;
    kin__slab_free(entry, bytes);
}

kin__entry *kin__table_find(kin__table table, uint64_t hash, kin_str key)
{
    return kin__table_search(table, hash, key);
}

kin__entry *kin__leaf_search_rest(const kin__leaf *leaf, uint64_t hash, kin_str key)
{
    kin__entry *entry = NULL;
    for (size_t from = KIN__LEAF_LANES; entry == NULL && from < leaf->count;
         from += KIN__LEAF_LANES) {
        const uint8_t *tags = kin__leaf_tag((kin__leaf *) leaf, from);
        entry = kin__lanes_search(leaf, from, tags, hash, key);
    }
    return entry;
}

size_t kin__table_count(kin__table table)
{
    const void *node = kin__node_of(table.root);

    switch (kin__root_kind(table)) {
    case KIN__ROOT_ENTRY:
        return 1;
    case KIN__ROOT_LEAF:
        return ((const kin__leaf *) node)->count;
    case KIN__ROOT_DIRECTORY:
        return ((const kin__directory *) node)->count;
    default:
        return 0;
    }
}

bool kin__table_open(kin__table *table, kin__batch *batch, uint64_t hash, bool for_more)
{
    kin__leaf *leaf = kin__node_of(table->root);

    switch (kin__root_kind(*table)) {
    case KIN__ROOT_ENTRY:
        return !for_more || make_leaf_of_entry(table, batch);
    case KIN__ROOT_LEAF:
        if (for_more && leaf->count >= KIN__LEAF_MANY &&
            kin__shape_leaf_to_directory(table, batch)) {
            return open_directory(table, batch, hash, for_more);
        }
        if (!own_leaf(&leaf, batch, for_more)) {
            return false;
        }
        *table = kin__root_leaf(leaf);
        return true;
    case KIN__ROOT_DIRECTORY:
        return open_directory(table, batch, hash, for_more);
    default:
        return true;
    }
}

void kin__table_add(kin__table *table, uint64_t hash, kin__entry *entry)
{
    if (table->root == 0) {
        *table = kin__root_entry(entry);
        return;
    }
    assert(kin__root_kind(*table) != KIN__ROOT_ENTRY);
    if (kin__root_kind(*table) == KIN__ROOT_DIRECTORY) {
        kin__directory *directory = kin__node_of(table->root);
        kin__page *page = kin__node_of(*page_slot_of(*table, hash));
        directory->count++;
        page->count++;
    }
    kin__leaf *leaf = leaf_of(*table, hash);
    assert(leaf->count < leaf->capacity);
    kin__leaf_put(leaf, kin__hash_tag(hash), entry);
}

void kin__table_replace(kin__table *table, uint64_t hash, const kin__entry *entry,
                        kin__entry *other)
{
    if (kin__root_kind(*table) == KIN__ROOT_ENTRY) {
        *table = kin__root_entry(other);
        return;
    }
    kin__leaf *leaf = leaf_of(*table, hash);
    leaf->entries[slot_of(leaf, entry)] = other;
}

void kin__table_remove(kin__table *table, kin__batch *batch, uint64_t hash, const kin__entry *entry)
{
    if (kin__root_kind(*table) == KIN__ROOT_DIRECTORY) {
        remove_from_directory(table, batch, hash, entry);
        return;
    }
    if (kin__root_kind(*table) == KIN__ROOT_ENTRY) {
        *table = (kin__table){ 0 };
        return;
    }
    kin__leaf *leaf = kin__node_of(table->root);
    remove_from_leaf(leaf, entry);
    if (leaf->count <= 1) {
        *table = leaf->count == 0 ? (kin__table){ 0 } : kin__root_entry(leaf->entries[0]);
        kin__batch_drop(batch, &leaf->part);
    }
}

void kin__table_tidy(kin__table *table, kin__batch *batch, uint64_t hash)
{
    if (kin__root_kind(*table) != KIN__ROOT_DIRECTORY) {
        return;
    }
    unsigned bits = kin__root_bits(*table);
    size_t count = kin__table_count(*table);
    if (bits == 0 && count <= KIN__LEAF_MANY / 2) {
        (void) kin__shape_directory_to_leaf(table, batch);
        return;
    }
    size_t page_full = (size_t) KIN__LEAF_FULL << KIN__PAGE_DEPTH_MAX;
    if (bits > 0 && count < (page_full / 8) << bits) {
        (void) kin__shape_halve_directory(table, batch);
        return;
    }
    uintptr_t *slot = page_slot_of(*table, hash);
    kin__page *page = kin__node_of(*slot);
    if (page->part.size > 0 && page->count < (size_t) KIN__LEAF_SPARSE << page->part.size) {
        (void) kin__shape_halve_page(slot, batch);
    }
}

void kin__table_drop(kin__table *table, kin__batch *batch)
{
    if (kin__root_kind(*table) == KIN__ROOT_LEAF) {
        kin__leaf *leaf = kin__node_of(table->root);
        kin__batch_drop(batch, &leaf->part);
    } else if (kin__root_kind(*table) == KIN__ROOT_DIRECTORY) {
        kin__directory *directory = kin__node_of(table->root);
        for (size_t i = 0; i < (size_t) 1 << directory->part.size; i++) {
            kin__page_drop(kin__node_of(directory->pages[i]), batch);
        }
        kin__batch_drop(batch, &directory->part);
    }
    *table = (kin__table){ 0 };
}

kin_walk kin__table_walk(kin__table table)
{
    return (kin_walk){ .root = table.root };
}

/* `at` counts the leaves of the directory: the page's number in the high bits, its leaf's in the
 * low ones. */
kin__entry *kin__walk_next_leaf(kin_walk *walk)
{
    kin__table table = { walk->root };
    const kin__leaf *leaf = NULL;

    if (kin__root_kind(table) != KIN__ROOT_DIRECTORY) {
        walk->root = 0;
        if (kin__root_kind(table) != KIN__ROOT_LEAF) {
            walk->leaf = NULL;
            return kin__node_of(table.root);
        }
        leaf = kin__node_of(table.root);
    }
    const kin__directory *directory = kin__node_of(table.root);
    while (leaf == NULL || leaf->count == 0) {
        size_t page_number = walk->at >> KIN__PAGE_DEPTH_MAX;
        if (page_number >> kin__root_bits(table) != 0) {
            *walk = (kin_walk){ 0 };
            return NULL;
        }
        uintptr_t slot = directory->pages[page_number];
        size_t leaf_number = walk->at & (((size_t) 1 << KIN__PAGE_DEPTH_MAX) - 1);
        if (leaf_number >> kin__slot_depth(slot) != 0) {
            walk->at = (page_number + 1) << KIN__PAGE_DEPTH_MAX;
            continue;
        }
        const kin__page *page = kin__node_of(slot);
        leaf = page->leaves[leaf_number];
        fetch_ahead(page, leaf_number);
        walk->at++; /* after a page's last leaf, the first of the next one */
    }
    walk->leaf = leaf;
    walk->slot = 1;
    return leaf->entries[0];
}

kin__leaf *kin__leaf_make(kin__batch *batch, size_t count)
{
    size_t capacity = count == 0 ? 8 : (count + 7) / 8 * 8;
    if (capacity > UINT32_MAX) {
        return NULL;
    }
    kin__leaf *leaf = kin__batch_make(batch, KIN__PART_LEAF, 0, kin__leaf_bytes(capacity));
    if (leaf != NULL) {
        leaf->count = 0;
        leaf->capacity = (uint32_t) capacity;
        leaf->unused = 0;
        memset(leaf->tags, 0, sizeof leaf->tags);
        memset(leaf->entries + capacity, 0, kin__leaf_more_tags(capacity));
    }
    return leaf;
}

kin__page *kin__page_make(kin__batch *batch, size_t depth)
{
    kin__page *page = kin__batch_make(batch, KIN__PART_PAGE, depth, kin__page_bytes(depth));
    if (page != NULL) {
        page->count = 0;
        memset(page->leaves, 0, sizeof(kin__leaf *) << depth);
    }
    return page;
}

kin__directory *kin__directory_make(kin__batch *batch, size_t bits)
{
    size_t bytes = kin__directory_bytes(bits);
    kin__directory *directory = kin__batch_make(batch, KIN__PART_DIRECTORY, bits, bytes);
    if (directory != NULL) {
        directory->count = 0;
        memset(directory->pages, 0, sizeof(uintptr_t) << bits);
    }
    return directory;
}

void kin__leaf_put_all(kin__leaf *leaf, const kin__leaf *from)
{
    if (from == NULL) {
        return;
    }
    for (size_t i = 0; i < from->count; i++) {
        kin__leaf_put(leaf, *kin__leaf_tag((kin__leaf *) from, i), from->entries[i]);
    }
}

void kin__page_drop(kin__page *page, kin__batch *batch)
{
    for (size_t i = 0; i < (size_t) 1 << page->part.size; i++) {
        if (page->leaves[i] != NULL) {
            kin__batch_drop(batch, &page->leaves[i]->part);
        }
    }
    kin__batch_drop(batch, &page->part);
}

/* Asks for the leaf after the next one, and for the entries of the next one: by then it is here. */
static void fetch_ahead(const kin__page *page, size_t leaf_number)
{
    size_t count = (size_t) 1 << page->part.size;

    const char *later =
        leaf_number + 2 < count ? (const char *) page->leaves[leaf_number + 2] : NULL;
    if (later != NULL) {
        __builtin_prefetch(later);
        __builtin_prefetch(later + 64);
        __builtin_prefetch(later + 128);
    }
    const kin__leaf *next = leaf_number + 1 < count ? page->leaves[leaf_number + 1] : NULL;
    for (size_t i = 0; next != NULL && i < next->count; i++) {
        __builtin_prefetch(next->entries[i]);
    }
}

/* Doubling is for speed: where there is no memory for it, leaves get long instead. */
static bool open_directory(kin__table *table, kin__batch *batch, uint64_t hash, bool for_more)
{
    kin__directory *directory = own_directory(table, batch);
    if (directory == NULL) {
        return false;
    }
    uintptr_t *slot = page_slot_of(*table, hash);
    kin__page *page = own_page(slot, batch);
    if (page == NULL) {
        return false;
    }
    if (for_more && page->count >= (size_t) KIN__LEAF_FULL << page->part.size) {
        size_t page_full = (size_t) KIN__LEAF_FULL << KIN__PAGE_DEPTH_MAX;
        if (page->part.size < KIN__PAGE_DEPTH_MAX) {
            (void) kin__shape_double_page(slot, kin__root_bits(*table), batch);
        } else if (kin__root_bits(*table) < KIN__DIRECTORY_BITS_MAX &&
                   directory->count >= (page_full / 2) << kin__root_bits(*table)) {
            (void) kin__shape_double_directory(table, batch);
        }
        slot = page_slot_of(*table, hash);
        page = kin__node_of(*slot);
    }
    kin__leaf **leaf = leaf_slot_of(page, kin__root_bits(*table), hash);
    if (*leaf == NULL) {
        return !for_more || (*leaf = kin__leaf_make(batch, 1)) != NULL;
    }
    return own_leaf(leaf, batch, for_more);
}

static kin__directory *own_directory(kin__table *table, kin__batch *batch)
{
    kin__directory *old = kin__node_of(table->root);
    if (kin__batch_owns(batch, &old->part)) {
        return old;
    }
    kin__directory *own = kin__directory_make(batch, old->part.size);
    if (own != NULL) {
        own->count = old->count;
        memcpy(own->pages, old->pages, sizeof(uintptr_t) << old->part.size);
        kin__batch_drop(batch, &old->part);
        *table = kin__root_directory(own);
    }
    return own;
}

static kin__page *own_page(uintptr_t *slot, kin__batch *batch)
{
    kin__page *old = kin__node_of(*slot);
    if (kin__batch_owns(batch, &old->part)) {
        return old;
    }
    kin__page *own = kin__page_make(batch, old->part.size);
    if (own != NULL) {
        own->count = old->count;
        memcpy(own->leaves, old->leaves, sizeof(kin__leaf *) << old->part.size);
        kin__batch_drop(batch, &old->part);
        *slot = kin__page_slot(own);
    }
    return own;
}

/* A long leaf grows by a quarter, so that filling it takes no quadratic time. */
static bool own_leaf(kin__leaf **slot, kin__batch *batch, bool for_more)
{
    kin__leaf *old = *slot;
    bool has_room = !for_more || old->count < old->capacity;
    bool is_own = kin__batch_owns(batch, &old->part);
    if (is_own && has_room) {
        return true;
    }
    size_t more = for_more ? 1 : 0;
    size_t growth = is_own && old->count > KIN__LEAF_MANY ? old->count / 4 : 0;
    kin__leaf *own = kin__leaf_make(batch, old->count + more + growth);
    if (own == NULL) {
        return false;
    }
    kin__leaf_put_all(own, old);
    kin__batch_drop(batch, &old->part);
    *slot = own;
    return true;
}

/* Of the entry at the root only its key tells the tag. */
static bool make_leaf_of_entry(kin__table *table, kin__batch *batch)
{
    kin__entry *entry = kin__node_of(table->root);
    kin__leaf *leaf = kin__leaf_make(batch, 2);
    if (leaf == NULL) {
        return false;
    }
    kin__leaf_put(leaf, kin__hash_tag(kin__batch_hash(batch, kin__entry_key(entry))), entry);
    *table = kin__root_leaf(leaf);
    return true;
}

static uintptr_t *page_slot_of(kin__table table, uint64_t hash)
{
    kin__directory *directory = kin__node_of(table.root);
    return &directory->pages[kin__hash_bits(hash, 0, kin__root_bits(table))];
}

static kin__leaf **leaf_slot_of(kin__page *page, unsigned bits, uint64_t hash)
{
    return &page->leaves[kin__hash_bits(hash, bits, page->part.size)];
}

static kin__leaf *leaf_of(kin__table table, uint64_t hash)
{
    if (kin__root_kind(table) == KIN__ROOT_LEAF) {
        return kin__node_of(table.root);
    }
    kin__page *page = kin__node_of(*page_slot_of(table, hash));
    return *leaf_slot_of(page, kin__root_bits(table), hash);
}

static size_t slot_of(const kin__leaf *leaf, const kin__entry *entry)
{
    size_t i = 0;
    while (leaf->entries[i] != entry) {
        i++;
        assert(i < leaf->count);
    }
    return i;
}

static void remove_from_leaf(kin__leaf *leaf, const kin__entry *entry)
{
    size_t gap = slot_of(leaf, entry);
    leaf->count--;
    *kin__leaf_tag(leaf, gap) = *kin__leaf_tag(leaf, leaf->count);
    leaf->entries[gap] = leaf->entries[leaf->count];
}

static void remove_from_directory(kin__table *table, kin__batch *batch, uint64_t hash,
                                  const kin__entry *entry)
{
    kin__directory *directory = kin__node_of(table->root);
    kin__page *page = kin__node_of(*page_slot_of(*table, hash));
    kin__leaf **leaf = leaf_slot_of(page, kin__root_bits(*table), hash);

    remove_from_leaf(*leaf, entry);
    directory->count--;
    page->count--;
    if ((*leaf)->count == 0) {
        kin__batch_drop(batch, &(*leaf)->part);
        *leaf = NULL;
    }
}
