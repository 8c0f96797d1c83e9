/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/pod_class.h - what a pod asks for, and the quality of service that it gets by that.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_POD_CLASS_H
#define KIN_SERVER_POD_CLASS_H

#include "json/tree.h"

/* Where a pod limits something and does not say how much of it it wants, it wants that much: in
 * its containers, and in the pod as a whole.  Templates are left as they are, so this is for the
 * spec of a pod alone; NULL is ignored.  False when there is no memory. */
bool kin__pod_default_requests(kin__node *spec) KIN_MUST_CHECK;

/* "Guaranteed", "Burstable" or "BestEffort", of a spec that has its defaults; NULL has none. */
const char *kin__pod_class(const kin__node *spec);

#endif /* KIN_SERVER_POD_CLASS_H */
