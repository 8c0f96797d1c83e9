/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scale.c - makes the pods that a ReplicaSet lacks, and removes those it has too many.
 *
 * What is sent is expected (expectations.h), from before it goes out until the watch has shown it.
 */
#include "scale.h"

#include <string.h>

#include "failure.h"
#include "pod.h"
#include "rank.h"
#include "slow_start.h"
#include "template.h"

static kin_err make_batch(void *context, size_t size, size_t *out_done, kin_error *err);
static kin_err make_pod(const work *w, kin_error *err);
static kin_err create(const work *w, const kin_object *pod, kin_error *err);
static bool is_answer_lost(kin_err code);
static kin_err remove_pods(const work *w, pod_list *pods, size_t count, kin_error *err);
static kin_err remove_pod(const work *w, const kin_object *pod, kin_error *err);
static bool find_family(const work *w, const pod_list *own, pod_list *out);
static bool add_pods_of(const work *w, const kin_object *set, pod_list *out);

kin_err scale(work *w, pod_list *pods, kin_error *err)
{
    size_t has = pods->count;
    size_t wants = w->replicas < 0 ? 0 : (size_t) w->replicas;
    size_t done = 0;

    if (has < wants) {
        return slow_start(wants - has < BURST ? wants - has : BURST, make_batch, w, &done, err);
    }
    if (has > wants) {
        return remove_pods(w, pods, has - wants < BURST ? has - wants : BURST, err);
    }
    return KIN_OK;
}

/* One after the other: a kin_reconcile belongs to one thread. */
static kin_err make_batch(void *context, size_t size, size_t *out_done, kin_error *err)
{
    const work *w = context;

    for (*out_done = 0; *out_done < size; (*out_done)++) {
        kin_err code = make_pod(w, err);

        if (code != KIN_OK) {
            return code;
        }
    }
    return KIN_OK;
}

static kin_err make_pod(const work *w, kin_error *err)
{
    kin_object *pod = NULL;
    kin_err code = template_pod(w->set, &pod, err);

    if (code == KIN_OK && !expectations_add(w->shop->expectations, work_expecting(w),
                                            EXPECTED_CREATION, kin_object_name(pod), w->now_ms)) {
        code = failure(err, KIN_ERR_NO_MEMORY, "make a pod: no memory");
    } else if (code == KIN_OK) {
        code = create(w, pod, err);
    }
    if (code != KIN_OK && !kin_reconcile_is_over(w->r)) {
        kin_recorder_tell(w->shop->recorder, w->set, NULL, KIN_SEVERITY_WARNING, "FailedCreate",
                          "CreatePod", "Error creating: %s", err->message);
    }
    kin_object_unref(pod);
    return code;
}

/* In a namespace that is going nothing can be made, and there is no point in trying again. */
static kin_err create(const work *w, const kin_object *pod, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;
    kin_reply reply = KIN_REPLY_INIT;

    request.verb = KIN_VERB_CREATE;
    request.resource = "pods";
    request.object = pod;
    kin_err code = kin_reconcile_run(w->r, &request, &reply, err);
    if (is_answer_lost(code)) {
        expectations_doubt(w->shop->expectations, work_expecting(w), kin_object_name(pod));
    } else if (code != KIN_OK) {
        (void) expectations_lower(w->shop->expectations, work_expecting(w), EXPECTED_CREATION,
                                  kin_object_name(pod));
    }
    if (code == KIN_OK) {
        kin_recorder_tell(w->shop->recorder, w->set, reply.object, KIN_SEVERITY_NORMAL,
                          "SuccessfulCreate", "CreatePod", "Created pod: %.*s",
                          KIN_STR_ARG(kin_object_name(pod)));
    } else if (reply.cause != NULL && strcmp(reply.cause, "NamespaceTerminating") == 0) {
        code = KIN_OK;
    }
    kin_reply_fini(&reply);
    return code;
}

