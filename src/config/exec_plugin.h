/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/exec_plugin.h - how an exec plugin is asked for credentials.
 *
 * The protocol of client.authentication.k8s.io/v1 and v1beta1 (facts: client-go,
 * plugin/pkg/client/auth/exec/exec.go).
 *
 * Threading: pure functions.
 */
#ifndef KIN_CONFIG_EXEC_PLUGIN_H
#define KIN_CONFIG_EXEC_PLUGIN_H

#include "config/kubeconfig.h"

/* How long a plugin may take. */
#define KIN__PLUGIN_TIMEOUT_MS 60000u

/*
 * Whether the entry is right.  With `is_used` also whether we can do what it asks: a plugin that
 * must talk to somebody cannot be run, for a library has no terminal.  Fails with USAGE.
 */
kin_err kin__exec_check(const kin__exec *exec, bool is_used, kin_error *err) KIN_MUST_CHECK;

/* What a plugin is told of the cluster. */
typedef struct kin__exec_cluster {
    const char *server;
    const char *tls_server_name; /* NULL: none; as for all below */
    const char *proxy_url;
    bool is_insecure;
    bool disables_compression;
    kin_str ca;     /* PEM */
    kin_str config; /* JSON */
} kin__exec_cluster;

/* The command line: [0] is the program; ends with NULL.  Lies in `vault`; so do the next two. */
kin_err kin__exec_arguments(const kin__exec *exec, kin__vault *vault, const char *const **out,
                            kin_error *err) KIN_MUST_CHECK;

/*
 * All variables of the plugin: `inherited`, then those of the entry, then KUBERNETES_EXEC_INFO.
 * Each name is there once, and the last one counts.  `cluster` is told only when the entry says
 * so.
 */
kin_err kin__exec_variables(const kin__exec *exec, const kin__exec_cluster *cluster,
                            const char *const *inherited, kin__vault *vault,
                            const char *const **out, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CONFIG_EXEC_PLUGIN_H */
