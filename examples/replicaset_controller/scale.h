/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scale.h - makes the pods that a ReplicaSet lacks, and removes those it has too many.
 */
#ifndef REPLICASET_CONTROLLER_SCALE_H
#define REPLICASET_CONTROLLER_SCALE_H

#include "pod_list.h"
#include "work.h"

#define BURST 500 /* pods that are made or removed in one call, at most */

/*
 * `pods`: those it has; their order may change.  Of what is more than BURST the rest is done when
 * the ReplicaSet comes again, as it does for every pod of its own that changes.
 *
 * Fails with the error of the first pod that could not be made or removed; after the first one that
 * could not be made no other is tried.
 */
kin_err scale(work *w, pod_list *pods, kin_error *err);

#endif /* REPLICASET_CONTROLLER_SCALE_H */
