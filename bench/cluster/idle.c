/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle.c - many informers that have nothing to do: bench-idle COUNT
 *
 * Each is of config maps with a label that none has, and has a handler.  When all are synced,
 * prints what the process then has:
 *
 *     idle INFORMERS THREADS CONNECTIONS ANONYMOUS_KB
 *
 * ANONYMOUS_KB is what anonymous memory has grown by since before there was a client.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "anonymous.h"
#include "kin/kin.h"

#define PATIENCE_MS 120000

static kin_err add(kin_factory *factory, size_t number, kin_error *err);
static void on_change(void *context, const kin_notification *n);
static size_t count_threads(void);
static size_t count_connections(void);

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    kin_factory *factory = NULL;
    kin_client *client;
    kin_error err;
    long before_kb = anonymous_now();
    kin_err code = kin_client_new(NULL, NULL, &client, &err);

    if (code == KIN_OK) {
        code = kin_factory_new(client, NULL, &factory, &err);
    }
    for (size_t i = 0; code == KIN_OK && i < count; i++) {
        code = add(factory, i, &err);
    }
    if (code == KIN_OK) {
        code = kin_factory_start(factory, &err);
    }
    if (code == KIN_OK) {
        code = kin_factory_wait_synced(factory, PATIENCE_MS, &err);
    }
    if (code != KIN_OK) {
        (void) fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    (void) sleep(2); /* until lists have let go of their connections, and watches are open */
    (void) printf("idle %zu %zu %zu %ld\n", count, count_threads(), count_connections(),
                  anonymous_now() - before_kb);
    (void) fflush(stdout);
    _exit(0);
}

static kin_err add(kin_factory *factory, size_t number, kin_error *err)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    kin_registration *registration;
    kin_informer *informer;
    char selector[64];

    (void) snprintf(selector, sizeof selector, "idle=%zu", number);
    options.resource = "configmaps";
    options.label_selector = selector;
    handler.on_add = handler.on_update = handler.on_delete = on_change;
    kin_err code = kin_factory_informer(factory, &options, &informer, err);
    return code == KIN_OK ? kin_informer_add_handler(informer, &handler, &registration, err) : code;
}

static void on_change(void *context, const kin_notification *n)
{
    (void) context;
    (void) n;
}

static size_t count_threads(void)
{
    size_t count = 0;
    DIR *tasks = opendir("/proc/self/task");

    for (struct dirent *entry; tasks != NULL && (entry = readdir(tasks)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    if (tasks != NULL) {
        (void) closedir(tasks);
    }
    return count;
}

static size_t count_connections(void)
{
    size_t count = 0;

    for (int fd = 0; fd < 4096; fd++) {
        struct sockaddr_storage peer;
        socklen_t len = sizeof peer;

        count += getpeername(fd, (struct sockaddr *) &peer, &len) == 0 &&
                 (peer.ss_family == AF_INET || peer.ss_family == AF_INET6);
    }
    return count;
}
