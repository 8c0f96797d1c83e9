/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape.c - larger and smaller tables with the same content.
 *
 * A new shape is made whole beside the old one and only then takes its place, so that a lack of
 * memory leaves the old one.  Halving moves tags and entries as they are; doubling needs one more
 * bit of each entry's hash, and reads the keys.
 */
#include "cache/node.h"

static bool split_leaf(const kin__leaf *leaf, unsigned skip, kin__leaf **halves, kin__batch *batch);
static bool make_equal(uintptr_t *first, uintptr_t *second, kin__batch *batch);
static bool put_halves(kin__directory *doubled, size_t number, const kin__page *page,
                       kin__batch *batch);
static kin__page *page_of_leaves(kin__leaf *const *leaves, size_t depth, kin__batch *batch);
static void drop_without_leaves(kin__directory *directory, kin__batch *batch);

bool kin__shape_leaf_to_directory(kin__table *table, kin__batch *batch)
{
    kin__leaf *leaf = kin__node_of(table->root);
    kin__directory *directory = kin__directory_make(batch, 0);
    kin__page *page = kin__page_make(batch, 0);

    if (directory == NULL || page == NULL) {
        if (directory != NULL) {
            kin__batch_drop(batch, &directory->part);
        }
        if (page != NULL) {
            kin__batch_drop(batch, &page->part);
        }
        return false;
    }
    directory->count = page->count = leaf->count;
    page->leaves[0] = leaf;
    directory->pages[0] = kin__page_slot(page);
    *table = kin__root_directory(directory);
    return true;
}

bool kin__shape_directory_to_leaf(kin__table *table, kin__batch *batch)
{
    kin__directory *directory = kin__node_of(table->root);
    kin__page *page = kin__node_of(directory->pages[0]);
    if (directory->count == 0) {
        kin__table_drop(table, batch);
        return true;
    }
    kin__leaf *leaf = kin__leaf_make(batch, directory->count);
    if (leaf == NULL) {
        return false;
    }
    for (size_t i = 0; i < (size_t) 1 << page->part.size; i++) {
        kin__leaf_put_all(leaf, page->leaves[i]);
    }
    kin__table_drop(table, batch);
    *table = kin__root_leaf(leaf);
    if (leaf->count == 1) {
        *table = kin__root_entry(leaf->entries[0]);
        kin__batch_drop(batch, &leaf->part);
    }
    return true;
}

bool kin__shape_double_page(uintptr_t *slot, unsigned bits, kin__batch *batch)
{
    kin__page *old = kin__node_of(*slot);
    unsigned depth = old->part.size;
    kin__page *page = kin__page_make(batch, depth + 1);
    if (page == NULL) {
        return false;
    }
    page->count = old->count;
    for (size_t i = 0; i < (size_t) 1 << depth; i++) {
        if (old->leaves[i] != NULL &&
            !split_leaf(old->leaves[i], bits + depth, &page->leaves[2 * i], batch)) {
            kin__page_drop(page, batch);
            return false;
        }
    }
    kin__page_drop(old, batch);
    *slot = kin__page_slot(page);
    return true;
}

bool kin__shape_halve_page(uintptr_t *slot, kin__batch *batch)
{
    kin__page *old = kin__node_of(*slot);
    kin__page *page = kin__page_make(batch, old->part.size - 1u);
    if (page == NULL) {
        return false;
    }
    page->count = old->count;
    for (size_t i = 0; i < (size_t) 1 << page->part.size; i++) {
        const kin__leaf *first = old->leaves[2 * i];
        const kin__leaf *second = old->leaves[2 * i + 1];
        size_t count = (first == NULL ? 0 : first->count) + (second == NULL ? 0 : second->count);
        if (count == 0) {
            continue;
        }
        page->leaves[i] = kin__leaf_make(batch, count);
        if (page->leaves[i] == NULL) {
            kin__page_drop(page, batch);
            return false;
        }
        kin__leaf_put_all(page->leaves[i], first);
        kin__leaf_put_all(page->leaves[i], second);
    }
    kin__page_drop(old, batch);
    *slot = kin__page_slot(page);
    return true;
}

