/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/config.h - which API server to talk to, and as whom.
 *
 * From kubeconfig files as kubectl reads them, or from what Kubernetes puts into every pod.  Files
 * that a kubeconfig only names (CA, certificates, keys, tokens) are read when they are used, and
 * again when they change; an exec plugin runs when its credentials are first needed.
 *
 * A proxy is the one that the cluster's entry names (proxy-url), else what HTTPS_PROXY, HTTP_PROXY
 * and NO_PROXY say when the client is made, as Go programs read them.
 *
 * What it promises
 *   - Nothing is written anywhere, secrets least of all: not to files, logs or messages.
 *   - What kubectl refuses is refused, with a sentence that names the file and the entry.
 *   - Credentials go out over https only; to an http server only impersonation does.
 *
 * Threading: immutable.
 */
#ifndef KIN_CONFIG_H
#define KIN_CONFIG_H

#include "kin/common.h"

KIN_BEGIN_DECLS

typedef struct kin_config kin_config;

/* Zero means the default for every field.  All strings are borrowed for the call; an empty one
 * is taken for NULL. */
typedef struct kin_config_options {
    size_t size;         /* set by KIN_CONFIG_OPTIONS_INIT */
    const char *path;    /* one kubeconfig file, which must exist; NULL: the files that the variable
                            KUBECONFIG lists, else ~/.kube/config, else in-cluster */
    const char *context; /* NULL: the current one */
    const char *cluster; /* each of these replaces what the context says; NULL: as it says */
    const char *user;
    const char *ns;               /* the default namespace */
    const char *server;           /* the URL of the server */
    const char *token;            /* a bearer token, instead of all the user's credentials; whom the
                                     user impersonates stays */
    const char *as;               /* impersonate this user, and nothing of what the kubeconfig says
                                     of impersonation, ... */
    const char *const *as_groups; /* ... in these groups; ends with NULL */
} kin_config_options;

#define KIN_CONFIG_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(kin_config_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL           \
    }

/*
 * Reads the configuration as kubectl does: several files are merged, the first that has an entry of
 * a name wins; relative paths lead on from the file they are in.  Without any file, and inside a
 * pod, it is the pod's own (kin_config_in_cluster()).
 *
 * options  borrowed for the call; NULL for the defaults
 * out      shared: release with kin_config_unref()
 *
 * Fails with NOT_FOUND (no such file, context, cluster or user; nothing to go by at all), MALFORMED
 * (a file that is no kubeconfig: which, where, what), USAGE (entries that contradict each other, an
 * auth-provider or a plugin that is not supported), SYSTEM (a file that cannot be read), LIMIT
 * (larger than 16 MB, too deep, aliases that amount to too much), NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_config_load(const kin_config_options *options, kin_config **out,
                                               kin_error *err);

/* The configuration of a pod: its service account and the variables KUBERNETES_SERVICE_HOST and
 * _PORT.  Fails with NOT_FOUND outside a pod. */
KIN_API KIN_MUST_CHECK kin_err kin_config_in_cluster(kin_config **out, kin_error *err);

/* From the text of one kubeconfig.  `directory` is where its relative paths begin; NULL: the
 * working directory.  `options` as above, without a path.  Fails as kin_config_load(). */
KIN_API KIN_MUST_CHECK kin_err kin_config_from_text(const char *text, size_t len,
                                                    const char *directory,
                                                    const kin_config_options *options,
                                                    kin_config **out, kin_error *err);

/* Takes another reference and returns `config`.  NULL gives NULL. */
KIN_API kin_config *kin_config_ref(const kin_config *config);

/* Drops a reference; with the last one it goes, its secrets overwritten.  Returns NULL. */
KIN_API kin_config *kin_config_unref(const kin_config *config);

/* Borrowed from the configuration. */
KIN_API const char *kin_config_server(const kin_config *config);    /* "https://10.0.0.1:6443" */
KIN_API const char *kin_config_namespace(const kin_config *config); /* "default" unless set */
KIN_API const char *kin_config_context(const kin_config *config);   /* "" for in-cluster */

KIN_END_DECLS
#endif /* KIN_CONFIG_H */
