/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rollout.c - what the controllers of deployments and replica sets do.
 *
 * The rules are those of kube-controller-manager for a rolling update with 25 % surge and 25 %
 * unavailable: the new set grows while there are no more than replicas + surge pods wanted in all;
 * old ones shrink by what is ready beyond replicas - unavailable.  A controller acts on what the
 * status of a set said when it was last written.
 */
#include "simulate/rollout.h"

#include "simulate/pod_life.h"

/* The sets of a deployment. */
typedef struct overview {
    uint32_t current; /* NONE: to be made */
    uint32_t count;
    uint32_t oldest;
    uint32_t shrinking;  /* the oldest one with replicas that is not the current one, or NONE */
    uint32_t old_wanted; /* replicas of those that are not the current one */
    bool has_old_pods;
    kin__sim_tally status; /* of all together */
} overview;

static overview look_at(const kin__sim_model *model, uint32_t index);
static kin_err set_make(kin__cluster *cluster, uint32_t index, const overview *sets,
                        kin_error *err);
static kin_err set_scale(kin__cluster *cluster, uint32_t set, uint32_t replicas, kin_error *err);
static kin_err set_remove(kin__cluster *cluster, uint32_t set, kin_error *err);
static uint32_t current_wanted(const kin__sim_model *model, const kin__sim_deployment *deployment,
                               const overview *sets);
static uint32_t shrinkable(const kin__sim_model *model, const kin__sim_deployment *deployment,
                           const overview *sets);
static bool end_rollout(kin__sim_model *model, kin__sim_deployment *deployment,
                        const overview *sets);
static bool status_take(const kin__sim_model *model, kin__sim_deployment *deployment,
                        const overview *sets);
static kin_err deployment_write(kin__cluster *cluster, uint32_t index, kin_error *err);
static uint32_t victim_of(const kin__sim_model *model, uint32_t set);
static bool is_same(kin__sim_tally a, kin__sim_tally b);

bool kin__deployment_can_roll(const kin__cluster *cluster, uint32_t index)
{
    const kin__sim_model *model = &cluster->model;
    const kin__sim_deployment *deployment = &model->deployments[index];
    overview sets = look_at(model, index);

    return deployment->surge == 0 && sets.count < KIN__SIM_SETS && !sets.has_old_pods &&
           model->surge + (deployment->replicas + 3) / 4 <= model->surge_max;
}

kin_err kin__deployment_roll(kin__cluster *cluster, uint32_t index, kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    kin__sim_deployment *deployment = &model->deployments[index];

    deployment->surge = (deployment->replicas + 3) / 4;
    model->surge += deployment->surge;
    deployment->version++;
    deployment->generation++;
    deployment->spec_s = kin__sim_now_s(model);
    kin__cluster_touch_deployment(cluster, index);
    return deployment_write(cluster, index, err);
}

bool kin__deployment_can_scale(const kin__cluster *cluster, uint32_t index, uint32_t replicas)
{
    const kin__sim_model *model = &cluster->model;
    const kin__sim_deployment *deployment = &model->deployments[index];
    uint32_t all = model->replicas - deployment->replicas + replicas;

    return deployment->surge == 0 && replicas > 0 && replicas != deployment->replicas &&
           all >= model->replicas_min && all <= model->replicas_max;
}

kin_err kin__deployment_scale(kin__cluster *cluster, uint32_t index, uint32_t replicas,
                              kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    kin__sim_deployment *deployment = &model->deployments[index];

    model->replicas = model->replicas - deployment->replicas + replicas;
    deployment->replicas = replicas;
    deployment->generation++;
    deployment->spec_s = kin__sim_now_s(model);
    kin__cluster_touch_deployment(cluster, index);
    return deployment_write(cluster, index, err);
}

