/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 06_test_with_faults.c - what a test looks like: an API server inside the program, and what goes
 * wrong with one.
 *
 * The server is ready within milliseconds, needs nothing but itself, and breaks on command.  Here
 * it cuts the watch in the middle of an event and forgets its history; the informer notices, lists
 * again, and knows everything.  Link with libkin-testing beside libkin.
 */
#include <kin/kin.h>
#include <kin/testing/server.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(kin_err code, const kin_error *err)
{
    if (code != KIN_OK) {
        fprintf(stderr, "%s\n", err->message);
        exit(1);
    }
}

/* Writes a pod straight into the server, and returns its resource version. */
static uint64_t put_pod(kin_server *server, const char *name, const char *phase)
{
    char json[256];
    uint64_t revision;
    kin_error err;

    int len = snprintf(json, sizeof json,
                       "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"namespace\":"
                       "\"default\",\"name\":\"%s\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                       "\"image\":\"i\"}]},\"status\":{\"phase\":\"%s\"}}",
                       name, phase);
    kin_str text = { json, (size_t) len };
    check(kin_server_put(server, text, &revision, &err), &err);
    return revision;
}

/* A fault, as docs/server.md describes them. */
static void break_it(kin_server *server, const char *fault)
{
    kin_error err;

    check(kin_server_fault(server, kin_str_of(fault), NULL, &err), &err);
}

/* Waits until the informer knows of a change, however it learns of it. */
static void wait_for(kin_informer *informer, const char *key, uint64_t revision)
{
    char version[24];
    kin_error err;

    snprintf(version, sizeof version, "%llu", (unsigned long long) revision);
    check(kin_informer_wait_for(informer, kin_str_of(key), kin_str_of(version), 10000, &err), &err);
}

static void print_pods(kin_informer *informer, const char *when)
{
    kin_view view = kin_store_read(kin_informer_store(informer));
    kin_view_iter pods = kin_view_all(&view);

    printf("%s:\n", when);
    while (kin_view_next(&pods)) {
        kin_str phase;
        if (kin_value_str(kin_object_at(pods.object, "status.phase"), NULL, 0, &phase) == KIN_OK) {
            printf("  %.*s %.*s\n", KIN_STR_ARG(pods.key), KIN_STR_ARG(phase));
        }
    }
    kin_store_done(&view);
}

int main(void)
{
    kin_server *server = NULL;
    kin_config *config = NULL;
    kin_client *client = NULL;
    kin_informer *informer = NULL;
    kin_error err;

    check(kin_server_start(NULL, &server, &err), &err);
    put_pod(server, "one", "Pending");

    const char *kubeconfig = kin_server_kubeconfig(server);
    check(kin_config_from_text(kubeconfig, strlen(kubeconfig), NULL, NULL, &config, &err), &err);
    check(kin_client_new(config, NULL, &client, &err), &err);
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    options.resource = "pods";
    check(kin_informer_new(client, &options, &informer, &err), &err);
    check(kin_informer_start(informer, &err), &err);
    check(kin_informer_wait_synced(informer, 10000, &err), &err);
    print_pods(informer, "at first");

    /* One more event arrives, the next is cut in half, and what happened is forgotten before
     * anybody can ask. */
    break_it(server, "{\"do\":\"cut\",\"resource\":\"pods\",\"now\":true,\"after_events\":1}");
    put_pod(server, "one", "Running");
    uint64_t last = put_pod(server, "two", "Pending");
    check(kin_server_compact(server, 0, &err), &err);
    wait_for(informer, "default/two", last);
    print_pods(informer, "after a cut and a compaction");

    kin_informer_free(informer);
    kin_client_free(client);
    kin_config_unref(config);
    kin_server_stop(server);
    return 0;
}
