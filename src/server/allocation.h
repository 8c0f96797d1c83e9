/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/allocation.h - what a service is given: an address, and ports on the nodes.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_ALLOCATION_H
#define KIN_SERVER_ALLOCATION_H

#include "server/write.h"

#define KIN__NODE_PORT_FIRST 30000
#define KIN__NODE_PORT_COUNT 2768

/*
 * Fills in what the service's type calls for and `spec`, a part of write->object, does not say:
 * first as it was before, then by chance.  What an earlier type called for and this one does not
 * goes, where it was not changed.  False when there is no memory.
 */
bool kin__allocate(kin__write *write, kin__node *spec) KIN_MUST_CHECK;

/* Adds to a refusal that was begun what a service asked for and cannot have: an address or a port
 * that is outside of the range, or that another service has. */
void kin__allocation_check(const kin__write *write, kin__refusal *no);

#endif /* KIN_SERVER_ALLOCATION_H */
