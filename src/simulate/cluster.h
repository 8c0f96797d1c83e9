/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/cluster.h - a simulated cluster: its model, what is to be done in it, and its sink.
 *
 * Every change happens in the model first and is then written.  When a write fails model and sink
 * no longer agree, so the first failure is the last: it is kept, and returned ever after.
 *
 * Threading: confined.
 */
#ifndef KIN_SIMULATE_CLUSTER_H
#define KIN_SIMULATE_CLUSTER_H

#include "simulate/model.h"
#include "simulate/render.h"
#include "simulate/sink.h"
#include "simulate/tasks.h"

typedef struct kin__cluster {
    kin__sim_model model;
    kin__sim_tasks tasks;
    kin__sim_page page;
    kin__sink sink;
    int64_t step_us; /* from one change to the next */
    uint32_t next_lease;
    bool lacks_memory; /* a task was lost */
    uint64_t changes;
    kin_error failure; /* code OK: none yet */
} kin__cluster;

/* What came of a task. */
typedef enum kin__sim_outcome {
    KIN__SIM_IDLE,   /* there was nothing to do */
    KIN__SIM_DONE,   /* one write */
    KIN__SIM_BLOCKED /* not now: the number of pods is at its limit */
} kin__sim_outcome;

/* Makes the cluster and puts it into `sink`, which is copied.  `options` has no zeros where they
 * mean a default. */
kin_err kin__cluster_init(kin__cluster *cluster, const kin_simulation_options *options,
                          const kin__sink *sink, kin_error *err) KIN_MUST_CHECK;
void kin__cluster_fini(kin__cluster *cluster);

/* The next change: one write. */
kin_err kin__cluster_step(kin__cluster *cluster, kin_error *err) KIN_MUST_CHECK;

/* Changes that follow from earlier ones, until there are none. */
kin_err kin__cluster_settle(kin__cluster *cluster, kin_error *err) KIN_MUST_CHECK;

void kin__cluster_get_counts(const kin__cluster *cluster, kin_simulation_counts *out);

/* ---- for the parts of a cluster ------------------------------------------------------------- */

/* Writes what is on the page. */
kin_err kin__cluster_put(kin__cluster *cluster, kin_error *err) KIN_MUST_CHECK;
kin_err kin__cluster_remove(kin__cluster *cluster, const char *api_version, const char *kind,
                            uint32_t ns, const char *name, kin_error *err) KIN_MUST_CHECK;

/* To be looked at; whatever waits already waits once. */
void kin__cluster_touch_deployment(kin__cluster *cluster, uint32_t deployment);
void kin__cluster_touch_set(kin__cluster *cluster, uint32_t set);
void kin__cluster_touch_pod(kin__cluster *cluster, uint32_t pod);
void kin__cluster_touch_slice(kin__cluster *cluster, uint32_t slice); /* NONE is ignored */

/* An event to be recorded, about a pod or, where something is scaled, a replica set. */
void kin__cluster_note(kin__cluster *cluster, kin__sim_reason reason, uint32_t index, uint32_t from,
                       uint32_t to);

#endif /* KIN_SIMULATE_CLUSTER_H */
