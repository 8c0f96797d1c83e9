/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/go_print.h - a tree as Go's %v prints it: map[a:1 b:[x y] c:<nil>].
 *
 * Threading: a pure function.
 */
#ifndef KIN_SERVER_GO_PRINT_H
#define KIN_SERVER_GO_PRINT_H

#include "json/tree.h"

/* Appends it; members are sorted.  Memory failures stay in the buffer. */
void kin__go_print(const kin__node *node, kin__buf *buf);

#endif /* KIN_SERVER_GO_PRINT_H */
