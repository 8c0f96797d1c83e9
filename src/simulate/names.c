/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - names from lists of words; once all pairs are used, with a number.
 */
#include "simulate/names.h"

#include <stdio.h>

#define COUNT(array) ((uint32_t) (sizeof(array) / sizeof(array)[0]))

static const char safe_characters[] = "bcdfghjklmnpqrstvwxz2456789";

static const char *const teams[] = {
    "shop",   "payments", "search", "identity", "billing", "media",    "logistics", "analytics",
    "growth", "platform", "mail",   "maps",     "reports", "partners", "support",   "warehouse",
};

static const char *const subjects[] = {
    "cart",    "catalog", "checkout", "customer", "discount", "email",  "fraud",   "gateway",
    "image",   "invoice", "ledger",   "login",    "metrics",  "order",  "payment", "price",
    "product", "profile", "queue",    "refund",   "report",   "review", "route",   "search",
    "session", "stock",   "tax",      "ticket",   "token",    "upload", "video",   "wallet",
};

static const char *const roles[] = {
    "api", "worker", "web", "indexer", "sync", "proxy", "cache", "consumer",
};

void kin__sim_namespace_name(uint32_t index, char out[KIN__SIM_NAMESPACE_SIZE])
{
    const char *team = teams[index % COUNT(teams)];
    uint32_t round = index / COUNT(teams);

    if (round == 0) {
        (void) snprintf(out, KIN__SIM_NAMESPACE_SIZE, "%s", team); /* fits: 10 digits at most */
    } else {
        (void) snprintf(out, KIN__SIM_NAMESPACE_SIZE, "%s-%u", team, round + 1);
    }
}

void kin__sim_app_name(uint32_t index, char out[KIN__SIM_APP_SIZE])
{
    const char *subject = subjects[index % COUNT(subjects)];
    const char *role = roles[index / COUNT(subjects) % COUNT(roles)];
    uint32_t round = index / COUNT(subjects) / COUNT(roles);

    if (round == 0) {
        (void) snprintf(out, KIN__SIM_APP_SIZE, "%s-%s", subject, role); /* fits: 28 at most */
    } else {
        (void) snprintf(out, KIN__SIM_APP_SIZE, "%s-%s-%u", subject, role, round + 1);
    }
}

void kin__sim_suffix(uint64_t drawn, char out[KIN__SIM_SUFFIX_LEN + 1])
{
    for (int i = 0; i < KIN__SIM_SUFFIX_LEN; i++) {
        out[i] = safe_characters[drawn % (sizeof safe_characters - 1)];
        drawn /= sizeof safe_characters - 1;
    }
    out[KIN__SIM_SUFFIX_LEN] = '\0';
}

void kin__sim_template_hash(uint32_t hash, char out[KIN__SIM_HASH_MAX + 1])
{
    int len = snprintf(out, KIN__SIM_HASH_MAX + 1, "%u", hash);

    for (int i = 0; i < len; i++) {
        out[i] = safe_characters[(unsigned char) out[i] % (sizeof safe_characters - 1)];
    }
}
