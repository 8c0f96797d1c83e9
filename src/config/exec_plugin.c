/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_plugin.c - how an exec plugin is asked for credentials.
 */
#include "config/exec_plugin.h"

#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"
#include "config/field.h"
#include "json/writer.h"

#define INFO "KUBERNETES_EXEC_INFO"

static kin_err check_mode(const kin__exec *exec, bool is_used, kin_error *err);
static kin_err write_info(const kin__exec *exec, const kin__exec_cluster *cluster,
                          kin__vault *vault, const char **out, kin_error *err);
static void write_cluster(const kin__exec_cluster *cluster, kin__json_writer *w);
static void write_text(kin__json_writer *w, kin_str name, const char *text);
static void write_flag(kin__json_writer *w, kin_str name, bool flag);
static size_t info_bytes_max(const kin__exec *exec, const kin__exec_cluster *cluster);
static kin_err note_names(const kin__exec *exec, kin__map *names, kin_error *err);
static kin_str name_of(const char *variable);
static const char *join(const char *name, const char *value, kin__vault *vault);

kin_err kin__exec_check(const kin__exec *exec, bool is_used, kin_error *err)
{
    if (exec->command == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "it has no command");
    }
    if (exec->api_version == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "it has no apiVersion");
    }
    if (strcmp(exec->api_version, "client.authentication.k8s.io/v1") != 0 &&
        strcmp(exec->api_version, "client.authentication.k8s.io/v1beta1") != 0) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "its apiVersion is neither client.authentication.k8s.io/v1 nor "
                              "v1beta1");
    }
    for (size_t i = 0; i < exec->variable_count; i++) {
        const char *name = exec->variables[i].name;
        if (name[0] == '\0' || strchr(name, '=') != NULL) {
            return kin__error_set(err, KIN_ERR_USAGE,
                                  "env: a variable without a name, or with "
                                  "'=' in it");
        }
    }
    return check_mode(exec, is_used, err);
}

kin_err kin__exec_arguments(const kin__exec *exec, kin__vault *vault, const char *const **out,
                            kin_error *err)
{
    size_t count = kin__texts_count(exec->arguments);
    const char **arguments = kin__vault_alloc(vault, (count + 2) * sizeof *arguments);

    if (arguments == NULL) {
        return kin__error_no_memory(err);
    }
    arguments[0] = exec->command;
    for (size_t i = 0; i < count; i++) {
        arguments[i + 1] = exec->arguments[i];
    }
    *out = arguments;
    return KIN_OK;
}

kin_err kin__exec_variables(const kin__exec *exec, const kin__exec_cluster *cluster,
                            const char *const *inherited, kin__vault *vault,
                            const char *const **out, kin_error *err)
{
    AUTO(kin__map_clear) kin__map names = { 0 }; /* of the entry, to the last of each */
    size_t most = kin__texts_count(inherited) + exec->variable_count + 2;
    const char **variables = kin__vault_alloc(vault, most * sizeof *variables);
    size_t count = 0;

    if (variables == NULL) {
        return kin__error_no_memory(err);
    }
    if (note_names(exec, &names, err) != KIN_OK) {
        return err->code;
    }
    for (; *inherited != NULL; inherited++) {
        if (kin__map_get(&names, name_of(*inherited)) == NULL) {
            variables[count++] = kin__vault_copy(vault, kin_str_of(*inherited));
            if (variables[count - 1] == NULL) {
                return kin__error_no_memory(err);
            }
        }
    }
    for (size_t i = 0; i < exec->variable_count; i++) {
        const kin__variable *variable = &exec->variables[i];
        if (kin__map_get(&names, kin_str_of(variable->name)) == variable) {
            variables[count++] = join(variable->name, variable->value, vault);
            if (variables[count - 1] == NULL) {
                return kin__error_no_memory(err);
            }
        }
    }
    if (write_info(exec, cluster, vault, &variables[count], err) != KIN_OK) {
        return err->code;
    }
    *out = variables;
    return KIN_OK;
}

static kin_err check_mode(const kin__exec *exec, bool is_used, kin_error *err)
{
    const char *mode = exec->interactive_mode;

    if (mode == NULL) {
        bool is_v1 = strcmp(exec->api_version, "client.authentication.k8s.io/v1") == 0;
        return is_v1 ? kin__error_set(err, KIN_ERR_USAGE, "it has no interactiveMode") : KIN_OK;
    }
    if (strcmp(mode, "Never") == 0 || strcmp(mode, "IfAvailable") == 0) {
        return KIN_OK;
    }
    if (strcmp(mode, "Always") != 0) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "its interactiveMode is none of Never, IfAvailable and Always");
    }
    return !is_used ? KIN_OK
                    : kin__error_set(err, KIN_ERR_USAGE,
                                     "its interactiveMode is Always, and there is no terminal to "
                                     "ask anybody at");
}

