/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod.h - what a ReplicaSet's controller wants to know of a pod.
 */
#ifndef REPLICASET_CONTROLLER_POD_H
#define REPLICASET_CONTROLLER_POD_H

#include <kin/kin.h>

/* Counts as a replica: has not ended, and is not to go. */
bool pod_is_active(const kin_object *pod);

/* Is to go, and has not ended yet. */
bool pod_is_terminating(const kin_object *pod);

/* As the store has it by now: it is to go, or gone; another one may have its name. */
bool pod_is_leaving(kin_store *pods, const kin_object *pod);

/* Empty: it is not assigned to one yet. */
kin_str pod_node(const kin_object *pod);

/* `out_since` (may be NULL): when it became so; all zero: the pod does not say. */
bool pod_is_ready(const kin_object *pod, kin_time *out_since);

/* Has been ready for so long.  0: yes; above 0: it will be in so many milliseconds, if it stays
 * ready; -1: it is not ready, or does not say since when. */
int64_t pod_available_in_ms(const kin_object *pod, int64_t min_ready_seconds, kin_time now);

/* The uid of its controller; empty: it has none, it is an orphan. */
kin_str pod_controller_uid(const kin_object *pod);

#endif /* REPLICASET_CONTROLLER_POD_H */
