/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.h - which pods go first when there are too many.
 *
 * The order is that of kube-controller-manager (pkg/controller/controller_utils.go,
 * ActivePodsWithRanks).  Of two pods the first to go is, by the first of these that tells them
 * apart:
 *   1. the one without a node
 *   2. Pending before Unknown before Running
 *   3. the one that is not ready
 *   4. the one whose annotation controller.kubernetes.io/pod-deletion-cost is lower; 0 without one
 *   5. the one that shares its node with more pods of the family
 *   6. both ready: the one that has been so for less time, a time that is not told being the least
 *   7. the one whose containers have restarted more often, then its sidecars
 *   8. the one that was created later
 *   9. the one with the lower uid
 *
 * Times are compared by the power of two that their age in nanoseconds has reached, so that chance
 * decides between pods of about the same age.  (The original then goes to the uids at once, without
 * a look at 7 and 8, which is not an order: three pods can each come before the next.)
 */
#ifndef REPLICASET_CONTROLLER_RANK_H
#define REPLICASET_CONTROLLER_RANK_H

#include <kin/kin.h>

#include "pod_list.h"

typedef struct rank {
    bool has_node;
    int phase; /* 0: Pending, 1: Unknown, 2: Running */
    bool is_ready;
    int64_t cost;
    size_t neighbours; /* pods of the family on its node, itself included */
    int ready_age;     /* the power of two; -1: not told, or in the future */
    int64_t restarts;
    int64_t sidecar_restarts;
    int age;     /* as ready_age */
    kin_str uid; /* borrowed from the pod */
} rank;

/* `neighbours` is the caller's to set. */
rank rank_of(const kin_object *pod, kin_time now);

/* Below 0: `a` goes first. */
int rank_compare(const rank *a, const rank *b);

/* Brings those to the front that are to go first.  `family`: whose pods count as neighbours; active
 * ones only.  False: no memory, and nothing was moved. */
bool rank_sort(pod_list *list, const pod_list *family, kin_time now);

#endif /* REPLICASET_CONTROLLER_RANK_H */
