/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/merge_patch.h - JSON merge patches applied as RFC 7386 spells it out, to check those we
 * make.
 *
 * Word for word the MergePatch function of its section 2, with a new tree for every result: slow,
 * and too simple to be wrong.  For tests and fuzz targets alike: what cannot fail there traps.
 */
#ifndef TESTS_SUPPORT_MERGE_PATCH_H
#define TESTS_SUPPORT_MERGE_PATCH_H

#include "json/tree.h"

static inline void merge_patch_must(kin_err code)
{
    if (code != KIN_OK) {
        __builtin_trap();
    }
}

/* The tree of a valid document. */
static inline kin__node *merge_patch_tree(const char *json, size_t len)
{
    kin__node *node = NULL;
    kin_error err;
    merge_patch_must(kin__node_from_json(kin__json_of((kin_str){ json, len }), &node, &err));
    return node;
}

static inline kin__node *merge_patch_copy(const kin__node *node)
{
    kin__buf json = { 0 };
    merge_patch_must(kin__node_append_json(node, &json) ? KIN_OK : KIN_ERR_NO_MEMORY);
    kin__node *copy = merge_patch_tree(json.data, json.len);
    kin__buf_fini(&json);
    return copy;
}

/* MergePatch(Target, Patch); `target` is NULL for one that is not there. */
static inline kin__node *merge_patch_apply(const kin__node *target, const kin__node *patch)
{
    kin__node *result = NULL;
    kin_error err;

    if (kin__node_type(patch) != KIN_TYPE_OBJECT) {
        return merge_patch_copy(patch);
    }
    if (target != NULL && kin__node_type(target) == KIN_TYPE_OBJECT) {
        result = merge_patch_copy(target);
    } else {
        merge_patch_must(kin__node_container(KIN_TYPE_OBJECT, &result, &err));
    }
    kin__node_iter iter = { 0 };
    while (kin__node_next(patch, &iter)) {
        if (kin__node_type(iter.value) == KIN_TYPE_NULL) {
            kin__node_remove_member(result, iter.name);
        } else {
            kin__node *changed = merge_patch_apply(kin__node_member(result, iter.name), iter.value);
            merge_patch_must(kin__node_set_member(result, iter.name, changed, &err));
        }
    }
    return result;
}

/* The document without its null members, which no merge patch can make; arrays are left as they
 * are. */
static inline kin__node *merge_patch_without_nulls(const kin__node *node)
{
    kin__node *result = NULL;
    kin__node_iter iter = { 0 };
    kin_error err;

    if (kin__node_type(node) != KIN_TYPE_OBJECT) {
        return merge_patch_copy(node);
    }
    merge_patch_must(kin__node_container(KIN_TYPE_OBJECT, &result, &err));
    while (kin__node_next(node, &iter)) {
        if (kin__node_type(iter.value) != KIN_TYPE_NULL) {
            kin__node *kept = merge_patch_without_nulls(iter.value);
            merge_patch_must(kin__node_set_member(result, iter.name, kept, &err));
        }
    }
    return result;
}

/* Whether `patch` makes `wanted` of `target`, null members aside. */
static inline bool merge_patch_makes(const kin__node *target, const kin__node *patch,
                                     const kin__node *wanted)
{
    kin__node *applied = merge_patch_apply(target, patch);
    kin__node *got = merge_patch_without_nulls(applied);
    kin__node *want = merge_patch_without_nulls(wanted);
    bool is_same = kin__node_equal(got, want);

    kin__node_free(applied);
    kin__node_free(got);
    kin__node_free(want);
    return is_same;
}

#endif /* TESTS_SUPPORT_MERGE_PATCH_H */
