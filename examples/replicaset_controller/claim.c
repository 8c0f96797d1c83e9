/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim.c - which pods belong to a ReplicaSet: adopting and releasing.
 *
 * Adopting is the one thing that two ReplicaSets may want to do with the same pod, and that a
 * ReplicaSet which is gone already must not do.  So the server is asked for the ReplicaSet before
 * the first adoption of a call, and the patch is refused when the pod is not as it was read.
 */
#include "claim.h"

#include <stdio.h>

#include "failure.h"
#include "lookup.h"
#include "pod.h"

static bool add_indexed(const kin_view *view, kin_str value, pod_list *out);
static kin_err claim(const work *w, const kin_selector *selector, bool *may_adopt, kin_object **pod,
                     kin_error *err);
static kin_err adopt(const work *w, bool *may_adopt, kin_object **pod, kin_error *err);
static kin_err release(const work *w, const kin_object *pod, kin_error *err);
static kin_err ask(const work *w, kin_error *err);

/* Both in one view: a pod that ceases to be an orphan between two of them would be there twice. */
bool claim_candidates(const work *w, pod_list *out)
{
    char orphans[300];
    kin_str ns = kin_object_namespace(w->set);

    (void) snprintf(orphans, sizeof orphans, "/%.*s", KIN_STR_ARG(ns));
    kin_view view = kin_store_read(w->shop->pods);
    bool is_added = add_indexed(&view, kin_object_uid(w->set), out) &&
                    add_indexed(&view, kin_str_of(orphans), out);
    kin_store_done(&view);
    return is_added;
}

kin_err claim_pods(const work *w, const kin_selector *selector, pod_list *pods, kin_error *err)
{
    bool may_adopt = false; /* the server has been asked, and it may */
    kin_err first = KIN_OK;
    size_t kept = 0;

    for (size_t i = 0; i < pods->count; i++) {
        kin_error own;
        kin_err code = claim(w, selector, &may_adopt, &pods->pods[i], &own);

        if (code != KIN_OK && first == KIN_OK) {
            first = code;
            *err = own;
        }
        if (pods->pods[i] != NULL) {
            pods->pods[kept++] = pods->pods[i];
        }
    }
    pods->count = kept;
    return first;
}

static bool add_indexed(const kin_view *view, kin_str value, pod_list *out)
{
    kin_view_iter iter = kin_view_by_index(view, BY_CONTROLLER, value);
    bool is_added = true;

    while (is_added && kin_view_next(&iter)) {
        is_added = !pod_is_active(iter.object) || pod_list_add(out, iter.object);
    }
    return is_added;
}

/* Of one candidate.  A pod that does not belong to the ReplicaSet (any more) becomes NULL. */
static kin_err claim(const work *w, const kin_selector *selector, bool *may_adopt, kin_object **pod,
                     kin_error *err)
{
    kin_time at;
    bool is_going = kin_object_deletion_time(w->set, &at);
    bool is_ours = kin_object_is_controlled_by(*pod, w->set);
    bool matches = kin_selector_matches(selector, *pod);
    kin_err code = KIN_OK;

    if (is_ours && matches) {
        return KIN_OK;
    }
    if (!is_going && is_ours) {
        code = release(w, *pod, err);
    } else if (!is_going && matches) {
        code = adopt(w, may_adopt, pod, err);
        if (code == KIN_OK) {
            return KIN_OK;
        }
    }
    *pod = kin_object_unref(*pod);
    return code == KIN_ERR_NOT_FOUND ? KIN_OK : code;
}

static kin_err adopt(const work *w, bool *may_adopt, kin_object **pod, kin_error *err)
{
    kin_object *adopted = NULL;
    kin_edit *edit = NULL;
    kin_err code = *may_adopt ? KIN_OK : ask(w, err);

    if (code != KIN_OK) {
        return code;
    }
    *may_adopt = true;
    if (kin_object_edit(*pod, &edit, err) != KIN_OK ||
        kin_edit_set_controller(edit, w->set, err) != KIN_OK ||
        kin_reconcile_patch(w->r, edit, NULL, &adopted, err) != KIN_OK) {
        kin_edit_free(edit);
        return err->code;
    }
    kin_edit_free(edit);
    kin_object_unref(*pod);
    *pod = adopted;
    return KIN_OK;
}

/* The pod runs on, as an orphan. */
static kin_err release(const work *w, const kin_object *pod, kin_error *err)
{
    kin_edit *edit = NULL;
    bool is_released = kin_object_edit(pod, &edit, err) == KIN_OK &&
                       kin_edit_remove_owner(edit, w->set, err) == KIN_OK &&
                       kin_reconcile_patch(w->r, edit, NULL, NULL, err) == KIN_OK;

    kin_edit_free(edit);
    return is_released ? KIN_OK : err->code;
}

/* Our copy of the ReplicaSet may be old: it may be gone, and another one have its name. */
static kin_err ask(const work *w, kin_error *err)
{
    kin_reply reply = KIN_REPLY_INIT;
    kin_str name = kin_object_name(w->set);
    kin_time at;

    kin_err code = lookup(w, "replicasets.apps", name, &reply, err);
    if (code == KIN_ERR_NOT_FOUND ||
        (code == KIN_OK && (!kin_str_equal(kin_object_uid(reply.object), kin_object_uid(w->set)) ||
                            kin_object_deletion_time(reply.object, &at)))) {
        code = failure(err, KIN_ERR_CONFLICT, "adopt pods: replica set %.*s is gone or going",
                       KIN_STR_ARG(name));
    }
    kin_reply_fini(&reply);
    return code;
}
