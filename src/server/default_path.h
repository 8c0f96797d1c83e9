/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/default_path.h - where in an object a default goes.
 *
 *     spec.replicas                 objects on the way are made
 *     spec.parameters?.scope        only where there are parameters
 *     webhooks[].timeoutSeconds     in each of them
 *     spec.matchingPrecedence~      0 and "" are as good as nothing, as in Go's plain members
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_DEFAULT_PATH_H
#define KIN_SERVER_DEFAULT_PATH_H

#include "json/tree.h"

/* There is at least `json` at the path; null is nothing.  False when there is no memory. */
bool kin__default_at(kin__node *object, const char *path, const char *json) KIN_MUST_CHECK;

/* What is at a path of plain names ("spec.template"); NULL: nothing.  "" is the object itself. */
kin__node *kin__default_find(kin__node *object, const char *path);

#endif /* KIN_SERVER_DEFAULT_PATH_H */
