/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/prune.h - a tree that was patched, made an object again.
 *
 * A patch may put anything into an object.  What comes of it is decoded like a body
 * (server/codec.h): unknown members go and are told of, and what has the wrong type is refused; but
 * with 422 and the patched object in the message.  After a strategic merge patch a real server has
 * other words for a value of a wrong type (cannot convert int64 to string).
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_PRUNE_H
#define KIN_SERVER_PRUNE_H

#include "server/codec.h"

/*
 * Decodes `*tree` anew; on success it is another tree (the old one is freed), else it stays.
 *
 * shown     what the message quotes as the value; none: the JSON of the tree, its own members
 *           sorted.  (A real server shows those of each object sorted that the patch has touched.)
 *           For a strategic merge patch it is what kin__strategic_patch_apply() says
 * warnings  as for kin__codec_decode(), but added to those that are there already, from the patch
 *           itself; when validation is strict, these too are what it is refused for
 *
 * False when it is refused: 422, 400 for an apiVersion that is not the URL's, or for lack of
 * memory.
 */
bool kin__prune(const kin__codec_kind *kind, kin__node **tree, kin__field_validation validation,
                kin_str shown, kin__codec_warnings *warnings, kin__refusal *no) KIN_MUST_CHECK;

#endif /* KIN_SERVER_PRUNE_H */
