/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue/alarm.h - a descriptor that becomes readable at a moment, and stays so until told
 * otherwise.
 *
 * Threading: confined.
 */
#ifndef KIN_QUEUE_ALARM_H
#define KIN_QUEUE_ALARM_H

#include "base/clock.h"

#define KIN__ALARM_NOW INT64_MIN
#define KIN__ALARM_NEVER INT64_MAX

typedef struct kin__alarm {
    bool is_open;
    int fd;
    int64_t at_ns; /* what it was set to */
} kin__alarm;

/* Set to KIN__ALARM_NEVER.  Fails with SYSTEM. */
kin_err kin__alarm_open(kin__alarm *alarm, kin_error *err) KIN_MUST_CHECK;

/* All zero, or not open, is ignored. */
void kin__alarm_close(kin__alarm *alarm);

/* Open.  `at_ns` is of `clock`, or one of the two above.  When the time of a clock that is not the
 * system's passes is for the system to tell: it is taken to pass as fast. */
void kin__alarm_set(kin__alarm *alarm, int64_t at_ns, const kin__clock *clock);

#endif /* KIN_QUEUE_ALARM_H */
