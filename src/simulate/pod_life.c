/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_life.c - what scheduler, kubelet, and the controllers of endpoint slices and events do.
 */
#include "simulate/pod_life.h"

#include "simulate/fault.h"
#include "simulate/random.h"

#define WAITERS 8 /* one in so many does not find a node at once */

static kin_err pod_write(kin__cluster *cluster, uint32_t index, kin_error *err);
static kin_err pod_stop(kin__cluster *cluster, uint32_t index, kin_error *err);
static kin_err pod_remove(kin__cluster *cluster, uint32_t index, kin__sim_outcome *outcome,
                          kin_error *err);
static void schedule(kin__cluster *cluster, uint32_t index);
static kin_err run(kin__cluster *cluster, uint32_t index, kin_error *err);
static void get_ready(kin__cluster *cluster, uint32_t index);
static bool is_subject_gone(const kin__sim_model *model, const kin__sim_task *task);

kin_err kin__pod_make(kin__cluster *cluster, uint32_t set, kin__sim_outcome *outcome,
                      kin_error *err)
{
    kin__sim_model *model = &cluster->model;

    if (model->pod_count >= model->pods_max) {
        *outcome = KIN__SIM_BLOCKED;
        return KIN_OK;
    }
    uint32_t pod = kin__sim_pod_add(model, set);
    kin__cluster_note(cluster, KIN__SIM_POD_CREATED, pod, 0, 0);
    kin__cluster_touch_pod(cluster, pod);
    *outcome = KIN__SIM_DONE;
    return pod_write(cluster, pod, err);
}

kin_err kin__pod_advance(kin__cluster *cluster, uint32_t index, kin__sim_outcome *outcome,
                         kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    kin__sim_pod *pod = &model->pods[index];
    kin_err code = KIN_OK;

    *outcome = KIN__SIM_DONE;
    if (pod->deleted_s != 0) {
        return pod->stage == KIN__SIM_STOPPED ? pod_remove(cluster, index, outcome, err)
                                              : pod_stop(cluster, index, err);
    }
    switch ((kin__sim_stage) pod->stage) {
    case KIN__SIM_CREATED:
    case KIN__SIM_UNSCHEDULABLE:
        schedule(cluster, index);
        break;
    case KIN__SIM_SCHEDULED:
        pod->stage = KIN__SIM_STARTING;
        break;
    case KIN__SIM_STARTING:
    case KIN__SIM_CRASHED:
        code = run(cluster, index, err);
        break;
    case KIN__SIM_RUNNING:
        get_ready(cluster, index);
        break;
    case KIN__SIM_FREE:
    case KIN__SIM_READY:
    case KIN__SIM_STOPPED:
        *outcome = KIN__SIM_IDLE;
        return KIN_OK;
    }
    pod->changed_s = kin__sim_now_s(model);
    if (pod->stage != KIN__SIM_READY) {
        kin__cluster_touch_pod(cluster, index);
    }
    return code ? code : pod_write(cluster, index, err);
}

kin_err kin__pod_crash(kin__cluster *cluster, uint32_t index, kin_error *err)
{
    kin__sim_pod *pod = &cluster->model.pods[index];

    pod->stage = KIN__SIM_CRASHED;
    pod->restarts++;
    pod->crashed_s = kin__sim_now_s(&cluster->model);
    pod->changed_s = pod->crashed_s;
    kin__cluster_note(cluster, KIN__SIM_BACK_OFF, index, 0, 0);
    kin__cluster_touch_slice(cluster, pod->slice);
    kin__cluster_touch_set(cluster, pod->set);
    kin__cluster_touch_pod(cluster, index);
    return pod_write(cluster, index, err);
}

kin_err kin__pod_delete(kin__cluster *cluster, uint32_t index, kin__sim_outcome *outcome,
                        kin_error *err)
{
    kin__sim_pod *pod = &cluster->model.pods[index];

    if (pod->node == KIN__SIM_NONE) {
        return pod_remove(cluster, index, outcome, err);
    }
    pod->deleted_s = kin__sim_now_s(&cluster->model);
    kin__cluster_note(cluster, KIN__SIM_POD_DELETED, index, 0, 0);
    kin__cluster_note(cluster, KIN__SIM_KILLING, index, 0, 0);
    kin__cluster_touch_slice(cluster, pod->slice);
    kin__cluster_touch_set(cluster, pod->set);
    kin__cluster_touch_pod(cluster, index);
    *outcome = KIN__SIM_DONE;
    return pod_write(cluster, index, err);
}

kin_err kin__slice_update(kin__cluster *cluster, uint32_t index, kin_error *err)
{
    kin__sim_slice *slice = &cluster->model.slices[index];

    slice->generation++;
    slice->changed_s = kin__sim_now_s(&cluster->model);
    kin__sim_render_slice(&cluster->page, &cluster->model, index);
    return kin__cluster_put(cluster, err);
}

