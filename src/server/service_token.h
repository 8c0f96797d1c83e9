/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/service_token.h - tokens of service accounts: JSON Web Tokens that this server signs, and
 * knows again.
 *
 * A token is good until it expires, or its account goes, or what it is bound to; one of another
 * server never is.  It lets in only if it is for this server.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_SERVICE_TOKEN_H
#define KIN_SERVER_SERVICE_TOKEN_H

#include "json/tree.h"
#include "server/deed.h"

#define KIN__SERVICE_TOKEN_AUDIENCE "https://kubernetes.default.svc"

/* What a token may be bound to. */
typedef struct kin__token_bond {
    const char *kind;     /* "Pod" */
    const char *claim;    /* "pod" */
    const char *resource; /* "pods" */
} kin__token_bond;

/* NULL: to none of that kind. */
const kin__token_bond *kin__token_bond_of(kin_str kind);

/* Whom a token is made for, and for how long. */
typedef struct kin__service_account {
    kin_str ns, name, uid;
    const kin__node *audiences; /* strings */
    int64_t lasts_s;
    const kin__token_bond *bond; /* what it is bound to; NULL: nothing else */
    kin_str bound_name, bound_uid;
} kin__service_account;

/* Appends the token.  False when there is no memory. */
bool kin__service_token_append(kin__engine *engine, const kin__service_account *account,
                               kin__buf *out) KIN_MUST_CHECK;

/* Its claims: "sub" is the user's name.  NULL for a token that is not good, and without memory. */
kin__node *kin__service_token_read(const kin__engine *engine, kin_str token);

/* Whether it was made to be shown here. */
bool kin__service_token_is_ours(const kin__node *claims);

/* An object of the core group, borrowed; NULL: there is none.  False when there is no memory. */
bool kin__service_token_find(const kin__engine *engine, const char *resource, kin_str ns,
                             kin_str name, kin__record **out) KIN_MUST_CHECK;

#endif /* KIN_SERVER_SERVICE_TOKEN_H */
