/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change.c - the choice of the next change.
 *
 * Of 10,000 changes most renew leases; many follow from others: the rollout of nine pods takes some
 * 300 writes, a crash a dozen.  So new causes are rare, or the queue would only grow; and
 * while it is long no rollout begins.  A lease is renewed where there is nothing else to do.
 */
#include "simulate/change.h"

#include "simulate/pod_life.h"
#include "simulate/random.h"
#include "simulate/rollout.h"

#define TRIES 16        /* to find one that something can happen to */
#define BACKLOG_MAX 200 /* tasks; beyond, nothing large begins */

typedef struct cause {
    uint32_t weight; /* of 10,000 */
    kin_err (*happen)(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err);
} cause;

static kin_err lease_renew(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err);
static kin_err node_beat(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err);
static kin_err config_change(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err);
static kin_err pod_crash(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err);
static kin_err scale(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err);
static kin_err roll(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err);
static kin_err task_do(kin__cluster *cluster, const kin__sim_task *task, kin__sim_outcome *outcome,
                       kin_error *err);
static bool take_mark(kin__cluster *cluster, const kin__sim_task *task);
static void task_keep(kin__cluster *cluster, const kin__sim_task *task);

static const cause causes[] = {
    { 5700, lease_renew }, { 3700, kin__sim_follow_up },
    { 400, node_beat },    { 130, config_change },
    { 50, pod_crash },     { 14, scale },
    { 6, roll },
};

kin_err kin__sim_change(kin__cluster *cluster, kin_error *err)
{
    uint32_t drawn = kin__sim_below(&cluster->model.seed_state, 10000);
    kin__sim_outcome outcome = KIN__SIM_IDLE;
    size_t i = 0;

    while (drawn >= causes[i].weight) {
        drawn -= causes[i].weight;
        i++;
    }
    kin_err code = causes[i].happen(cluster, &outcome, err);
    if (code == KIN_OK && outcome != KIN__SIM_DONE) {
        code = lease_renew(cluster, &outcome, err);
    }
    return code;
}

/* Who is blocked goes to the end of the queue; once round is enough. */
kin_err kin__sim_follow_up(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err)
{
    size_t rounds = cluster->tasks.count;
    kin__sim_task task;

    *outcome = KIN__SIM_IDLE;
    for (size_t i = 0; i < rounds && *outcome != KIN__SIM_DONE; i++) {
        if (!kin__sim_tasks_pop(&cluster->tasks, &task)) {
            break;
        }
        kin_err code = task_do(cluster, &task, outcome, err);
        if (code) {
            return code;
        }
        if (*outcome == KIN__SIM_BLOCKED) {
            task_keep(cluster, &task);
        }
    }
    return KIN_OK;
}

/* One node after the other, as their kubelets' ten seconds run out. */
static kin_err lease_renew(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    uint32_t node = cluster->next_lease;

    cluster->next_lease = (node + 1) % model->node_count;
    model->nodes[node].renewed_us = model->now_us;
    kin__sim_render_lease(&cluster->page, model, node);
    *outcome = KIN__SIM_DONE;
    return kin__cluster_put(cluster, err);
}

static kin_err node_beat(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    uint32_t node = kin__sim_below(&model->seed_state, model->node_count);

    model->nodes[node].heartbeat_s = kin__sim_now_s(model);
    kin__sim_render_node(&cluster->page, model, node);
    *outcome = KIN__SIM_DONE;
    return kin__cluster_put(cluster, err);
}

static kin_err config_change(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    uint32_t index = kin__sim_below(&model->seed_state, model->deployment_count);

    model->deployments[index].config_revision++;
    model->deployments[index].config_s = kin__sim_now_s(model);
    kin__sim_render_config_map(&cluster->page, model, index);
    *outcome = KIN__SIM_DONE;
    return kin__cluster_put(cluster, err);
}

