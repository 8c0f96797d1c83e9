/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.c - what a ReplicaSet says of itself.
 */
#include "status.h"

#include <stdio.h>
#include <time.h>

#include "pod.h"
#include "reading.h"

#define FAILURE "ReplicaFailure"
#define TERMINATING "status.terminatingReplicas"

static int64_t count_terminating(const work *w, const kin_selector *selector);
static kin_err set_counts(const work *w, const counts *n, kin_edit *edit, kin_error *err);
static kin_err set_terminating(const work *w, const counts *n, kin_edit *edit, kin_error *err);
static kin_err set_number(const work *w, const char *path, int64_t wanted, kin_edit *edit,
                          kin_error *err);
static kin_err set_failure(const work *w, const counts *n, const kin_error *trouble, kin_edit *edit,
                           kin_error *err);
static kin_err add_failure(const work *w, size_t at, const char *reason, const char *message,
                           kin_edit *edit, kin_error *err);

kin_err status_count(const work *w, const kin_selector *selector, const pod_list *pods, counts *out,
                     kin_error *err)
{
    kin_selector *labels = NULL;
    int64_t min_ready_seconds = read_number(kin_object_at(w->set, "spec.minReadySeconds"), 0);
    kin_err code = kin_selector_from_labels(kin_object_at(w->set, "spec.template.metadata.labels"),
                                            &labels, err);

    if (code != KIN_OK) {
        return code;
    }
    *out = (counts){ .replicas = (int64_t) pods->count, .next_ms = -1 };
    for (size_t i = 0; i < pods->count; i++) {
        int64_t in_ms = pod_available_in_ms(pods->pods[i], min_ready_seconds, w->now);

        out->fully_labeled += kin_selector_matches(labels, pods->pods[i]) ? 1 : 0;
        out->ready += pod_is_ready(pods->pods[i], NULL) ? 1 : 0;
        out->available += in_ms == 0 ? 1 : 0;
        if (in_ms > 0 && (out->next_ms < 0 || in_ms < out->next_ms)) {
            out->next_ms = in_ms;
        }
    }
    out->terminating = count_terminating(w, selector);
    kin_selector_free(labels);
    return KIN_OK;
}

kin_err status_write(const work *w, const counts *n, const kin_error *trouble, kin_error *err)
{
    kin_edit *edit = NULL;
    kin_object *written = NULL;
    bool is_written = kin_object_edit(w->set, &edit, err) == KIN_OK &&
                      set_counts(w, n, edit, err) == KIN_OK &&
                      set_failure(w, n, trouble, edit, err) == KIN_OK &&
                      kin_reconcile_patch(w->r, edit, "status", &written, err) == KIN_OK;

    if (is_written && !kin_value_exists(kin_object_at(written, TERMINATING))) {
        atomic_store(&w->shop->lacks_terminating, true);
    }
    kin_object_unref(written);
    kin_edit_free(edit);
    return is_written ? KIN_OK : err->code;
}

/* They have no part in anything else: a pod that is to go is neither adopted nor released. */
static int64_t count_terminating(const work *w, const kin_selector *selector)
{
    kin_view view = kin_store_read(w->shop->pods);
    kin_view_iter pods = kin_view_by_index(&view, BY_CONTROLLER, kin_object_uid(w->set));
    int64_t count = 0;

    while (kin_view_next(&pods)) {
        count +=
            pod_is_terminating(pods.object) && kin_selector_matches(selector, pods.object) ? 1 : 0;
    }
    kin_store_done(&view);
    return count;
}

static kin_err set_counts(const work *w, const counts *n, kin_edit *edit, kin_error *err)
{
    bool is_set =
        set_number(w, "status.replicas", n->replicas, edit, err) == KIN_OK &&
        set_number(w, "status.fullyLabeledReplicas", n->fully_labeled, edit, err) == KIN_OK &&
        set_number(w, "status.readyReplicas", n->ready, edit, err) == KIN_OK &&
        set_number(w, "status.availableReplicas", n->available, edit, err) == KIN_OK &&
        set_number(w, "status.observedGeneration", kin_object_generation(w->set), edit, err) ==
            KIN_OK &&
        set_terminating(w, n, edit, err) == KIN_OK;

    return is_set ? KIN_OK : err->code;
}

/* A number that is not there is 0: the server leaves zeros out, and to write one again and again
 * would be no change to it but a request of ours. */
static kin_err set_number(const work *w, const char *path, int64_t wanted, kin_edit *edit,
                          kin_error *err)
{
    int64_t has = read_number(kin_object_at(w->set, path), 0);

    return has == wanted ? KIN_OK : kin_edit_set_int64(edit, path, wanted, err);
}

/* Here 0 is another thing than nothing, which says that nobody has counted.  Servers before 1.35
 * drop the field unless told otherwise, and it would be written again in each call. */
static kin_err set_terminating(const work *w, const counts *n, kin_edit *edit, kin_error *err)
{
    if (atomic_load(&w->shop->lacks_terminating)) {
        return KIN_OK;
    }
    int64_t has = read_number(kin_object_at(w->set, TERMINATING), -1);

    return has == n->terminating ? KIN_OK
                                 : kin_edit_set_int64(edit, TERMINATING, n->terminating, err);
}

/* A failure that is told already stays as it is: so long as it lasts nothing is written. */
static kin_err set_failure(const work *w, const counts *n, const kin_error *trouble, kin_edit *edit,
                           kin_error *err)
{
    kin_iter iter = kin_value_iter(kin_object_at(w->set, "status.conditions"));
    char path[64];
    size_t at = 0;

    for (; kin_iter_next(&iter); at++) {
        if (kin_str_equal(read_text(kin_value_at(iter.value, "type")), kin_str_of(FAILURE))) {
            (void) snprintf(path, sizeof path, "status.conditions[%zu]", at);
            return trouble != NULL ? KIN_OK : kin_edit_remove(edit, path, err);
        }
    }
    if (trouble == NULL) {
        return KIN_OK;
    }
    return add_failure(w, at, n->replicas < w->replicas ? "FailedCreate" : "FailedDelete",
                       trouble->message, edit, err);
}

static kin_err add_failure(const work *w, size_t at, const char *reason, const char *message,
                           kin_edit *edit, kin_error *err)
{
    const kin_str condition = kin_str_of("{\"type\":\"" FAILURE "\",\"status\":\"True\"}");
    char path[64];
    char text[32];
    time_t now = (time_t) w->now.seconds;
    struct tm parts;
    kin_err code = kin_edit_append_json(edit, "status.conditions", condition, err);

    if (code == KIN_OK) {
        (void) snprintf(path, sizeof path, "status.conditions[%zu].reason", at);
        code = kin_edit_set_str(edit, path, kin_str_of(reason), err);
    }
    if (code == KIN_OK) {
        (void) snprintf(path, sizeof path, "status.conditions[%zu].message", at);
        code = kin_edit_set_str(edit, path, kin_str_of(message), err);
    }
    if (code == KIN_OK && gmtime_r(&now, &parts) != NULL &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0) {
        (void) snprintf(path, sizeof path, "status.conditions[%zu].lastTransitionTime", at);
        code = kin_edit_set_str(edit, path, kin_str_of(text), err);
    }
    return code;
}
