/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.c - places, and who hangs on whom.
 */
#include "simulate/model.h"

#include <string.h>

#include "simulate/fault.h"
#include "simulate/memory.h"
#include "simulate/random.h"

#define EVENTS_MIN 50
#define EVENTS_MAX 5000

static void limits_set(kin__sim_model *model, uint32_t pods);
static uint32_t address_bits(uint32_t pods, uint32_t nodes);
static bool arrays_make(kin__sim_model *model);
static void places_free(kin__sim_model *model);
static bool is_suffix_taken(const kin__sim_model *model, uint32_t set, const char *suffix);
static bool has_room(const kin__sim_model *model, uint32_t node);
static uint64_t *address_word(kin__sim_model *model, uint32_t node, uint32_t address);
static uint32_t slice_find(const kin__sim_model *model, uint32_t deployment);
static uint32_t slice_add(kin__sim_model *model, uint32_t deployment);

kin_err kin__sim_model_init(kin__sim_model *model, const kin_simulation_options *options,
                            uint32_t namespaces, uint32_t deployments, kin_error *err)
{
    *model = (kin__sim_model){
        .seed_state = kin__sim_mix(options->seed + 1),
        .now_us = options->start_s * 1000000,
        .wanted = options->pods,
        .namespace_count = namespaces,
        .node_count = options->nodes,
        .deployment_count = deployments,
        .set_places = deployments * KIN__SIM_SETS,
        .address_bits = address_bits(options->pods, options->nodes),
    };
    limits_set(model, options->pods);
    if (!arrays_make(model)) {
        kin__sim_model_fini(model);
        return kin__sim_no_memory(err);
    }
    places_free(model);
    return KIN_OK;
}

void kin__sim_model_fini(kin__sim_model *model)
{
    kin__sim_release(model->namespaces);
    kin__sim_release(model->nodes);
    kin__sim_release(model->deployments);
    kin__sim_release(model->sets);
    kin__sim_release(model->pods);
    kin__sim_release(model->slices);
    kin__sim_release(model->events);
    kin__sim_release(model->taken_addresses);
    *model = (kin__sim_model){ 0 };
}

/* Version 4, variant 1 (RFC 9562): what the API server gives. */
kin__sim_uid kin__sim_uid_draw(uint64_t *state)
{
    uint64_t high = kin__sim_draw(state);
    uint64_t low = kin__sim_draw(state);

    return (kin__sim_uid){ .high = (high & ~(uint64_t) 0xf000) | 0x4000,
                           .low = (low & ~((uint64_t) 3 << 62)) | (uint64_t) 1 << 63 };
}

uint32_t kin__sim_set_add(kin__sim_model *model, uint32_t deployment, uint32_t version)
{
    uint32_t index = model->free_set;

    if (index == KIN__SIM_NONE) {
        return KIN__SIM_NONE;
    }
    kin__sim_set *set = &model->sets[index];
    model->free_set = set->next;
    model->set_count++;
    *set = (kin__sim_set){ .uid = kin__sim_uid_draw(&model->seed_state),
                           .created_s = kin__sim_now_s(model),
                           .spec_s = kin__sim_now_s(model),
                           .deployment = deployment,
                           .next = model->deployments[deployment].first_set,
                           .first_pod = KIN__SIM_NONE,
                           .version = version,
                           .generation = 1,
                           .is_used = true };
    model->deployments[deployment].first_set = index;
    return index;
}

void kin__sim_set_drop(kin__sim_model *model, uint32_t index)
{
    kin__sim_set *set = &model->sets[index];
    uint32_t *link = &model->deployments[set->deployment].first_set;

    while (*link != index) {
        link = &model->sets[*link].next;
    }
    *link = set->next;
    *set = (kin__sim_set){ .next = model->free_set };
    model->free_set = index;
    model->set_count--;
}

uint32_t kin__sim_pod_add(kin__sim_model *model, uint32_t set)
{
    uint32_t index = model->free_pod;

    if (index == KIN__SIM_NONE) {
        return KIN__SIM_NONE;
    }
    kin__sim_pod *pod = &model->pods[index];
    model->free_pod = pod->next;
    model->pod_count++;
    *pod = (kin__sim_pod){ .uid = kin__sim_uid_draw(&model->seed_state),
                           .created_s = kin__sim_now_s(model),
                           .changed_s = kin__sim_now_s(model),
                           .set = set,
                           .next = model->sets[set].first_pod,
                           .previous = KIN__SIM_NONE,
                           .node = KIN__SIM_NONE,
                           .slice = KIN__SIM_NONE,
                           .stage = KIN__SIM_CREATED };
    do {
        kin__sim_suffix(kin__sim_draw(&model->seed_state), pod->suffix);
    } while (is_suffix_taken(model, set, pod->suffix));
    if (pod->next != KIN__SIM_NONE) {
        model->pods[pod->next].previous = index;
    }
    model->sets[set].first_pod = index;
    return index;
}

