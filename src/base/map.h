/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/map.h - a hash map from byte strings to pointers.
 *
 * All zero is an empty map.  Keys are copied; values are the caller's, never NULL, and never
 * released here.  Keys may come from outside: which of them share a place in the table cannot be
 * foreseen.  The table grows and shrinks with its content.
 *
 * Threading: confined.
 */
#ifndef KIN_BASE_MAP_H
#define KIN_BASE_MAP_H

#include "base/cleanup.h"
#include "kin/common.h"

typedef struct kin__map_slot {
    uint64_t hash;
    char *key;   /* owned */
    size_t len;  /* of the key */
    void *value; /* NULL: the slot is free */
} kin__map_slot;

typedef struct kin__map {
    kin__map_slot *slots; /* owned; NULL while nothing was put */
    size_t capacity;      /* 0 or a power of two */
    size_t count;
    uint64_t seed; /* 0: none was chosen yet */
} kin__map;

/* Forgets everything and leaves an empty map. */
void kin__map_clear(kin__map *map);
KIN__DEFINE_AUTO_FINI(kin__map, kin__map_clear)

/* The value, or NULL. */
void *kin__map_get(const kin__map *map, kin_str key);

/*
 * `value` takes the place of what `key` had; that goes to `out_before` (NULL when there was
 * none), which may be NULL.  Fails with NO_MEMORY and leaves the content as it was.
 */
kin_err kin__map_put(kin__map *map, kin_str key, void *value, void **out_before,
                     kin_error *err) KIN_MUST_CHECK;

/* The value that was removed, or NULL. */
void *kin__map_remove(kin__map *map, kin_str key);

/*
 * Walks the map in no order.  The map must not change meanwhile.
 *
 *     kin__map_iter iter = kin__map_begin(&map);
 *     while (kin__map_next(&iter)) {
 *         use(iter.key, iter.value);
 *     }
 */
typedef struct kin__map_iter {
    kin_str key; /* borrowed until it is removed */
    void *value;
    const kin__map *map; /* private */
    size_t place;        /* private */
} kin__map_iter;

kin__map_iter kin__map_begin(const kin__map *map);
bool kin__map_next(kin__map_iter *iter);

#endif /* KIN_BASE_MAP_H */
