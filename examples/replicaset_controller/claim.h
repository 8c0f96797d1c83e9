/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim.h - which pods belong to a ReplicaSet: adopting and releasing.
 *
 * A pod belongs to the ReplicaSet that it names as its controller.  An orphan that the selector
 * matches is adopted: gets that name.  A pod of its own that the selector does not match any more
 * is released: loses it, and runs on.  (kube-controller-manager: controller_ref_manager.go.)
 */
#ifndef REPLICASET_CONTROLLER_CLAIM_H
#define REPLICASET_CONTROLLER_CLAIM_H

#include "pod_list.h"
#include "work.h"

/* The pods that may concern the ReplicaSet: its own, and the orphans of its namespace; active ones
 * only. False: no memory. */
bool claim_candidates(const work *w, pod_list *out);

/*
 * Leaves in `pods` those that belong to it, adopted ones in their new version.  A ReplicaSet that
 * is to go adopts and releases nothing.  Fails with the first error when any pod could not be
 * adopted or released; those that are gone already are no failure.
 */
kin_err claim_pods(const work *w, const kin_selector *selector, pod_list *pods, kin_error *err);

#endif /* REPLICASET_CONTROLLER_CLAIM_H */
