/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/mask.h - which parts of an object a mask leaves out.
 *
 * A mask is a tree of steps: from a node one goes on by a member's name or, where there is no
 * such name, by [*].  What a name may match in two ways (spec.a and spec[*]) was merged when the
 * mask was made, so one node says everything about a place.  What always stays is part of
 * the tree as well.
 */
#ifndef KIN_OBJECT_MASK_H
#define KIN_OBJECT_MASK_H

#include "base/cleanup.h"
#include "kin/path.h"

typedef struct kin__mask_node kin__mask_node;

struct kin__mask_node {
    kin__mask_node *members; /* owned: the first of those that are reached by a name */
    kin__mask_node *next;    /* owned: the next one of the same parent */
    kin__mask_node *each;    /* owned: reached by [*], and by names that are not among `members` */
    bool is_end;             /* a path of the mask ends here; then there is nothing below */
    size_t name_len;
    char name[]; /* decoded */
};

struct kin_mask {
    kin_mask_mode mode;
    uint32_t depth;          /* the steps of the longest path */
    bool drops_managed_only; /* it leaves out metadata.managedFields and nothing else */
    size_t node_count;
    kin__mask_node *root; /* owned */
};

KIN__DEFINE_AUTO(kin_mask, kin_mask_free)

/* What becomes of a value. */
typedef enum kin__mask_verdict {
    KIN__MASK_WHOLE,  /* it stays, with all that is in it */
    KIN__MASK_PARTS,  /* it stays; what is in it has verdicts of its own */
    KIN__MASK_NOTHING /* it is left out */
} kin__mask_verdict;

/* The node that a member leads to, NULL when there is none.  `key` is raw; `is_plain`: it has no
 * escapes. */
const kin__mask_node *kin__mask_member(const kin__mask_node *node, kin_str key, bool is_plain);

/* About a value that was reached by `node` (NULL: the mask does not lead there) and begins with the
 * byte `first`. */
kin__mask_verdict kin__mask_judge(const kin_mask *mask, const kin__mask_node *node, char first);

/* True when, outside the member `name` of the object, the mask speaks of top-level members only. */
bool kin__mask_is_flat_outside(const kin_mask *mask, kin_str name);

#endif /* KIN_OBJECT_MASK_H */
