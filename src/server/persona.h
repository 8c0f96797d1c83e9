/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/persona.h - whom a request wants to be taken for: the headers Impersonate-User, -Uid,
 * -Group and -Extra-KEY.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_PERSONA_H
#define KIN_SERVER_PERSONA_H

#include "httpd/httpd.h"
#include "server/guard.h"

/* `*out` is a UserInfo with what the headers say, owned; NULL: the request comes as who it is.
 * False with 400 where a name is lacking, and without memory. */
bool kin__persona_read(const kin__visit *visit, kin__node **out, kin__refusal *no);

/* Whether `user` may be taken for it: the verb "impersonate" on users, serviceaccounts, groups,
 * uids and userextras/KEY.  Then it has the groups, too, that are its own.  False with 403, which
 * speaks of what the request is about, and without memory. */
bool kin__persona_assume(kin__node *persona, const kin__guard *guard, kin_str user, kin_str method,
                         const kin__route *route, kin__refusal *no);

#endif /* KIN_SERVER_PERSONA_H */
