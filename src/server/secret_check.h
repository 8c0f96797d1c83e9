/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/secret_check.h - what a secret of a certain type must have.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_SECRET_CHECK_H
#define KIN_SERVER_SECRET_CHECK_H

#include "json/tree.h"
#include "server/refusal.h"

/* Adds what is wrong to the refusal that was begun.  A type that is not Kubernetes' own asks for
 * nothing. */
void kin__secret_check(const kin__node *secret, kin__refusal *no);

#endif /* KIN_SERVER_SECRET_CHECK_H */
