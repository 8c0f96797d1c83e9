/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/deprecation.h - versions that are on their way out, and what is said of them in the
 * Warning header of every answer.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_DEPRECATION_H
#define KIN_SERVER_DEPRECATION_H

#include "json/tree.h"

/* Of a built-in kind; empty when there is nothing to say. */
kin_str kin__deprecation_of(const char *group, const char *version, const char *kind);

/* Of a version of a custom resource: appends what its definition says, or what a real server says
 * for it; nothing when it is not deprecated.  `spec` is the definition's.  Memory failures stay in
 * the buffer. */
void kin__deprecation_append(const kin__node *spec, const kin__node *version, kin__buf *out);

#endif /* KIN_SERVER_DEPRECATION_H */
