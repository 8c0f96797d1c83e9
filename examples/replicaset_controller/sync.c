/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync.c - puts one ReplicaSet right: whose pods, how many, and what it says of itself.
 */
#include "sync.h"

#include <time.h>

#include "claim.h"
#include "failure.h"
#include "lookup.h"
#include "reading.h"
#include "scale.h"
#include "status.h"

static kin_err sync_pods(work *w, const kin_selector *selector, pod_list *pods, kin_error *err);
static kin_err scale_if_due(work *w, pod_list *pods, kin_error *err);
static kin_err ask_for_doubtful(const work *w, kin_error *err);
static kin_err ask_for_pod(const work *w, const char *name, kin_error *err);
static kin_time moment(clockid_t clock);

kin_err sync_set(void *context, kin_reconcile *r, kin_error *err)
{
    work w = { .shop = context, .r = r, .now = moment(CLOCK_REALTIME) };
    kin_time steady = moment(CLOCK_MONOTONIC);
    kin_selector *selector = NULL;
    pod_list pods = { 0 };

    w.now_ms = steady.seconds * 1000 + steady.nanoseconds / 1000000;
    w.set = kin_reconcile_object(r);
    if (w.set == NULL) {
        expectations_forget(w.shop->expectations, kin_reconcile_key(r));
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
        scaled = scale_if_due(w, pods, &trouble);
    }
    code = status_count(w, selector, pods, &n, err);
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

/* Not while something is expected that was not seen: what is missing in the store may be there.
 * It comes again when the last has been seen; what never is, nobody tells. */
static kin_err scale_if_due(work *w, pod_list *pods, kin_error *err)
{
    expectations *e = w->shop->expectations;
    kin_err code = ask_for_doubtful(w, err);

    if (code != KIN_OK) {
        return code;
    }
    int64_t left_ms = expectations_left_ms(e, work_expecting(w), w->now_ms);
    if (left_ms > 0) {
        kin_reconcile_again(w->r, left_ms);
        return KIN_OK;
    }
    expectations_forget(e, kin_object_key(w->set));
    return scale(w, pods, err);
}

/* Those of which it is not known whether they were made. */
static kin_err ask_for_doubtful(const work *w, kin_error *err)
{
    kin_err code = KIN_OK;
    char name[300];

    while (code == KIN_OK &&
           expectations_get_doubt(w->shop->expectations, work_expecting(w), name, sizeof name)) {
        code = ask_for_pod(w, name, err);
    }
    return code;
}

static kin_err ask_for_pod(const work *w, const char *name, kin_error *err)
{
    kin_reply reply = KIN_REPLY_INIT;
    kin_err code = lookup(w, "pods", kin_str_of(name), &reply, err);

    if (code == KIN_OK) {
        expectations_believe(w->shop->expectations, work_expecting(w), kin_str_of(name));
    } else if (code == KIN_ERR_NOT_FOUND) {
        (void) expectations_lower(w->shop->expectations, work_expecting(w), EXPECTED_CREATION,
                                  kin_str_of(name));
        code = KIN_OK;
    }
    kin_reply_fini(&reply);
    return code;
}

static kin_time moment(clockid_t clock)
{
    struct timespec now = { 0, 0 };

    (void) clock_gettime(clock, &now);
    return (kin_time){ now.tv_sec, (int32_t) now.tv_nsec };
}
