/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alarm.c - a timer of the system that nobody reads.
 *
 * Once such a timer has expired it is readable until it is read or set again.  So one descriptor is
 * enough: a moment that has passed for "now", none for "never".
 */
#include "queue/alarm.h"

#include <assert.h>
#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/error.h"

#define NS_PER_SECOND 1000000000

static struct timespec from_now(int64_t at_ns, const kin__clock *clock);

kin_err kin__alarm_open(kin__alarm *alarm, kin_error *err)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

    if (fd < 0) {
        return kin__error_system(err, errno, "timer");
    }
    *alarm = (kin__alarm){ .is_open = true, .fd = fd, .at_ns = KIN__ALARM_NEVER };
    return KIN_OK;
}

void kin__alarm_close(kin__alarm *alarm)
{
    if (alarm->is_open) {
        (void) close(alarm->fd);
        *alarm = (kin__alarm){ 0 };
    }
}

void kin__alarm_set(kin__alarm *alarm, int64_t at_ns, const kin__clock *clock)
{
    if (alarm->at_ns == at_ns) {
        return;
    }
    struct itimerspec when = { .it_value = from_now(at_ns, clock) };
    int result = timerfd_settime(alarm->fd, 0, &when, NULL);
    assert(result == 0); /* fails only for what is no timer or no time */
    (void) result;
    alarm->at_ns = at_ns;
}

/* All zero: never.  At least a nanosecond, because of that. */
static struct timespec from_now(int64_t at_ns, const kin__clock *clock)
{
    if (at_ns == KIN__ALARM_NEVER) {
        return (struct timespec){ 0 };
    }
    int64_t now_ns = at_ns == KIN__ALARM_NOW ? INT64_MAX : kin__clock_now_ns(clock);
    int64_t left_ns = at_ns > now_ns ? at_ns - now_ns : 1;
    return (struct timespec){ .tv_sec = (time_t) (left_ns / NS_PER_SECOND),
                              .tv_nsec = (long) (left_ns % NS_PER_SECOND) };
}
