/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_child.c - a child and a pair of sockets.
 */
#include "server_child.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

bench_child bench_child_start(void (*run)(int fd))
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        bench_fail("no pair of sockets");
    }
    pid_t pid = fork();
    if (pid < 0) {
        bench_fail("no process");
    }
    if (pid == 0) {
        close(pair[0]);
        run(pair[1]);
        _exit(0);
    }
    close(pair[1]);
    return (bench_child){ pid, pair[0] };
}

void bench_child_stop(bench_child *child)
{
    close(child->fd);
    (void) waitpid(child->pid, NULL, 0);
}
