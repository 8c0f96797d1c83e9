/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/config.h - a configuration, ready for use: which server, and as whom.
 *
 * Everything that contradicts itself was refused when it was made.  Files that it names are read by
 * config/credentials.h.
 *
 * Threading: immutable, except for its count of references.
 */
#ifndef KIN_CONFIG_CONFIG_H
#define KIN_CONFIG_CONFIG_H

#include <stdatomic.h>

#include "config/kubeconfig.h"
#include "config/machine.h"
#include "kin/config.h"

struct kin_config {
    _Atomic uint32_t refs;
    kin__vault vault;            /* all strings lie in it */
    const kin__machine *machine; /* borrowed: where its files are */
    const char *server;          /* "https://10.0.0.1:6443/prefix", without a slash at the end */
    const char *context;         /* "" for in-cluster */
    const char *ns;
    kin__cluster cluster; /* `server` as it was written; the rest is for use as it is */
    kin__user user;
    bool is_https;     /* credentials go out only then; impersonation always does */
    bool needs_plugin; /* the exec plugin is what authenticates */
};

/* What a configuration is made of; all borrowed for the call. */
typedef struct kin__config_parts {
    const kin__machine *machine;
    const char *context;         /* "": none */
    const char *ns;              /* NULL: the default one */
    const char *cluster_title;   /* for messages: "kubeconfig "x": cluster "y"" */
    const kin__cluster *cluster; /* NULL: an empty one */
    const char *user_title;
    const kin__user *user; /* NULL: nobody */
} kin__config_parts;

/* Puts the options over the parts and checks the whole.  `options` is complete
 * (kin__options_read()).  Fails with USAGE, NO_MEMORY. */
kin_err kin__config_make(const kin__config_parts *parts, const kin_config_options *options,
                         kin_config **out, kin_error *err) KIN_MUST_CHECK;

/* The public functions, on another machine; `err` is not NULL. */
kin_err kin__config_load(const kin__machine *machine, const kin_config_options *options,
                         kin_config **out, kin_error *err) KIN_MUST_CHECK;
kin_err kin__config_in_cluster(const kin__machine *machine, const kin_config_options *options,
                               kin_config **out, kin_error *err) KIN_MUST_CHECK;
kin_err kin__config_from_text(const kin__machine *machine, kin_str text, const char *directory,
                              const kin_config_options *options, kin_config **out,
                              kin_error *err) KIN_MUST_CHECK;

/* Whether this is a pod with a service account. */
bool kin__is_in_cluster(const kin__machine *machine);

#endif /* KIN_CONFIG_CONFIG_H */
