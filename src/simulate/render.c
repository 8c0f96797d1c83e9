/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.c - words that several kinds of objects have in common.
 */
#include "simulate/render.h"

#include <stdio.h>

#include "simulate/random.h"

#define NODE_ADDRESSES ((uint32_t) 10 << 24 | 256)               /* 10.0.1.0 */
#define POD_ADDRESSES ((uint32_t) 10 << 24 | 128 << 16)          /* 10.128.0.0/9 */
#define SERVICE_ADDRESSES ((uint32_t) 172 << 24 | 20 << 16 | 16) /* of 172.20.0.0/14 */

/* Requests and limits of a container. */
static const struct {
    const char *cpu;
    const char *memory;
    const char *limit_cpu;
    const char *limit_memory;
} sizes[] = {
    { "50m", "64Mi", "500m", "128Mi" },
    { "100m", "128Mi", "1", "256Mi" },
    { "250m", "512Mi", "2", "1Gi" },
    { "1", "2Gi", "4", "4Gi" },
};

static uint32_t template_hash(const kin__sim_deployment *deployment, uint32_t version);

void kin__sim_page_clear(kin__sim_page *page)
{
    kin__sim_text_clear(&page->text);
    kin__sim_words_clear(&page->words);
}

void kin__sim_page_fill(kin__sim_page *page, const char *template)
{
    kin__sim_text_fill(&page->text, template, &page->words);
}

void kin__sim_page_entries(kin__sim_page *page, const char *first, int64_t first_s,
                           const char *second, int64_t second_s)
{
    kin__sim_page_fill(page, first_s <= second_s ? first : second);
    kin__sim_page_fill(page, ",");
    kin__sim_page_fill(page, first_s <= second_s ? second : first);
}

void kin__sim_words_node(kin__sim_words *words, const kin__sim_model *model, uint32_t index)
{
    const kin__sim_node *node = &model->nodes[index];

    kin__sim_words_print(words, "node", "node-%u", index);
    kin__sim_words_uid(words, "node-uid", node->uid);
    kin__sim_words_address(words, "host-ip", NODE_ADDRESSES + index);
    kin__sim_words_print(words, "zone", "eu-west-1%c", (char) ('a' + index % 3));
}

void kin__sim_words_pod_address(kin__sim_words *words, const char *name,
                                const kin__sim_model *model, uint32_t node, uint32_t address)
{
    kin__sim_words_address(words, name, POD_ADDRESSES + (node << model->address_bits) + address);
}

void kin__sim_words_app(kin__sim_words *words, const kin__sim_model *model, uint32_t index)
{
    static const char *const tiers[] = { "backend", "frontend", "data" };
    const kin__sim_deployment *deployment = &model->deployments[index];

    kin__sim_words_text(words, "app", deployment->name);
    kin__sim_words_text(words, "ns", model->namespaces[deployment->ns].name);
    kin__sim_words_uid(words, "deployment-uid", deployment->uid);
    kin__sim_words_uid(words, "service-uid", deployment->service_uid);
    kin__sim_words_address(words, "cluster-ip", SERVICE_ADDRESSES + index);
    kin__sim_words_number(words, "port", deployment->port);
    kin__sim_words_text(words, "tier", tiers[deployment->uid.low % 3]);
    kin__sim_words_text(words, "cpu", sizes[deployment->size].cpu);
    kin__sim_words_text(words, "memory", sizes[deployment->size].memory);
    kin__sim_words_text(words, "limit-cpu", sizes[deployment->size].limit_cpu);
    kin__sim_words_text(words, "limit-memory", sizes[deployment->size].limit_memory);
}

void kin__sim_words_version(kin__sim_words *words, const kin__sim_model *model, uint32_t index,
                            uint32_t version)
{
    const kin__sim_deployment *deployment = &model->deployments[index];
    uint64_t of = kin__sim_mix(deployment->uid.low + version);

    kin__sim_words_number(words, "revision", version);
    kin__sim_words_print(words, "image", "registry.example.com/%s/%s:v1.%u.%u",
                         model->namespaces[deployment->ns].name, deployment->name, version,
                         (unsigned) (of % 10));
    kin__sim_words_print(words, "image-name", "registry.example.com/%s/%s",
                         model->namespaces[deployment->ns].name, deployment->name);
    kin__sim_words_digest(words, "image-digest", of);
    kin__sim_words_digest(words, "checksum", ~of);
    char *hash = kin__sim_words_room(words, "hash", KIN__SIM_HASH_MAX + 1);
    kin__sim_template_hash(template_hash(deployment, version), hash);
    kin__sim_words_text(words, "hash", hash);
}

void kin__sim_words_set(kin__sim_words *words, const kin__sim_model *model, uint32_t index)
{
    const kin__sim_set *set = &model->sets[index];

    kin__sim_words_app(words, model, set->deployment);
    kin__sim_words_version(words, model, set->deployment, set->version);
    kin__sim_words_uid(words, "set-uid", set->uid);
    char *name = kin__sim_words_room(words, "set", KIN__SIM_POD_NAME_SIZE);
    kin__sim_set_name(model, index, name);
    kin__sim_words_text(words, "set", name);
}

void kin__sim_set_name(const kin__sim_model *model, uint32_t index,
                       char out[KIN__SIM_POD_NAME_SIZE])
{
    const kin__sim_set *set = &model->sets[index];
    const kin__sim_deployment *deployment = &model->deployments[set->deployment];
    char hash[KIN__SIM_HASH_MAX + 1];

    kin__sim_template_hash(template_hash(deployment, set->version), hash);
    (void) snprintf(out, KIN__SIM_POD_NAME_SIZE, "%s-%s", deployment->name, hash); /* 46 at most */
}

void kin__sim_pod_name(const kin__sim_model *model, uint32_t index,
                       char out[KIN__SIM_POD_NAME_SIZE])
{
    const kin__sim_pod *pod = &model->pods[index];
    char set[KIN__SIM_POD_NAME_SIZE];

    kin__sim_set_name(model, pod->set, set);
    (void) snprintf(out, KIN__SIM_POD_NAME_SIZE, "%.57s-%s", set, pod->suffix);
}

/* No two versions of a deployment have the same: each step can be undone (the finalizer of
 * MurmurHash3). */
static uint32_t template_hash(const kin__sim_deployment *deployment, uint32_t version)
{
    uint32_t hash = (uint32_t) deployment->uid.high + version;

    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}
