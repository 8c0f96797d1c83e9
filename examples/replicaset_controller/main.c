/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - a controller of ReplicaSets, as kube-controller-manager has one.
 *
 * Works with any API server.  In a cluster that has a controller for them already, both would work
 * against each other.  README.md says how to try it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller.h"

#define PATIENCE_MS 10000 /* at the end */

typedef struct app {
    rs_options options;
    bool elects_leader; /* --leader-elect */

    kin_client *client;
    kin_leader *leader;
    rs_controller *controller;
} app;

static bool read_arguments(app *a, int argc, char **argv);
static bool start(app *a, kin_error *err);
static void stop(app *a);

static void print_log(void *context, kin_log_level level, const char *component,
                      const char *message)
{
    (void) context;
    fprintf(stderr, "%s: %s: %s\n", kin_log_level_name(level), component, message);
}

int main(int argc, char **argv)
{
    app a = { 0 };
    kin_error err;
    sigset_t ends;
    int signal_number = 0;

    if (!read_arguments(&a, argc, argv)) {
        fprintf(stderr, "usage: %s [--namespace NAME] [--workers N] [--leader-elect]\n", argv[0]);
        return 2;
    }
    /* Blocked before there is any other thread, and waited for by this one. */
    (void) sigemptyset(&ends);
    (void) sigaddset(&ends, SIGTERM);
    (void) sigaddset(&ends, SIGINT);
    (void) pthread_sigmask(SIG_BLOCK, &ends, NULL);

    bool is_started = start(&a, &err);
    if (!is_started) {
        fprintf(stderr, "%s\n", err.message);
    } else {
        printf("started\n");
        (void) fflush(stdout);
        (void) sigwait(&ends, &signal_number);
    }
    stop(&a);
    return is_started ? 0 : 1;
}

static bool read_arguments(app *a, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--leader-elect") == 0) {
            a->elects_leader = true;
        } else if (strcmp(argv[i], "--namespace") == 0 && i + 1 < argc) {
            a->options.ns = argv[++i];
        } else if (strcmp(argv[i], "--workers") == 0 && i + 1 < argc) {
            long workers = strtol(argv[++i], NULL, 10);

            if (workers < 1 || workers > 1000) {
                return false;
            }
            a->options.workers = (uint32_t) workers;
        } else {
            return false;
        }
    }
    return true;
}

static bool start(app *a, kin_error *err)
{
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_leader_options leader = KIN_LEADER_OPTIONS_INIT;

    client.logger.log = print_log;
    client.user_agent = "replicaset-controller";
    client.requests_per_second = -1; /* the API server's own fairness is enough for us */
    leader.name = "replicaset-controller";
    if (kin_client_new(NULL, &client, &a->client, err) != KIN_OK) {
        return false;
    }
    if (a->elects_leader && (kin_leader_new(a->client, &leader, &a->leader, err) != KIN_OK ||
                             kin_leader_start(a->leader, err) != KIN_OK)) {
        return false;
    }
    a->options.leader = a->leader;
    return rs_controller_start(a->client, &a->options, &a->controller, err) == KIN_OK;
}

/* The Lease is let go of when nothing of ours is under way any more. */
static void stop(app *a)
{
    kin_error err;

    if (a->controller != NULL && rs_controller_stop(a->controller, PATIENCE_MS, &err) != KIN_OK) {
        fprintf(stderr, "%s\n", err.message);
    }
    if (a->leader != NULL && kin_leader_stop(a->leader, PATIENCE_MS, &err) != KIN_OK) {
        fprintf(stderr, "%s\n", err.message);
    }
    rs_controller_free(a->controller);
    kin_leader_free(a->leader);
    kin_client_free(a->client);
}
