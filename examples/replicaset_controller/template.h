/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template.h - a pod as a ReplicaSet wants it.
 */
#ifndef REPLICASET_CONTROLLER_TEMPLATE_H
#define REPLICASET_CONTROLLER_TEMPLATE_H

#include <kin/kin.h>

/*
 * A pod to be created: labels, annotations, finalizers and spec of the template, the ReplicaSet as
 * its controller, and its name with five more letters by chance.  `out` is shared.
 */
kin_err template_pod(const kin_object *set, kin_object **out, kin_error *err);

#endif /* REPLICASET_CONTROLLER_TEMPLATE_H */
