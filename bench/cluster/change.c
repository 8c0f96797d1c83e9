/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change.c - changes pods at an even rate: bench-change PER_SECOND SECONDS
 *
 * Each change is a merge patch of one annotation, which says when it was sent, of a pod by chance
 * (the same in every run).  Prints how many were made, and how many of them in a second.  A rate of
 * 0 is as fast as the server takes them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "kin/kin.h"

#define WORKERS 8

typedef struct work {
    kin_client *client;
    kin_resource *pods;
    kin_object **objects; /* metadata only */
    size_t count;
    size_t room;
    size_t total; /* changes to be made; 0: until the time is over */
    double gap_us;
    int64_t begin_us;
    int64_t end_us;
    atomic_size_t next;
    atomic_size_t failed;
} work;

static kin_err list(work *todo, kin_error *err);
static bool keep(void *context, kin_object *object);
static void *run(void *context);
static size_t by_chance(size_t number, size_t count);
static kin_err change(const work *todo, const kin_object *pod, kin_error *err);

int main(int argc, char **argv)
{
    double rate = argc > 1 ? strtod(argv[1], NULL) : 300;
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 30;
    work todo = { .total = (size_t) (rate * seconds), .gap_us = rate > 0 ? 1e6 / rate : 0 };
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    pthread_t threads[WORKERS];
    kin_error err;

    options.requests_per_second = -1;
    if (kin_client_new(NULL, &options, &todo.client, &err) != KIN_OK ||
        kin_resource_new("", "v1", "pods", "Pod", true, &todo.pods, &err) != KIN_OK ||
        list(&todo, &err) != KIN_OK) {
        (void) fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    todo.begin_us = bench_now_us();
    todo.end_us = todo.begin_us + (int64_t) (seconds * 1e6);
    for (int i = 0; i < WORKERS; i++) {
        if (pthread_create(&threads[i], NULL, run, &todo) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < WORKERS; i++) {
        (void) pthread_join(threads[i], NULL);
    }
    double took = (double) (bench_now_us() - todo.begin_us) / 1e6;
    size_t made = atomic_load(&todo.next) - WORKERS - todo.failed;
    (void) printf("%zu changes, %.0f a second\n", made, (double) made / took);
    for (size_t i = 0; i < todo.count; i++) {
        kin_object_unref(todo.objects[i]);
    }
    free(todo.objects);
    kin_resource_unref(todo.pods);
    kin_client_free(todo.client);
    return todo.failed == 0 ? 0 : 1;
}

static kin_err list(work *todo, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;
    kin_handler handler = KIN_HANDLER_INIT;

    request.verb = KIN_VERB_LIST;
    request.of = todo->pods;
    request.metadata_only = true;
    handler.context = todo;
    handler.on_object = keep;
    return kin_client_run(todo->client, &request, &handler, NULL, err);
}

static bool keep(void *context, kin_object *object)
{
    work *todo = context;

    if (todo->count == todo->room) {
        todo->room = todo->room == 0 ? 1024 : todo->room * 2;
        todo->objects = realloc(todo->objects, todo->room * sizeof(kin_object *));
        if (todo->objects == NULL) {
            return false;
        }
    }
    todo->objects[todo->count++] = kin_object_ref(object);
    return true;
}

static void *run(void *context)
{
    work *todo = context;
    kin_error err;

    for (;;) {
        size_t i = atomic_fetch_add(&todo->next, 1);
        int64_t due_us = todo->begin_us + (int64_t) ((double) i * todo->gap_us);
        struct timespec due = { .tv_sec = due_us / 1000000, .tv_nsec = due_us % 1000000 * 1000 };

        if (todo->total > 0 ? i >= todo->total : bench_now_us() >= todo->end_us) {
            return NULL;
        }
        (void) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
        if (change(todo, todo->objects[by_chance(i, todo->count)], &err) != KIN_OK &&
            atomic_fetch_add(&todo->failed, 1) == 0) {
            (void) fprintf(stderr, "%s\n", err.message);
        }
    }
}

static size_t by_chance(size_t number, size_t count)
{
    unsigned seed = (unsigned) number;

    return (size_t) rand_r(&seed) % count;
}

static kin_err change(const work *todo, const kin_object *pod, kin_error *err)
{
    char body[128];
    char ns[256];
    char name[256];
    kin_request request = KIN_REQUEST_INIT;

    (void) snprintf(body, sizeof body, "{\"metadata\":{\"annotations\":{\"%s\":\"%lld\"}}}",
                    BENCH_SENT, (long long) bench_now_us());
    (void) snprintf(ns, sizeof ns, "%.*s", KIN_STR_ARG(kin_object_namespace(pod)));
    (void) snprintf(name, sizeof name, "%.*s", KIN_STR_ARG(kin_object_name(pod)));
    request.verb = KIN_VERB_PATCH;
    request.of = todo->pods;
    request.ns = ns;
    request.name = name;
    request.patch_type = KIN_PATCH_MERGE;
    request.body = kin_str_of(body);
    return kin_client_run(todo->client, &request, NULL, NULL, err);
}
