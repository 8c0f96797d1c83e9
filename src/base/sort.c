/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sort.c - sorting in place.
 *
 * Heapsort; but first a look whether there is anything to do, since most of what is sorted here
 * was written by a program and is in order.
 */
#include "base/sort.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

typedef struct sort_heap {
    char *items;
    size_t size; /* of an item, in bytes */
    kin__sort_fn compare;
    const void *context;
} sort_heap;

static bool is_sorted(const sort_heap *heap, size_t count);
static void sink(const sort_heap *heap, size_t parent, size_t count);
static int compare_items(const sort_heap *heap, size_t a, size_t b);
static void swap_items(const sort_heap *heap, size_t a, size_t b);

void kin__sort(void *items, size_t count, size_t size, kin__sort_fn compare, const void *context)
{
    sort_heap heap = { items, size, compare, context };

    assert(size <= KIN__SORT_ITEM_MAX);
    if (is_sorted(&heap, count)) {
        return;
    }
    for (size_t i = count / 2; i > 0; i--) {
        sink(&heap, i - 1, count);
    }
    for (size_t end = count - 1; end > 0; end--) {
        swap_items(&heap, 0, end);
        sink(&heap, 0, end);
    }
}

static bool is_sorted(const sort_heap *heap, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (compare_items(heap, i - 1, i) > 0) {
            return false;
        }
    }
    return true;
}

/* The items below `parent` form heaps; makes it one together with them. */
static void sink(const sort_heap *heap, size_t parent, size_t count)
{
    for (;;) {
        size_t child = parent * 2 + 1;
        if (child >= count) {
            return;
        }
        if (child + 1 < count && compare_items(heap, child, child + 1) < 0) {
            child++;
        }
        if (compare_items(heap, parent, child) >= 0) {
            return;
        }
        swap_items(heap, parent, child);
        parent = child;
    }
}

static int compare_items(const sort_heap *heap, size_t a, size_t b)
{
    return heap->compare(heap->context, heap->items + a * heap->size, heap->items + b * heap->size);
}

static void swap_items(const sort_heap *heap, size_t a, size_t b)
{
    char kept[KIN__SORT_ITEM_MAX];
    char *at_a = heap->items + a * heap->size;
    char *at_b = heap->items + b * heap->size;

    memcpy(kept, at_a, heap->size);
    memcpy(at_a, at_b, heap->size);
    memcpy(at_b, kept, heap->size);
}
