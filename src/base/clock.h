/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/clock.h - what time it is.
 *
 * Three times.  The monotonic one counts from some moment in the past, never goes back and is the
 * one for deadlines and durations; it is never negative.  The one since boot is the same, and goes
 * on while the machine sleeps: for what others do meanwhile.  The wall time is the one for people
 * and for other machines, and may jump.
 *
 * Code that decides never asks the system: it is given a `const kin__clock *`, or `now_ms`.
 *
 * Threading: thread-safe, all clocks.
 */
#ifndef KIN_BASE_CLOCK_H
#define KIN_BASE_CLOCK_H

#include <stdatomic.h>

#include "kin/value.h"

/* Made by kin__clock_real() or a kin__virtual_clock. */
typedef struct kin__clock {
    int64_t (*now_ns)(const struct kin__clock *clock);
    int64_t (*boot_ns)(const struct kin__clock *clock);
    kin_time (*wall)(const struct kin__clock *clock);
} kin__clock;

/* The system's: CLOCK_MONOTONIC, CLOCK_BOOTTIME and CLOCK_REALTIME. */
const kin__clock *kin__clock_real(void);

int64_t kin__clock_now_ns(const kin__clock *clock);
int64_t kin__clock_now_ms(const kin__clock *clock); /* rounded down */
int64_t kin__clock_boot_ns(const kin__clock *clock);
int64_t kin__clock_boot_ms(const kin__clock *clock); /* rounded down */
kin_time kin__clock_wall(const kin__clock *clock);

/* Time that stands still until it is advanced, for tests.  All times advance together. */
typedef struct kin__virtual_clock {
    kin__clock clock; /* what the code under test gets; first, so that one leads to the other */
    int64_t start_ns;
    kin_time start_wall;
    _Atomic int64_t passed_ns; /* while awake */
    _Atomic int64_t slept_ns;
} kin__virtual_clock;

/* `now_ms` is 0 or more. */
void kin__virtual_clock_init(kin__virtual_clock *clock, int64_t now_ms, kin_time wall);

/* `ms` is 0 or more. */
void kin__virtual_clock_advance(kin__virtual_clock *clock, int64_t ms);

/* The machine sleeps for so long: all but the monotonic time advance.  `ms` is 0 or more. */
void kin__virtual_clock_sleep(kin__virtual_clock *clock, int64_t ms);

#endif /* KIN_BASE_CLOCK_H */
