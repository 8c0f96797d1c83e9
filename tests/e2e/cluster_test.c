/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cluster_test.c - that a test in C gets its cluster, and that nothing is left of it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "e2e/support/cluster.h"
#include "support/test.h"

#define PATIENCE_MS 2000

/* What is left to look at when a cluster has ended. */
typedef struct remains {
    pid_t apiserver;
    pid_t etcd;
    char dir[PATH_MAX];
} remains;

static remains note(cluster *c)
{
    remains r = { 0 };
    ASSERT_EQ(sscanf(cluster_command(c, "pids"), "%d %d", &r.apiserver, &r.etcd), 2);
    ASSERT_TRUE(r.apiserver > 0 && r.etcd > 0);
    memcpy(r.dir, c->dir, sizeof r.dir);
    return r;
}

static bool is_alive(pid_t pid)
{
    return kill(pid, 0) == 0 || errno != ESRCH;
}

static bool is_gone(const remains *r)
{
    return !is_alive(r->apiserver) && !is_alive(r->etcd) && access(r->dir, F_OK) != 0;
}

static bool is_soon_gone(const remains *r)
{
    const struct timespec one_ms = { .tv_nsec = 1000000 };

    for (int waited_ms = 0; waited_ms < PATIENCE_MS && !is_gone(r); waited_ms++) {
        (void) nanosleep(&one_ms, NULL);
    }
    return is_gone(r);
}

TEST(cluster, is_shared_by_the_programs_of_a_run)
{
    cluster c;

    cluster_use_shared(&c);

    ASSERT_CONTAINS(c.server, "https://127.0.0.1:");
    ASSERT_EQ(strlen(c.token), 40);
    ASSERT_EQ(access(cluster_path(&c, "kubeconfig"), R_OK), 0);
    ASSERT_EQ(access(cluster_path(&c, "ca.crt"), R_OK), 0);
    remains r = note(&c);
    cluster_stop(&c);
    ASSERT_TRUE(is_alive(r.apiserver));
}

TEST(cluster, makes_a_user)
{
    cluster c;
    char dir[PATH_MAX];

    cluster_use_shared(&c);

    const char *result = cluster_command(&c, "user %s get,list:pods", "erin");

    (void) snprintf(dir, sizeof dir, "%s", result);
    ASSERT_STR_EQ(dir, cluster_path(&c, "users/erin"));
    ASSERT_EQ(access(cluster_path(&c, "users/erin/kubeconfig"), R_OK), 0);
    cluster_stop(&c);
}

TEST(cluster, of_a_test_is_gone_when_it_is_stopped)
{
    cluster shared;
    cluster c;

    cluster_use_shared(&shared);
    cluster_start(&c, (const char *[]){ "--goaway-chance=0.02", NULL });

    remains r = note(&c);
    ASSERT_TRUE(strcmp(c.dir, shared.dir) != 0);
    cluster_stop(&c);
    ASSERT_TRUE(is_gone(&r));
}

static _Noreturn void start_and_tell(int fd)
{
    cluster c;

    (void) setpgid(0, 0);
    cluster_start(&c, NULL);
    remains r = note(&c);
    ASSERT_EQ(write(fd, &r, sizeof r), (ssize_t) sizeof r);
    for (;;) {
        (void) pause();
    }
}

/* As the harness does it with a test that runs over its time: the whole process group. */
TEST(cluster, of_a_test_is_gone_when_that_is_killed)
{
    remains r = { 0 };
    int fds[2];

    ASSERT_EQ(pipe(fds), 0);
    pid_t child = fork();
    ASSERT_TRUE(child >= 0);
    if (child == 0) {
        start_and_tell(fds[1]);
    }
    (void) close(fds[1]);
    ASSERT_EQ(read(fds[0], &r, sizeof r), (ssize_t) sizeof r);
    (void) close(fds[0]);

    ASSERT_EQ(kill(-child, SIGKILL), 0);
    ASSERT_EQ(waitpid(child, NULL, 0), child);

    ASSERT_TRUE(is_soon_gone(&r));
}
