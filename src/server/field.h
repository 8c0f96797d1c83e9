/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/field.h - members of a JSON tree, read and set by name.
 *
 * For those who put objects together: what is not there, or of another type, reads as nothing; what
 * fails for lack of memory returns false, and the tree is as it was.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_FIELD_H
#define KIN_SERVER_FIELD_H

#include "base/str.h"
#include "json/tree.h"

/* The member, at the end of one, two names; NULL when there is none.  `object` may be NULL. */
kin__node *kin__field(const kin__node *object, const char *name);
kin__node *kin__field_at(const kin__node *object, const char *name, const char *below);

kin_str kin__field_text(const kin__node *object, const char *name); /* empty unless a string */
bool kin__field_int64(const kin__node *object, const char *name, int64_t *out);
bool kin__field_is_true(const kin__node *object, const char *name);
bool kin__node_is(const kin__node *node, kin_type type); /* false for NULL */

/* The member as an object (an array); when there is none, or one of another type, an empty one is
 * put there.  NULL when there is no memory. */
kin__node *kin__field_make(kin__node *object, const char *name, kin_type type) KIN_MUST_CHECK;

/* `child` is consumed, also on failure; NULL for one that could not be made, which fails. */
bool kin__field_set(kin__node *object, const char *name, kin__node *child) KIN_MUST_CHECK;
bool kin__field_set_text(kin__node *object, const char *name, kin_str text) KIN_MUST_CHECK;
bool kin__field_set_int64(kin__node *object, const char *name, int64_t value) KIN_MUST_CHECK;
bool kin__field_set_json(kin__node *object, const char *name, const char *json) KIN_MUST_CHECK;
bool kin__field_append_text(kin__node *array, kin_str text) KIN_MUST_CHECK;

/* The same when there is no such member yet: how defaults are set. */
bool kin__field_default_text(kin__node *object, const char *name, const char *text) KIN_MUST_CHECK;
bool kin__field_default_json(kin__node *object, const char *name, const char *json) KIN_MUST_CHECK;

void kin__field_remove(kin__node *object, const char *name);

/* Makes the member what it is in `from` (which may be NULL): a copy, or nothing. */
bool kin__field_copy(kin__node *object, const kin__node *from, const char *name) KIN_MUST_CHECK;

/* Whether both have the member with the same value, or both have none; either may be NULL. */
bool kin__field_equal(const kin__node *a, const kin__node *b, const char *name);

/* Trees of their own; NULL when there is no memory.  `json` is a document that was checked. */
kin__node *kin__tree_copy(const kin__node *node) KIN_MUST_CHECK;
kin__node *kin__tree_of(kin_str json) KIN_MUST_CHECK;

#endif /* KIN_SERVER_FIELD_H */
