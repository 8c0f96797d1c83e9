/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/place.h - where in a tree a path leads, for changing what is there.
 *
 * A place is found without touching the tree.  What is missing on the way to it (members that are
 * absent or null) is made as objects when a value is put there: apart from the tree, and attached
 * as the last step, so that a failure leaves no trace.
 *
 * Threading: confined; the tree must not change between finding a place and using it.
 */
#ifndef KIN_OBJECT_PLACE_H
#define KIN_OBJECT_PLACE_H

#include "json/tree.h"
#include "object/path.h"

typedef struct kin__place {
    kin__path_parsed path;
    kin__node *parent; /* the last container on the way that is there; borrowed */
    size_t step;       /* leads from there to `child` */
    size_t index;      /* of the child, in an array */
    kin__node *child;  /* borrowed; NULL: an absent member.  Before the last step: NULL or null */
} kin__place;

/*
 * Follows `path` (borrowed for as long as the place) from `root`, an object.  A filter leads to the
 * first element that matches.  On failure `out` means nothing.
 *
 * Fails as kin__path_parse(), and with USAGE (no path, the empty one, or [*] in it), NOT_FOUND (an
 * element that is not there), TYPE (on the way is something else than the object or the array that
 * the next step wants).
 */
kin_err kin__place_find(kin__node *root, const char *path, kin__place *out,
                        kin_error *err) KIN_MUST_CHECK;

/* Puts `*value` there, in place of what is there now, or appends it to the array there, which is
 * made where nothing or null is.  On success the value is consumed and `*value` is NULL; on
 * failure `*value` is still the caller's, perhaps inside something new.  Fails with LIMIT (nested
 * too deep) and NO_MEMORY; kin__place_append() also with TYPE (there is no array). */
kin_err kin__place_set(const kin__place *place, kin__node **value, kin_error *err) KIN_MUST_CHECK;
kin_err kin__place_append(const kin__place *place, kin__node **value,
                          kin_error *err) KIN_MUST_CHECK;

/* Takes out what is there; nothing happens when it is absent. */
void kin__place_remove(const kin__place *place);

#endif /* KIN_OBJECT_PLACE_H */
