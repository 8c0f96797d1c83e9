/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - lists all pods into objects once, and says what it took: bench-list json|protobuf [gzip]
 *
 * Prints the number of objects, their size, and the largest amount of anonymous memory that was
 * seen, the last two in kilobytes.  How long it took is measured from outside.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "anonymous.h"
#include "kin/kin.h"

typedef struct pile {
    kin_object **objects;
    size_t count;
    size_t room;
    size_t bytes;
} pile;

static bool keep(void *context, kin_object *object);

int main(int argc, char **argv)
{
    pile all = { 0 };
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_request request = KIN_REQUEST_INIT;
    kin_handler handler = KIN_HANDLER_INIT;
    kin_client *client;
    kin_resource *pods;
    kin_error err;

    options.no_compression = argc < 3;
    if (kin_resource_new("", "v1", "pods", "Pod", true, &pods, &err) != KIN_OK ||
        kin_client_new(NULL, &options, &client, &err) != KIN_OK) {
        (void) fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    if (!anonymous_watch()) {
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
    (void) printf("%zu %zu %ld\n", all.count, all.bytes / 1024, anonymous_peak());
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