kin_err kin__deployment_sync(kin__cluster *cluster, uint32_t index, kin__sim_outcome *outcome,
                             kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    kin__sim_deployment *deployment = &model->deployments[index];
    overview sets = look_at(model, index);

    *outcome = KIN__SIM_DONE;
    if (sets.current == KIN__SIM_NONE) {
        return set_make(cluster, index, &sets, err);
    }
    uint32_t wanted = current_wanted(model, deployment, &sets);
    if (wanted != model->sets[sets.current].replicas) {
        return set_scale(cluster, sets.current, wanted, err);
    }
    uint32_t too_many = shrinkable(model, deployment, &sets);
    if (too_many > 0) {
        uint32_t has = model->sets[sets.shrinking].replicas;
        return set_scale(cluster, sets.shrinking, has > too_many ? has - too_many : 0, err);
    }
    bool has_ended = end_rollout(model, deployment, &sets);
    if (status_take(model, deployment, &sets) || has_ended) {
        deployment->status_s = kin__sim_now_s(model);
        kin__cluster_touch_deployment(cluster, index);
        return deployment_write(cluster, index, err);
    }
    if (sets.count > KIN__SIM_HISTORY + 1 && deployment->surge == 0) {
        kin__cluster_touch_deployment(cluster, index);
        return set_remove(cluster, sets.oldest, err);
    }
    *outcome = KIN__SIM_IDLE;
    return KIN_OK;
}

kin_err kin__set_sync(kin__cluster *cluster, uint32_t index, kin__sim_outcome *outcome,
                      kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    kin__sim_set *set = &model->sets[index];
    kin__sim_tally tally = kin__sim_set_tally(model, index);

    if (tally.replicas != set->replicas) {
        kin_err code = tally.replicas < set->replicas
                           ? kin__pod_make(cluster, index, outcome, err)
                           : kin__pod_delete(cluster, victim_of(model, index), outcome, err);
        if (code == KIN_OK && *outcome == KIN__SIM_DONE) {
            kin__cluster_touch_set(cluster, index);
        }
        return code;
    }
    if (is_same(tally, set->status) && set->observed_generation == set->generation) {
        *outcome = KIN__SIM_IDLE;
        return KIN_OK;
    }
    *outcome = KIN__SIM_DONE;
    set->status = tally;
    set->status_s = kin__sim_now_s(model);
    set->observed_generation = set->generation;
    kin__cluster_touch_deployment(cluster, set->deployment);
    kin__sim_render_set(&cluster->page, model, index);
    return kin__cluster_put(cluster, err);
}

static overview look_at(const kin__sim_model *model, uint32_t index)
{
    overview sets = { .current = kin__sim_current_set(model, index),
                      .oldest = KIN__SIM_NONE,
                      .shrinking = KIN__SIM_NONE };

    for (uint32_t i = model->deployments[index].first_set; i != KIN__SIM_NONE;
         i = model->sets[i].next) {
        const kin__sim_set *set = &model->sets[i];
        sets.count++;
        sets.oldest = i;
        sets.status.replicas += set->status.replicas;
        sets.status.ready += set->status.ready;
        sets.status.terminating += set->status.terminating;
        if (i != sets.current) {
            sets.old_wanted += set->replicas;
            sets.shrinking = set->replicas > 0 ? i : sets.shrinking;
            sets.has_old_pods |= set->first_pod != KIN__SIM_NONE;
        }
    }
    return sets;
}

/* With as many replicas as there is room for beside the old ones. */
static kin_err set_make(kin__cluster *cluster, uint32_t index, const overview *sets, kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    kin__sim_deployment *deployment = &model->deployments[index];
    uint32_t set = kin__sim_set_add(model, index, deployment->version);
    uint32_t room = deployment->replicas + deployment->surge - sets->old_wanted;
    uint32_t replicas = room < deployment->replicas ? room : deployment->replicas;

    model->sets[set].replicas = replicas;
    kin__cluster_note(cluster, KIN__SIM_SCALED_UP, set, 0, replicas);
    kin__cluster_touch_set(cluster, set);
    kin__cluster_touch_deployment(cluster, index);
    kin__sim_render_set(&cluster->page, model, set);
    return kin__cluster_put(cluster, err);
}

