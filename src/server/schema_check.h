/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/schema_check.h - an object of a custom resource beside its schema: what is not allowed.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_SCHEMA_CHECK_H
#define KIN_SERVER_SCHEMA_CHECK_H

#include "json/tree.h"
#include "server/refusal.h"

/* Adds to a refusal that was begun.  Of an update, `old` is what was there (else NULL): what is as
 * it was is not refused, though the schema may not allow it any more. */
void kin__schema_check(const kin__node *schema, const kin__node *object, const kin__node *old,
                       kin__refusal *no);

#endif /* KIN_SERVER_SCHEMA_CHECK_H */
