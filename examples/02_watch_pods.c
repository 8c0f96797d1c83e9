/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 02_watch_pods.c - watches pods for a while: 02_watch_pods [SECONDS]
 *
 * Tells first the pods there are, then what happens to them.  One watch, as the server gives it: it
 * ends when the server ends it.  A program that has to go on after that wants an informer.
 */
#include <kin/kin.h>
#include <stdio.h>
#include <stdlib.h>

static bool print_event(void *context, const kin_event *event)
{
    static const char *const words[] = { "", "added", "modified", "deleted" };
    kin_str node;

    (void) context;
    if (event->type == KIN_EVENT_ERROR) {
        printf("error: %s\n", event->error->message);
    } else if (event->type == KIN_EVENT_BOOKMARK) {
        printf("%s %.*s\n", event->is_initial_end ? "these were all, at version" : "at version",
               KIN_STR_ARG(event->resource_version));
    } else {
        if (kin_value_str(kin_object_at(event->object, "spec.nodeName"), NULL, 0, &node) !=
            KIN_OK) {
            node = kin_str_of("no node");
        }
        printf("%s %.*s on %.*s\n", words[event->type], KIN_STR_ARG(kin_object_key(event->object)),
               KIN_STR_ARG(node));
    }
    fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    kin_client *client;
    kin_request watch = KIN_REQUEST_INIT;
    kin_handler handler = KIN_HANDLER_INIT;
    kin_error err;

    if (kin_client_new(NULL, NULL, &client, &err) != KIN_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    watch.verb = KIN_VERB_WATCH;
    watch.resource = "pods";
    watch.initial_events = 1;
    watch.timeout_seconds = argc > 1 ? (uint32_t) strtoul(argv[1], NULL, 10) : 60;
    handler.on_event = print_event;
    kin_err code = kin_client_run(client, &watch, &handler, NULL, &err);
    if (code != KIN_OK) {
        fprintf(stderr, "%s\n", err.message);
    }
    kin_client_free(client);
    return code == KIN_OK ? 0 : 1;
}
