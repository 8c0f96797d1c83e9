/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/sort.h - sorting in place.
 *
 * In O(n log n) whatever the order was, without an allocation and without recursion (qsort() of
 * the C library promises none of the three).
 */
#ifndef KIN_BASE_SORT_H
#define KIN_BASE_SORT_H

#include <stddef.h>

#define KIN__SORT_ITEM_MAX 64

/* Negative, 0 or positive, as `a` comes before, with or after `b`.  Items that come with each other
 * may change places: decide by their position where that matters. */
typedef int (*kin__sort_fn)(const void *context, const void *a, const void *b);

/* Sorts `count` items of `size` bytes each, KIN__SORT_ITEM_MAX at most. */
void kin__sort(void *items, size_t count, size_t size, kin__sort_fn compare, const void *context);

#endif /* KIN_BASE_SORT_H */
