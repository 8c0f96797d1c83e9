/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/json_patch.h - JSON patches (RFC 6902), as kube-apiserver 1.36 applies them.
 *
 * It does so with the library evanphx/json-patch 4.13, whose habits are kept:
 *   - replace makes a member that is not there;
 *   - copy of a member that is not there makes it null, and test finds it equal to null;
 *   - indexes may be negative and count from the end, "-1" of add is behind the last;
 *   - what stands before the first slash of a path is not looked at;
 *   - test compares strings and numbers as they are written: 1 is not 1.0, and "<" is not "\u003c",
 *     which is how the server writes it.
 *
 * Where that library ends the request with a panic (500), here the patch is refused with 422, or a
 * null in an array is equal to another.  And a null that the same patch has put there is a null as
 * any other.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_JSON_PATCH_H
#define KIN_SERVER_JSON_PATCH_H

#include "server/codec.h"

/* More operations are refused with 413. */
#define KIN__JSON_PATCH_OPERATIONS_MAX 10000

/* What all copies of a patch may add, in bytes of JSON. */
#define KIN__JSON_PATCH_COPY_MAX (3u << 20)

/* How many values may be looked at or moved along for all operations: the time a patch may take. */
#define KIN__JSON_PATCH_WORK_MAX 100000000u

/*
 * Applies a patch, any bytes, to `*tree`, which may become another.  The result is any JSON: it has
 * to be pruned (server/prune.h).
 *
 * `warnings` gets unknown and duplicate fields of the patch unless `validation` is IGNORE, for
 * kin__prune() to go on with.
 *
 * False when it is refused: 400 for what is no patch, 413, 422 for an operation that cannot be
 * done, or for lack of memory.  Then `*tree` is good for nothing but kin__node_free().
 */
bool kin__json_patch_apply(kin__node **tree, kin_str patch, kin__field_validation validation,
                           kin__codec_warnings *warnings, kin__refusal *no) KIN_MUST_CHECK;

#endif /* KIN_SERVER_JSON_PATCH_H */
