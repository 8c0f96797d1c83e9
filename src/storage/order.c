/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - sorted blocks of records, and a sorted array of blocks.
 *
 * A tree of two levels: one binary search finds the block, a second one the place in it.  Keys lie
 * beside the pointers (borrowed from the records), so that a search reads no record but the keys it
 * compares.  A full block is split; one that comes behind all others begins a new block instead, so
 * that keys in rising order fill blocks to the brim.  A block that lost most of its records is
 * joined with a neighbour.
 */
#include "storage/order.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

#define BLOCK_MAX 256u
#define BLOCK_SPARSE (BLOCK_MAX / 4)         /* with fewer it looks for a neighbour */
#define BLOCK_JOINED_MAX (BLOCK_MAX / 4 * 3) /* and takes one with which it is no larger */
#define FIRST_BRANCHES 4

typedef struct slot {
    kin_str key; /* the record's own */
    kin__record *record;
} slot;

struct kin__order_block {
    size_t count;
    slot slots[BLOCK_MAX];
};

/* Whether a key lies before the place that is looked for. */
typedef bool (*is_before_fn)(kin_str key, kin_str wanted);

static bool is_less(kin_str key, kin_str wanted);
static bool is_less_or_within(kin_str key, kin_str prefix);
static kin__order_place seek(const kin__order *order, kin_str wanted, is_before_fn is_before);
static size_t seek_branch(const kin__order *order, kin_str wanted, is_before_fn is_before);
static size_t seek_slot(const kin__order_block *block, kin_str wanted, is_before_fn is_before);
static slot *slot_at(const kin__order *order, kin__order_place place);
static bool is_there(const kin__order *order, kin__order_place place, kin_str key);
static bool make_room(kin__order *order, kin__order_place *place);
static bool reserve_branch(kin__order *order);
static bool add_block(kin__order *order, size_t branch);
static void split(kin__order *order, kin__order_place *place);
static void insert(kin__order *order, kin__order_place place, kin__record *record);
static void take_out(kin__order *order, kin__order_place place);
static void drop_block(kin__order *order, size_t branch);
static bool join(kin__order *order, size_t branch);

void kin__order_fini(kin__order *order)
{
    for (size_t i = 0; i < order->branch_count; i++) {
        kin__free(order->branches[i].block);
    }
    kin__free(order->branches);
    *order = (kin__order){ 0 };
}

kin__record *kin__order_find(const kin__order *order, kin_str key)
{
    kin__order_place place = kin__order_seek(order, key);
    return is_there(order, place, key) ? slot_at(order, place)->record : NULL;
}

kin_err kin__order_put(kin__order *order, kin__record *record, kin__record **out_before,
                       kin_error *err)
{
    kin_str key = kin__record_key(record);
    kin__order_place place = kin__order_seek(order, key);

    if (is_there(order, place, key)) {
        slot *there = slot_at(order, place);
        *out_before = there->record;
        *there = (slot){ key, record };
        if (place.index == 0) {
            order->branches[place.branch].first = key;
        }
        return KIN_OK;
    }
    if (!make_room(order, &place)) {
        return kin__error_no_memory(err);
    }
    insert(order, place, record);
    *out_before = NULL;
    return KIN_OK;
}

kin__record *kin__order_remove(kin__order *order, kin_str key)
{
    kin__order_place place = kin__order_seek(order, key);
    if (!is_there(order, place, key)) {
        return NULL;
    }
    kin__record *record = slot_at(order, place)->record;
    take_out(order, place);
    return record;
}

kin__order_place kin__order_seek(const kin__order *order, kin_str key)
{
    return seek(order, key, is_less);
}

kin__order_place kin__order_seek_past(const kin__order *order, kin_str prefix)
{
    return seek(order, prefix, is_less_or_within);
}

kin__record *kin__order_at(const kin__order *order, kin__order_place place)
{
    return place.branch >= order->branch_count ? NULL : slot_at(order, place)->record;
}

kin__order_place kin__order_next(const kin__order *order, kin__order_place place)
{
    if (++place.index >= order->branches[place.branch].block->count) {
        place = (kin__order_place){ place.branch + 1, 0 };
    }
    return place;
}

size_t kin__order_rank(const kin__order *order, kin__order_place place)
{
    size_t rank = place.index;
    for (size_t i = 0; i < place.branch; i++) {
        rank += order->branches[i].block->count;
    }
    return rank;
}

/* ---- finding -------------------------------------------------------------------------------- */

static bool is_less(kin_str key, kin_str wanted)
{
    return kin__str_compare(key, wanted) < 0;
}

static bool is_less_or_within(kin_str key, kin_str prefix)
{
    kin_str head = { key.data, key.len < prefix.len ? key.len : prefix.len };
    return kin__str_compare(head, prefix) <= 0;
}

/* The first place that is not before: in the last block that begins before it, or at the beginning
 * of the next one. */
static kin__order_place seek(const kin__order *order, kin_str wanted, is_before_fn is_before)
{
    size_t branch = seek_branch(order, wanted, is_before);
    if (branch == 0) {
        return (kin__order_place){ 0, 0 };
    }
    const kin__order_block *block = order->branches[branch - 1].block;
    size_t index = seek_slot(block, wanted, is_before);
    return index < block->count ? (kin__order_place){ branch - 1, index }
                                : (kin__order_place){ branch, 0 };
}

