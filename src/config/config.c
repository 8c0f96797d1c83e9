/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - a configuration put together from its parts and the program's wishes.
 */
#include "config/config.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "config/check.h"
#include "config/field.h"
#include "config/server_url.h"

KIN__DEFINE_AUTO(kin_config, kin_config_unref)

static kin_err fill(kin_config *config, const kin__config_parts *parts,
                    const kin_config_options *options, kin_error *err);
static kin_err override_cluster(kin_config *config, const kin_config_options *options,
                                kin_error *err);
static kin_err override_user(kin_config *config, const kin_config_options *options, kin_error *err);
static kin_err check_user(const kin_config *config, const kin__config_parts *parts, kin_error *err);
static kin_err find_server(kin_config *config, const kin__config_parts *parts, kin_error *err);
static kin_err find_namespace(kin_config *config, const kin__config_parts *parts,
                              const kin_config_options *options, kin_error *err);
static const char *wish(const char *text);
static kin_err copy_text(kin_config *config, const char *text, const char **out, kin_error *err);
static kin_err read_options(const kin_config_options *theirs, kin_config_options *out,
                            kin_error *err);

kin_err kin_config_load(const kin_config_options *options, kin_config **out, kin_error *err)
{
    kin_error unwanted;
    kin_config_options ours;

    err = kin__error_or(err, &unwanted);
    if (read_options(options, &ours, err) != KIN_OK) {
        return err->code;
    }
    return kin__config_load(kin__machine_real(), &ours, out, err);
}

kin_err kin_config_in_cluster(kin_config **out, kin_error *err)
{
    kin_error unwanted;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;

    return kin__config_in_cluster(kin__machine_real(), &options, out,
                                  kin__error_or(err, &unwanted));
}

kin_err kin_config_from_text(const char *text, size_t len, const char *directory,
                             const kin_config_options *options, kin_config **out, kin_error *err)
{
    kin_error unwanted;
    kin_config_options ours;

    err = kin__error_or(err, &unwanted);
    if (read_options(options, &ours, err) != KIN_OK) {
        return err->code;
    }
    return kin__config_from_text(kin__machine_real(), kin__str(text, len), directory, &ours, out,
                                 err);
}

kin_config *kin_config_ref(const kin_config *config)
{
    kin_config *counted = (kin_config *) (uintptr_t) config;

    if (counted != NULL) {
        (void) atomic_fetch_add_explicit(&counted->refs, 1, memory_order_relaxed);
    }
    return counted;
}

kin_config *kin_config_unref(const kin_config *config)
{
    kin_config *counted = (kin_config *) (uintptr_t) config;

    if (counted != NULL &&
        atomic_fetch_sub_explicit(&counted->refs, 1, memory_order_release) == 1) {
        (void) atomic_load_explicit(&counted->refs, memory_order_acquire);
        kin__vault_fini(&counted->vault);
        kin__free(counted);
    }
    return NULL;
}

const char *kin_config_server(const kin_config *config)
{
    return config->server;
}

const char *kin_config_namespace(const kin_config *config)
{
    return config->ns;
}

const char *kin_config_context(const kin_config *config)
{
    return config->context;
}

kin_err kin__config_make(const kin__config_parts *parts, const kin_config_options *options,
                         kin_config **out, kin_error *err)
{
    AUTO(kin_config_unref) kin_config *config = kin__alloc_zero(1, sizeof *config);

    if (config == NULL) {
        return kin__error_no_memory(err);
    }
    atomic_init(&config->refs, 1);
    config->machine = parts->machine;
    if (fill(config, parts, options, err) != KIN_OK) {
        return err->code;
    }
    *out = STEAL(config);
    return KIN_OK;
}

