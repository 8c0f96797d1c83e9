/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.h - what a ReplicaSet says of itself.
 */
#ifndef REPLICASET_CONTROLLER_STATUS_H
#define REPLICASET_CONTROLLER_STATUS_H

#include "pod_list.h"
#include "work.h"

typedef struct counts {
    int64_t replicas;
    int64_t fully_labeled; /* have all labels of the template */
    int64_t ready;
    int64_t available;   /* have been ready for minReadySeconds */
    int64_t terminating; /* beside the replicas: are to go, and have not ended */
    int64_t next_ms;     /* when the next of those that are ready will be available; -1: none */
} counts;

/* `pods`: its replicas.  Fails with NO_MEMORY, MALFORMED. */
kin_err status_count(const work *w, const kin_selector *selector, const pod_list *pods, counts *out,
                     kin_error *err);

/*
 * Writes what has changed; nothing is sent when nothing has.  `trouble`: why pods could not be made
 * or removed, which becomes the condition ReplicaFailure; NULL: all is well, and it goes.  Fails as
 * kin_reconcile_patch().
 */
kin_err status_write(const work *w, const counts *n, const kin_error *trouble, kin_error *err);

#endif /* REPLICASET_CONTROLLER_STATUS_H */
