/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/discovery.h - which requests find out what a server has, and what their answers say.
 *
 * A state machine: it names the next request, is told its answer, and in the end has filled a
 * catalogue.  Aggregated discovery takes two requests (/api and /apis); a server that does not know
 * it answers the same requests in the old form, and then each group and version is asked for by
 * itself.  A group that cannot be asked (an aggregated API whose server is down) is left out and
 * named in kin__discovery_missing(); discovery as a whole fails only when the core or all groups
 * fail.
 *
 * Threading: confined.
 */
#ifndef KIN_API_DISCOVERY_H
#define KIN_API_DISCOVERY_H

#include "api/catalogue.h"
#include "base/cleanup.h"

typedef struct kin__discovery kin__discovery;

kin_err kin__discovery_new(kin__discovery **out, kin_error *err) KIN_MUST_CHECK;
void kin__discovery_free(kin__discovery *discovery);
KIN__DEFINE_AUTO(kin__discovery, kin__discovery_free)

/* A server that has more versions of groups than that, and tells them in the old form, is not
 * asked. */
#define KIN__DISCOVERY_TARGETS_MAX 10000

/* The value of Accept for all its requests. */
#define KIN__DISCOVERY_ACCEPT                                                                      \
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"                        \
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"                   \
    "application/json"

/* The next target to ask for ("/apis/apps/v1"), borrowed until its answer is told; NULL: there is
 * none, it is done. */
const char *kin__discovery_next(const kin__discovery *discovery);

/* The answer to it: HTTP status and body.  Fails with MALFORMED (what and where, which target),
 * PROTOCOL (no JSON), LIMIT, NO_MEMORY, or with what a refused core means; then only free() may
 * follow. */
kin_err kin__discovery_answer(kin__discovery *discovery, int status, kin_str content_type,
                              kin_str body, kin_error *err) KIN_MUST_CHECK;

/* Owned by the caller; once, when it is done.  NULL otherwise. */
kin__catalogue *kin__discovery_take(kin__discovery *discovery);

/* "metrics.k8s.io/v1beta1, ...": what could not be asked, or has a resource without a proper name;
 * followed by " (stale)" what the server tells from memory, which is in the catalogue all the same.
 * "" for nothing.  One line of valid UTF-8, borrowed until the next answer. */
const char *kin__discovery_missing(const kin__discovery *discovery);

#endif /* KIN_API_DISCOVERY_H */