/* "KUBERNETES_EXEC_INFO={...}".  The buffer has room for all from the start, so that growing leaves
 * no copy behind. */
static kin_err write_info(const kin__exec *exec, const kin__exec_cluster *cluster,
                          kin__vault *vault, const char **out, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf info = { 0 };
    kin__json_writer w = { &info, false };

    if (!kin__buf_reserve(&info, info_bytes_max(exec, cluster))) {
        return kin__error_no_memory(err);
    }
    (void) kin__buf_append_str(&info, STR(INFO "=")); /* the buffer remembers */
    kin__json_begin(&w, '{');
    write_text(&w, STR("kind"), "ExecCredential");
    write_text(&w, STR("apiVersion"), exec->api_version);
    kin__json_key(&w, STR("spec"));
    kin__json_begin(&w, '{');
    if (exec->wants_cluster) {
        kin__json_key(&w, STR("cluster"));
        write_cluster(cluster, &w);
    }
    kin__json_key(&w, STR("interactive"));
    kin__json_bool(&w, false);
    kin__json_end(&w, '}');
    kin__json_end(&w, '}');
    const char *copy = kin__vault_copy(vault, kin__str(info.data, info.len));
    explicit_bzero(info.data, info.len);
    if (copy == NULL || kin__buf_failed(&info)) {
        return kin__error_no_memory(err);
    }
    *out = copy;
    return KIN_OK;
}

static void write_cluster(const kin__exec_cluster *cluster, kin__json_writer *w)
{
    kin__json_begin(w, '{');
    write_text(w, STR("server"), cluster->server);
    write_text(w, STR("tls-server-name"), cluster->tls_server_name);
    write_flag(w, STR("insecure-skip-tls-verify"), cluster->is_insecure);
    if (cluster->ca.len != 0) {
        kin__json_key(w, STR("certificate-authority-data"));
        kin__base64_put(w->buf, cluster->ca);
        w->wants_comma = true;
    }
    write_text(w, STR("proxy-url"), cluster->proxy_url);
    write_flag(w, STR("disable-compression"), cluster->disables_compression);
    if (cluster->config.len != 0) {
        kin__json_key(w, STR("config"));
        kin__json_raw(w, cluster->config);
    }
    kin__json_end(w, '}');
}

static void write_text(kin__json_writer *w, kin_str name, const char *text)
{
    if (text != NULL) {
        kin__json_key(w, name);
        kin__json_string(w, kin_str_of(text));
    }
}

static void write_flag(kin__json_writer *w, kin_str name, bool flag)
{
    if (flag) {
        kin__json_key(w, name);
        kin__json_bool(w, true);
    }
}

/* A character takes 6 bytes at most; 512 are enough for the rest. */
static size_t info_bytes_max(const kin__exec *exec, const kin__exec_cluster *cluster)
{
    size_t texts = strlen(exec->api_version) + kin_str_of(cluster->server).len +
                   kin_str_of(cluster->tls_server_name).len + kin_str_of(cluster->proxy_url).len;

    return 512 + 6 * texts + kin__base64_len(cluster->ca.len) + cluster->config.len;
}

static kin_err note_names(const kin__exec *exec, kin__map *names, kin_error *err)
{
    static char ours;

    for (size_t i = 0; i < exec->variable_count; i++) {
        const kin__variable *variable = &exec->variables[i];
        if (kin__map_put(names, kin_str_of(variable->name), (void *) (uintptr_t) variable, NULL,
                         err) != KIN_OK) {
            return err->code;
        }
    }
    return kin__map_put(names, STR(INFO), &ours, NULL, err);
}

static kin_str name_of(const char *variable)
{
    return kin__str(variable, strcspn(variable, "="));
}

static const char *join(const char *name, const char *value, kin__vault *vault)
{
    size_t len = strlen(name);
    size_t more = strlen(value);
    char *whole = kin__vault_alloc(vault, len + 1 + more + 1);

    if (whole != NULL) {
        memcpy(whole, name, len);
        whole[len] = '=';
        memcpy(whole + len + 1, value, more);
    }
    return whole;
}
