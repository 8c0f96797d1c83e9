/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/render_time.h - moments as the API server writes them.
 *
 * Threading: a pure function.
 */
#ifndef KIN_PROTO_RENDER_TIME_H
#define KIN_PROTO_RENDER_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest has a year of 12 digits with its sign, and a fraction. */
#define KIN__PB_TIME_MAX 48

#define KIN__PB_ZERO_SECONDS INT64_C(-62135596800) /* 0001-01-01T00:00:00Z: Go's zero time */

/* Of the years 0000 to 9999, which are all that RFC 3339 can say. */
#define KIN__PB_FIRST_SECOND INT64_C(-62167219200)
#define KIN__PB_LAST_SECOND INT64_C(253402300799)

/*
 * Writes a moment, in seconds since 1970 and nanoseconds, as Go does in UTC: 2006-01-02T15:04:05Z,
 * or with six digits of a fraction, cut and not rounded.  Years have four digits at least, and a
 * sign before year 0; any number of seconds has a year.  Returns the length; 0 when it is Go's zero
 * time, the first moment of year 1.
 */
size_t kin__pb_write_time(int64_t seconds, int32_t nanoseconds, bool has_micros,
                          char out[KIN__PB_TIME_MAX]);

#endif /* KIN_PROTO_RENDER_TIME_H */
