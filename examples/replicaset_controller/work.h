/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - one ReplicaSet that is being put right, and with what.
 */
#ifndef REPLICASET_CONTROLLER_WORK_H
#define REPLICASET_CONTROLLER_WORK_H

#include <kin/kin.h>

/* The index of both stores: the uid of an object's controller; of an object without one, "/" and
 * its namespace, which is no uid. */
#define BY_CONTROLLER "controller"

/* What all ReplicaSets share. */
typedef struct workshop {
    kin_store *sets;
    kin_store *pods;
    kin_recorder *recorder;
} workshop;

/* One of them, for one call.  All borrowed. */
typedef struct work {
    const workshop *shop;
    kin_reconcile *r;
    const kin_object *set;
    int64_t replicas; /* that it is to have */
    kin_time now;     /* one moment for all that is decided in this call */
} work;

#endif /* REPLICASET_CONTROLLER_WORK_H */
