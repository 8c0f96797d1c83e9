/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fill.c - the past of a cluster.
 *
 * First all sizes are drawn, to know how many deployments there will be; then things are made in
 * the model, as old as they may be; then they are written.
 */
#include "simulate/fill.h"

#include "simulate/fault.h"
#include "simulate/random.h"

#define HOUR_S 3600
#define DAY_S (24 * HOUR_S)
#define REPLICAS_MAX 250

static kin_err model_make(kin__cluster *cluster, const kin_simulation_options *options,
                          kin_error *err);
static uint32_t replicas_draw(uint64_t *state, uint32_t pods, uint32_t left);
static void namespaces_make(kin__sim_model *model);
static void nodes_make(kin__sim_model *model);
static void deployment_make(kin__sim_model *model, uint32_t index, uint32_t name,
                            uint32_t replicas);
static uint32_t sets_make(kin__sim_model *model, uint32_t deployment);
static kin_err pods_make(kin__sim_model *model, uint32_t set, kin_error *err);
static void pod_age(kin__sim_model *model, kin__sim_pod *pod);
static kin_err all_write(kin__cluster *cluster, kin_error *err);
static kin_err deployment_write(kin__cluster *cluster, uint32_t index, kin_error *err);
static kin_err set_write(kin__cluster *cluster, uint32_t set, kin_error *err);
static kin_err events_write(kin__cluster *cluster, kin_error *err);
static int64_t ago(kin__sim_model *model, int64_t since_s, int64_t least_s);

kin_err kin__sim_fill(kin__cluster *cluster, const kin_simulation_options *options, kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    kin_err code = model_make(cluster, options, err);

    if (code) {
        return code;
    }
    uint64_t sizes = ~model->seed_state;
    uint32_t first_name = kin__sim_below(&model->seed_state, 256);
    namespaces_make(model);
    nodes_make(model);
    for (uint32_t i = 0; i < model->deployment_count; i++) {
        uint32_t replicas = replicas_draw(&sizes, options->pods, options->pods - model->replicas);
        deployment_make(model, i, first_name + i, replicas);
        code = pods_make(model, sets_make(model, i), err);
        if (code) {
            return code;
        }
    }
    return all_write(cluster, err);
}

/* The sizes have a generator of their own, because they are drawn twice. */
static kin_err model_make(kin__cluster *cluster, const kin_simulation_options *options,
                          kin_error *err)
{
    uint64_t sizes = ~kin__sim_mix(options->seed + 1);
    uint32_t deployments = 0;
    uint32_t namespaces = options->pods / 400 < 3 ? 3 : options->pods / 400;

    for (uint32_t left = options->pods; left > 0; deployments++) {
        left -= replicas_draw(&sizes, options->pods, left);
    }
    return kin__sim_model_init(&cluster->model, options, namespaces > 200 ? 200 : namespaces,
                               deployments, err);
}

/* Most are small, a few are not: nine pods on average, and none has more than a fifth of all. */
static uint32_t replicas_draw(uint64_t *state, uint32_t pods, uint32_t left)
{
    static const struct {
        uint32_t percent; /* that are not larger */
        uint32_t least;
        uint32_t most;
    } shares[] = {
        { 15, 1, 1 },
        { 40, 2, 2 },
        { 65, 3, 3 },
        { 80, 4, 8 },
        { 92, 8, 20 },
        { 98, 20, 50 },
        { 100, 50, REPLICAS_MAX },
    };
    uint32_t percent = kin__sim_below(state, 100);
    size_t share = 0;

    while (percent >= shares[share].percent) {
        share++;
    }
    uint32_t replicas =
        shares[share].least + kin__sim_below(state, shares[share].most - shares[share].least + 1);
    uint32_t most = pods / 5 < 1 ? 1 : pods / 5;
    replicas = replicas < most ? replicas : most;
    return replicas < left ? replicas : left;
}

static void namespaces_make(kin__sim_model *model)
{
    uint32_t first_name = kin__sim_below(&model->seed_state, 16);

    for (uint32_t i = 0; i < model->namespace_count; i++) {
        kin__sim_namespace *ns = &model->namespaces[i];
        ns->uid = kin__sim_uid_draw(&model->seed_state);
        ns->created_s = kin__sim_now_s(model) - 200 * DAY_S + i * HOUR_S;
        kin__sim_namespace_name(first_name + i, ns->name);
    }
}

