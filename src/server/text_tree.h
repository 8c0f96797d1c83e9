/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/text_tree.h - a JSON text from outside, checked and as a tree.
 *
 * Threading: a pure function.
 */
#ifndef KIN_SERVER_TEXT_TREE_H
#define KIN_SERVER_TEXT_TREE_H

#include "json/tree.h"

/* `type` is what the document must be.  Fails with MALFORMED (what is wrong and at which byte),
 * LIMIT and NO_MEMORY. */
kin_err kin__text_tree(kin_str json, kin_type type, kin__node **out, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SERVER_TEXT_TREE_H */
