/* SPDX-License-Identifier: Apache-2.0 */
/*
 * making.h - configurations out of texts, for the tests of this directory.
 */
#ifndef TESTS_UNIT_CONFIG_MAKING_H
#define TESTS_UNIT_CONFIG_MAKING_H

#include <string.h>

#include "config/config.h"
#include "unit/config/virtual_machine.h"

/* A PEM file in base64, and what it says. */
#define PEM "-----BEGIN X-----\nAA==\n-----END X-----\n"
#define PEM64 "LS0tLS1CRUdJTiBYLS0tLS0KQUE9PQotLS0tLUVORCBYLS0tLS0K"

/* A kubeconfig with one context, whose cluster and user have these members, in flow style. */
#define KUBECONFIG(cluster, user)                                                                  \
    "apiVersion: v1\nkind: Config\ncurrent-context: here\n"                                        \
    "contexts: [{name: here, context: {cluster: c, user: u}}]\n"                                   \
    "clusters: [{name: c, cluster: {" cluster "}}]\n"                                              \
    "users: [{name: u, user: {" user "}}]\n"

/* The same, with a server that takes credentials. */
#define USER(user) KUBECONFIG("server: 'https://s'", user)
#define CLUSTER(cluster) KUBECONFIG(cluster, "")

static const kin_config_options no_options = KIN_CONFIG_OPTIONS_INIT;

static inline kin_config *make_config_with(virtual_machine *m, const char *yaml,
                                           const kin_config_options *options)
{
    kin_config *config = NULL;
    kin_error err;

    if (kin__config_from_text(&m->machine, kin_str_of(yaml), "/kube", options, &config, &err) !=
        KIN_OK) {
        FAIL("%s: of %s", err.message, yaml);
    }
    return config;
}

static inline kin_config *make_config(virtual_machine *m, const char *yaml)
{
    return make_config_with(m, yaml, &no_options);
}

static inline void expect_refused(const char *yaml, kin_err code, const char *part)
{
    static virtual_machine m;
    kin_config *config = NULL;
    kin_error err;
    virtual_machine_init(&m);

    ASSERT_ERR(
        kin__config_from_text(&m.machine, kin_str_of(yaml), "/kube", &no_options, &config, &err),
        code);

    ASSERT_CONTAINS(err.message, part);
    ASSERT_TRUE(config == NULL);
}

static inline void expect_accepted(const char *yaml)
{
    static virtual_machine m;
    virtual_machine_init(&m);

    (void) kin_config_unref(make_config(&m, yaml));
}

#endif /* TESTS_UNIT_CONFIG_MAKING_H */
