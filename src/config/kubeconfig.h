/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/kubeconfig.h - what one kubeconfig file says.
 *
 * Entries are read one by one and are not checked against each other; config/check.h does that for
 * those that are used, as kubectl does.
 *
 * Threading: immutable once read.
 */
#ifndef KIN_CONFIG_KUBECONFIG_H
#define KIN_CONFIG_KUBECONFIG_H

#include "config/vault.h"
#include "kin/common.h"

#define KIN__KUBECONFIG_BYTES_MAX ((size_t) 16 << 20)

/* Strings are terminated; NULL: not there, or empty.  Paths are absolute. */
typedef struct kin__cluster {
    const char *server;
    const char *tls_server_name;
    const char *ca_path;
    kin_str ca_data; /* PEM */
    const char *proxy_url;
    bool is_insecure;
    bool disables_compression;
    kin_str exec_config; /* JSON for exec plugins; empty: none */
} kin__cluster;

typedef struct kin__variable {
    const char *name;  /* never NULL */
    const char *value; /* never NULL */
} kin__variable;

typedef struct kin__exec {
    const char *command; /* absolute when it had a slash */
    const char *const *arguments;
    const kin__variable *variables;
    size_t variable_count;
    const char *api_version;
    const char *install_hint;
    const char *interactive_mode;
    bool wants_cluster;
} kin__exec;

/* One key of as-user-extra. */
typedef struct kin__extra {
    const char *key;
    const char *const *values;
} kin__extra;

typedef struct kin__user {
    const char *certificate_path;
    kin_str certificate_data; /* PEM */
    const char *key_path;
    kin_str key_data; /* PEM */
    const char *token;
    const char *token_path;
    const char *username;
    const char *password;
    const char *as;
    const char *as_uid;
    const char *const *as_groups;
    const kin__extra *extras; /* in order of their keys */
    size_t extra_count;
    const char *auth_provider; /* its name, "" where it has none */
    const kin__exec *exec;
} kin__user;

typedef struct kin__context {
    const char *cluster;
    const char *user;
    const char *ns;
} kin__context;

typedef struct kin__entry {
    const struct kin__entry *next;
    const char *name; /* never NULL */
    const void *value;
} kin__entry;

/* All zero is an empty one. */
typedef struct kin__kubeconfig {
    kin__vault vault;  /* everything below lies in it */
    const char *title; /* how messages call it: "kubeconfig \"/users/me/.kube/config\"" */
    const char *current_context;
    const kin__entry *clusters; /* kin__cluster */
    const kin__entry *users;    /* kin__user */
    const kin__entry *contexts; /* kin__context */
} kin__kubeconfig;

void kin__kubeconfig_fini(kin__kubeconfig *kubeconfig);
KIN__DEFINE_AUTO_FINI(kin__kubeconfig, kin__kubeconfig_fini)

/*
 * `path` is for messages (NULL: it comes from no file), `directory` where relative paths begin.
 * `out` is all zero beforehand.  Fails with MALFORMED, LIMIT, NO_MEMORY; messages name the file and
 * the entry, and no value.
 */
kin_err kin__kubeconfig_read(kin_str text, const char *path, const char *directory,
                             kin__kubeconfig *out, kin_error *err) KIN_MUST_CHECK;

/* Whether it says nothing at all. */
bool kin__kubeconfig_is_empty(const kin__kubeconfig *kubeconfig);

/* The entry of that name in a list of them; NULL: there is none. */
const void *kin__entry_find(const kin__entry *entries, const char *name);

/* Deep copies; `out` is all zero beforehand.  Fail with NO_MEMORY. */
kin_err kin__cluster_copy(const kin__cluster *from, kin__vault *vault, kin__cluster *out,
                          kin_error *err) KIN_MUST_CHECK;
kin_err kin__user_copy(const kin__user *from, kin__vault *vault, kin__user *out,
                       kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CONFIG_KUBECONFIG_H */
