/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/patch_tree.h - merge patches as trees: reading them, and moving their parts into objects.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_PATCH_TREE_H
#define KIN_SERVER_PATCH_TREE_H

#include "server/codec.h"

/* How it is said that bytes are no patch. */
typedef struct kin__patch_words {
    const char *prefix;  /* before Go's words */
    const char *lenient; /* in their place when validation is IGNORE; NULL: Go's words then, too */
} kin__patch_words;

/*
 * The tree of a patch; owned.  Unless `validation` is IGNORE it is an object, or null; `warnings`
 * then gets its duplicate fields.  False when it is refused (400), or for lack of memory.
 */
bool kin__patch_tree(kin_str patch, kin__field_validation validation, const kin__patch_words *words,
                     kin__node **out, kin__codec_warnings *warnings,
                     kin__refusal *no) KIN_MUST_CHECK;

/* Removes all null members of objects, those in arrays included; null elements stay.  Fails with
 * NO_MEMORY. */
kin_err kin__patch_drop_nulls(kin__node *node, kin_error *err) KIN_MUST_CHECK;

/* The node null; owned. */
kin_err kin__patch_null(kin__node **out, kin_error *err) KIN_MUST_CHECK;

/*
 * Takes a member out of an object; owned.  In its place a null is left, so that whoever walks the
 * object may go on.  The member is there.  Fails with NO_MEMORY.
 */
kin_err kin__patch_take(kin__node *object, kin_str name, kin__node **out,
                        kin_error *err) KIN_MUST_CHECK;

/* Takes a member out of one object, as above, and puts it into another in place of what is there.
 */
kin_err kin__patch_move(kin__node *from, kin_str name, kin__node *to, kin_str to_name,
                        kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SERVER_PATCH_TREE_H */
