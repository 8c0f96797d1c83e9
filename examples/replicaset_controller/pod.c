/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod.c - what a ReplicaSet's controller wants to know of a pod.
 */
#include "pod.h"

#include "reading.h"

static bool has_ended(const kin_object *pod);

bool pod_is_active(const kin_object *pod)
{
    kin_time at;

    return !has_ended(pod) && !kin_object_deletion_time(pod, &at);
}

bool pod_is_terminating(const kin_object *pod)
{
    kin_time at;

    return !has_ended(pod) && kin_object_deletion_time(pod, &at);
}

bool pod_is_leaving(kin_store *pods, const kin_object *pod)
{
    kin_time at;
    kin_view view = kin_store_read(pods);
    const kin_object *held = kin_view_get(&view, kin_object_key(pod));
    bool is_it = held == NULL || !kin_str_equal(kin_object_uid(held), kin_object_uid(pod)) ||
                 kin_object_deletion_time(held, &at);

    kin_store_done(&view);
    return is_it;
}

kin_str pod_node(const kin_object *pod)
{
    return read_text(kin_object_at(pod, "spec.nodeName"));
}

bool pod_is_ready(const kin_object *pod, kin_time *out_since)
{
    kin_iter iter = kin_value_iter(kin_object_at(pod, "status.conditions"));

    while (kin_iter_next(&iter)) {
        if (kin_str_equal(read_text(kin_value_at(iter.value, "type")), kin_str_of("Ready"))) {
            if (out_since != NULL) {
                *out_since = read_time(kin_value_at(iter.value, "lastTransitionTime"));
            }
            return kin_str_equal(read_text(kin_value_at(iter.value, "status")), kin_str_of("True"));
        }
    }
    return false;
}

int64_t pod_available_in_ms(const kin_object *pod, int64_t min_ready_seconds, kin_time now)
{
    kin_time since = { 0, 0 };

    if (!pod_is_ready(pod, &since)) {
        return -1;
    }
    if (min_ready_seconds <= 0) {
        return 0;
    }
    if (since.seconds == 0) {
        return -1;
    }
    int64_t needs = min_ready_seconds < INT32_MAX ? min_ready_seconds : INT32_MAX; /* as the API */
    int64_t left_ms = (since.seconds + needs - now.seconds) * 1000 +
                      (since.nanoseconds - now.nanoseconds) / 1000000;
    return left_ms > 0 ? left_ms : 0;
}

kin_str pod_controller_uid(const kin_object *pod)
{
    return read_text(kin_value_at(kin_object_controller_owner(pod), "uid"));
}

static bool has_ended(const kin_object *pod)
{
    kin_str phase = read_text(kin_object_at(pod, "status.phase"));

    return kin_str_equal(phase, kin_str_of("Succeeded")) ||
           kin_str_equal(phase, kin_str_of("Failed"));
}
