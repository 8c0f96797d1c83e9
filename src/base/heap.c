/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap.c - a binary heap in an array.
 *
 * Invariants
 *   - nodes[i]->place is i + 1
 *   - no node comes before its parent, nodes[(i - 1) / 2]
 */
#include "base/heap.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"

#define FIRST_CAPACITY 16

static bool resize(kin__heap *heap, size_t capacity);
static void settle(kin__heap *heap, kin__heap_node *node, size_t index);
static size_t earlier_child(const kin__heap *heap, size_t index);
static void set(kin__heap *heap, size_t index, kin__heap_node *node);
static bool is_before(const kin__heap_node *a, const kin__heap_node *b);

void kin__heap_fini(kin__heap *heap)
{
    kin__free(heap->nodes);
    *heap = (kin__heap){ 0 };
}

kin_err kin__heap_push(kin__heap *heap, kin__heap_node *node, int64_t due, kin_error *err)
{
    assert(node->place == 0);
    if (heap->count == heap->capacity &&
        !resize(heap, heap->capacity == 0 ? FIRST_CAPACITY : heap->capacity * 2)) {
        return kin__error_no_memory(err);
    }
    node->due = due;
    node->order = heap->next_order++;
    settle(heap, node, heap->count++);
    return KIN_OK;
}

kin__heap_node *kin__heap_get_first(const kin__heap *heap)
{
    return heap->count == 0 ? NULL : heap->nodes[0];
}

kin__heap_node *kin__heap_pop(kin__heap *heap)
{
    kin__heap_node *first = kin__heap_get_first(heap);
    if (first != NULL) {
        kin__heap_remove(heap, first);
    }
    return first;
}

void kin__heap_remove(kin__heap *heap, kin__heap_node *node)
{
    assert(node->place != 0 && heap->nodes[node->place - 1] == node);
    size_t index = node->place - 1;
    node->place = 0;
    kin__heap_node *last = heap->nodes[--heap->count];
    if (last != node) {
        settle(heap, last, index);
    }
    if (heap->capacity > FIRST_CAPACITY && heap->count < heap->capacity / 4) {
        (void) resize(heap, heap->capacity / 2); /* without memory the array stays large */
    }
}

void kin__heap_move(kin__heap *heap, kin__heap_node *node, int64_t due)
{
    assert(node->place != 0 && heap->nodes[node->place - 1] == node);
    node->due = due;
    node->order = heap->next_order++;
    settle(heap, node, node->place - 1);
}

static bool resize(kin__heap *heap, size_t capacity)
{
    size_t bytes;
    if (__builtin_mul_overflow(capacity, sizeof(kin__heap_node *), &bytes)) {
        return false;
    }
    kin__heap_node **nodes = kin__realloc(heap->nodes, bytes);
    if (nodes == NULL) {
        return false;
    }
    heap->nodes = nodes;
    heap->capacity = capacity;
    return true;
}

/* Puts `node` at `index`, or as far up or down from there as the order wants. */
static void settle(kin__heap *heap, kin__heap_node *node, size_t index)
{
    while (index > 0 && is_before(node, heap->nodes[(index - 1) / 2])) {
        set(heap, index, heap->nodes[(index - 1) / 2]);
        index = (index - 1) / 2;
    }
    size_t child = earlier_child(heap, index);
    while (child != 0 && is_before(heap->nodes[child], node)) {
        set(heap, index, heap->nodes[child]);
        index = child;
        child = earlier_child(heap, index);
    }
    set(heap, index, node);
}

/* 0, which is nobody's child, when there is none. */
static size_t earlier_child(const kin__heap *heap, size_t index)
{
    size_t left = 2 * index + 1;
    size_t right = left + 1;
    if (left >= heap->count) {
        return 0;
    }
    if (right < heap->count && is_before(heap->nodes[right], heap->nodes[left])) {
        return right;
    }
    return left;
}

static void set(kin__heap *heap, size_t index, kin__heap_node *node)
{
    heap->nodes[index] = node;
    node->place = index + 1;
}

static bool is_before(const kin__heap_node *a, const kin__heap_node *b)
{
    return a->due != b->due ? a->due < b->due : a->order < b->order;
}