static size_t seek_branch(const kin__order *order, kin_str wanted, is_before_fn is_before)
{
    size_t low = 0;
    size_t high = order->branch_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before(order->branches[middle].first, wanted)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static size_t seek_slot(const kin__order_block *block, kin_str wanted, is_before_fn is_before)
{
    size_t low = 0;
    size_t high = block->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before(block->slots[middle].key, wanted)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static slot *slot_at(const kin__order *order, kin__order_place place)
{
    return &order->branches[place.branch].block->slots[place.index];
}

static bool is_there(const kin__order *order, kin__order_place place, kin_str key)
{
    return place.branch < order->branch_count && kin__str_equal(slot_at(order, place)->key, key);
}

/* ---- changing ------------------------------------------------------------------------------- */

/* Sees to it that there is room at the place, which moves to where it then is. */
static bool make_room(kin__order *order, kin__order_place *place)
{
    if (place->index == 0 && place->branch > 0) {
        size_t count = order->branches[place->branch - 1].block->count;
        if (count < BLOCK_MAX || place->branch == order->branch_count) {
            *place = (kin__order_place){ place->branch - 1, count };
        }
    }
    if (order->branch_count > 0 && order->branches[place->branch].block->count < BLOCK_MAX) {
        return true;
    }
    if (!reserve_branch(order)) {
        return false;
    }
    size_t fresh = order->branch_count == 0 ? 0 : place->branch + 1;
    if (!add_block(order, fresh)) {
        return false;
    }
    if (place->index == BLOCK_MAX) { /* behind all others */
        *place = (kin__order_place){ fresh, 0 };
    } else if (fresh > 0) {
        split(order, place);
    }
    return true;
}

static bool reserve_branch(kin__order *order)
{
    if (order->branch_count < order->branch_capacity) {
        return true;
    }
    size_t capacity = order->branch_capacity == 0 ? FIRST_BRANCHES : order->branch_capacity * 2;
    kin__order_branch *branches = kin__realloc(order->branches, capacity * sizeof *branches);
    if (branches == NULL) {
        return false;
    }
    order->branches = branches;
    order->branch_capacity = capacity;
    return true;
}

/* An empty one; the caller fills it at once. */
static bool add_block(kin__order *order, size_t branch)
{
    kin__order_block *block = kin__alloc(sizeof *block);
    if (block == NULL) {
        return false;
    }
    block->count = 0;
    kin__order_branch *at = order->branches + branch;
    memmove(at + 1, at, (order->branch_count - branch) * sizeof *at);
    *at = (kin__order_branch){ { NULL, 0 }, block };
    order->branch_count++;
    return true;
}

/* The upper half of the full block at the place goes to the empty one behind it. */
static void split(kin__order *order, kin__order_place *place)
{
    kin__order_block *lower = order->branches[place->branch].block;
    kin__order_branch *upper = &order->branches[place->branch + 1];
    size_t half = lower->count / 2;

    upper->block->count = lower->count - half;
    memcpy(upper->block->slots, lower->slots + half, upper->block->count * sizeof(slot));
    upper->first = upper->block->slots[0].key;
    lower->count = half;
    if (place->index > half) {
        *place = (kin__order_place){ place->branch + 1, place->index - half };
    }
}

static void insert(kin__order *order, kin__order_place place, kin__record *record)
{
    kin__order_branch *branch = &order->branches[place.branch];
    slot *at = &branch->block->slots[place.index];

    memmove(at + 1, at, (branch->block->count - place.index) * sizeof *at);
    *at = (slot){ kin__record_key(record), record };
    branch->block->count++;
    branch->first = branch->block->slots[0].key;
    order->count++;
}

static void take_out(kin__order *order, kin__order_place place)
{
    kin__order_branch *branch = &order->branches[place.branch];
    kin__order_block *block = branch->block;
    slot *at = &block->slots[place.index];

    block->count--;
    order->count--;
    memmove(at, at + 1, (block->count - place.index) * sizeof *at);
    if (block->count == 0) {
        drop_block(order, place.branch);
        return;
    }
    branch->first = block->slots[0].key;
    if (block->count < BLOCK_SPARSE && !join(order, place.branch) && place.branch > 0) {
        (void) join(order, place.branch - 1);
    }
}

static void drop_block(kin__order *order, size_t branch)
{
    kin__order_branch *at = order->branches + branch;
    kin__free(at->block);
    order->branch_count--;
    memmove(at, at + 1, (order->branch_count - branch) * sizeof *at);
}

/* Moves the next block's records behind this one's, if both are small enough. */
static bool join(kin__order *order, size_t branch)
{
    if (branch + 1 >= order->branch_count) {
        return false;
    }
    kin__order_block *lower = order->branches[branch].block;
    const kin__order_block *upper = order->branches[branch + 1].block;
    if (lower->count + upper->count > BLOCK_JOINED_MAX) {
        return false;
    }
    memcpy(lower->slots + lower->count, upper->slots, upper->count * sizeof(slot));
    lower->count += upper->count;
    drop_block(order, branch + 1);
    return true;
}
