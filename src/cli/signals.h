/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/signals.h - Ctrl-C and the like, as something to wait for.
 *
 * While they are open, signals do not interrupt: they make a descriptor readable.  Opened before
 * threads are started, it holds for all of them.
 *
 * Threading: confined.
 */
#ifndef KIN_CLI_SIGNALS_H
#define KIN_CLI_SIGNALS_H

#include <signal.h>

#include "kin/common.h"

typedef struct kin__cli_signals {
    int fd; /* readable when a signal has come */
    sigset_t before;
} kin__cli_signals;

/* SIGINT, SIGTERM, SIGHUP and, where `has_screen`, SIGQUIT, SIGTSTP and SIGWINCH.  Fails with
 * SYSTEM. */
kin_err kin__cli_signals_open(kin__cli_signals *signals, bool has_screen,
                              kin_error *err) KIN_MUST_CHECK;

/* As it was before; what has come and was not taken is dropped. */
void kin__cli_signals_close(kin__cli_signals *signals);

/* The next one that has come; 0: none. */
int kin__cli_signals_take(kin__cli_signals *signals);

#endif /* KIN_CLI_SIGNALS_H */
