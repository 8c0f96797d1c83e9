/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller.c - the controller of ReplicaSets: its informers, and whom a change concerns.
 */
#include "controller.h"

#include <stdio.h>
#include <stdlib.h>

#include "failure.h"
#include "pod.h"
#include "reading.h"
#include "sync.h"
#include "work.h"

struct rs_controller {
    kin_informer *sets;
    kin_informer *pods;
    kin_recorder *recorder;
    kin_controller *controller;
    workshop shop;
};

static bool follow(kin_client *client, const char *resource, const char *ns, kin_informer **out,
                   kin_error *err);
static kin_err by_controller(void *context, const kin_object *object, kin_index_sink *sink,
                             kin_error *err);
static bool start(rs_controller *c, kin_client *client, const rs_options *options, kin_error *err);
static void map_pod(void *context, const kin_object *pod, kin_concerned *concerned);
static bool observe(const rs_controller *c, const kin_object *pod, expecting owner);
static void map_orphan(const rs_controller *c, const kin_object *pod, kin_concerned *concerned);

kin_err rs_controller_start(kin_client *client, const rs_options *options, rs_controller **out,
                            kin_error *err)
{
    kin_recorder_options recorder = KIN_RECORDER_OPTIONS_INIT;
    rs_controller *c = calloc(1, sizeof *c);

    if (c == NULL) {
        return failure(err, KIN_ERR_NO_MEMORY, "start the controller: no memory");
    }
    c->shop.expectations = expectations_new();
    if (c->shop.expectations == NULL) {
        rs_controller_free(c);
        return failure(err, KIN_ERR_NO_MEMORY, "start the controller: no memory");
    }
    recorder.controller = "examples.kinformer/replicaset-controller";
    if (kin_recorder_new(client, &recorder, &c->recorder, err) != KIN_OK ||
        !follow(client, "replicasets.apps", options->ns, &c->sets, err) ||
        !follow(client, "pods", options->ns, &c->pods, err) || !start(c, client, options, err)) {
        rs_controller_free(c);
        return err->code;
    }
    *out = c;
    return KIN_OK;
}

kin_err rs_controller_stop(rs_controller *c, int64_t deadline_ms, kin_error *err)
{
    kin_err code = kin_controller_stop(c->controller, deadline_ms, err);

    return code == KIN_OK ? kin_recorder_flush(c->recorder, deadline_ms, err) : code;
}

kin_err rs_controller_wait_idle(rs_controller *c, int64_t deadline_ms, kin_error *err)
{
    return kin_controller_wait_idle(c->controller, deadline_ms, err);
}

void rs_controller_free(rs_controller *c)
{
    if (c == NULL) {
        return;
    }
    kin_controller_free(c->controller);
    kin_informer_free(c->pods);
    kin_informer_free(c->sets);
    kin_recorder_free(c->recorder);
    expectations_free(c->shop.expectations);
    free(c);
}

static bool follow(kin_client *client, const char *resource, const char *ns, kin_informer **out,
                   kin_error *err)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;

    index.name = BY_CONTROLLER;
    index.fn = by_controller;
    options.resource = resource;
    options.ns = ns;
    options.indexes = &index;
    options.index_count = 1;
    return kin_informer_new(client, &options, out, err) == KIN_OK &&
           kin_informer_start(*out, err) == KIN_OK;
}

static kin_err by_controller(void *context, const kin_object *object, kin_index_sink *sink,
                             kin_error *err)
{
    kin_str uid = pod_controller_uid(object);
    char orphans[300];

    (void) context;
    (void) err;
    if (uid.len == 0) {
        (void) snprintf(orphans, sizeof orphans, "/%.*s",
                        KIN_STR_ARG(kin_object_namespace(object)));
        uid = kin_str_of(orphans);
    }
    kin_index_add(sink, uid);
    return KIN_OK;
}

/* Pods that are listed again and have not changed concern nobody: nor does a resync. */
static bool start(rs_controller *c, kin_client *client, const rs_options *options, kin_error *err)
{
    static const kin_predicate changed = { kin_version_changed, NULL };
    kin_controller_options own = KIN_CONTROLLER_OPTIONS_INIT;

    c->shop.sets = kin_informer_store(c->sets);
    c->shop.pods = kin_informer_store(c->pods);
    c->shop.recorder = c->recorder;
    own.name = "replicaset";
    own.reconcile = sync_set;
    own.context = &c->shop;
    own.workers = options->workers == 0 ? 5 : options->workers;
    own.leader = options->leader;
    own.metrics = options->metrics;
    return kin_controller_new(client, &own, &c->controller, err) == KIN_OK &&
           kin_controller_about(c->controller, c->sets, NULL, err) == KIN_OK &&
           kin_controller_owns(c->controller, c->pods, &changed, err) == KIN_OK &&
           kin_controller_maps(c->controller, c->pods, &changed, map_pod, c, err) == KIN_OK &&
           kin_controller_start(c->controller, err) == KIN_OK;
}

/* Every change of a pod is told here, one by one and in order: nothing is put together with what
 * follows, as it may be where the owner's key is all that matters.  The owner comes again with the
 * last pod that it expected, for until then it was of no use to come. */
static void map_pod(void *context, const kin_object *pod, kin_concerned *concerned)
{
    const rs_controller *c = context;
    kin_value reference = kin_object_controller_owner(pod);
    expecting owner = { .uid = pod_controller_uid(pod) };
    char key[512];

    if (owner.uid.len == 0) {
        map_orphan(c, pod, concerned);
    } else if (kin_key_make(kin_object_namespace(pod), read_text(kin_value_at(reference, "name")),
                            key, sizeof key, &owner.key, NULL) == KIN_OK &&
               observe(c, pod, owner)) {
        kin_concerned_add(concerned, owner.key);
    }
}

/* What has come is made; what is to go, or has gone, is removed: the store shows it, which is never
 * behind what handlers are told.  True: no more is expected. */
static bool observe(const rs_controller *c, const kin_object *pod, expecting owner)
{
    bool is_last =
        expectations_lower(c->shop.expectations, owner, EXPECTED_CREATION, kin_object_name(pod));

    if (pod_is_leaving(c->shop.pods, pod)) {
        is_last = expectations_lower(c->shop.expectations, owner, EXPECTED_DELETION,
                                     kin_object_uid(pod)) ||
                  is_last;
    }
    return is_last;
}

/* An orphan concerns each ReplicaSet whose selector matches it; one of them will adopt it. */
static void map_orphan(const rs_controller *c, const kin_object *pod, kin_concerned *concerned)
{
    kin_view view = kin_store_read(c->shop.sets);
    kin_view_iter sets = kin_view_in_namespace(&view, kin_object_namespace(pod));
    while (kin_view_next(&sets)) {
        kin_selector *selector = NULL;
        kin_error unwanted;

        if (kin_selector_from_value(kin_object_at(sets.object, "spec.selector"), &selector,
                                    &unwanted) == KIN_OK &&
            kin_selector_matches(selector, pod)) {
            kin_concerned_add(concerned, sets.key);
        }
        kin_selector_free(selector);
    }
    kin_store_done(&view);
}
