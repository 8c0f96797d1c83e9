/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storage/order.h - records in the bytewise order of their keys.
 *
 * All zero is an empty order.  Each key is there once.  Finding, putting and removing take a few
 * hundred steps among a million records, whatever order they come in.  The records are the
 * caller's: nothing here takes or drops a reference.
 *
 * Threading: confined.
 */
#ifndef KIN_STORAGE_ORDER_H
#define KIN_STORAGE_ORDER_H

#include "storage/record.h"

typedef struct kin__order_block kin__order_block;

typedef struct kin__order_branch {
    kin_str first; /* the key of the block's first record */
    kin__order_block *block;
} kin__order_branch;

typedef struct kin__order {
    kin__order_branch *branches; /* owned; blocks that are never empty, in order */
    size_t branch_count;
    size_t branch_capacity;
    size_t count; /* of the records */
} kin__order;

/* Where a record is, or the end.  Good until the order changes. */
typedef struct kin__order_place {
    size_t branch;
    size_t index;
} kin__order_place;

/* Forgets the records. */
void kin__order_fini(kin__order *order);

/* NULL when there is none. */
kin__record *kin__order_find(const kin__order *order, kin_str key);

/* Puts it in; what had its key before goes to `out_before`, or NULL.  Fails with NO_MEMORY, and
 * nothing has changed; never while the key is there. */
kin_err kin__order_put(kin__order *order, kin__record *record, kin__record **out_before,
                       kin_error *err) KIN_MUST_CHECK;

/* The record that was taken out; NULL when there is none. */
kin__record *kin__order_remove(kin__order *order, kin_str key);

/* The first record whose key is `key` or behind it. */
kin__order_place kin__order_seek(const kin__order *order, kin_str key);

/* The first record behind all those whose keys begin with `prefix`; empty: the end. */
kin__order_place kin__order_seek_past(const kin__order *order, kin_str prefix);

/* NULL at the end. */
kin__record *kin__order_at(const kin__order *order, kin__order_place place);
kin__order_place kin__order_next(const kin__order *order, kin__order_place place);

/* How many records come before it. */
size_t kin__order_rank(const kin__order *order, kin__order_place place);

#endif /* KIN_STORAGE_ORDER_H */
