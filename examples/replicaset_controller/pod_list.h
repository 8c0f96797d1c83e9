/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_list.h - pods that are kept for a while: a row of references.
 */
#ifndef REPLICASET_CONTROLLER_POD_LIST_H
#define REPLICASET_CONTROLLER_POD_LIST_H

#include <kin/kin.h>

/* All zero is an empty one. */
typedef struct pod_list {
    kin_object **pods;
    size_t count;
    size_t room;
} pod_list;

/* Takes a reference.  False: no memory. */
bool pod_list_add(pod_list *list, const kin_object *pod);

/* Drops the references. */
void pod_list_fini(pod_list *list);

#endif /* REPLICASET_CONTROLLER_POD_LIST_H */
