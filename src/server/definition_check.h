/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/definition_check.h - what a CustomResourceDefinition may say.
 *
 * Its group, names and versions, and what of it cannot change; the schemas themselves are taken as
 * they are.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_DEFINITION_CHECK_H
#define KIN_SERVER_DEFINITION_CHECK_H

#include "server/write.h"

/* Adds what is wrong with `write->object` to a refusal that was begun, in the words of
 * kube-apiserver 1.36 and in its order; `write->old` is NULL for one that is made. */
void kin__definition_check(const kin__write *write, kin__refusal *no);

#endif /* KIN_SERVER_DEFINITION_CHECK_H */
