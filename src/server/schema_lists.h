/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/schema_lists.h - lists of a custom resource that are sets or maps.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_SCHEMA_LISTS_H
#define KIN_SERVER_SCHEMA_LISTS_H

#include "json/tree.h"
#include "server/refusal.h"

/* Adds to a refusal that was begun what is twice in a set, and whose keys are twice in a map. `old`
 * is as for kin__schema_check(). */
void kin__schema_lists_check(const kin__node *schema, const kin__node *object, const kin__node *old,
                             kin__refusal *no);

/* The element of `old` that has the keys of this one; NULL where there is none, and where the list
 * is no map. */
const kin__node *kin__schema_counterpart(const kin__node *schema, const kin__node *element,
                                         const kin__node *old);

#endif /* KIN_SERVER_SCHEMA_LISTS_H */