kin_err kin__event_record(kin__cluster *cluster, const kin__sim_task *task,
                          kin__sim_outcome *outcome, kin_error *err)
{
    kin__sim_model *model = &cluster->model;

    if (is_subject_gone(model, task)) {
        *outcome = KIN__SIM_IDLE;
        return KIN_OK;
    }
    *outcome = KIN__SIM_DONE;
    if (model->event_count == model->event_max) {
        kin__sim_event *oldest = &model->events[model->event_first];
        model->event_first = (model->event_first + 1) % model->event_max;
        model->event_count--;
        if (!kin__sim_tasks_push(&cluster->tasks, *task)) {
            return kin__sim_no_memory(err);
        }
        return kin__cluster_remove(cluster, "v1", "Event", oldest->ns, oldest->name, err);
    }
    uint32_t last = (model->event_first + model->event_count++) % model->event_max;
    kin__sim_render_event(&cluster->page, model, (kin__sim_reason) task->reason, task->index,
                          task->from, task->to, model->now_us, &model->events[last]);
    return kin__cluster_put(cluster, err);
}

static kin_err pod_write(kin__cluster *cluster, uint32_t index, kin_error *err)
{
    kin__sim_render_pod(&cluster->page, &cluster->model, index);
    return kin__cluster_put(cluster, err);
}

/* The last word of the kubelet.  A pod that has ended is no endpoint any more. */
static kin_err pod_stop(kin__cluster *cluster, uint32_t index, kin_error *err)
{
    kin__sim_pod *pod = &cluster->model.pods[index];

    kin__cluster_touch_slice(cluster, pod->slice);
    kin__sim_slice_leave(&cluster->model, index);
    pod->stage = KIN__SIM_STOPPED;
    pod->changed_s = kin__sim_now_s(&cluster->model);
    if (pod->started_s == 0) {
        pod->started_s = pod->changed_s;
    }
    kin__cluster_touch_pod(cluster, index);
    return pod_write(cluster, index, err);
}

static kin_err pod_remove(kin__cluster *cluster, uint32_t index, kin__sim_outcome *outcome,
                          kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    uint32_t set = model->pods[index].set;
    char name[KIN__SIM_POD_NAME_SIZE];

    if (model->pod_count <= model->pods_min) {
        *outcome = KIN__SIM_BLOCKED;
        return KIN_OK;
    }
    *outcome = KIN__SIM_DONE;
    kin__sim_pod_name(model, index, name);
    kin__sim_pod_drop(model, index);
    kin__cluster_touch_set(cluster, set);
    return kin__cluster_remove(cluster, "v1", "Pod",
                               model->deployments[model->sets[set].deployment].ns, name, err);
}

static void schedule(kin__cluster *cluster, uint32_t index)
{
    kin__sim_model *model = &cluster->model;
    kin__sim_pod *pod = &model->pods[index];

    if (!pod->has_waited && kin__sim_below(&model->seed_state, WAITERS) == 0) {
        pod->has_waited = true;
        pod->stage = KIN__SIM_UNSCHEDULABLE;
        kin__cluster_note(cluster, KIN__SIM_SCHEDULING_FAILED, index, 0, 0);
        return;
    }
    kin__sim_pod_place(model, index);
    pod->stage = KIN__SIM_SCHEDULED;
    pod->scheduled_s = kin__sim_now_s(model);
    kin__cluster_note(cluster, KIN__SIM_SCHEDULED_TO, index, 0, 0);
}

/* Its container starts, for the first time or again. */
static kin_err run(kin__cluster *cluster, uint32_t index, kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    kin__sim_pod *pod = &model->pods[index];
    kin_err code = KIN_OK;

    if (pod->address == 0) {
        kin__sim_pod_address(model, index);
        code = kin__sim_slice_join(model, index, err);
        kin__cluster_note(cluster, KIN__SIM_CONTAINER_CREATED, index, 0, 0);
    }
    pod->stage = KIN__SIM_RUNNING;
    pod->started_s = kin__sim_now_s(model);
    kin__cluster_note(cluster, KIN__SIM_PULLED, index, 0, 0);
    kin__cluster_note(cluster, KIN__SIM_CONTAINER_STARTED, index, 0, 0);
    kin__cluster_touch_slice(cluster, pod->slice);
    return code;
}

static void get_ready(kin__cluster *cluster, uint32_t index)
{
    kin__sim_pod *pod = &cluster->model.pods[index];

    pod->stage = KIN__SIM_READY;
    kin__cluster_touch_slice(cluster, pod->slice);
    kin__cluster_touch_set(cluster, pod->set);
}

/* Its place may be free by now, or somebody else's. */
static bool is_subject_gone(const kin__sim_model *model, const kin__sim_task *task)
{
    kin__sim_uid uid = task->reason < KIN__SIM_SCALED_UP ? model->pods[task->index].uid
                                                         : model->sets[task->index].uid;

    return (uint32_t) uid.low != task->check || uid.high == 0;
}
