/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.c - a sink that keeps what it is given, and looks at it.
 */
#include "unit/simulate/recorder.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "json/cursor.h"
#include "proto/parse.h"
#include "proto/render.h"
#include "simulate/memory.h"
#include "support/test.h"

#define KEY_SIZE 256

static void digest(recorder *self, const char *bytes, size_t len)
{
    self->digest ^= 0xcbf29ce484222325u;
    for (size_t i = 0; i < len; i++) {
        self->digest = (self->digest ^ (unsigned char) bytes[i]) * 0x100000001b3u;
    }
}

static kin_str key_of(char buffer[KEY_SIZE], const char *kind, kin_str ns, kin_str name)
{
    int len = snprintf(buffer, KEY_SIZE, "%s %.*s/%.*s", kind, KIN_STR_ARG(ns), KIN_STR_ARG(name));
    ASSERT_TRUE(len > 0 && len < KEY_SIZE);
    return kin__str(buffer, (size_t) len);
}

/* The way through protobuf and back. */
static void check_bytes(const kin_object *object, kin_str json)
{
    AUTO(kin__buf_fini) kin__buf message = { 0 };
    AUTO(kin__buf_fini) kin__buf back = { 0 };
    kin_str kind = kin_object_kind(object);
    kin_str version = kin_object_api_version(object);
    kin__pb_rendering rendering = { .kind = kind, .api_version = version };
    kin_error err = { .message = "" };

    if (kin__pb_from_json(kin__pb_message_of(version, kind), kin__json_of(json), &message, &err) ||
        kin__pb_render(kin__pb_message_of(version, kind), kin__str(message.data, message.len),
                       &rendering, &back, &err)) {
        FAIL("%s in %.*s", err.message, KIN_STR_ARG(json));
    }
    if (back.len != json.len || memcmp(back.data, json.data, json.len) != 0) {
        FAIL("the server would write\n%.*s\nfor\n%.*s", (int) back.len, back.data,
             KIN_STR_ARG(json));
    }
    ASSERT_EQ(kin_object_resource_version(object).len, 0);
}

static void keep(recorder *self, kin_object *object)
{
    char kind[32];
    char buffer[KEY_SIZE];
    void *before = NULL;

    (void) snprintf(kind, sizeof kind, "%.*s", KIN_STR_ARG(kin_object_kind(object)));
    kin_str key = key_of(buffer, kind, kin_object_namespace(object), kin_object_name(object));
    ASSERT_OK(kin__map_put(&self->objects, key, object, &before, NULL));
    if (before != NULL) {
        ASSERT_TRUE(kin_str_equal(kin_object_uid(before), kin_object_uid(object)));
        kin_object_unref(before);
    }
}

static kin_err put(void *context, kin_str json, kin_error *err)
{
    recorder *self = context;
    kin_object *object = NULL;

    self->calls++;
    if (self->calls == self->fails_at) {
        return kin__error_set(err, KIN_ERR_SERVER, "no more room");
    }
    if (json.len > 13 && memcmp(json.data, "{\"kind\":\"Pod\"", 13) == 0) {
        self->pod_puts++;
        self->pod_bytes += json.len;
    }
    self->lease_puts += json.len > 15 && memcmp(json.data, "{\"kind\":\"Lease\"", 15) == 0;
    digest(self, json.data, json.len);
    if (self->is_careless) {
        return KIN_OK;
    }
    ASSERT_OK(kin_object_from_json(json.data, json.len, NULL, &object, err));
    check_bytes(object, json);
    keep(self, object);
    return KIN_OK;
}

static kin_err take_away(void *context, const char *api_version, const char *kind, const char *ns,
                         const char *name, kin_error *err)
{
    recorder *self = context;
    char buffer[KEY_SIZE];

    self->calls++;
    if (self->calls == self->fails_at) {
        return kin__error_set(err, KIN_ERR_SERVER, "no more room");
    }
    digest(self, kind, strlen(kind));
    digest(self, name, strlen(name));
    if (self->is_careless) {
        return KIN_OK;
    }
    kin_object *object =
        kin__map_remove(&self->objects, key_of(buffer, kind, kin_str_of(ns), kin_str_of(name)));
    ASSERT_TRUE(object != NULL);
    ASSERT_SLICE_EQ(kin_object_api_version(object), api_version);
    kin_object_unref(object);
    return KIN_OK;
}

kin__sink recorder_sink(recorder *self)
{
    return (kin__sink){ .context = self, .put = put, .remove = take_away };
}

void recorder_fini(recorder *self)
{
    kin__map_iter iter = kin__map_begin(&self->objects);

    while (kin__map_next(&iter)) {
        kin_object_unref(iter.value);
    }
    kin__map_clear(&self->objects);
}

const kin_object *recorder_get(const recorder *self, const char *kind, kin_str ns, kin_str name)
{
    char buffer[KEY_SIZE];

    return kin__map_get(&self->objects, key_of(buffer, kind, ns, name));
}