void kin__sim_pod_drop(kin__sim_model *model, uint32_t index)
{
    kin__sim_pod *pod = &model->pods[index];

    if (pod->previous == KIN__SIM_NONE) {
        model->sets[pod->set].first_pod = pod->next;
    } else {
        model->pods[pod->previous].next = pod->next;
    }
    if (pod->next != KIN__SIM_NONE) {
        model->pods[pod->next].previous = pod->previous;
    }
    kin__sim_slice_leave(model, index);
    if (pod->address != 0) {
        *address_word(model, pod->node, pod->address) &= ~((uint64_t) 1 << pod->address % 64);
    }
    if (pod->node != KIN__SIM_NONE) {
        model->nodes[pod->node].pods--;
    }
    *pod = (kin__sim_pod){ .next = model->free_pod };
    model->free_pod = index;
    model->pod_count--;
}

/* There are more addresses than there may be pods, so one of the nodes has room. */
void kin__sim_pod_place(kin__sim_model *model, uint32_t pod)
{
    uint32_t node = kin__sim_below(&model->seed_state, model->node_count);
    uint32_t other = kin__sim_below(&model->seed_state, model->node_count);

    if (model->nodes[other].pods < model->nodes[node].pods) {
        node = other;
    }
    while (!has_room(model, node)) {
        node = (node + 1) % model->node_count;
    }
    model->pods[pod].node = node;
    model->nodes[node].pods++;
}

/* The next one that is free behind the one that was given last, as host-local (CNI) does it. */
void kin__sim_pod_address(kin__sim_model *model, uint32_t index)
{
    kin__sim_pod *pod = &model->pods[index];
    kin__sim_node *node = &model->nodes[pod->node];
    uint32_t end = ((uint32_t) 1 << model->address_bits) - 1; /* the last one is for broadcast */
    uint32_t address = node->last_address;

    do {
        address = address + 1 >= end ? 2 : address + 1; /* 1 is the node's own */
    } while ((*address_word(model, pod->node, address) >> address % 64 & 1) != 0);
    *address_word(model, pod->node, address) |= (uint64_t) 1 << address % 64;
    node->last_address = address;
    pod->address = address;
}

kin_err kin__sim_slice_join(kin__sim_model *model, uint32_t pod, kin_error *err)
{
    uint32_t deployment = model->sets[model->pods[pod].set].deployment;
    uint32_t slice = slice_find(model, deployment);

    if (slice == KIN__SIM_NONE) {
        slice = slice_add(model, deployment);
    }
    if (slice == KIN__SIM_NONE) {
        return kin__sim_no_memory(err);
    }
    model->slices[slice].endpoints++;
    model->pods[pod].slice = slice;
    return KIN_OK;
}

void kin__sim_slice_leave(kin__sim_model *model, uint32_t index)
{
    kin__sim_pod *pod = &model->pods[index];

    if (pod->slice != KIN__SIM_NONE) {
        model->slices[pod->slice].endpoints--;
        pod->slice = KIN__SIM_NONE;
    }
}

kin__sim_tally kin__sim_set_tally(const kin__sim_model *model, uint32_t set)
{
    kin__sim_tally tally = { 0 };

    for (uint32_t i = model->sets[set].first_pod; i != KIN__SIM_NONE; i = model->pods[i].next) {
        const kin__sim_pod *pod = &model->pods[i];
        tally.replicas += pod->deleted_s == 0;
        tally.ready += kin__sim_pod_is_ready(pod);
        tally.terminating += pod->deleted_s != 0;
    }
    return tally;
}

uint32_t kin__sim_current_set(const kin__sim_model *model, uint32_t index)
{
    const kin__sim_deployment *deployment = &model->deployments[index];
    uint32_t set = deployment->first_set;

    return set != KIN__SIM_NONE && model->sets[set].version == deployment->version ? set
                                                                                   : KIN__SIM_NONE;
}

/*
 * Half of the distance that is allowed is for scaling, half for rollouts.  While no pod is being
 * deleted there are at most replicas_max + surge_max of them, so whoever waits for pods_max waits
 * for one that is on its way out; and the other way round with pods_min.
 */
static void limits_set(kin__sim_model *model, uint32_t pods)
{
    uint32_t distance = pods / 5 > 2 ? pods / 5 : 2;
    uint32_t half = distance / 2;

    model->pods_max = pods + distance;
    model->pods_min = pods > distance ? pods - distance : 0;
    model->replicas_max = pods + half;
    model->replicas_min = pods > half ? pods - half : 1;
    model->surge_max = distance - half;
    model->event_max = pods / 20 < EVENTS_MIN ? EVENTS_MIN : pods / 20;
    if (model->event_max > EVENTS_MAX) {
        model->event_max = EVENTS_MAX;
    }
}

