/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/immutable.h - members of built-in kinds that stay what they were, and selectors that have
 * to select what they stand beside.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_IMMUTABLE_H
#define KIN_SERVER_IMMUTABLE_H

#include "server/write.h"

/* Adds to a refusal that was begun what an update may not change, and for workloads that a selector
 * does not match the labels of its template.  Of writes to the object itself; `write->object` has
 * its defaults. */
void kin__immutable_check(const kin__write *write, kin__refusal *no);

#endif /* KIN_SERVER_IMMUTABLE_H */
