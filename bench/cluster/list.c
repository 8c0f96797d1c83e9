/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - lists all pods into objects once, and says what it took: bench-list json|protobuf [gzip]
 *
 * Prints the number of objects, their size, and the largest amount of anonymous memory that was
 * seen, the last two in kilobytes.  How long it took is measured from outside.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kin/kin.h"

#define SAMPLE_NS (20 * 1000000)

typedef struct pile {
    kin_object **objects;
    size_t count;
    size_t room;
    size_t bytes;
} pile;

static atomic_long anonymous_kb;
static atomic_bool is_over;

static bool keep(void *context, kin_object *object);
static void *sample(void *context);
static void note_memory(void);

int main(int argc, char **argv)
{
    pile all = { 0 };
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_request request = KIN_REQUEST_INIT;
    kin_handler handler = KIN_HANDLER_INIT;
    kin_client *client;
    kin_resource *pods;
    pthread_t sampler;
    kin_error err;

    options.no_compression = argc < 3;
    if (kin_resource_new("", "v1", "pods", "Pod", true, &pods, &err) != KIN_OK ||
        kin_client_new(NULL, &options, &client, &err) != KIN_OK) {
        (void) fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    if (pthread_create(&sampler, NULL, sample, NULL) != 0) {
        return 1;
    }
    request.verb = KIN_VERB_LIST;
    request.of = pods;
    request.encoding =
        argc > 1 && strcmp(argv[1], "json") == 0 ? KIN_ENCODING_JSON : KIN_ENCODING_PROTOBUF;
    handler.context = &all;
    handler.on_object = keep;
    if (kin_client_run(client, &request, &handler, NULL, &err) != KIN_OK) {
        (void) fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    note_memory();
    is_over = true;
    (void) pthread_join(sampler, NULL);
    (void) printf("%zu %zu %ld\n", all.count, all.bytes / 1024, (long) anonymous_kb);
    (void) fflush(stdout);
    _exit(0); /* what there is goes with the process, as curl's does */
}

static bool keep(void *context, kin_object *object)
{
    pile *all = context;

    if (all->count == all->room) {
        all->room = all->room == 0 ? 1024 : all->room * 2;
        all->objects = realloc(all->objects, all->room * sizeof(kin_object *));
        if (all->objects == NULL) {
            return false;
        }
    }
    all->objects[all->count++] = kin_object_ref(object);
    all->bytes += kin_object_size(object);
    return true;
}

static void *sample(void *context)
{
    while (!is_over) {
        note_memory();
        (void) nanosleep(&(struct timespec){ .tv_nsec = SAMPLE_NS }, NULL);
    }
    return context;
}

static void note_memory(void)
{
    char line[128];
    long kb = 0;
    FILE *status = fopen("/proc/self/status", "r");

    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "RssAnon: %ld", &kb) == 1) {
            break;
        }
    }
    if (status != NULL) {
        (void) fclose(status);
    }
    if (kb > anonymous_kb) {
        anonymous_kb = kb;
    }
}