/* A /24 for each node, or more where pods are dense: room for half as many again. */
static uint32_t address_bits(uint32_t pods, uint32_t nodes)
{
    uint32_t needed = pods / nodes + pods / nodes / 2 + 16;
    uint32_t bits = 8;

    while (((uint32_t) 1 << bits) < needed) {
        bits++;
    }
    return bits;
}

static bool arrays_make(kin__sim_model *model)
{
    size_t address_words = ((size_t) model->node_count << model->address_bits) / 64;

    model->pod_places = model->pods_max;
    model->namespaces = kin__sim_alloc_zero(model->namespace_count, sizeof *model->namespaces);
    model->nodes = kin__sim_alloc_zero(model->node_count, sizeof *model->nodes);
    model->deployments = kin__sim_alloc_zero(model->deployment_count, sizeof *model->deployments);
    model->sets = kin__sim_alloc_zero(model->set_places, sizeof *model->sets);
    model->pods = kin__sim_alloc_zero(model->pod_places, sizeof *model->pods);
    model->events = kin__sim_alloc_zero(model->event_max, sizeof *model->events);
    model->taken_addresses = kin__sim_alloc_zero(address_words, sizeof *model->taken_addresses);
    return model->namespaces != NULL && model->nodes != NULL && model->deployments != NULL &&
           model->sets != NULL && model->pods != NULL && model->events != NULL &&
           model->taken_addresses != NULL;
}

static void places_free(kin__sim_model *model)
{
    for (uint32_t i = 0; i < model->set_places; i++) {
        model->sets[i].next = i + 1 < model->set_places ? i + 1 : KIN__SIM_NONE;
    }
    for (uint32_t i = 0; i < model->pod_places; i++) {
        model->pods[i].next = i + 1 < model->pod_places ? i + 1 : KIN__SIM_NONE;
    }
    for (uint32_t i = 0; i < model->deployment_count; i++) {
        model->deployments[i].first_set = KIN__SIM_NONE;
        model->deployments[i].first_slice = KIN__SIM_NONE;
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        model->nodes[i].last_address = 1;
    }
}

static bool is_suffix_taken(const kin__sim_model *model, uint32_t set, const char *suffix)
{
    for (uint32_t i = model->sets[set].first_pod; i != KIN__SIM_NONE; i = model->pods[i].next) {
        if (memcmp(model->pods[i].suffix, suffix, KIN__SIM_SUFFIX_LEN) == 0) {
            return true;
        }
    }
    return false;
}

/* Of its addresses the first two and the last are for no pod. */
static bool has_room(const kin__sim_model *model, uint32_t node)
{
    return model->nodes[node].pods < ((uint32_t) 1 << model->address_bits) - 3;
}

static uint64_t *address_word(kin__sim_model *model, uint32_t node, uint32_t address)
{
    return &model->taken_addresses[(((size_t) node << model->address_bits) + address) / 64];
}

static uint32_t slice_find(const kin__sim_model *model, uint32_t deployment)
{
    uint32_t slice = model->deployments[deployment].first_slice;

    while (slice != KIN__SIM_NONE && model->slices[slice].endpoints >= KIN__SIM_SLICE_ENDPOINTS) {
        slice = model->slices[slice].next;
    }
    return slice;
}

/* Behind the others.  Two of one service with the same suffix are as good as impossible, and so
 * looked at all the same. */
static uint32_t slice_add(kin__sim_model *model, uint32_t deployment)
{
    if (model->slice_count == model->slice_capacity) {
        uint32_t capacity = model->slice_capacity + model->slice_capacity / 4 + 16;
        kin__sim_slice *slices = kin__sim_resize(model->slices, capacity * sizeof *slices);
        if (slices == NULL) {
            return KIN__SIM_NONE;
        }
        model->slices = slices;
        model->slice_capacity = capacity;
    }
    uint32_t index = model->slice_count++;
    kin__sim_slice *slice = &model->slices[index];
    *slice = (kin__sim_slice){ .uid = kin__sim_uid_draw(&model->seed_state),
                               .created_s = kin__sim_now_s(model),
                               .changed_s = kin__sim_now_s(model),
                               .deployment = deployment,
                               .next = KIN__SIM_NONE,
                               .generation = 0 };
    uint32_t *link = &model->deployments[deployment].first_slice;
    kin__sim_suffix(kin__sim_draw(&model->seed_state), slice->suffix);
    while (*link != KIN__SIM_NONE) {
        kin__sim_slice *other = &model->slices[*link];
        if (memcmp(other->suffix, slice->suffix, KIN__SIM_SUFFIX_LEN) == 0) {
            kin__sim_suffix(kin__sim_draw(&model->seed_state), slice->suffix);
            link = &model->deployments[deployment].first_slice;
            continue;
        }
        link = &other->next;
    }
    *link = index;
    return index;
}
