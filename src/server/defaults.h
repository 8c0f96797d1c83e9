/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/defaults.h - what a server fills into objects of its own kinds when a client leaves it
 * out.
 *
 * Not all of it: what clients trip over.  Workloads and their pods, services, claims, secrets, jobs
 * and roles get what kube-apiserver 1.36 gives them; what its admission plugins add (tolerations,
 * priorities, protection finalizers, service accounts' volumes) is left out.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_DEFAULTS_H
#define KIN_SERVER_DEFAULTS_H

#include "server/write.h"

/* Into `write->object`; objects that are put directly stay as they are.  False when there is no
 * memory. */
bool kin__defaults_apply(kin__write *write);

#endif /* KIN_SERVER_DEFAULTS_H */
