/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/strategy.h - what is particular to kinds when they are written.
 *
 * What a client may say and what the server says: generation, status on the one path and everything
 * else on the other, phases, and what follows from a write (a namespace that is to go, a resource
 * that is served from now on).  Named after the strategies of kube-apiserver's registries, which
 * tell the same.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_STRATEGY_H
#define KIN_SERVER_STRATEGY_H

#include "server/write.h"

/* Of `write->object`, before it is checked.  False when there is no memory. */
bool kin__strategy_create(kin__write *write);
bool kin__strategy_update(kin__write *write);

/* Adds to a refusal that was begun what the kind does not allow; `old` is NULL for a create. */
void kin__strategy_check(kin__write *write, kin__refusal *no);

/* Whether an update that leaves no finalizers removes the object: namespaces have others. */
bool kin__strategy_is_finished(const kin__write *write);

/* Afterwards.  Nothing here fails: what finds no memory is done by the upkeep later. */
void kin__strategy_written(kin__write *write, kin__record *after);
void kin__strategy_removed(kin__write *write);

/* Whether a resource is that one: ("", "pods"). */
bool kin__served_is(const kin__served *served, const char *group, const char *resource);

#endif /* KIN_SERVER_STRATEGY_H */
