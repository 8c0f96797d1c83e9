/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/guard.h - who may come in, and what is forbidden.
 *
 * One token lets in; a certificate of the server's own authority does too, and the token of a
 * service account (server/service_token.h).  Who brings none of them is system:anonymous and sees
 * /version and the health checks only.  Who is let in may do everything that no rule forbids.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_GUARD_H
#define KIN_SERVER_GUARD_H

#include "json/tree.h"
#include "server/route.h"

#define KIN__GUARD_USER "kin" /* whoever brings the token */

/* All zero: everybody is let in, nothing is forbidden. */
typedef struct kin__guard {
    kin__buf token;   /* empty: none is asked for */
    kin__node *rules; /* an array, checked; NULL: none */
} kin__guard;

void kin__guard_fini(kin__guard *guard);

/* Empty: none is asked for.  Fails with NO_MEMORY, and the old one stays. */
kin_err kin__guard_set_token(kin__guard *guard, kin_str token, kin_error *err) KIN_MUST_CHECK;

/* As kin_server_forbid(). */
kin_err kin__guard_set_rules(kin__guard *guard, kin_str json, kin_error *err) KIN_MUST_CHECK;

/* What a client shows of itself. */
typedef struct kin__badge {
    kin_str authorization; /* the header; empty: there is none */
    kin_str peer_name;     /* in a certificate that is good; empty: none was shown */
    bool is_foreign;       /* a certificate was shown that is not good */
} kin__badge;

/* Who it is.  A certificate that is good counts before a token, one that is not good only where
 * there is no token.  False with 401. */
bool kin__guard_authenticate(const kin__guard *guard, const kin__badge *badge, kin_str *out_user,
                             kin__refusal *no);

/* Whether nobody knows who it is. */
bool kin__guard_is_anonymous(kin_str user);

/* Whether it is the one that lets in. */
bool kin__guard_has_token(const kin__guard *guard, kin_str token);

/* What follows "Bearer " in the header Authorization; empty when there is none. */
kin_str kin__guard_bearer(kin_str authorization);

/* Whether they may do that with what the route is about.  A verb, resource or namespace "*" is all
 * of them, and one that is forbidden is enough. */
bool kin__guard_allows(const kin__guard *guard, kin_str user, kin_str verb,
                       const kin__route *route);

/* Whether they may; false with 403.  `method` is what is done with a path that is no resource. */
bool kin__guard_authorize(const kin__guard *guard, kin_str user, kin_str method,
                          const kin__route *route, kin__refusal *no);

/* Says 403; false.  `manner` comes before the verb: "impersonate-on:user-info:", or "". */
bool kin__guard_refuse(kin_str user, const char *manner, kin_str method, const kin__route *route,
                       kin__refusal *no);

#endif /* KIN_SERVER_GUARD_H */