size_t recorder_count(const recorder *self, const char *kind)
{
    kin__map_iter iter = kin__map_begin(&self->objects);
    size_t count = 0;

    while (kin__map_next(&iter)) {
        count += kin_str_equal(kin_object_kind(iter.value), kin_str_of(kind));
    }
    return count;
}

kin_str text_at(const kin_object *object, const char *path)
{
    kin_str value;

    if (kin_value_str(kin_object_at(object, path), NULL, 0, &value)) {
        FAIL("%.*s has no text %s", KIN_STR_ARG(kin_object_key(object)), path);
    }
    return value;
}

int64_t number_at(const kin_object *object, const char *path)
{
    int64_t value = 0;

    if (kin_value_int64(kin_object_at(object, path), &value)) {
        FAIL("%.*s has no number %s", KIN_STR_ARG(kin_object_key(object)), path);
    }
    return value;
}

int64_t count_at(const kin_object *object, const char *path)
{
    int64_t value = 0;

    return kin_value_int64(kin_object_at(object, path), &value) ? 0 : value;
}

kin_simulation_options options_of(uint32_t pods, uint32_t nodes, uint64_t seed)
{
    kin_simulation_options options = KIN_SIMULATION_OPTIONS_INIT;

    options.pods = pods;
    options.nodes = nodes;
    options.rate = 100;
    options.seed = seed;
    options.start_s = 1767225600;
    return options;
}

static void *counted_resize(void *memory, size_t bytes)
{
    return kin__realloc(memory, bytes);
}

void use_counted_memory(void)
{
    static const kin__sim_memory counted = { counted_resize, kin__free };

    kin__sim_memory_use(&counted);
}

/* ---- what holds ----------------------------------------------------------------------------- */

static void check_owner(const recorder *self, const kin_object *object, const char *kind)
{
    kin_str ns = kin_object_namespace(object);
    const kin_object *owner = recorder_get(self, kind, strcmp(kind, "Node") == 0 ? STR("") : ns,
                                           text_at(object, "metadata.ownerReferences[0].name"));

    ASSERT_SLICE_EQ(text_at(object, "metadata.ownerReferences[0].kind"), kind);
    if (owner == NULL) {
        FAIL("%.*s has no owner", KIN_STR_ARG(kin_object_key(object)));
    }
    ASSERT_TRUE(
        kin_str_equal(kin_object_uid(owner), text_at(object, "metadata.ownerReferences[0].uid")));
}

static void check_pod_node(const recorder *self, const kin_object *pod)
{
    if (kin_value_exists(kin_object_at(pod, "spec.nodeName"))) {
        kin_str node = text_at(pod, "spec.nodeName");
        ASSERT_TRUE(recorder_get(self, "Node", STR(""), node) != NULL);
        if (kin_value_exists(kin_object_at(pod, "status.hostIP"))) {
            ASSERT_TRUE(kin_str_equal(
                text_at(pod, "status.hostIP"),
                text_at(recorder_get(self, "Node", STR(""), node), "status.addresses[0].address")));
        }
    }
}

void recorder_check_references(const recorder *self)
{
    kin__map_iter iter = kin__map_begin(&self->objects);

    while (kin__map_next(&iter)) {
        const kin_object *object = iter.value;
        kin_str kind = kin_object_kind(object);
        kin_str ns = kin_object_namespace(object);
        if (kin_str_equal(kind, STR("Pod"))) {
            check_owner(self, object, "ReplicaSet");
            check_pod_node(self, object);
        } else if (kin_str_equal(kind, STR("ReplicaSet"))) {
            check_owner(self, object, "Deployment");
        } else if (kin_str_equal(kind, STR("EndpointSlice"))) {
            check_owner(self, object, "Service");
        } else if (kin_str_equal(kind, STR("Lease"))) {
            check_owner(self, object, "Node");
            continue; /* kube-node-lease is the server's own */
        }
        ASSERT_TRUE(ns.len == 0 || recorder_get(self, "Namespace", STR(""), ns) != NULL);
    }
}

static bool is_pod_ready(const kin_object *pod)
{
    kin_time when;

    return !kin_object_deletion_time(pod, &when) &&
           kin_str_equal(text_at(pod, "status.phase"), STR("Running")) &&
           kin_str_equal(text_at(pod, "status.conditions[2].type"), STR("Ready")) &&
           kin_str_equal(text_at(pod, "status.conditions[2].status"), STR("True"));
}

