/* SPDX-License-Identifier: Apache-2.0 */
/*
 * e2e/support/cluster.h - a Kubernetes API server for an end-to-end test in C.
 *
 *     cluster c;
 *     cluster_start(&c, (const char *[]){ "--goaway-chance=0.02", NULL });
 *     ... cluster_path(&c, "kubeconfig") ...
 *     (void) cluster_command(&c, "restart");
 *     cluster_stop(&c);
 *
 * A cluster is a directory of files and a program that takes commands; tests/e2e/README.md lists
 * both.  It is shared by all programs of a run, or a test's own.  One that a test has started ends
 * with cluster_stop() or with the test's process, whatever ends that.
 *
 * What does not work fails the test.  Nothing here uses the library.
 *
 * Threading: confined.
 */
#ifndef TESTS_E2E_SUPPORT_CLUSTER_H
#define TESTS_E2E_SUPPORT_CLUSTER_H

#include <limits.h>
#include <sys/types.h>

typedef struct cluster {
    char dir[PATH_MAX];
    char server[64];     /* the URL of the API server */
    char token[64];      /* the admin's */
    char path[PATH_MAX]; /* what cluster_path() returned last */
    char answer[4096];   /* and cluster_command() */
    pid_t driver;        /* 0: shared */
    int lifeline_fd;     /* the driver ends when this is closed; -1: shared */
} cluster;

/*
 * The cluster that tools/run-e2e has started.  Other tests have been there before: a test works in
 * a namespace of its own, and leaves the server running, with the flags it had.
 */
void cluster_use_shared(cluster *c);

/*
 * A new one; takes some seconds.  `flags` are more flags for kube-apiserver, after which comes
 * NULL; it may be NULL itself.
 */
void cluster_start(cluster *c, const char *const *flags);

/* Returns when all of it has gone.  For a shared one it does nothing. */
void cluster_stop(cluster *c);

/* The port of the API server. */
int cluster_port(const cluster *c);

/* The path of a file of the cluster, as "users/admin/token"; borrowed until the next call. */
const char *cluster_path(cluster *c, const char *name);

/*
 * Gives the driver a command and returns its result, which may be empty; borrowed until the next
 * call.
 */
const char *cluster_command(cluster *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif /* TESTS_E2E_SUPPORT_CLUSTER_H */
