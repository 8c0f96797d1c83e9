/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/tasks.h - what follows from earlier changes, first come, first served.
 *
 * What the controllers of a cluster have in their queues: look at this replica set, at this pod.
 */
#ifndef KIN_SIMULATE_TASKS_H
#define KIN_SIMULATE_TASKS_H

#include "kin/common.h"

typedef enum kin__sim_work {
    KIN__SIM_WORK_DEPLOYMENT,
    KIN__SIM_WORK_SET,
    KIN__SIM_WORK_POD,
    KIN__SIM_WORK_SLICE,
    KIN__SIM_WORK_EVENT
} kin__sim_work;

typedef struct kin__sim_task {
    uint32_t index; /* of what is to be looked at */
    uint32_t check; /* of an event: a part of the uid of what it is about, which may be gone */
    uint16_t from;  /* of an event: replicas */
    uint16_t to;
    uint8_t work;
    uint8_t reason; /* of an event */
} kin__sim_task;

/* All zero is an empty queue. */
typedef struct kin__sim_tasks {
    kin__sim_task *ring; /* owned */
    size_t first;
    size_t count;
    size_t capacity; /* a power of two, or 0 */
} kin__sim_tasks;

void kin__sim_tasks_fini(kin__sim_tasks *tasks);

/* False when there is no memory. */
bool kin__sim_tasks_push(kin__sim_tasks *tasks, kin__sim_task task);

/* False when there is none. */
bool kin__sim_tasks_pop(kin__sim_tasks *tasks, kin__sim_task *out);

#endif /* KIN_SIMULATE_TASKS_H */
