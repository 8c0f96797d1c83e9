/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_list.c - pods that are kept for a while.
 */
#include "pod_list.h"

#include <stdlib.h>

bool pod_list_add(pod_list *list, const kin_object *pod)
{
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 16 : list->room * 2;
        kin_object **pods = realloc(list->pods, room * sizeof *pods);

        if (pods == NULL) {
            return false;
        }
        list->pods = pods;
        list->room = room;
    }
    list->pods[list->count++] = kin_object_ref(pod);
    return true;
}

void pod_list_fini(pod_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        kin_object_unref(list->pods[i]);
    }
    free(list->pods);
    *list = (pod_list){ 0 };
}
