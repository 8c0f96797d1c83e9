/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/heap.h - what is due next.
 *
 * Entries come out by their due time, and those with the same one in the order they were pushed.
 * An entry embeds a kin__heap_node, which knows its place: removing or moving one takes
 * O(log n), as pushing and popping do.
 *
 * All zero is an empty heap, and a node in no heap.  The nodes belong to the caller and do not
 * move while they are in the heap.
 *
 * Threading: confined.
 */
#ifndef KIN_BASE_HEAP_H
#define KIN_BASE_HEAP_H

#include "base/cleanup.h"
#include "kin/common.h"

typedef struct kin__heap_node {
    int64_t due;    /* in the unit of whoever pushes; only read by others */
    uint64_t order; /* private: among equals the lower comes first */
    size_t place;   /* private: 1 is the top; 0: in no heap */
} kin__heap_node;

typedef struct kin__heap {
    kin__heap_node **nodes; /* owned */
    size_t count;
    size_t capacity;
    uint64_t next_order;
} kin__heap;

/* Forgets the nodes, which may then be anything, and leaves an empty heap. */
void kin__heap_fini(kin__heap *heap);
KIN__DEFINE_AUTO_FINI(kin__heap, kin__heap_fini)

/* `node` is in no heap.  Fails with NO_MEMORY. */
kin_err kin__heap_push(kin__heap *heap, kin__heap_node *node, int64_t due,
                       kin_error *err) KIN_MUST_CHECK;

/* The one that is due first, which stays where it is; NULL when the heap is empty. */
kin__heap_node *kin__heap_get_first(const kin__heap *heap);

/* Takes it out; NULL when the heap is empty. */
kin__heap_node *kin__heap_pop(kin__heap *heap);

/* `node` is in the heap. */
void kin__heap_remove(kin__heap *heap, kin__heap_node *node);

/* The same as to remove and push it, and cannot fail. */
void kin__heap_move(kin__heap *heap, kin__heap_node *node, int64_t due);

static inline bool kin__heap_node_is_in(const kin__heap_node *node)
{
    return node->place != 0;
}

#endif /* KIN_BASE_HEAP_H */