static void nodes_make(kin__sim_model *model)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        kin__sim_node *node = &model->nodes[i];
        node->uid = kin__sim_uid_draw(&model->seed_state);
        node->lease_uid = kin__sim_uid_draw(&model->seed_state);
        node->created_s = ago(model, kin__sim_now_s(model) - 90 * DAY_S, DAY_S);
        node->heartbeat_s = kin__sim_now_s(model) - kin__sim_below(&model->seed_state, 300);
        node->renewed_us = model->now_us - 1 - kin__sim_below(&model->seed_state, 10000000);
    }
}

static void deployment_make(kin__sim_model *model, uint32_t index, uint32_t name, uint32_t replicas)
{
    kin__sim_deployment *deployment = &model->deployments[index];

    deployment->uid = kin__sim_uid_draw(&model->seed_state);
    deployment->service_uid = kin__sim_uid_draw(&model->seed_state);
    deployment->config_uid = kin__sim_uid_draw(&model->seed_state);
    deployment->created_s = ago(model, kin__sim_now_s(model) - 60 * DAY_S, 2 * HOUR_S);
    deployment->config_s = ago(model, deployment->created_s, HOUR_S);
    deployment->ns = kin__sim_below(&model->seed_state, model->namespace_count);
    deployment->replicas = replicas;
    deployment->version = 1 + kin__sim_below(&model->seed_state, 40);
    deployment->generation = deployment->version + kin__sim_below(&model->seed_state, 10);
    deployment->observed_generation = deployment->generation;
    deployment->config_revision = 1 + kin__sim_below(&model->seed_state, 9);
    deployment->port = (uint16_t) (8080 + kin__sim_below(&model->seed_state, 4));
    deployment->size = (uint8_t) kin__sim_below(&model->seed_state, 4);
    deployment->updated = replicas;
    deployment->status = (kin__sim_tally){ .replicas = replicas, .ready = replicas };
    deployment->is_available = true;
    kin__sim_app_name(name, deployment->name);
    model->replicas += replicas;
}

/* Returns the present one.  Each was made between the one before it and an hour ago. */
static uint32_t sets_make(kin__sim_model *model, uint32_t index)
{
    kin__sim_deployment *deployment = &model->deployments[index];
    uint32_t old =
        deployment->version - 1 < KIN__SIM_HISTORY ? deployment->version - 1 : KIN__SIM_HISTORY;
    int64_t created_s = deployment->created_s;
    uint32_t last = KIN__SIM_NONE;

    for (uint32_t version = deployment->version - old; version <= deployment->version; version++) {
        last = kin__sim_set_add(model, index, version);
        kin__sim_set *set = &model->sets[last];
        created_s = version == 1 ? created_s : ago(model, created_s, HOUR_S);
        set->created_s = created_s;
        set->spec_s = created_s;
        set->status_s = created_s + 60;
        set->generation = 2 + kin__sim_below(&model->seed_state, 6);
        set->observed_generation = set->generation;
    }
    kin__sim_set *present = &model->sets[last];
    present->replicas = deployment->replicas;
    present->status = deployment->status;
    deployment->spec_s = created_s;
    deployment->status_s = created_s + 60;
    deployment->available_s = deployment->created_s + 60;
    return last;
}

static kin_err pods_make(kin__sim_model *model, uint32_t set, kin_error *err)
{
    for (uint32_t i = 0; i < model->sets[set].replicas; i++) {
        uint32_t pod = kin__sim_pod_add(model, set);
        pod_age(model, &model->pods[pod]);
        kin__sim_pod_place(model, pod);
        kin__sim_pod_address(model, pod);
        model->pods[pod].stage = KIN__SIM_READY;
        kin_err code = kin__sim_slice_join(model, pod, err);
        if (code) {
            return code;
        }
        kin__sim_slice *slice = &model->slices[model->pods[pod].slice];
        slice->created_s = model->deployments[slice->deployment].created_s;
        if (slice->generation == 0 || slice->changed_s < model->pods[pod].changed_s) {
            slice->changed_s = model->pods[pod].changed_s;
        }
        slice->generation++;
    }
    return KIN_OK;
}

