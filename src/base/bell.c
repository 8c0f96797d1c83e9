/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bell.c - a word that Linux waits on: futex(2).
 *
 * Only who has found the bell SILENT makes it AWAITED, and only of an AWAITED one the kernel is
 * told: a ring that nobody waits for is one exchange.
 */
#include "base/bell.h"

#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SILENT, AWAITED, RUNG };

static bool wait_until(kin__bell *bell, const struct timespec *deadline);
static long futex(kin__bell *bell, int operation, uint32_t value, const struct timespec *deadline);

void kin__bell_ring(kin__bell *bell)
{
    if (atomic_exchange(&bell->state, RUNG) == AWAITED) {
        (void) futex(bell, FUTEX_WAKE_PRIVATE, 1, NULL);
    }
}

void kin__bell_wait(kin__bell *bell)
{
    (void) wait_until(bell, NULL);
}

bool kin__bell_wait_until(kin__bell *bell, int64_t deadline_ms)
{
    int64_t since_start = deadline_ms < 0 ? 0 : deadline_ms;
    struct timespec deadline = {
        .tv_sec = (time_t) (since_start / 1000),
        .tv_nsec = (long) (since_start % 1000) * 1000000,
    };

    return wait_until(bell, &deadline);
}

/* The kernel may return for no reason.  When the time is up a ring may still have come. */
static bool wait_until(kin__bell *bell, const struct timespec *deadline)
{
    uint32_t seen = SILENT;
    bool is_late = false;

    if (!atomic_compare_exchange_strong(&bell->state, &seen, AWAITED)) {
        assert(seen == RUNG);
        atomic_store(&bell->state, SILENT);
        return true;
    }
    while (atomic_load(&bell->state) == AWAITED && !is_late) {
        /* Not FUTEX_WAIT, which would take the deadline for a span of time. */
        is_late =
            futex(bell, FUTEX_WAIT_BITSET_PRIVATE, AWAITED, deadline) != 0 && errno == ETIMEDOUT;
    }
    return atomic_exchange(&bell->state, SILENT) == RUNG;
}

static long futex(kin__bell *bell, int operation, uint32_t value, const struct timespec *deadline)
{
    return syscall(SYS_futex, &bell->state, operation, value, deadline, NULL,
                   FUTEX_BITSET_MATCH_ANY);
}
