/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/patch.h - the difference between two documents, as a JSON merge patch (RFC 7386).
 *
 * Applied to the first document, the patch gives the second, members that are null aside: a merge
 * patch can remove a member, and cannot set one to null.
 *   - A member that is null in the second document, and something else in the first, is removed.
 *   - Null members of an object that the first document has not are left out.
 *   - An array is replaced as a whole, and keeps the nulls that are in it.
 */
#ifndef KIN_OBJECT_PATCH_H
#define KIN_OBJECT_PATCH_H

#include "json/tree.h"

/* A member of metadata that stands in the patch whether it changed or not, with this string. */
typedef struct kin__patch_demand {
    kin_str name;
    kin_str value;
} kin__patch_demand;

/*
 * Appends the patch from `before` to `after`, both objects; "{}" when there is no difference and no
 * demand.  `out_replaces_array` tells whether an array of `before` is replaced by another.
 * Takes time in proportion to the two documents.  False when there is no memory: then the buffer
 * may hold a part of the patch.
 */
bool kin__patch_append(const kin__node *before, const kin__node *after,
                       const kin__patch_demand *demands, size_t demand_count, kin__buf *buf,
                       bool *out_replaces_array) KIN_MUST_CHECK;

#endif /* KIN_OBJECT_PATCH_H */
