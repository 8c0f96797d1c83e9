/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/default_kinds.h - what of the defaults is no plain value at a plain place.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_DEFAULT_KINDS_H
#define KIN_SERVER_DEFAULT_KINDS_H

#include "server/write.h"

/* Into the spec of a pod, wherever it is; what is no object stays as it is.  False when there is no
 * memory. */
bool kin__default_pod_spec(kin__node *spec) KIN_MUST_CHECK;

/* Into `write->object`, by its kind.  False when there is no memory. */
bool kin__default_by_kind(kin__write *write) KIN_MUST_CHECK;

#endif /* KIN_SERVER_DEFAULT_KINDS_H */
