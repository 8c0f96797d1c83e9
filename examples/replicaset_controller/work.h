/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - one ReplicaSet that is being put right, and with what.
 */
#ifndef REPLICASET_CONTROLLER_WORK_H
#define REPLICASET_CONTROLLER_WORK_H

#include <kin/kin.h>
#include <stdatomic.h>

#include "expectations.h"

/* The index of both stores: the uid of an object's controller; of an object without one, "/" and
 * its namespace, which is no uid. */
#define BY_CONTROLLER "controller"

/* What all ReplicaSets share. */
typedef struct workshop {
    kin_store *sets;
    kin_store *pods;
    kin_recorder *recorder;
    expectations *expectations;
    /* The server has no status.terminatingReplicas: it answered without what was written. */
    atomic_bool lacks_terminating;
} workshop;

/* One of them, for one call.  All borrowed. */
typedef struct work {
    workshop *shop;
    kin_reconcile *r;
    const kin_object *set;
    int64_t replicas; /* that it is to have */
    kin_time now;     /* one moment for all that is decided in this call */
    int64_t now_ms;   /* the same, by a clock that nobody sets */
} work;

/* The ReplicaSet, as one that expects pods. */
static inline expecting work_expecting(const work *w)
{
    return (expecting){ kin_object_key(w->set), kin_object_uid(w->set) };
}

#endif /* REPLICASET_CONTROLLER_WORK_H */
