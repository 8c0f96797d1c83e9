/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/namespaces.h - namespaces that really go: everything in them is deleted, and when it is
 * gone, they are.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_NAMESPACES_H
#define KIN_SERVER_NAMESPACES_H

#include "server/deed.h"

/*
 * Takes a namespace that is to go a step further; nothing for one that stays.  Each object deleted
 * costs one of `budget`.  True when there is more to do now; `waits` is set when all that is left
 * is held by finalizers.
 */
bool kin__namespace_tend(kin__engine *engine, kin__record *record, size_t *budget, bool *waits);

/* Makes one that is missing. */
bool kin__namespace_make(kin__engine *engine, kin_str name, kin__refusal *no);

/* Deletes what `stored` has under a prefix of keys, at once where no finalizers are.  Sets
 * `*out_left` to what is left there; false when there is no memory. */
bool kin__collection_empty(kin__engine *engine, kin__served *stored, kin_str prefix, size_t *budget,
                           size_t *out_left);

#endif /* KIN_SERVER_NAMESPACES_H */
