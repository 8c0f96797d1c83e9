/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/schema_embedded.h - whole objects inside of a custom resource
 * (x-kubernetes-embedded-resource).
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_SCHEMA_EMBEDDED_H
#define KIN_SERVER_SCHEMA_EMBEDDED_H

#include "json/tree.h"
#include "server/codec_warnings.h"
#include "server/refusal.h"

/* Takes out of their metadata what no metadata has, and what is null.  `warnings` gets what went,
 * unless it is NULL.  False when there is no memory. */
bool kin__schema_embedded_prune(const kin__node *schema, kin__node *object,
                                kin__codec_warnings *warnings) KIN_MUST_CHECK;

/* Adds to a refusal that was begun where one has no apiVersion or kind, or one that is none. */
void kin__schema_embedded_check(const kin__node *schema, const kin__node *object, kin__refusal *no);

#endif /* KIN_SERVER_SCHEMA_EMBEDDED_H */
