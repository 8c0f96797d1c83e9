/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/deleted.h - what was there a moment ago: objects that were deleted, for a while.
 *
 * Log lines, packets and kernel events come late: the pod they are of may be gone by then.  An
 * informer with `keep_deleted_ms` keeps the last state of what was deleted in a store of its own,
 * kin_informer_deleted(), where the ordinary reads of kin/store.h find it:
 *
 *     kin_view live = kin_store_read(kin_informer_store(informer));
 *     kin_view gone = kin_store_read(kin_informer_deleted(informer));
 *     const kin_object *pod = kin_view_get(&live, key);
 *     if (pod == NULL) {
 *         pod = kin_deleted_get(&gone, key).object;
 *     }
 *     ...
 *     kin_view_iter iter = kin_view_by_index(&gone, "ip", address);
 *     while (kin_view_next(&iter)) {
 *         kin_deleted it = kin_deleted_of(&iter);
 *     }
 *
 * What it promises
 *   - The informer's own store follows the server: nothing that was deleted is found there.
 *   - What was deleted is found here for `keep_deleted_ms` at least, and a sixteenth of that (a
 *     second at most) longer; with `keep_deleted_max`, only if it is among the last so many.
 *   - It is found here before it is gone there: who looks there first and then here misses none.
 *     (For that moment it is in both.)
 *   - All ways to be gone count: deleted, found missing after an interruption, made again under the
 *     same key (another uid), no longer matched by the informer's selectors.
 *   - One that is made again leaves the old one here for its time.  Several of one key may be here,
 *     each of another uid.
 *   - Indexes that the informer was made with are here as well.  Others are added as to any store,
 *     with kin_store_add_index().
 *   - It goes on while the informer is stopped, and ends with it.
 *
 * Threading: as kin/store.h.
 */
#ifndef KIN_DELETED_H
#define KIN_DELETED_H

#include "kin/store.h"
#include "kin/value.h"

KIN_BEGIN_DECLS

/* One that was deleted.  Borrowed from the view. */
typedef struct kin_deleted {
    const kin_object *object; /* its last state; NULL: there is none */
    kin_str key;              /* that it had in the informer's store */
    kin_time at;              /* when the informer learnt of it, by this machine's clock */
} kin_deleted;

/* The one that had that key, and was deleted last. */
KIN_API kin_deleted kin_deleted_get(const kin_view *view, kin_str key);

/* What an iterator over a view of kin_informer_deleted() has come to.  (Its own `key` is this
 * library's, and good for kin_view_get() only.)  No object: it is of another store. */
KIN_API kin_deleted kin_deleted_of(const kin_view_iter *iter);

/* The index by which kin_deleted_get() finds them, for kin_view_by_index() and its like. */
#define KIN_DELETED_BY_KEY "kin/key"

KIN_END_DECLS
#endif /* KIN_DELETED_H */
