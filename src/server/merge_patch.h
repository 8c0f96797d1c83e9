/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/merge_patch.h - JSON merge patches, as kube-apiserver 1.36 applies them.
 *
 * That is RFC 7386 but for one habit of the library it uses (evanphx/json-patch 4.13): null members
 * of objects inside an array go, too, unless the array takes the place of an object.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_MERGE_PATCH_H
#define KIN_SERVER_MERGE_PATCH_H

#include "server/codec.h"

/*
 * Applies a patch, any bytes, to `*tree`, which may become another.  The result is any JSON: it has
 * to be pruned (server/prune.h).
 *
 * `warnings` gets the duplicate fields of the patch unless `validation` is IGNORE, for kin__prune()
 * to go on with.
 *
 * False when it is refused: 400 for what is no patch, 422 for a result that is too deep, or for
 * lack of memory.  Then `*tree` is good for nothing but kin__node_free().
 */
bool kin__merge_patch_apply(kin__node **tree, kin_str patch, kin__field_validation validation,
                            kin__codec_warnings *warnings, kin__refusal *no) KIN_MUST_CHECK;

#endif /* KIN_SERVER_MERGE_PATCH_H */
