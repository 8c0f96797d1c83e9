/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/tree.h - a JSON document that can be changed.
 *
 * For editing only: objects themselves are read with the cursor.  A tree keeps numbers as they
 * were written and members in their order, each name once: of several members with one name the
 * last value counts, at the place of the first.  Members are found, put in and taken out by name in
 * constant time on average, so that hostile documents cost no more than their size.
 *
 * A tree has at most KIN__JSON_DEPTH_MAX containers inside one another: kin__node_from_json() makes
 * no deeper one, and whoever puts trees together sees to it (kin__node_depth()).  Everything that
 * walks a whole tree does so by recursion, with frames of at most 130 bytes a level (gcc 12, -O2).
 *
 * An operation that fails for lack of memory leaves the tree as it was.
 *
 * Threading: confined.
 */
#ifndef KIN_JSON_TREE_H
#define KIN_JSON_TREE_H

#include "base/buf.h"
#include "json/cursor.h"
#include "json/writer.h"

typedef struct kin__node kin__node;

/*
 * The tree of a document that the scanner has passed, copied; owned: release with
 * kin__node_free().  Fails with LIMIT (too deep) and NO_MEMORY; other bytes are never read
 * outside their end, and fail with MALFORMED or make some tree.
 */
kin_err kin__node_from_json(kin__json value, kin__node **out, kin_error *err) KIN_MUST_CHECK;

/* Single nodes, owned as above; all bytes are copied.  `text` is UTF-8, `raw` a JSON number, `type`
 * KIN_TYPE_ARRAY or KIN_TYPE_OBJECT. */
kin_err kin__node_string(kin_str text, kin__node **out, kin_error *err) KIN_MUST_CHECK;
kin_err kin__node_number(kin_str raw, kin__node **out, kin_error *err) KIN_MUST_CHECK;
kin_err kin__node_bool(bool value, kin__node **out, kin_error *err) KIN_MUST_CHECK;
kin_err kin__node_container(kin_type type, kin__node **out, kin_error *err) KIN_MUST_CHECK;

/* With all below it.  NULL is ignored. */
void kin__node_free(kin__node *node);
KIN__DEFINE_AUTO(kin__node, kin__node_free)

kin_type kin__node_type(const kin__node *node);
kin_str kin__node_text(const kin__node *node); /* a string decoded; a number, true ... as written;
                                                  empty for a container */
size_t kin__node_count(const kin__node *node); /* of elements or members; 0 for a scalar */

/* How many containers lie inside one another, the node itself included: 0 for a scalar. */
size_t kin__node_depth(const kin__node *node);

/* NULL when there is none, and for a node of another type. */
kin__node *kin__node_member(const kin__node *object, kin_str name);
kin__node *kin__node_element(const kin__node *array, size_t index);

/* Walks elements or members, in order:
 *     kin__node_iter iter = { 0 };
 *     while (kin__node_next(node, &iter)) { iter.name, iter.value }
 * The node must not change meanwhile.  A scalar has nothing to walk. */
typedef struct kin__node_iter {
    kin_str name; /* borrowed from the node; empty in an array */
    kin__node *value;
    size_t next;
} kin__node_iter;

bool kin__node_next(const kin__node *node, kin__node_iter *iter);

/* Puts `child` in; a member of that name, or the element that was there, is freed.  `child` is
 * consumed only on success.  `index` is below the array's count. */
kin_err kin__node_set_member(kin__node *object, kin_str name, kin__node *child,
                             kin_error *err) KIN_MUST_CHECK;
void kin__node_set_element(kin__node *array, size_t index, kin__node *child);
kin_err kin__node_append(kin__node *array, kin__node *child, kin_error *err) KIN_MUST_CHECK;

/* Puts `child` before the element that has that index, or at the end: `index` is at most the
 * array's count. */
kin_err kin__node_insert(kin__node *array, size_t index, kin__node *child,
                         kin_error *err) KIN_MUST_CHECK;

/* Puts `child` in place of a member that is there, and hands that over, owned.  Needs no memory,
 * and whoever walks the object may go on.  NULL when there is no such member: then `child` is not
 * consumed. */
kin__node *kin__node_swap_member(kin__node *object, kin_str name, kin__node *child);

/* Takes out and hands over, owned; NULL when it is not there. */
kin__node *kin__node_take_member(kin__node *object, kin_str name);
kin__node *kin__node_take_element(kin__node *array, size_t index);

/* Takes out and frees; nothing happens when it is not there. */
void kin__node_remove_member(kin__node *object, kin_str name);
void kin__node_remove_element(kin__node *array, size_t index);

/* Whether two trees say the same: members in any order, numbers by value. */
bool kin__node_equal(const kin__node *a, const kin__node *b);

/* Appends compact JSON; false when there is no memory (then the buffer may hold a part of it). */
bool kin__node_append_json(const kin__node *node, kin__buf *buf);

/* The same, as one value of what the writer writes. */
void kin__node_write(const kin__node *node, kin__json_writer *w);

#endif /* KIN_JSON_TREE_H */