static kin_err fill(kin_config *config, const kin__config_parts *parts,
                    const kin_config_options *options, kin_error *err)
{
    static const kin__cluster no_cluster = { 0 };
    static const kin__user nobody = { 0 };
    const kin__cluster *cluster = parts->cluster != NULL ? parts->cluster : &no_cluster;
    const kin__user *user = parts->user != NULL ? parts->user : &nobody;

    if (kin__cluster_copy(cluster, &config->vault, &config->cluster, err) != KIN_OK ||
        kin__user_copy(user, &config->vault, &config->user, err) != KIN_OK ||
        copy_text(config, parts->context, &config->context, err) != KIN_OK ||
        override_cluster(config, options, err) != KIN_OK ||
        override_user(config, options, err) != KIN_OK ||
        find_server(config, parts, err) != KIN_OK || check_user(config, parts, err) != KIN_OK ||
        find_namespace(config, parts, options, err) != KIN_OK) {
        return err->code;
    }
    config->needs_plugin = config->is_https && kin__user_needs_plugin(&config->user);
    return KIN_OK;
}

static kin_err override_cluster(kin_config *config, const kin_config_options *options,
                                kin_error *err)
{
    if (wish(options->server) == NULL) {
        return KIN_OK;
    }
    return copy_text(config, options->server, &config->cluster.server, err);
}

/* A token takes the place of every credential; impersonation is none, and goes by itself. */
static kin_err override_user(kin_config *config, const kin_config_options *options, kin_error *err)
{
    kin__user *user = &config->user;

    if (wish(options->token) != NULL) {
        *user = (kin__user){ .as = user->as,
                             .as_uid = user->as_uid,
                             .as_groups = user->as_groups,
                             .extras = user->extras,
                             .extra_count = user->extra_count };
        if (copy_text(config, options->token, &user->token, err) != KIN_OK) {
            return err->code;
        }
    }
    if (wish(options->as) != NULL) {
        user->as_uid = NULL;
        user->as_groups = NULL;
        user->extra_count = 0;
        if (copy_text(config, options->as, &user->as, err) != KIN_OK) {
            return err->code;
        }
    }
    if (options->as_groups != NULL && options->as_groups[0] != NULL) {
        return kin__texts_copy(options->as_groups, &config->vault, &user->as_groups, err);
    }
    return KIN_OK;
}

static kin_err check_user(const kin_config *config, const kin__config_parts *parts, kin_error *err)
{
    if (kin__user_check(&config->user, err) == KIN_OK) {
        return KIN_OK;
    }
    return kin__error_prefix(err, "%s", parts->user_title != NULL ? parts->user_title : "user");
}

/* http where nothing speaks of TLS, as kubectl has it. */
static kin_err find_server(kin_config *config, const kin__config_parts *parts, kin_error *err)
{
    const kin__cluster *cluster = &config->cluster;
    const kin__user *user = &config->user;
    bool speaks_of_tls = cluster->ca_path != NULL || cluster->ca_data.len != 0 ||
                         cluster->is_insecure || user->certificate_path != NULL ||
                         user->certificate_data.len != 0;

    if (kin__cluster_check(cluster, err) != KIN_OK ||
        kin__server_url(cluster->server, speaks_of_tls, &config->vault, &config->server,
                        &config->is_https, err) != KIN_OK) {
        return kin__error_prefix(err, "%s",
                                 parts->cluster_title != NULL ? parts->cluster_title : "cluster");
    }
    return KIN_OK;
}

static kin_err find_namespace(kin_config *config, const kin__config_parts *parts,
                              const kin_config_options *options, kin_error *err)
{
    const char *ns = wish(options->ns) != NULL ? options->ns : parts->ns;

    ns = ns != NULL ? ns : "default";
    if (!kin__is_namespace(ns)) {
        return kin__error_set(err, KIN_ERR_USAGE, "namespace \"%.64s\" is no DNS label", ns);
    }
    return copy_text(config, ns, &config->ns, err);
}

/* An empty string is no wish. */
static const char *wish(const char *text)
{
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static kin_err copy_text(kin_config *config, const char *text, const char **out, kin_error *err)
{
    const char *copy = kin__vault_copy(&config->vault, kin_str_of(text));

    if (copy == NULL) {
        return kin__error_no_memory(err);
    }
    *out = copy;
    return KIN_OK;
}

static kin_err read_options(const kin_config_options *theirs, kin_config_options *out,
                            kin_error *err)
{
    return kin__options_read(out, sizeof *out, theirs, "kin_config_options", err);
}
