/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals.c - Ctrl-C and the like, as something to wait for.
 */
#include "cli/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/fault.h"

kin_err kin__cli_signals_open(kin__cli_signals *signals, bool has_screen, kin_error *err)
{
    static const int always[] = { SIGINT, SIGTERM, SIGHUP };
    static const int of_screens[] = { SIGQUIT, SIGTSTP, SIGWINCH };
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
        sigaddset(&set, always[i]);
    }
    for (size_t i = 0; has_screen && i < sizeof of_screens / sizeof of_screens[0]; i++) {
        sigaddset(&set, of_screens[i]);
    }
    signals->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (signals->fd < 0) {
        return kin__cli_system(err, "signals cannot be waited for");
    }
    pthread_sigmask(SIG_BLOCK, &set, &signals->before);
    return KIN_OK;
}

void kin__cli_signals_close(kin__cli_signals *signals)
{
    while (kin__cli_signals_take(signals) != 0) {
    }
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    close(signals->fd);
    signals->fd = -1;
}

int kin__cli_signals_take(kin__cli_signals *signals)
{
    struct signalfd_siginfo info;

    return read(signals->fd, &info, sizeof info) == (ssize_t) sizeof info ? (int) info.ssi_signo
                                                                          : 0;
}
