/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync.h - puts one ReplicaSet right.
 */
#ifndef REPLICASET_CONTROLLER_SYNC_H
#define REPLICASET_CONTROLLER_SYNC_H

#include <kin/kin.h>

/* A kin_reconcile_fn; the context is a workshop (work.h). */
kin_err sync_set(void *context, kin_reconcile *r, kin_error *err);

#endif /* REPLICASET_CONTROLLER_SYNC_H */