/* Neither yes nor no: the request may have got there. */
static bool is_answer_lost(kin_err code)
{
    return code == KIN_ERR_TIMEOUT || code == KIN_ERR_CLOSED || code == KIN_ERR_CANCELLED ||
           code == KIN_ERR_PROTOCOL || code == KIN_ERR_SERVER;
}

/* All of them are tried, and the first failure is told. */
static kin_err remove_pods(const work *w, pod_list *pods, size_t count, kin_error *err)
{
    pod_list family = { 0 };
    kin_err first = KIN_OK;
    bool is_sorted =
        count == pods->count || (find_family(w, pods, &family) && rank_sort(pods, &family, w->now));

    pod_list_fini(&family);
    if (!is_sorted) {
        return failure(err, KIN_ERR_NO_MEMORY, "choose the pods to remove: no memory");
    }
    for (size_t i = 0; i < count && !kin_reconcile_is_over(w->r); i++) {
        kin_error own;
        kin_err code = remove_pod(w, pods->pods[i], &own);

        if (code != KIN_OK && first == KIN_OK) {
            first = code;
            *err = own;
        }
    }
    return first;
}

/* Somebody else may have removed it since it was read, and the handler been told before it was
 * expected: then the store shows that by now.  One whose answer was lost is not in doubt: removed
 * again, it is gone once. */
static kin_err remove_pod(const work *w, const kin_object *pod, kin_error *err)
{
    expectations *e = w->shop->expectations;
    kin_str uid = kin_object_uid(pod);

    if (!expectations_add(e, work_expecting(w), EXPECTED_DELETION, uid, w->now_ms)) {
        return failure(err, KIN_ERR_NO_MEMORY, "remove a pod: no memory");
    }
    if (pod_is_leaving(w->shop->pods, pod)) {
        (void) expectations_lower(e, work_expecting(w), EXPECTED_DELETION, uid);
        return KIN_OK;
    }
    kin_err code = kin_reconcile_delete(w->r, pod, NULL, err);
    if (code != KIN_OK) {
        (void) expectations_lower(e, work_expecting(w), EXPECTED_DELETION, uid);
    }
    if (code == KIN_OK) {
        kin_recorder_tell(w->shop->recorder, w->set, pod, KIN_SEVERITY_NORMAL, "SuccessfulDelete",
                          "DeletePod", "Deleted pod: %.*s", KIN_STR_ARG(kin_object_name(pod)));
    } else if (!kin_reconcile_is_over(w->r)) {
        kin_recorder_tell(w->shop->recorder, w->set, pod, KIN_SEVERITY_WARNING, "FailedDelete",
                          "DeletePod", "Error deleting: %s", err->message);
    }
    return code;
}

/* The pods of all ReplicaSets that have the same controller as this one: those of one Deployment,
 * which replaces one by another.  Of a ReplicaSet without a controller, its own. */
static bool find_family(const work *w, const pod_list *own, pod_list *out)
{
    kin_str uid = pod_controller_uid(w->set);
    bool is_added = true;

    if (uid.len == 0) {
        for (size_t i = 0; is_added && i < own->count; i++) {
            is_added = pod_list_add(out, own->pods[i]);
        }
        return is_added;
    }
    kin_view view = kin_store_read(w->shop->sets);
    kin_view_iter sets = kin_view_by_index(&view, BY_CONTROLLER, uid);
    while (is_added && kin_view_next(&sets)) {
        is_added = add_pods_of(w, sets.object, out);
    }
    kin_store_done(&view);
    return is_added;
}

static bool add_pods_of(const work *w, const kin_object *set, pod_list *out)
{
    kin_view view = kin_store_read(w->shop->pods);
    kin_view_iter pods = kin_view_by_index(&view, BY_CONTROLLER, kin_object_uid(set));
    bool is_added = true;

    while (is_added && kin_view_next(&pods)) {
        is_added = !pod_is_active(pods.object) || pod_list_add(out, pods.object);
    }
    kin_store_done(&view);
    return is_added;
}
