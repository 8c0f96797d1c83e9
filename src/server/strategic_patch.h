/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/strategic_patch.h - strategic merge patches, as kube-apiserver 1.36 applies them.
 *
 * For built-in kinds: how lists and objects are merged is told by tags of the Go types
 * (server/merge_keys.h).  Understood are $patch (replace, delete), $retainKeys,
 * $deleteFromPrimitiveList/LIST and $setElementOrder/LIST.  What is done, and what is not
 * (directives and nulls inside an element that is new stay, for example), is what
 * k8s.io/apimachinery/pkg/util/strategicpatch 0.36 does.  It differs where that
 *   - depends on the order in which Go walks a map: here the patch's order counts;
 *   - ends the request with a panic: here it is refused with 500, too, in words of ours;
 *   - takes fields in any case: here the exact name is needed.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_STRATEGIC_PATCH_H
#define KIN_SERVER_STRATEGIC_PATCH_H

#include "server/codec.h"

/*
 * Applies a patch, any bytes, to `*tree`, the object of a built-in kind; it may become another
 * tree. The result has to be pruned (server/prune.h).
 *
 * shown     gets the patch as Go prints it, for kin__prune(); a real server prints what is left of
 *           it afterwards, without directives and the nulls of members that were not there
 * warnings  gets the duplicate fields of the patch unless `validation` is IGNORE, for kin__prune()
 *           to go on with
 *
 * False when it is refused: 400 for what is no patch or has wrong directives, 422 for lists of
 * lists, 500 for most other faults, as a real server does; or for lack of memory.  Then `*tree` is
 * good for nothing but kin__node_free().
 */
bool kin__strategic_patch_apply(const kin__codec_kind *kind, kin__node **tree, kin_str patch,
                                kin__field_validation validation, kin__buf *shown,
                                kin__codec_warnings *warnings, kin__refusal *no) KIN_MUST_CHECK;

#endif /* KIN_SERVER_STRATEGIC_PATCH_H */
