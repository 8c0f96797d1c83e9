/* SPDX-License-Identifier: Apache-2.0 */
/*
 * in_cluster.c - the configuration that Kubernetes puts into every pod.
 *
 * Facts: client-go, rest/config.go (InClusterConfig) and tools/clientcmd/client_config.go.
 */
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "config/config.h"

#define ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount/"
#define NAMESPACE_BYTES_MAX 4096

static kin_err server_of(const kin__machine *machine, kin__vault *vault, const char **out,
                         kin_error *err);
static kin_err namespace_of(const kin__machine *machine, kin__vault *vault, const char **out,
                            kin_error *err);

kin_err kin__config_in_cluster(const kin__machine *machine, const kin_config_options *options,
                               kin_config **out, kin_error *err)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    kin__file_state state;
    kin__cluster cluster = { 0 };
    kin__user user = { .token_path = ACCOUNT "token" };
    kin__config_parts parts = { .machine = machine,
                                .context = "",
                                .cluster_title = "in-cluster configuration",
                                .cluster = &cluster,
                                .user_title = "in-cluster configuration",
                                .user = &user };

    if (server_of(machine, &vault, &cluster.server, err) != KIN_OK) {
        return kin__error_prefix(err, "in-cluster configuration");
    }
    if (kin__machine_state(machine, user.token_path, &state, err) != KIN_OK) {
        return kin__error_prefix(err, "in-cluster configuration: token file \"%s\"",
                                 user.token_path);
    }
    /* Where there is no CA the system's are trusted. */
    if (kin__machine_state(machine, ACCOUNT "ca.crt", &state, err) == KIN_OK) {
        cluster.ca_path = ACCOUNT "ca.crt";
    }
    if (namespace_of(machine, &vault, &parts.ns, err) != KIN_OK) {
        return err->code;
    }
    return kin__config_make(&parts, options, out, err);
}

bool kin__is_in_cluster(const kin__machine *machine)
{
    kin_error unwanted;
    kin__file_state state;

    return kin__machine_variable(machine, "KUBERNETES_SERVICE_HOST") != NULL &&
           kin__machine_variable(machine, "KUBERNETES_SERVICE_PORT") != NULL &&
           kin__machine_state(machine, ACCOUNT "token", &state, &unwanted) == KIN_OK &&
           state.is_regular;
}

static kin_err server_of(const kin__machine *machine, kin__vault *vault, const char **out,
                         kin_error *err)
{
    const char *host = kin__machine_variable(machine, "KUBERNETES_SERVICE_HOST");
    const char *port = kin__machine_variable(machine, "KUBERNETES_SERVICE_PORT");
    AUTO(kin__buf_fini) kin__buf server = { 0 };

    if (host == NULL || port == NULL) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND,
                              "not inside a pod: KUBERNETES_SERVICE_HOST and "
                              "KUBERNETES_SERVICE_PORT are not set");
    }
    bool is_ipv6 = strchr(host, ':') != NULL;
    (void) kin__buf_append_format(&server, "https://%s%s%s:%s", is_ipv6 ? "[" : "", host,
                                  is_ipv6 ? "]" : "", port); /* the buffer remembers */
    *out = kin__vault_copy(vault, kin__str(server.data, server.len));
    return *out == NULL || kin__buf_failed(&server) ? kin__error_no_memory(err) : KIN_OK;
}

/* $POD_NAMESPACE, else the service account's; NULL where there is neither. */
static kin_err namespace_of(const kin__machine *machine, kin__vault *vault, const char **out,
                            kin_error *err)
{
    const char *variable = kin__machine_variable(machine, "POD_NAMESPACE");
    kin_str text;

    if (variable != NULL) {
        *out = variable;
        return KIN_OK;
    }
    if (kin__machine_read(machine, ACCOUNT "namespace", NAMESPACE_BYTES_MAX, vault, &text, err) !=
        KIN_OK) {
        return err->code == KIN_ERR_NO_MEMORY ? err->code : KIN_OK;
    }
    while (text.len != 0 && strchr(" \t\r\n", text.data[text.len - 1]) != NULL) {
        text.len--;
    }
    while (text.len != 0 && strchr(" \t\r\n", text.data[0]) != NULL) {
        text = kin__str(text.data + 1, text.len - 1);
    }
    if (text.len == 0) {
        return KIN_OK;
    }
    *out = kin__vault_copy(vault, text);
    return *out == NULL ? kin__error_no_memory(err) : KIN_OK;
}
