/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/initial.h - the objects of a list, or of the beginning of a watch, until all are there.
 *
 * All zero is an empty collection.  It costs a pointer for each object, and a few bytes more from
 * the moment that objects come in another order than that of their keys, or change; servers since
 * 1.29 send them in that order.
 *
 * What fails for lack of memory leaves the collection as it was.
 *
 * Threading: confined.
 */
#ifndef KIN_CACHE_INITIAL_H
#define KIN_CACHE_INITIAL_H

#include "base/cleanup.h"
#include "kin/object.h"

typedef struct kin__initial {
    kin_object **objects; /* each referenced; NULL: a gap, where one was removed */
    size_t len;           /* with the gaps */
    size_t capacity;
    size_t gaps;
    size_t mark;
    size_t *slots;     /* places in `objects`, by key, counted from 1; 0: free; NULL: no table */
    size_t slot_count; /* 0 or a power of two */
    size_t slots_used; /* those that lead to a gap included */
    bool is_unordered; /* some key is not greater than the one before */
} kin__initial;

/* Drops everything. */
void kin__initial_clear(kin__initial *initial);
KIN__DEFINE_AUTO_FINI(kin__initial, kin__initial_clear)

/* Of a list, whose objects are all different.  Takes a reference.  Fails with NO_MEMORY. */
kin_err kin__initial_append(kin__initial *initial, const kin_object *object,
                            kin_error *err) KIN_MUST_CHECK;

/* What was appended so far stays; rewind drops what was appended after. */
void kin__initial_mark(kin__initial *initial);
void kin__initial_rewind(kin__initial *initial);

/* Of a watch: takes the place of what has its key.  `out_is_new`: there was none.  Takes a
 * reference.  Fails with NO_MEMORY.  Not mixed with append. */
kin_err kin__initial_put(kin__initial *initial, const kin_object *object, bool *out_is_new,
                         kin_error *err) KIN_MUST_CHECK;

/* Of a watch: what has that key goes, if there is one.  Fails with NO_MEMORY. */
kin_err kin__initial_remove(kin__initial *initial, kin_str key, kin_error *err) KIN_MUST_CHECK;

/* How many there are. */
size_t kin__initial_count(const kin__initial *initial);

/* All of them without gaps, in the order in which their keys came: borrowed until the next change.
 */
kin_object *const *kin__initial_objects(kin__initial *initial);

#endif /* KIN_CACHE_INITIAL_H */