/* One in ten has crashed, some time; one in eight had to wait for a node. */
static void pod_age(kin__sim_model *model, kin__sim_pod *pod)
{
    pod->created_s = ago(model, model->sets[pod->set].created_s, HOUR_S / 2);
    pod->scheduled_s = pod->created_s;
    pod->started_s = pod->created_s + 2;
    pod->has_waited = kin__sim_below(&model->seed_state, 8) == 0;
    if (kin__sim_below(&model->seed_state, 10) == 0) {
        pod->restarts = 1 + kin__sim_below(&model->seed_state, 4);
        pod->crashed_s = ago(model, pod->created_s, HOUR_S / 4);
        pod->started_s = pod->crashed_s + 12;
    }
    pod->changed_s = pod->started_s + 6;
}

static kin_err all_write(kin__cluster *cluster, kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    kin_err code = KIN_OK;

    for (uint32_t i = 0; i < model->namespace_count && code == KIN_OK; i++) {
        kin__sim_render_namespace(&cluster->page, model, i);
        code = kin__cluster_put(cluster, err);
    }
    for (uint32_t i = 0; i < model->node_count && code == KIN_OK; i++) {
        kin__sim_render_node(&cluster->page, model, i);
        code = kin__cluster_put(cluster, err);
        if (code == KIN_OK) {
            kin__sim_render_lease(&cluster->page, model, i);
            code = kin__cluster_put(cluster, err);
        }
    }
    for (uint32_t i = 0; i < model->deployment_count && code == KIN_OK; i++) {
        code = deployment_write(cluster, i, err);
    }
    return code ? code : events_write(cluster, err);
}

static kin_err deployment_write(kin__cluster *cluster, uint32_t index, kin_error *err)
{
    kin__sim_model *model = &cluster->model;

    kin__sim_render_config_map(&cluster->page, model, index);
    kin_err code = kin__cluster_put(cluster, err);
    if (code == KIN_OK) {
        kin__sim_render_service(&cluster->page, model, index);
        code = kin__cluster_put(cluster, err);
    }
    if (code == KIN_OK) {
        kin__sim_render_deployment(&cluster->page, model, index);
        code = kin__cluster_put(cluster, err);
    }
    for (uint32_t set = model->deployments[index].first_set; set != KIN__SIM_NONE && code == KIN_OK;
         set = model->sets[set].next) {
        code = set_write(cluster, set, err);
    }
    for (uint32_t slice = model->deployments[index].first_slice;
         slice != KIN__SIM_NONE && code == KIN_OK; slice = model->slices[slice].next) {
        kin__sim_render_slice(&cluster->page, model, slice);
        code = kin__cluster_put(cluster, err);
    }
    return code;
}

static kin_err set_write(kin__cluster *cluster, uint32_t set, kin_error *err)
{
    kin__sim_model *model = &cluster->model;

    kin__sim_render_set(&cluster->page, model, set);
    kin_err code = kin__cluster_put(cluster, err);
    for (uint32_t pod = model->sets[set].first_pod; pod != KIN__SIM_NONE && code == KIN_OK;
         pod = model->pods[pod].next) {
        kin__sim_render_pod(&cluster->page, model, pod);
        code = kin__cluster_put(cluster, err);
    }
    return code;
}

/* Half as many as are kept, of the last hour, the oldest first. */
static kin_err events_write(kin__cluster *cluster, kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    uint32_t count = model->event_max / 2;
    kin_err code = KIN_OK;

    for (uint32_t i = 0; i < count && code == KIN_OK; i++) {
        uint32_t pod = kin__sim_below(&model->seed_state, model->pod_count);
        int64_t at_us = model->now_us - (int64_t) (count - i) * (1000000LL * HOUR_S / count);
        kin__sim_render_event(&cluster->page, model, KIN__SIM_UNHEALTHY, pod, 0, 0, at_us,
                              &model->events[model->event_count++]);
        code = kin__cluster_put(cluster, err);
    }
    return code;
}

/* A moment between `since_s` and `least_s` before now. */
static int64_t ago(kin__sim_model *model, int64_t since_s, int64_t least_s)
{
    int64_t span_s = kin__sim_now_s(model) - least_s - since_s;

    return span_s <= 0 ? since_s : since_s + kin__sim_below(&model->seed_state, (uint32_t) span_s);
}
