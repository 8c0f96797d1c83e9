/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/furnish.h - what every cluster has without anybody's doing.
 *
 * kube-apiserver makes the service "kubernetes", its address and two priority classes; the
 * controllers of a cluster give each namespace its service account "default" and the certificate of
 * the authority.  Programs and tests that are made for clusters wait for these.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_FURNISH_H
#define KIN_SERVER_FURNISH_H

#include "server/deed.h"

/* What there is once, and what the namespaces have that are there. */
bool kin__furnish_cluster(kin__engine *engine, kin__refusal *no) KIN_MUST_CHECK;

/* What each namespace has, unless it is there or the namespace is to go: for the upkeep.  Never has
 * more to do; `waits` when there was no memory. */
bool kin__furnish_namespace(kin__engine *engine, kin__record *record, size_t *budget, bool *waits);

/* Whether an object of that resource is among it. */
bool kin__furnish_concerns(const kin__served *served);

/* Whether it is to stay as it is. */
bool kin__furnish_concerns_change(const kin__served *served, const kin_object *object);

#endif /* KIN_SERVER_FURNISH_H */
