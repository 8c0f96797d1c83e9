/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tasks.c - a queue in a ring.
 */
#include "simulate/tasks.h"

#include <string.h>

#include "simulate/memory.h"

#define FIRST_CAPACITY 64

static bool grow(kin__sim_tasks *tasks);

void kin__sim_tasks_fini(kin__sim_tasks *tasks)
{
    kin__sim_release(tasks->ring);
    *tasks = (kin__sim_tasks){ 0 };
}

bool kin__sim_tasks_push(kin__sim_tasks *tasks, kin__sim_task task)
{
    if (tasks->count == tasks->capacity && !grow(tasks)) {
        return false;
    }
    tasks->ring[(tasks->first + tasks->count++) & (tasks->capacity - 1)] = task;
    return true;
}

bool kin__sim_tasks_pop(kin__sim_tasks *tasks, kin__sim_task *out)
{
    if (tasks->count == 0) {
        return false;
    }
    *out = tasks->ring[tasks->first];
    tasks->first = (tasks->first + 1) & (tasks->capacity - 1);
    tasks->count--;
    return true;
}

/* What lies before `first` moves behind the old end, where twice the room has room for it. */
static bool grow(kin__sim_tasks *tasks)
{
    size_t capacity = tasks->capacity == 0 ? FIRST_CAPACITY : tasks->capacity * 2;
    kin__sim_task *ring = kin__sim_resize(tasks->ring, capacity * sizeof *ring);

    if (ring == NULL) {
        return false;
    }
    if (tasks->first > 0) {
        memcpy(ring + tasks->capacity, ring, tasks->first * sizeof *ring);
    }
    tasks->ring = ring;
    tasks->capacity = capacity;
    return true;
}