/* The pods whose owner is `set`. */
static void check_set(const recorder *self, const kin_object *set)
{
    kin__map_iter iter = kin__map_begin(&self->objects);
    int64_t replicas = 0;
    int64_t ready = 0;

    while (kin__map_next(&iter)) {
        if (kin_str_equal(kin_object_kind(iter.value), STR("Pod")) &&
            kin_str_equal(text_at(iter.value, "metadata.ownerReferences[0].uid"),
                          kin_object_uid(set))) {
            replicas++;
            ready += is_pod_ready(iter.value);
        }
    }
    ASSERT_EQ(number_at(set, "spec.replicas"), replicas);
    ASSERT_EQ(number_at(set, "status.replicas"), replicas);
    ASSERT_EQ(count_at(set, "status.fullyLabeledReplicas"), replicas);
    ASSERT_EQ(count_at(set, "status.readyReplicas"), ready);
    ASSERT_EQ(count_at(set, "status.availableReplicas"), ready);
    ASSERT_EQ(number_at(set, "status.terminatingReplicas"), 0);
    ASSERT_EQ(number_at(set, "status.observedGeneration"), kin_object_generation(set));
}

/* The replica sets whose owner is `deployment`. */
static void check_deployment(const recorder *self, const kin_object *deployment)
{
    kin__map_iter iter = kin__map_begin(&self->objects);
    int64_t replicas = 0;
    int64_t ready = 0;
    size_t sets = 0;

    while (kin__map_next(&iter)) {
        if (kin_str_equal(kin_object_kind(iter.value), STR("ReplicaSet")) &&
            kin_str_equal(text_at(iter.value, "metadata.ownerReferences[0].uid"),
                          kin_object_uid(deployment))) {
            sets++;
            replicas += number_at(iter.value, "status.replicas");
            ready += count_at(iter.value, "status.readyReplicas");
        }
    }
    ASSERT_TRUE(sets >= 1 && sets <= 3);
    ASSERT_EQ(number_at(deployment, "spec.replicas"), replicas);
    ASSERT_EQ(number_at(deployment, "status.replicas"), replicas);
    ASSERT_EQ(number_at(deployment, "status.updatedReplicas"), replicas);
    ASSERT_EQ(number_at(deployment, "status.readyReplicas"), ready);
    ASSERT_EQ(number_at(deployment, "status.availableReplicas"), ready);
    ASSERT_EQ(count_at(deployment, "status.unavailableReplicas"), replicas - ready);
    ASSERT_EQ(number_at(deployment, "status.terminatingReplicas"), 0);
    ASSERT_EQ(number_at(deployment, "status.observedGeneration"),
              kin_object_generation(deployment));
}

/* True when a slice of the service says that the pod is ready. */
static size_t endpoints_of(const recorder *self, const kin_object *service, const kin_object *pod)
{
    kin__map_iter iter = kin__map_begin(&self->objects);
    size_t count = 0;

    while (kin__map_next(&iter)) {
        const kin_object *slice = iter.value;
        if (!kin_str_equal(kin_object_kind(slice), STR("EndpointSlice")) ||
            !kin_str_equal(text_at(slice, "metadata.ownerReferences[0].uid"),
                           kin_object_uid(service))) {
            continue;
        }
        ASSERT_TRUE(kin_value_count(kin_object_at(slice, "endpoints")) <= 100);
        kin_iter endpoint = kin_value_iter(kin_object_at(slice, "endpoints"));
        while (kin_iter_next(&endpoint)) {
            kin_str uid;
            bool is_ready = false;
            ASSERT_OK(kin_value_bool(kin_value_at(endpoint.value, "conditions.ready"), &is_ready));
            ASSERT_OK(kin_value_str(kin_value_at(endpoint.value, "targetRef.uid"), NULL, 0, &uid));
            count += is_ready && (pod == NULL || kin_str_equal(uid, kin_object_uid(pod)));
        }
    }
    return count;
}

/* As many as are ready, and each of them. */
static void check_service(const recorder *self, const kin_object *service)
{
    kin__map_iter iter = kin__map_begin(&self->objects);
    kin_str app = kin_object_name(service);
    size_t ready = 0;

    while (kin__map_next(&iter)) {
        const kin_object *pod = iter.value;
        kin_str name;
        if (kin_str_equal(kin_object_kind(pod), STR("Pod")) &&
            kin_str_equal(kin_object_namespace(pod), kin_object_namespace(service)) &&
            kin_object_label(pod, STR("app.kubernetes.io/name"), &name) &&
            kin_str_equal(name, app) && is_pod_ready(pod)) {
            ready++;
            ASSERT_EQ(endpoints_of(self, service, pod), 1);
        }
    }
    ASSERT_EQ(endpoints_of(self, service, NULL), ready);
}

void recorder_check_counts(const recorder *self)
{
    kin__map_iter iter = kin__map_begin(&self->objects);

    while (kin__map_next(&iter)) {
        kin_str kind = kin_object_kind(iter.value);
        if (kin_str_equal(kind, STR("ReplicaSet"))) {
            check_set(self, iter.value);
        } else if (kin_str_equal(kind, STR("Deployment"))) {
            check_deployment(self, iter.value);
        } else if (kin_str_equal(kind, STR("Service"))) {
            check_service(self, iter.value);
        }
    }
}
