/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/calendar.h - moments as Kubernetes writes them.
 */
#ifndef KIN_SIMULATE_CALENDAR_H
#define KIN_SIMULATE_CALENDAR_H

#include <stdint.h>

#define KIN__SIM_TIME_LEN 20  /* of "2026-01-31T23:59:58Z" */
#define KIN__SIM_MICRO_LEN 27 /* of "2026-01-31T23:59:58.000001Z" */

/* Unix seconds, of the years 1970 to 9999, as metav1.Time; not terminated. */
void kin__sim_time_write(int64_t seconds, char out[KIN__SIM_TIME_LEN]);

/* Unix microseconds as metav1.MicroTime; not terminated. */
void kin__sim_micro_write(int64_t micros, char out[KIN__SIM_MICRO_LEN]);

#endif /* KIN_SIMULATE_CALENDAR_H */
