/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/process.h - a child process whose output is read on the loop, until it ends or its time is
 * up.
 *
 * Without a shell; in a process group of its own, which is killed whole when the time is up or the
 * caller gives up.  Standard input is /dev/null, output and error come through pipes and are kept
 * up to a limit.  The program's SIGCHLD is its own affair: the child is waited for by its pidfd
 * (Linux 5.4).
 *
 * What it has started in the background does not hold it up, and goes on: 100 ms after its own end
 * no more output is waited for.
 *
 * Threading: on the loop.
 */
#ifndef KIN_NET_PROCESS_H
#define KIN_NET_PROCESS_H

#include "net/loop.h"

typedef struct kin__process kin__process;

/* Borrowed for the call of `on_end`.  `output` is wiped afterwards: it may be secret. */
typedef struct kin__process_end {
    kin_err code;   /* KIN_OK: it ended by itself.  Else it was killed: TIMEOUT; LIMIT: it wrote
                       too much; NO_MEMORY for what it wrote */
    int status;     /* its exit status; 128 + N when signal N ended it; -1: not known, because
                       the program ignores SIGCHLD or has waited for our process itself */
    kin_str output; /* what it wrote, to standard output */
    kin_str errors; /* ... to standard error: the last KIN__PROCESS_ERRORS_MAX bytes */
} kin__process_end;

#define KIN__PROCESS_OUTPUT_MAX (1u << 20)
#define KIN__PROCESS_ERRORS_MAX 4096u

typedef struct kin__process_options {
    const char *const *arguments;   /* ends with NULL; [0] is the program, searched in PATH when it
                                       has no slash */
    const char *const *environment; /* ends with NULL; all of it */
    const char *directory;          /* NULL: this program's.  A program with a slash in its name
                                       that is not absolute is looked for from there */
    uint32_t timeout_ms;            /* 0: none */
    void (*on_end)(void *context, const kin__process_end *end); /* once, unless freed before */
    void *context;
} kin__process_options;

/* Fails with SYSTEM (no such program, not executable, ...: says so with its name), NO_MEMORY. */
kin_err kin__process_start(kin_loop *loop, const kin__process_options *options, kin__process **out,
                           kin_error *err) KIN_MUST_CHECK;

/* Kills it if it still runs, but not from a forked child.  Also from inside `on_end`.  NULL is
 * ignored. */
void kin__process_free(kin__process *process);

#endif /* KIN_NET_PROCESS_H */