static kin_err pod_crash(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err)
{
    kin__sim_model *model = &cluster->model;

    *outcome = KIN__SIM_IDLE;
    for (int i = 0; i < TRIES; i++) {
        uint32_t pod = kin__sim_below(&model->seed_state, model->pod_places);
        if (kin__sim_pod_is_ready(&model->pods[pod])) {
            *outcome = KIN__SIM_DONE;
            return kin__pod_crash(cluster, pod, err);
        }
    }
    return KIN_OK;
}

/* By a quarter at most, up or down. */
static kin_err scale(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err)
{
    kin__sim_model *model = &cluster->model;

    *outcome = KIN__SIM_IDLE;
    for (int i = 0; i < TRIES && cluster->tasks.count < BACKLOG_MAX; i++) {
        uint32_t index = kin__sim_below(&model->seed_state, model->deployment_count);
        uint32_t has = model->deployments[index].replicas;
        uint32_t by = 1 + kin__sim_below(&model->seed_state, has / 4 + 1);
        bool is_up = kin__sim_below(&model->seed_state, 2) == 0;
        uint32_t wanted = is_up ? has + by : has > by ? has - by : 1;
        if (kin__deployment_can_scale(cluster, index, wanted)) {
            *outcome = KIN__SIM_DONE;
            return kin__deployment_scale(cluster, index, wanted, err);
        }
    }
    return KIN_OK;
}

static kin_err roll(kin__cluster *cluster, kin__sim_outcome *outcome, kin_error *err)
{
    kin__sim_model *model = &cluster->model;

    *outcome = KIN__SIM_IDLE;
    for (int i = 0; i < TRIES && cluster->tasks.count < BACKLOG_MAX; i++) {
        uint32_t index = kin__sim_below(&model->seed_state, model->deployment_count);
        if (kin__deployment_can_roll(cluster, index)) {
            *outcome = KIN__SIM_DONE;
            return kin__deployment_roll(cluster, index, err);
        }
    }
    return KIN_OK;
}

static kin_err task_do(kin__cluster *cluster, const kin__sim_task *task, kin__sim_outcome *outcome,
                       kin_error *err)
{
    *outcome = KIN__SIM_IDLE;
    if (task->work != KIN__SIM_WORK_EVENT && !take_mark(cluster, task)) {
        return KIN_OK;
    }
    switch ((kin__sim_work) task->work) {
    case KIN__SIM_WORK_DEPLOYMENT:
        return kin__deployment_sync(cluster, task->index, outcome, err);
    case KIN__SIM_WORK_SET:
        return kin__set_sync(cluster, task->index, outcome, err);
    case KIN__SIM_WORK_POD:
        return kin__pod_advance(cluster, task->index, outcome, err);
    case KIN__SIM_WORK_SLICE:
        *outcome = KIN__SIM_DONE;
        return kin__slice_update(cluster, task->index, err);
    case KIN__SIM_WORK_EVENT:
        return kin__event_record(cluster, task, outcome, err);
    }
    return KIN_OK;
}

/* False for a task that is left over from somebody who has gone. */
static bool take_mark(kin__cluster *cluster, const kin__sim_task *task)
{
    kin__sim_model *model = &cluster->model;
    bool *mark = task->work == KIN__SIM_WORK_DEPLOYMENT ? &model->deployments[task->index].is_queued
                 : task->work == KIN__SIM_WORK_SET      ? &model->sets[task->index].is_queued
                 : task->work == KIN__SIM_WORK_POD      ? &model->pods[task->index].is_queued
                                                        : &model->slices[task->index].is_queued;
    bool was_marked = *mark;

    *mark = false;
    return was_marked;
}

static void task_keep(kin__cluster *cluster, const kin__sim_task *task)
{
    if (task->work == KIN__SIM_WORK_SET) {
        kin__cluster_touch_set(cluster, task->index);
    } else {
        kin__cluster_touch_pod(cluster, task->index);
    }
}
