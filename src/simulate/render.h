/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/render.h - things of the model as JSON.
 *
 * Each object is whole and as the API server 1.36 stores it: members in its order, defaults filled
 * in, managed fields of those who write such objects in a cluster; without a resourceVersion, which
 * is the server's to give.
 */
#ifndef KIN_SIMULATE_RENDER_H
#define KIN_SIMULATE_RENDER_H

#include "simulate/model.h"
#include "simulate/text.h"

/* What is being written; reused for one object after the other. */
typedef struct kin__sim_page {
    kin__sim_text text;
    kin__sim_words words;
} kin__sim_page;

typedef enum kin__sim_reason {
    KIN__SIM_SCHEDULING_FAILED, /* of pods */
    KIN__SIM_SCHEDULED_TO,
    KIN__SIM_PULLED,
    KIN__SIM_CONTAINER_CREATED,
    KIN__SIM_CONTAINER_STARTED,
    KIN__SIM_UNHEALTHY,
    KIN__SIM_BACK_OFF,
    KIN__SIM_KILLING,
    KIN__SIM_POD_CREATED, /* of replica sets, about a pod */
    KIN__SIM_POD_DELETED,
    KIN__SIM_SCALED_UP, /* of deployments, about a replica set */
    KIN__SIM_SCALED_DOWN,
    KIN__SIM_REASONS
} kin__sim_reason;

/* Each of these begins the page anew. */
void kin__sim_render_namespace(kin__sim_page *page, const kin__sim_model *model, uint32_t ns);
void kin__sim_render_node(kin__sim_page *page, const kin__sim_model *model, uint32_t node);
void kin__sim_render_lease(kin__sim_page *page, const kin__sim_model *model, uint32_t node);
void kin__sim_render_config_map(kin__sim_page *page, const kin__sim_model *model,
                                uint32_t deployment);
void kin__sim_render_service(kin__sim_page *page, const kin__sim_model *model, uint32_t deployment);
void kin__sim_render_deployment(kin__sim_page *page, const kin__sim_model *model,
                                uint32_t deployment);
void kin__sim_render_set(kin__sim_page *page, const kin__sim_model *model, uint32_t set);
void kin__sim_render_pod(kin__sim_page *page, const kin__sim_model *model, uint32_t pod);
void kin__sim_render_slice(kin__sim_page *page, const kin__sim_model *model, uint32_t slice);

/* About pod or set `index` at `at_us`.  `from` and `to` are replicas, where something is scaled.
 * Its name goes into `event`. */
void kin__sim_render_event(kin__sim_page *page, const kin__sim_model *model, kin__sim_reason reason,
                           uint32_t index, uint32_t from, uint32_t to, int64_t at_us,
                           kin__sim_event *event);

/* Words that several kinds of objects have.  `page` is cleared before the first of them. */
void kin__sim_page_clear(kin__sim_page *page);
void kin__sim_page_fill(kin__sim_page *page, const char *template);
void kin__sim_words_node(kin__sim_words *words, const kin__sim_model *model, uint32_t node);
void kin__sim_words_pod_address(kin__sim_words *words, const char *name,
                                const kin__sim_model *model, uint32_t node, uint32_t address);
void kin__sim_words_app(kin__sim_words *words, const kin__sim_model *model, uint32_t deployment);
void kin__sim_words_version(kin__sim_words *words, const kin__sim_model *model, uint32_t deployment,
                            uint32_t version);
void kin__sim_words_set(kin__sim_words *words, const kin__sim_model *model, uint32_t set);

/* Writes the two in the order of their times, with a comma between. */
void kin__sim_page_entries(kin__sim_page *page, const char *first, int64_t first_s,
                           const char *second, int64_t second_s);

/* "<set>-<suffix>" into `out`, terminated. */
#define KIN__SIM_POD_NAME_SIZE 64
void kin__sim_pod_name(const kin__sim_model *model, uint32_t pod, char out[KIN__SIM_POD_NAME_SIZE]);
void kin__sim_set_name(const kin__sim_model *model, uint32_t set, char out[KIN__SIM_POD_NAME_SIZE]);

#endif /* KIN_SIMULATE_RENDER_H */
