/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller.h - the controller of ReplicaSets: its informers, and whom a change concerns.
 */
#ifndef REPLICASET_CONTROLLER_CONTROLLER_H
#define REPLICASET_CONTROLLER_CONTROLLER_H

#include <kin/kin.h>

typedef struct rs_controller rs_controller;

/* Zero means the default for every field. */
typedef struct rs_options {
    const char *ns;       /* NULL: all namespaces */
    uint32_t workers;     /* ReplicaSets at once; 0: 5 */
    kin_leader *leader;   /* NULL: works from the beginning */
    kin_metrics *metrics; /* NULL: nothing is counted */
} rs_options;

/* Makes and starts it.  `client` is borrowed until it is freed; `out` is owned by the caller. */
kin_err rs_controller_start(kin_client *client, const rs_options *options, rs_controller **out,
                            kin_error *err);

/* Ends it: no call is under way any more, and events are written.  Fails with TIMEOUT. */
kin_err rs_controller_stop(rs_controller *c, int64_t deadline_ms, kin_error *err);

/* Waits until there is nothing to do, as far as is known here. */
kin_err rs_controller_wait_idle(rs_controller *c, int64_t deadline_ms, kin_error *err);

/* NULL is ignored. */
void rs_controller_free(rs_controller *c);

#endif /* REPLICASET_CONTROLLER_CONTROLLER_H */
