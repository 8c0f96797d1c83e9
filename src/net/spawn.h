/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/spawn.h - starting a program, with our ends of its pipes.
 *
 * It gets /dev/null to read from, no descriptor but those three, an empty signal mask, the default
 * disposition of every signal, and a process group of its own.
 */
#ifndef KIN_NET_SPAWN_H
#define KIN_NET_SPAWN_H

#include <sys/types.h>

#include "kin/common.h"

typedef struct kin__spawned {
    pid_t pid;     /* and the number of its process group */
    int pidfd;     /* readable when it has ended; -1: it has, and somebody else waited for it */
    int output_fd; /* what it writes; neither blocks nor is inherited */
    int errors_fd;
} kin__spawned;

/* As in kin__process_options.  What is set in `out` is the caller's.  Fails with SYSTEM, and then
 * there is no process. */
kin_err kin__spawn(const char *const *arguments, const char *const *environment,
                   const char *directory, kin__spawned *out, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_NET_SPAWN_H */
