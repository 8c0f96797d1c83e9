/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/proxy.h - which proxy the environment asks for.
 *
 * The rules are those of Go (golang.org/x/net/http/httpproxy), which users of Kubernetes know:
 * HTTPS_PROXY or https_proxy, HTTP_PROXY or http_proxy, and NO_PROXY or no_proxy with hosts,
 * domains, addresses and address ranges.  The machine itself is never behind a proxy.
 *
 * Threading: a pure function of what `get` returns.
 */
#ifndef KIN_NET_PROXY_H
#define KIN_NET_PROXY_H

#include "kin/common.h"

typedef struct kin__proxy_target {
    bool has_tls;
    const char *host; /* a name or an address; "[::1]" */
    const char *port;
} kin__proxy_target;

/* The proxy's URL, or "" for none.  Borrowed from `get`, which is getenv(). */
const char *kin__proxy_choose(const kin__proxy_target *target, char *(*get)(const char *name));

#endif /* KIN_NET_PROXY_H */
