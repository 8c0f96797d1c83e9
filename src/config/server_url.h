/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/server_url.h - the URL of the API server, made uniform.
 *
 * Threading: pure functions.
 */
#ifndef KIN_CONFIG_SERVER_URL_H
#define KIN_CONFIG_SERVER_URL_H

#include "config/vault.h"

/*
 * "https://host:port/prefix" from what a kubeconfig may say: without a slash at the end, query and
 * fragment cut off.  A host alone, or with a port, gets a scheme: https or http, as `prefers_https`
 * says; with a path it must have one (facts: client-go, rest/url_utils.go).
 *
 * `out` lies in `vault`.  Fails with USAGE (no URL of an API server; user information, which would
 * be a secret in a name), NO_MEMORY.  Messages quote nothing of it.
 */
kin_err kin__server_url(const char *text, bool prefers_https, kin__vault *vault, const char **out,
                        bool *out_is_https, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CONFIG_SERVER_URL_H */
