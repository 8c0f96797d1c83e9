/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_child.h - a process of its own for what is not to be measured, and a line to it.
 */
#ifndef KIN_BENCH_SERVER_CHILD_H
#define KIN_BENCH_SERVER_CHILD_H

#include <sys/types.h>

typedef struct bench_child {
    pid_t pid;
    int fd; /* of a pair of sockets, by which it is told what to do */
} bench_child;

/* Runs `run` in a child, with the other end of the pair; it ends when ours is closed. */
bench_child bench_child_start(void (*run)(int fd));
void bench_child_stop(bench_child *child);

#endif /* KIN_BENCH_SERVER_CHILD_H */