static kin_err set_scale(kin__cluster *cluster, uint32_t index, uint32_t replicas, kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    kin__sim_set *set = &model->sets[index];

    kin__cluster_note(cluster, replicas > set->replicas ? KIN__SIM_SCALED_UP : KIN__SIM_SCALED_DOWN,
                      index, set->replicas, replicas);
    set->replicas = replicas;
    set->generation++;
    set->spec_s = kin__sim_now_s(model);
    kin__cluster_touch_set(cluster, index);
    kin__cluster_touch_deployment(cluster, set->deployment);
    kin__sim_render_set(&cluster->page, model, index);
    return kin__cluster_put(cluster, err);
}

static kin_err set_remove(kin__cluster *cluster, uint32_t index, kin_error *err)
{
    kin__sim_model *model = &cluster->model;
    uint32_t ns = model->deployments[model->sets[index].deployment].ns;
    char name[KIN__SIM_POD_NAME_SIZE];

    kin__sim_set_name(model, index, name);
    kin__sim_set_drop(model, index);
    return kin__cluster_remove(cluster, "apps/v1", "ReplicaSet", ns, name, err);
}

/* It never shrinks to make room for old ones. */
static uint32_t current_wanted(const kin__sim_model *model, const kin__sim_deployment *deployment,
                               const overview *sets)
{
    uint32_t most = deployment->replicas + deployment->surge;
    uint32_t room = most > sets->old_wanted ? most - sets->old_wanted : 0;
    uint32_t wanted = room < deployment->replicas ? room : deployment->replicas;
    uint32_t has = model->sets[sets->current].replicas;

    return wanted < has && has <= deployment->replicas ? has : wanted;
}

/* How many replicas the oldest set may lose now. */
static uint32_t shrinkable(const kin__sim_model *model, const kin__sim_deployment *deployment,
                           const overview *sets)
{
    const kin__sim_set *current = &model->sets[sets->current];
    uint32_t unready =
        current->replicas > current->status.ready ? current->replicas - current->status.ready : 0;
    uint32_t all = current->replicas + sets->old_wanted;
    uint32_t needed = deployment->replicas - deployment->replicas / 4 + unready;

    return sets->shrinking == KIN__SIM_NONE || all <= needed ? 0 : all - needed;
}

/* True when it ends now. */
static bool end_rollout(kin__sim_model *model, kin__sim_deployment *deployment,
                        const overview *sets)
{
    if (deployment->surge == 0 || sets->has_old_pods || sets->old_wanted > 0 ||
        model->sets[sets->current].status.ready != deployment->replicas) {
        return false;
    }
    model->surge -= deployment->surge;
    deployment->surge = 0;
    return true;
}

/* True when it is another one than was written last. */
static bool status_take(const kin__sim_model *model, kin__sim_deployment *deployment,
                        const overview *sets)
{
    uint32_t updated = model->sets[sets->current].status.replicas;
    bool is_available = sets->status.ready >= deployment->replicas - deployment->replicas / 4;

    if (is_same(sets->status, deployment->status) && updated == deployment->updated &&
        is_available == deployment->is_available &&
        deployment->observed_generation == deployment->generation) {
        return false;
    }
    if (is_available != deployment->is_available) {
        deployment->available_s = kin__sim_now_s(model);
    }
    deployment->is_available = is_available;
    deployment->status = sets->status;
    deployment->updated = updated;
    deployment->observed_generation = deployment->generation;
    return true;
}

static kin_err deployment_write(kin__cluster *cluster, uint32_t index, kin_error *err)
{
    kin__sim_render_deployment(&cluster->page, &cluster->model, index);
    return kin__cluster_put(cluster, err);
}

/* One that is not ready, else the youngest. */
static uint32_t victim_of(const kin__sim_model *model, uint32_t set)
{
    uint32_t youngest = KIN__SIM_NONE;

    for (uint32_t i = model->sets[set].first_pod; i != KIN__SIM_NONE; i = model->pods[i].next) {
        const kin__sim_pod *pod = &model->pods[i];
        if (pod->deleted_s != 0) {
            continue;
        }
        if (pod->stage != KIN__SIM_READY) {
            return i;
        }
        youngest = youngest == KIN__SIM_NONE ? i : youngest;
    }
    return youngest;
}

static bool is_same(kin__sim_tally a, kin__sim_tally b)
{
    return a.replicas == b.replicas && a.ready == b.ready && a.terminating == b.terminating;
}
