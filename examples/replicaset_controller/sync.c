/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync.c - puts one ReplicaSet right: whose pods, how many, and what it says of itself.
 */
#include "sync.h"

#include <time.h>

#include "claim.h"
#include "failure.h"
#include "reading.h"
#include "scale.h"
#include "status.h"

static kin_err sync_pods(work *w, const kin_selector *selector, pod_list *pods, kin_error *err);
static kin_time moment(void);

kin_err sync_set(void *context, kin_reconcile *r, kin_error *err)
{
    work w = { .shop = context, .r = r, .now = moment() };
    kin_selector *selector = NULL;
    pod_list pods = { 0 };

    w.set = kin_reconcile_object(r);
    if (w.set == NULL) {
        return KIN_OK; /* gone; its pods are the garbage collector's */
    }
    w.replicas = read_number(kin_object_at(w.set, "spec.replicas"), 1);
    kin_err code = kin_selector_from_value(kin_object_at(w.set, "spec.selector"), &selector, err);
    if (code == KIN_ERR_MALFORMED) {
        return KIN_OK; /* trying again does not mend it: a change of the set will bring it back */
    }
    if (code == KIN_OK) {
        code = sync_pods(&w, selector, &pods, err);
    }
    pod_list_fini(&pods);
    kin_selector_free(selector);
    return code;
}

/* The status is written also when pods could not be made or removed: it says so. */
static kin_err sync_pods(work *w, const kin_selector *selector, pod_list *pods, kin_error *err)
{
    kin_err scaled = KIN_OK;
    kin_error trouble;
    kin_time at;
    counts n;

    if (!claim_candidates(w, pods)) {
        return failure(err, KIN_ERR_NO_MEMORY, "find the pods of a replica set: no memory");
    }
    kin_err code = claim_pods(w, selector, pods, err);
    if (code != KIN_OK) {
        return code;
    }
    if (!kin_object_deletion_time(w->set, &at)) {
        scaled = scale(w, pods, &trouble);
    }
    code = status_count(w, pods, &n, err);
    if (code == KIN_OK) {
        code = status_write(w, &n, scaled == KIN_OK ? NULL : &trouble, err);
    }
    if (code == KIN_OK && scaled != KIN_OK) {
        *err = trouble;
        code = scaled;
    }
    /* No event says that a pod has been ready for long enough. */
    if (code == KIN_OK && n.next_ms >= 0) {
        kin_reconcile_again(w->r, n.next_ms);
    }
    return code;
}

static kin_time moment(void)
{
    struct timespec now = { 0, 0 };

    (void) clock_gettime(CLOCK_REALTIME, &now);
    return (kin_time){ now.tv_sec, (int32_t) now.tv_nsec };
}
