/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/check.h - whether a cluster or a user makes sense: what kubectl refuses, and what we do.
 *
 * Messages are meant to stand behind the entry's name, and quote no value.
 *
 * Threading: pure functions.
 */
#ifndef KIN_CONFIG_CHECK_H
#define KIN_CONFIG_CHECK_H

#include "config/kubeconfig.h"

/* All fail with USAGE. */
kin_err kin__cluster_check(const kin__cluster *cluster, kin_error *err) KIN_MUST_CHECK;
kin_err kin__user_check(const kin__user *user, kin_error *err) KIN_MUST_CHECK;

/* Whether the exec plugin is what authenticates: client-go leaves it alone beside anything else. */
bool kin__user_needs_plugin(const kin__user *user);

/* A namespace as Kubernetes takes it: a DNS label. */
bool kin__is_namespace(const char *ns);

/* Whether `text` may be the value of a header: not empty, no line break, no control character. */
bool kin__is_header_value(kin_str text);

/* Whether a PEM block begins and ends in it. */
bool kin__is_pem(kin_str text);

#endif /* KIN_CONFIG_CHECK_H */
