/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/few.h - a growing array whose first elements need no allocation.
 *
 * The struct that holds it has room for a few elements of its own, a pointer that begins at
 * them, and a capacity that begins with their number.
 */
#ifndef KIN_OBJECT_FEW_H
#define KIN_OBJECT_FEW_H

#include <string.h>

#include "base/alloc.h"

/* Twice the room.  `items` is the array, `few` the room it began with, `size` that of an
 * element.  Returns the new array, or NULL: then the old one is as it was. */
static inline void *kin__few_grow(void *items, const void *few, size_t *capacity, size_t size)
{
    size_t bytes = *capacity * size;
    void *grown = kin__realloc(items == few ? NULL : items, bytes * 2);

    if (grown == NULL) {
        return NULL;
    }
    if (items == few) {
        memcpy(grown, few, bytes);
    }
    *capacity *= 2;
    return grown;
}

/* Releases what kin__few_grow() made. */
static inline void kin__few_free(void *items, const void *few)
{
    if (items != few) {
        kin__free(items);
    }
}

#endif /* KIN_OBJECT_FEW_H */