/* The leaves stay; a page becomes two of half the depth.  One of depth 0 is doubled before. */
bool kin__shape_double_directory(kin__table *table, kin__batch *batch)
{
    kin__directory *old = kin__node_of(table->root);
    unsigned bits = old->part.size;
    kin__directory *doubled = kin__directory_make(batch, bits + 1u);
    if (doubled == NULL) {
        return false;
    }
    doubled->count = old->count;
    for (size_t i = 0; i < (size_t) 1 << bits; i++) {
        bool is_deep = kin__slot_depth(old->pages[i]) > 0 ||
                       kin__shape_double_page(&old->pages[i], bits, batch);
        if (!is_deep || !put_halves(doubled, i, kin__node_of(old->pages[i]), batch)) {
            drop_without_leaves(doubled, batch);
            return false;
        }
    }
    drop_without_leaves(old, batch);
    *table = kin__root_directory(doubled);
    return true;
}

bool kin__shape_halve_directory(kin__table *table, kin__batch *batch)
{
    kin__directory *old = kin__node_of(table->root);
    kin__directory *halved = kin__directory_make(batch, old->part.size - 1u);
    if (halved == NULL) {
        return false;
    }
    halved->count = old->count;
    for (size_t i = 0; i < (size_t) 1 << halved->part.size; i++) {
        uintptr_t *pair = &old->pages[2 * i];
        kin__page *page = NULL;
        if (make_equal(&pair[0], &pair[1], batch)) {
            page = kin__page_make(batch, kin__slot_depth(pair[0]) + 1u);
        }
        if (page == NULL) {
            drop_without_leaves(halved, batch);
            return false;
        }
        for (size_t which = 0; which < 2; which++) {
            const kin__page *half = kin__node_of(pair[which]);
            size_t leaves = (size_t) 1 << half->part.size;
            memcpy(page->leaves + which * leaves, half->leaves, leaves * sizeof(kin__leaf *));
            page->count += half->count;
        }
        halved->pages[i] = kin__page_slot(page);
    }
    drop_without_leaves(old, batch);
    *table = kin__root_directory(halved);
    return true;
}

/* By the bit behind the first `skip`. */
static bool split_leaf(const kin__leaf *leaf, unsigned skip, kin__leaf **halves, kin__batch *batch)
{
    kin__entry *const *entries = leaf->entries;
    size_t counts[2] = { 0, 0 };

    for (size_t i = 0; i < leaf->count; i++) {
        uint64_t hash = kin__batch_hash(batch, kin__entry_key(entries[i]));
        counts[kin__hash_bits(hash, skip, 1)]++;
    }
    for (size_t which = 0; which < 2; which++) {
        if (counts[which] > 0 && (halves[which] = kin__leaf_make(batch, counts[which])) == NULL) {
            return false;
        }
    }
    for (size_t i = 0; i < leaf->count; i++) {
        uint64_t hash = kin__batch_hash(batch, kin__entry_key(entries[i]));
        kin__leaf_put(halves[kin__hash_bits(hash, skip, 1)], kin__hash_tag(hash), entries[i]);
    }
    return true;
}

/* Brings two pages to the same depth, which leaves room for one more bit. */
static bool make_equal(uintptr_t *first, uintptr_t *second, kin__batch *batch)
{
    for (;;) {
        unsigned a = kin__slot_depth(*first);
        unsigned b = kin__slot_depth(*second);
        if (a == b && a < KIN__PAGE_DEPTH_MAX) {
            return true;
        }
        if (!kin__shape_halve_page(a >= b ? first : second, batch)) {
            return false;
        }
    }
}

static bool put_halves(kin__directory *doubled, size_t number, const kin__page *page,
                       kin__batch *batch)
{
    size_t depth = page->part.size - 1u;
    for (size_t which = 0; which < 2; which++) {
        kin__page *half = page_of_leaves(page->leaves + (which << depth), depth, batch);
        if (half == NULL) {
            return false;
        }
        doubled->pages[2 * number + which] = kin__page_slot(half);
    }
    return true;
}

static kin__page *page_of_leaves(kin__leaf *const *leaves, size_t depth, kin__batch *batch)
{
    kin__page *page = kin__page_make(batch, depth);
    if (page == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < (size_t) 1 << depth; i++) {
        page->leaves[i] = leaves[i];
        page->count += leaves[i] == NULL ? 0 : leaves[i]->count;
    }
    return page;
}

static void drop_without_leaves(kin__directory *directory, kin__batch *batch)
{
    for (size_t i = 0; i < (size_t) 1 << directory->part.size; i++) {
        kin__page *page = kin__node_of(directory->pages[i]);
        if (page != NULL) {
            kin__batch_drop(batch, &page->part);
        }
    }
    kin__batch_drop(batch, &directory->part);
}
