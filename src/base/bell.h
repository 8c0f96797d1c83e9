/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/bell.h - by which one thread is woken.
 *
 * A ring is not lost when nobody waits: the next wait ends at once.  Several before one wait count
 * as one.  What was done before the ring is seen after the wait that it ended.
 *
 * It is for a thread that is told what to do under a lock and has to be woken for it.  A condition
 * variable does that as well; but whoever is woken by one leaves the lock as one that others wait
 * for, and pays for letting it go with a call of the system (glibc 2.36).
 *
 * Threading: anybody rings, one thread waits.
 */
#ifndef KIN_BASE_BELL_H
#define KIN_BASE_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero when new.  Does not move while in use, and outlives the last ring. */
typedef struct kin__bell {
    _Atomic uint32_t state;
} kin__bell;

void kin__bell_ring(kin__bell *bell);

void kin__bell_wait(kin__bell *bell);

/* False once `deadline_ms` of kin__clock_real()'s monotonic time has passed without a ring. */
bool kin__bell_wait_until(kin__bell *bell, int64_t deadline_ms);

#endif /* KIN_BASE_BELL_H */
