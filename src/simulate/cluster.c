/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cluster.c - making one, and what all changes have in common.
 */
#include "simulate/cluster.h"

#include "simulate/change.h"
#include "simulate/fault.h"
#include "simulate/fill.h"

#define MICROS 1000000

static kin_err finish(kin__cluster *cluster, kin_err code, const kin_error *failure,
                      kin_error *err);
static void push(kin__cluster *cluster, kin__sim_task task);

kin_err kin__cluster_init(kin__cluster *cluster, const kin_simulation_options *options,
                          const kin__sink *sink, kin_error *err)
{
    *cluster = (kin__cluster){ .sink = *sink, .step_us = MICROS / options->rate };

    kin_err code = kin__sim_fill(cluster, options, err);
    if (code) {
        kin__cluster_fini(cluster);
    }
    return code;
}

void kin__cluster_fini(kin__cluster *cluster)
{
    kin__sim_model_fini(&cluster->model);
    kin__sim_tasks_fini(&cluster->tasks);
    kin__sim_text_fini(&cluster->page.text);
}

kin_err kin__cluster_step(kin__cluster *cluster, kin_error *err)
{
    kin_error failure;

    if (cluster->failure.code) {
        return kin__sim_fault_copy(err, &cluster->failure);
    }
    cluster->model.now_us += cluster->step_us;
    return finish(cluster, kin__sim_change(cluster, &failure), &failure, err);
}

kin_err kin__cluster_settle(kin__cluster *cluster, kin_error *err)
{
    kin__sim_outcome outcome = KIN__SIM_DONE;
    kin_err code = KIN_OK;
    kin_error failure;

    if (cluster->failure.code) {
        return kin__sim_fault_copy(err, &cluster->failure);
    }
    while (code == KIN_OK && outcome == KIN__SIM_DONE) {
        int64_t before_us = cluster->model.now_us;
        cluster->model.now_us += cluster->step_us;
        code = kin__sim_follow_up(cluster, &outcome, &failure);
        if (code == KIN_OK && outcome != KIN__SIM_DONE) {
            cluster->model.now_us = before_us;
            break;
        }
        code = finish(cluster, code, &failure, err);
    }
    return code;
}

void kin__cluster_get_counts(const kin__cluster *cluster, kin_simulation_counts *out)
{
    *out = (kin_simulation_counts){
        .changes = cluster->changes,
        .pending = cluster->tasks.count,
        .namespaces = cluster->model.namespace_count,
        .nodes = cluster->model.node_count,
        .deployments = cluster->model.deployment_count,
        .replica_sets = cluster->model.set_count,
        .pods = cluster->model.pod_count,
        .endpoint_slices = cluster->model.slice_count,
        .events = cluster->model.event_count,
    };
}

kin_err kin__cluster_put(kin__cluster *cluster, kin_error *err)
{
    kin_str json;
    kin_err code = kin__sim_text_get(&cluster->page.text, &json, err);

    return code ? code : cluster->sink.put(cluster->sink.context, json, err);
}

kin_err kin__cluster_remove(kin__cluster *cluster, const char *api_version, const char *kind,
                            uint32_t ns, const char *name, kin_error *err)
{
    return cluster->sink.remove(cluster->sink.context, api_version, kind,
                                cluster->model.namespaces[ns].name, name, err);
}

void kin__cluster_touch_deployment(kin__cluster *cluster, uint32_t index)
{
    kin__sim_deployment *deployment = &cluster->model.deployments[index];

    if (!deployment->is_queued) {
        deployment->is_queued = true;
        push(cluster, (kin__sim_task){ .index = index, .work = KIN__SIM_WORK_DEPLOYMENT });
    }
}

void kin__cluster_touch_set(kin__cluster *cluster, uint32_t index)
{
    kin__sim_set *set = &cluster->model.sets[index];

    if (!set->is_queued) {
        set->is_queued = true;
        push(cluster, (kin__sim_task){ .index = index, .work = KIN__SIM_WORK_SET });
    }
}

void kin__cluster_touch_pod(kin__cluster *cluster, uint32_t index)
{
    kin__sim_pod *pod = &cluster->model.pods[index];

    if (!pod->is_queued) {
        pod->is_queued = true;
        push(cluster, (kin__sim_task){ .index = index, .work = KIN__SIM_WORK_POD });
    }
}

void kin__cluster_touch_slice(kin__cluster *cluster, uint32_t index)
{
    if (index == KIN__SIM_NONE) {
        return;
    }
    kin__sim_slice *slice = &cluster->model.slices[index];
    if (!slice->is_queued) {
        slice->is_queued = true;
        push(cluster, (kin__sim_task){ .index = index, .work = KIN__SIM_WORK_SLICE });
    }
}

void kin__cluster_note(kin__cluster *cluster, kin__sim_reason reason, uint32_t index, uint32_t from,
                       uint32_t to)
{
    bool is_of_pod = reason < KIN__SIM_SCALED_UP;
    kin__sim_uid uid = is_of_pod ? cluster->model.pods[index].uid : cluster->model.sets[index].uid;

    push(cluster, (kin__sim_task){ .index = index,
                                   .check = (uint32_t) uid.low,
                                   .from = (uint16_t) from,
                                   .to = (uint16_t) to,
                                   .work = KIN__SIM_WORK_EVENT,
                                   .reason = (uint8_t) reason });
}

static kin_err finish(kin__cluster *cluster, kin_err code, const kin_error *failure, kin_error *err)
{
    if (code == KIN_OK && !cluster->lacks_memory) {
        cluster->changes++;
        return KIN_OK;
    }
    if (code == KIN_OK) {
        (void) kin__sim_no_memory(&cluster->failure);
    } else {
        cluster->failure = *failure;
    }
    return kin__sim_fault_copy(err, &cluster->failure);
}

static void push(kin__cluster *cluster, kin__sim_task task)
{
    if (!kin__sim_tasks_push(&cluster->tasks, task)) {
        cluster->lacks_memory = true;
    }
}
