/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigpipe.c - a signal blocked, and taken back.
 */
#include "net/sigpipe.h"

#include <errno.h>
#include <time.h>

static sigset_t only_sigpipe(void);
static bool is_pending(void);

void kin__sigpipe_block(kin__sigpipe *before)
{
    sigset_t set = only_sigpipe();
    before->was_pending = is_pending();
    (void) pthread_sigmask(SIG_BLOCK, &set, &before->mask); /* fails only for a wrong word */
}

void kin__sigpipe_restore(const kin__sigpipe *before)
{
    if (!before->was_pending && is_pending()) {
        sigset_t set = only_sigpipe();
        struct timespec none = { 0 };
        while (sigtimedwait(&set, NULL, &none) < 0 && errno == EINTR) {
        }
    }
    (void) pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
}

static sigset_t only_sigpipe(void)
{
    sigset_t set;
    (void) sigemptyset(&set);
    (void) sigaddset(&set, SIGPIPE);
    return set;
}

static bool is_pending(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
}
