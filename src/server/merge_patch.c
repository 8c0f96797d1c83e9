/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_patch.c - JSON merge patches, as kube-apiserver 1.36 applies them.
 *
 * The patch is a tree of its own, whose parts are moved into the object's.  Nothing gets deeper
 * than the two were: where objects meet, both have the same depth.
 */
#include "server/merge_patch.h"

#include "base/str.h"
#include "server/patch_tree.h"

static kin_err merge(kin__node *object, kin__node *patch, kin_error *err);
static kin_err merge_member(kin__node *object, kin__node *patch, kin_str name, kin__node *value,
                            kin_error *err);

bool kin__merge_patch_apply(kin__node **tree, kin_str patch, kin__field_validation validation,
                            kin__codec_warnings *warnings, kin__refusal *no)
{
    AUTO(kin__node_free) kin__node *changes = NULL;
    kin_error err;
    kin__patch_words words = { .prefix = "error decoding patch: ",
                               .lenient = "Invalid JSON Patch" };

    if (!kin__patch_tree(patch, validation, &words, &changes, warnings, no)) {
        return false;
    }
    if (kin__node_type(changes) != KIN_TYPE_OBJECT) {
        if (kin__node_type(changes) != KIN_TYPE_ARRAY) {
            return kin__refuse_bad_request(no, "Invalid JSON Patch");
        }
        if (kin__patch_drop_nulls(changes, &err) != KIN_OK) {
            return kin__refuse_no_memory(no);
        }
        kin__node_free(*tree);
        *tree = STEAL(changes);
        return true;
    }
    return merge(*tree, changes, &err) == KIN_OK || kin__refuse_no_memory(no);
}

/* Of two objects.  What is left of the patch is good for nothing. */
static kin_err merge(kin__node *object, kin__node *patch, kin_error *err)
{
    kin__node_iter iter = { 0 };
    kin_err code = KIN_OK;

    while (code == KIN_OK && kin__node_next(patch, &iter)) {
        if (kin__node_type(iter.value) == KIN_TYPE_NULL) {
            kin__node_remove_member(object, iter.name);
        } else {
            code = merge_member(object, patch, iter.name, iter.value, err);
        }
    }
    return code;
}

static kin_err merge_member(kin__node *object, kin__node *patch, kin_str name, kin__node *value,
                            kin_error *err)
{
    kin__node *before = kin__node_member(object, name);
    bool was_object = before != NULL && kin__node_type(before) == KIN_TYPE_OBJECT;

    if (was_object && kin__node_type(value) == KIN_TYPE_OBJECT) {
        return merge(before, value, err);
    }
    if (!was_object && kin__patch_drop_nulls(value, err) != KIN_OK) {
        return err->code;
    }
    return kin__patch_move(patch, name, object, name, err);
}
