/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fill.c - fills an API server with pods: bench-fill COUNT
 *
 * They are those of bench/pods.h, written as a cluster's own parts would: created by one manager,
 * their status by another, so that the server keeps managedFields of both.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../pods.h"
#include "kin/kin.h"

#define WORKERS 16
#define BYTES_EACH_MAX 16384 /* of a pod of bench/pods.h there are fewer */

typedef struct work {
    kin_client *client;
    kin_object **pods;
    size_t count;
    atomic_size_t next;
    atomic_size_t failed;
} work;

static size_t read_pods(size_t count, kin_object **out);
static const char *end_of_object(const char *at);
static void make_namespaces(work *todo);
static void *run(void *context);
static kin_err write_pod(kin_client *client, const kin_object *pod, kin_error *err);
static kin_err strip(const kin_object *pod, kin_object **out, kin_error *err);
static kin_err with_status(const kin_object *made, const kin_object *pod, kin_object **out,
                           kin_error *err);

int main(int argc, char **argv)
{
    work todo = { .count = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000 };
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    pthread_t threads[WORKERS];
    kin_error err;

    options.requests_per_second = -1;
    if (kin_client_new(NULL, &options, &todo.client, &err) != KIN_OK) {
        (void) fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    todo.pods = calloc(todo.count, sizeof *todo.pods);
    if (todo.pods == NULL || read_pods(todo.count, todo.pods) != todo.count) {
        (void) fprintf(stderr, "the pods could not be made\n");
        return 1;
    }
    make_namespaces(&todo);
    for (int i = 0; i < WORKERS; i++) {
        if (pthread_create(&threads[i], NULL, run, &todo) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < WORKERS; i++) {
        (void) pthread_join(threads[i], NULL);
    }
    for (size_t i = 0; i < todo.count; i++) {
        kin_object_unref(todo.pods[i]);
    }
    free(todo.pods);
    kin_client_free(todo.client);
    return todo.failed == 0 ? 0 : 1;
}

static size_t read_pods(size_t count, kin_object **out)
{
    bench_pods pods;
    size_t made = 0;
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;

    options.api_version = "v1";
    options.kind = "Pod";
    if (!bench_pods_init(&pods, count * BYTES_EACH_MAX, 1)) {
        return 0;
    }
    const char *at = strstr(pods.document.data, "\"items\":[") + strlen("\"items\":[");
    while (made < count && *at == '{') {
        const char *end = end_of_object(at);

        if (kin_object_from_json(at, (size_t) (end - at), &options, &out[made], NULL) != KIN_OK) {
            break;
        }
        made++;
        at = *end == ',' ? end + 1 : end;
    }
    bench_pods_fini(&pods);
    return made;
}

static const char *end_of_object(const char *at)
{
    int depth = 0;
    bool is_inside = false;

    do {
        if (*at == '\\') {
            at++;
        } else if (*at == '"') {
            is_inside = !is_inside;
        } else if (!is_inside) {
            depth += (*at == '{') - (*at == '}');
        }
        at++;
    } while (depth > 0);
    return at;
}

/* One that is there already is as good. */
static void make_namespaces(work *todo)
{
    kin_str last = { NULL, 0 };

    for (size_t i = 0; i < todo->count; i++) {
        kin_str ns = kin_object_namespace(todo->pods[i]);
        kin_request request = KIN_REQUEST_INIT;
        char body[512];

        if (kin_str_equal(ns, last)) {
            continue;
        }
        last = ns;
        (void) snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"%.*s\"}}", KIN_STR_ARG(ns));
        request.verb = KIN_VERB_CREATE;
        request.resource = "namespaces";
        request.body = kin_str_of(body);
        if (kin_client_run(todo->client, &request, NULL, NULL, NULL) == KIN_ERR_CONNECT) {
            return;
        }
    }
}

static void *run(void *context)
{
    work *todo = context;
    kin_error err;

    for (size_t i; (i = atomic_fetch_add(&todo->next, 1)) < todo->count;) {
        if (write_pod(todo->client, todo->pods[i], &err) != KIN_OK &&
            atomic_fetch_add(&todo->failed, 1) == 0) {
            (void) fprintf(stderr, "%s\n", err.message);
        }
    }
    return NULL;
}

static kin_err write_pod(kin_client *client, const kin_object *pod, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;
    kin_object *object = NULL;
    kin_reply reply = KIN_REPLY_INIT;

    kin_err code = strip(pod, &object, err);
    if (code != KIN_OK) {
        return code;
    }
    request.verb = KIN_VERB_CREATE;
    request.object = object;
    request.field_manager = "kube-controller-manager";
    code = kin_client_run(client, &request, NULL, &reply, err);
    kin_object_unref(object);
    if (code == KIN_OK) {
        code = with_status(reply.object, pod, &object, err);
    }
    kin_reply_fini(&reply);
    if (code != KIN_OK) {
        return code;
    }
    request.verb = KIN_VERB_UPDATE;
    request.object = object;
    request.subresource = "status";
    request.field_manager = "kubelet";
    code = kin_client_run(client, &request, NULL, NULL, err);
    kin_object_unref(object);
    return code;
}

/* Without what the server gives. */
static kin_err strip(const kin_object *pod, kin_object **out, kin_error *err)
{
    static const char *const paths[] = { "metadata.resourceVersion", "metadata.uid",
                                         "metadata.managedFields",   "metadata.creationTimestamp",
                                         "metadata.generation",      "status" };
    kin_edit *edit;
    kin_err code = kin_object_edit(pod, &edit, err);

    if (code != KIN_OK) {
        return code;
    }
    for (size_t i = 0; code == KIN_OK && i < sizeof paths / sizeof paths[0]; i++) {
        code = kin_edit_remove(edit, paths[i], err);
    }
    if (code == KIN_OK) {
        code = kin_edit_object(edit, out, err);
    }
    kin_edit_free(edit);
    return code;
}

static kin_err with_status(const kin_object *made, const kin_object *pod, kin_object **out,
                           kin_error *err)
{
    kin_edit *edit;
    char *status;
    size_t len;
    kin_err code = kin_object_edit(made, &edit, err);

    if (code != KIN_OK) {
        return code;
    }
    code = kin_value_json(kin_object_at(pod, "status"), &status, &len, err);
    if (code == KIN_OK) {
        code = kin_edit_set_json(edit, "status", (kin_str){ status, len }, err);
        kin_free(status);
    }
    if (code == KIN_OK) {
        code = kin_edit_object(edit, out, err);
    }
    kin_edit_free(edit);
    return code;
}
